# job_many.sh - a hundred jobs of a host are one question; of a host that is gone it is told
# which are there, and since when it is.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/jobs.sh"
. "$TEST_SUPPORT/watch.sh"

sshd_folder
sshd_user u /bin/sh
jobs_begin 'LogLevel VERBOSE'
watch_begin
id=$(start --no-terminal --id first u 'exit 3')
check 'one job has ended' equal "$(told u first)" 'exited 3 - -'
jobs=$SSHD_HOME/.local/state/sbx/jobs
as_root sh -c "cd '$jobs' && for n in \$(seq 2 100); do
    cp -a first job-\$n && find job-\$n -type f ! -name runner ! -name script ! -name env ! -name log -exec sed -i \"s/ first\\b/ job-\$n/\" {} +
done"
# Sessions of the server that a command takes; the last one may be under way yet when the
# command is over.
nobody_is_in() {
    [ -z "$(cat /proc/"$SSHD_PID"/task/*/children)" ]
}
sessions() {
    within 10 nobody_is_in
    before=$(as_root grep -c 'Starting session' "$SSHD_LOG")
    "$@" >/dev/null
    within 10 nobody_is_in
    echo $(($(as_root grep -c 'Starting session' "$SSHD_LOG") - before))
}
sbx --json job ls u >"$T/listed"
check 'a hundred jobs are listed' equal "$(jq -r .state "$T/listed" | sort | uniq -c | tr -s ' ')" ' 100 exited'
check '  each by its id' equal "$(jq -r .id "$T/listed" | sort -u | wc -l)" 100
check '  in one question, as many as `true` is' equal "$(sessions sbx job ls u)" "$(sessions sbx exec u true)"

id=$(start --no-terminal --id last u 'sleep 60')
watch u "$id" >/dev/null
once
check 'a job that runs is watched' equal "$(kinds "$id")" started
sbx job stop -k 1 u "$id" >/dev/null
sshd_stop
once
once
check 'that its host is gone is an event' equal "$(kinds "$id")" 'started unreachable'
run -F "$SSHD_CONFIG" --json job ls u
check 'of a host that is gone its watched job is told' equal "$status $(jq -c '[.id, .state]' "$T/out")" '255 ["last","unreachable"]'
at=$(jq .unreachable_at "$T/out")
check '  with since when' test "$at" -le "$(date +%s)" -a "$at" -gt "$(($(date +%s) - 200))"
check '  and why' contains "$(jq -r .error.text "$T/out")" "'u'"
run -F "$SSHD_CONFIG" job ls u
check '  in words too' contains "$out" 'unreachable for '
run -F "$SSHD_CONFIG" job show u last
check 'so it is when it is asked for by its id' contains "$status $out" '255 u '
check_end
