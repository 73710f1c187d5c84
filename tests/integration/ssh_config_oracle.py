"""ssh_config_oracle.py - asks ssh -G and our reader about random configurations.

Usage: ssh_config_oracle.py DUMP FOLDER [COUNT [SEED]]. The seed is fixed, so a
failure comes again. A mismatch is printed with its files, the key and both values.
What ssh -G prints before it expands it (IdentityFile, ProxyCommand...) is expanded
here, by an implementation of its own.
"""
import concurrent.futures
import hashlib
import os
import pwd
import random
import re
import shutil
import socket
import subprocess
import sys
import threading

DUMP, FOLDER = sys.argv[1], sys.argv[2]
COUNT = int(sys.argv[3]) if len(sys.argv) > 3 else 540
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 20240229

ME = pwd.getpwuid(os.getuid())
ENV = {"SHELL": "/bin/sh", "PATH": os.environ["PATH"],
       "ORACLE_A": "/env/a", "ORACLE_SOCK": "/env/agent.sock", "LC_ALL": "C"}

HOSTS = ["alpha", "beta", "Gamma", "web1.example.org", "web2.example.org", "db.internal",
         "10.0.0.7", "127.1", "::0001", "a-b_c", "bastion"]
USERS = ["root", "alice", "bob", "deploy", ME.pw_name]

LISTS = {
    "ciphers": (["ciphers"], ["aes128-ctr", "aes256-ctr", "aes256-gcm@openssh.com",
                              "chacha20-poly1305@openssh.com"]),
    "macs": (["MACs"], ["hmac-sha2-256", "hmac-sha2-512", "umac-128@openssh.com"]),
    "kexalgorithms": (["KexAlgorithms"], ["curve25519-sha256", "ecdh-sha2-nistp256",
                                          "diffie-hellman-group14-sha256",
                                          "diffie-hellman-group14-sha1"]),
    "hostkeyalgorithms": (["HostKeyAlgorithms"], ["ssh-ed25519", "rsa-sha2-512",
                                                  "ssh-rsa", "ecdsa-sha2-nistp256"]),
    "pubkeyacceptedalgorithms": (["PubkeyAcceptedAlgorithms", "PubkeyAcceptedKeyTypes"],
                                 ["ssh-ed25519", "rsa-sha2-256", "ssh-rsa"]),
}

TOKENS = "%CdhiklnpruL"
FLAGS = ["IdentitiesOnly", "HashKnownHosts", "PasswordAuthentication",
         "KbdInteractiveAuthentication", "ChallengeResponseAuthentication",
         "SkeyAuthentication", "TISAuthentication", "BatchMode", "TCPKeepAlive",
         "KeepAlive"]


def token(rng, letters=TOKENS):
    return "%" + rng.choice(letters)


def path(rng, env=True):
    pieces = ["~/.ssh/", "~root/", "/etc/keys/", "rel/", "~//x/", "~/"]
    text = rng.choice(pieces) + rng.choice(["id", "k%%", "key_"])
    for _ in range(rng.randrange(3)):
        text += rng.choice(["-", "."]) + token(rng)
    if env and rng.random() < 0.2:
        text += "/${ORACLE_A}"
    return text


def quoted(rng, word):
    shape = rng.randrange(6)
    if shape == 0:
        return '"' + word + '"'
    if shape == 1:
        return "'" + word + "'"
    if shape == 2:
        return '"' + word[:1] + '"' + word[1:]
    return word


def spaced(rng, word):
    """A word that needs its quotes, or its backslashes."""
    word = word + rng.choice([" two", "\\\\x", "#no"])
    shape = rng.randrange(3)
    if shape == 0:
        return '"' + word.replace("\\\\", "\\\\\\\\") + '"'
    if shape == 1:
        return "'" + word + "'"
    return word.replace(" ", "\\ ")


def duration(rng):
    return rng.choice(["none", "0", "5", "90", "1m", "1h30m", "2H", "1d", "1w2d", "10s5"])


def algorithms(rng, key):
    words = LISTS[key][1]
    chosen = rng.sample(words, rng.randrange(1, len(words)))
    return rng.choice(["", "", "+", "-", "^"]) + ",".join(chosen)


