# docker.sh - an engine of the test's own, with an image of BusyBox, for shell tests.
#
#     . "$TEST_SUPPORT/docker.sh"     after sshd.sh
#     docker_start                    needs SSHD_DIR
#     docker_lab                      the same, with a state and a list of hosts of its own
#     docker_far [NAME]               behind it: a host, `far`, that is this machine through SSH
#     docker run ... sbxt:1 ...
#
# DOCKER_WAY=command before that: no socket of an engine is used, but its command line.
#
# It sets DOCKER_DIR, DOCKER_HOST (exported) and DOCKER_IMAGE, a folder with the image's
# root. A test that sets a trap of its own for EXIT calls docker_cleanup in it, before
# sshd_cleanup. The engine has a network of its own, where it changes nobody's; its
# containers have none but --network none and host.

. "$TEST_SUPPORT/image.sh"

DOCKER_DIR=

docker() { as_root /usr/bin/docker "$@"; }
docker_answers() { docker version >/dev/null 2>&1; }

# The engine itself; again, once it was killed.
docker_engine() {
    as_root rm -f "$DOCKER_DIR/pid" "$DOCKER_DIR/exec/containerd/containerd.pid"
    as_root nsenter --net=/run/netns/$DOCKER_NET dockerd --data-root "$DOCKER_DIR/data" \
        --exec-root "$DOCKER_DIR/exec" --pidfile "$DOCKER_DIR/pid" -H "$DOCKER_HOST" \
        --bridge=none --iptables=false --shutdown-timeout 1 >"$DOCKER_DIR/log" 2>&1 </dev/null &
    within 60 docker_answers || { tail -n 5 "$DOCKER_DIR/log"; sshd_fail 'docker does not start'; }
}

docker_start() {
    DOCKER_DIR=$SSHD_DIR/engine
    DOCKER_HOST=unix://$DOCKER_DIR/socket
    DOCKER_IMAGE=$SSHD_DIR/image
    DOCKER_NET=sbxt$$
    export DOCKER_HOST
    unset DOCKER_CONTEXT
    [ "${DOCKER_WAY-}" != command ] || export DOCKER_CONTEXT=default
    mkdir -p "$DOCKER_DIR"
    as_root ip netns add $DOCKER_NET && as_root ip -n $DOCKER_NET link set lo up
    docker_engine
    busybox_image "$DOCKER_IMAGE" | docker import - sbxt:1 >/dev/null
}

docker_cleanup() {
    [ -n "$DOCKER_DIR" ] || return 0
    for box in $(docker ps -aq 2>/dev/null); do
        docker rm -f "$box" >/dev/null 2>&1
    done
    [ ! -s "$DOCKER_DIR/pid" ] || {
        DOCKER_PID=$(cat "$DOCKER_DIR/pid")
        as_root kill "$DOCKER_PID"
        within 20 is_gone "$DOCKER_PID"
    }
    # One that was killed has left its folder mounted on itself.
    while as_root umount "$DOCKER_DIR/data" 2>/dev/null; do :; done
    while as_root umount "$DOCKER_DIR/exec/netns/default" 2>/dev/null; do :; done
    as_root ip netns del "$DOCKER_NET" 2>/dev/null
}

# docker's own client tells a terminal's size a moment after the command has begun.
sized='until stty size 2>/dev/null; do sleep 0.1; done'

docker_lab() {
    XDG_STATE_HOME=$SSHD_DIR/state
    XDG_CONFIG_HOME=$SSHD_DIR/config
    export XDG_STATE_HOME XDG_CONFIG_HOME
    unset REMOTE_SANDBOX_LIST REMOTE_HOST
    mkdir -p "$XDG_CONFIG_HOME/sbx"
    trap 'docker_cleanup; sshd_cleanup' EXIT
    docker_start
}

docker_far() {
    printf '[{"name":"%s","host":"127.0.0.1","port":%s,"user":"%s","key_file":"%s",%s,"env":{"DOCKER_HOST":"%s"}}]' \
        "${1:-far}" "$SSHD_PORT" "$(id -un)" "$SSHD_DIR/key" "$SSHD_TRUST" "$DOCKER_HOST" >"$XDG_CONFIG_HOME/sbx/hosts.json"
}
