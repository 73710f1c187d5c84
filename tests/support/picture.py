"""Runs a program on a terminal of its own and draws what it shows, as SVG.

    picture.py COLUMNS TITLE PROGRAM ARGUMENT... >picture.svg
"""

import fcntl
import os
import re
import struct
import sys
import termios
from html import escape

WIDTH, HEIGHT, EDGE = 8.4, 18, 14
COLOURS = {"31": "#f2777a", "32": "#99cc99", "33": "#ffcc66"}


def shown(columns, argv):
    """All that it printed, and its status."""
    outer, inner = os.openpty()
    fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    pid = os.fork()
    if pid == 0:
        os.setsid()
        fcntl.ioctl(inner, termios.TIOCSCTTY, 0)
        for stream in range(3):
            os.dup2(inner, stream)
        os.execvp(argv[0], argv)
    os.close(inner)
    data = b""
    try:
        while piece := os.read(outer, 65536):
            data += piece
    except OSError:
        pass
    return data.decode(), os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def pieces(line):
    """(column, colour, text) of a line with colours in it."""
    column, colour = 0, "#d3d0c8"
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if part.startswith("\x1b"):
            colour = COLOURS.get(part[2:-1], "#d3d0c8")
        elif part:
            yield column, colour, part
            column += len(part)


def drawn(title, columns, lines):
    width, height = columns * WIDTH + 2 * EDGE, (len(lines) + 2.5) * HEIGHT + EDGE
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
           f'font-family="ui-monospace, DejaVu Sans Mono, monospace" font-size="14">')
    yield f"<title>{escape(title)}</title>"
    yield '<rect width="100%" height="100%" rx="8" fill="#2d2d2d"/>'
    for row, line in enumerate([f"$ {title}", "", *lines]):
        y = EDGE + (row + 1) * HEIGHT
        for column, colour, text in pieces(line):
            if text.strip():
                yield (f'<text x="{EDGE + column * WIDTH:.1f}" y="{y:.0f}" fill="{colour}" '
                       f'textLength="{len(text) * WIDTH:.1f}" xml:space="preserve">'
                       f"{escape(text)}</text>")
    yield "</svg>"


def main():
    columns, title, argv = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    text, status = shown(columns, argv)
    lines = text.replace("\r\n", "\n").rstrip("\n").split("\n")
    widest = max(len(re.sub(r"\x1b\[[0-9;]*m", "", line)) for line in lines)
    print("\n".join(drawn(title, widest, lines)))
    return status


sys.exit(main())
