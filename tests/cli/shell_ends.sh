# shell_ends.sh - however a shell ends: that is told, and the terminal is put back.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
sshd_start
trap 'sshd_cleanup; rm -rf "$T"' EXIT
nap=$(nap 77)

for place in local t; do
    prompt 'echo off' 'send exit 5\r' 'expect back 5' 'echo on' 'send \r' 'status 0'
    check "$place: the terminal is as before after the shell" shell_and_back $place
    prompt 'send \r~.' 'expect back 255' 'echo on' 'send \r' 'status 0'
    check "$place: and after ~." shell_and_back $place
    for signal in TERM HUP INT; do
        prompt 'echo off' "send kill -$signal \$PROGRAM_PID\\r" "expect $place: hung up" \
            'expect back 130' 'echo on' 'send \r' 'status 0'
        check "$place: and after a SIG$signal" on_terminal sh -c \
            "sh -c 'exec \"\$@\" -e PROGRAM_PID=\$\$ $place' sh '$SBX' -F '$SSHD_CONFIG' shell -e HOME='$HOME'
            echo back \$?; read -r x"
    done

    prompt "send sleep 3$nap & sh -c 'trap \"\" HUP; echo go-\$((1+1)); exec sleep $nap' &\\r" \
        'expect go-2' 'send \r~.' 'expect connection closed' 'status 255'
    check "$place: ~. leaves" shell_on $place
    check 'what heeds a hangup is gone' within 10 none_runs "sleep 3$nap"
    check 'what heeds none goes on' one_runs "sleep $nap"
    kill $(pids_of "sleep $nap")
    prompt "send sleep 3$nap &\\r" 'expect READY>' 'close' 'status 130'
    check "$place: a window that is closed ends the shell" shell_on $place
    check 'and what it ran' within 10 none_runs "sleep 3$nap"
done

# The server of the connection is the parent of the shell's process over there.
prompt "send sh -c 'trap \"\" HUP; echo go-\$((1+1)); exec sleep $nap' &\\r" 'expect go-2' \
    'send kill -KILL $PPID\r' 'expect t: connection lost: ' 'expect back 255' 'echo on' \
    'send \r' 'status 0'
check 'a connection that breaks is told, and the terminal is as before' shell_and_back t
check 'what heeds no hangup goes on' one_runs "sleep $nap"
kill $(pids_of "sleep $nap")

sed -i 's/^Host t$/&\n    ServerAliveInterval 1/' "$SSHD_CONFIG"
prompt 'send echo $PPID >'"$T/server"'; kill -STOP $PPID\r' 'expect t: connection lost: ' \
    'expect back 255' 'echo on' 'send \r' 'status 0'
check 'a line that is dead is found' shell_and_back t
kill -KILL "$(cat "$T/server")"
sed -i 's/ServerAliveInterval 1/ServerAliveInterval 1000/' "$SSHD_CONFIG"
prompt 'send echo $PPID >'"$T/server"'; echo go-$((1+1))\r' 'expect go-2' \
    "run kill -STOP \$(cat $T/server)" 'again \r~.' \
    'expect t: connection closed' 'status 255'
check '~. leaves a line that is dead' shell_on t
kill -KILL "$(cat "$T/server")"
check_end
