"""sync_gitignore.py - asks git check-ignore and our walk about the same trees.

Usage: sync_gitignore.py DUMP FOLDER written|nested|repository [COUNT [SEED]]. The seed is
fixed, so a failure comes again. A mismatch is printed with the rules of its folder.
"""
import os
import random
import subprocess
import sys

DUMP, FOLDER, KIND = sys.argv[1:4]
COUNT = int(sys.argv[4]) if len(sys.argv) > 4 else 0
SEED = int(sys.argv[5]) if len(sys.argv) > 5 else 4

NAMES = ["a", "b", "ab", "abc", "foo", "foo.o", "foo.c", "bar.o", ".hid", "a b", "t ", "[x]",
         "!x", "#c", "a\\b", "a*b", "a?", "é", "\udcff\udc80", "A", "a-c", "]", "^", "a\nb", "9",
         "x\t", "d"]
FOLDERS = ["a", "b", "foo", "d", "build", "d.d", ".h", "a b", "A", "[x]"]
PIECES = ["*", "*", "?", "**", "***", "[a-c]", "[!a]", "[^b]", "[[:alpha:]]", "[[:digit:]x]",
          "[]a]", "[!]]", "[a-", "[", "[[:bad:]]", "[[:alpha:]", "[a\\-c]", "[\\]]", "[x-\\z]",
          "[--0]", "[/]", "[[:space:][:punct:]]", "[[:upper:]]", "[c-a]", "[a-c-e]", "[[::]]",
          "\\a", "\\*", "\\[", "\\?", "\\\\", "\\", ".", ".o", "foo", "a", "b", "ab", "d", "é",
          "*.o", "x", "\\/", "?*", "*?", "a*", "*b", "[[:blank:]]", "[^[:alnum:]]", "!"]


def rule(rng):
    """One line: mostly sensible, sometimes anything."""
    parts = []
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3, 4])):
        if rng.random() < 0.45:
            parts.append(rng.choice(NAMES[:18] + FOLDERS))
        elif rng.random() < 0.25:
            parts.append("**")
        else:
            parts.append("".join(rng.choice(PIECES) for _ in range(rng.choice([1, 1, 2, 3]))))
    text = rng.choice(["", "", "", "/"]) + "/".join(parts) + rng.choice(["", "", "", "/"])
    if rng.random() < 0.25:
        text = "!" + text
    elif rng.random() < 0.03:
        text = rng.choice(["#", "\\#", "\\!", "//", "/", " "]) + text
    text += rng.choice([""] * 8 + [" ", "  ", "\\ ", "\\  ", "\t", " \\"])
    return text.replace("\n", "")


def rules(rng, most):
    end = rng.choice(["\n", "\n", "\n", "\r\n"])
    lines = [rule(rng) for _ in range(rng.randint(1, most))]
    if rng.random() < 0.1:
        lines.insert(rng.randrange(len(lines) + 1), "")
    if rng.random() < 0.3:
        lines.insert(0, "*")
        lines.insert(1, "!*/")
    text = end.join(lines) + (end if rng.random() < 0.8 else "")
    if rng.random() < 0.05:
        text = "\ufeff" + text
    return text.encode("utf-8", "surrogateescape")


def fill(rng, folder, depth):
    """Files, links and folders below folder; some folders with rules of their own."""
    for name in rng.sample(NAMES, rng.randint(3, 8)):
        path = os.path.join(folder, name)
        if rng.random() < 0.1:
            os.symlink(rng.choice(["a", "nowhere", "."]), path)
        else:
            open(path, "w").close()
    if depth == 0:
        return
    for name in rng.sample(FOLDERS, rng.randint(1, 3)):
        path = os.path.join(folder, name)
        if os.path.lexists(path):
            continue
        os.mkdir(path)
        fill(rng, path, depth - 1)
        if rng.random() < 0.3:
            write(os.path.join(path, ".gitignore"), rules(rng, 3))


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def environment(home):
    return {"HOME": home, "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1",
            "LC_ALL": "C"}