def hop(rng):
    if rng.random() < 0.2:
        return "ssh://" + rng.choice(["", "u@"]) + rng.choice(["uri", "uri:23", "uri/"])
    return rng.choice(["", "", "u@", "a@b@"]) + rng.choice(
        ["jump", "10.1.1.1", "j-%h", "[::1]", "J.example.org"]) + rng.choice(
            ["", "", ":22", ":2222"])


def jump(rng):
    if rng.random() < 0.15:
        return rng.choice(["none", "NONE"])
    return ",".join(hop(rng) for _ in range(rng.randrange(1, 4))) + rng.choice(
        ["", "", " # why"])


def names(rng):
    words = rng.sample(["LANG", "LC_*", "FOO", "BAR", "X?", "-LC_*", "-F*", "-*"],
                       rng.randrange(1, 4))
    return " ".join(words)


def assignments(rng):
    return " ".join(rng.sample(["A=1", "B=", "C=x=y", '"D=with blank"', "A=2", "E='q q'"],
                               rng.randrange(1, 4)))


def files(rng):
    if rng.random() < 0.1:
        return "none"
    words = [path(rng) for _ in range(rng.randrange(1, 4))]
    if rng.random() < 0.1:
        words = ["~/.ssh/known_hosts", "~/.ssh/known_hosts2"]
    return " ".join(quoted(rng, word) for word in words)


def global_files(rng):
    return rng.choice(["none", "/etc/a", "/etc/a /etc/b", '"/etc/a b" c'])


def forward_agent(rng):
    return rng.choice(["yes", "no", "TRUE", "/run/agent", "$ORACLE_SOCK", "$ORACLE_UNSET"])


def agent(rng):
    return rng.choice(["none", "SSH_AUTH_SOCK", "$ORACLE_SOCK", "$ORACLE_UNSET",
                       "${ORACLE_SOCK}", "~/agent.%r", "/run/%i/a"])


def command(rng):
    return rng.choice(["nc %h %p", "none", "ssh -W '[%h]:%p' %r@gw # all of it",
                       "= x %n %%", "\"quoted\" 'it' %h"])


def host_patterns(rng):
    words = rng.sample(HOSTS + ["*", "*.example.org", "web?.*", "!beta", "!*.internal",
                                "?????", "10.*", "al*a", "*pha", "no-such", "gamma"],
                       rng.randrange(1, 5))
    return " ".join(quoted(rng, word) for word in words)


def criteria(rng):
    lists = ["*.lab.test", "alpha", "*", "*.example.org,!web2*", "gamma,beta", "*.INTERNAL", "real.*",
             "!alpha,*", "10.*", "127.0.0.1"]
    users = ["root", "alice,bob", "*,!deploy", "d*"]
    tests = ["true", "false", "test %h = alpha", "test %n = %h", "test %r = root",
             "test %p -gt 100", "exit 3", "test %k = real.alpha", "test %L = %l",
             "test %u = root; test -n '%C%d%i'"]
    parts = []
    for _ in range(rng.randrange(1, 4)):
        kind = rng.choice(["host", "originalhost", "user", "localuser", "exec", "final",
                           "canonical", "host", "user"])
        negated = "!" if rng.random() < 0.25 else ""
        if kind in ("final", "canonical"):
            parts.append(negated + rng.choice([kind, kind.upper()]))
            continue
        word = rng.choice(tests if kind == "exec" else users if "user" in kind else lists)
        if kind == "exec" or rng.random() < 0.3:
            word = '"' + word + '"'
        parts.append(negated + kind + rng.choice([" ", "=", " = "]) + word)
    if rng.random() < 0.15:
        parts = rng.choice([["all"], ["!all"], ["final", "all"], ["canonical", "all"]])
    return " ".join(parts) + rng.choice(["", "", " # note"])


