# prefix.sh - places behind a command: namespaces entered by nsenter, on this machine and
# over SSH, as a container is by `docker exec`; what ends there, and what is told.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"

sshd_start
sshd_user far /bin/sh
sshd_user fish /usr/bin/fish
sshd_user csh /bin/csh
sshd_user zsh /bin/zsh
XDG_STATE_HOME=$SSHD_DIR/state
XDG_CONFIG_HOME=$SSHD_DIR/config
export XDG_STATE_HOME XDG_CONFIG_HOME
unset REMOTE_SANDBOX_LIST REMOTE_HOST
mkdir -p "$XDG_CONFIG_HOME/sbx"

# A world with processes and a folder of its own, which ends with what leads it.
leader=
end_world() { [ -z "$leader" ] || end_tree "$leader"; }
trap 'end_world; sshd_cleanup' EXIT
as_root unshare --pid --fork --mount --mount-proc sh -c '
    mount -t tmpfs none /mnt && echo ready >"$0" && exec sleep 1000' "$SSHD_DIR/world" 2>/dev/null &
leader=$!
within 10 test -s "$SSHD_DIR/world" || sshd_fail 'no world of its own'
world=$(process_tree "$leader" | tail -n 1)

cat >"$XDG_CONFIG_HOME/sbx/hosts.json" <<END
[{"name": "box", "prefix": ["nsenter", "-t", "$world", "-p", "-m"], "env": {"OWN": "it's"}},
 {"name": "farbox", "on": "t", "prefix": ["nsenter", "-t", "$world", "-p", "-m"]},
 {"name": "inner", "on": "farbox", "prefix": ["env", "A=1  '2'"], "cwd": "/mnt"},
 {"name": "onfish", "on": "fish", "prefix": ["env", "A=it's \"%s\" \$HOME !! \\\\ "]},
 {"name": "oncsh", "on": "csh", "prefix": ["env", "A=it's \"%s\" \$HOME !! \\\\ "]},
 {"name": "onzsh", "on": "zsh", "prefix": ["env", "A=it's \"%s\" \$HOME !! \\\\ "]},
 {"name": "gone", "on": "far", "prefix": ["nsenter", "-t", "4000000", "-p"]},
 {"name": "nocmd", "prefix": ["no-such-program", "x"]},
 {"name": "piped", "prefix": ["sh", "-c", "\"\$@\" </dev/null", "sh"]},
 {"name": "typed", "prefix": ["sh", "-c", "\"\$@\" </dev/null", "sh"], "prefix_pty": ["env"]},
 {"name": "anew", "prefix": ["unshare", "--pid", "--fork", "--mount-proc"]},
 {"name": "stuck", "prefix": ["sh", "-c", "sleep 400; exec \"\$@\"", "sh"]}]
END

sbx() { timeout -k 5 90 "$SBX" -F "$SSHD_CONFIG" "$@" 2>"$SSHD_DIR/err" </dev/null; }
err() { cat "$SSHD_DIR/err"; }
# A number of seconds that nothing else sleeps; and who sleeps it, zombies not.
nap() { echo "$((3000 + $$ % 1000)).$1"; }
nappers() { pgrep -fx "sleep $1"; }
naps() { [ "$(nappers "$1" | wc -l)" = "$2" ]; }
# The clients of ours that lead there: none is left when all is over.
leads() { pgrep -f "^nsenter -t $world .*sbx supe[r]visor"; }
leads_end() { [ -z "$(leads)" ]; }

for place in box farbox; do
    check "$place: a command runs in there" equal "$(sbx exec $place 'cat /proc/1/comm')" sleep
    sbx exec $place 'exit 41'
    check '... and ends with its own code' equal "$?" 41
    sbx exec $place 'kill -TERM $$'
    check '... or by its signal' contains "$(err)" 'killed by SIGTERM'
    nap=$(nap 1)
    sbx exec -t 1 $place "setsid sleep $nap & sleep $nap"
    check '... a limit kills all of it in there' equal "$? $(err)" "124 sbx: $place: timed out after 1 s; all of it is dead"
    check '... by the time that it says so' naps "$nap" 0
    nap=$(nap 2)
    "$SBX" -F "$SSHD_CONFIG" exec $place "setsid sleep $nap & sleep $nap" >/dev/null 2>&1 </dev/null &
    client=$!
    within 20 naps "$nap" 2
    kill -KILL $client
    check '... and so does the death of the client, be it of the first command' within 8 naps "$nap" 0
    nap=$(nap 3)
    sbx exec $place "setsid sleep $nap >/dev/null 2>&1 &"
    sleep 4
    check '... what was left in the background lives on' naps "$nap" 1
    sbx exec $place "kill $(sbx exec $place "pgrep -fx 'sleep $nap'")"
    check '... and no client of ours is left' within 8 leads_end
    head -c 3000000 /dev/urandom >"$SSHD_DIR/bytes"
    check '... three megabytes come back as they went' equal \
        "$(timeout 90 "$SBX" -F "$SSHD_CONFIG" exec --stdin $place cat <"$SSHD_DIR/bytes" | cksum)" "$(cksum <"$SSHD_DIR/bytes")"
    check '... it has a terminal if it asks' equal "$(sbx exec --pty $place 'test -t 0 && stty size')" "$(printf '24 80\r')"
    nap=$(nap 4)
    sbx exec --pty -t 1 $place "sleep $nap"
    check '... and ends at a limit with one' equal "$? $(nappers "$nap")" '124 '
