# computer_life.sh - computers on a real docker: made, found again, changed by their owner
# alone, made anew, and gone when their life is over.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/docker.sh"

sshd_start
docker_lab
docker_far

sbx() { timeout -k 5 60 "$SBX" -F "$SSHD_CONFIG" "$@" 2>"$SSHD_DIR/err" </dev/null; }
err() { cat "$SSHD_DIR/err"; }
create() { sbx computer create --no-network -i sbxt:1 "$@"; }
boxes() { docker ps -aq --filter label=sbx.computer "$@" | wc -l; }
label() { docker container inspect -f "{{index .Config.Labels \"sbx.$2\"}}" "sbx-$1"; }
there() { docker container inspect "sbx-$1" >/dev/null 2>&1; }

# Made, and found again.
check 'its address is told' equal "$(create -n box -m 64M --pids 50 -e A='b c' --shell /bin/ash)" local/box
# Of its day a second may be gone by now.
check 'it is found by its labels' contains "$(sbx computer ls | sed 's/ 24h$/ 23h/')" "local/box  running  sbxt:1  $(id -un)@$(hostname)  temporary, 23h"
docker container inspect sbx-box >"$SSHD_DIR/box"
check 'it has limits, and gains no privileges' equal \
    "$(jq -c '.[0].HostConfig | [.Memory, .PidsLimit, .Init, .SecurityOpt, .CapDrop]' "$SSHD_DIR/box")" \
    '[67108864,50,true,["no-new-privileges"],["ALL"]]'
first=$(label box instance)
check 'who asks again has the same' equal "$(create -n box; label box instance; err)" \
    "$(printf 'local/box\n%s\nsbx: local/box was there' "$first")"
