# docs_python.sh - the Python of docs/python.md and of README does, statement by statement,
# in a lab of that shape, what it is shown to do.
. "$(dirname "$0")/lib.sh"
. "$TEST_SUPPORT/docs_lab.sh"
. "$TEST_SUPPORT/python.sh"

python_build "$T/built" || cat "$T/built"
cd "$T/work" || exit 1
cp train.py proj && echo loss >proj/losses.csv
for place in gpu1 gpu2; do
    "$SBX" exec "$place" 'tmux new-session -d -s night "sleep 1000"' </dev/null
done
printf '#!/bin/sh\necho "epoch 10"; sleep 1\n' >"$T/bin/python"
printf '#!/bin/sh\necho booted\n' >"$T/bin/dmesg"
chmod 755 "$T/bin/dmesg"
(unset SBX_KEEPER && "$SBX" keeper run -b gpu1) >/dev/null 2>&1
$PYTHON -W ignore "$HERE/docs_python.py" "$SBX_SOURCE/docs/python.md" "$SBX_SOURCE/README.md" \
    >"$T/said" 2>&1
cat "$T/said"
check 'all of the pages holds' grep -qx '[1-9][0-9]* statements, 0 failed' "$T/said"
(unset SBX_KEEPER && "$SBX" keeper stop) >/dev/null 2>&1
for place in gpu1 gpu2; do
    "$SBX" exec "$place" 'tmux kill-server' </dev/null 2>/dev/null
done
check_end
