# lib.sh - what the tests of the program share: a home of their own, and `run`.
#
#     run exec local true
#     check 'it ends well' equal "$status" 0
#
# run sets status, and out and err to what was printed; raw bytes are in $T/out, $T/err.
. "$TEST_SUPPORT/check.sh"
. "$TEST_SUPPORT/wait.sh"

HERE=$(cd "$(dirname "$0")" && pwd)
T=$(mktemp -d "${TMPDIR:-/tmp}/sbxt.XXXXXX") || exit 1
trap 'rm -rf "$T"' EXIT
HOME=$T/home
XDG_CONFIG_HOME=$T/config
XDG_STATE_HOME=$T/state
export HOME XDG_CONFIG_HOME XDG_STATE_HOME
mkdir -p "$HOME" "$XDG_CONFIG_HOME/sbx" "$XDG_STATE_HOME"
unset REMOTE_SANDBOX_LIST REMOTE_HOST SSH_ASKPASS SSH_ASKPASS_REQUIRE DISPLAY
program=$(basename "$SBX")

run() {
    timeout -k 5 60 "$SBX" "$@" <"${input:-/dev/null}" >"$T/out" 2>"$T/err"
    status=$?
    out=$(cat "$T/out")
    err=$(cat "$T/err")
}

# refuses 'the sentence' 'first line of the message' ARGS...: status 2, nothing printed.
refuses() {
    sentence=$1
    message=$2
    shift 2
    run "$@"
    check "$sentence" equal "$status $(head -n 1 "$T/err") $(wc -c <"$T/out")" \
        "2 $program: $message 0"
}

# A number of seconds that no other sleep on this machine is told.
nap() {
    echo "$1.$(date +%s)$$"
}

# all_programs FOLDER [BUT]: what a PATH finds, but for one.
all_programs() {
    mkdir -p "$1"
    ln -s -t "$1" /usr/bin/*
    [ /bin -ef /usr/bin ] || ln -s -t "$1" /bin/* 2>/dev/null
    rm -f "$1/$2"
}

# The pids of what runs with that in its command line; a zombie has none.
pids_of() {
    pgrep -f -- "$1"
}

none_runs() {
    [ -z "$(pids_of "$1")" ]
}

one_runs() {
    [ -n "$(pids_of "$1")" ]
}

# The steps of terminal.py, run on a terminal of its own.
on_terminal() {
    SHELL=/bin/bash TERM=xterm-256color python3 "$HERE/terminal.py" "$@" <"$T/steps"
}
steps() {
    printf '%s\n' "$@" >"$T/steps"
}
# shell_on PLACE OPTION...: with the steps; it reads no start-up files but of our own home.
shell_on() {
    place=$1
    shift
    on_terminal "$SBX" -F "$SSHD_CONFIG" shell -e "HOME=$HOME" "$@" "$place"
}
# A shell holds the terminal after us, so that its settings can be looked at.
shell_and_back() {
    on_terminal sh -c "'$SBX' -F '$SSHD_CONFIG' shell -e HOME='$HOME' $1; echo back \$?; read -r x"
}

# A prompt that can be waited for: it is not what was typed to set it.
prompt() {
    steps "send PS1=READY'>'\\r" 'expect READY>' "$@"
}
