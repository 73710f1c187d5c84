# podman.sh - a podman of the test's own, with an image of BusyBox, for shell tests.
#
#     . "$TEST_SUPPORT/podman.sh"     after sshd.sh
#     podman_lab                      with a state of its own, in PODMAN_DIR
#     podman_service                  its HTTP API as well; exports CONTAINER_HOST
#     podman run ... localhost/sbxt:1 ...
#
# Or what a podman of another account needs:
#
#     podman_conf                     prints its containers.conf
#     podman_storage vfs GRAPH RUN    and its storage.conf

. "$TEST_SUPPORT/image.sh"

PODMAN_DIR= PODMAN_PID=

podman() { as_root env -u CONTAINER_HOST CONTAINERS_CONF="$CONTAINERS_CONF" CONTAINERS_STORAGE_CONF="$CONTAINERS_STORAGE_CONF" /usr/bin/podman "$@"; }

podman_conf() {
    cat <<'PODMAN_END'
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
PODMAN_END
}

podman_storage() {
    printf '[storage]\ndriver = "%s"\ngraphroot = "%s"\nrunroot = "%s"\n' "$@"
}

podman_cleanup() {
    podman rm -fa >/dev/null 2>&1
    [ -z "$PODMAN_PID" ] || {
        as_root kill "$PODMAN_PID"
        within 20 is_gone "$PODMAN_PID"
    }
    as_root umount "$PODMAN_DIR/graph/overlay" 2>/dev/null
    as_root rm -rf "$PODMAN_DIR"
}

podman_lab() {
    PODMAN_DIR=$(mktemp -d "${TMPDIR:-/tmp}/sbxt.XXXXXX") || exit 1
    trap podman_cleanup EXIT
    CONTAINERS_CONF=$PODMAN_DIR/containers.conf
    CONTAINERS_STORAGE_CONF=$PODMAN_DIR/storage.conf
    XDG_STATE_HOME=$PODMAN_DIR/state
    XDG_CONFIG_HOME=$PODMAN_DIR/config
    export CONTAINERS_CONF CONTAINERS_STORAGE_CONF XDG_STATE_HOME XDG_CONFIG_HOME
    unset REMOTE_SANDBOX_LIST REMOTE_HOST CONTAINER_HOST
    podman_conf >"$CONTAINERS_CONF"
    podman_storage overlay "$PODMAN_DIR/graph" "$PODMAN_DIR/run" >"$CONTAINERS_STORAGE_CONF"
    busybox_image "$PODMAN_DIR/image" | podman import - sbxt:1 >/dev/null 2>&1
}

podman_service() {
    CONTAINER_HOST=unix://$PODMAN_DIR/socket
    as_root sh -c 'echo $$ >"$0"; exec "$@"' "$PODMAN_DIR/pid" \
        env CONTAINERS_CONF="$CONTAINERS_CONF" CONTAINERS_STORAGE_CONF="$CONTAINERS_STORAGE_CONF" \
        /usr/bin/podman system service --time=0 "$CONTAINER_HOST" >"$PODMAN_DIR/log" 2>&1 </dev/null &
    export CONTAINER_HOST
    within 30 test -S "$PODMAN_DIR/socket" || sshd_fail 'the service of podman does not start'
    PODMAN_PID=$(cat "$PODMAN_DIR/pid")
}
