# ways_jump.sh - three hosts in a row, each with its own user, port, key and host key.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"

sshd_folder
H=$SSHD_DIR
HOPS=
ssh_known=$H/known

# hop NAME [CONFIG_LINE...]: an sshd that lets in one user with one key.
hop() {
    name=$1
    shift
    mkdir -p "$H/$name"
    [ -s "$H/$name/user" ] || {
        sshd_user "$name" /bin/sh
        echo "$SSHD_USER" >"$H/$name/user"
        ssh-keygen -q -t ed25519 -N '' -f "$H/$name/key" || exit 1
        random_port >"$H/$name/port"
    }
    rm -f "$H/$name/host_key" "$H/$name/host_key.pub" "$H/$name/pid"
    ssh-keygen -q -t ed25519 -N '' -f "$H/$name/host_key" || exit 1
    {
        printf '%s\n' "$@" "Port $(cat "$H/$name/port")" 'ListenAddress 127.0.0.1' \
            "HostKey $H/$name/host_key" "PidFile $H/$name/pid" 'UsePAM no' 'StrictModes no' \
            "AuthorizedKeysFile $H/$name/key.pub" "AllowUsers $(cat "$H/$name/user")"
    } >"$H/$name/config"
    as_root mkdir -p /run/sshd
    as_root /usr/sbin/sshd -f "$H/$name/config" -E "$H/$name/log" || sshd_fail "$name: no sshd"
    within 10 test -s "$H/$name/pid" || sshd_fail "$name does not start"
    HOPS="$HOPS $(cat "$H/$name/pid")"
}
end_hop() {
    end_tree "$(cat "$H/$1/pid")"
}
sshd_write_config() { :; }
hop one
hop two
hop three
. "$TEST_SUPPORT/login.sh"
cleanup() {
    for hop_pid in $HOPS; do end_tree "$hop_pid"; done
    login_cleanup
}
trap cleanup EXIT

# hosts JUMP_OF_THREE [KEY_OF_TWO]: three is reached by that.
hosts() {
    {
        for name in one two three; do
            key=$H/$name/key
            [ $name != two ] || key=${2:-$key}
            printf 'Host %s\n HostName 127.0.0.1\n Port %s\n User %s\n IdentityFile %s\n' $name \
                "$(cat "$H/$name/port")" "$(cat "$H/$name/user")" "$key"
            [ $name != three ] || printf ' %s\n' "$1"
        done
        printf '%s\n' 'Host *' 'IdentitiesOnly yes' "UserKnownHostsFile $ssh_known" \
            'GlobalKnownHostsFile /dev/null' 'StrictHostKeyChecking accept-new'
    } >"$LOGIN_CONFIG"
    list
}
reach() {
    timeout -k 5 60 "$SBX" -F "$LOGIN_CONFIG" --config "$LOGIN_LIST" exec three "$@" \
        >"$H/out" 2>"$H/err" </dev/null
    status=$?
    out=$(cat "$H/out")
    err=$(cat "$H/err")
}
fails() {
    sentence=$1
    shift
    begin=$(date +%s%N)
    reach true
    elapsed=$((($(date +%s%N) - begin) / 1000000))
    check "$sentence" equal "$status" 255
    for word in "$@"; do
        check "  saying '$word'" contains "$err" "$word"
    done
}
no_sessions() {
    for hop_pid in $HOPS; do
        [ ! -s "/proc/$hop_pid/task/$hop_pid/children" ] ||
            for child in $(cat "/proc/$hop_pid/task/$hop_pid/children"); do
                is_gone "$child" || return 1
            done
    done
}

hosts 'ProxyJump one,two'
reach 'id -un; echo $SSH_CONNECTION | cut -d " " -f 4'
check 'three hosts in a row, each with its own user, port and key' equal "$out" \
    "$(cat "$H/three/user")
$(cat "$H/three/port")"
check 'each hop was asked for its own host key' equal "$(grep -c . "$ssh_known")" 3
check 'and saw its own user' grep -q "Accepted publickey for $(cat "$H/one/user")" "$H/one/log"
check 'no session is left' within 10 no_sessions
head -c 20000000 /dev/urandom >"$H/big"
"$SBX" -F "$LOGIN_CONFIG" --config "$LOGIN_LIST" exec --stdin three cat <"$H/big" >"$H/back" 2>/dev/null
check '20 MB pass through unchanged' cmp "$H/big" "$H/back"
hosts ''
list "$(object name:three "host:127.0.0.1" "port:$(cat "$H/three/port")" \
    "user:$(cat "$H/three/user")" "key_file:$H/three/key" 'jump:one,two')"
reach 'echo in'
check 'the list says the same' equal "$out$err" in

hosts 'ProxyJump one,two' "$H/three/key"
fails 'a hop that does not let us in is named' "jump host 'two'" "log in as '$(cat "$H/two/user")'"
check '  and three is not asked' test "$(grep -c Accepted "$H/three/log")" -eq 3
hosts 'ProxyJump one,nowhere.invalid'
fails 'so is one that has no address' "jump host 'nowhere.invalid'" "through 'one'"
hosts 'ProxyJump one,two'

as_root kill -STOP "$(cat "$H/two/pid")"
sed 's/^Host three/Host three\n ConnectTimeout 2/' "$LOGIN_CONFIG" >"$H/slow" && mv "$H/slow" "$LOGIN_CONFIG"
fails 'a hop that does not answer is named' "jump host 'two'" 'in time'
check "  at the one deadline over all hops ($elapsed ms)" test "$elapsed" -lt 3500
as_root kill -CONT "$(cat "$H/two/pid")"
hosts 'ProxyJump one,two'
end_hop three
fails 'a host that refuses the hop is told' "reach '127.0.0.1' port $(cat "$H/three/port") through 'two'"
end_hop two
hop three
hop two 'AllowTcpForwarding no'
fails 'a hop with another host key is refused' "jump host 'two'" 'HAS CHANGED' 'ssh-keygen'
rm "$ssh_known"
fails 'a hop that forwards nothing is named' "through 'two'" 'lets no connection through' AllowTcpForwarding
hosts 'ProxyJump two'
sed 's/^Host two/Host two\n ProxyJump three/' "$LOGIN_CONFIG" >"$H/circle" && mv "$H/circle" "$LOGIN_CONFIG"
reach true
check 'a circle is told' equal "$status" 2
check '  as what it is' contains "$err" circle
end_hop two
hop two
rm -f "$ssh_known"
hosts 'ProxyJump one,two'
"$SBX" -F "$LOGIN_CONFIG" --config "$LOGIN_LIST" exec three 'echo ready; sleep 1000' >"$H/out" 2>"$H/err" </dev/null &
program=$!
check 'a command runs there' within 20 grep -q ready "$H/out"
end_hop one
wait $program
check 'when the first hop dies it is lost' equal "$?" 255
check '  and that is told' contains "$(cat "$H/err")" lost
check_end
