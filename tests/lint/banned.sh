# banned.sh - calls and forms that STYLE leaves out are nowhere.
. "$(dirname "$0")/lib.sh"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$SBX_SOURCE" || exit 1

# code FOLDER...: the code of its C files, without strings and comments.
code() {
    c_files "$@" | xargs -r awk -f "$SBX_SOURCE/tests/lint/code.awk"
}

# free_of FILE WORD...: no line of FILE calls one of these.
free_of() {
    file=$1
    shift
    pattern=$(echo "$*" | sed 's/ /|/g')
    ! grep -E ":[0-9]+:(.*[^A-Za-z0-9_.>])?($pattern) *\\(" "$file"
}

no_goto() {
    ! grep -E ':[0-9]+:(.*[^A-Za-z0-9_])?goto[^A-Za-z0-9_]' "$1"
}

no_slashes() {
    ! grep -E ':[0-9]+:.*//' "$1"
}

code libsandbox cli mcp-stdio bindings tests docs >"$work/all"
code libsandbox/src >"$work/library"
check 'there is code to look at' test -s "$work/library"
check 'no call without a limit' free_of "$work/all" strcpy strcat sprintf vsprintf gets \
    strtok atoi atol atoll alloca
check 'no goto' no_goto "$work/all"
check 'no comment with two slashes' no_slashes "$work/all"
check 'the library starts no shell and changes no environment' free_of "$work/library" \
    system popen setenv putenv unsetenv setlocale
check 'the library does not print' free_of "$work/library" printf vprintf fprintf vfprintf \
    puts fputs putchar perror
check 'the library does not end the process' free_of "$work/library" exit abort assert
check 'the library asks no call that depends on the locale or is unsafe with threads' \
    free_of "$work/library" strerror getpwuid getpwnam localtime gmtime inet_ntoa gethostbyname

# The search itself must find.
cat >"$work/bad.c" <<'END'
/* strcpy(a, b) in a comment */
const char *x = "strcpy(a, b) // goto";
    strcpy(a, b);
    goto end; // here
END
awk -f tests/lint/code.awk "$work/bad.c" >"$work/bad"
check 'a planted call is found' equal "$(free_of "$work/bad" strcpy | wc -l)" 1
check 'a planted goto is found' equal "$(no_goto "$work/bad" | wc -l)" 1
check 'a planted comment is found' equal "$(no_slashes "$work/bad" | wc -l)" 1
check_end
