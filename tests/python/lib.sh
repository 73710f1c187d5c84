# lib.sh - builds the binding once for a build folder, and runs one file of its tests.
#
#     sh lib.sh FILE_test.py
#
# The tests have `local` and a real sshd, known as `t` through $SANDBOX_SSH_CONFIG.
. "$TEST_SUPPORT/sshd.sh"

python=/usr/bin/python3
package=$SBX_BUILD/python

# A copy is built: setuptools writes beside what it reads.
build() {
    mkdir -p "$package/from/sandbox" &&
        cp -pu "$SBX_SOURCE"/bindings/python/*.* "$package/from" &&
        cp -pu "$SBX_SOURCE"/bindings/python/sandbox/*.* "$package/from/sandbox" &&
        cd "$package/from" &&
        $python -W ignore setup.py -q build --build-base ../temp --build-lib ../lib &&
        cp -pu "$package"/from/sandbox/*.py "$package/lib/sandbox" && cd "$HOME"
}

sshd_start
HOME=$SSHD_DIR/home
XDG_CONFIG_HOME=$SSHD_DIR/config
XDG_STATE_HOME=$SSHD_DIR/state
SANDBOX_SSH_CONFIG=$SSHD_CONFIG
PYTHONPATH=$package/lib:$SBX_SOURCE/tests/python
PYTHONDONTWRITEBYTECODE=1
export HOME SSHD_DIR XDG_CONFIG_HOME XDG_STATE_HOME SANDBOX_SSH_CONFIG PYTHONPATH PYTHONDONTWRITEBYTECODE
unset REMOTE_SANDBOX_LIST REMOTE_HOST

mkdir -p "$package"
(
    flock 9
    build
) 9>"$package/lock" >"$SSHD_DIR/build_log" 2>&1 || {
    cat "$SSHD_DIR/build_log"
    exit 1
}
$python -W error -m unittest -v "$(basename "$1" .py)"
