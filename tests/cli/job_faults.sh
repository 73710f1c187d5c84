# job_faults.sh - clients and servers that die or freeze: a job lives on, and is started once.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/jobs.sh"

sshd_folder
sshd_user sh /bin/sh
jobs_begin

# Clients that die.
for way in '' --no-terminal; do
    nap=$(nap 64)
    id=$(start $way sh "echo begin; sleep 1; echo end; exec sleep $nap")
    sbx job log -f sh "$id" >/dev/null &
    pid=$!
    kill -9 $pid
    pkill -9 -f -- "job log -f sh $id"
    check "a client that is killed ends no job ${way:-in tmux}" within 10 one_runs "$nap"
    sshd_stop
    check '  nor does the end of the server' one_runs "$nap"
    jobs_serve
    check '  which is told as running when the server is back' is sh "$id" running
    sbx job stop -k 1 sh "$id" >/dev/null
    check '  and as stopped' equal "$(log_of sh "$id")$(field sh "$id" state)" 'begin end stopped'
done
n=0
for moment in 0.02 0.1 0.2 0.3 0.4 0.5 0.7; do
    n=$((n + 1))
    start --id "cut-$n" sh 'echo once; sleep 0.2' >/dev/null 2>&1 &
    sleep "$moment"
    pkill -9 -f -- "job start .*--id cut-$n sh"
    wait $! 2>/dev/null
    start --id "cut-$n" sh 'echo once; sleep 0.2' >/dev/null
    check "a start killed after $moment s and made again runs once" equal "$(told sh "cut-$n") $(log_of sh "cut-$n")" 'exited 0 - - once '
done

# A server that freezes, once it was asked.
freezing() {
    for child in $(cat /proc/"$SSHD_PID"/task/*/children); do as_root kill "-$1" $(process_tree "$child"); done 2>/dev/null
}
# A login has been let in and has begun a shell: it is under way.
is_asked() {
    for child in $(cat /proc/"$SSHD_PID"/task/*/children); do
        [ "$(process_tree "$child" | wc -l)" -lt 3 ] || return 0
    done 2>/dev/null
    return 1
}
start --id frozen-1 sh 'echo once; sleep 1' >"$T/frozen" 2>&1 &
within 20 is_asked
for child in $(cat /proc/"$SSHD_PID"/task/*/children); do as_root kill -STOP "$child"; done 2>/dev/null
wait $!
check 'a start on a server that freezes is asked again' equal "$(cat "$T/frozen")" frozen-1
freezing CONT
check 'and when it thaws there is no second copy' equal "$(told sh frozen-1) $(log_of sh frozen-1)" 'exited 0 - - once '

# What was killed half way.
jobs=/home/sbxt$$sh/.local/state/sbx/jobs
for left in .new.a.1 .old.b.1 .new.c.1; do
    as_root mkdir "$jobs/$left"
    as_root touch "$jobs/$left/record"
    as_root chown -R "sbxt$$sh:" "$jobs/$left"
done
as_root touch -d '2 days ago' "$jobs/.new.a.1" "$jobs/.old.b.1"
id=$(start sh true)
check 'what a killed start or removal left is gone a day later' equal "$(as_root ls -d "$jobs"/.[no]*)" "$jobs/.new.c.1"
as_root touch -d '2 days ago' "$jobs/.new.c.1"
told sh "$id" >/dev/null
sbx job rm sh "$id"
check '  also when a job is removed' equal "$(as_root ls -d "$jobs"/.[no]* 2>/dev/null)" ''

# Somebody else who asks for the same is quicker.
mkdir "$T/quicker"
printf '#!/bin/sh\n/bin/mv "$@"\nexec /bin/mv "$@"\n' >"$T/quicker/mv"
chmod 755 "$T/quicker/mv"
id=$(start --no-terminal local 'sleep 60')
PATH=$T/quicker:$PATH sbx job stop -k 1 local "$id" >/dev/null
check 'a stop that another has made meanwhile is one' equal "$? $(field local "$id" state)" '0 stopped'
PATH=$T/quicker:$PATH sbx job rm local "$id" 2>"$T/err"
check 'what another has removed meanwhile is not there' equal "$? $(head -n 1 "$T/err")" "1 $program: remove job '$id' on 'local': there is no job of that id"

# A follower whose server goes and comes back.
id=$(start sh 'i=0; while [ $i -lt 60 ]; do i=$((i+1)); echo "line $i"; sleep 0.1; done; printf end')
sbx job log -f sh "$id" >"$T/followed" 2>"$T/err" &
within 10 test -s "$T/followed"
sshd_stop
jobs_serve
wait $!
check 'a follower goes on at the next byte' equal "$? $(cat "$T/err")" '0 '
sbx job log sh "$id" >"$T/whole"
check 'no gap, none twice' cmp "$T/followed" "$T/whole"
check 'to the last byte' equal "$(tail -n 1 "$T/followed")" end
check_end
