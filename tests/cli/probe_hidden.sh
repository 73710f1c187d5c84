# probe_hidden.sh - where /proc hides the processes of others (hidepid=2), what holds a GPU is
# not taken for nothing: it has no name, and the GPU is in use.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/gpus.sh"

trap 'kill "$held" 2>/dev/null; rm -rf "$T"' EXIT
chmod 711 "$T"
fake_nvidia "$T/fake" l40s-595.80-load
sed -i "s|<used>1235 MiB|<used>30000 MiB|; s|<free>44225 MiB|<free>15459 MiB|" "$T/fake/all.xml"
sleep 600 >/dev/null 2>&1 &
held=$!
cat >"$T/hide" <<END
#!/bin/sh
exec unshare -m /bin/sh -c 'mount -t proc -o hidepid=2 proc /proc || exit 99
    exec setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/tmp "PATH=$T/fake:/usr/bin:/bin" "\$@"' sh "\$@"
END
chmod 755 "$T/hide"
mkdir -p "$XDG_CONFIG_HOME/sbx"
printf '[{"name": "hidden", "prefix": ["%s"]}]\n' "$T/hide" >"$XDG_CONFIG_HOME/sbx/hosts.json"
run -F none exec hidden 'ls -d /proc/[0-9]*/ | wc -l; test -e /proc/1'
check 'over there only its own processes are seen' test "$status" = 1 -a "$(head -n 1 "$T/out")" -lt 20

# As the driver has it: a pid that nobody here can look up.
sed -i "s|<pid>[0-9]*</pid>|<pid>$held</pid>|" "$T/fake/all.xml"
run -F none --json probe --sample 0.1 hidden
check 'it is probed' equal "$status $(jq -r .place "$T/out")" '0 hidden'
check 'who holds the GPU is told by pid, and not whose it is' equal \
    "$(jq -c '.gpus[0].processes[0] | [.pid, .user]' "$T/out")" "[$held,null]"
run -F none pick --gpus 1 --explain hidden
check '  and the GPU is not free' equal "$status" 1

# As a container has it: memory is held, and no process is told of at all.
sed -i '/<process_info>/,/<\/process_info>/d' "$T/fake/all.xml"
run -F none --json probe --sample 0.1 hidden
check 'memory that no visible process holds is told as such' equal \
    "$(jq -c '.gpus[0] | [.processes == [], .memory_unseen == .memory_used, .memory_unseen > 1000000000]' "$T/out")" '[true,true,true]'
run -F none probe --sample 0.1 hidden
check '  in words too' contains "$out" 'held by no process that is to be seen'
run -F none pick --gpus 1 --explain hidden
check '  and is somebody'"'"'s: the GPU is not free' equal "$status" 1
check '  which is said' contains "$out" 'GPUs: 0 of'
run -F none top --once hidden
check '  and shown in the table' contains "$out" 'not to be seen'
check_end
