# sync_gitignore.sh - our reading of ignore files is git's: the same paths stay behind.
. "$TEST_SUPPORT/check.sh"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
oracle() {
    /usr/bin/python3 "$SBX_SOURCE/tests/integration/sync_gitignore.py" \
        "$SBX_BUILD/tests/sync_ignored_dump" "$work/$1" "$@"
}

mkdir "$work/nested" "$work/repository" "$work/written"
check 'rules written for what is hard are read as git reads them' oracle written
check 'in 400 generated folders with rules the same paths stay behind' oracle nested 400
check 'so they do with rules above the root, of the repository and of the user' \
    oracle repository 40
check_end
