# python.sh - the binding, built once for a build folder.
#
#     . "$TEST_SUPPORT/python.sh"
#     python_build LOG        1 when it does not build: LOG says why; sets PYTHON, PYTHONPATH
#
# Needs SBX_SOURCE and SBX_BUILD.

PYTHON=/usr/bin/python3

# A copy is built: setuptools writes beside what it reads.
python_make() {
    mkdir -p "$PYTHON_PACKAGE/from/sandbox" &&
        cp -pu "$SBX_SOURCE"/bindings/python/*.* "$PYTHON_PACKAGE/from" &&
        cp -pu "$SBX_SOURCE"/bindings/python/sandbox/*.* "$PYTHON_PACKAGE/from/sandbox" &&
        cd "$PYTHON_PACKAGE/from" &&
        $PYTHON -W ignore setup.py -q build --build-base ../temp --build-lib ../lib &&
        cp -pu "$PYTHON_PACKAGE"/from/sandbox/*.py "$PYTHON_PACKAGE/lib/sandbox"
}

python_build() {
    PYTHON_PACKAGE=$SBX_BUILD/python
    PYTHONPATH=$PYTHON_PACKAGE/lib
    PYTHONDONTWRITEBYTECODE=1
    export PYTHONPATH PYTHONDONTWRITEBYTECODE
    mkdir -p "$PYTHON_PACKAGE"
    (
        flock 9
        python_make
    ) 9>"$PYTHON_PACKAGE/lock" >"$1" 2>&1
}