def git(home, repository, *args, data=None):
    return subprocess.run(["git", "-C", repository, *args], env=environment(home), input=data,
                          stdout=subprocess.PIPE, check=False)


def paths_below(root):
    """All of a root but .git: relative paths, as bytes."""
    found = []
    for folder, folders, files in os.walk(os.fsencode(root)):
        if b".git" in folders:
            folders.remove(b".git")
        for name in folders + files:
            found.append(os.path.relpath(os.path.join(folder, name), os.fsencode(root)))
    return sorted(found)


def ignored_by_git(home, repository, root):
    """What git ignores below root, whatever it thinks of root itself."""
    paths = paths_below(root)
    prefix = os.path.relpath(os.fsencode(root), os.fsencode(repository))
    whole = [os.path.normpath(os.path.join(prefix, path)) for path in paths]
    answer = git(home, repository, "check-ignore", "--no-index", "-z", "--stdin",
                 data=b"".join(path + b"\0" for path in whole))
    if answer.returncode not in (0, 1):
        sys.exit("git check-ignore failed")
    ignored = set(answer.stdout.split(b"\0")) - {b""}
    return {path for path, full in zip(paths, whole) if full in ignored}


def ignored_by_us(home, root):
    """Our walk names the top of what stays behind; what is in it stays too."""
    answer = subprocess.run([DUMP, root], env=environment(home), stdout=subprocess.PIPE,
                            check=True)
    tops = set(answer.stdout.split(b"\0")) - {b"", b".git"}
    behind = set()
    for path in paths_below(root):
        parts = path.split(b"/")
        if any(b"/".join(parts[:i + 1]) in tops for i in range(len(parts))):
            behind.add(path)
    return behind


def show_rules(root):
    for folder, folders, files in os.walk(root):
        if ".git" in folders:
            folders.remove(".git")
        if ".gitignore" in files:
            with open(os.path.join(folder, ".gitignore"), "rb") as file:
                print("    %s/.gitignore: %r" % (os.path.relpath(folder, root), file.read()))


def compare(home, repository, root):
    """Prints where the two differ, case by case; returns how many cases do."""
    theirs, ours = ignored_by_git(home, repository, root), ignored_by_us(home, root)
    wrong = sorted(theirs ^ ours)
    cases = sorted({path.split(b"/")[0] for path in wrong})
    for case in cases[:5]:
        for path in [path for path in wrong if path.split(b"/")[0] == case][:4]:
            print("    %r stays behind only for %s" %
                  (path, "git" if path in theirs else "us"))
        show_rules(os.path.join(root, os.fsdecode(case)))
    print("    %d paths, %d ignored, %d differ" %
          (len(paths_below(root)), len(theirs), len(wrong)))
    if not theirs:
        print("    nothing was ignored at all")
        return 1
    return len(cases)


def new_repository(name):
    repository = os.path.join(FOLDER, name)
    home = os.path.join(FOLDER, name + ".home")
    os.makedirs(repository)
    os.makedirs(home)
    git(home, repository, "init", "-q")
    return home, repository


def nested():
    """Many cases in one repository, each a folder with rules of its own."""
    home, repository = new_repository("all")
    for number in range(COUNT):
        rng = random.Random(SEED * 100000 + number)
        case = os.path.join(repository, "case%d" % number)
        os.mkdir(case)
        fill(rng, case, 2)
        write(os.path.join(case, ".gitignore"), rules(rng, 8))
    return compare(home, repository, repository)


def configure(rng, home, repository):
    """The user's own file, named in one of the ways there are."""
    way = rng.randrange(5)
    named = os.path.join(home, "my rules")
    if way == 0:
        os.makedirs(os.path.join(home, ".config/git"))
        named = os.path.join(home, ".config/git/ignore")
    elif way == 1:
        write(os.path.join(home, ".gitconfig"),
              b"[user]\n\texcludesFile = /no\n[Core]\n\tx = 1\n\tExcludesFile = ~/my rules ; no\n")
    elif way == 2:
        write(os.path.join(home, ".gitconfig"), b'[core] excludesfile="' + named.encode() +
              b'" # x\n[core "sub"]\nexcludesfile=/no\n')
    elif way == 3:
        git(home, repository, "config", "core.excludesFile", named)
    write(named, rules(rng, 4))


