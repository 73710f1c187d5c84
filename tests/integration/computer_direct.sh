# computer_direct.sh - computers are made and changed by the engine's own API where it can
# be had: no program of the engine's is started, what comes of it is the same as by the
# command line, and whoever is cut off in its midst leaves nothing.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/docker.sh"

sshd_start
docker_lab
docker_far

sbx() { timeout -k 5 60 "$SBX" -F "$SSHD_CONFIG" "$@" 2>"$SSHD_DIR/err" </dev/null; }
err() { cat "$SSHD_DIR/err"; }
boxes() { docker ps -aq --filter label=sbx.computer | wc -l; }
asked() { grep -c "the API of docker: $1" "$SSHD_DIR/err"; }

# A command of the engine's would be told about as what is not there.
mkdir "$SSHD_DIR/nothing" && ln -s /bin/sh /usr/bin/env /usr/bin/date "$SSHD_DIR/nothing/"
alone() { env PATH="$SSHD_DIR/nothing" "$SBX" -F none "$@" 2>&1 </dev/null; }
check 'one is made without a program of the engine'\''s' equal "$(alone computer create --no-network -i sbxt:1 -n lone -m 64M)" local/lone
check '  and shown' contains "$(alone computer show lone)" 'local/lone  running  sbxt:1'
check '  and paused' contains "$(alone computer pause lone)" 'local/lone  paused'
check '  and goes on' contains "$(alone computer resume lone)" 'local/lone  running'
check '  and started again' contains "$(alone computer restart lone)" 'local/lone  running'
check '  and a command runs in it' equal "$(alone exec local/lone 'cat /proc/1/comm; hostname' | tr '\n' ' ')" 'docker-init lone '
check '  and what lacked memory in it is told of' contains "$(alone exec local/lone 'tail /dev/zero'; alone computer show lone)" 'ran out of memory'
check '  and removed' equal "$(alone computer rm lone; boxes)" 0
check 'what the engine refuses is told in its words' contains "$(alone computer create --no-network -i sbxt:none -n lone)" \
    "create computer 'local/lone': the engine says: No such image: sbxt:none"

# The same by both ways. What is not: the time, a name, the address of a log.
docker build -q -t sbxt:entry - >/dev/null 2>&1 <<'END'
FROM sbxt:1
USER 77
ENTRYPOINT ["/bin/false"]
END
mkdir "$SSHD_DIR/shown"
sbx computer create --no-network -i sbxt:1 -n warm >/dev/null
world() {
    docker container inspect sbx-same | jq -S '.[0] | [(.Config | del(.NetworkDisabled, .AttachStdout, .AttachStderr, .Labels["sbx.created", "sbx.expires", "sbx.instance"]) | .Env |= sort),
        (.HostConfig | del(.ConsoleSize, .RestartPolicy) | .CapAdd |= (map(sub("^CAP_"; "")) | sort)), .Mounts]
        | walk(if type == "object" then with_entries(select(.value | . != null and . != [] and . != {})) else . end)'
    sbx exec local/same 'id; pwd; hostname; grep localhost /etc/hosts | head -n 1; ls -A /sys/class/net; env | grep -v SBX_RUN | sort; cat /proc/self/limits; grep Cap /proc/self/status'
    sbx --json computer show same | jq -S 'del(.created_at, .expires_at, .instance)'
}
same() {
    for way in engine command; do
        [ $way = engine ] || export DOCKER_CONTEXT=default
        sbx -vv computer create -n same "$@" >/dev/null
        echo "$way $(asked POST)" >>"$SSHD_DIR/ways"
        world >"$SSHD_DIR/world.$way"
        sbx computer rm same
        unset DOCKER_CONTEXT
    done
    diff "$SSHD_DIR/world.engine" "$SSHD_DIR/world.command"
}
check 'made by both ways it is the same' same --no-network -i sbxt:1
check '  with all that can be asked for' same --no-network -i sbxt:1 -m 64M --pids 50 --cpus 0.5 -e 'A=b c' -e B= --shell /bin/ash -u 12:34 --mount "$SSHD_DIR/shown:/shown:ro"
check '  and a root that cannot be written' same --no-network -i sbxt:1 --read-only -u 0
check '  and a user of the image, who is not root' same --no-network -i sbxt:entry
check '  and the network of the engine'\''s' same -i sbxt:1 --network host
check '  by the API first, then not' equal "$(sort -u "$SSHD_DIR/ways" | tr '\n' ' ')" 'command 0 engine 2 engine 3 '
check 'one without a network has a loopback of its own, that has its name' equal \
    "$(sbx exec local/warm 'ls /sys/class/net; nc -lp 77 -e echo there & for i in 1 2 3 4 5 6 7 8 9; do nc localhost 77 2>/dev/null && break; sleep 0.1; done' | tr '\n' ' ')" 'lo there '
