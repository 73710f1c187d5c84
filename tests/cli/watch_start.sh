# watch_start.sh - a start has its job watched, and sees to a watchdog; the service of it.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/jobs.sh"
. "$TEST_SUPPORT/watch.sh"
jobs_here
watch_begin

refuses 'a webhook that is none' "webhook 'ftp://x/': it begins with neither https:// nor http://" \
    job start --webhook ftp://x/ local true
refuses 'a secret without a webhook' 'a secret is given, and no webhook' job start --webhook-secret "$SBX" local true
refuses 'certificates without a webhook' 'certificates are given, and no webhook' job start --webhook-ca "$SBX" local true
refuses 'a secret that cannot be read' "read the secret '$T/none': No such file or directory" \
    job start --webhook http://localhost/ --webhook-secret "$T/none" local true
refuses 'nobody who looks, and somebody who is told' "'--no-watch', and somebody is to be told of it" \
    job start --no-watch --notify local true
check 'nothing was started by those' equal "$(sbx job ls local)" ''

run job start --no-watch local true
check 'a job that is not watched' equal "$status $(sbx watch ls -a)" '0 '
run watch status
check '  has no watchdog' equal "$status $(head -n 1 "$T/out")" '1 no watchdog runs'

began=$(date +%s%N)
run job start --no-terminal --events "$T/events" local "while [ ! -e '$T/go' ]; do sleep .2; done; exit 7"
took=$((($(date +%s%N) - began) / 1000000))
id=$out
check 'a start has its job watched' equal "$status $(sbx --json watch ls | jq -r .job)" "0 $id"
check "  and is soon done ($took ms)" test "$took" -lt 5000
run --json watch status
check '  and a watchdog runs' equal "$status $(jq .running "$T/out")" '0 true'
pid=$(jq .pid "$T/out")
check '  in a session of its own, with nothing of ours open' equal "$(ps -o sess= -p "$pid" | tr -d ' ') $(ls -l "/proc/$pid/fd" | grep -c "$T/out")" "$pid 0"
: >"$T/go"
within 20 not_running local "$id"
# A place whose job is new is looked at without delay.
run job start --no-terminal local true
check 'a second start needs no second one' equal "$(sbx --json watch status | jq .pid)" "$pid"
check 'it tells of the end, by itself' within 20 told_of "$id" failed
check '  to whom it was to' within 20 test -e "$(echo "$T"/events/*-failed.json)"
sbx --json watch ls | jq -r .number | while read -r number; do
    sbx watch rm "$number"
done
gone() { [ ! -e "/proc/$pid" ] || grep -q '^State:.*Z' "/proc/$pid/status"; }
check '  and ends when nothing is left to watch' within 20 gone

mv "$XDG_STATE_HOME/sbx/ledger.db" "$T/ledger"
echo 'a letter' >"$XDG_STATE_HOME/sbx/ledger.db"
rm -f "$XDG_STATE_HOME"/sbx/ledger.db-*
run job start --no-terminal local true
check 'where it cannot be watched it starts all the same' equal "$status" 0
check '  and that is told' contains "$err" "$program: not watched: ledger "
mv "$T/ledger" "$XDG_STATE_HOME/sbx/ledger.db"

# The service, as a systemctl that notes its words sees it.
mkdir "$T/bin"
cat >"$T/bin/systemctl" <<END
#!/bin/sh
echo "\$*" >>"$T/called"
[ ! -e "$T/refuse" ] || { echo 'no bus here' >&2; exit 1; }
END
chmod 755 "$T/bin/systemctl"
PATH=$T/bin:$PATH
unit=$XDG_CONFIG_HOME/systemd/user/sbx-watch.service
run watch install
check 'install writes a unit and names it' equal "$status $out" "0 $unit"
check '  that runs this program' contains "$(cat "$unit")" "ExecStart=\"$(readlink -f "$SBX")\" watch run --stand-by"
check '  on this ledger' contains "$(cat "$unit")" "Environment=\"XDG_STATE_HOME=$XDG_STATE_HOME\""
check '  and has it started' equal "$(cat "$T/called")" '--user daemon-reload
--user enable --now sbx-watch.service'
run --json watch status
check '  and status says so' equal "$(jq -c '[.installed, .unit]' "$T/out")" "[true,\"$unit\"]"
: >"$T/called"
run watch uninstall
check 'uninstall stops and removes it' equal "$status $(cat "$T/called" | tr '\n' ' ') $(ls "$XDG_CONFIG_HOME/systemd/user" | wc -l)" \
    '0 --user disable --now sbx-watch.service --user daemon-reload  0'
run watch uninstall
check 'where it is not there that is told' equal "$status $err" "1 $program: it is not installed: there is no '$unit'"
touch "$T/refuse"
run watch install
check 'where it cannot be started that is told' equal "$status $out$err" "1 $unit$program: it is written, and could not be started: systemctl: no bus here
$program: try: $program watch run"
HOME="$T/odd & <home>" XDG_STATE_HOME="$T/a & b" "$SBX" watch install --print launchd >"$T/plist"
python3 - "$T/plist" "$(readlink -f "$SBX")" "$T/a & b" <<'END'
import plistlib, sys
agent = plistlib.load(open(sys.argv[1], "rb"))
assert agent["Label"] == "dev.sbx.watch", agent
assert agent["ProgramArguments"] == [sys.argv[2], "watch", "run", "--stand-by"], agent
assert agent["RunAtLoad"] is True and agent["KeepAlive"] == {"SuccessfulExit": False}, agent
assert agent["EnvironmentVariables"]["XDG_STATE_HOME"] == sys.argv[3], agent
END
check 'the plist of launchd is one that plistlib reads' equal $? 0
check_end
