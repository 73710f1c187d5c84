# watch.sh - jobs are looked after from here: the watchdog tools of the older server.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
sshd_start
# The watchdog that a tool started ends with the test.
watch_cleanup() {
    pid=$("$SBX" --json watch status 2>/dev/null | jq -r 'select(.pid > 0) | .pid')
    [ -z "$pid" ] || kill -KILL "$pid"
    sshd_cleanup
    rm -rf "$T"
}
trap watch_cleanup EXIT
hosts_of_sshd t
mkdir "$T/bin"
ln -s "$SBX" "$T/bin/sbx"
PATH=$T/bin:$PATH
ask watch.py
check_end
