# auth_chain.sh - a real sshd that wants two proofs, and passwords of a real account.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"

sshd_start 'PasswordAuthentication yes' 'AuthenticationMethods publickey,password' 'LogLevel DEBUG1'
sshd_user u /bin/sh
. "$TEST_SUPPORT/login.sh"
ssh_config 'IdentityFile none'
set_password() {
    printf '%s:%s\n' "$SSHD_USER" "$1" | as_root chpasswd || sshd_fail 'no password can be set'
}
failed_passwords() { grep -c 'Failed password' "$SSHD_LOG"; }

set_password 'one two'
entry "user:$SSHD_USER" "key_file:$SSHD_DIR/key" 'password:one two'
lets_in 'a key and then a password'
entry "user:$SSHD_USER" "key_file:$SSHD_DIR/key"
refuses 'a key alone' 'wants more than it was given' 'still wants: password' password_command
entry "user:$SSHD_USER" 'password:one two'
refuses 'a password alone' 'takes: publickey'
check '  which is not sent, since nobody asked for it' equal "$(failed_passwords)" 0
entry "user:$SSHD_USER" "key_file:$SSHD_DIR/key" 'password:wrong'
refuses 'a key and a wrong password' 'still wants: password' 'was refused'
check '  which is sent once' equal "$(failed_passwords)" 1

sshd_stop
sshd_start 'PasswordAuthentication yes' 'AuthenticationMethods password'
for password in "'" '"' '$HOME' '#x' '-n' ' x ' 'a b' '%s' '`id`' 'Grüße' '\' '*?[' \
    "$(head -c 54 /dev/urandom | base64 -w 0)" "$(head -c 90 /dev/urandom | base64 -w 0)"; do
    set_password "$password"
    entry "user:$SSHD_USER" "password:$password"
    lets_in "the password $password"
done

sshd_stop
sshd_start 'UsePAM yes' 'KbdInteractiveAuthentication yes' 'PasswordAuthentication no' \
    'AuthenticationMethods publickey,keyboard-interactive'
set_password 'by question'
entry "user:$SSHD_USER" "key_file:$SSHD_DIR/key" 'password:by question'
lets_in 'a key and the answer to what PAM asks'
entry "user:$SSHD_USER" "key_file:$SSHD_DIR/key"
refuses 'a key and nobody to answer' "nobody to answer" 'Password: ' 'still wants: keyboard-interactive'
check_end
