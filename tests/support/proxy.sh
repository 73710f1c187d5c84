# proxy.sh - prog_proxy for shell tests: a line that can be slow, cut, dead or refused.
#
#     . "$TEST_SUPPORT/sshd.sh"; . "$TEST_SUPPORT/proxy.sh"
#     sshd_start
#     proxy_start "$SSHD_PORT" --delay 20    sets PROXY_PORT and PROXY_PID
#     proxy_say rate 4000000                 bytes a second, each way
#     proxy_say cut                          returns once it holds; PROXY_ANSWER
#     proxy_stop
#
# Needs sshd.sh ahead of it. The proxy ends with the test, whatever becomes of that.

proxy_has_lines() {
    [ "$(wc -l <"$SSHD_DIR/proxy_out")" -ge "$1" ]
}

# The shell holds the one end of a pipe that matters; descriptor 7 is taken for it.
proxy_start() {
    sshd_folder
    rm -f "$SSHD_DIR/proxy_in" "$SSHD_DIR/proxy_out"
    mkfifo "$SSHD_DIR/proxy_in" || exit 1
    : >"$SSHD_DIR/proxy_out"
    "$SBX_BUILD/tests/prog_proxy" 0 "$@" <"$SSHD_DIR/proxy_in" >>"$SSHD_DIR/proxy_out" &
    PROXY_PID=$!
    exec 7>"$SSHD_DIR/proxy_in"
    PROXY_LINES=1
    within 10 proxy_has_lines 1 || sshd_fail "the proxy does not start"
    PROXY_PORT=$(head -n 1 "$SSHD_DIR/proxy_out")
}

proxy_say() {
    PROXY_LINES=$((PROXY_LINES + 1))
    echo "$*" >&7
    within 10 proxy_has_lines "$PROXY_LINES" || sshd_fail "the proxy does not answer"
    PROXY_ANSWER=$(sed -n "${PROXY_LINES}p" "$SSHD_DIR/proxy_out")
}

proxy_stop() {
    exec 7>&-
    kill "$PROXY_PID" 2>/dev/null
    wait "$PROXY_PID" 2>/dev/null
    return 0
}

# proxy_sshd [OPTION ...]: the hosts of sshd.sh lead through it from here on.
proxy_sshd() {
    proxy_start "$SSHD_PORT" "$@"
    SSHD_PORT=$PROXY_PORT
    sshd_write_config
}
