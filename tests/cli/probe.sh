# probe.sh - how busy places are: the machine, GPUs of every kind, tools that fail and hang.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/gpus.sh"

path=$PATH
fake=$T/bin
# ask EXPRESSION: of the JSON that was printed last.
ask() {
    jq -r "$1" "$T/out"
}
probe() {
    PATH=$fake:$path run -F none --json probe --sample 0.1 "$@"
}
# What runs the program that cannot be killed.
wedged() {
    ls -l /proc/[0-9]*/exe 2>/dev/null | sed -n "s|.* /proc/\([0-9]*\)/exe -> $T/wedged/nvidia-smi\$|\1|p"
}
# none_has WORD: of all command lines. The pattern is not the word, so it finds not itself.
none_has() {
    ! grep -q -s -a -e "[$(printf %.1s "$1")]${1#?}" /proc/[0-9]*/cmdline
}
none_wedged() {
    [ -z "$(wedged)" ]
}
end_wedged() {
    for pid in $(wedged); do as_root kill -9 "$pid"; done
    within 10 none_wedged
}
# A probe of a test beside this one is there for a moment.
none_left() {
    [ -z "$(find /dev/shm /tmp /var/tmp "${XDG_RUNTIME_DIR:-/nonexistent}" -maxdepth 2 \
        -path "*/sbx-probe-$(id -u)/*" 2>/dev/null)" ]
}

run -F none probe local
check 'this machine is probed' equal "$status $err" '0 '
check 'it is told in lines' sh -c "grep -q '^local: Linux ' '$T/out' && grep -q '^    gpu      none' '$T/out'"
probe local
check 'the CPUs are counted' equal "$(ask .cpu_count)" "$(getconf _NPROCESSORS_ONLN)"
check 'how busy they are is a share' equal "$(ask '.cpu_busy >= 0 and .cpu_busy <= 1')" true
check 'memory is that of the machine' equal "$(ask .memory_total)" \
    "$(($(awk '/^MemTotal/ { print $2 }' /proc/meminfo) * 1024))"
check 'the machine is named' equal "$(ask '[.hostname, .kernel, .machine, .system] | join(" ")')" \
    "$(uname -n) $(uname -r) $(uname -m) Linux"
check 'the boot is named' equal "$(ask .boot_id)" "$(cat /proc/sys/kernel/random/boot_id)"
check 'the disks are told of' equal "$(ask '[.disks[].name] | join(" ")')" 'folder home tmp'
check 'with their size' equal "$(ask '.disks[2].total')" "$(($(stat -f -c '%S * %b' /tmp)))"
check 'and their inodes' equal "$(ask '.disks[2].inodes_total')" "$(stat -f -c %c /tmp)"
check 'there is no GPU, which is known' equal "$(ask '[.gpu_count, (.gpus | length), .gpus_known] | join(" ")')" \
    ' 0 true'
check 'the clocks agree' equal "$(ask '.clock_skew_ms > -2000 and .clock_skew_ms < 2000')" true
check 'nothing is left behind' within 20 none_left
run -F none --json probe -C /proc local
check 'the folder is the one asked for' equal "$(ask '.disks[0].path')" /proc
run -F none --json probe -C /nonexistent local
check 'one that is not there is told of' contains "$err" "'/nonexistent'"
LC_ALL=de_DE.UTF-8 LANG=de_DE.UTF-8 probe local
check 'the locale does not matter' equal "$status $(ask '.load1 | type')" '0 number'

fake_nvidia "$fake" h100-80gb-hbm3-590.48.01-load
probe local
check 'a GPU is read through the whole way' equal \
    "$(ask '.gpus[0] | [.name, .memory_total, .memory_used, .busy_percent, .power_w] | join(" ")')" \
    'NVIDIA H100 80GB HBM3 85520809984 20780679168 100 629.45'
check 'so are the versions' equal "$(ask '[.cuda, .gpus[0].driver] | join(" ")')" '13.1 590.48.01'
check 'several samples were taken' equal "$(ask '.gpus[0].busy_samples > 1')" true
check 'processes are there' equal "$(ask '.gpus[0].processes | length')" 3
check 'those that cannot be seen have no owner' equal "$(ask '.gpus[0].processes[0].user')" null
check 'the sampling tool does not stay behind' none_has "$fake/nvidia-smi"
check 'nothing is left behind' within 20 none_left
run_person() { PATH=$fake:$path run -F none probe local; }
run_person
check 'a person sees them' grep -q '^    gpu 0    NVIDIA H100 80GB HBM3  59.8G free of 79.6G, 100% busy' "$T/out"
sleep 300 &
pid=$!
sed "s/<pid>11327</<pid>$pid</" "$SBX_SOURCE/tests/fixtures/gpu/nvidia/h100-80gb-hbm3-590.48.01-load.xml" \
    >"$T/own.xml"
fake_nvidia "$fake" "$T/own.xml"
probe local
check 'a process that is to be seen has its owner and its command' equal \
    "$(ask ".gpus[0].processes[] | select(.pid == $pid) | [.user, .command] | join(\" \")")" \
    "$(id -un) sleep 300"
kill $pid
fake_nvidia "$fake" h100-mig-590.48.01-load
probe local
check 'instances come with their UUIDs' equal \
    "$(ask '[.gpus[0].instances[] | [.profile, .uuid[0:4]] | join(" ")] | join(",")')" \
    '3g.40gb MIG-,2g.20gb MIG-,1g.10gb MIG-,1g.10gb MIG-'

while IFS='|' read -r code words; do
    fake_failing "$fake" "$code" "$words"
    probe local
    check "status $code is told with its words" equal "$(ask '.unknown.gpus')" \
        "nvidia-smi failed with status $code: $words"
    check '  the machine is known all the same' equal "$status $(ask '[.gpus_known, (.cpu_count > 0)] | join(" ")')" \
        '0 false true'
done <<'END_OF_LIST'
4|Failed to initialize NVML: Insufficient Permissions
9|NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.
12|NVIDIA-SMI couldn't find libnvidia-ml.so library in your system.
18|Failed to initialize NVML: Driver/library version mismatch
255|Failed to initialize NVML: Unknown Error
END_OF_LIST
fake_failing "$fake" 6 'No devices were found'
probe local
check 'no devices is no failure' equal "$(ask '[.gpus_known, (.gpus | length)] | join(" ")')" 'true 0'

# A child that holds the output, which no signal but KILL ends.
nap=$(nap 77)
fake_hanging "$fake" "$nap"
begin=$(date +%s)
probe -t 4 local
check 'a tool that hangs costs its own part' equal "$status $(ask '[.gpus_known, (.cpu_count > 0), (.disks[0].free > 0)] | join(" ")')" \
    '0 false true true'
check 'and is named' equal "$(ask '.unknown.gpus')" 'nvidia-smi did not answer in time'
check 'its time is bounded' test $(($(date +%s) - begin)) -le 8
check 'neither it nor its child stays behind' none_has "$nap"
check 'nothing is left behind' within 20 none_left

# One that cannot be killed: it belongs to root, and the prober is somebody else.
sshd_start
sshd_user ada /bin/sh
trap 'sshd_cleanup; rm -rf "$T"' EXIT
chmod 755 "$T"
mkdir -p "$T/wedged"
cp "$SBX_BUILD/tests/prog_wedged" "$T/wedged/nvidia-smi"
as_root chown root "$T/wedged/nvidia-smi"
as_root chmod 4755 "$T/wedged/nvidia-smi"
: >"$T/wedged/starts"
chmod 666 "$T/wedged/starts"
cat >"$T/list.json" <<END_OF_LIST
[{"name": "wedged", "host": "127.0.0.1", "port": $SSHD_PORT, "user": "$SSHD_USER",
  "key_file": "$SSHD_DIR/key", $SSHD_TRUST,
  "env": {"PATH": "$T/wedged:/usr/bin:/bin"}}]
END_OF_LIST
run -F none --config "$T/list.json" --json probe --sample 0.1 -t 4 wedged
trap 'end_wedged; sshd_cleanup; rm -rf "$T"' EXIT
check 'a tool that cannot be killed is told of as that' equal "$(ask '.unknown.gpus')" \
    'nvidia-smi did not answer in time, and cannot be killed'
starts=$(wc -l <"$T/wedged/starts")
run -F none --config "$T/list.json" --json probe --sample 0.1 -t 4 wedged
check 'it is not started on top of itself' equal "$(wc -l <"$T/wedged/starts")" "$starts"
check 'and that is told' contains "$(ask '.unknown.gpus')" 'was not started: an earlier one still hangs (pid '
check 'it does not cost its time again' equal "$(ask '.duration_ms < 2500')" true
end_wedged
run -F none --config "$T/list.json" --json probe --sample 0.1 -t 4 wedged
check 'once it is gone, it is started again' test "$(wc -l <"$T/wedged/starts")" -gt "$starts"
end_wedged

rm -rf "$fake"
mkdir "$fake"
printf '#!/bin/sh\ncat %s\n' "$SBX_SOURCE/tests/fixtures/gpu/rocm/mi100_rocm602.json" >"$fake/rocm-smi"
chmod +x "$fake/rocm-smi"
probe local
check 'GPUs of AMD are read by rocm-smi' equal \
    "$(ask '[(.gpus | length), .gpus[3].name, .gpus[3].memory_total] | join(" ")')" \
    '4 Arcturus GL-XL [Instinct MI100] 34342961152'
printf '#!/bin/sh\nexit 0\n' >"$fake/rocm-smi"
probe local
check 'rocm-smi that prints nothing tells of no GPU' equal "$(ask '[.gpus_known, (.gpus | length)] | join(" ")')" 'true 0'
rm "$fake/rocm-smi"
printf '#!/bin/sh\ncat %s/$1.json\n' "$SBX_SOURCE/tests/fixtures/gpu/amd-smi/mi300x" >"$fake/amd-smi"
chmod +x "$fake/amd-smi"
probe local
check 'where there is no rocm-smi, amd-smi is asked' equal \
    "$(ask '[(.gpus | length), .gpus[0].name, .gpus[0].processes[0].command] | join(" ")')" \
    '2 AMD Instinct MI300X python3'

sshd_user bb /bin/sh
bb=$SSHD_USER
busybox_root
as_root mkdir -p "$BUSYBOX_ROOT$SSHD_HOME"
as_root chown "$bb:" "$BUSYBOX_ROOT$SSHD_HOME"
sshd_stop
sshd_start "Match User $bb
ChrootDirectory $BUSYBOX_ROOT"
set -- -F "$SSHD_CONFIG"
run "$@" --json probe --sample 0.1 bb
check 'BusyBox is enough' equal "$status $(ask '[.cpu_count, (.memory_total > 0), (.cpu_busy != null), .gpus_known, (.disks | length)] | join(" ")')" \
    "0 $(getconf _NPROCESSORS_ONLN) true true true 3"
check 'disks are told of there' equal "$(ask '.disks[2].free > 0 and .disks[2].inodes_free > 0')" true
as_root umount -l "$BUSYBOX_ROOT/proc"
run "$@" --json probe --sample 0.1 bb
check 'without /proc the rest is told of' equal "$status $(ask '[(.cpu_count > 0), .memory_total, .cpu_busy, (.disks[2].free > 0)] | map(tostring) | join(" ")')" \
    '0 true null null true'
check 'and what is missing has its reason' equal \
    "$(ask '[.unknown.memory_total, .unknown.cpu_busy] | map(type) | join(" ")')" 'string string'

printf 'Host dead\n    HostName 127.0.0.1\n    Port 1\n' >>"$SSHD_CONFIG"
run "$@" probe ada dead
check 'one that cannot be reached does not hide the others' equal \
    "$status $(grep -c '^ada: ' "$T/out")" '255 1'
check 'and is told of' contains "$err" "'dead'"
run "$@" --json probe dead
check 'its JSON says so' equal "$(ask '[.place, .ok, .error.code] | map(tostring) | join(" ")')" 'dead false SBX_ERR_CONNECT'
refuses 'a place must be named' 'no PLACE given, and no --all' probe
refuses 'so it is for top' 'no --once given: there is no live view yet' top
check_end
