# watch_run.sh - watchdogs that are many, are killed, and look at a host that freezes.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/jobs.sh"
. "$TEST_SUPPORT/watch.sh"
jobs_begin
watch_begin
sshd_user sh /bin/sh
printf 'Host *\n    ServerAliveInterval 1\n    ConnectTimeout 2\n' >>"$SSHD_CONFIG"

dog
first=$DOG
within 10 dog_runs
check 'a watchdog runs' equal "$(sbx --json watch status | jq -c '[.running, .pid]')" "[true,$first]"
run watch run
check 'another one is told so' equal "$status $err" "1 $program: watch: a watchdog runs already, as process $first"
dog --stand-by
second=$DOG
dog --stand-by

nap=$(nap 81)
id=$(start --no-terminal sh "echo once; exec sleep $nap")
watch sh "$id" >/dev/null
check 'a watch that is added is looked at' within 10 told_of "$id" started

# Frozen, with the job alive.
kill -STOP "$SSHD_PID"
check 'a host that freezes is told of' within 30 told_of "$id" unreachable
check '  and why' contains "$(sbx --json watch show "$id" | jq -r .error)" "'sh'"
kill -CONT "$SSHD_PID"
check 'and that it answers again' within 60 told_of "$id" reachable
check '  each once' equal "$(kinds "$id")" 'started unreachable reachable'
check '  and its job runs once' equal "$(pids_of "sleep $nap" | wc -l) $(sbx job log sh "$id")" '1 once'

# The one at the work is killed: another goes on.
kill -KILL "$first"
next() { dog_runs && [ "$(sbx --json watch status | jq .pid)" != "$first" ]; }
check 'one that stood by takes over' within 10 next
sbx job stop sh "$id" >/dev/null
check 'and tells of the end' within 20 told_of "$id" interrupted
check '  three watchdogs make one event each' equal "$(kinds "$id")" 'started unreachable reachable interrupted'

began=$(date +%s%N)
for pid in $dogs; do
    kill -TERM "$pid" 2>/dev/null
done
wait
check 'a signal ends them within a second' test $((($(date +%s%N) - began) / 1000000)) -lt 1500

# While a place hangs, too.
kill -STOP "$SSHD_PID"
python3 - "$XDG_STATE_HOME/sbx/ledger.db" "$SSHD_CONFIG" <<'END'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("INSERT INTO watch (place, job, ssh_config, settings, interval_ms, made_ms)"
           " VALUES ('sh', 'hung-1', ?, '{}', 0, 0)", (sys.argv[2],))
db.commit()
END
dog
asks() { ss -Htnp "dport = :$SSHD_PORT" | grep -q "pid=$DOG,"; }
check 'a place that hangs is asked' within 20 asks
began=$(date +%s%N)
kill -TERM "$DOG"
wait "$DOG"
check '  and a signal ends the watchdog within a second' equal "$? $((($(date +%s%N) - began) / 1000000 / 1500))" '0 0'
kill -CONT "$SSHD_PID"
sbx watch rm hung-1

# Killed at any moment of its rounds, it loses nothing and doubles nothing.
mkdir "$T/hook"
python3 "$TEST_SUPPORT/hook.py" "$T/hook" &
dogs="$dogs $!"
within 10 test -s "$T/hook/port"
hook=http://127.0.0.1:$(cat "$T/hook/port")/
ids=
for n in 1 2 3 4 5 6; do
    id=$(start --no-terminal sh "sleep 0.$n; exit $n")
    ids="$ids $id"
done
dog --interval 0.1
within 10 dog_runs
for id in $ids; do
    watch --events "$T/events" --webhook "$hook" sh "$id" >/dev/null
done
n=0
while [ $n -lt 25 ]; do
    n=$((n + 1))
    kill -KILL "$DOG" 2>/dev/null
    wait "$DOG" 2>/dev/null
    dog --interval 0.1
    sleep "0.$((RANDOM_STEP = (RANDOM_STEP * 7 + 13) % 30 + 3))"
done 2>/dev/null
kill -KILL "$DOG"
wait "$DOG" 2>/dev/null
once
all_kinds() {
    for id in $ids; do
        kinds "$id"
        echo
    done | sort | uniq -c | tr -s ' '
}
check 'each end was written once' equal "$(all_kinds)" ' 6 started failed'
check '  and is a file each' equal "$(cd "$T/events" && ls ./*.json | sed 's/^[^-]*-//' | sort | uniq -c | tr -s ' ' | tr -d '\n')" ' 6 failed.json 6 started.json'
check '  none of them cut' equal "$(jq -r .kind "$T"/events/*.json | sort | uniq -c | tr -s ' ' | tr -d '\n')" ' 6 failed 6 started'
check '  and reached the webhook, each under its id' equal "$(jq -r '.headers["x-sbx-event-id"]' "$T"/hook/*.json | sort -u | wc -l)" 12
check '  and nothing is left to be told' equal "$(sbx --json watch status | jq -c '[.watches, .waiting, .undelivered]')" '[0,0,0]'
run audit verify
check 'the ledger is whole' equal "$status" 0

# A ledger that goes ends the watchdog that lives on it.
dog
within 10 dog_runs
rm -f "$XDG_STATE_HOME"/sbx/ledger.db*
gone() { ! kill -0 "$DOG" 2>/dev/null; }
check 'a watchdog ends when its ledger is gone' within 10 gone
check_end
