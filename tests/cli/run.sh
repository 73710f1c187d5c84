# run.sh - one line from a folder here to a job on a GPU of a lab of two hosts.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/gpus.sh"

sshd_start
chmod 755 "$T"
{
    echo '['
    lab_host gpu1
    home=$SSHD_HOME
    lab_host cpu1
    echo '{"name": "dead", "host": "127.0.0.1", "port": 1}]'
} >"$XDG_CONFIG_HOME/sbx/hosts.json"
run_cleanup() {
    for place in gpu1 cpu1; do
        "$SBX" -F none --json job ls "$place" 2>/dev/null | jq -r .id |
            xargs -r "$SBX" -F none job rm -f "$place" >/dev/null 2>&1
    done
    lab_leases_end
    sshd_cleanup
    rm -rf "$T"
}
trap run_cleanup EXIT
fake_nvidia "$T/gpu1" l40s-595.80-idle
mkdir -p "$T/cpu1"
start() {
    run -F none run --no-watch -t 600 --not dead "$@"
}
live_leases() {
    "$SBX" -F none --json lease ls gpu1 |
        jq -c 'select(.state == "live" and (.gpu | startswith("'"$fake_uuid"'")))'
}
no_lease() {
    [ -z "$(live_leases)" ]
}

mkdir -p "$T/proj/data"
echo 'echo "in $(basename "$PWD") on $CUDA_VISIBLE_DEVICES of $SBX_GPUS, $SBX_CODE"; cat data/x; sleep 600' >"$T/proj/train.sh"
echo 'the data' >"$T/proj/data/x"
echo junk >"$T/proj/junk.o"

start --gpus 1 --vram 20G --dry-run true
check 'a dry run says where' equal "$status $out" '0 gpu1'
check '  and on which GPU' contains "$err" 'gpu1: on GPU-'
check '  and takes nothing' no_lease

run -F none --json run --no-watch --not dead --gpus 1 --vram 20G --sync "$T/proj" --exclude '*.o' -n train -- sh train.sh
check 'it runs' equal "$status $(jq -r '.place, .job.state' "$T/out" | tr '\n' ' ')" '0 gpu1 running '
id=$(jq -r .job.id "$T/out")
gpu=$(jq -r '.gpus[0]' "$T/out")
code=$(jq -r .code "$T/out")
check '  with the files, but what is left out' equal "$(as_root ls "$home/sbx/proj" | tr '\n' ' ')" 'data train.sh '
within 20 eval '"$SBX" -F none job log gpu1 "$id" | grep -q data'
check '  in its folder, on its GPU, told of both' equal "$("$SBX" -F none job log gpu1 "$id" | head -n 1 | tr -d '\r')" \
    "in proj on $gpu of $gpu, $code"
check '  and reads what was brought' contains "$("$SBX" -F none job log gpu1 "$id")" 'the data'
driver=$(jq -r .gpu_driver "$T/out")
"$SBX" -F none --json job show gpu1 "$id" >"$T/shown"
check 'the record of the job names its GPUs, their driver and the code' equal \
    "$(jq -c .labels "$T/shown")" "{\"gpus\":\"$gpu\",\"gpu_driver\":\"$driver\",\"code\":\"$code\"}"
check '  which is a hash' equal "${#code} $driver" '64 595.80'
check '  and a person reads it' contains "$("$SBX" -F none job show gpu1 "$id")" "gpus=$gpu"
pid=$(jq .pid "$T/shown")
check 'the lease is the job'"'"'s' equal "$(live_leases | jq -c '[.gpu, .purpose, .pid, .expires_at]')" \
    "[\"$gpu\",\"train\",$pid,null]"
start --gpus 1 --gpu-model L40S true
check 'a second job gets none that is taken' equal "$status $out" '1 '
check '  and is told so' contains "$err" 'has what is needed'
"$SBX" -F none run --no-watch --not dead --wait --gpus 1 -n later 'echo "later on $CUDA_VISIBLE_DEVICES"' >"$T/later" 2>"$T/later.err" &
later=$!
within 30 grep -q 'asked again every' "$T/later.err"
check 'with --wait it waits' kill -0 "$later"
"$SBX" -F none job stop gpu1 "$id" >/dev/null
wait "$later"
check '  until the GPU is free: the lease ended with the job' equal "$? $(cut -d' ' -f1 "$T/later")" '0 gpu1'
within 20 no_lease
check 'one that ends by itself leaves no lease' no_lease

start --memory 1M -n small 'echo small'
check 'what needs no GPU stays off the GPU host' equal "$status ${out%% *}" '0 cpu1'
check '  and takes none' no_lease
start --gpus 1 --sync "$T/none" true
check 'a folder that is not there is refused before anything' equal "$status $out" '1 '
start --gpus 1 --git true
check 'an option of --sync without it is misuse' equal "$status $out" '2 '
start --gpus 1 -C /nowhere true
check 'a job that cannot start is told' test "$status" -ne 0
check '  and gives its GPU back' no_lease
start --vram 900G true
check 'where none has what is needed the status is 1' equal "$status $out" '1 '
check '  and says what to ask' contains "$err" 'pick --explain'
start --on cpu1 --gpus 1 true
check 'a place named is the only one' equal "$status $out" '1 '
timeout -k 30 -s INT 4 "$SBX" -F none run --no-watch --not dead --wait --cpus 100000 true >/dev/null 2>"$T/err"
check 'who waits for what nobody has can be interrupted' equal "$? $(grep -c 'asked again' "$T/err")" '124 1'
check_end
