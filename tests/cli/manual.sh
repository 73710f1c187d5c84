# manual.sh - every command and option is in the manual page and in docs/cli.md, and the
# page is one that scdoc and man read.
. "$(dirname "$0")/lib.sh"

man_source=$SBX_SOURCE/docs/man/sbx.1.scd
"$SBX" __options >"$T/options"
python3 "$HERE/manual.py" "$man_source" "$SBX_SOURCE/docs/cli.md" <"$T/options" >"$T/told"
check 'every option is told of, on both pages' equal $? 0
grep -v ^ok: "$T/told"
scdoc <"$man_source" >"$T/sbx.1"
check 'scdoc reads the page' equal $? 0
man -l "$T/sbx.1" >"$T/shown" 2>"$T/err"
check 'man shows the page' grep -q 'EXIT STATUS' "$T/shown"
check 'man has nothing to complain of' equal "$(cat "$T/err")" ''
check_end
