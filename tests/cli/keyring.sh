# keyring.sh - a password that lies in the desktop's keyring: a stand-in of secret-tool
# for what it is told, and the real one for whether that is right.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
list=$XDG_CONFIG_HOME/sbx/hosts.json
path=$PATH

mkdir "$T/bin" "$T/ring"
cat >"$T/bin/secret-tool" <<END
#!/bin/sh
printf '%s|' "\$@" >>"$T/told"
echo >>"$T/told"
[ ! -e "$T/locked" ] || exit 1
for last; do :; done
case \$1 in
store) cat >"$T/ring/\$last" ;;
lookup) cat "$T/ring/\$last" ;;
esac
END
chmod +x "$T/bin/secret-tool"

# run_on INPUT ARGUMENT...: as run, with that on standard input.
run_on() {
    printf '%s' "$1" >"$T/input"
    shift
    input=$T/input
    run "$@"
    input=
}

PATH=$T/bin:$path
run_on 'hunter two' -F none host add nas --user ada --keyring
check 'an entry with a password in the keyring is added' equal "$status $out$err" '0 '
check 'the entry knows how to ask for it' equal "$(jq -c . "$list")" \
    '[{"name":"nas","user":"ada","password_command":"secret-tool lookup service sbx host '\''nas'\''"}]'
check 'it is stored under its name' equal "$(cat "$T/told")" \
    'store|--label=sbx: password of nas|service|sbx|host|nas|'
check 'and no password is on the command line' equal "$(grep -c hunter "$T/told")" 0
run_on x -F none host add nas --keyring
check 'a name that is there is refused' equal "$status" 2
check 'before anything is stored' equal "$(cat "$T/ring/nas")" 'hunter two'
: >"$T/locked"
run_on x -F none host add locked --keyring
check 'a keyring that refuses is told' equal "$status" 255
check 'with what mends it' contains "$err" 'try: unlock the keyring'
check 'and leaves no entry' equal "$(jq -r '.[].name' "$list")" nas
rm "$T/locked" "$T/bin/secret-tool"
mkdir "$T/only"
ln -s "$(command -v sh)" "$(command -v cat)" "$(command -v timeout)" "$T/only"
PATH=$T/only run -F none host add other --keyring
PATH=$path
check 'without secret-tool it is told what to install' contains "$err" libsecret-tools
check 'and there is no entry' equal "$(jq -r '.[].name' "$list")" nas
run -F none host add both --keyring --password-command 'echo x'
check 'two ways to the password are one too many' equal "$status" 2

# The real one, with a keyring that is unlocked by a password of its own.
sshd_start 'PasswordAuthentication yes'
trap 'sshd_cleanup; rm -rf "$T"' EXIT
sshd_user ada /bin/sh
password='x "$(y) ü#'
printf '%s:%s\n' "$SSHD_USER" "$password" | as_root chpasswd
printf 'Host *\n    UserKnownHostsFile %s\n    StrictHostKeyChecking accept-new\n' \
    "$SSHD_DIR/known" >"$T/ssh_config"
cat >"$T/session.sh" <<'END'
mkdir -p "$HOME/.local/share"
(printf unlock | exec gnome-keyring-daemon --foreground --unlock --components=secrets) &
daemon=$!
n=0
until printf '%s' "$PASSWORD" | "$SBX" -F "$1" host add real --host 127.0.0.1 --port "$2" --user "$3" --keyring; do
    n=$((n + 1))
    [ $n -lt 50 ] || break
    sleep 0.2
done
"$SBX" -F "$1" exec real 'echo in'
kill "$daemon"
END
rm -f "$list"
mkdir "$T/ring_home"
HOME=$T/ring_home XDG_DATA_HOME=$T/ring_home/.local/share XDG_RUNTIME_DIR=$T/ring_home PASSWORD=$password \
    timeout 100 dbus-run-session -- sh "$T/session.sh" "$T/ssh_config" "$SSHD_PORT" "$SSHD_USER" \
    >"$T/out" 2>"$T/err"
check 'a password in a real keyring logs in' equal "$(cat "$T/out")" in
check 'and is in no file of ours' sh -c "! grep -rqF 'x \"\$(y)' '$XDG_CONFIG_HOME'"
check_end
