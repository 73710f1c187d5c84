# no_paths.sh - no path of one machine, and no package registry, is named in a file.
. "$TEST_SUPPORT/check.sh"

cd "$SBX_SOURCE" || exit 1

# Written so that they do not find themselves.
paths='(^|[^A-Za-z0-9_.$}/-])/(work|tmp/wt|tmp/build-[a-z]+)(/|[^A-Za-z0-9_]|$)'
hosts='pypi[.]org|npmjs[.](org|com)|deb[.]debian[.]org|archive[.]ubuntu[.]com|crates[.]io'
hosts="$hosts|proxy[.]golang[.]org|index[.]docker[.]io|registry-1[.]docker|rubygems[.]org"

free_of() {
    ! grep -rInE --exclude-dir=.git --exclude=.git --exclude-dir=build --exclude-dir=corpus "$1" .
}

check 'no path of one machine' free_of "$paths"
check 'no host of a package registry' free_of "$hosts"
check_end
