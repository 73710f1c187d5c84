# prompt.sh - a secret that a login needs is asked for, on the terminal or by a program.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
sshd_start
trap 'sshd_cleanup; rm -rf "$T"' EXIT
unset SSH_AUTH_SOCK

ssh-keygen -q -t ed25519 -N 'open sesame' -C locked -f "$T/locked"
cat "$T/locked.pub" >>"$SSHD_DIR/authorized_keys"
sed "s,IdentityFile .*,IdentityFile $T/locked," "$SSHD_CONFIG" >"$T/ssh_config"
set -- -F "$T/ssh_config" exec t 'echo inside'
on_terminal() {
    /usr/bin/python3 "$HERE/terminal.py" "$SBX" "$@" <"$T/steps"
}

printf '%s\n' 'expect assphrase' 'echo off' 'send open sesame\r' 'expect inside' 'echo on' 'status 0' \
    >"$T/steps"
check 'the terminal is asked, and shows nothing of the answer' on_terminal "$@"
printf '%s\n' 'expect assphrase' 'echo off' 'send \x03' 'status 130' >"$T/steps"
check 'Ctrl-C at the question ends it' on_terminal "$@"
printf '%s\n' 'expect assphrase' 'echo off' 'send \x03' 'expect back' 'echo on' 'send \r' 'status 0' \
    >"$T/steps"
check 'and leaves the terminal as it was' sh -c '/usr/bin/python3 "$@" <"$0"' "$T/steps" "$HERE/terminal.py" \
    sh -c 'trap : INT; "$0" "$@"; echo back; read -r x' "$SBX" "$@"

sed 's,accept-new,ask,; s,KnownHostsFile .*/known_hosts,KnownHostsFile '"$T/known"',' "$SSHD_CONFIG" >"$T/asking"
printf '%s\n' 'expect (yes/no)?' 'send no\r' "expect is not known, and the answer was not 'yes'" \
    'status 255' >"$T/steps"
check 'an unknown host key that is not let in is told as that' \
    on_terminal -F "$T/asking" exec t true
printf '%s\n' 'expect (yes/no)?' 'send yes\r' 'status 0' >"$T/steps"
check 'one that is let in is' on_terminal -F "$T/asking" exec t true
check '  and is remembered' test -s "$T/known"
rm "$T/known"

# setsid: without a terminal.
cat >"$T/askpass" <<'END'
#!/bin/sh
echo "$1" >"$ASKED"
echo 'open sesame'
END
chmod +x "$T/askpass"
without_terminal() {
    ASKED=$T/asked setsid -w env "$@" </dev/null >"$T/out" 2>"$T/err"
}
without_terminal SSH_ASKPASS="$T/askpass" DISPLAY=:9 "$SBX" "$@"
check 'without a terminal SSH_ASKPASS asks' equal "$? $(cat "$T/out")" '0 inside'
check 'it is told what for' grep -q -i passphrase "$T/asked"
rm -f "$T/asked"
without_terminal SSH_ASKPASS="$T/askpass" SSH_ASKPASS_REQUIRE=force "$SBX" "$@"
check 'SSH_ASKPASS_REQUIRE=force needs no display' equal "$? $(cat "$T/out")" '0 inside'
without_terminal SSH_ASKPASS="$T/askpass" "$SBX" "$@"
check 'without a display it is not asked' equal "$? $(cat "$T/out")" '255 '
without_terminal SSH_ASKPASS="$T/askpass" DISPLAY=:9 SSH_ASKPASS_REQUIRE=never "$SBX" "$@"
check 'SSH_ASKPASS_REQUIRE=never forbids it' equal "$? $(cat "$T/out")" '255 '
without_terminal SSH_ASKPASS=/bin/false DISPLAY=:9 "$SBX" "$@"
check 'a program that fails gives no answer' equal "$? $(cat "$T/out")" '255 '
without_terminal "$SBX" "$@"
check 'where nobody can be asked the login fails' equal "$? $(cat "$T/out")" '255 '
without_terminal "$SBX" -F "$T/asking" exec t true
check 'an unknown host key is refused then, and it is told why' equal \
    "$(grep -c 'is not known, and there is nobody to ask' "$T/err")" 1
check_end
