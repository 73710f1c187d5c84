# computer_inside.sh - what runs in a computer ends as it does anywhere: limits kill in there,
# lack of memory is told, files and trees go in and out, users and read-only roots work.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/docker.sh"

sshd_start
sshd_user ann /bin/sh
ann=$SSHD_USER
docker_lab
as_root chmod 711 "$DOCKER_DIR" && as_root chmod 666 "$DOCKER_DIR/socket"
entry='{"name":"%s","host":"127.0.0.1","port":%s,"user":"%s","key_file":"%s",%s,"env":{"DOCKER_HOST":"%s"}}'
printf "[$entry]" ann "$SSHD_PORT" "$ann" "$SSHD_DIR/key" "$SSHD_TRUST" "$DOCKER_HOST" >"$XDG_CONFIG_HOME/sbx/hosts.json"

sbx() { timeout -k 5 60 "$SBX" -F "$SSHD_CONFIG" "$@" 2>"$SSHD_DIR/err" </dev/null; }
err() { cat "$SSHD_DIR/err"; }
create() { sbx computer create --no-network -i sbxt:1 "$@"; }
nap() { echo "$((5000 + $$ % 1000)).$1"; }
naps() { [ "$(pgrep -fx "sleep $1" | wc -l)" = "$2" ]; }

create -n box -m 32M >/dev/null
check 'a process in it has no capability but a shell'\''s, and gains none' equal \
    "$(sbx exec local/box 'grep -E "CapBnd|NoNewPrivs" /proc/self/status' | tr -d '\t\n')" 'CapBnd:00000000000404fbNoNewPrivs:1'
nap=$(nap 1)
check 'a limit keeps what was printed' equal "$(sbx exec -t 8 local/box "echo part; setsid sleep $nap & sleep $nap")" part
check '  and kills in there' equal "$(err)" 'sbx: local/box: timed out after 8 s; all of it is dead'
check '  all of it' naps "$nap" 0
start=$(date +%s)
sbx exec local/box "sleep $nap >/dev/null 2>&1 &"
check 'what is left in the background holds nothing up' test $(($(date +%s) - start)) -lt 4
check '  and lives' naps "$nap" 1
sbx exec local/box 'exit 41'
check 'a status is its own' equal "$?" 41
sbx exec local/box 'tail /dev/zero'
check 'what lacks memory is killed' equal "$?" 137
check '  and the command tells of it' contains "$(err)" 'sbx: local/box: it ran out of memory, now or before'
check '  in JSON too' equal "$(sbx --json exec local/box 'tail /dev/zero' | jq -c '[.exit_code, .out_of_memory]')" '[137,true]'
check '  and nothing of it of a command that was not killed' equal "$(sbx --json exec local/box 'exit 3' | jq -c '[.exit_code, .out_of_memory]')" '[3,false]'
check '  and that is told' contains "$(sbx computer show box)" 'ran out of memory'
head -c 3000000 /dev/urandom >"$SSHD_DIR/bytes"
check 'input of any size goes in' equal \
    "$(timeout 60 "$SBX" -F none exec --stdin local/box md5sum <"$SSHD_DIR/bytes")" "$(md5sum <"$SSHD_DIR/bytes")"
mkdir -p "$SSHD_DIR/tree/sub" && echo 'echo tested' >"$SSHD_DIR/tree/sub/test.sh"
sbx sync push "$SSHD_DIR/tree" local/box:/project >/dev/null
check 'a tree goes in, and its tests run' equal "$(sbx exec -C /project local/box sh sub/test.sh)" tested
check 'files can be read' equal "$(sbx file cat local/box:/project/sub/test.sh)" 'echo tested'
job=$(sbx --json job start --no-terminal local/box 'echo done; exit 3' | jq -r .id)
ended() { [ "$(sbx --json job ls local/box | jq -r 'select(.id == "'"$job"'") | "\(.state) \(.exit_code)"')" = 'exited 3' ]; }
check 'a job runs to its end' within 20 ended
check 'computer exec is exec' equal "$(sbx computer exec local/box hostname)" box

create -n small -m 96M --cpus 0.5 >/dev/null
check 'a probe tells the limits of the container, not the machine' equal \
    "$(sbx --json probe --sample 0.1 local/small | jq -c '[.cpu_limit, .memory_limit]')" '[0.5,100663296]'

create -n user -u 1234:55 --read-only >/dev/null
check 'another user, and a root that cannot be written' equal \
    "$(sbx exec local/user 'id -u; id -g; echo x 2>/dev/null >/x || echo no; echo x >/tmp/x && cat /tmp/x' | tr '\n' ' ')" '1234 55 no x '
docker build -q -t sbxt:entry - >/dev/null 2>&1 <<'END'
FROM sbxt:1
USER 77
WORKDIR /bin
ENTRYPOINT ["/bin/false"]
END
check 'an image with an entry point, a user and a folder of its own' equal \
    "$(sbx computer create --no-network -i sbxt:entry -n entry >/dev/null && sbx exec local/entry 'id -u; pwd' | tr '\n' ' ')" '77 /bin '
folder=$(sbx exec ann 'mkdir -p shown && cd shown && pwd')
create ann/mine --mount "$folder:/shown" >/dev/null
sbx exec ann/mine 'echo x >/shown/file'
check 'a file that is made in a mount is the account'\''s' equal "$(stat -c %U "$folder/file")" "$ann"

# An agent's sandbox: offered where its place is.
ask() { printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"exec_bash","arguments":{"sandbox":"%s","command":"hostname"}}}\n' "$@"; }
{
    echo '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'
    echo '{"jsonrpc":"2.0","method":"notifications/initialized"}'
    ask 2 ann/mine
    ask 3 local/user
    within 30 eval '[ "$(grep -c "\"id\":[23]" "$SSHD_DIR/mcp")" -ge 2 ]'
} 2>/dev/null | timeout 60 "$SBX" -F "$SSHD_CONFIG" mcp >"$SSHD_DIR/mcp" 2>"$SSHD_DIR/err"
check 'an agent works in a computer of a host that is offered' equal "$(jq -r 'select(.id == 2) | .result.structuredContent.stdout' "$SSHD_DIR/mcp")" mine
check '  and in none of this machine, which is not' contains "$(jq -r 'select(.id == 3) | .result.content[0].text' "$SSHD_DIR/mcp")" "'local', is not offered"

# Places that are none.
for bad in 'local/Bad' 'local/' '/box' 'local/a_b'; do
    sbx exec "$bad" true
    check "'$bad' is no place" equal "$?" 2
done
docker rm -f sbx-box >/dev/null
docker run -d --network none --name sbx-box sbxt:1 /bin/sleep 1000 >/dev/null
sbx exec local/box true
check 'a container of that name that is none of ours is not entered' contains "$(err)" 'the container of that name is none of ours'
docker run -d --network none --name sbx-bare -e SBX_COMPUTER=bare sbxt:1 /bin/sleep 1000 >/dev/null
check 'the container is entered once the engine runs it' equal "$(sbx exec local/bare hostname | wc -l)" 1
mkdir "$SSHD_DIR/nothing"
ln -s /bin/sh /usr/bin/env /usr/bin/date "$SSHD_DIR/nothing/"
PATH=$SSHD_DIR/nothing
/usr/bin/timeout 60 "$SBX" -F none computer ls >"$SSHD_DIR/out" 2>"$SSHD_DIR/err" </dev/null
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
check 'no engine is one sentence, and what mends it' equal "$(err | head -n 1)" "sbx: list the computers of 'local': no engine is there: neither docker nor podman"
check_end
