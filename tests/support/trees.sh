# trees.sh - trees of files for tests of sync, and whether two of them are alike.
#
#     . "$TEST_SUPPORT/trees.sh"     T is the test's folder
#     tree many a 200                the words of sync_tree.py
#     alike a b [FLAG]               prints in what they differ

tree() {
    /usr/bin/python3 "$TEST_SUPPORT/sync_tree.py" "$@"
}

# FLAG is one of `tree tell`.
alike() {
    tree tell "$1" $3 >"$T/one" && tree tell "$2" $3 >"$T/two" &&
        test -s "$T/one" && diff "$T/one" "$T/two"
}
