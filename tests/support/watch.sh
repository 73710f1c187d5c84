# watch.sh - watchdogs of a test's own, for shell tests of the program.
#
#     . "$(dirname "$0")/lib.sh"; . "$TEST_SUPPORT/sshd.sh"; . "$TEST_SUPPORT/jobs.sh"
#     . "$TEST_SUPPORT/watch.sh"
#     jobs_begin                      or jobs_here
#     watch_begin                     behind those: what is started here ends with the test
#     dog [OPTION...]                 a watchdog in the background, DOG is its pid
#     check '...' equal "$(kinds ID)" 'started completed'

watch_end() {
    for pid in $dogs $(jq -r 'select(.pid > 0) | .pid' "$T/watch-status" 2>/dev/null); do
        kill -KILL "$pid" 2>/dev/null
    done
    jobs_end
}

# The one that a start made, too, whatever the test came to.
watch_ended() {
    "$SBX" --json watch status >"$T/watch-status" 2>/dev/null
    watch_end
}

watch_begin() {
    dogs=
    trap watch_ended EXIT
}

# Looks every half second, so that nothing is waited for.
dog() {
    "$SBX" -v watch run --interval 0.5 "$@" >>"$T/dog.out" 2>>"$T/dog.err" &
    DOG=$!
    dogs="$dogs $DOG"
}

dog_runs() {
    "$SBX" watch status >/dev/null
}

# Watched, as a start that is not watched leaves it.
watch() {
    sbx watch add "$@"
}

once() {
    sbx watch run --once
}

# The kinds of the events of a job, in order.
kinds() {
    "$SBX" --json watch events -a --job "$1" | jq -r .kind | tr '\n' ' ' | sed 's/ $//'
}

told_of() {
    kinds "$1" | grep -qw "$2"
}
