# prefix_docker.sh - a container of a real docker is a place: what runs in it ends in it,
# and so does what is known of it. The engine is the test's own, with an image of BusyBox.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/docker.sh"

sshd_start
docker_lab
engine="/usr/bin/docker -H $DOCKER_HOST"
docker run -d --init --network none --name box sbxt:1 /bin/sleep 100000 >/dev/null

words() { printf '"%s", ' $engine "$@" | sed 's/, $//'; }
cat >"$XDG_CONFIG_HOME/sbx/hosts.json" <<END
[{"name": "box", "prefix": [$(words exec -i box)], "prefix_pty": [$(words exec -it box)]},
 {"name": "farbox", "on": "t", "prefix": [$(words exec -i box)]},
 {"name": "gone", "prefix": [$(words exec -i nosuch)]}]
END
sbx() { timeout -k 5 90 "$SBX" -F "$SSHD_CONFIG" "$@" 2>"$SSHD_DIR/err" </dev/null; }
err() { cat "$SSHD_DIR/err"; }
nap() { echo "$((4000 + $$ % 1000)).$1"; }
naps() { [ "$(pgrep -fx "sleep $1" | wc -l)" = "$2" ]; }

for place in box farbox; do
    check "$place: a command runs in the container" equal "$(sbx exec $place 'cat /proc/1/comm'; echo $?)" "$(printf 'docker-init\n0')"
    sbx exec $place 'exit 41'
    check '... and ends with its own code' equal "$?" 41
    nap=$(nap 1)
    sbx exec -t 2 $place "setsid sleep $nap & sleep $nap"
    check '... a limit kills in there' equal "$? $(err)" "124 sbx: $place: timed out after 2 s; all of it is dead"
    check '... all of it' naps "$nap" 0
    nap=$(nap 2)
    "$SBX" -F "$SSHD_CONFIG" exec $place "setsid sleep $nap & sleep $nap" >/dev/null 2>&1 </dev/null &
    client=$!
    within 20 naps "$nap" 2
    kill -KILL $client
    check '... and so does the death of the client' within 10 naps "$nap" 0
done
nap=$(nap 3)
sbx exec box "sleep $nap >/dev/null 2>&1 &"
sleep 4
check 'what is left in the background lives on' naps "$nap" 1
check 'it has a terminal' equal "$(sbx exec --pty box "$sized")" "$(printf '24 80\r')"
head -c 3000000 /dev/urandom >"$SSHD_DIR/bytes"
check 'bytes come back as they went' equal \
    "$(timeout 60 "$SBX" -F "$SSHD_CONFIG" exec --stdin box cat <"$SSHD_DIR/bytes" | cksum)" "$(cksum <"$SSHD_DIR/bytes")"
mkdir -p "$SSHD_DIR/tree/sub" && echo 1 >"$SSHD_DIR/tree/sub/file" && ln -s sub "$SSHD_DIR/tree/link"
sbx sync push "$SSHD_DIR/tree" farbox:/tree >/dev/null
sbx sync pull box:/tree "$SSHD_DIR/back" >/dev/null
check 'a tree goes there and back' diff -r "$SSHD_DIR/tree" "$SSHD_DIR/back"
job=$(sbx --json job start --no-terminal box 'echo done; exit 3' | jq -r .id)
ended() { [ "$(sbx --json job ls box | jq -r 'select(.id == "'"$job"'") | "\(.state) \(.exit_code)"')" = 'exited 3' ]; }
check 'a job runs there to its end' within 20 ended
sbx exec gone true
check 'a container that is not there is one sentence' contains "$(err)" \
    "exec -i nosuch' on 'local' ended with 1 and ran nothing, saying 'Error: No such container: nosuch'"
check_end
