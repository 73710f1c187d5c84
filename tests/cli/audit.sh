# audit.sh - what lasts is noted, shown, and proven to be as it was written.
. "$(dirname "$0")/lib.sh"

ledger=$XDG_STATE_HOME/sbx/ledger.db
run audit show
check 'at first there is nothing' equal "$status $out$err" '0 '
run audit verify
check '  of which nothing was changed' equal "$status $out" '0 0 entries, none changed; the last hash is -'
run -F none lease take local "GPU-$$-a" --purpose 'the audit'
check 'a lease is taken' equal "$status" 0
run -F none lease free local "GPU-$$-a"
run audit show
check 'both are noted' equal "$(awk '{ print $1, $4, $5, $6 }' "$T/out")" "1 lease.take local GPU-$$-a
2 lease.free local GPU-$$-a"
check '  with who did it' contains "$out" "$(id -un)@"
run audit show -k lease.f -n 5
check 'a kind is the whole of it' equal "$status $out" '0 '
run audit show -k lease. -n 1
check '  or all that begin so, and of these the newest' contains "$out" lease.free
run --json audit show --subject "GPU-$$-a" --since 600 -p local
check 'as JSON, an object a line' equal "$(jq -c '[.number, .kind, .place]' "$T/out" | tr '\n' ' ')" \
    '[1,"lease.take","local"] [2,"lease.free","local"] '
run --json audit verify
check 'the chain is whole' equal "$status $(jq -c '[.entries, (.last | length)]' "$T/out")" '0 [2,64]'
check 'the file is the user'"'"'s alone' equal "$(stat -c %a "$ledger")" 600
python3 - "$ledger" <<'END'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("DROP TRIGGER entry_kept")
db.execute("UPDATE entry SET subject = 'GPU-other' WHERE number = 1")
db.commit()
END
run audit verify
check 'an entry that was changed is found' equal "$status $out" '1 '
check '  and named' contains "$err" 'entry 1 is not as it was written'
mkdir "$T/tree"
echo data >"$T/tree/file"
run -F none sync push "$T/tree" "local:$T/copy"
run --json audit show -k sync.
check 'a tree that travelled is noted, with what it was' equal "$(jq -c '[.kind, .place, .subject, .detail.files, .detail.bytes, (.detail.hash | length)]' "$T/out")" \
    "[\"sync.push\",\"local\",\"$T/copy\",1,5,64]"
printf 'a letter of somebody, and no database at all' >"$ledger"
rm -f "$ledger-wal" "$ledger-shm"
run audit show
check 'a file that is no ledger is told of' equal "$status" 2
check '  with what mends it' contains "$err" 'move the file away'
run -F none lease take local "GPU-$$-a"
check 'what was done is done all the same' equal "$status $(contains "$out" "GPU-$$-a" && echo taken)" '0 taken'
check '  and that it was not noted is told' contains "$err" 'not noted: '
check '  and the file is as it was' equal "$(cat "$ledger")" 'a letter of somebody, and no database at all'
run -F none lease free local "GPU-$$-a"
check_end
