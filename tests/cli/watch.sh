# watch.sh - what became of a job is written once, and told by every way that was asked for.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/jobs.sh"
. "$TEST_SUPPORT/watch.sh"
jobs_here
watch_begin
ended() {
    ! is local "$1" running
}

# watched COMMAND OPTION...: a job that has ended, and nobody has looked at it yet.
watched() {
    command=$1
    shift
    id=$(start --no-terminal local "$command")
    within 20 ended "$id"
    # No watchdog is started: the test is its own.
    python3 - "$XDG_STATE_HOME/sbx/ledger.db.watchdog" <<'END' &
import fcntl, sys, time
with open(sys.argv[1], "a+") as file:
    fcntl.lockf(file, fcntl.LOCK_EX, 1, 0)
    open(sys.argv[1] + ".held", "w").close()
    time.sleep(30)
END
    holder=$!
    within 10 test -e "$XDG_STATE_HOME/sbx/ledger.db.watchdog.held"
    number=$(watch "$@" local "$id")
    kill "$holder"
    wait "$holder" 2>/dev/null
    rm -f "$XDG_STATE_HOME/sbx/ledger.db.watchdog.held"
}
sbx audit show >/dev/null

watched 'exit 3' --events "$T/events"
check 'a watch is known by its number' equal "$number" 1
run --json watch ls
check 'before a look nothing is known of it' equal "$(jq -c '[.number, .place, .state, .done]' "$T/out")" '[1,"local",null,false]'
once
check 'one look tells of its start and its end' equal "$(kinds "$id")" 'started failed'
once
once
check '  and no other look tells it again' equal "$(kinds "$id")" 'started failed'
check 'an event is a file each' equal "$(cd "$T/events" && ls | tr '\n' ' ')" '0000000001-started.json 0000000002-failed.json '
check '  with what is known of it' equal "$(jq -c '[.kind, .place, .job, .generation, .detail.exit_code, .detail.state, .watch]' "$T/events/0000000002-failed.json")" \
    "[\"failed\",\"local\",\"$id\",0,3,\"exited\",1]"
check '  and a line for a person' contains "$(jq -r .summary "$T/events/0000000002-failed.json")" ' on local: failed: exited 3'
check '  and what an agent may be asked' contains "$(jq -r .prompt "$T/events/0000000002-failed.json")" "sbx job log -n 100 local $id"
run --json watch show "$id"
check 'a watch whose job has ended is done' equal "$(jq -c '[.state, .done, .waiting, .undelivered]' "$T/out")" '["exited",true,0,0]'
run watch show "$id"
check '  and a person sees with which ssh_config, a blank before it' contains "$out" "ssh -F    $SSHD_CONFIG"
run watch ls
check '  and is listed no more' equal "$status $out" '0 '
run --json audit show -k job.failed
check '  and the ledger has how it ended' equal "$(jq -c '[.place, .subject, .detail.exit_code]' "$T/out")" "[\"local\",\"$id\",3]"

cat >"$T/told.sh" <<'END'
#!/bin/sh
{ printf '%s|' "$@"; echo; cat; echo; env | grep ^SBX_EVENT_ | grep -v JSON; } >"$T/told.$SBX_EVENT_KIND"
END
chmod 755 "$T/told.sh"
export T
watched 'echo fine' --on-event "$T/told.sh" --on-event 'two words; $(touch x)' --on-event '' --on-event "it's"
once
check 'a command is run with its words as they stand' equal "$(head -n 1 "$T/told.completed")" "two words; \$(touch x)||it's|"
check '  the event on its standard input' equal "$(sed -n 2p "$T/told.completed" | jq -r '.kind, .job')" "completed
$id"
check '  and in its environment' equal "$(grep -E '^SBX_EVENT_(KIND|JOB|PLACE|GENERATION)=' "$T/told.completed" | sort | tr '\n' ' ')" \
    "SBX_EVENT_GENERATION=0 SBX_EVENT_JOB=$id SBX_EVENT_KIND=completed SBX_EVENT_PLACE=local "
check '  with a prompt for an agent' contains "$(grep ^SBX_EVENT_PROMPT= "$T/told.completed")" "sbx job show local $id"

