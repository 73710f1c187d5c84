# outcome.sh - what became of commands of this machine, and how one is named.
. "$(dirname "$0")/lib.sh"

refuses 'no run at all' 'no RUN_ID given' outcome
refuses 'what is no id of a run' "'xyz' is no run id, which has 32 hex digits" outcome xyz
check 'where one is found is told' contains "$err" 'sbx exec -v'
refuses 'a run of which nothing is known here' \
    "run '00000000000000000000000000000000': on which place it was is not known here" \
    outcome 00000000000000000000000000000000
check 'what is missing is told' contains "$err" 'name the place'
run outcome 00000000000000000000000000000000 local
check 'without a trace the status is 1' equal "$status" 1
check '... and that is said' contains "$out" 'no trace of it there'
run exec --keep-outcome local 'exit 137'
check 'the status of a kept one is its own' equal "$status" 137
run outcome last
check 'how it ended is told' contains "$out" ' on local: exited with status 137, '
check '... with status 0' equal "$status" 0
run --json outcome last
check 'as JSON' equal "$(jq -c '[.place, .state, .exit_code, .signal, .cause, .confirmed_dead, .pid, .survivors]' "$T/out")" \
    '["local","exited",137,null,null,null,null,[]]'
short=$(jq -r .run_id "$T/out" | cut -c 1-8)
run outcome "$short"
check 'the first digits will do' contains "$out" 'exited with status 137'
run exec local 'echo x'
run outcome last
check 'one that was told and not kept is known to have been told' contains "$out" \
    'its end was told when it ended'
run --json exec -t 1 local 'sleep 1000'
id=$(jq -r .run_id "$T/out")
asked() {
    run outcome "$id" local
    contains "$out" 'was killed as its client asked' >/dev/null
}
check 'one that timed out was killed as we asked' within 8 asked

# One that is killed while it is asked for, between the look at what lives and at the notes.
"$SBX" -F none exec --detach-on-hangup local 'echo $SBX_RUN $$; exec sleep 1000' >"$T/said" 2>/dev/null </dev/null &
within 10 test -s "$T/said"
read -r id pid <"$T/said"
mkdir "$T/late"
cat >"$T/late/find" <<END
#!/bin/sh
kill -KILL $pid
echo "killed $(date +%s) asked running" >'$XDG_STATE_HOME/sbx/runs/$id.killed'
exec /usr/bin/find "\$@"
END
chmod 755 "$T/late/find"
run outcome "$id" local
check 'a run that is asked for runs' contains "$out" ': runs, pid '
PATH=$T/late:$PATH run --json outcome "$id" local
check 'one that is killed meanwhile has not survived it' equal \
    "$(jq -c '[.state, .confirmed_dead, .survivors]' "$T/out")" '["killed",true,[]]'

# One whose client is killed, and one that does not mind.
far=$(nap 4077)
for option in --stdin --detach-on-hangup; do
    "$SBX" -F none exec $option local "echo \$SBX_RUN; sleep $far" >"$T/said" 2>/dev/null </dev/null &
    client=$!
    within 10 test -s "$T/said"
    kill -KILL $client
    wait $client 2>/dev/null
    id=$(cat "$T/said")
    run outcome "$id" local
    if [ $option != --stdin ]; then
        check "$option: it runs" contains "$out" ': runs, pid '
        break
    fi
    check "$option: it runs for a moment, or was killed" expr "$out" : \
        '.*: runs, pid \|.*: was killed because' >/dev/null
    killed() {
        run outcome "$id" local
        contains "$out" ': was killed because its client was gone' >/dev/null
    }
    check '... until it was killed' within 8 killed
    check '... and all of it is dead' contains "$out" '; all of it is dead'
done
check 'a detached one runs on' one_runs "sleep $far"
kill $(pids_of "sleep $far") 2>/dev/null
ended() {
    run outcome "$id"
    contains "$out" 'exited with status 143' >/dev/null || contains "$out" 'SIGTERM' >/dev/null
}
check '... and how it ended is told, without its place' within 8 ended
check_end
