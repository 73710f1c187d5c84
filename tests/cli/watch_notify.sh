# watch_notify.sh - a desktop is told, by notify-send or by osascript.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/jobs.sh"
. "$TEST_SUPPORT/watch.sh"
jobs_here
watch_begin

eval "$(dbus-daemon --session --fork --print-address=1 --print-pid=1 |
    { read -r address; read -r pid; echo "DBUS_SESSION_BUS_ADDRESS='$address'; dogs=\"\$dogs $pid\""; })"
export DBUS_SESSION_BUS_ADDRESS
/usr/bin/python3 "$TEST_SUPPORT/notifyd.py" >"$T/shown" 2>"$T/notifyd.err" &
dogs="$dogs $!"
within 10 grep -q ready "$T/shown"

# A watch by a watchdog that is there already: no other is started.
dog
within 10 dog_runs
shown() {
    grep -q "$1" "$T/shown"
}
id=$(start --no-terminal -n 'train <b>&' local 'sleep 1; exit 3')
watch --notify local "$id" >/dev/null
check 'a job that failed is shown' within 20 shown failed
check '  with place, kind and what became of it' equal "$(grep failed "$T/shown" | jq -c '[.app, .summary, .urgency]')" \
    '["sbx","local: failed",2]'
check '  in which a name is no markup' contains "$(grep failed "$T/shown" | jq -r .body)" 'train &lt;b>&amp; on local: failed: exited 3'
check '  and its start is not shown' equal "$(grep -c started "$T/shown")" 0
id=$(start --no-terminal local 'sleep 1')
watch --notify local "$id" >/dev/null
check 'one that completed is shown too' within 20 shown completed
check '  and does not stay' equal "$(grep completed "$T/shown" | jq .urgency)" 1
kill "$DOG"
wait "$DOG"

# Without notify-send, the way of macOS.
all_programs "$T/bin" notify-send
cat >"$T/bin/osascript" <<END
#!/bin/sh
printf '%s|' "\$@" >"$T/osa.new" && mv "$T/osa.new" "$T/osa"
END
chmod 755 "$T/bin/osascript"
PATH=$T/bin dog
within 10 dog_runs
id=$(start --no-terminal -n 'x "; do shell script' local 'exit 4')
watch --notify local "$id" >/dev/null
check 'osascript is asked where notify-send is not' within 20 test -e "$T/osa"
check '  with texts as arguments, not as script' contains "$(cat "$T/osa")" 'end run|local: failed|x "; do shell script on local: failed: exited 4'
check_end
