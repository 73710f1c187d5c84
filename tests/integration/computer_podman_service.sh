# computer_podman_service.sh - computers by the HTTP API of podman's service: made, entered
# and removed as by docker's, and no program of podman's is started.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/podman.sh"

podman_lab
podman_service
sbx() { timeout -k 5 60 "$SBX" -F none "$@" 2>"$PODMAN_DIR/err" </dev/null; }
feed() { timeout -k 5 60 "$SBX" -F none exec --stdin "$@" 2>"$PODMAN_DIR/err"; }
err() { cat "$PODMAN_DIR/err"; }
mkdir "$PODMAN_DIR/nothing" && ln -s /bin/sh /usr/bin/env /usr/bin/date "$PODMAN_DIR/nothing/"
alone() { env PATH="$PODMAN_DIR/nothing" "$SBX" -F none "$@" 2>&1 </dev/null; }
create() { sbx computer create --engine podman -i localhost/sbxt:1 --no-network "$@"; }
naps() { [ "$(pgrep -fx "sleep $1" | wc -l)" = "$2" ]; }

check 'one is made without a program of the engine'\''s' equal \
    "$(alone computer create --engine podman --no-network -i localhost/sbxt:1 -n lone)" local/lone
check '  and shown' contains "$(alone computer show --engine podman lone)" 'local/lone  running'
check '  and entered' equal "$(alone exec local/lone 'cat /proc/1/comm; hostname' | tr '\n' ' ')" 'podman-init lone '
check '  and paused, and goes on' equal \
    "$(alone computer pause --engine podman lone | cut -d ' ' -f 3; alone computer resume --engine podman lone | cut -d ' ' -f 3)" "$(printf 'paused\nrunning')"
check '  and removed' equal "$(alone computer rm --engine podman lone; podman ps -aq | wc -l)" 0
create -n box -m 64M --pids 50 -e 'A=b c' --shell /bin/ash -u 12:34 >/dev/null
check 'it has limits, and gains no privileges' equal \
    "$(podman container inspect sbx-box | jq -c '.[0].HostConfig | [.Memory, .PidsLimit, .Init, .SecurityOpt]')" '[67108864,50,true,["no-new-privileges"]]'
check '  and is as it was asked for' equal "$(sbx exec local/box 'id -u; id -g; echo "$A" $0; ls /sys/class/net; grep NoNewPrivs /proc/self/status' | tr '\t\n' '  ')" '12 34 b c /bin/ash lo NoNewPrivs: 1 '
check 'it is listed' contains "$(sbx computer ls --engine podman)" 'local/box  running  localhost/sbxt:1'
sbx -vv exec local/box 'exit 41'
check 'a status is its own' equal "$? $(grep -c "by the engine at '$PODMAN_DIR/socket'" "$PODMAN_DIR/err")" '41 1'
head -c 20000000 /dev/urandom >"$PODMAN_DIR/bytes"
check '20 MB go in and come back' equal "$(feed local/box cat <"$PODMAN_DIR/bytes" | cksum)" "$(cksum <"$PODMAN_DIR/bytes")"
check 'the streams are apart' equal "$(sbx exec local/box 'echo out; echo err >&2'; err)" "$(printf 'out\nerr')"
nap=$((7000 + $$ % 1000)).1
sbx exec -t 4 local/box "setsid sleep $nap & sleep $nap"
check 'a limit kills in there' equal "$? $(err)" '124 sbx: local/box: timed out after 4 s; all of it is dead'
check '  all of it' naps "$nap" 0
sbx computer rm --engine podman --owner eve box
check 'it is for its owner' contains "$(err)" 'it belongs to '
create -n box >/dev/null
check 'who asks again has the same' contains "$(err)" 'local/box was there'
count=$(podman ps -aq | wc -l)
sbx computer create --engine podman --no-network -i localhost/none:1 -n none
check 'an image that cannot be pulled is told of' contains "$(err)" 'the image is not there, and cannot be pulled'
sbx computer create --engine podman --no-network -i localhost/sbxt:1 -n none -u nobody-at-all
check 'and a user that is not in it' contains "$(err)" 'unable to find user nobody-at-all'
check '  and nothing is left of these' equal "$(podman ps -aq | wc -l)" "$count"
as_root kill "$PODMAN_PID"
within 20 is_gone "$PODMAN_PID"
PODMAN_PID=
unset CONTAINER_HOST
check 'without the service it is entered by the command line' equal "$(sbx exec local/box hostname)" box
sbx computer rm box
check '  and removed' equal "$? $(podman ps -aq | wc -l)" '0 0'
check_end
