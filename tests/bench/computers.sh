# computers.sh - the rows of computers; run.sh reads it, and has set what it uses. The
# engine is one of the bench's own, with an image of BusyBox.

. "$TEST_SUPPORT/docker.sh"

rounds=15 crowd=5 boxes=20
[ -z "$quick" ] || { rounds=3 crowd=1 boxes=4; }
sshd_start
docker_lab
printf '[{"name":"far","host":"127.0.0.1","port":%s,"user":"%s","key_file":"%s","host_key_policy":"accept-new","env":{"DOCKER_HOST":"%s"}}]' \
    "$SSHD_PORT" "$(id -un)" "$SSHD_DIR/key" "$DOCKER_HOST" >"$XDG_CONFIG_HOME/sbx/hosts.json"
# Their client takes no other ssh_config than this user's: a program of that name gives it one.
mkdir "$SSHD_DIR/bin"
printf '#!/bin/sh\nexec /usr/bin/ssh -F "%s" "$@"\n' "$SSHD_CONFIG" >"$SSHD_DIR/bin/ssh"
chmod 755 "$SSHD_DIR/bin/ssh"
export PATH="$SSHD_DIR/bin:$PATH" SBX_KEEPER=off

run="/usr/bin/docker run -d --init --network none sbxt:1 /bin/sleep 1000"
create="$SBX -F none computer create --no-network -i sbxt:1"
$SBX -F none computer create --no-network -i sbxt:1 -n box >/dev/null || exit 1
far="DOCKER_HOST=ssh://t/$DOCKER_DIR/socket"
ssh -F "$SSHD_CONFIG" t true || exit 1

printf '%-36s %-5s %10s %10s %8s   %s\n' '' unit sandbox docker ratio bar
row 'exec of true' '<=' 0.6 exec "$rounds" "$SBX -F none exec local/box true" \
    '/usr/bin/docker exec -i sbx-box true'
row 'exec of true, over SSH' '<=' 0.5 far "$rounds" "$SBX -F $SSHD_CONFIG exec far/box true" \
    "$far /usr/bin/docker exec -i sbx-box true"
row 'create' '<=' 1.1 create "$rounds" "$create" "$run"
row "$boxes created at once" '<=' 0.7 crowd "$crowd" \
    "seq $boxes | xargs -P8 -I{} $create" "seq $boxes | xargs -P8 -I{} $run"
