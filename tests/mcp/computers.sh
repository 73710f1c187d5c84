# computers.sh - an agent makes computers, and works in them.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/docker.sh"
sshd_start
docker_lab
trap 'docker_cleanup; sshd_cleanup; rm -rf "$T"' EXIT
hosts_of_sshd t
printf '[{"name":"lab","host":"127.0.0.1","port":%s,"user":"%s","key_file":"%s",%s,"env":{"DOCKER_HOST":"%s"}},
{"name":"seen","tags":["read-only"],"host":"127.0.0.1","port":%s,"user":"%s","key_file":"%s",%s}]' \
    "$SSHD_PORT" "$(id -un)" "$SSHD_DIR/key" "$SSHD_TRUST" "$DOCKER_HOST" "$SSHD_PORT" "$(id -un)" "$SSHD_DIR/key" "$SSHD_TRUST" \
    >"$XDG_CONFIG_HOME/sbx/hosts.json"

# An engine whose registry is slow: a pull tells where it is until the file is there.
mkdir "$T/slow"
cat >"$T/slow/docker" <<END
#!/bin/sh
[ "\$1" = pull ] || exec /usr/bin/docker "\$@"
n=0
until [ -e "$T/pulled" ]; do
    n=\$((n + 1))
    echo "slow: layer \$n"
    sleep 0.3
done
echo 'slow: no such image' >&2
exit 1
END
chmod +x "$T/slow/docker"
ask computers.py
check_end
