# lease.sh - leases of GPUs: taken once, seen by all, dead with their holder, and nobody
# else's to change.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/gpus.sh"

sshd_start
sshd_user ann /bin/sh
ann=$SSHD_USER
sshd_user bob /bin/bash
bob=$SSHD_USER
folder_of() {
    echo "/var/tmp/sbx-leases-$(id -u "$1")"
}
ann_folder=$(folder_of "$ann")
bob_folder=$(folder_of "$bob")
lease_cleanup() {
    as_root rm -rf "$ann_folder" "$bob_folder"
    sshd_cleanup
    rm -rf "$T"
}
trap lease_cleanup EXIT

lease() {
    run -F "$SSHD_CONFIG" lease "$@"
}
# states PLACE: GPU=STATE of this test's, in one line.
states() {
    "$SBX" -F "$SSHD_CONFIG" --json lease ls "$1" |
        jq -r 'select(.gpu | startswith("GPU-'$$'")) | "\(.gpu)=\(.state)"' | sort | tr '\n' ' '
}
a=GPU-$$-a b=GPU-$$-b c=MIG-GPU-$$-c/1/0

lease take ann "$a" "$c" --purpose 'a run of it'
check 'two are taken' equal "$status $err" '0 '
check '  and said as a list says them' contains "$(echo "$out" | sed 's/  \(60\|59\)m  /  an hour  /')" \
    "ann  $a  $ann  live  an hour  a run of it"
lease ls bob
check 'others see whose they are' contains "$out" "bob  $c  $ann  live  "
lease take bob "$a" "$b"
check 'who asks for one of them gets none' equal "$status $out" '1 '
check '  and is told whose it is' contains "$err" "2 wanted, 1 free: $a is $ann's, for a run of it"
check '  and nothing is left of the try' equal "$(states bob)" "GPU-$$-a=live "
lease take bob "$a" "$b" -g 1
check 'of several the free one is taken' contains "$out" "$b"
lease take ann "$a"
check 'nor is it given to its own user twice' equal "$status" 1
lease free bob "$a"
check 'nobody gives up what is not his' equal "$status $out" '0 '
check '  it lives on' contains "$(states bob)" "$a=live"
lease free ann "$a" "$c"
check 'its user does' equal "$status $(states ann)" "0 GPU-$$-b=live "

# The holder.
nap=$(nap 300)
"$SBX" -F "$SSHD_CONFIG" exec --detach-on-hangup ann "echo \$\$; exec sleep $nap" >"$T/pid" &
runner=$!
within 20 test -s "$T/pid"
lease take ann "$a" --pid "$(cat "$T/pid")"
check 'a process holds it' contains "$out" "while $(cat "$T/pid") runs"
lease take ann "$c" --pid 4194303
check 'one that does not run holds nothing' equal "$status $out" '2 '
as_root kill -KILL "$(cat "$T/pid")"
wait "$runner"
check 'the lease dies with it' contains "$(states bob)" "$a=gone"
lease take bob "$a"
check '  and another may have it' equal "$status" 0
lease gc bob
check 'nobody removes the dead of others' contains "$(states ann)" "$a=gone"
lease gc ann
check 'who left them does' equal "$(states ann)" "$a=live $b=live "
lease free bob --all

# What a probe starts, however many hold leases: of each program as it is called, one line.
mkdir "$T/bin"
for tool in date stat rm id awk sed cat ls find; do
    printf '#!/bin/sh\necho %s >>"%s"\nexec %s "$@"\n' "$tool" "$T/started" \
        "$(command -v "$tool")" >"$T/bin/$tool"