check '  which is not the engine'\''s' test "$(sbx exec local/warm readlink /proc/self/ns/net)" != "$(as_root readlink "/proc/$(cat "$DOCKER_DIR/pid")/ns/net")"

# Over SSH.
sbx -vv computer create --no-network -i sbxt:1 far/there >/dev/null
check 'over SSH it is made by the same API' equal "$? $(asked POST)" '0 2'
check '  and is there' equal "$(sbx exec far/there hostname)" there
check '  with one log-in each' equal "$(grep -c 'Accepted publickey' "$SSHD_LOG")" 2

# A name that is taken, an image without a shell: the words are the same.
docker run -d --network none --name sbx-alien sbxt:1 /bin/sleep 1000 >/dev/null
sbx computer create --no-network -i sbxt:1 -n alien
check "a container of somebody else's is left alone" contains "$(err)" 'a container of that name is none of ours'
mkdir -p "$SSHD_DIR/bare/bin" && cp "$(command -v busybox)" "$SSHD_DIR/bare/bin/tool"
tar -C "$SSHD_DIR/bare" -c . | docker import - sbxt:bare >/dev/null
count=$(boxes)
sbx computer create --no-network -i sbxt:bare -n bare
check 'an image without a shell is told of' contains "$(err)" "its image has no /bin/sh that runs there"
cp "$(command -v busybox)" "$SSHD_DIR/bare/bin/sh" && printf '\177ELF\002\001\001\000\000\000\000\000\000\000\000\000\002\000\267\000' |
    dd of="$SSHD_DIR/bare/bin/sh" conv=notrunc 2>/dev/null
tar -C "$SSHD_DIR/bare" -c . | docker import - sbxt:other >/dev/null
sbx computer create --no-network -i sbxt:other -n other
check 'so is one for another kind of processor' contains "$(err)" "its image has no /bin/sh that runs there"
check '  and nothing is left of these' equal "$(boxes)" "$count"

# Cut off in its midst.
sleep 1000 &
holder=$!
for pause in 0 0.02 0.05 0.1 0.15 0.2 0.3 0.4; do
    "$SBX" -F none computer create --no-network -i sbxt:1 --pid $holder >/dev/null 2>&1 </dev/null &
    sleep $pause
    kill -KILL $! 2>/dev/null
    wait $! 2>/dev/null
done
kill $holder
wait $holder 2>/dev/null
swept() { sbx computer gc >/dev/null; [ "$(boxes)" = "$count" ]; }
check 'nothing is left of those whose maker was killed' within 20 swept
"$SBX" -F none computer create -p --no-network -i sbxt:1 -n lasting >/dev/null 2>&1 </dev/null &
within 10 eval '[ -n "$(docker ps -aq --filter name=sbx-lasting)" ]'
kill -KILL $! 2>/dev/null
wait $! 2>/dev/null
check 'a lasting one is whole once it is asked for again' equal \
    "$(sbx computer create -p --no-network -i sbxt:1 -n lasting; sbx exec local/lasting hostname)" "$(printf 'local/lasting\nlasting')"

# An engine that is frozen, and one that went away.
engine=$(cat "$DOCKER_DIR/pid")
as_root kill -STOP "$engine"
start=$(date +%s)
timeout 60 "$SBX" -F none computer show lasting >/dev/null 2>&1 </dev/null &
client=$!
sleep 1
kill -INT $client
wait $client
check 'Ctrl-C ends the wait for an engine that is frozen' test $(($(date +%s) - start)) -lt 8
as_root kill -CONT "$engine"
within 20 docker_answers
as_root kill -KILL "$engine"
sbx computer create --engine docker --no-network -i sbxt:1 -n late
check 'an engine that is gone is told of' contains "$(err)" "create computer 'local/late': the engine does not answer: "
docker_engine
check 'and a new one is taken as it is' equal "$(sbx computer create --no-network -i sbxt:1 -n late)" local/late
check_end
