# functions.sh - functions and files keep to their size, and each file says what it is.
. "$(dirname "$0")/lib.sh"

cd "$SBX_SOURCE" || exit 1
files=$(c_files libsandbox cli mcp-stdio bindings tests docs)

# clang-format puts the braces of a function, and of nothing else, in column 0.
short_functions() {
    ! awk -v limit=70 '/^\{/ { start = FNR }
        /^\}/ && start { if (FNR - start - 1 > limit)
            print FILENAME ":" start ": " FNR - start - 1 " lines"; start = 0 }
        FNR == 1 { start = 0 }' $files | grep .
}

short_files() {
    ! wc -l $(echo "$files" | grep -v ^tests/) | awk '$1 > 450 && $2 != "total"' | grep .
}

# A source whose header carries the sentence may begin with that header.
sentences() {
    ! awk 'FNR == 1 && !/^\/\*/ && !(FILENAME ~ /\.c$/ && /^#include "/) { print FILENAME }' \
        $files | grep .
}

lines() {
    awk '/^\{/ { start = FNR } /^\}/ && start { print FNR - start - 1; start = 0 }' \
        $(echo "$files" | grep -v ^tests/) | sort -n |
        awk '{ v[NR] = $1 } END { print "functions:", NR, "median:", v[int((NR + 1) / 2)],
            "p90:", v[int(NR * 0.9)], "longest:", v[NR] }'
}

check 'no function has over 70 lines' short_functions
check 'no file has over 450 lines' short_files
check 'each file opens with a sentence' sentences
lines
check_end