random=$(create)
check 'a name is found where none is told' contains "$random" local/
check '  another each time, that one can read' equal "$(echo "${random#local/}" | sed 's/^[a-z]*-[a-z]*-[0-9a-f]\{4\}$/readable/')" readable
logins() { grep -c 'Accepted publickey' "$SSHD_LOG"; }
before=$(logins)
check 'over SSH it is as here' equal "$(create -p far/web)" far/web
check '  with one log-in' equal "$(logins)" $((before + 1))
check '  and what is made there by the engine of this place is this one' contains "$(sbx computer ls)" 'local/web  running  sbxt:1'

# What cannot be made leaves nothing.
count=$(boxes)
sbx computer create -n bad -i localhost:1/none --no-network
check 'an image that cannot be pulled is told of' contains "$(err)" "create computer 'local/bad': the image is not there, and cannot be pulled: "
mkdir -p "$SSHD_DIR/bare/bin" && cp "$(command -v busybox)" "$SSHD_DIR/bare/bin/tool"
tar -C "$SSHD_DIR/bare" -c . | docker import - sbxt:bare >/dev/null
sbx computer create -n bad -i sbxt:bare --no-network
check 'so is one without a shell' contains "$(err)" "create computer 'local/bad': its image has no /bin/sh that runs there"
create -n bad -u nobody-at-all
check 'and a user that is not in it' contains "$(err)" 'unable to find user nobody-at-all'
docker run -d --network none --name sbx-alien sbxt:1 /bin/sleep 1000 >/dev/null
create -n alien
check "a container of somebody else's is not taken for one" equal "$? $(err | head -n 1)" \
    "2 sbx: create computer 'local/alien': a container of that name is none of ours"
check 'nothing is left of these' equal "$(boxes)" "$count"
for bad in '-n Bad' '-n -x' '--mount a:/b' '--port x' '-c two' '-m 1K' "--owner a\ b"; do
    eval "create $bad"
    check "$bad is refused before anything happens" equal "$?" 2
done

# Of another owner nothing is touched.
for verb in rm reset renew; do
    sbx computer $verb --owner eve box
    check "$verb is for its owner" equal "$? $(err | head -n 1)" "2 sbx: $([ $verb = rm ] && echo remove || echo $verb) computer 'local/box': it belongs to $(id -un)@$(hostname)"
done
create -n box --owner eve
check 'nor is its name given away' contains "$(err)" "it belongs to $(id -un)@$(hostname)"
check 'it is as it was' equal "$(label box instance)" "$first"

# Changed by its owner.
sbx computer pause box >/dev/null
sbx exec local/box true
check 'what is paused says so, and how it goes on' equal "$(err)" "$(printf "sbx: start a command on 'local/box': it is paused\nsbx: try: sbx computer resume local/box")"
sbx computer resume local/box >/dev/null
check 'it goes on' equal "$(sbx exec local/box 'echo "$A" $0 >/kept; cat /kept')" 'b c /bin/ash'
sbx computer snapshot local/box sbxt:kept
check 'a snapshot is an image' equal "$(create -n twin -i sbxt:kept >/dev/null; sbx exec local/twin 'cat /kept; hostname')" "$(printf 'b c /bin/ash\ntwin')"
expires=$(sbx --json computer show box | jq .expires_at)
sbx computer reset local/box >/dev/null
check 'a reset makes it anew' equal "$? $(sbx exec local/box 'ls /kept 2>/dev/null; echo "$A" $0')" '0 b c /bin/ash'
check '  with its settings and its end' equal \
    "$(sbx --json computer show box | jq -r '"\(.expires_at) \(.memory)"')" "$expires 67108864"
check '  and another instance' test "$(label box instance)" != "$first"
mkdir "$SSHD_DIR/shown" && create -n hurt --mount "$SSHD_DIR/shown:/tmp" >/dev/null
sbx exec local/hurt 'echo mine >/own; echo shown >/tmp/file'
check 'a mount is a folder of the place' equal "$(cat "$SSHD_DIR/shown/file")" shown
rm -r "$SSHD_DIR/shown" && echo >"$SSHD_DIR/shown"
count=$(boxes)
sbx computer reset hurt
check 'a reset that fails says why' contains "$(err)" "reset computer 'local/hurt': the engine says: "
check '  and leaves the old one' equal "$(boxes)" "$count"
rm "$SSHD_DIR/shown" && mkdir "$SSHD_DIR/shown"
sbx computer restart hurt >/dev/null
check '  with its files' equal "$(sbx exec local/hurt cat /own)" mine
sbx computer rm local/hurt twin "$random"
check 'many are removed at once' equal "$? $(boxes)" "0 2"
sbx exec local/hurt true
check 'what is gone is said to be, and how it is made' equal "$(err)" "$(printf "sbx: start a command on 'local/hurt': there is no such computer\nsbx: try: sbx computer create local/hurt")"

# The end of a life.
sleep 1000 &
holder=$!
create -n held --pid $holder >/dev/null
create -n brief --ttl 1 >/dev/null
create -n other --ttl 1 --owner eve >/dev/null
over() { [ "$(sbx --json computer ls | jq -r 'select(.due == "time") | .name' | sort | tr '\n' ' ')" = 'brief other ' ]; }
within 10 over
check 'those whose time is over, of this owner, are removed' equal "$(sbx computer gc | cut -d ' ' -f 1)" local/brief
sbx computer renew --ttl 50 --owner eve other >/dev/null
check 'one that is renewed has time again' equal "$(sbx --json computer show other | jq -r '.due, .expires_at - .created_at > 40')" "$(printf 'null\ntrue')"
kill $holder
wait $holder 2>/dev/null
check 'one whose holder is gone is told of' contains "$(sbx computer ls)" "its holder is gone"
check '  and removed' equal "$(sbx computer gc | cut -d ' ' -f 1)" local/held
check '  and no other' equal "$(there box && there web && there other && there alien; echo $?)" 0

# Who holds what nobody is named for.
setsid -w sh -c '"$0" -F none computer create --no-network -i sbxt:1 -n agents; "$0" -F none computer create -n box' "$SBX" >/dev/null 2>&1
script -qc "'$SBX' -F none computer create --no-network -i sbxt:1 -n typed; true" /dev/null >/dev/null 2>&1 </dev/null
check 'with a terminal the shell there, elsewhere none' equal \
    "$(sbx --json computer ls | jq -r '"\(.name) \(.due)"' | grep -x 'agents .*\|box .*\|typed .*' | sort | tr '\n' ' ')" \
    'agents null box null typed holder '
sbx computer rm agents typed >/dev/null

# Many at once, of which some are killed.
sleep 1000 &
holder=$!
for i in 1 2 3 4; do
    create -n same >"$SSHD_DIR/same.$i" &
    "$SBX" -F none computer create --no-network -i sbxt:1 -n killed$i --pid $holder >/dev/null 2>&1 </dev/null &
    killed="${killed-} $!"
    sleep 0.2
    [ $i = 4 ] || kill -KILL $!
done
wait $killed 2>/dev/null
within 20 eval '[ "$(cat "$SSHD_DIR"/same.* | wc -l)" = 4 ]'
check 'of four that ask at once each has it' equal "$(cat "$SSHD_DIR"/same.* | sort -u) $(boxes --filter label=sbx.computer=same)" 'local/same 1'
kill $holder
wait $holder 2>/dev/null
swept() { sbx computer gc >/dev/null; [ "$(docker ps -a | grep -c sbx-killed)" = 0 ]; }
check 'nothing is left of those whose maker was killed' within 10 swept
check 'who owns no process over there is no process of it' equal "$(boxes)" 4
check_end
