# pick.sh - a lab of four hosts with GPUs that are faked: who is taken, and what top shows.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/gpus.sh"

sshd_start
chmod 755 "$T"
{
    echo '['
    for name in gpu1 gpu2 gpu3; do lab_host $name; done
    lab_host cpu1 other
    echo '{"name": "dead", "host": "127.0.0.1", "port": 1, "tags": ["gone"]}]'
} >"$T/list.json"
lab() {
    run -F none --config "$T/list.json" "$@"
}
ask() {
    jq -r "$1" "$T/out"
}
reasons() {
    jq -r --arg p "$1" '.hosts[] | select(.place == $p).reasons | join("; ")' "$T/out"
}

# gpu1: in use; gpu2: an L40S that nobody uses; gpu3: a larger one that nobody uses.
fake_nvidia "$T/gpu1" h100-80gb-hbm3-590.48.01-load
fake_nvidia "$T/gpu2" l40s-595.80-idle
fake_nvidia "$T/gpu3" h200-590.48.01-idle
mkdir -p "$T/cpu1"

lab pick -t 30 --gpus 1 --vram 20G
check 'the right size is taken' equal "$status $out" '0 gpu2'
lab pick -t 30 --gpus 1 --vram 20G --explain
check 'each host is explained, the best first' equal \
    "$(awk '/^[a-z]/ { print $1, $2 }' "$T/out" | sort -k2,2r -k1,1 | tr '\n' ' ')" \
    'gpu2 take cpu1 no dead no gpu1 no gpu3 fits '
check 'the first line is the one to take' grep -q '^gpu2  take ' "$T/out"
check 'with the GPU' sh -c "sed -n 2p '$T/out' | grep -q 'on GPU-'"
check 'who is in the way is named' grep -q 'gpu_burn' "$T/out"
check 'what is missing is' sh -c "grep -q 'GPUs: there are none' '$T/out' && grep -q '^dead  *no .*refused' '$T/out'"
check 'numbers and ages are there' grep -q -E 'memory, GPUs: 1 would do, [0-9]+ s old' "$T/out"
lab --json pick -t 30 --gpus 1 --vram 100G
check 'a large need takes the large one' equal "$(ask '.place')" gpu3
check 'its UUID is told' equal "$(ask '.gpus[0][0:4]')" GPU-
check 'why not the others is told' contains "$(reasons gpu2)" '44.4 GiB free of 45.0, 100.0 needed'
check 'each has an idle score' equal "$(ask '[.hosts[] | .idle_score >= 0 and .idle_score <= 1] | all')" true
lab pick -t 30 --gpus 1 --gpu-model 'h[12]00' --vram 20G
check 'a model is asked for by expression' equal "$status $out" '0 gpu3'
lab pick -t 30 --gpus 1 --not gpu2 --tag lab
check 'one may be left out' equal "$status $out" '0 gpu3'
lab pick -t 30 --memory 16M --tag lab cpu1
check 'what needs no GPU leaves them alone' equal "$status $out" '0 cpu1'
lab pick -t 30 --gpus 2 --tag lab
check 'where none fits the status is 1' equal "$status $out" '1 '
check 'and says how to learn why' contains "$err" 'none of 3 places has what is needed'

fake_hanging "$T/gpu2" "$(nap 66)"
lab --json pick -t 6 --gpus 1 --vram 20G gpu2 gpu3
check 'a host whose tool hangs is not taken' equal "$(ask '.place')" gpu3
check 'and says so' contains "$(reasons gpu2)" 'nvidia-smi did not answer in time'
fake_nvidia "$T/gpu2" h100-mig-590.48.01-load
lab --json pick -t 30 --gpus 1 --vram 15G gpu1 gpu2
check 'an instance is taken by its UUID' equal "$(ask '[.place, .gpus[0][0:4]] | join(" ")')" 'gpu2 MIG-'

lab top --once -t 30
check 'all places stand in one table' equal \
    "$(awk 'NR > 1 && /^[a-z]/ { print $1 }' "$T/out" | tr '\n' ' ')" 'local gpu1 gpu2 gpu3 cpu1 dead '
check 'the status is that of a table' equal "$status $err" '0 '
check 'the columns have names' equal "$(head -n 1 "$T/out" | tr -s ' ')" \
    'PLACE CPU MEMORY GPU MODEL VRAM BUSY WHO AGE'
check 'a GPU is on the line of its host' grep -q -E '^gpu3 .* 0 +NVIDIA H200 ' "$T/out"
check 'instances are below theirs' grep -q -E '^ +0\.3 +1g\.10gb ' "$T/out"
check 'a dead host is told as dead' grep -q '^dead  *dead: .*refused' "$T/out"
check 'a pipe gets no colours and no bars' sh -c "! grep -q '[#]' '$T/out' && ! grep -q '$(printf '\033')' '$T/out'"
lab --json top --once -t 30 gpu1 dead
check 'JSON has a line for each' equal "$(jq -r '[.place, (if .ok == false then .ok else .gpus[0].name end)] | map(tostring) | join(" ")' "$T/out" | tr '\n' ',')" \
    'gpu1 NVIDIA H100 80GB HBM3,dead false,'
shown="'$SBX' -F none --config '$T/list.json' top --once -t 30 gpu1 gpu3"
script -qec "$shown" /dev/null >"$T/shown" </dev/null
check 'a terminal gets bars' grep -q '###' "$T/shown"
check 'in colour' grep -q "$(printf '\033')\[3[123]m" "$T/shown"
NO_COLOR=1 script -qec "$shown" /dev/null >"$T/shown" </dev/null
check 'unless none is wanted' sh -c "grep -q '###' '$T/shown' && ! grep -q '$(printf '\033')\[3[123]m' '$T/shown'"

# A host that is reached and says nothing: its server is stopped.
kill -STOP "$SSHD_PID"
begin=$(date +%s)
lab top --once -t 3 gpu1 local
kill -CONT "$SSHD_PID"
check 'a slow host is told as slow' grep -q '^gpu1  *slow: ' "$T/out"
check 'and delays nobody beyond the limit' test $(($(date +%s) - begin)) -le 7
check 'the others are there' grep -q -E '^local .*% of ' "$T/out"

refuses 'a need of nothing is refused' "--gpus '0': not a number from 1 to 1024" pick --gpus 0
refuses 'so is a bad expression, before anybody is asked' \
    "pick a place: GPU model '(': Unmatched ( or \\(" pick --gpu-model '(' dead
lab pick --tag nothing
check 'a tag that nobody has is refused' equal "$status" 2
check_end
