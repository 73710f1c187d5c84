# mistyped.sh - a word that no resolver knows, and that is nearly the name of a host.
. "$(dirname "$0")/lib.sh"

run -F none host add gpu-lab --host 192.0.2.1
for verb in 'exec gpu-lba true' 'host check gpu-lba'; do
    run -F none $verb
    check "'$verb' tells what was meant" contains "$err" "try: did you mean 'gpu-lab'?"
done
run -F none --json exec gpu-lba true
check 'so does the JSON' contains "$(jq -r .error.fix "$T/out")" "did you mean 'gpu-lab'?"
run -F none exec nothing-like-it.invalid true
check 'what is near to nothing gets no guess' equal "$(echo "$err" | grep -c 'did you mean')" 0
printf 'Host gpu-lba\n    HostName nothing-like-it.invalid\n' >"$T/ssh_config"
run -F "$T/ssh_config" exec gpu-lba true
check 'a host that is known is not taken for another' equal "$(echo "$err" | grep -c 'did you mean')" 0
check_end