VALUES = [
    ("HostName", lambda r: r.choice(["real.%h", "%h.example.org", "10.2.3.4", "Upper.%%x",
                                     "127.1", "fe80::0:1"])),
    ("User", lambda r: r.choice(USERS)),
    ("Port", lambda r: r.choice(["22", "2222", "65535", "ssh", "https", "+22"])),
    ("HostKeyAlias", lambda r: r.choice(["Alias-A", "b.alias"])),
    ("IdentityFile", lambda r: r.choice([path(r), path(r), "none", spaced(r, "/k")])),
    ("IdentityFile", path),
    ("IdentityFile2", path),
    ("CertificateFile", path),
    ("IdentityAgent", agent),
    ("ForwardAgent", forward_agent),
    ("ProxyJump", jump),
    ("ProxyCommand", command),
    ("UserKnownHostsFile", files),
    ("GlobalKnownHostsFile", global_files),
    ("StrictHostKeyChecking", lambda r: r.choice(["yes", "no", "ask", "off", "accept-new",
                                                  "TRUE", "false"])),
    ("UpdateHostKeys", lambda r: r.choice(["yes", "no", "ask"])),
    ("VerifyHostKeyDNS", lambda r: r.choice(["yes", "no", "ask"])),
    ("PreferredAuthentications", lambda r: r.choice(["publickey", "publickey,password"])),
    ("NumberOfPasswordPrompts", lambda r: r.choice(["0", "1", "7"])),
    ("PubkeyAuthentication", lambda r: r.choice(["yes", "no", "unbound", "host-bound"])),
    ("DSAAuthentication", lambda r: r.choice(["yes", "no"])),
    ("ConnectTimeout", duration),
    ("ConnectionAttempts", lambda r: r.choice(["1", "4"])),
    ("ServerAliveInterval", duration),
    ("ProtocolKeepAlives", duration),
    ("SetupTimeOut", duration),
    ("ServerAliveCountMax", lambda r: r.choice(["0", "5"])),
    ("AddressFamily", lambda r: r.choice(["any", "inet", "INET6"])),
    ("BindAddress", lambda r: r.choice(["10.9.9.9", "local.name"])),
    ("Compression", lambda r: r.choice(["yes", "no"])),
    ("SendEnv", names),
    ("SetEnv", assignments),
    ("ControlPath", lambda r: r.choice(["none", path(r), path(r)])),
    ("RekeyLimit", lambda r: r.choice(["1G", "500M 1h", "default none", "default 10m",
                                       "64k", "1048576 none", "1.5G 5"])),
    ("RequestTTY", lambda r: r.choice(["yes", "no", "auto", "force"])),
    ("RemoteCommand", lambda r: r.choice(["none", "ls -l '%h' # %r", "echo %% %n"])),
    ("CanonicalizeHostname", lambda r: r.choice(["yes", "no", "always"])),
    ("CanonicalDomains", lambda r: r.choice(["lab.test", "other.test lab.test", "none",
                                             "LAB.test.", "cname.test lab.test"])),
    ("CanonicalizeMaxDots", lambda r: r.choice(["0", "1", "2"])),
    ("CanonicalizeFallbackLocal", lambda r: r.choice(["yes", "yes", "no"])),
    ("CanonicalizePermittedCNAMEs", lambda r: r.choice([
        "none", "*.cname.test:*.lab.test", "*.a.test:*.b.test *.CNAME.test:real.*"])),
    # What is not ours, but must not disturb.
    ("LocalForward", lambda r: "8080 localhost:80"),
    ("ForwardX11", lambda r: "yes"),
    ("ControlMaster", lambda r: "auto"),
    ("ControlPersist", lambda r: "10m"),
    ("Protocol", lambda r: "2"),
    ("IPQoS", lambda r: "af21 cs1"),
    ("LogLevel", lambda r: "QUIET"),
    ("CheckHostIP", lambda r: "no"),
]
for _key, (_words, _) in LISTS.items():
    for _word in _words:
        VALUES.append((_word, lambda r, key=_key: algorithms(r, key)))
for _flag in FLAGS:
    VALUES.append((_flag, lambda r: r.choice(["yes", "no", "True", "FALSE"])))

