# job_log.sh - logs of jobs: ranges, the last lines, searches, a limit that keeps both ends.
. "$(dirname "$0")/lib.sh"

sbx() {
    timeout -k 5 60 "$SBX" -F none "$@"
}
start() {
    sbx job start --no-watch --no-terminal "$@"
}
ask() {
    jq -r "$1" "$T/out"
}
over() {
    [ "$(sbx --json job show local "$1" | jq -r .state)" != running ]
}

id=$(start local 'i=0; while [ $i -lt 1000 ]; do i=$((i + 1)); echo "line $i"; done; printf "the end"')
within 20 over "$id"
sbx job log local "$id" >"$T/whole"
check 'a log is whole' equal "$(wc -l <"$T/whole") $(tail -n 1 "$T/whole")" '1000 the end'
check 'a range of bytes' equal "$(sbx job log --bytes 7:20 local "$id")" "$(head -c 20 "$T/whole" | tail -c 13)"
check 'from one byte on' equal "$(sbx job log --bytes 9000: local "$id" | md5sum)" "$(tail -c +9001 "$T/whole" | md5sum)"
check 'the last bytes' equal "$(sbx job log --bytes -7: local "$id")" 'the end'
check 'the last lines' equal "$(sbx job log -n 3 local "$id" | tr '\n' ,)" 'line 999,line 1000,the end'
check 'more lines than there are' equal "$(sbx job log -n 5000 local "$id" | md5sum)" "$(md5sum <"$T/whole")"
check 'behind its end there is nothing' equal "$(sbx job log --bytes 99999: local "$id")" ''
check 'a search' equal "$(sbx job log --grep 'e (7|99)$' local "$id" | tr '\n' ,)" '7:line 7,99:line 99,'
check 'that finds nothing' equal "$(sbx job log --grep nothing local "$id")$?" 0
run -F none job log --grep '(' local "$id"
check 'a pattern that is none is told of' contains "$status $err" "2 $program: read log of job '$id' on 'local': grep does not take the pattern"
run -F none --json job log --bytes 0:6 local "$id"
check 'as JSON, with where to go on' equal "$(ask '[.data, .offset, .next, .size, .ended] | map(tostring) | join(" ")')" \
    "line 1 0 6 $(wc -c <"$T/whole") true"
check 'a follower of one that has ended ends' equal "$(sbx job log -f local "$id" | md5sum)" "$(md5sum <"$T/whole")"
refuses 'a range must be one' "option '--bytes': '9:3' is no range" job log --bytes 9:3 local "$id"

id=$(start local 'printf " 10%%|#   | 20/200 [00:01<01:02:03, 9it/s]\r 46%%|##  | 92/200 [00:10<00:11, 9it/s]\r"; printf "\nepoch 3/10 loss: 0.25\n"')
within 20 over "$id"
check 'what was written over is left out' equal "$(sbx job log --collapse local "$id" | tr '\n' ,)" ' 46%|##  | 92/200 [00:10<00:11, 9it/s],epoch 3/10 loss: 0.25,'
check 'how far it got is told' equal "$(sbx job log --progress local "$id")" '46%, epoch 3 of 10, step 92 of 200, loss 0.25, 11s to go'
run -F none --json job log --progress local "$id"
check 'in numbers too' equal "$(ask '[.percent, .step, .steps, .epoch, .epochs, .loss, .eta_s] | map(tostring) | join(" ")')" '46 92 200 3 10 0.25 11'

is_cut() {
    [ "$(sbx --json job show local "$1" | jq -r .log_cut_to)" != null ]
}
id=$(start --log-limit 128K local 'i=0; while [ $i -lt 40000 ]; do i=$((i + 1)); echo "line $i"; done; until [ -e '"$T"'/go ]; do sleep 0.1; done; echo the end')
check 'a log over its limit loses its middle' within 30 is_cut "$id"
: >"$T/go"
within 20 over "$id"
run -F none job log local "$id"
check 'its head and its tail are there' equal "$(head -n 1 "$T/out") $(tail -n 1 "$T/out")" 'line 1 the end'
check 'what is left out is told' contains "$err" 'bytes are no more kept over there'
check 'no byte of the hole is printed' equal "$(tr -d -c '\0' <"$T/out" | wc -c)" 0
kept=$(wc -c <"$T/out")
check 'no more than the limit is kept' test "$kept" -le $((140 * 1024)) -a "$kept" -gt $((64 * 1024))
folder=$(sbx --json job show local "$id" | jq -r .folder)
check 'nor takes room on the disk' test "$(du -k "$folder/log" | cut -f1)" -le 160
run -F none --json job log local "$id"
check 'offsets are those of the whole' equal "$(ask '.size == .next and .left_out + (.data | length) == .size')" true
check 'the last lines are found behind the hole' equal "$(sbx job log -n 2 local "$id" | tr '\n' ,)" 'line 40000,the end,'
quick=$(start --log-limit 128K local 'head -c 500000 /dev/zero | tr "\0" x')
within 20 over "$quick"
check 'one that is over its limit at its end is cut, too' is_cut "$quick"
all_programs "$T/few" fallocate
few=$(start --log-limit 128K -e "PATH=$T/few" local 'i=0; while [ $i -lt 40000 ]; do i=$((i + 1)); echo "line $i"; done; exec sleep 60')
check 'where fallocate is not, perl takes the middle out' within 30 is_cut "$few"
few_log=$(sbx --json job show local "$few" | jq -r .folder)/log
takes_no_room() { [ "$(du -k "$few_log" | cut -f1)" -le 160 ]; }
check '  so that it takes no room' within 20 takes_no_room
sbx job stop -k 1 local "$few" >/dev/null
check 'so is what is searched for' equal "$(sbx job log --grep '^the end$' local "$id" | cut -d: -f2)" 'the end'
check_end
