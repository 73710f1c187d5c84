# host.sh - the list of hosts: added to, shown, taken from, checked.
. "$(dirname "$0")/lib.sh"
list=$XDG_CONFIG_HOME/sbx/hosts.json

run -F none host ls
check 'without a list there is this machine' equal "$(tail -n +2 "$T/out" | awk '{print $1, $NF}')" \
    'local built-in'
run -F none host add gpu1 --host 192.0.2.10 --user ubuntu --port 2222 --tag lab --tag big \
    --key-file /k --jump a,b --cwd /data --shell zsh -e 'A=x "y"' -e B=2 --host-key-policy strict
check 'an entry is added' equal "$status $out$err" '0 '
check 'it holds what was said' equal "$(jq -c . "$list")" \
    '[{"name":"gpu1","host":"192.0.2.10","port":2222,"user":"ubuntu","key_file":"/k","host_key_policy":"strict","jump":"a,b","tags":["lab","big"],"cwd":"/data","shell":"zsh","env":{"A":"x \"y\"","B":"2"}}]'
check 'the list is the user'\''s alone' equal "$(stat -c %a "$list")" 600
run -F none host add gpu1
check 'a name twice is refused' equal "$status" 2
check 'the name is told' contains "$err" gpu1
run -F none host add 'two words'
check 'a name that can be no place is refused' equal "$status" 2
printf 'hunter"2"\nmore' | "$SBX" -F none host add nas --password-stdin
check 'a password is read from standard input' equal "$(jq -r '.[1].password' "$list")" 'hunter"2"'
printf '\n' | "$SBX" -F none host add old --password-stdin 2>"$T/err"
check 'an empty password is refused' equal "$?" 2

run -F none host ls
check 'the list is shown' equal "$(sed -n 3p "$T/out" | tr -s ' ')" \
    'gpu1 ssh 192.0.2.10:2222 ubuntu lab,big list'
run -F none host ls --json
check 'as JSON it is an object a line' equal "$(jq -r .name "$T/out" | tr '\n' ' ')" 'local gpu1 nas '
run -F none host show gpu1
check 'a host is shown' grep -q '^hostname  *192.0.2.10$' "$T/out"
check 'with its tags' grep -q '^tags  *lab big$' "$T/out"
run -F none host show gpu1 --json
check 'as JSON too' equal "$(jq -r '.port' "$T/out")" 2222
check 'with what commands begin with, of variables the names' equal \
    "$(jq -c '[.cwd, .shell, .env]' "$T/out")" '["/data","zsh",["A","B"]]'
"$SBX" -F none host show nas >"$T/both"
"$SBX" -F none --json host show nas >>"$T/both"
check 'a password is never shown' sh -c "! grep -q hunter '$T/both'"
check 'that there is one is' grep -q '^secrets  *password$' "$T/both"

run -F none host add box --on gpu1 --prefix ' docker exec  -i box' --prefix-pty 'docker exec -it box'
check 'a prefix is kept word by word' equal "$(jq -c '.[2]' "$list")" \
    '{"name":"box","on":"gpu1","prefix":["docker","exec","-i","box"],"prefix_pty":["docker","exec","-it","box"]}'
run -F none host ls
check '... and listed with what it stands on' equal "$(sed -n 5p "$T/out" | tr -s ' ')" 'box prefix on gpu1 - - list'
run -F none host add odd --prefix x --port 22
check 'what is of SSH beside a prefix is refused' contains "$err" "key 'port' is of no use beside 'prefix'"
run -F none host rm box

run -F none host rm gpu1
check 'an entry is taken out' equal "$status $(jq -r '.[].name' "$list")" '0 nas'
run -F none host rm gpu1
check 'what is not there cannot be' equal "$status" 2
check 'the error is an object with --json' equal \
    "$("$SBX" -F none --json host rm gpu1 2>/dev/null | jq -r .error.code)" SBX_ERR_NOT_FOUND
run -F none --config "$T/own.json" host add x
run -F none host ls --config "$T/own.json"
check '--config names another list' grep -q '^x ' "$T/out"
chmod 644 "$list"
run -F none exec local true
check 'a list with a password that others can read is refused' equal "$status" 2
check 'and how to mend it is told' contains "$err" "$program: try: chmod 600 $list"
echo '[{"nme": "x"}]' >"$list"
run -F none host ls
check 'a list that is wrong is refused' equal "$status $out" '2 '
rm "$list"

. "$TEST_SUPPORT/sshd.sh"
sshd_start
trap 'sshd_cleanup; rm -rf "$T"' EXIT
printf 'Host dead\n    HostName 127.0.0.1\n    Port 1\n' >>"$SSHD_CONFIG"
set -- -F "$SSHD_CONFIG"
run "$@" host check t
check 'a host that answers is ok' grep -q -E '^t: ok [0-9]+ ms \(connected in [0-9]+ ms\)$' "$T/out"
run "$@" host check t,dead local
check 'each that does is told, the status is of those that do not' equal \
    "$status $(cut -d' ' -f1,2 "$T/out" | tr '\n' ' ')" '255 t: ok local: ok '
check 'what is wrong is told' contains "$err" "'dead'"
run "$@" --json host check t dead
check 'as JSON in the order given' equal "$(jq -r '[.place, .ok, .error.code] | @json' "$T/out")" \
    '["t",true,null]
["dead",false,"SBX_ERR_CONNECT"]'
check_end
