# lib.sh - runs one file of the binding's tests.
#
#     sh lib.sh FILE_test.py
#
# The tests have `local` and a real sshd, known as `t` through $SANDBOX_SSH_CONFIG.
. "$TEST_SUPPORT/sshd.sh"
. "$TEST_SUPPORT/python.sh"

sshd_start
HOME=$SSHD_DIR/home
XDG_CONFIG_HOME=$SSHD_DIR/config
XDG_STATE_HOME=$SSHD_DIR/state
SANDBOX_SSH_CONFIG=$SSHD_CONFIG
export HOME SSHD_DIR XDG_CONFIG_HOME XDG_STATE_HOME SANDBOX_SSH_CONFIG
unset REMOTE_SANDBOX_LIST REMOTE_HOST

python_build "$SSHD_DIR/build_log" || {
    cat "$SSHD_DIR/build_log"
    exit 1
}
PYTHONPATH=$PYTHONPATH:$SBX_SOURCE/tests/python
case $1 in
*computers_test.py)
    . "$TEST_SUPPORT/docker.sh"
    trap 'docker_cleanup; sshd_cleanup' EXIT
    docker_start
    ;;
esac
cd "$HOME" && $PYTHON -W error -m unittest -v "$(basename "$1" .py)"
