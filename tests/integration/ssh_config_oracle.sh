# ssh_config_oracle.sh - our reader of ssh_config says what `ssh -G` says.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# A resolver of our own, in a mount namespace: what follows the first name are its aliases.
cat >"$work/hosts" <<END
127.0.0.1 localhost
127.0.0.1 $(hostname)
127.0.0.11 alpha.lab.test. alpha.lab.test
127.0.0.12 real.lab.test beta.cname.test.
127.0.0.13 web1.example.org.lab.test.
127.0.0.14 gamma.cname.test.
127.0.0.15 bastion.b.test bastion
END
echo 'hosts: files' >"$work/nsswitch"
with_names() {
    as_root unshare -m sh -c 'mount --bind "$1" /etc/hosts &&
        mount --bind "$2" /etc/nsswitch.conf && shift 2 && exec "$@"' \
        sh "$work/hosts" "$work/nsswitch" "$@"
}
check 'the reader agrees with ssh -G' with_names /usr/bin/python3 \
    "$SBX_SOURCE/tests/integration/ssh_config_oracle.py" \
    "$SBX_BUILD/tests/ssh_config_dump" "$work"
check_end
