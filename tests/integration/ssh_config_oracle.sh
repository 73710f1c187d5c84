# ssh_config_oracle.sh - our reader of ssh_config says what `ssh -G` says.
. "$TEST_SUPPORT/check.sh"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
check 'the reader agrees with ssh -G' /usr/bin/python3 \
    "$SBX_SOURCE/tests/integration/ssh_config_oracle.py" \
    "$SBX_BUILD/tests/ssh_config_dump" "$work"
check_end
