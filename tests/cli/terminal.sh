# terminal.sh - --pty: a terminal over there, and this one raw while it runs.
. "$(dirname "$0")/lib.sh"

on_terminal() {
    TERM=xterm /usr/bin/python3 "$HERE/terminal.py" "$@" <"$T/steps"
}
steps() {
    printf '%s\n' "$@" >"$T/steps"
}

run exec --pty local 'test -t 1 && echo a terminal; stty size'
check 'without one here, there is one there of the usual size' equal "$(tr -d '\r' <"$T/out")" \
    'a terminal
24 80'
steps 'expect 33 101' 'expect xterm' 'status 0'
check 'it has the size and the name of ours' on_terminal "$SBX" exec --pty local 'stty size; echo $TERM'
steps 'expect name?' 'echo off' 'send Ada\r' 'expect hello Ada' 'status 3'
check 'keys reach the command' \
    on_terminal "$SBX" exec --pty local 'echo "name?"; read -r n; echo "hello $n"; exit 3'
steps 'expect ready' 'echo off' 'send \x03' 'expect caught' 'status 5'
check 'Ctrl-C is the command'\''s' \
    on_terminal "$SBX" exec --pty local "trap 'echo caught; exit 5' INT; echo ready; while :; do sleep .1; done"

# A shell holds the terminal after us, so that its settings can be looked at.
steps 'expect ready' 'echo off' 'send x\r' 'expect back' 'echo on' 'send \r' 'status 0'
check 'the terminal is as before after the run' on_terminal sh -c \
    "'$SBX' exec --pty local 'echo ready; read -r x'; echo back; read -r x"
steps 'expect ready' 'echo off' 'expect back 124' 'echo on' 'send \r' 'status 0'
check 'and after a time-out' on_terminal sh -c \
    "'$SBX' exec -t 1 --pty local 'echo ready; sleep 60'; echo back \$?; read -r x"
# The command knows the program that started it: it leads the terminal's processes.
for signal in TERM HUP QUIT SEGV; do
    steps 'expect ready' 'echo off' "send $signal\\r" 'expect back' 'echo on' 'send \r' 'status 0'
    check "and after a SIG$signal" on_terminal sh -c "
        ulimit -c 0
        '$SBX' exec --pty -e PROGRAM='$SBX' local '
            echo ready; read -r s
            for f in /proc/[0-9]*/cmdline; do
                tr \"\\\\0\" \" \" <\$f 2>/dev/null | grep -q \"^\$PROGRAM exec --pty\" || continue
                p=\${f#/proc/}; kill -\$s \${p%/cmdline}
            done
            sleep 60'
        echo back; read -r x"
done

steps "expect option '--stdin': standard input is a terminal" 'expect try: --pty' 'status 2'
check '--stdin from a terminal needs --pty' on_terminal "$SBX" exec --stdin local cat
steps 'expect {"place":"local"' 'status 0'
check 'JSON leaves the terminal alone' on_terminal "$SBX" exec --json --pty local 'echo x'
check_end
