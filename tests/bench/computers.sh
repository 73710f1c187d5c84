# computers.sh - the rows of computers; run.sh reads it, and has set what it uses. The
# engine is one of the bench's own, with an image of BusyBox.

. "$TEST_SUPPORT/docker.sh"

rounds=15 crowd=5 boxes=20
[ -z "$quick" ] || { rounds=3 crowd=1 boxes=4; }
sshd_start
docker_lab
printf '[{"name":"far","host":"127.0.0.1","port":%s,"user":"%s","key_file":"%s",%s,"env":{"DOCKER_HOST":"%s"}}]' \
    "$SSHD_PORT" "$(id -un)" "$SSHD_DIR/key" "$SSHD_TRUST" "$DOCKER_HOST" >"$XDG_CONFIG_HOME/sbx/hosts.json"
# Their client takes this user's ssh_config alone, and the engine over there that the login
# names: a program of that name sees to both.
mkdir "$SSHD_DIR/bin"
cat >"$SSHD_DIR/bin/ssh" <<END
#!/bin/sh
for word; do
    shift
    [ "\$word" != docker ] || set -- "\$@" env 'DOCKER_HOST=$DOCKER_HOST'
    set -- "\$@" "\$word"
done
exec /usr/bin/ssh -F '$SSHD_CONFIG' "\$@"
END
chmod 755 "$SSHD_DIR/bin/ssh"
export PATH="$SSHD_DIR/bin:$PATH" SBX_KEEPER=off

run="/usr/bin/docker run -d --init --network none sbxt:1 /bin/sleep 1000"
create="$SBX -F none computer create --no-network -i sbxt:1"
$SBX -F none computer create --no-network -i sbxt:1 -n box >/dev/null || exit 1
far="DOCKER_HOST=ssh://t"
ssh t true 2>/dev/null || exit 1

printf '%-36s %-5s %10s %10s %8s   %s\n' '' unit sandbox docker ratio bar
row 'exec of true' '<=' 0.6 exec "$rounds" "$SBX -F none exec local/box true" \
    '/usr/bin/docker exec -i sbx-box true'
row 'exec of true, over SSH' '<=' 0.5 far "$rounds" "$SBX -F $SSHD_CONFIG exec far/box true" \
    "$far /usr/bin/docker exec -i sbx-box true"
row 'create' '<=' 1.1 create "$rounds" "$create" "$run"
row "$boxes created at once" '<=' 0.7 crowd "$crowd" \
    "seq $boxes | xargs -P8 -I{} $create" "seq $boxes | xargs -P8 -I{} $run"
