# code.awk - prints "FILE:LINE:CODE" with what stands in strings and comments left out.
# A comment to the end of the line stays as two slashes, since there should be none.

FNR == 1 {
    in_comment = 0
}

{
    code = ""
    quote = ""
    n = length($0)
    for (i = 1; i <= n; i++) {
        c = substr($0, i, 1)
        pair = substr($0, i, 2)
        if (in_comment) {
            if (pair == "*/") {
                in_comment = 0
                i++
            }
        } else if (quote != "") {
            if (c == "\\")
                i++
            else if (c == quote) {
                code = code c
                quote = ""
            }
        } else if (pair == "/*") {
            in_comment = 1
            i++
        } else if (pair == "//") {
            code = code pair
            break
        } else {
            if (c == "\"" || c == "'")
                quote = c
            code = code c
        }
    }
    if (code !~ /^[ \t]*$/)
        print FILENAME ":" FNR ":" code
}