done
check 'its own variables are set in there' equal "$(sbx exec box 'echo $OWN')" "it's"
check 'a place may stand on one behind a prefix' equal "$(sbx exec inner 'echo "$A $PWD $(cat /proc/1/comm)"')" "1  '2' /mnt sleep"
for shell in fish csh zsh; do
    check "words arrive unharmed through $shell" equal "$(sbx exec on$shell 'echo "$A."')" "it's \"%s\" \$HOME !! \\ ."
done

# Files, trees and jobs.
printf 'one\ntwo\n' | timeout 60 "$SBX" -F "$SSHD_CONFIG" file write box:/mnt/a >/dev/null
check 'a file is written in there' equal "$(sbx file cat farbox:/mnt/a)" "$(printf 'one\ntwo')"
check '... and nowhere else' test ! -e /mnt/a
mkdir -p "$SSHD_DIR/tree/sub" && echo 1 >"$SSHD_DIR/tree/sub/file" && ln -s sub "$SSHD_DIR/tree/link"
sbx sync push "$SSHD_DIR/tree" farbox:/mnt/tree >/dev/null
sbx sync pull box:/mnt/tree "$SSHD_DIR/back" >/dev/null
check 'a tree goes there and back' diff -r "$SSHD_DIR/tree" "$SSHD_DIR/back"
check 'the same again sends nothing' contains "$(sbx sync push "$SSHD_DIR/tree" farbox:/mnt/tree)" 'sent: 0 files'
nap=$(nap 5)
job=$(sbx --json job start --no-terminal box "sleep $nap" | jq -r .id)
check 'a job is started in there' within 10 naps "$nap" 1
sbx job stop -k 1 box "$job" >/dev/null
check '... and stopped' within 10 naps "$nap" 0

# What goes wrong is told as what it is.
sbx exec gone true
check 'a world that is not there is one sentence' equal "$? $(err | head -n 1)" \
    "255 sbx: start a command on 'gone': 'nsenter -t 4000000 -p' on 'far' ended with 1 and ran nothing, saying 'nsenter: cannot open /proc/4000000/ns/pid: No such file or directory'"
check '... with what to look at' contains "$(err)" 'try: see what `sbx exec far -- nsenter -t 4000000 -p true` prints'
sbx exec nocmd true
check 'so is a program that is not there' contains "$(err)" "'no-such-program x' on 'local' ended with 127 and ran nothing"
sbx exec --pty piped true
check 'a prefix that brings no terminal is told' contains "$(err)" "sbx: run on 'piped': 'sh -c \"\$@\" </dev/null sh' gives it no terminal"
check '... and prefix_pty is one that does' equal "$(sbx exec --pty typed 'test -t 0 && echo yes')" "$(printf 'yes\r')"
nap=$(nap 6)
sbx exec -t 1 anew "sleep $nap"
check 'where each command has a world of its own, no death is claimed that nobody saw' equal "$? $(err)" \
    '124 sbx: anew: timed out after 1 s; could not ask what still runs'
check '... but what brought it there is killed' naps "$nap" 0
start=$(date +%s)
sbx exec -t 1 stuck true
check 'a prefix that hangs ends at the limit' equal "$? $(($(date +%s) - start < 20))" '124 1'
left() { [ "$(pgrep -fx 'sleep 400' | wc -l)" -le 1 ]; }
check '... and leaves nothing there but what was to watch it' within 5 left
for pid in $(pgrep -fx 'sleep 400'); do kill "$pid"; done
check_end
