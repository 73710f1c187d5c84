# keeper.sh - a server for keepers of the test's own, in a runtime folder of its own.
#
#     . "$TEST_SUPPORT/keeper.sh"     after lib.sh and sshd.sh
#     keeper_lab                      keepers are on, and end with the test

keeper_lab() {
    XDG_RUNTIME_DIR=$T/run
    export XDG_RUNTIME_DIR
    unset SBX_KEEPER
    mkdir -m 700 "$XDG_RUNTIME_DIR"
    sshd_start
    trap 'SBX_KEEPER= "$SBX" keeper stop; sshd_cleanup; rm -rf "$T"' EXIT
}
