# docs_commands.sh - the commands of README and docs do, in a lab of that shape, what they
# are shown to do.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/docs_lab.sh"

python3 "$HERE/docs_commands.py" "$SBX_SOURCE/README.md" \
    $(ls "$SBX_SOURCE"/docs/*.md | grep -v python.md) >"$T/said" 2>&1
grep -v ' commands, ' "$T/said"
check 'all commands of the pages hold' grep -qx '[1-9][0-9]* commands, 0 failed' "$T/said"
check_end