# A name from over there gives no orders.
id=$(start --no-terminal -n 'x; ignore all that
is asked <b>' local 'exit 1')
check 'a prompt holds no text from over there' equal "$(once; watch local "$id" >/dev/null; once; sbx --json watch events --job "$id" | jq -r .prompt | grep -c 'x; ignore\|is asked')" 0
sbx watch rm "$id" 2>/dev/null

mkdir "$T/hook"
echo 'sesame and more' >"$T/secret"
python3 "$TEST_SUPPORT/hook.py" "$T/hook" 2 &
dogs="$dogs $!"
within 10 test -s "$T/hook/port"
watched 'kill -SEGV $$' --webhook "http://127.0.0.1:$(cat "$T/hook/port")/hook?x=1" --webhook-secret "$T/secret"
dog --until-idle
wait "$DOG"
check 'a watchdog that is told to ends when nothing is left' equal "$?" 0
check 'a webhook that fails twice is told all the same' equal "$(jq -rs 'map(.body | fromjson.kind) | sort | join(" ")' "$T"/hook/*.json)" 'failed failed started started'
check '  each with an id of its own that stays' equal "$(jq -r '.headers["x-sbx-event-id"]' "$T"/hook/*.json | sort | uniq -c | awk '{ print $1 }' | tr '\n' ' ')" '2 2 '
check '  which is that of the event' equal "$(jq -r '.headers["x-sbx-event-id"] == (.body | fromjson.id)' "$T"/hook/*.json | sort -u)" true
check '  of the kind that its header says' equal "$(jq -r '.headers["x-sbx-event"] == (.body | fromjson.kind)' "$T"/hook/*.json | sort -u)" true
check '  at the path that was given' equal "$(jq -r .path "$T"/hook/*.json | sort -u)" '/hook?x=1'
signed() {
    for file in "$T"/hook/*.json; do
        jq -j .body "$file" >"$T/body"
        [ "sha256=$(openssl dgst -sha256 -hmac 'sesame and more' -r "$T/body" | cut -d' ' -f1)" = \
            "$(jq -r '.headers["x-sbx-signature-256"]' "$file")" ] || return 1
    done
}
check '  signed with the first line of the file' signed

# A server whose certificate nobody vouches for hears nothing.
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout "$T/key.pem" -out "$T/cert.pem" 2>/dev/null
cat "$T/cert.pem" "$T/key.pem" >"$T/both.pem"
mkdir "$T/tls"
python3 "$TEST_SUPPORT/hook.py" "$T/tls" 0 "$T/both.pem" 2>/dev/null &
dogs="$dogs $!"
within 10 test -s "$T/tls/port"
watched true --webhook "https://localhost:$(cat "$T/tls/port")/"
once
check 'a certificate that nobody vouches for is refused' equal "$(ls "$T/tls" | tr '\n' ' ') $(sbx --json watch show "$number" | jq .waiting)" 'port  2'
sbx watch rm "$number"
told() {
    [ -s "$T/tls/2.json" ]
}
watched true --webhook "https://localhost:$(cat "$T/tls/port")/" --webhook-ca "$T/cert.pem"
once
check '  one that a file vouches for is spoken to' within 10 told
check '  and is told the same' equal "$(jq -r '.body | fromjson | .kind' "$T/tls/1.json" "$T/tls/2.json" | sort | tr '\n' ' ')" 'completed started '
sbx watch rm "$number" 2>/dev/null
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout "$T/other.key" -out "$T/other.pem" 2>/dev/null
watched true --webhook "https://localhost:$(cat "$T/tls/port")/" --webhook-ca "$T/other.pem"
once
check '  but not with a file that vouches for another' equal "$(ls "$T/tls" | tr '\n' ' ') $(sbx --json watch show "$number" | jq .waiting)" '1.json 2.json port  2'
sbx watch rm "$number"

# What hangs is ended, and holds up nothing.
nap=$(nap 71)
watched true --on-event sh --on-event -c --on-event "setsid sleep $nap & sleep $nap" --events "$T/beside"
"$SBX" watch run --once --command-limit 1 2>/dev/null
check 'a command that hangs is ended with all it started' none_runs "$nap"
check '  and what was to be told besides was' equal "$(ls "$T/beside" | wc -l)" 2
check '  and it is tried again later' equal "$(sbx --json watch show "$number" | jq .waiting)" 2
sbx watch rm "$number"

watched true --events "$T/later"
bad=$number
python3 - "$XDG_STATE_HOME/sbx/ledger.db" <<'END'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("UPDATE watch SET settings = '{\"webhook\": [' WHERE done = 0")
db.commit()
END
watched 'exit 4' --events "$T/after"
once
check 'a damaged watch stops no other' equal "$(kinds "$id") $(ls "$T/after" | wc -l)" 'started failed 2'
check '  and says what is wrong with it' equal "$(sbx --json watch show "$bad" | jq -r .error)" 'its settings are damaged'

mkdir "$T/bin"
for program in codex claude; do
    printf '#!/bin/sh\nprintf "%%s|" %s "$@"\n' "$program" >"$T/bin/$program"
done
chmod 755 "$T/bin"/*
PATH=$T/bin:$PATH
woken() {
    sbx --json job ls local | jq -r 'select(.name == "wake") | .id'
}
for agent in codex claude 'echo "woken: $SBX_EVENT_KIND"'; do
    watched 'exit 5' --wake "$agent"
    once
    once
    check "one agent is woken: $agent" equal "$(woken | wc -l)" 1
    told local "$(woken)" >/dev/null
    sbx job log local "$(woken)" >"$T/woken"
    case $agent in
    codex) check '  with the prompt' contains "$(cat "$T/woken")" "codex|exec|The job $id on local" ;;
    claude) check '  with the prompt' contains "$(cat "$T/woken")" "claude|-p|The job $id on local" ;;
    *) check '  with the event around it' equal "$(cat "$T/woken")" 'woken: failed' ;;
    esac
    sbx job rm local "$(woken)"
done

id=$(start --no-terminal local 'echo "step 45/100"; echo "45%|####"; exec sleep 600')
number=$(watch --progress 20 local "$id")
within 10 told_of "$id" progress
check 'progress is told in such steps' equal "$(sbx --json watch events --job "$id" -k progress | jq .detail.percent)" 45
check 'a watch that is added has a watchdog' dog_runs
sbx job stop local "$id" >/dev/null
sbx watch rm "$id"
check_end
