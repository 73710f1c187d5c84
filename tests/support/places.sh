# places.sh - the places that the contract tests ask, served to a C test (places.h).
#
#     sh places.sh NAME:KIND[:SHELL] ...
#
# KIND is `plain` (a user with that login shell), `noisy` (the same, whose start-up files
# print to both streams), `chroot` (a root with BusyBox and nothing else), or `dropbear`
# and `tinysshd` (NAME is then USER.dropbear, of a user named before). Prints
# SSHD_CONFIG=..., SSHD_LOG=..., SSHD_PORT=..., SSHD_PID=..., SSHD_DIR=..., STATE_HOME=...
# (a folder for the tests' stored outputs), WORK=... (one that all may write to) and
# `ready`, and ends, with all it started, at the end of its standard input. SSHD_LINES in
# the environment are further lines of sshd_config.

. "${0%/*}/sshd.sh"

# Each file is read by the one shell that knows it.
make_noisy() {
    as_root mkdir -p "$SSHD_HOME/.config/fish"
    for file in .bashrc .zshenv .cshrc .config/fish/config.fish .profile; do
        as_root sh -c "cat >'$SSHD_HOME/$file'" <<END
echo "welcome; sbx:0123456789abcdef:start 1 1;"
sh -c 'printf "%s" "no newline at the end" >&2'
END
    done
    as_root chown -R "$SSHD_USER:" "$SSHD_HOME"
}

# A shell is known by the name it is called by.
ash_of_busybox() {
    sshd_folder
    [ -e "$SSHD_DIR/ash" ] || as_root cp "$(command -v busybox)" "$SSHD_DIR/ash"
    echo "$SSHD_DIR/ash"
}

make_chroot() {
    sshd_user "$1" /bin/sh
    user=$SSHD_USER
    home=$SSHD_HOME
    busybox_root || sshd_fail "cannot make a BusyBox root"
    as_root mkdir -p "$BUSYBOX_ROOT$home"
    as_root chown "$(id -u "$user"):$(id -g "$user")" "$BUSYBOX_ROOT$home"
    match="Match User $user
ChrootDirectory $BUSYBOX_ROOT"
}

make_place() {
    name=${1%%:*}
    rest=${1#*:}
    shell=${rest#*:}
    case $rest in
    *:ash) shell=$(ash_of_busybox) ;;
    esac
    case ${rest%%:*} in
    plain) sshd_user "$name" "$shell" ;;
    noisy)
        sshd_user "$name" "$shell"
        make_noisy
        ;;
    chroot) make_chroot "$name" ;;
    dropbear) dropbear=1 ;;
    tinysshd) tinysshd=1 ;;
    *) sshd_fail "no kind of place '$rest'" ;;
    esac
}

match=
dropbear=
tinysshd=
sshd_folder
for place in "$@"; do
    make_place "$place"
done
sshd_start ${SSHD_LINES:+"$SSHD_LINES"} ${match:+"$match"}
[ -z "$dropbear" ] || dropbear_start
[ -z "$tinysshd" ] || tinysshd_start
echo "SSHD_CONFIG=$SSHD_CONFIG"
echo "SSHD_LOG=$SSHD_LOG"
echo "SSHD_PORT=$SSHD_PORT"
echo "SSHD_PID=$SSHD_PID"
mkdir -m 1777 "$SSHD_DIR/work" && chmod 1777 "$SSHD_DIR/work" || exit 1
echo "SSHD_DIR=$SSHD_DIR"
echo "WORK=$SSHD_DIR/work"
echo "STATE_HOME=$SSHD_DIR/state"
echo ready
cat >/dev/null
