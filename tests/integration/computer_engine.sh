# computer_engine.sh - what runs in a computer is the same by the engine's own API as by its
# command line; over the API it starts no other program, and tells the truth of an engine
# that is frozen, killed or replaced.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/docker.sh"

sshd_start
docker_lab
docker_far

sbx() { timeout -k 5 90 "$SBX" -F "$SSHD_CONFIG" "$@" 2>"$SSHD_DIR/err" </dev/null; }
feed() { timeout -k 5 90 "$SBX" -F "$SSHD_CONFIG" exec --stdin "$@" 2>"$SSHD_DIR/err"; }
err() { cat "$SSHD_DIR/err"; }
nap() { echo "$((6000 + $$ % 1000)).$1"; }
naps() { [ "$(pgrep -fx "sleep $1" | wc -l)" = "$2" ]; }
logins() { grep -c 'Accepted publickey' "$SSHD_LOG"; }
by_engine() { sbx -vv exec "$1" true && grep -q "by the engine at '${DOCKER_HOST#unix://}'" "$SSHD_DIR/err"; }
by_command() { sbx -vv exec "$1" true && ! grep -q 'by the engine' "$SSHD_DIR/err"; }

mkdir "$SSHD_DIR/shown" && chmod 777 "$SSHD_DIR/shown"
sbx computer create --no-network -i sbxt:1 -n box -e A='b c' --mount "$SSHD_DIR/shown:/shown" -u 0 >/dev/null

# It lasts longer than a watchdog would let it live that no warden came to.
"$SBX" -F none exec local/box 'sleep 24; echo lasted' >"$SSHD_DIR/lasting" 2>&1 </dev/null &
lasting=$!

# A command of the engine's would be told about as what is not there.
mkdir "$SSHD_DIR/nothing" && ln -s /bin/sh /usr/bin/env "$SSHD_DIR/nothing/"
alone() { env PATH="$SSHD_DIR/nothing" "$SBX" -F none "$@" 2>&1 </dev/null; }
check 'by the API no program of the engine'\''s is started' equal "$(alone exec local/box 'echo here')" here
check '  which is how it is entered' by_engine local/box
export DOCKER_CONTEXT=default
check '  and not where the environment names another way' by_command local/box
check '  which needs that program' contains "$(alone exec local/box true)" 'neither docker nor podman is there'
unset DOCKER_CONTEXT

# The same by both ways.
head -c 50000000 /dev/urandom >"$SSHD_DIR/bytes"
sum=$(cksum <"$SSHD_DIR/bytes")
for way in engine command; do
    [ $way = engine ] || export DOCKER_CONTEXT=default
    sbx exec local/box 'id; pwd; env | grep -v SBX_RUN | sort; ulimit -a; grep Cap /proc/self/status' >"$SSHD_DIR/world.$way"
    check "$way: a status is its own" equal "$(sbx exec local/box 'exit 41'; echo $?)" 41
    check '... and the streams are apart' equal "$(sbx exec local/box 'echo out; echo err >&2'; err)" "$(printf 'out\nerr')"
    check '... and 50 MB go in and come back' equal "$(feed local/box cat <"$SSHD_DIR/bytes" | cksum)" "$sum"
    check '... and input ends before output does' equal "$(printf 'b\na\n' | feed local/box 'sort; echo end' | tr '\n' ' ')" 'a b end '
    check '... and without input there is an end of it' equal "$(sbx exec local/box 'cat; echo end')" end
    check '... and it has a terminal of the size that is told' equal "$(sbx exec --pty local/box "$sized")" "$(printf '24 80\r')"
    check '... and what closes its streams is waited for' equal "$(sbx exec local/box 'exec >&- 2>&-; sleep 1; exit 7'; echo $?)" 7
    nap=$(nap 1)
    sbx exec -t 3 local/box "setsid sleep $nap & sleep $nap"
    check '... and a limit kills in there' equal "$? $(err)" '124 sbx: local/box: timed out after 3 s; all of it is dead'
    check '... all of it' naps "$nap" 0
    nap=$(nap 2)
    "$SBX" -F none exec local/box "setsid sleep $nap & sleep $nap" >/dev/null 2>&1 </dev/null &
    client=$!
    within 20 naps "$nap" 2
    kill -KILL $client
    check '... and the death of the client ends it, however early' within 40 naps "$nap" 0
    unset DOCKER_CONTEXT