done
chmod 755 "$T/bin"/*
lease take ann "$c"
lease take bob "$b"
env PATH="$T/bin:$PATH" "$SBX" probe local >"$T/out"
check 'the leases of all cost a probe one program' \
    equal "$(sort "$T/started" | tr '\n' ' ')" 'date rm stat stat '
lease free ann "$c"
lease free bob "$b"

# What a file says of another's, or of another time.
lease take ann "$a" --for 1
within 20 eval 'case $(states bob) in *"$a=expired"*) ;; *) false ;; esac'
check 'its time ends it' contains "$(states bob)" "$a=expired"
lease take ann "$a"
as_root sed -i 's/^0 0 .*/0 0 another-boot/' "$ann_folder/$a"
check 'so does a reboot' contains "$(states bob)" "$a=reboot"
as_root sh -c "printf '%s\nx y\nz\n' '$a' >'$ann_folder/$a'"
check 'what is not understood is not live' contains "$(states bob)" "$a=unknown"
lease free ann --all
forge="cd /var/tmp; rm -rf sbx-leases-$(id -u "$ann"); mv sbx-leases-$(id -u "$ann") sbx-leases-1;
echo x >sbx-leases-$(id -u "$ann")/'$b'; ls sbx-leases-$(id -u "$ann")"
lease take ann "$b"
"$SBX" -F "$SSHD_CONFIG" exec bob "$forge" >"$T/out" 2>/dev/null
check 'another user removes nothing, and writes nothing' equal "$(cat "$T/out")" "$b"
lease free ann --all
as_root rm -rf "$ann_folder"
"$SBX" -F "$SSHD_CONFIG" exec bob "cp -r /var/tmp/sbx-leases-$(id -u "$bob") $ann_folder;
printf '%s\n0 0 %s\n0 1 1\n' '$a' \"\$(cat /proc/sys/kernel/random/boot_id)\" >$ann_folder/'$a'"
check 'a folder in the name of another counts for nothing' equal "$(states bob)" ''
lease take ann "$a"
check '  and that it is in the way is told' contains "$err" 'no folder for leases that is ours'
as_root rm -rf "$ann_folder"

# Many at once, of which some are killed.
for i in 1 2 3 4 5 6 7 8 9 10; do
    for user in ann bob; do
        "$SBX" -F "$SSHD_CONFIG" lease take "$user" "$a" "$b" "$c" -g 1 >"$T/won.$user.$i" 2>/dev/null &
        [ $((i % 5)) != 0 ] || kill -KILL $!
    done
done
wait
won=$(cat "$T"/won.*.* | awk '{ print $2 }' | sort)
check 'of twenty at once each GPU went to one' equal "$(echo "$won" | uniq -d)" ''
check '  and none was left over' equal \
    "$("$SBX" -F "$SSHD_CONFIG" --json lease ls bob | jq -r 'select(.state == "live") | .gpu' |
        grep -c -e "-$$-")" 3
lease free ann --all
lease free bob --all

# What is bad is refused.
lease take ann 'a b'
check 'a name that is none' equal "$status $out" '2 '
lease take ann "$a" --purpose 'two
lines'
check 'a purpose of two lines' equal "$status $out" '2 '
lease free ann
check 'nothing to give up' equal "$status $out" '2 '

# pick and take heed them.
fake_nvidia "$T/fake" l40s-595.80-idle
chmod 755 "$T"
printf '[{"name":"lab","host":"127.0.0.1","port":%s,"user":"%s","key_file":"%s",%s,"env":{"PATH":"%s"}}]' \
    "$SSHD_PORT" "$ann" "$SSHD_DIR/key" "$SSHD_TRUST" "$T/fake:/usr/bin:/bin" >"$XDG_CONFIG_HOME/sbx/hosts.json"
chmod 600 "$XDG_CONFIG_HOME/sbx/hosts.json"
run -F "$SSHD_CONFIG" pick --gpus 1 --explain lab
before=$status
run -F "$SSHD_CONFIG" lease take lab --purpose 'a paper'
check 'one that nobody uses is found' equal "$before $status" '0 0'
check '  and taken' contains "$out" "GPU-"
run -F "$SSHD_CONFIG" --json probe lab
cp "$T/out" "$T/probed"
count=$(jq '.gpus | length' "$T/out")
check 'the probe tells of it' equal \
    "$(jq -c '[.gpus[] | select(.leased) | [.lease_user, .lease_purpose]]' "$T/out")" \
    "[[\"$ann\",\"a paper\"]]"
run -F "$SSHD_CONFIG" pick --gpus "$count" --explain lab
check 'pick takes none that is leased, and says so' contains "$status $out" \
    "leased by $ann for a paper"
lease free lab --all

# A GPU goes by the number that top shows, too: it is one lease all the same.
uuid=$(jq -r '.gpus[0].uuid' "$T/probed")
lease take lab 0
check 'one is taken by its number' contains "$status $out" "0 lab  $uuid  "
lease take lab "$uuid"
check '  which is the same as by its UUID' equal "$status" 1
lease free lab 0
check '  and given up by it' contains "$out" "$uuid"
lease take lab 77
check 'a number of none is told' equal "$status $(head -n 1 "$T/err")" \
    "2 $program: there is no GPU 77 on 'lab'"
fake_nvidia "$T/fake" h100-mig-590.48.01-idle
lease take lab 0
check 'one that is split is not taken whole' contains "$status $err" 'try: an instance of it: 0.0'
lease take lab 0.0
check '  but an instance of it' contains "$status $out" '0 lab  MIG-'
lease free lab --all
check_end
