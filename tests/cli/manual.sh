# manual.sh - every command and option is in the manual page and in docs/cli.md.
. "$(dirname "$0")/lib.sh"

man_source=$SBX_SOURCE/docs/man/sbx.1.scd
page=$SBX_SOURCE/docs/cli.md

# The part of the manual page below the heading of that name.
man_part() {
    awk -v want="# $1" '/^# / { on = $0 == want } on' "$man_source"
}

# The part of docs/cli.md about a command: its section, or that of its group.
page_part() {
    awk -v want="${1%% *}" '/^## / { on = want == "" ? /every command/ : index($0, want) } on' "$page"
}

has() {
    printf '%s\n' "$1" | grep -q -F -- "$2"
}

tab=$(printf '\t')
"$SBX" __options >"$T/options"
count=0
while IFS= read -r line; do
    command=${line%%"$tab"*}
    rest=${line#*"$tab"}
    option=${rest%%"$tab"*}
    argument=${rest#*"$tab"}
    count=$((count + 1))
    heading=$(printf '%s' "${command:-options of every command}" | tr '[:lower:]' '[:upper:]')
    if [ -z "$option" ]; then
        check "the manual page has a part on '$command'" test -n "$(man_part "$heading")"
        check "docs/cli.md tells of '$command'" grep -q -F -- "sbx $command" "$page"
        continue
    fi
    check "the manual page has '$command $option $argument'" \
        has "$(man_part "$heading")" "*$option*${argument:+ _${argument}_}"
    check "docs/cli.md has '$command $option $argument'" \
        has "$(page_part "$command")" "$option${argument:+ $argument}\`"
done <"$T/options"
check 'there were options to look for' test "$count" -gt 30

# Without an empty line between, two forms would be filled into one paragraph.
check 'each form in the synopsis stands by itself' equal "$(awk '/^# / { on = $2 == "SYNOPSIS" }
    on && before != "" && /^\*sbx\*/ { print } { before = $0 }' "$man_source")" ''
scdoc <"$man_source" >"$T/sbx.1"
check 'scdoc reads the page' equal $? 0
man -l "$T/sbx.1" >"$T/shown" 2>"$T/err"
check 'man shows the page' grep -q 'EXIT STATUS' "$T/shown"
check 'man has nothing to complain of' equal "$(cat "$T/err")" ''
for word in 2 124 128+N 130 141 255; do
    check "the page tells of status $word" grep -q -F "*$word*" "$man_source"
done
for word in XDG_CONFIG_HOME REMOTE_SANDBOX_LIST REMOTE_HOST SSH_ASKPASS; do
    check "the page tells of $word" grep -q -F "$word" "$man_source"
done
check_end
