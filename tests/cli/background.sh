# background.sh - what a command leaves behind lives on when the program has gone, and
# dies when the program was killed, or its line was cut, in the middle of the command.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
sshd_start
trap 'sshd_cleanup; rm -rf "$T"' EXIT
set -- -F "$SSHD_CONFIG"
kept=$(nap 3077)
lost=$(nap 3078)

for place in local t; do
    run "$@" exec $place "nohup setsid sleep $kept >/dev/null 2>&1 </dev/null & sleep $kept >/dev/null 2>&1 & echo x"
    check "$place: it does not wait for the background" equal "$status $out" '0 x'
    # A watchdog looks once a second, and waits two more for the farewell: that long
    # must pass to see that nothing comes of it.
    sleep 4
    check "$place: the background lives on" equal "$(pids_of "sleep $kept" | wc -l)" 2
    kill $(pids_of "sleep $kept")

    # The command dies by itself of the line it lost; what it started must not stay.
    "$SBX" "$@" exec $place "setsid sleep $lost & yes" >/dev/null 2>&1 </dev/null &
    program_pid=$!
    check "$place: it runs" within 10 one_runs "sleep $lost"
    kill -KILL $program_pid
    wait $program_pid 2>/dev/null
    check "$place: nothing is left of a killed client's" within 20 none_runs "sleep $lost"
done

# A login shell that is slower than the watchdog waits: its farewell is seen all the same.
mkdir "$SSHD_DIR/bin" && chmod 755 "$SSHD_DIR/bin"
printf '#!/bin/sh\nsleep 5\nexec /bin/sh "$@"\n' >"$SSHD_DIR/bin/slow"
chmod 755 "$SSHD_DIR/bin/slow"
sshd_user slow "$SSHD_DIR/bin/slow"
run "$@" exec slow "setsid sleep $kept >/dev/null 2>&1 </dev/null & echo x"
check 'slow: it runs' equal "$status $out" '0 x'
sleep 8
check 'slow: the background lives on' equal "$(pids_of "sleep $kept" | wc -l)" 1
kill $(pids_of "sleep $kept")
check_end
