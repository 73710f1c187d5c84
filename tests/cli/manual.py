"""Every command and option that the program has is in its manual page and in docs/cli.md.

Reads `sbx __options` from standard input and prints a line a check, as check.sh does.
"""
import re
import sys

man_source, page_source = sys.argv[1:]
checks = failures = 0


def check(sentence, holds):
    global checks, failures
    checks += 1
    failures += not holds
    print(("ok: " if holds else "FAILED: ") + sentence)


def parts(path, mark):
    """The text below each heading, by the heading's words."""
    found, heading = {}, None
    for line in open(path, encoding="utf-8"):
        if line.startswith(mark):
            heading = line[len(mark):].strip()
        if heading is not None:
            found[heading] = found.get(heading, "") + line
    return found


man = parts(man_source, "# ")
page = parts(page_source, "## ")
page_text = open(page_source, encoding="utf-8").read()


def page_part(command):
    want = command.split(" ")[0]
    return "".join(text for heading, text in page.items()
                   if (want in heading if want else "every command" in heading))


def in_synopsis(command):
    forms = man.get("SYNOPSIS", "").splitlines()
    return any(all(f"*{word}*" in form for word in command.split(" ")) for form in forms)


for line in sys.stdin:
    command, option, argument = line.rstrip("\n").split("\t")
    part = man.get((command or "options of every command").upper(), "")
    if not option:
        check(f"the manual page has a part on '{command}'", part != "")
        check(f"'{command}' is in the synopsis", in_synopsis(command))
        check(f"docs/cli.md tells of '{command}'", f"sbx {command}" in page_text)
        continue
    check(f"the manual page has '{command} {option} {argument}'",
          f"*{option}*" + (f" _{argument}_" if argument else "") in part)
    check(f"docs/cli.md has '{command} {option} {argument}'",
          f"{option}{' ' + argument if argument else ''}`" in page_part(command))
check("there were options to look for", checks > 100)

# Without an empty line between, two forms would be filled into one paragraph.
check("each form in the synopsis stands by itself",
      not re.search(r"[^\n]\n\*sbx\*", man.get("SYNOPSIS", "")))
for word in ("2", "124", "128+N", "130", "141", "255"):
    check(f"the page tells of status {word}", f"*{word}*" in "".join(man.values()))
for word in ("XDG_CONFIG_HOME", "REMOTE_SANDBOX_LIST", "REMOTE_HOST", "SSH_ASKPASS"):
    check(f"the page tells of {word}", word.replace("_", r"\_") in "".join(man.values())
          or word in "".join(man.values()))
print(f"{checks} checks, {failures} failed")
sys.exit(failures > 0)