BROKEN = ["Port 0", "Port x", "User", "BatchMode maybe", "ConnectTimeout 5x", "Match", "User a b",
          "Match all host x", "Match final canonical all", "IdentityFile \"x", "SetEnv A",
          "SendEnv A=1", "ProxyJump a,,b", "StrictHostKeyChecking maybe", "RekeyLimit 3",
          "UserKnownHostsFile a none", "AddressFamily 5", "Match host", "Host \"\"",
          "CanonicalDomains a..b", "CanonicalDomains a none", "CanonicalDomains -x",
          "CanonicalizePermittedCNAMEs a", "CanonicalizePermittedCNAMEs a:",
          "ServerAliveCountMax -1", "ProxyJump @h", "ProxyJump a:0", "Port 70000",
          "HostName %z", "ControlPath %z", "ControlPath ${ORACLE_NOT_SET}",
          "UserKnownHostsFile ~no-such-user-x/k", "RemoteCommand %", "RekeyLimit 1X"]


def line(rng):
    keyword, value = rng.choice(VALUES)
    keyword = rng.choice([keyword, keyword, keyword.lower(), keyword.upper()])
    text = value(rng)
    raw = keyword.lower() in ("proxyjump", "proxycommand", "remotecommand")
    if not raw and " " not in text and '"' not in text and "'" not in text:
        text = quoted(rng, text)
    if not raw and rng.random() < 0.1:
        text += rng.choice([" # comment", " #"])
    between = rng.choice([" ", " ", "\t", "=", " = ", "  "])
    if raw and text.startswith("="):
        between = " "
    return (rng.choice(["", "  ", "\t"]) + keyword + between + text +
            rng.choice(["", "", "", "  ", "\r", "\f"]))


class Case:
    """One configuration: files to write, and the arguments to ask with."""

    def __init__(self, rng, folder):
        self.rng, self.folder, self.files = rng, folder, {}
        self.home = os.path.join(folder, "home")
        self.host = rng.choice(HOSTS)
        self.ignores = rng.random() < 0.3
        self.names = rng.random() < 0.2
        self.arguments = []
        if rng.random() < 0.2:
            self.arguments += ["-l", rng.choice(USERS)]
        if rng.random() < 0.2:
            self.arguments += ["-p", rng.choice(["22", "4022"])]
        self.main = os.path.join(folder, "config")
        self.files[self.main] = self.text(0)

    def include(self, depth):
        name = "inc%d" % len(self.files)
        shape = self.rng.randrange(5)
        if shape == 0:
            return "Include no-such-file /no/such/*"
        if shape == 1:
            target = os.path.join(self.home, ".ssh", name)
            self.files[target] = self.text(depth + 1)
            return "Include " + name
        if shape == 2:
            target = os.path.join(self.home, name)
            self.files[target] = self.text(depth + 1)
            return 'Include "~/%s"' % name
        targets = [os.path.join(self.folder, name + end) for end in ("B.conf", "a.conf")]
        for target in targets:
            self.files[target] = self.text(depth + 1)
        return "Include %s*.conf" % os.path.join(self.folder, name)

    def text(self, depth):
        lines = ["IgnoreUnknown foo*,bar"] if self.ignores and depth == 0 else []
        if self.names and depth == 0:
            lines += ["CanonicalizeHostname " + self.rng.choice(["yes", "always"]),
                      "CanonicalDomains cname.test lab.test"]
        for _ in range(self.rng.randrange(2, 14)):
            kind = self.rng.random()
            if kind < 0.12:
                lines.append("Host " + host_patterns(self.rng))
            elif kind < 0.24:
                lines.append("Match " + criteria(self.rng))
            elif kind < 0.30 and depth < 3 and len(self.files) < 6:
                self.files.setdefault("reserve%d" % len(self.files), None)
                lines.append(self.include(depth))
            elif kind < 0.34:
                lines.append(self.rng.choice(["", "# a comment", "   ", "\t# x \"y"]))
            elif kind < 0.36 and self.ignores:
                lines.append("FooBar some \"words\"")
            elif kind < 0.363:
                lines.append(self.rng.choice(BROKEN))
            else:
                lines.append(line(self.rng))
        return "\n".join(lines) + self.rng.choice(["\n", ""])

    def write(self):
        self.files = {name: text for name, text in self.files.items() if text is not None}
        for name, text in self.files.items():
            os.makedirs(os.path.dirname(name), exist_ok=True)
            with open(name, "w", newline="") as file:
                file.write(text)
            os.chmod(name, 0o600)


def table(rows):
    answer = {}
    for row in rows:
        key, _, value = row.partition(" ")
        answer.setdefault(key, []).append(value)
    return answer


