# outcome_lost.sh - what `outcome` tells of commands that lost their client: by every way to
# lose it, with every kind of login, and where nothing can be noted.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/proxy.sh"

sshd_user far /bin/sh
FAR_HOME=$SSHD_HOME
sshd_user fish "$(command -v fish)"
sshd_user csh "$(command -v tcsh)"
sshd_user box /bin/sh
BOX=$SSHD_USER
busybox_root || sshd_fail "cannot make a BusyBox root"
BOX_HOME=$BUSYBOX_ROOT$SSHD_HOME
as_root mkdir -p "$BOX_HOME"
as_root chown "$BOX:" "$BOX_HOME"
sshd_start "Match User $BOX
ChrootDirectory $BUSYBOX_ROOT"
proxy_start "$SSHD_PORT"
FAR_USER=$(awk '$1 == "far" { print $2 }' "$SSHD_DIR/users")
sshd_alias cut "$FAR_USER" "$PROXY_PORT" >>"$SSHD_CONFIG"
work=$SSHD_DIR/work
mkdir "$work" && chmod 1777 "$work"
XDG_STATE_HOME=$SSHD_DIR/state
export XDG_STATE_HOME
unset REMOTE_SANDBOX_LIST REMOTE_HOST

run() {
    timeout -k 5 60 "$SBX" -F "$SSHD_CONFIG" "$@" </dev/null >"$work/out" 2>"$work/err"
    status=$?
    out=$(cat "$work/out")
    err=$(cat "$work/err")
}

# of FIELD ...: those of the last outcome that was asked for as JSON.
of() {
    jq -c "[$1]" "$work/out"
}
state_is() {
    run --json outcome "$id" "$place"
    [ "$(of .state)" = "[\"$1\"]" ]
}

# begin PLACE OPTION...: a command that says its id and pid in its output, and ends as the
# file `go` says, in a folder that it is given. Sets client, id and pid.
begin() {
    place=$1
    shift
    rm -f "$work/go" "$work/said"
    "$SBX" -F "$SSHD_CONFIG" exec "$@" "$place" \
        "echo \$SBX_RUN \$\$; while [ ! -e $WAIT ]; do sleep 0.1; done; . $WAIT" \
        >"$work/said" 2>"$work/begin.err" </dev/null &
    client=$!
    within 20 test -s "$work/said" || cat "$work/begin.err"
    read -r id pid <"$work/said"
}
WAIT=$work/go

server_of() {
    awk '/^PPid:/ { print $2 }' "/proc/$1/status"
}

# lose HOW: takes the client away.
lose() {
    case $1 in
    cut) proxy_say cut ;;
    client) kill -KILL $client ;;
    server)
        for child in $(process_tree "$SSHD_PID"); do
            [ "$child" = "$SSHD_PID" ] || ! grep -q '^sshd: ' "/proc/$child/cmdline" 2>/dev/null ||
                as_root kill -KILL "$child" 2>/dev/null
        done
        ;;
    esac
    wait $client 2>/dev/null
}

for how in cut client server; do
    target=far
    [ "$how" != cut ] || target=cut
    for option in --stdin --keep-outcome; do
        begin $target $option
        [ $target = far ] || place=far
        check "$how $option: it runs first" state_is running
        check '... as that pid' equal "$(of '.pid, .survivors')" "[$pid,[]]"
        lose $how
        check "$how $option: then it was killed" within 8 state_is killed
        check '... for its client is gone, and all of it is dead' equal \
            "$(of '.cause, .confirmed_dead, .survivors')" '["client_gone",true,[]]'
    done

    begin $target --detach-on-hangup
    [ $target = far ] || place=far
    lose $how
    check "$how --detach-on-hangup: it runs on" state_is running
    check '... as that pid' equal "$(of .pid)" "[$pid]"
    echo 'exit 137' >"$work/go.new" && mv "$work/go.new" "$work/go"
    check '... and how it ended is told' within 8 state_is exited
    check '... exactly' equal "$(of '.exit_code, .signal, .cause')" '[137,null,null]'
done
rm -f "$work/mine"
"$SBX" -F "$SSHD_CONFIG" --json exec cut "echo \$\$ >$work/mine; sleep 1000" >"$work/lost" 2>"$work/noted" </dev/null &
client=$!
within 20 test -s "$work/mine"
lose cut
check 'a lost one names the command that asks' equal "$(jq -r .error.fix "$work/lost")" \
    "sbx outcome $(jq -r .run_id "$work/lost") cut"

