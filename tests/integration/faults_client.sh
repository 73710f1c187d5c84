# faults_client.sh - the program that dies, the disk that is full, the server that
# rekeys: what runs over there ends, and what is printed is whole.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"

sshd_start 'RekeyLimit 1M'
sshd_user far /bin/sh
work=$SSHD_DIR/work
mkdir "$work" && chmod 1777 "$work"
XDG_STATE_HOME=$SSHD_DIR/state
export XDG_STATE_HOME
unset REMOTE_SANDBOX_LIST REMOTE_HOST

far() {
    timeout -k 5 120 "$SBX" -F "$SSHD_CONFIG" "$@"
}

# A tree: the shell, its child, and one that has left the session.
TREE="echo \$\$ >$work/a; sleep 1000 & echo \$! >$work/b
setsid sh -c 'echo \$\$ >$work/c; exec sleep 1000' & wait"
tree_runs() { [ -s "$work/a" ] && [ -s "$work/b" ] && [ -s "$work/c" ]; }
tree_is_gone() {
    for file in a b c; do
        is_gone "$(cat "$work/$file")" || return 1
    done
}

# dies SIGNAL OPTION...: the program gets it while the tree runs; sets status.
dies() {
    signal=$1
    shift
    rm -f "$work"/[abc]
    "$SBX" -F "$SSHD_CONFIG" exec "$@" far "$TREE" >"$work/out" 2>"$work/err" </dev/null &
    client=$!
    check "a tree runs over there ($*)" within 20 tree_runs
    kill "-$signal" "$client"
    wait "$client" 2>/dev/null
    status=$?
}

for option in -t60 --pty; do
    dies KILL "$option"
    check "... and is dead in 5 s when the program is killed" within 5 tree_is_gone
done
for signal in INT TERM HUP; do
    # A shell without job control has its background ignore SIGINT.
    [ "$signal" != INT ] || continue
    dies "$signal" -t60
    check "... and is dead when the program returns from SIG$signal" tree_is_gone
    check '... which says so' contains "$(cat "$work/err")" 'cancelled; all of it is dead'
    check '... in its status too' equal "$status" 130
done
rm -f "$work"/[abc]
/usr/bin/python3 - "$SBX" "$SSHD_CONFIG" "$TREE" "$work" >"$work/out" 2>"$work/err" <<'END'
import os, signal, subprocess, sys, time
sbx, config, tree, work = sys.argv[1:]
p = subprocess.Popen([sbx, '-F', config, 'exec', 'far', tree], stdin=subprocess.DEVNULL)
end = time.time() + 20
while time.time() < end and not all(
        os.path.exists(f'{work}/{f}') and os.path.getsize(f'{work}/{f}') for f in 'abc'):
    time.sleep(0.02)
p.send_signal(signal.SIGINT)
p.wait(30)
sys.exit(p.returncode)
END
check 'an interrupted program says that it cancelled' equal "$?" 130
check '... and all of it is dead' tree_is_gone
check '... and says so' contains "$(cat "$work/err")" 'cancelled; all of it is dead'

dies KILL --detach-on-hangup
check 'what was detached lives on' test -e "/proc/$(cat "$work/c")"
for file in a b c; do as_root kill -KILL "$(cat "$work/$file")" 2>/dev/null; done

# Bytes, with a new key after each MiB.
head -c 33554432 /dev/urandom >"$work/big"
sum=$(sha256sum <"$work/big")
check '32 MB come down whole under RekeyLimit 1M' equal \
    "$(far exec far "cat $work/big" | sha256sum)" "$sum"
check '32 MB go up whole under RekeyLimit 1M' equal \
    "$(far exec --stdin far sha256sum <"$work/big")" "$sum"
check '... and both ways at once' equal \
    "$(far exec --stdin far cat <"$work/big" | sha256sum)" "$sum"
rm -f "$work/big"

# No place for what is stored.
mkdir "$SSHD_DIR/small" "$SSHD_DIR/sealed"
as_root mount -t tmpfs -o size=64k,nr_inodes=20 tmpfs "$SSHD_DIR/small" || exit 1
trap 'as_root umount -l "$SSHD_DIR/small"; sshd_cleanup' EXIT
numbers=$(seq 100000 | sha256sum)
XDG_STATE_HOME=$SSHD_DIR/small
check 'a full disk is no reason to fail' equal "$(far exec far 'seq 100000' | sha256sum)" "$numbers"
far --json exec far 'seq 100000' >"$work/out"
id=$(jq -r .run_id <"$work/out")
check '... the command has ended well' equal "$(jq -c '[.end, .exit_code]' <"$work/out")" '["exited",0]'
far output "$id" >"$work/stored" 2>"$work/err"
check '... and nobody says that all is stored' test "$(sha256sum <"$work/stored")" != "$numbers"
as_root mount -o remount,ro "$SSHD_DIR/small"
check 'a read-only folder is no reason to fail' equal "$(far exec far 'seq 100000' | sha256sum)" "$numbers"
XDG_STATE_HOME=/dev/null/nowhere
check 'a folder that cannot be is no reason to fail' equal "$(far exec far 'seq 100000' | sha256sum)" "$numbers"
check_end
