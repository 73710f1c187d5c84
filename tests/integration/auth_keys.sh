# auth_keys.sh - every form of key that OpenSSH writes lets us in, and certificates do.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"

sshd_folder
ssh-keygen -q -t ed25519 -N '' -C ca -f "$SSHD_DIR/ca" || exit 1
sshd_start "TrustedUserCAKeys $SSHD_DIR/ca.pub" 'AuthorizedKeysFile .ssh/authorized_keys' \
    'CASignatureAlgorithms +ssh-rsa'
sshd_user u /bin/sh
. "$TEST_SUPPORT/login.sh"
ssh_config 'IdentityFile none'
K=$SSHD_DIR/keys
mkdir "$K"
let_in_keys() {
    cat "$@" | as_root tee "$SSHD_HOME/.ssh/authorized_keys" >/dev/null
}

# make NAME TYPE BITS
make() {
    ssh-keygen -q -t "$2" -b "$3" -N '' -C "$1" -f "$K/$1" || exit 1
}
make ed25519 ed25519 256
make ecdsa256 ecdsa 256
make ecdsa384 ecdsa 384
make ecdsa521 ecdsa 521
make rsa rsa 2048
let_in_keys "$K"/*.pub

# A passphrase that a shell, a format or a careless quoting would trip over.
phrase='p $HOME "q" %s '\''x'\'' ü'
for key in ed25519 ecdsa256 ecdsa384 ecdsa521 rsa; do
    for form in RFC4716 PEM PKCS8; do
        # OpenSSH writes Ed25519 in its own form alone.
        [ "$key $form" != 'ed25519 PEM' ] && [ "$key $form" != 'ed25519 PKCS8' ] || continue
        cp "$K/$key" "$K/copy"
        chmod 600 "$K/copy"
        rm -f "$K/copy.pub"
        ssh-keygen -q -p -m "$form" -P '' -N '' -f "$K/copy" >/dev/null || exit 1
        entry "user:$SSHD_USER" "key_file:$K/copy"
        lets_in "$key in form $form"
        ssh-keygen -q -p -m "$form" -P '' -N "$phrase" -f "$K/copy" >/dev/null || exit 1
        entry "user:$SSHD_USER" "key_file:$K/copy" "key_passphrase:$phrase"
        lets_in "$key in form $form under a passphrase"
    done
done
entry "user:$SSHD_USER" "key_file:$K/copy" 'key_passphrase:wrong'
refuses 'a wrong passphrase is told' "key with a wrong passphrase '$K/copy'" key_passphrase
entry "user:$SSHD_USER" "key_file:$K/copy"
refuses 'so is one that is missing' "key without its passphrase '$K/copy'" ssh-add
entry "user:$SSHD_USER" "key_file:$K/nowhere"
refuses 'so is a key that is not there' "key file that is not there '$K/nowhere'" \
    'takes: publickey'
echo nonsense >"$K/nonsense"
entry "user:$SSHD_USER" "key_file:$K/nonsense"
refuses 'so is a file that is no key' "file that holds no key '$K/nonsense'"
mkfifo "$K/pipe"
entry "user:$SSHD_USER" "key_file:$K/pipe"
refuses 'nobody waits for a pipe' "$K/pipe"

# sign NAME [OPTION...]: a certificate beside the key.
sign() {
    signed=$1
    shift
    ssh-keygen -q -s "$SSHD_DIR/ca" -I "$signed" -n "$SSHD_USER" "$@" "$K/$signed.pub" || exit 1
}
let_in_keys /dev/null
for key in ed25519 ecdsa256 ecdsa384 ecdsa521 rsa; do
    sign "$key"
    entry "user:$SSHD_USER" "key_file:$K/$key"
    lets_in "the certificate beside $key"
done
mv "$K/rsa-cert.pub" "$K/elsewhere.pub"
refuses 'without its certificate the key is none' "key '$K/rsa'" ssh-copy-id
ssh_config 'IdentityFile none' "CertificateFile $K/ed25519-cert.pub" \
    "CertificateFile $K/elsewhere.pub"
lets_in 'the certificate that CertificateFile names, though another is named first'
sign rsa -V -2d:-1d
let_in_keys "$K/rsa.pub"
ssh_config 'IdentityFile none'
lets_in 'behind a certificate that is over, the key itself is tried'
let_in_keys /dev/null
refuses 'both are told' "certificate '$K/rsa-cert.pub', key '$K/rsa'"

agent_start
mv "$K/ed25519-cert.pub" "$K/elsewhere.pub"
ssh-add -q "$K/ed25519" 2>/dev/null
rm -f "$K/ed25519"
entry "user:$SSHD_USER" "key_file:$K/ed25519.pub"
refuses 'a key alone is none' "key '$K/ed25519.pub'"
ssh_config "CertificateFile $K/elsewhere.pub" 'IdentityFile none'
lets_in 'a certificate of a file with the key of the agent'
ssh_config
entry "user:$SSHD_USER"
ssh-add -q -D 2>/dev/null
sign rsa
ssh-add -q "$K/rsa" 2>/dev/null
rm -f "$K/rsa"
lets_in 'an RSA certificate that the agent holds'
check_end
