# check.sh - says for each expectation of a shell test whether it holds.
#
#     . "$TEST_SUPPORT/check.sh"
#     check 'a command that fails exits with its code' equal "$status" 3
#     check 'the folder is gone' test ! -e "$folder"
#     check_end                       exit code of the test

CHECKS=0
CHECKS_FAILED=0

equal() {
    [ "$1" = "$2" ] || {
        printf "    got:  '%s'\n    want: '%s'\n" "$1" "$2"
        return 1
    }
}

contains() {
    case $1 in
    *"$2"*) ;;
    *)
        printf "    got:  '%s'\n    want: ...'%s'...\n" "$1" "$2"
        return 1
        ;;
    esac
}

check() {
    check_sentence=$1
    shift
    CHECKS=$((CHECKS + 1))
    if "$@"; then
        echo "ok: $check_sentence"
    else
        CHECKS_FAILED=$((CHECKS_FAILED + 1))
        echo "FAILED: $check_sentence"
    fi
}

# A test that checked nothing has failed.
check_end() {
    echo "$CHECKS checks, $CHECKS_FAILED failed"
    [ "$CHECKS" -gt 0 ] && [ "$CHECKS_FAILED" -eq 0 ]
    exit $?
}
