# keeper.sh - the rows of a connection that is kept; run.sh reads it.

if [ -n "$quick" ]; then
    commands=100 files=1000 idle=5 turns=1
else
    commands=1000 files=10000 idle=20 turns=3
fi

# Of two lines the far one has a keeper and a master of its own.
begin_keeper() {
    XDG_RUNTIME_DIR=$SSHD_DIR/run
    XDG_STATE_HOME=$SSHD_DIR/state
    export SBX XDG_RUNTIME_DIR XDG_STATE_HOME
    unset SBX_KEEPER
    mkdir -m 700 "$XDG_RUNTIME_DIR" "$XDG_STATE_HOME"
    trap '"$SBX" keeper stop; proxy_stop; sshd_cleanup' EXIT
    ssh -F "$SSHD_CONFIG" -S "$SSHD_DIR/far" -M -N -f far || exit 1
    "$SBX" -F "$SSHD_CONFIG" keeper run -b bench far || exit 1
}

# To each line of shell text $1 is the place and $2 the ssh_config.
row_of_list() {
    LIST=$SSHD_DIR/list CTL=$SSHD_DIR/ctl
    export LIST CTL
    yes true | head -n "$commands" >"$LIST"
    row "$commands execs as one list" '<=' 0.3 programs 1 bench \
        '"$SBX" -F "$2" exec --stdin-commands "$1" <"$LIST"' \
        'while read -r line; do ssh -S "$CTL" -F "$2" "$1" "$line" </dev/null || exit 1; done <"$LIST"'
}

row_of_stream() {
    FILE=$SSHD_DIR/file
    export FILE
    row "$mebibytes MiB through the keeper" '>=' 0.95 rates "$bulk" bench \
        '"$SBX" -F "$2" exec "$1" cat "$FILE"' \
        '"$SBX" -F "$2" --no-keeper exec "$1" cat "$FILE"' "$((mebibytes * 1048576 / 1000000))"
}

# Both have brought the tree before: nothing has changed since.
row_of_sync() {
    TREE=${TMPDIR:-/dev/shm}/sbx-bench-tree.$$
    export TREE
    mkdir -p "$TREE/from" "$TREE/to"
    chmod 777 "$TREE/to"
    (cd "$TREE/from" && mkdir $(seq 100) && seq "$files" |
        awk '{ file = $1 % 100 + 1 "/" $1; print $1 > file; close(file) }')
    row "sync of $files unchanged files" '<=' 0.5 programs "$turns" bench \
        '"$SBX" -F "$2" sync push "$TREE/from" "$1:$TREE/to/ours"' \
        'rsync -a -e "ssh -S $CTL -F $2" "$TREE/from/" "$1:$TREE/to/theirs/"'
    rm -rf "$TREE/from"
    as_root rm -rf "$TREE"
}

# Jiffies of a process, its own and those of the kernel for it.
jiffies() {
    awk '{ print $14 + $15 }' "/proc/$1/stat"
}

rows_of_many() {
    many_of_bench "$SSHD_PORT" >"$SSHD_DIR/many"
    tail -n 3 "$SSHD_CONFIG" >>"$SSHD_DIR/many"
    "$SBX" -F "$SSHD_DIR/many" keeper run -b $(seq -f 'h%g' 50) || exit 1
    keeper=$("$SBX" -F "$SSHD_DIR/many" --json keeper status h1 | sed 's/.*"pid":\([0-9]*\).*/\1/')
    "$SBX" -F "$SSHD_DIR/many" exec "$many" true || exit 1
    "$SBX" -F "$SSHD_DIR/many" exec "$many" true || exit 1
    row 'memory of a keeper of 50 hosts' '<=' 60 value 1 - MB \
        "$(awk '/^VmRSS/ { printf "%.1f", $2 / 1024 }' "/proc/$keeper/status")"
    before=$(jiffies "$keeper")
    sleep "$idle"
    row 'the same idle, of a core' '<=' 0.5 value 1 - % \
        "$(awk -v used="$(($(jiffies "$keeper") - before))" -v hz="$(getconf CLK_TCK)" \
            -v idle="$idle" 'BEGIN { printf "%.2f", 100 * used / hz / idle }')"
}

topic_keeper() {
    begin_keeper
    row 'exec of true over a keeper' '<=' 0.6 kept "$fresh" bench "$SBX" "$SSHD_DIR/ctl"
    row 'the same at 40 ms' '<=' 0.55 kept "$fresh" far "$SBX" "$SSHD_DIR/far"
    ssh -F "$SSHD_CONFIG" -S "$SSHD_DIR/far" -O exit far 2>/dev/null
    row_of_list
    row_of_stream
    row_of_sync
    rows_of_many
}
