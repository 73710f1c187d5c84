# job_resume_faults.sh - those who resume a job at once, die or freeze on the way, or meet one
# who stops it: one generation begins, or none.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/jobs.sh"

jobs_here
id=raced-aaaaaaaa
jobs=$XDG_STATE_HOME/sbx/jobs
nap=$(nap 72)
over() {
    [ -e "$jobs/$id/run.$1/status" ]
}
copies() {
    pids_of "^sleep $nap" | wc -l
}
has_begun() {
    [ "$(copies)" = 1 ]
}
# The generations that the log tells of, and those that wrote into it themselves.
told_of() {
    sbx job log local $id | grep -c '^\[sbx: resumed, '
}
ran() {
    sbx job log local $id | sed -n 's/^gen //p' | tr '\n' ' '
}
end_it() {
    kill -9 $(pids_of "^sleep $nap")
    within 20 over "$1"
}
start --no-terminal --id $id --resume 100 --resume-delay 0.001 local "echo gen \$SBX_JOB_GENERATION; exec sleep $nap" >/dev/null
check 'it runs' within 10 has_begun

# Three at once, again and again.
for g in 1 2 3 4 5; do
    end_it $((g - 1))
    for n in 1 2 3; do
        sbx --json job resume --now local $id >"$T/answer$n" 2>/dev/null &
    done
    wait
    within 10 has_begun
    check "of three at once, round $g, one begins it" equal \
        "$(cat "$T"/answer? | jq -r 'select(.answer == "resumed") | .generation' | tr '\n' ' ')$(copies) $(field local $id generation)" "$g 1 $g"
done
check 'each generation ran once' equal "$(ran) $(told_of)" '0 1 2 3 4 5  5'

# One that is killed, with all that it started, which may be a generation, and one that comes
# after it.
one_more() {
    [ "$1" = 1 ] && [ "$3" -gt "$2" ] && [ "$3" -le $(($2 + 2)) ] || equal "$1 $3" "1 $(($2 + 1))"
}
g=5
for moment in 0.02 0.08 0.14 0.2 0.3 0.4; do
    end_it $g
    sbx job resume --now local $id >/dev/null 2>&1 &
    pid=$!
    sleep "$moment"
    kill -9 $(process_tree $pid) 2>/dev/null
    wait $pid 2>/dev/null
    sbx job resume --now local $id >/dev/null 2>&1
    within 10 has_begun
    before=$g
    g=$(field local $id generation)
    check "after one that was killed at $moment s another makes one generation" one_more "$(copies)" "$before" "$g"
done

# One that is frozen, and goes on when another has done it.
for moment in 0.05 0.15 0.25 0.35; do
    end_it $g
    sbx job resume --now local $id >/dev/null 2>&1 &
    pid=$!
    sleep "$moment"
    frozen=$(process_tree $pid)
    kill -STOP $frozen 2>/dev/null
    timeout 20 "$SBX" -F none job resume --now local $id >/dev/null 2>&1
    kill -CONT $frozen 2>/dev/null
    wait $pid
    g=$((g + 1))
    within 10 has_begun
    check "one that was frozen at $moment s begins no second copy" equal "$(copies) $(field local $id generation)" "1 $g"
done
# One that was killed may not have come to print its number.
check 'no generation ran twice, all through' equal "$(ran | tr ' ' '\n' | sort -n | uniq -d)" ''
check '  and the last is the one that runs' equal "$(ran | awk '{ print $NF }')" "$g"

# One that resumes it and one who stops it, at the same moment: nothing is left running.
is_quiet() { [ "$(copies)" = 0 ]; }
for n in 1 2 3 4; do
    within 10 has_begun
    end_it $g
    sbx job resume local $id >/dev/null 2>&1 &
    sbx job stop -k 1 local $id >"$T/stopped" 2>&1
    wait
    check "who stops it while it is resumed has the last word, round $n" within 10 is_quiet
    answer=$(sbx --json job resume local $id 2>/dev/null | jq -r .answer)
    check '  and it is not resumed again' equal "$answer" stopped
    sbx job resume --now local $id >/dev/null 2>&1
    g=$(field local $id generation)
done
sbx job stop -k 1 local $id >/dev/null
check_end
