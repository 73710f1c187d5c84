# shell.sh - a shell on a place: the login shell, its keys and its window.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
sshd_start
trap 'sshd_cleanup; rm -rf "$T"' EXIT
nap=$(nap 77)

refuses 'a shell without a terminal' 'standard input is not a terminal, which a shell needs' \
    shell local
check 'exec is named' contains "$err" "$program: try: $program exec local COMMAND"
refuses 'a shell without a place' 'no PLACE given' shell
refuses 'a shell on two places' 'a shell is on one place, and 2 are named' shell local,gpu1
refuses 'a shell with a command' "one word too many: 'ls'" shell local ls
refuses 'a shell as JSON' "option '--json': a shell has no JSON to print" shell --json local

for place in local t; do
    prompt 'send stty size; echo $TERM\r' 'expect 33 101' 'expect xterm-256color' \
        'expect READY>' 'send exit 7\r' 'status 7'
    check "$place: it has our size and TERM, and its status is ours" shell_on $place
    prompt 'send trap "echo told" WINCH\r' 'expect READY>' 'size 40 120' 'expect told' \
        'send stty size\r' 'expect 40 120' 'expect READY>' 'size 12 34' 'expect told' \
        'send stty size\r' 'expect 12 34' 'expect READY>' 'send exit\r' 'status 0'
    check "$place: its window follows ours" shell_on $place
    prompt 'send shopt -q login_shell && echo is-$((1+1)); case $- in *i*) echo i-$((2+2));; esac\r' \
        'expect is-2' 'expect i-4' 'send echo level-$SHLVL\r' 'expect level-1' \
        'send echo "pager<$PAGER>"\r' 'expect pager<>' 'expect READY>' 'send \x04' 'status 0'
    check "$place: it is an interactive login shell, and Ctrl-D ends it" shell_on $place
    prompt "send sh -c 'echo go-\$((1+1)); exec sleep $nap'\\r" 'expect go-2' 'send \x03' \
        'expect READY>' 'send echo code-$?-end\r' 'expect code-130-end' 'send exit\r' 'status 0'
    check "$place: Ctrl-C is for what runs there" shell_on $place
    check 'nothing of it runs' within 10 none_runs "$nap"
    prompt "send sh -c 'echo go-\$((1+1)); exec sleep $nap'\\r" 'expect go-2' 'send \x1a' \
        'expect Stopped' 'expect READY>' 'send kill %1; fg; exit 9\r' 'status 9'
    check "$place: Ctrl-Z stops what runs there, and fg has it back" shell_on $place
    prompt "send sh -c 'echo go-\$((1+1)); exec cat -A'\\r" 'expect go-2' \
        'send \x1b[A\xc3\xa4\x01\r' 'expect ^[[AM-CM-$^A$' 'send \x04' 'expect READY>' \
        'send exit 3\r' 'status 3'
    check "$place: keys of more than one byte arrive" shell_on $place
    prompt 'send kill -KILL $$\r' "expect $place: killed by SIGKILL" 'status 137'
    check "$place: a shell that is killed is told" shell_on $place
    steps 'send echo "$PWD+$A"; exit\r' 'expect /tmp+x y' 'status 0'
    check "$place: folder and variables are set" shell_on $place -C /tmp -e 'A=x y'

    prompt "send sh -c 'echo go-\$((1+1)); exec cat'\\r" 'expect go-2' \
        'send ~~one\r' 'expect ~one' 'expect ~one' \
        'send two~.\r' 'expect two~.' 'expect two~.' 'send ~x\r' 'expect ~x' 'expect ~x' \
        'send ~?' 'expect ends the connection' 'send ~' 'send .' \
        "expect $place: connection closed" 'status 255'
    check "$place: behind Enter ~~ is a tilde, ~? helps and ~. leaves" shell_on $place
    steps 'echo off' 'send ~.' "expect $place: connection closed" 'status 255'
    check "$place: ~. is heard as the first keys, too" shell_on $place
done

steps 'expect 33 101' 'size 40 120' 'expect 40 120' 'status 0'
check 'the window of exec --pty follows ours' on_terminal "$SBX" exec --pty local \
    'stty size; until [ "$(stty size)" = "40 120" ]; do sleep .05; done; stty size'

tmux -L "sbxt$$" -f /dev/null new-session -d -x 90 -y 30 "'$SBX' -F '$SSHD_CONFIG' shell -e HOME='$HOME' t; sleep 60"
in_tmux() {
    tmux -L "sbxt$$" capture-pane -p | grep -q -F -- "$1"
}
keys() {
    tmux -L "sbxt$$" send-keys "$@"
}
keys 'echo up-$((1+1)); stty size' Enter
check 'in tmux it has the size of the pane' within 20 in_tmux '30 90'
keys 'sleep 1000' Enter
keys '~.'
check 'in tmux, ~. leaves' within 20 in_tmux 't: connection closed'
tmux -L "sbxt$$" kill-server
check_end
