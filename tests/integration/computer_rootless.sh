# computer_rootless.sh - computers of an account without rights, on a podman of its own, over
# SSH: by the command line, and by the API of its service.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/podman.sh"

sshd_start
sshd_user ann /bin/sh
ann=$SSHD_USER
grep -q "^$ann:" /etc/subuid || as_root usermod --add-subuids 700000-765535 --add-subgids 700000-765535 "$ann"
XDG_STATE_HOME=$SSHD_DIR/state
XDG_CONFIG_HOME=$SSHD_DIR/config
export XDG_STATE_HOME XDG_CONFIG_HOME
unset REMOTE_SANDBOX_LIST REMOTE_HOST
mkdir -p "$XDG_CONFIG_HOME/sbx"
home=/home/$ann run=/home/$ann/run
printf '[{"name":"ann","host":"127.0.0.1","port":%s,"user":"%s","key_file":"%s",%s,"env":{"XDG_RUNTIME_DIR":"%s"}}]' \
    "$SSHD_PORT" "$ann" "$SSHD_DIR/key" "$SSHD_TRUST" "$run" >"$XDG_CONFIG_HOME/sbx/hosts.json"
as_ann() { as_root setpriv --reuid "$ann" --regid "$ann" --init-groups env -i PATH="$PATH" HOME="$home" XDG_RUNTIME_DIR="$run" "$@"; }
rootless_cleanup() {
    (cd / && as_ann podman rm -fa) >/dev/null 2>&1
    for pid in ${service-} $(as_root cat "$run/libpod/tmp/pause.pid" 2>/dev/null); do as_root kill "$pid"; done
    (cd / && as_ann podman unshare rm -rf "$home/store") >/dev/null 2>&1
    for pid in $(as_root cat "$run/libpod/tmp/pause.pid" 2>/dev/null); do as_root kill "$pid" 2>/dev/null; done
}
trap 'rootless_cleanup; sshd_cleanup' EXIT

as_ann mkdir -p "$run" "$home/.config/containers" "$home/shown"
podman_conf | as_ann tee "$home/.config/containers/containers.conf" >/dev/null
podman_storage vfs "$home/store" "$run/containers" |
    as_ann tee "$home/.config/containers/storage.conf" >/dev/null
(cd / && busybox_image "$SSHD_DIR/image" | as_ann podman import - sbxt:1) >/dev/null 2>&1

sbx() { timeout -k 5 90 "$SBX" -F "$SSHD_CONFIG" "$@" 2>"$SSHD_DIR/err" </dev/null; }
err() { cat "$SSHD_DIR/err"; }
create() { sbx -vv computer create --engine podman --no-network -i localhost/sbxt:1 "$@"; }

check 'one is made by the command line' equal "$(create ann/box --mount "$home/shown:/shown")" ann/box
check '  and a command is root in it alone' equal "$(sbx exec ann/box 'id -u; hostname; echo x >/shown/file' | tr '\n' ' ')" '0 box '
check '  and a file that is made in a mount is the account'\''s' equal "$(as_root stat -c %U "$home/shown/file")" "$ann"
nap=$((8000 + $$ % 1000)).1
sbx exec -t 5 ann/box "setsid sleep $nap & sleep $nap"
check '  and a limit kills in there' equal "$? $(err)" '124 sbx: ann/box: timed out after 5 s; all of it is dead'
check '  and is removed' equal "$(sbx computer rm ann/box; sbx computer ls --engine podman ann | wc -l)" 0

cd /
as_ann sh -c 'echo $$ >"$0"; exec podman system service --time=0' "$run/pid" >"$SSHD_DIR/log" 2>&1 </dev/null &
within 30 as_root test -S "$run/podman/podman.sock"
service=$(as_root cat "$run/pid")
check 'one is made by the API of its service' equal "$(create -p ann/box) $(grep -c 'the API of podman: POST' "$SSHD_DIR/err")" 'ann/box 2'
check '  and entered by it' equal "$(sbx -vv exec ann/box 'id -u; hostname' | tr '\n' ' ') $(grep -c "by the engine at '$run/podman/podman.sock'" "$SSHD_DIR/err")" '0 box  1'
check '  and is removed' equal "$(sbx computer rm ann/box; sbx computer ls --engine podman ann | wc -l)" 0
check_end
