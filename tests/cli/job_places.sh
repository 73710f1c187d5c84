# job_places.sh - jobs under other login shells, with BusyBox alone, on a full disk, without a
# home that can be written, and with pids and boots that are not what they were.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/jobs.sh"

sshd_folder
for user in sh:/bin/sh fish:/usr/bin/fish csh:/bin/csh bb:/bin/sh; do sshd_user ${user%%:*} ${user#*:}; done
bb=$SSHD_USER
bb_home=$SSHD_HOME
busybox_root
as_root mkdir -p "$BUSYBOX_ROOT$bb_home"
as_root chown "$bb:" "$BUSYBOX_ROOT$bb_home"
jobs_begin "Match User $bb
ChrootDirectory $BUSYBOX_ROOT"

for place in fish csh bb; do
    id=$(start -n 'it'\''s "odd"' "$place" 'echo $0 | tr -dc a-z/; kill -9 $$')
    check "under $place a death by a signal is told as one" equal "$(told $place "$id")" 'signaled - KILL -'
    id=$(start "$place" 'exit 137')
    check "  and exit 137 as that" equal "$(told $place "$id")" 'exited 137 - -'
    check "  a name comes back" equal "$(sbx --json job ls $place | jq -r 'select(.state == "signaled") | .name')" 'it'\''s "odd"'
    nap=$(nap 63)
    id=$(start "$place" "sleep $nap & sleep $nap")
    sbx job stop -k 1 $place "$id" >/dev/null
    check "  and stop leaves nothing" equal "$(told $place "$id") $(pids_of "$nap" | wc -l)" 'stopped - TERM - 0'
done
id=$(start --no-terminal bb 'trap "echo int; exit 4" INT; kill -INT $$; sleep 9; exit 5')
check 'BusyBox alone keeps signals as they are by default' equal "$(told bb "$id") $(log_of bb "$id")" 'exited 4 - - int '

# What was recorded is of another process, another boot.
home=$(sbx exec sh 'echo $HOME')
id=$(start --no-terminal sh 'sleep 50')
folder=$home/.local/state/sbx/jobs/$id/run.0
check 'it runs' is sh "$id" running
as_root cp "$folder/pid" "$T/pid"
as_root cp "$folder/child" "$T/child"
as_root sed -i 's/^\(pid [^ ]* 0 [0-9]* \)[0-9]*/\11/' "$folder/pid"
as_root sed -i 's/^\(child .*\) [0-9]*$/\1 1/' "$folder/child"
check 'a pid that is another process by now is not the job' equal "$(told sh "$id")" 'lost - - killed'
as_root sh -c "sed 's/[0-9a-f]*-[0-9a-f]*-[0-9a-f]*-[0-9a-f]*-[0-9a-f]*/00000000-0000-0000-0000-000000000000/' '$T/pid' >'$folder/pid'"
as_root cp "$T/child" "$folder/child"
check 'one of another boot is lost by that' equal "$(told sh "$id")" 'lost - - reboot'
as_root cp "$T/pid" "$folder/pid"
check 'its own again, it runs' is sh "$id" running
user=$(sbx exec sh 'id -un')
# What one of them started meanwhile too.
none_is_left() {
    left=$(processes_of "$user")
    [ -z "$left" ] || { as_root kill -9 $left 2>/dev/null; false; }
}
check 'all that the user runs can be killed' within 10 none_is_left
check 'killed with all that watched it, it is lost' equal "$(told sh "$id")" 'lost - - killed'

# Disks.
mkdir "$T/small"
as_root mount -t tmpfs -o size=256k,mode=1777 none "$T/small"
id=$(start -e "XDG_STATE_HOME=$T/small" sh 'dd if=/dev/zero bs=1024 count=1024; echo $?; exit 6')
check 'a job that fills the disk is told as how it ended' within 20 grep -q 'exit 6' "$T/small/sbx/jobs/$id/run.0/status"
run -F "$SSHD_CONFIG" job start --no-watch -e "XDG_STATE_HOME=$T/small" --id full-1 sh 'echo no'
check 'on a full disk nothing starts' equal "$status $(ls "$T/small/sbx/jobs" | grep -c full)" '255 0'
check 'and that is why' contains "$err" "No space left on device"
as_root chmod 555 "$home"
as_root chown root: "$home"
id=$(start -e "XDG_STATE_HOME=$home/nowhere" sh 'exit 3')
check 'without a home that can be written it is kept in /var/tmp' equal "$(told sh "$id")" 'exited 3 - -'
check 'in a folder of its own' equal "$(as_root stat -c '%a %U' /var/tmp/sbx-"$(sbx exec sh 'id -u')")" "700 $(sbx exec sh 'id -un')"
as_root rm -rf /var/tmp/sbx-"$(sbx exec sh 'id -u')"
check_end
