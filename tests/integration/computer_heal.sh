# computer_heal.sh - a reset that is cut off in its midst is made good by who asks next, and
# what has outlived its end goes when the next one is made.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/docker.sh"

sshd_start
docker_lab
sbx() { timeout -k 5 60 "$SBX" -F none "$@" 2>"$SSHD_DIR/err" </dev/null; }
err() { cat "$SSHD_DIR/err"; }
create() { sbx computer create --no-network -i sbxt:1 "$@"; }
names() { docker ps -a --format '{{.Names}}' --filter label=sbx.computer | sort | tr '\n' ' '; }
state() { sbx --json computer show "$1" | jq -r "$2"; }

# The engine's command line, at whose Nth call of that verb the script dies.
mkdir "$SSHD_DIR/cut"
cat >"$SSHD_DIR/cut/docker" <<'END'
#!/bin/sh
if [ "$1 $2" = "$CUT" ]; then
    up=$(cut -d ' ' -f 4 /proc/$PPID/stat)
    ! cmp -s /proc/$PPID/cmdline /proc/$up/cmdline || kill -KILL "$up"
    kill -KILL $PPID
    exit 1
fi
exec /usr/bin/docker "$@"
END
chmod +x "$SSHD_DIR/cut/docker"
cut_off() {
    (
        CUT=$1
        PATH=$SSHD_DIR/cut:$PATH
        export CUT PATH
        sbx computer reset local/box
    )
}

create -n box -p >/dev/null
sbx exec local/box 'touch /kept'
cut_off 'rename sbx-box.new'
check 'a reset is cut off between its two names' equal "$(names)" 'sbx-box.new sbx-box.old '
check 'who asks next finds the new one under its name' equal "$(state box '"\(.state) \(.permanent)"')" 'running true'
check '  made anew' equal "$(sbx exec local/box 'ls /kept 2>/dev/null; hostname')" box
check '  and nothing is left of the old one' equal "$(names)" 'sbx-box '
cut_off 'rename sbx-box.new'
check 'who would make it has it too' equal "$(create -n box -p) $(err)" 'local/box sbx: local/box was there'
check '  and nothing else' equal "$(names)" 'sbx-box '
cut_off 'rename sbx-box'
check 'cut off before that, the old one is there' contains "$(names)" 'sbx-box '
sbx computer restart local/box >/dev/null
check '  and can be used' equal "$(sbx exec local/box hostname)" box
cut_off 'rm -f'
check 'cut off behind it, the new one is there' equal "$(state box .state)" running
sbx computer reset local/box >/dev/null
check '  and the next reset is one' equal "$? $(names)" '0 sbx-box '
cut_off 'rename sbx-box.new'
sbx computer rm local/box
check 'one that is removed is gone, with what was left of it' equal "$? $(names)" '0 '
sbx computer show box >/dev/null
check '  for good' equal "$? $(names)" '2 '

create -n box -p >/dev/null
cut_off 'stop -t'
check 'a reset is cut off with the new one made' equal "$(names)" 'sbx-box sbx-box.new '
sbx computer rm local/box
check '  what is removed then is gone, with that' equal "$? $(names)" '0 '

# Somebody else is about to remove it, as its engine says.
mkdir "$SSHD_DIR/busy"
cat >"$SSHD_DIR/busy/docker" <<'END'
#!/bin/sh
if [ "$1" = rm ] && mkdir "$0.once" 2>/dev/null; then
    echo "Error response from daemon: removal of container $4 is already in progress" >&2
    exit 1
fi
exec /usr/bin/docker "$@"
END
chmod +x "$SSHD_DIR/busy/docker"
create -n box -p >/dev/null
touch "$XDG_STATE_HOME/sbx/computers/sbx-box.reset"
PATH=$SSHD_DIR/busy:$PATH sbx computer rm local/box
check 'one that is being removed already is waited for' equal "$? $(err) $(names)" '0  '
check '  by the script, which was told so' test -d "$SSHD_DIR/busy/docker.once"

# Somebody else is about to make it: its name is taken, and nothing is there yet.
mkdir "$SSHD_DIR/early"
cat >"$SSHD_DIR/early/docker" <<'END'
#!/bin/sh
if [ "$1" = run ] && mkdir "$0.once" 2>/dev/null; then
    { sleep 1; /usr/bin/docker "$@"; } >/dev/null 2>&1 &
    echo 'docker: Error response from daemon: Conflict. The container name "/sbx-box" is already in use by container "1".' >&2
    exit 125
fi
exec /usr/bin/docker "$@"
END
chmod +x "$SSHD_DIR/early/docker"
told=$(DOCKER_CONTEXT=default PATH=$SSHD_DIR/early:$PATH create -n box -p)
check 'one that is being made already is waited for' equal "$told $(names) $(test -d "$SSHD_DIR/early/docker.once" && echo once)" 'local/box sbx-box  once'
sbx computer rm local/box

# A reset whose image is gone, and cannot be pulled.
mkdir -p "$SSHD_DIR/gone" && touch "$SSHD_DIR/gone/gone"
tar -C "$DOCKER_IMAGE" -c . >"$SSHD_DIR/gone.tar" && tar -C "$SSHD_DIR/gone" -rf "$SSHD_DIR/gone.tar" gone
docker import - sbxt:gone <"$SSHD_DIR/gone.tar" >/dev/null
sbx computer create --no-network -i sbxt:gone -p -n gone >/dev/null
sbx exec local/gone 'echo mine >/kept'
docker stop -t 0 sbx-gone >/dev/null && docker rmi -f sbxt:gone >/dev/null 2>&1
sbx computer reset gone
check 'a reset whose pull fails says so' contains "$(err)" "reset computer 'local/gone': the image is not there, and cannot be pulled: "
check '  and has changed nothing' equal "$(names) $(state gone .state)" 'sbx-gone  stopped'
sbx computer restart gone >/dev/null
check '  and the old one has its files' equal "$(sbx exec local/gone cat /kept)" mine
sbx computer rm gone

# What is over goes when another is made.
looked() { rm -f "$XDG_STATE_HOME/sbx/computers/looked"; }
sleep 1000 &
holder=$!
create -n held --pid $holder >/dev/null
create -n brief -p --ttl 1 >/dev/null
create -n eves -p --ttl 1 --owner eve >/dev/null
kill $holder
wait $holder 2>/dev/null
over() { [ "$(sbx --json computer ls | jq -r 'select(.due != null) | .name' | wc -l)" = 3 ]; }
check 'three have outlived their end' within 10 over
create -n other >/dev/null
check 'a look a moment ago is not made again' equal "$(names)" 'sbx-brief sbx-eves sbx-held sbx-other '
looked
create -n next >/dev/null
check "what is due goes when one is made, and nobody else's" equal "$(names)" 'sbx-eves sbx-next sbx-other '

# One that is there is the answer, as lasting as it was.
create -n stays -p >/dev/null
sbx computer create -n stays -i sbxt:none >/dev/null
check 'it needs no image for that' equal "$? $(err)" '0 sbx: local/stays was there'
check '  and stays as lasting' equal "$(state stays '"\(.permanent) \(.expires_at)"')" 'true null'
check_end
