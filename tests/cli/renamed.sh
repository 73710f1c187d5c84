# renamed.sh - a build under another name: the program, its help, its completion and its
# manual go by that, and nothing that was installed as sbx is in the way.
. "$(dirname "$0")/lib.sh"

cmake -G Ninja -S "$SBX_SOURCE" -B "$T/build" -DSANDBOX_PROGRAM_NAME=our-sbx2 -DSANDBOX_TESTS=OFF \
    >"$T/log" 2>&1
check 'it can be configured' equal $? 0
for made in cli/our-sbx2 mcp-stdio/our-sbx2-mcp cli/our-sbx2.1; do
    check "a build makes $made" sh -c "ninja -C '$T/build' -t query $made >/dev/null"
done
check 'and installs nothing that is called otherwise' equal \
    "$(cat "$T/build/cli/cmake_install.cmake" "$T/build/mcp-stdio/cmake_install.cmake" |
        grep -o '/sbx[^/"]*"' | sort -u)" ''

# still_sbx FILE: the lines that call the program sbx. A folder, a file, a unit is no program.
still_sbx() {
    ! grep -nE '(^|[^A-Za-z0-9_./~"-])sbx(-mcp)?([^A-Za-z0-9_./:-]|$)' "$1"
}
ninja -C "$T/build" man >>"$T/log" 2>&1
man -l "$T/build/cli/our-sbx2.1" >"$T/shown" 2>"$T/err"
check 'man shows its manual' equal "$(cat "$T/err")$(head -n 1 "$T/shown" | cut -d' ' -f1)" 'our-sbx2(1)'
check '  which calls it so everywhere' still_sbx "$T/shown"
check '  with the files where they are' grep -q '/sbx/hosts.json' "$T/shown"

mkdir "$T/bin"
ln -s "$SBX" "$T/bin/our-sbx2"
PATH=$T/bin:$PATH
export PATH
our-sbx2 __options | cut -f1 | sort -u >"$T/commands"
while read -r command; do
    our-sbx2 help $command
done <"$T/commands" >"$T/help"
check 'so does its help' still_sbx "$T/help"
check '  with the paths of its completion' grep -q '/our-sbx2.fish$' "$T/help"
our-sbx2 output xyz 2>"$T/err"
check 'and what it says to try' still_sbx "$T/err"
printf '%s\n' 'send source <(our-sbx2 completion bash); echo "rea""dy"\r' 'expect ready' \
    'send our-sbx2 ex\t' 'expect ec ' >"$T/steps"
check 'bash completes it' sh -c 'PS1="> " TERM=dumb /usr/bin/python3 "$0" bash --norc -i <"$1"' \
    "$HERE/terminal.py" "$T/steps"
check_end
