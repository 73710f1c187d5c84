# sshd.sh - real SSH servers on the loopback, with users of their own, for tests.
#
# Sourced by a shell test (it needs root, or sudo without a password):
#
#     . "$TEST_SUPPORT/sshd.sh"
#     sshd_start 'MaxSessions 2'       more lines of sshd_config, one a word
#     sshd_user fish /usr/bin/fish     a user; `ssh -F "$SSHD_CONFIG" fish` logs in
#     ssh -F "$SSHD_CONFIG" t true     `t` is whoever runs the test
#
# It sets SSHD_PORT, SSHD_PID, SSHD_DIR, SSHD_CONFIG and SSHD_LOG; SSHD_DIR/key is the
# private key. SSHD_TRUST is what an entry of hosts.json has to say, so that nothing is
# written to the known_hosts of whoever runs the test. dropbear_start and tinysshd_start add the other two servers: user NAME
# is there as NAME.dropbear and NAME.tinysshd (`t` is not: they read ~/.ssh alone).
# All is gone when the shell ends; a test that sets a trap of its own for EXIT calls
# sshd_cleanup in it.
#
# A C test has them through places.sh.

. "$TEST_SUPPORT/wait.sh"

SSHD_DIR=
SSHD_PORT=
SSHD_PID=
DROPBEAR_PORT=
DROPBEAR_PID=
TINYSSHD_PORT=
TINYSSHD_PID=
SSHD_ROOTS=

