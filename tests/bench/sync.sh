# sync.sh - the rows of trees; run.sh reads it, and has set what it uses.

ciphers() {
    printf 'Host *\n    Ciphers aes128-gcm@openssh.com\n    KexAlgorithms curve25519-sha256\n' \
        >>"$SSHD_CONFIG"
}

master() {
    ssh -F "$SSHD_CONFIG" -S "$SSHD_DIR/ctl" "$@" t 2>/dev/null
}

# sync_rows LINE FIRST SAME CHANGED PULL: rows of many small files, with these bars.
sync_rows() {
    line=$1
    shift
    master -M -N -f || exit 1
    for mode in first same changed pull; do
        folder=$(mktemp -d "$SSHD_DIR/to.XXXXXX") || exit 1
        row "$files files, $mode, $line" '<=' "$1" "$mode" "$rounds" t "$SSHD_DIR/ctl" \
            "$SSHD_DIR/many" "$folder"
        shift
    done
    rm -rf "$SSHD_DIR"/to.*
}

files=10000 rounds=7 large=200
[ -z "$quick" ] || { files=2000 rounds=3 large=20; }
# Both sides write files all the time: what a disk makes of that is not what is measured.
[ -n "${TMPDIR-}" ] || [ ! -w /dev/shm ] || TMPDIR=/dev/shm
export TMPDIR="${TMPDIR:-/tmp}"
sshd_start
ciphers
XDG_STATE_HOME=$SSHD_DIR/state
export XDG_STATE_HOME
/usr/bin/python3 "$TEST_SUPPORT/sync_tree.py" many "$SSHD_DIR/many" "$files" || exit 1
printf '%-36s %-5s %10s %10s %8s   %s\n' '' unit sandbox others ratio bar
sync_rows '0 ms' 0.7 0.5 0.5 0.8

mkdir "$SSHD_DIR/large" "$SSHD_DIR/bulk"
for i in $(seq "$large"); do
    head -c 5M /dev/urandom >"$SSHD_DIR/large/$i"
done
row "$large files of 5 MiB" '>=' 0.95 bulk 3 t "$SSHD_DIR/ctl" "$SSHD_DIR/large" "$SSHD_DIR/bulk"
rm -rf "$SSHD_DIR/large" "$SSHD_DIR/bulk"
master -O exit

proxy_sshd --delay 20
ciphers
sync_rows '40 ms' 0.6 0.2 0.3 0.8
master -O exit
proxy_stop
row 'memory of 1,000,000 entries' '<=' 300 memory 1000000
