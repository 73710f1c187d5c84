# packages.sh - what the two commands cannot install is named, with what installs it.
. "$TEST_SUPPORT/check.sh"

T=$(mktemp -d "${TMPDIR:-/tmp}/sbxt.XXXXXX") || exit 1
trap 'rm -rf "$T"' EXIT
printf '#!/bin/sh\necho "no network" >&2\nexit 100\n' >"$T/apt-get"
printf '#!/bin/sh\nexit 1\n' >"$T/sudo"
chmod 755 "$T/apt-get" "$T/sudo"

for what in apt-get sudo; do
    [ "$what" = apt-get ] || printf '#!/bin/sh\necho 1000\n' >"$T/id"
    [ ! -f "$T/id" ] || chmod 755 "$T/id"
    PATH=$T:$PATH sh -c ". '$TEST_SUPPORT/packages.sh'; packages_need no-such-package-here" 2>"$T/err"
    check "where $what fails that is a failure" equal "$?" 1
    check '  and the last line can be typed' contains "$(tail -n 1 "$T/err")" \
        'as root: apt-get install no-such-package-here'
done
check_end