sshd_fail() {
    echo "sshd.sh: $*" >&2
    [ -z "$SSHD_DIR" ] || [ ! -f "$SSHD_DIR/log" ] || tail -n 20 "$SSHD_DIR/log" >&2
    exit 1
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

# A killed orphan may stay a zombie for a while: that counts as gone.
is_gone() {
    [ ! -e "/proc/$1/stat" ] || grep -q '^State:[[:space:]]*[ZX]' "/proc/$1/status" 2>/dev/null ||
        [ ! -e "/proc/$1/stat" ]
}

port_answers() {
    timeout 2 bash -c ": <>/dev/tcp/127.0.0.1/$1" 2>/dev/null
}

random_port() {
    echo $((20000 + $(od -An -N2 -tu2 /dev/urandom) % 12000))
}

# Prints a process and all below it, the lowest last.
process_tree() {
    echo "$1"
    for child in $(cat "/proc/$1"/task/*/children 2>/dev/null); do
        process_tree "$child"
    done
}

# Ends a server with its sessions. Stopped first, it starts none while we look.
end_tree() {
    [ -n "$1" ] || return 0
    as_root kill -STOP "$1" 2>/dev/null
    for pid in $(process_tree "$1"); do
        as_root kill -KILL "$pid" 2>/dev/null
    done
    within 10 is_gone "$1"
}

# The folder with the keys, once for all servers of one test.
sshd_folder() {
    [ -z "$SSHD_DIR" ] || return 0
    SSHD_DIR=$(mktemp -d "${TMPDIR:-/tmp}/sbxt.XXXXXX") || exit 1
    SSHD_CONFIG=$SSHD_DIR/ssh_config
    SSHD_LOG=$SSHD_DIR/log
    chmod 755 "$SSHD_DIR"
    trap sshd_cleanup EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    ssh-keygen -q -t ed25519 -N '' -C test -f "$SSHD_DIR/key" || exit 1
    ssh-keygen -q -t ed25519 -N '' -C host -f "$SSHD_DIR/host_key" || exit 1
    SSHD_TRUST="\"host_key\":\"$(cut -d ' ' -f 1,2 "$SSHD_DIR/host_key.pub")\""
    cp "$SSHD_DIR/key.pub" "$SSHD_DIR/authorized_keys"
    chmod 644 "$SSHD_DIR/authorized_keys"
    : >"$SSHD_DIR/users"
    mkdir "$SSHD_DIR/home"
}

# sshd_alias NAME USER PORT: one block of the ssh_config.
sshd_alias() {
    [ -n "$3" ] || return 0
    printf 'Host %s\n    HostName 127.0.0.1\n    Port %s\n    User %s\n' "$1" "$3" "$2"
    printf '    IdentityFile %s\n    IdentitiesOnly yes\n' "$SSHD_DIR/key"
    printf '    UserKnownHostsFile %s\n' "$SSHD_DIR/known_hosts"
    printf '    GlobalKnownHostsFile /dev/null\n    StrictHostKeyChecking accept-new\n'
}

# Written anew whenever a server or a user is added.
sshd_write_config() {
    {
        sshd_alias t "$(id -un)" "$SSHD_PORT"
        while read -r alias user; do
            sshd_alias "$alias" "$user" "$SSHD_PORT"
            sshd_alias "$alias.dropbear" "$user" "$DROPBEAR_PORT"
            sshd_alias "$alias.tinysshd" "$user" "$TINYSSHD_PORT"
        done <"$SSHD_DIR/users"
    } >"$SSHD_CONFIG"
}

sshd_write_server_config() {
    cat <<END
Port $SSHD_PORT
ListenAddress 127.0.0.1
HostKey $SSHD_DIR/host_key
PidFile $SSHD_DIR/pid
AuthorizedKeysFile $SSHD_DIR/authorized_keys .ssh/authorized_keys
UsePAM no
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin yes
PrintMotd no
UseDNS no
END
    case $SSHD_EXTRA in
    *[Ss]ubsystem*) ;;
    *) echo "Subsystem sftp internal-sftp" ;;
    esac
    case $SSHD_EXTRA in
    *MaxStartups*) ;;
    *) echo "MaxStartups 200" ;;
    esac
}

# Who runs the tests has an empty home there: their own start-up files are not the tests'.
sshd_write_home() {
    printf 'Match User %s\n    SetEnv HOME=%s/home\n' "$(id -un)" "$SSHD_DIR"
}

# Does the server stand? It writes the pid file after it listens.
sshd_is_up() {
    { [ -s "$SSHD_DIR/pid" ] && port_answers "$SSHD_PORT"; } ||
        grep -q 'Cannot bind any address' "$SSHD_LOG" 2>/dev/null
}

# Without -r each login would cost an exec of sshd more, a sixth of all its work.
sshd_try() {
    as_root rm -f "$SSHD_DIR/pid"
    {
        printf '%s\n' "$SSHD_EXTRA" | sed '/^[[:space:]]*Match/,$d'
        sshd_write_server_config
        printf '%s\n' "$SSHD_EXTRA" | sed -n '/^[[:space:]]*Match/,$p'
        sshd_write_home
    } >"$SSHD_DIR/sshd_config"
    as_root /usr/sbin/sshd -r -f "$SSHD_DIR/sshd_config" -E "$SSHD_LOG" ||
        sshd_fail "sshd does not take its configuration"
    within 15 sshd_is_up || sshd_fail "sshd does not answer on port $SSHD_PORT"
    [ -s "$SSHD_DIR/pid" ]
}

# sshd_start [CONFIG_LINE ...]: the lines come first, as the first of a keyword wins (but
# of MaxStartups the last does: it is not stated twice); from a Match line on they come last.
# SSHD_PORT, set ahead, is kept: so a server that was stopped comes back where it was.
sshd_start() {
    sshd_folder
    SSHD_EXTRA=$(printf '%s\n' "$@")
    as_root mkdir -p /run/sshd
    wanted_port=$SSHD_PORT
    for attempt in 1 2 3 4 5 6 7 8 9 10; do
        SSHD_PORT=${wanted_port:-$(random_port)}
        as_root rm -f "$SSHD_LOG"
        if sshd_try; then
            SSHD_PID=$(cat "$SSHD_DIR/pid")
            sshd_write_config
            return 0
        fi
    done
    sshd_fail "no free port after $attempt tries"
}

sshd_stop() {
    end_tree "$SSHD_PID"
    SSHD_PID=
}

# dropbear_start [OPTION ...]
dropbear_start() {
    sshd_folder
    [ -s "$SSHD_DIR/dropbear_key" ] ||
        dropbearkey -t ed25519 -f "$SSHD_DIR/dropbear_key" >/dev/null 2>&1 || exit 1
    for attempt in 1 2 3 4 5 6 7 8 9 10; do
        DROPBEAR_PORT=$(random_port)
        port_answers "$DROPBEAR_PORT" && continue
        as_root dropbear -r "$SSHD_DIR/dropbear_key" -p "127.0.0.1:$DROPBEAR_PORT" \
            -P "$SSHD_DIR/dropbear_pid" "$@" 2>>"$SSHD_DIR/dropbear_log"
        if within 5 test -s "$SSHD_DIR/dropbear_pid" &&
            within 5 port_answers "$DROPBEAR_PORT"; then
            DROPBEAR_PID=$(cat "$SSHD_DIR/dropbear_pid")
            sshd_write_config
            return 0
        fi
    done
    sshd_fail "dropbear does not start"
}

dropbear_stop() {
    end_tree "$DROPBEAR_PID"
    DROPBEAR_PID=
}

tinysshd_start() {
    sshd_folder
    [ -d "$SSHD_DIR/tinysshd_key" ] || tinysshd-makekey -q "$SSHD_DIR/tinysshd_key" || exit 1
    for attempt in 1 2 3 4 5 6 7 8 9 10; do
        TINYSSHD_PORT=$(random_port)
        port_answers "$TINYSSHD_PORT" && continue
        as_root tcpserver -HRDl0 127.0.0.1 "$TINYSSHD_PORT" \
            tinysshd -v "$SSHD_DIR/tinysshd_key" >/dev/null 2>>"$SSHD_DIR/tinysshd_log" &
        TINYSSHD_PID=$!
        if within 5 port_answers "$TINYSSHD_PORT"; then
            sshd_write_config
            return 0
        fi
    done
    sshd_fail "tinysshd does not start"
}

tinysshd_stop() {
    end_tree "$TINYSSHD_PID"
    TINYSSHD_PID=
}

# sshd_user NAME SHELL: a bare home, the key let in, an alias NAME in the ssh_config.
# SSHD_USER is the account's name and SSHD_HOME its home.
sshd_user() {
    sshd_folder
    SSHD_USER=sbxt$$$1
    SSHD_HOME=/home/$SSHD_USER
    mkdir -p "$SSHD_DIR/empty"
    as_root flock "${TMPDIR:-/tmp}/sbxt.lock" \
        useradd -m -d "$SSHD_HOME" -k "$SSHD_DIR/empty" -p '*' -s "$2" "$SSHD_USER" ||
        sshd_fail "cannot make user '$SSHD_USER'"
    echo "$1 $SSHD_USER" >>"$SSHD_DIR/users"
    as_root mkdir -m 700 "$SSHD_HOME/.ssh" || exit 1
    as_root cp "$SSHD_DIR/key.pub" "$SSHD_HOME/.ssh/authorized_keys" || exit 1
    as_root chmod 600 "$SSHD_HOME/.ssh/authorized_keys" || exit 1
    as_root chown -R "$SSHD_USER:" "$SSHD_HOME/.ssh" || exit 1
    sshd_write_config
}

# The processes that run as a user, whoever started them. (An awk over /proc may end at the
# first that is gone when its turn comes.)
processes_of() {
    uid=$(id -u "$1" 2>/dev/null) || return 0
    ps -U "$uid" -o pid= -o state= | sed -n 's/^ *\([0-9]*\) [^ZX]$/\1/p'
}

sshd_users_remove() {
    [ -f "$SSHD_DIR/users" ] || return 0
    while read -r alias user; do
        for pid in $(processes_of "$user"); do
            as_root kill -KILL "$pid" 2>/dev/null
        done
        as_root flock "${TMPDIR:-/tmp}/sbxt.lock" userdel -rf "$user" 2>/dev/null
    done <"$SSHD_DIR/users"
    : >"$SSHD_DIR/users"
}

# busybox_root [FOLDER]: a place for ChrootDirectory where BusyBox is all there is, its
# name in BUSYBOX_ROOT. sshd wants every folder above it to be root's alone, which /tmp is
# not: without FOLDER one is made that will do. Users must be there before it.
busybox_root() {
    sshd_folder
    [ $# -gt 0 ] || set -- "$(as_root mktemp -d /var/lib/sbxt.XXXXXX)"
    BUSYBOX_ROOT=$1
    SSHD_ROOTS="$SSHD_ROOTS $1"
    as_root mkdir -p "$1/bin" "$1/dev" "$1/proc" "$1/etc" "$1/root" "$1/home" || return 1
    as_root mkdir -p -m 1777 "$1/tmp" || return 1
    as_root chmod 755 "$1" && as_root chown 0:0 "$1" || return 1
    as_root cp "$(command -v busybox)" "$1/bin/busybox" || return 1
    as_root chroot "$1" /bin/busybox --install -s /bin || return 1
    for node in null:3 zero:5 urandom:9; do
        [ -e "$1/dev/${node%:*}" ] ||
            as_root mknod -m 666 "$1/dev/${node%:*}" c 1 "${node#*:}" || return 1
    done
    grep -h "^root:\|^sbxt" /etc/passwd | sed 's/:[^:]*$/:\/bin\/sh/' |
        as_root tee "$1/etc/passwd" >/dev/null
    grep -h "^root:\|^sbxt" /etc/group | as_root tee "$1/etc/group" >/dev/null
    as_root mount -t proc proc "$1/proc"
}

sshd_roots_remove() {
    for root in $SSHD_ROOTS; do
        ! grep -q " $root/proc " /proc/mounts || as_root umount -l "$root/proc"
        as_root rm -rf --one-file-system "$root"
    done
    SSHD_ROOTS=
}

sshd_cleanup() {
    trap - EXIT
    sshd_stop
    dropbear_stop
    tinysshd_stop
    sshd_users_remove
    sshd_roots_remove
    [ -z "$SSHD_DIR" ] || as_root rm -rf --one-file-system "$SSHD_DIR"
    SSHD_DIR=
}

# sshd_chroot: the user that was made last is where BusyBox is all there is, once the
# server has started anew.
sshd_chroot() {
    busybox_root
    sshd_stop
    sshd_start "Match User $SSHD_USER" "ChrootDirectory $BUSYBOX_ROOT"
}