# One that printed nothing and was lost is known here by its id all the same.
id=$(jq -r .run_id "$work/lost")
place=far
check '... and it was killed' within 8 state_is killed
run outcome last far
check 'the last is what was lost' contains "$out" \
    "run $id on far: was killed because its client was gone"

# A kept one in every kind of login: the ends that a shell cannot tell apart.
for place in far fish csh box; do
    for end in 'exit 0' 'exit 137' 'kill -KILL $$'; do
        run --json exec --keep-outcome $place "$end"
        id=$(jq -r .run_id "$work/out")
        here=$(of '.exit_code, .signal')
        run --json outcome "$id"
        check "$place: '$end' is told there as here" equal "$(of '.exit_code, .signal')" "$here"
        case $end in
        exit*) check '... an exit' equal "$(of .state)" '["exited"]' ;;
        kill*) check '... a signal' equal "$(of .state)" '["signaled"]' ;;
        esac
    done
    printf 'some\ninput' >"$work/in"
    "$SBX" -F "$SSHD_CONFIG" exec --keep-outcome --stdin $place 'cat; echo bad >&2' \
        <"$work/in" >"$work/got" 2>"$work/err"
    check "$place: streams come through" equal "$(cat "$work/got")+$(cat "$work/err")" 'some
input+bad'
done
for place in fish csh box; do
    WAIT=/nowhere
    begin $place
    lose client
    check "$place: one whose client was killed was killed" within 8 state_is killed
    check '... and all of it is dead' equal "$(of .confirmed_dead)" '[true]'
done

# The notes: whose they are, and for how long.
place=far
run exec --keep-outcome far 'true kept-word; exit 3'
run --json outcome last
id=$(jq -r .run_id "$work/out")
notes=$FAR_HOME/.local/state/sbx/runs
check 'the folder is its owner'"'s alone" equal "$(as_root stat -c '%a %U' "$notes")" "700 $FAR_USER"
check '... and so is what is in it' equal "$(as_root find "$notes" -type f ! -perm 600)" ''
check '... which tells nothing of the command' equal \
    "$(as_root grep -rl kept-word "$notes")" ''
as_root touch -d '25 hours ago' "$notes/$id.run" "$notes/$id.end"
run outcome "$id"
check 'a day later there is no trace' equal "$status" 1
check '... and that is said' contains "$out" 'its end was told when it ended'
check '... and the notes are gone' equal "$(as_root find "$notes" -name "$id*")" ''
as_root touch -d '25 hours ago' "$notes/ffffffffffffffffffffffffffffffff.end"
run exec --keep-outcome far true
check 'the next run sweeps too' as_root test ! -e "$notes/ffffffffffffffffffffffffffffffff.end"
check 'what ended well and was not kept left nothing' equal \
    "$(run exec far true; as_root find "$notes" -newer "$work/err" -type f)" ''

# Nowhere to note it: no run is hindered.
as_root chmod 755 "$BUSYBOX_ROOT/tmp"
hindered() {
    run --json exec --keep-outcome box 'echo out; exit 5'
    check "$1: the run is not hindered" equal "$(of '.end, .exit_code, .stdout')" '["exited",5,"out\n"]'
    run outcome "$(jq -r .run_id "$work/out")"
    check '... and leaves no trace' equal "$status" 1
}
as_root rm -rf "$BOX_HOME/.local" && as_root chown 0:0 "$BOX_HOME"
as_root mount -t tmpfs -o "size=16k,mode=755,uid=$(id -u "$BOX")" tmpfs "$BOX_HOME" || exit 1
as_root sh -c "mkdir -p '$BOX_HOME/.local/state/sbx/runs'; chown -R $BOX: '$BOX_HOME/.local'; cat /dev/zero >'$BOX_HOME/full'" 2>/dev/null
hindered 'a full disk'
WAIT=/nowhere
begin box
lose client
check '... and it is killed with its client as ever' within 8 is_gone "$pid"
as_root umount -l "$BOX_HOME"
hindered 'a home that cannot be written'
as_root chmod 1777 "$BUSYBOX_ROOT/tmp"
run --json exec --keep-outcome box 'kill -KILL $$'
run --json outcome "$(jq -r .run_id "$work/out")"
check 'where only a folder for temporary files is ours it is noted there' equal "$(of '.state, .signal')" \
    '["signaled","KILL"]'

# What never was.
run --json outcome 00000000000000000000000000000000 far
check 'a run that never started has no trace' equal "$status $(of .state)" '1 ["no_trace"]'
sshd_stop
sshd_start 'MaxSessions 0'
run --json exec far true
check 'one that was refused names no run' equal "$(of '.end, .run_id')" '["not_started",null]'
proxy_stop
check_end