def repositories():
    """One repository a case, some asked about from a folder inside it."""
    failed = 0
    for number in range(COUNT):
        rng = random.Random(SEED * 1000 + number)
        home, repository = new_repository("r%d" % number)
        inside = rng.choice(["", "", "sub", "sub/deep"])
        root = os.path.join(repository, inside) if inside else repository
        os.makedirs(root, exist_ok=True)
        fill(rng, root, 2)
        configure(rng, home, repository)
        write(os.path.join(repository, ".git/info/exclude"), rules(rng, 3))
        folder = root
        while True:
            write(os.path.join(folder, ".gitignore"), rules(rng, 4))
            if folder == repository:
                break
            folder = os.path.dirname(folder)
        failed += differs_quietly(home, repository, root)
    print("    %d repositories, %d differ" % (COUNT, failed))
    return failed


def differs_quietly(home, repository, root):
    """A root that git ignores as a whole is one that its user names all the same."""
    if git(home, repository, "check-ignore", "-q", "--no-index",
           os.path.relpath(root, repository)).returncode == 0 and root != repository:
        return 0
    theirs, ours = ignored_by_git(home, repository, root), ignored_by_us(home, root)
    if theirs == ours:
        return 0
    print("    %s: only git %r, only us %r" %
          (root, sorted(theirs - ours)[:3], sorted(ours - theirs)[:3]))
    show_rules(repository)
    return 1


WRITTEN = [
    ["/foo**", "a"], ["a/foo**/b"], ["**/foo"], ["foo/**"], ["a/**/b"], ["**/"], ["/**"],
    ["**"], ["*", "!*.c"], ["build/", "!build/keep"], ["build/*", "!build/keep"],
    ["/a", "!a/b"], ["a/", "!a"], ["*/", "!a/"], ["/*", "!/a", "/a/*", "!/a/b"],
    ["\\#c"], ["#c"], ["\\!x"], ["!x"], ["t\\ "], ["t "], ["x\t"], ["a b   "], ["a\\"],
    ["\\"], ["/"], ["//"], ["//a"], ["a//b"], ["./a"], ["a/."], ["../a"], ["a/../b"],
    ["[a-"], ["[]]"], ["[]-a]"], ["[!]a]"], ["[[:alpha:]-9]"], ["[a-[:digit:]]"],
    ["[[:xdigit:]]"], ["[[.a.]]"], ["[\\a-\\c]"], ["a\\b"], ["a\\\\b"], ["a\\*b"], ["a[*]b"],
    ["d/**/**/a"], ["**/**/a"], ["d/**/"], ["**/d/**"], ["d**"], ["**d"], ["d/a**b"],
    ["*a*b*"], ["a***b"], ["?"], ["??"], ["[^/]"], ["d[/]a"], ["d?a"], ["d*a"], ["d/*a"],
    ["\\d/\\a"], ["d\\/a"], ["**\\/a"], ["\ufeffa"], ["", "a"], ["\r", "a"], [" a"], ["a\r"],
]


def written():
    home, repository = new_repository("all")
    for number, lines in enumerate(WRITTEN):
        case = os.path.join(repository, "case%d" % number)
        os.mkdir(case)
        folders = ["", "a", "d", "d/e", "build", "a/foo", "a/foox/y", "foo", "foo/a"]
        for folder in folders:
            os.makedirs(os.path.join(case, folder), exist_ok=True)
        for folder in folders:
            for name in NAMES + ["keep", "foo1", "b"]:
                path = os.path.join(case, folder, name)
                if not os.path.lexists(path):
                    open(path, "w").close()
        write(os.path.join(case, ".gitignore"), "\n".join(lines).encode())
    return compare(home, repository, repository)


KINDS = {"written": written, "nested": nested, "repository": repositories}
sys.exit(1 if KINDS[KIND]() else 0)
