# layers.awk - reads layers.txt, then "FILE:LINE:#include ..." lines, and prints each
# include that no rule allows. With -v edges=FILE it writes the files' graph there.

function words(text, set,   list, n, i) {
    delete set
    n = split(text, list, " ")
    for (i = 1; i <= n; i++)
        set[list[i]] = 1
}

function bad(why) {
    print file ":" line ": " include ": " why
    failed = 1
}

function stem(path) {
    sub(/\.[ch]$/, "", path)
    return path
}

function check_public(name,   allowed) {
    if (file ~ /^libsandbox\/include\//) {
        if (name == "sandbox" || own == name)
            bad("a public header stands without the umbrella")
        return
    }
    if (folder == "")
        return
    if (name == "sandbox")
        bad("no umbrella header inside the library")
    words(public[folder], allowed)
    if (!("*" in allowed) && !(name in allowed))
        bad("not for '" folder "'")
}

function check_quoted(name,   parts, allowed) {
    if (folder == "") {
        if (name ~ /\//)
            bad("a front end includes its own folder and <sandbox/...> only")
        return
    }
    if (split(name, parts, "/") != 2) {
        bad("inside the library a header is \"folder/name.h\"")
        return
    }
    words(layer[folder], allowed)
    if (!(parts[1] in allowed))
        bad("'" folder "' may not include '" parts[1] "'")
    if (edges != "" && stem(name) != own)
        print own, stem(name) > edges
}

function check_system(name,   prefix, allowed, start, ok) {
    for (prefix in door) {
        if (index(name, prefix) != 1)
            continue
        words(door[prefix], allowed)
        ok = 0
        for (start in allowed)
            if (index(file, start) == 1)
                ok = 1
        if (!ok)
            bad("the door to it is " door[prefix])
        return
    }
    if (name ~ /\// && name !~ /^(sys|net|netinet|arpa|linux)\//)
        bad("no door is stated for it in layers.txt")
}

FNR == NR {
    if (match($0, /^(layer|public|door) [^:]*: */)) {
        key = $2
        sub(/:$/, "", key)
        if ($1 == "layer") layer[key] = substr($0, RLENGTH + 1)
        if ($1 == "public") public[key] = substr($0, RLENGTH + 1)
        if ($1 == "door") door[key] = substr($0, RLENGTH + 1)
    }
    next
}

{
    split($0, field, ":")
    file = field[1]
    line = field[2]
    include = $0
    sub(/^[^:]*:[^:]*:[ \t]*/, "", include)
    folder = ""
    own = file
    if (file ~ /^libsandbox\/src\//) {
        own = stem(substr(file, 16))
        folder = own
        sub(/\/.*/, "", folder)
        if (!(folder in layer)) {
            bad("folder '" folder "' is not in layers.txt")
            next
        }
    } else if (file ~ /^libsandbox\/include\/sandbox\//) {
        own = stem(substr(file, 28))
        if (own == "sandbox")
            next
    }
    name = include
    if (!match(name, /["<][^">]*[">]/)) {
        bad("cannot be read")
        next
    }
    kind = substr(name, RSTART, 1)
    name = substr(name, RSTART + 1, RLENGTH - 2)
    if (kind == "\"")
        check_quoted(name)
    else if (name ~ /^sandbox\//)
        check_public(stem(substr(name, 9)))
    else
        check_system(name)
}

END {
    exit failed
}
