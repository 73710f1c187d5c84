# computer_rounds.sh - rounds of create, exec and remove leave nothing behind: neither with the
# engine, nor in the process that made them. SBX_ROUNDS tells how many; 1000 take minutes.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/docker.sh"

sshd_start
docker_lab
docker_far
rounds=${SBX_ROUNDS:-15}

# What the engine has: containers, networks, volumes, what serves them, mounts, folders.
under() { pgrep -f "$1" | while read -r pid; do grep -qa "$DOCKER_DIR" "/proc/$pid/cmdline" && echo "$pid"; done 2>/dev/null; }
state() {
    docker ps -aq | wc -l
    docker network ls -q | wc -l
    docker volume ls -q | wc -l
    under containerd-shim | wc -l
    grep -c "$DOCKER_DIR/data/overlay2" "/proc/$(cat "$DOCKER_DIR/pid")/mountinfo"
    as_root ls "$DOCKER_DIR/data/containers" | wc -l
    as_root ls "$DOCKER_DIR/data/overlay2" | wc -l
}
holds() { [ "$(state)" = "$before" ]; }
# A leak is one a round; a warden and what is ready ahead come and go.
steady() {
    awk 'NR == 1 { fds = $1; threads = $2; memory = $3 }
         END { exit !(NR == 2 && $1 <= fds + 3 && $2 <= threads + 1 && $3 <= memory + 16384) }' "$SSHD_DIR/held"
}
before=$(state)
for place in local far; do
    ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=1" timeout "$((60 + rounds * 8))" "$SBX_BUILD/tests/prog_rounds" $place sbxt:1 "$rounds" >"$SSHD_DIR/held" 2>"$SSHD_DIR/err" </dev/null
    check "$place: $rounds computers are made, entered and removed" equal "$? $(cat "$SSHD_DIR/err")" '0 '
    check '  and nothing of them is left with the engine' within 20 holds
    check "  nor in the process that made them ($(tr '\n' ' ' <"$SSHD_DIR/held"))" steady
done
check 'nor is anything noted of them' equal "$(find "$XDG_STATE_HOME/sbx/computers" -name '*.hold' -o -name '*.reset' | wc -l)" 0
check_end
