"""sync_tree.py - trees for tests of sync, and what they are made of, in lines.

    python3 sync_tree.py make FOLDER          names and kinds that are hard to carry
    python3 sync_tree.py many FOLDER COUNT    small files on three levels
    python3 sync_tree.py tell FOLDER [s]      one line an entry; s: times in seconds

`tell` leaves out what is never carried (fifos, sockets, what a killed sync has left in
.sbx-sync) and the root's own times.
"""
import hashlib
import os
import socket
import stat
import sys

NAMES = [
    b'plain', b'new\nline', b'quo"te', b"ap'os", b'-dash', b'--', b' lead', b'trail ',
    b'bad\xff\xfe', b'\xc3\xa9', b'a' * 255, b'tab\t', b'back\\slash', b'*', b'$HOME',
    b'`x`', b';rm', b'#h', b'~', b'.hidden', b'..x', b'E 0', b'\x01ctl', b'new\n@0@',
    b'!bang', b'%s%n', b'//'.replace(b'//', b' -> '), b'-rf', b'{}', b'new\n',
]
LINKS = [
    (b'plain', b'link'), (b'/etc/passwd', b'absolute'), (b'nowhere', b'dangling'),
    (b'loop', b'loop'), (b'..', b'up'), (b'dir plain', b'to-dir'),
    (b'new\nline tgt', b'lines'), (b'bad\xff', b'bytes'), (b"' -> 'x", b"l' -> '"),
]
YEAR_2017 = 1500000000


def write(path, data=b'x', mode=0o644, ns=None):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as file:
        file.write(data)
    os.chmod(path, mode)
    if ns is not None:
        os.utime(path, ns=(ns, ns))


def make(root):
    def at(name):
        return os.path.join(root, name)

    os.makedirs(root, exist_ok=True)
    for i, name in enumerate(NAMES):
        write(at(name), b'c%d' % i, 0o600 + i % 8,
              YEAR_2017 * 10**9 + 123456789 + i * 1000000007)
        write(at(b'dir ' + name[:200] + b'/' + name), b'in', 0o755)
    write(at(b'empty'), b'')
    write(at(b'exec'), b'#!/bin/sh', 0o755)
    write(at(b'suid'), b's', 0o4755)
    write(at(b'old'), b'o', 0o644, -86400 * 10**9)
    write(at(b'zero'), bytes(3000000) + b'end')
    write(at(b'big'), bytes(i * i % 251 for i in range(300000)))
    write(at(b'/'.join(b'deep%02d' % i for i in range(40)) + b'/end'), b'deep')
    write(at(b'ro/sub/f'), b'1', 0o400)
    for name in (b'emptydir', b'sgid'):
        os.makedirs(at(name))
    for target, name in LINKS:
        os.symlink(target, at(name))
    os.link(at(b'plain'), at(b'hard1'))
    os.link(at(b'plain'), at(b'dir plain/hard2'))
    with open(at(b'sparse'), 'wb') as file:
        file.truncate(20000000)
        file.seek(5000000)
        file.write(b'mid')
    os.mkfifo(at(b'fifo'))
    here = os.open('.', os.O_RDONLY)
    os.chdir(root)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind('sock')
    listener.close()
    os.fchdir(here)
    os.chmod(at(b'sgid'), 0o2775)
    for name in (b'emptydir', b'sgid', b'ro/sub', b'ro', b'dir plain'):
        os.utime(at(name), ns=(13 * 10**17 + 111111111,) * 2)
    os.chmod(at(b'ro/sub'), 0o555)
    os.chmod(at(b'ro'), 0o500)


def many(root, count):
    for i in range(count):
        write(os.path.join(root, b'd%d/e%d/file%05d.txt' % (i // 1000, i // 50 % 20, i)),
              os.urandom(2048).hex().encode())


def tell(root, seconds):
    lines, names = [], {}
    for folder, below, files in os.walk(root):
        if folder == root and b'.sbx-sync' in below:
            below.remove(b'.sbx-sync')
        for name in below + files:
            path = os.path.join(folder, name)
            info = os.lstat(path)
            rel, mode = path[len(root) + 1:], info.st_mode
            time = info.st_mtime_ns // (10**9 if seconds else 1)
            if stat.S_ISLNK(mode):
                lines.append((rel, b'link', os.readlink(path)))
            elif stat.S_ISDIR(mode):
                lines.append((rel, b'%o' % mode, b'%d' % time))
            elif stat.S_ISREG(mode):
                with open(path, 'rb') as file:
                    digest = hashlib.sha256(file.read()).hexdigest().encode()
                lines.append((rel, b'%o' % mode, b'%d' % time, digest))
                names.setdefault((info.st_dev, info.st_ino), []).append(rel)
    for tied in names.values():
        if len(tied) > 1:
            lines.append((b'one file', b','.join(sorted(tied))))
    for line in sorted(lines):
        sys.stdout.buffer.write(b'|'.join(line) + b'\n')


if sys.argv[1] == 'make':
    make(os.fsencode(sys.argv[2]))
elif sys.argv[1] == 'many':
    many(os.fsencode(sys.argv[2]), int(sys.argv[3]))
else:
    tell(os.fsencode(sys.argv[2]), len(sys.argv) > 3)