def ask_ssh(case):
    run = subprocess.run(["ssh", "-G", "-F", case.main] + case.arguments + [case.host],
                         env={"HOME": case.home, **ENV}, stdin=subprocess.DEVNULL, capture_output=True,
                         timeout=60, check=False)
    if run.returncode != 0:
        return None, run.stderr.decode()
    return table(run.stdout.decode().splitlines()), run.stderr.decode()


class Ours:
    """Our reader: one process for all questions, for its start is what takes time."""

    def __init__(self):
        self.lock = threading.Lock()
        self.process = subprocess.Popen([DUMP], env=ENV, text=True, bufsize=1,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, case):
        words = [case.home, "-F", case.main] + case.arguments + [case.host]
        with self.lock:
            self.process.stdin.write("\t".join(words) + "\n")
            rows = list(self.answer())
        if rows and rows[0].startswith("refused "):
            return None, rows[0]
        return table(rows), ""

    def answer(self):
        while (row := self.process.stdout.readline()) != "end\n":
            if row == "":
                raise EOFError("our reader has died")
            yield row.rstrip("\n")

    def ends_well(self):
        self.process.stdin.close()
        return self.process.wait(60) == 0


def expander(answer, host):
    """How % and ~ and ${} are replaced, from what ssh -G itself says of the host."""
    remote, port, user = (answer[key][0] for key in ("hostname", "port", "user"))
    here = socket.gethostname()
    alias = answer.get("hostkeyalias", [host])[0]
    values = {"%": "%", "h": remote, "p": port, "r": user, "n": host, "k": alias,
              "d": ME.pw_dir, "u": ME.pw_name, "i": str(os.getuid()), "l": here,
              "L": here.split(".")[0],
              "C": hashlib.sha1((here + remote + port + user).encode()).hexdigest()}

    def tokens(text, env=False):
        shape = r"%(.)|\$\{([^}]+)\}" if env else r"%(.)"
        return re.sub(shape, lambda m: values[m[1]] if m[1] else ENV[m[2]], text)

    def whole(text):
        if text.startswith("~"):
            name, _, tail = text[1:].partition("/")
            home = (pwd.getpwnam(name) if name else ME).pw_dir
            text = home.rstrip("/") + "/" + tail.lstrip("/")
        return tokens(text, True)

    return tokens, whole


def unique(words):
    return list(dict.fromkeys(words))


def assemble(written, key):
    """What ssh makes of "+a", "-a", "^a" over its defaults."""
    head, words = written[:1], written.lstrip("+-^").split(",")
    old = DEFAULTS[key][0].split(",")
    if head == "+":
        return ",".join(old + [word for word in words if word not in old])
    if head == "-":
        return ",".join(word for word in old if word not in words)
    if head == "^":
        return ",".join(words + [word for word in old if word not in words])
    return written


YES_NO = {"true": "yes", "false": "no", "ask": "no", "unbound": "yes", "host-bound": "yes"}
SAME = ["host", "hostname", "user", "port", "hostkeyalias", "preferredauthentications",
        "bindaddress", "addressfamily", "numberofpasswordprompts", "connectionattempts",
        "serveralivecountmax", "controlpath", "remotecommand", "setenv"]
SWITCHES = ["identitiesonly", "hashknownhosts", "updatehostkeys", "passwordauthentication",
            "kbdinteractiveauthentication", "pubkeyauthentication", "batchmode",
            "tcpkeepalive", "compression"]


