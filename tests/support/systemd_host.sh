# systemd_host.sh - a host with systemd as its first process, for shell tests.
#
#     . "$TEST_SUPPORT/sshd.sh"; . "$TEST_SUPPORT/systemd_host.sh"
#     sshd_user NAME /bin/bash         its users, ahead; their aliases lead to that host
#     systemd_host_start               its sshd answers on SSHD_PORT, as with sshd_start
#     systemd_host_cut                 its power goes; a start is a boot of the same disk
#     systemd_host_freeze, systemd_host_thaw
#     systemd_host_enter COMMAND...    as root, in there
#     systemd_host_end                 ahead of sshd_cleanup, in the trap of the test
#
# It is an overlay of this machine's `/` in namespaces of its own, but for the network: the
# loopback is ours. logind ends there what a login leaves behind, and nobody may linger whom
# root did not let. The folder of the build is
# in it at the same path. It needs systemd with libpam-systemd and dbus-user-session, which
# may lie on a machine that runs without, and root.

SYSTEMD_HOST=
SYSTEMD_HOST_PID=

# Its disk: what differs from ours. Units that want a machine, and ours, are none of its own.
systemd_host_disk() {
    SYSTEMD_HOST=$(as_root mktemp -d /var/lib/sbxt.XXXXXX) || sshd_fail 'no folder for a host'
    as_root mount -t tmpfs -o size=1g,mode=755 none "$SYSTEMD_HOST" || sshd_fail 'no disk for a host'
    as_root mkdir -p "$SYSTEMD_HOST/upper/etc/ssh" "$SYSTEMD_HOST/work" "$SYSTEMD_HOST/root" \
        "$SYSTEMD_HOST/upper/etc/systemd/system" "$SYSTEMD_HOST/upper/etc/systemd/logind.conf.d"
    as_root cp "$SSHD_DIR/host_key" "$SYSTEMD_HOST/upper/etc/ssh/sbx_key"
    SSHD_PORT=$(random_port)
    {
        printf 'Port %s\nListenAddress 127.0.0.1\nHostKey /etc/ssh/sbx_key\nUsePAM yes\n' "$SSHD_PORT"
        printf 'PasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin no\n'
        printf 'StrictModes no\nUseDNS no\nPrintMotd no\nPidFile none\nMaxStartups 200\n'
    } | as_root tee "$SYSTEMD_HOST/upper/etc/ssh/sshd_config" >/dev/null
    printf '[Login]\nKillUserProcesses=yes\n' |
        as_root tee "$SYSTEMD_HOST/upper/etc/systemd/logind.conf.d/kill.conf" >/dev/null
    echo sbxthost | as_root tee "$SYSTEMD_HOST/upper/etc/hostname" >/dev/null
    : | as_root tee "$SYSTEMD_HOST/upper/etc/machine-id" >/dev/null
}

# Its first process, in the namespaces that were made for it.
systemd_host_boots='
set -e
cd "$1"
mount --make-rprivate /
mount -t overlay overlay -o lowerdir=/,upperdir=upper,workdir=work root
cd root
mount -t proc proc proc
cat /proc/sys/kernel/random/uuid >../boot_id
mount --bind ../boot_id proc/sys/kernel/random/boot_id
mount -t sysfs sysfs sys
mount -t tmpfs -o mode=755 none run
mount -t tmpfs -o mode=1777 none tmp
mount -t tmpfs -o mode=755 none dev
for node in null zero full random urandom tty; do cp -a "/dev/$node" dev/; done
mkdir dev/pts dev/shm run/sshd
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 none dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
if [ -d /sys/fs/cgroup/systemd ]; then
    mount -t tmpfs -o mode=755 none sys/fs/cgroup
    mkdir sys/fs/cgroup/systemd sys/fs/cgroup/unified
    mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd
    # With no controllers to be had it takes none: they are of the whole machine.
    head -n 1 /proc/cgroups >../cgroups
    mount --bind ../cgroups proc/cgroups
else
    mount -t cgroup2 none sys/fs/cgroup