done
check 'who runs it, where and with what is the same' diff "$SSHD_DIR/world.engine" "$SSHD_DIR/world.command"

# The size of a terminal changes.
cat >"$SSHD_DIR/typed" <<END
stty rows 30 cols 90
{ until [ -e '$SSHD_DIR/shown/sized' ]; do sleep 0.1; done; stty rows 31 cols 101 </dev/tty; } &
$SBX -F none exec --pty local/box 'stty size; echo >/shown/sized; until [ "\$(stty size)" = "31 101" ]; do sleep 0.1; done; stty size'
END
timeout 60 script -qc "sh '$SSHD_DIR/typed'" /dev/null >"$SSHD_DIR/sizes" 2>&1 </dev/null
check 'a terminal there follows the size of the one here' equal "$(tr -d '\r' <"$SSHD_DIR/sizes" | sed 's|^^@||' | tr '\n' ' ')" '30 90 31 101 '

# Over SSH.
before=$(logins)
check 'over SSH it is entered by the same socket' by_engine far/box
check '  with one log-in' equal "$(logins)" $((before + 1))
check '  and 50 MB go in and come back' equal "$(feed far/box cat <"$SSHD_DIR/bytes" | cksum)" "$sum"
check '  and a terminal has its size' equal "$(sbx exec --pty far/box "$sized")" "$(printf '24 80\r')"

# What is not to be entered.
sbx computer create --no-network -i sbxt:1 -n bare >/dev/null
docker exec sbx-bare rm /bin/sh
sbx exec local/bare true
check 'one that has lost its shell is told of' contains "$(err)" "start a command on 'local/bare': its image has no /bin/sh"
sbx computer pause bare >/dev/null
sbx exec local/bare true
check 'so is one that is paused' equal "$(err | head -n 1)" "sbx: start a command on 'local/bare': it is paused"
docker rm -f sbx-bare >/dev/null
sbx exec local/nosuch true
check 'and one that is not there' equal "$(err | head -n 1)" "sbx: start a command on 'local/nosuch': there is no such computer"

wait $lasting
check 'what lasts is let live' equal "$(cat "$SSHD_DIR/lasting")" lasted

# An engine that is frozen.
engine=$(cat "$DOCKER_DIR/pid")
nap=$(nap 3)
"$SBX" -F none exec -t 4 local/box "sleep $nap" >/dev/null 2>"$SSHD_DIR/frozen" </dev/null &
client=$!
within 20 naps "$nap" 1
as_root kill -STOP "$engine"
start=$(date +%s)
wait $client
check 'a limit holds while the engine is frozen' equal "$?" 124
check '  in good time' test $(($(date +%s) - start)) -lt 20
check '  and it says what it does not know' contains "$(cat "$SSHD_DIR/frozen")" 'could not ask what still runs'
check '  while it is killed in there all the same' within 30 naps "$nap" 0
timeout 60 "$SBX" -F none exec -t 3 local/box 'echo ran >>/shown/late' >/dev/null 2>"$SSHD_DIR/frozen" </dev/null
check 'a command that cannot start has the same limit' equal "$?" 124
as_root kill -CONT "$engine"
within 20 docker_answers

# An engine that dies under a command.
nap=$(nap 4)
"$SBX" -F none exec local/box "echo ran >>/shown/runs; sleep $nap" >/dev/null 2>"$SSHD_DIR/lost" </dev/null &
client=$!
within 20 naps "$nap" 1
as_root kill -KILL "$engine"
wait $client
check 'one whose engine was killed is lost' equal "$?" 255
check '  and that is said' contains "$(cat "$SSHD_DIR/lost")" 'local/box: lost: '
check '  and it has run once' equal "$(wc -l <"$SSHD_DIR/shown/runs")" 1
docker_engine
docker start sbx-box >/dev/null 2>&1
check 'a new engine is taken as it is' within 30 by_engine local/box
check_end