def expected(theirs, host):
    """The answer of ssh in the form in which our struct holds it."""
    tokens, whole = expander(theirs, host)
    want = {key: theirs.get(key, []) for key in SAME}
    for key in SWITCHES:
        want[key] = [YES_NO.get(word, word) for word in theirs[key]]
    strict = theirs["stricthostkeychecking"][0]
    want["stricthostkeychecking"] = [{"true": "yes", "false": "no"}.get(strict, strict)]
    sock = theirs["forwardagent"][0]
    want["forwardagent"] = [ENV.get(sock[1:], "none") if sock.startswith("$") else sock]
    want["requesttty"] = ["yes" if theirs["requesttty"] == ["force"] else "no"]
    want["connecttimeout"] = [theirs["connecttimeout"][0].replace("none", "0")]
    want["serveraliveinterval"] = theirs["serveraliveinterval"]
    want["rekeylimit"] = [row for row in theirs["rekeylimit"] if row != "0 0"]
    want["sendenv"] = unique(theirs.get("sendenv", []))
    for key in ("identityfile", "certificatefile"):
        want[key] = [whole(row) for row in theirs.get(key, []) if row.lower() != "none"]
    want["proxycommand"] = [tokens(row) for row in theirs.get("proxycommand", [])]
    want["proxyjump"] = [re.sub(r"[][]|ssh://|/(?=,|$)", "", tokens(row))
                         for row in theirs.get("proxyjump", [])]
    for key in ("userknownhostsfile", "globalknownhostsfile"):
        rows = theirs.get(key, [])
        want[key] = " ".join(rows).split() if rows != ["none"] else []
    sock = theirs.get("identityagent", ["SSH_AUTH_SOCK"])[0]
    if sock.startswith("$"):
        sock = ENV.get(sock[1:], "none")
    want["identityagent"] = [] if sock == "SSH_AUTH_SOCK" else [sock]
    for key in LISTS:
        want[key] = theirs[key]
    return want


def found(ours, theirs):
    """Our answer, lists of algorithms put together as ssh does before it prints."""
    have = dict(ours)
    for key in LISTS:
        have[key] = [assemble(word, key) for word in ours.get(key, [])] or DEFAULTS[key]
    have["proxyjump"] = [re.sub(r"[][]", "", row) for row in ours.get("proxyjump", [])]
    for key in ("userknownhostsfile", "globalknownhostsfile"):
        have[key] = " ".join(ours.get(key, [])).split()
    # Debian's ssh pings by default in batch mode; others do not.
    if ours["batchmode"] == ["yes"] and theirs["serveraliveinterval"] == ["300"]:
        if ours["serveraliveinterval"] == ["0"]:
            have["serveraliveinterval"] = ["300"]
    return have


def mismatch(case, key, theirs, ours):
    """The sentence, the question and the files, as one text."""
    rows = ["MISMATCH in %r: ssh says %r, we say %r" % (key, theirs, ours),
            "asked for: %s %s" % (" ".join(case.arguments), case.host)]
    rows += ["--- %s\n%s" % (name, text) for name, text in case.files.items()]
    return "\n".join(rows)


def compare(case):
    """How many values were compared, and a text where one was not the same."""
    case.write()
    theirs, their_text = ask_ssh(case)
    ours, our_text = OURS.ask(case)
    shutil.rmtree(case.folder)
    # It looks names up that cannot become others, and gives up where there is none.
    if theirs is None and "Could not resolve hostname" in their_text:
        return 0, None
    # A host that is its own jump host is found by whoever connects, not by our reader.
    if theirs is None and (ours is None or "jumphost loop" in their_text):
        return 0, None
    if theirs is None or ours is None:
        return 0, mismatch(case, "(refused)", their_text or "accepted",
                           our_text or "accepted")
    want, have = expected(theirs, case.host), found(ours, theirs)
    for key, value in want.items():
        if have.get(key, []) != value:
            return 0, mismatch(case, key, value, have.get(key, []))
    if "warning" in ours:
        return 0, mismatch(case, "warning", None, ours["warning"])
    return len(want), None


def main():
    rng = random.Random(SEED)
    cases = [Case(rng, os.path.join(FOLDER, "case%d" % number)) for number in range(COUNT)]
    values = refused = 0
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for number, (count, text) in enumerate(pool.map(compare, cases)):
            if text is not None:
                print("%s\nconfiguration %d of seed %d" % (text, number, SEED))
                pool.shutdown(cancel_futures=True)
                return 1
            values, refused = values + count, refused + (count == 0)
    print("%d configurations compared, %d values, %d refused by both" %
          (len(cases), values, refused))
    return 0 if OURS.ends_well() else 1


class Plain:
    """No configuration at all: what the defaults of ssh are."""
    main, arguments, host, home = "none", [], "plain", FOLDER


DEFAULTS = ask_ssh(Plain)[0]
OURS = Ours()
sys.exit(main())