fi
mkdir -p "./$2"
mount --bind "$2" "./$2"
at=etc/systemd/system
rm -rf $at/*.wants $at/ssh.service $at/sshd.service
mkdir $at/multi-user.target.wants
ln -s /lib/systemd/system/ssh.service $at/multi-user.target.wants/
ln -sf /lib/systemd/system/multi-user.target $at/default.target
for unit in systemd-journald-audit.socket systemd-modules-load.service systemd-sysctl.service \
    systemd-udevd.service systemd-udev-trigger.service getty.target systemd-update-utmp.service \
    dev-hugepages.mount dev-mqueue.mount sys-kernel-debug.mount sys-kernel-tracing.mount \
    sys-kernel-config.mount sys-fs-fuse-connections.mount docker.service docker.socket \
    containerd.service systemd-remount-fs.service polkit.service; do
    ln -sf /dev/null $at/$unit
done
hostname sbxthost
exec env -i container=sbxt PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot . /lib/systemd/systemd \
    --system --log-level=info --log-target=console --show-status=0
'

# The one that is number 1 in there: systemd, once it is that.
systemd_host_has_init() {
    for pid in $(process_tree "$SYSTEMD_HOST_PID"); do
        ! grep -q '^NSpid:.*[[:space:]]1$' "/proc/$pid/status" 2>/dev/null || SYSTEMD_HOST_INIT=$pid
    done
    [ "$(cat "/proc/${SYSTEMD_HOST_INIT:-0}/comm" 2>/dev/null)" = systemd ]
}

systemd_host_is_up() {
    port_answers "$SSHD_PORT" && as_root test -S "/proc/$SYSTEMD_HOST_INIT/root/run/dbus/system_bus_socket"
}

systemd_host_start() {
    sshd_folder
    [ -x /lib/systemd/systemd ] || sshd_fail 'there is no systemd here'
    [ -n "$SYSTEMD_HOST" ] || systemd_host_disk
    SYSTEMD_HOST_GROUPS=
    for group in /sys/fs/cgroup/systemd /sys/fs/cgroup/unified /sys/fs/cgroup; do
        [ ! -e "$group/cgroup.procs" ] || SYSTEMD_HOST_GROUPS="$SYSTEMD_HOST_GROUPS $group/sbxt.$$"
    done
    as_root mkdir -p $SYSTEMD_HOST_GROUPS
    SYSTEMD_HOST_INIT=
    as_root setsid sh -c 'for group in $1; do echo 0 >"$group/cgroup.procs"; done; shift; exec "$@"' sh \
        "$SYSTEMD_HOST_GROUPS" unshare --mount --uts --ipc --pid --cgroup --fork --kill-child \
        sh -c "$systemd_host_boots" sh "$SYSTEMD_HOST" "$SBX_BUILD" </dev/null >"$SSHD_DIR/systemd.log" 2>&1 &
    SYSTEMD_HOST_PID=$!
    within 10 systemd_host_has_init || sshd_fail "the host does not begin: $(cat "$SSHD_DIR/systemd.log")"
    within 30 systemd_host_is_up || sshd_fail "the host does not boot: $(tail -n 20 "$SSHD_DIR/systemd.log")"
    sshd_write_config
}

systemd_host_cut() {
    end_tree "$SYSTEMD_HOST_PID"
    SYSTEMD_HOST_PID=
}

systemd_host_enter() {
    as_root nsenter -t "$SYSTEMD_HOST_INIT" -m -u -i -p -r -w "$@"
}

# Stops all that runs on it, or lets it go on: to whoever asks it is a machine that hangs.
systemd_host_freeze() {
    as_root kill -STOP $(process_tree "$SYSTEMD_HOST_PID") 2>/dev/null
}
systemd_host_thaw() {
    as_root kill -CONT $(process_tree "$SYSTEMD_HOST_PID") 2>/dev/null
}

systemd_host_groups_gone() {
    as_root find $SYSTEMD_HOST_GROUPS -depth -type d -exec rmdir {} \; 2>/dev/null
    [ -z "$(ls -d $SYSTEMD_HOST_GROUPS 2>/dev/null)" ]
}

systemd_host_end() {
    [ -z "$SYSTEMD_HOST_PID" ] || systemd_host_cut
    [ -n "$SYSTEMD_HOST" ] || return 0
    within 5 as_root umount "$SYSTEMD_HOST" 2>/dev/null || as_root umount -l "$SYSTEMD_HOST"
    as_root rmdir "$SYSTEMD_HOST"
    within 5 systemd_host_groups_gone
    SYSTEMD_HOST=
}
