# auth_old_server.sh - a server that knows nothing newer than SHA-1, and what ssh_config
# has to say for it.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"

sshd_folder
for name in host_rsa mine; do
    ssh-keygen -q -t rsa -b 2048 -N '' -f "$SSHD_DIR/$name" || exit 1
done
cp "$SSHD_DIR/host_rsa" "$SSHD_DIR/host_key"
cp "$SSHD_DIR/mine.pub" "$SSHD_DIR/key.pub"
sshd_start 'HostKeyAlgorithms ssh-rsa' 'KexAlgorithms diffie-hellman-group14-sha1' \
    'PubkeyAcceptedAlgorithms ssh-rsa' 'Ciphers aes128-cbc' 'MACs hmac-sha1'
sshd_user u /bin/sh
. "$TEST_SUPPORT/login.sh"
entry "user:$SSHD_USER" "key_file:$SSHD_DIR/mine"

ssh_config 'IdentityFile none'
refuses 'a key exchange by SHA-1 is off' 'exchange keys' 'no match for method' 'ssh -v h'
python3 "$TEST_SUPPORT/at_once.py" "$SSHD_PORT" >"$SSHD_DIR/port" &
within 20 test -s "$SSHD_DIR/port"
list "$(object name:h host:127.0.0.1 "port:$(cat "$SSHD_DIR/port")" "user:$SSHD_USER")"
refuses '... and so it is where all that the server says comes at once' 'no match for method'
wait $!
entry "user:$SSHD_USER" "key_file:$SSHD_DIR/mine"
# A real old server does not say what it takes, and is sent ssh-rsa where that is allowed;
# this one says more than it takes, so that ssh-rsa is to be the only one.
old() {
    ssh_config 'IdentityFile none' 'KexAlgorithms +diffie-hellman-group14-sha1' \
        'HostKeyAlgorithms +ssh-rsa' 'MACs ^hmac-sha1' 'Ciphers +aes128-cbc' "$@"
}
old 'PubkeyAcceptedAlgorithms ssh-rsa'
lets_in 'ssh_config switches on what it knows'
old 'PubkeyAcceptedAlgorithms ssh-ed25519'
refuses 'a key whose algorithm is not allowed here is told' "key '$SSHD_DIR/mine'" \
    'PubkeyAcceptedAlgorithms under `Host h`'
ssh_config 'KexAlgorithms -*'
forbids 'a list that leaves nothing is told' "set KexAlgorithms: '-*' leaves no algorithm"
check_end
