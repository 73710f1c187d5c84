# job_clock.sh - a clock that is set while a job runs, and while a watchdog waits: nothing ends
# early, late or twice, and nothing is told wrong.
#
# The clock of the far side is what `date` says there, so it is set by a date of our own. The
# watchdog goes by the wall clock in one thing alone, when a delivery is tried again; to set
# that moment in the ledger is the same as to set the clock.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/jobs.sh"
. "$TEST_SUPPORT/watch.sh"
jobs_here
watch_begin

mkdir "$T/bin"
real=$(command -v date)
cat >"$T/bin/date" <<END
#!/bin/sh
case "\$*" in +%s) echo \$((\$($real +%s) + \$(cat $T/step))) ;; *) exec $real "\$@" ;; esac
END
chmod +x "$T/bin/date"
PATH=$T/bin:$PATH
set_clock() {
    echo "$1" >"$T/step"
}
set_clock 0
states() {
    sbx --json job ls local | jq -r '.state' | sort -u | tr '\n' ' '
}
elapsed() {
    echo $(($($real +%s) - begun))
}

for step in 3600 -3600; do
    set_clock 0
    begun=$($real +%s)
    ends=$(start --no-terminal local "until [ -e '$T/go$step' ]; do sleep 0.1; done; exit 7")
    long=$(start --no-terminal -t 300 local 'exec sleep 300')
    limited=$(start --no-terminal -t 8 local 'exec sleep 300')
    check "three jobs run, before a clock is set by $step s" equal "$(states)" 'running '
    set_clock "$step"
    check "  after it is set they run" equal "$(field local "$ends" state) $(field local "$long" state)" 'running running'
    run -F none job ls local
    check '  and none is of an age below nothing' equal "$status $(echo "$out" | grep -c -- ' -[0-9]')" '0 0'
    : >"$T/go$step"
    check '  one that ends is told as it ended' equal "$(told local "$ends")" 'exited 7 - -'
    check '  a limit ends another' equal "$(told local "$limited")" 'stopped - TERM -'
    check "  when it is over ($(elapsed) s)" test "$(elapsed)" -lt 60
    check '  and no sooner than that' equal "$(is local "$long" running && echo it runs)" 'it runs'
    sbx job stop -k 1 local "$long" >/dev/null
    for job in "$ends" "$limited" "$long"; do sbx job rm local "$job"; done
done
# A start that was cut off is not taken for one that is about to begin.
set_clock 0
id=$(start --no-terminal local true)
told local "$id" >/dev/null
rm -r "$XDG_STATE_HOME/sbx/jobs/$id"/run.*
set_clock -3600
check 'a start that was cut off is told so, whatever the clock says' equal "$(field local "$id" '| [.state, .lost_by] | join(" ")')" 'lost unstarted'
sbx job rm local "$id"

# The watchdog: one failing delivery, put off; then the clock is set.
mkdir "$T/hook"
python3 "$TEST_SUPPORT/hook.py" "$T/hook" 3 &
dogs="$dogs $!"
within 10 test -s "$T/hook/port"
hook=http://127.0.0.1:$(cat "$T/hook/port")/
put_off() {
    python3 - "$XDG_STATE_HOME/sbx/ledger.db" "$1" <<'END'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], timeout=20)
db.execute("UPDATE delivery SET next_ms = next_ms + ? WHERE state = 0 AND next_ms > 0", (int(sys.argv[2]) * 1000,))
db.commit()
END
}
delivered() { [ "$(sbx --json watch status | jq -c '[.waiting, .undelivered]')" = '[0,0]' ]; }
waits() { [ "$(python3 -c 'import sqlite3, sys
print(sqlite3.connect(sys.argv[1]).execute("SELECT count(*) FROM delivery WHERE state = 0 AND next_ms > 0").fetchone()[0])' "$XDG_STATE_HOME/sbx/ledger.db")" -gt 0 ]; }
set_clock 0
id=$(start --no-terminal local "until [ -e '$T/end' ]; do sleep 0.1; done; exit 3")
dog
within 10 dog_runs
watch --webhook "$hook" local "$id" >/dev/null
check 'what could not be told is put off' within 10 waits
put_off 3600
set_clock -3600
check 'a clock that is set back an hour holds nothing up' within 20 delivered
set_clock 3600
: >"$T/end"
check 'an end is told whatever the clock says' within 20 told_of "$id" failed
check '  once' equal "$(kinds "$id")" 'started failed'
check '  and delivered' within 10 delivered
check '  each event under one id' equal "$(jq -r '.headers["x-sbx-event-id"]' "$T"/hook/*.json | sort -u | wc -l)" 2
check_end
