"""page.py - docs/bench.md and its plots, of the rows that run.sh wrote.

    python3 page.py ROWS DOCS [--quick]

The text of the page stays; what lies between its two marks is made anew.
"""

from __future__ import annotations

import datetime
import os
import platform
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

BEGIN, END = "<!-- rows: made by run.sh all -->", "<!-- end of the rows -->"
FIELDS = "topic name unit ours theirs ratio spread their_spread relation bar met".split()
CURVES = {  # file: (title, axis, unit, what the rows are called, with the number)
    "bench-round-trip.svg": ("exec of true", "round trip, ms", "ms",
                             {"warm": r"warm exec, round trip of (\d+) ms",
                              "fresh": r"fresh exec, round trip of (\d+) ms"}),
    "bench-hosts.svg": ("exec of true from cold", "hosts at once", "ms",
                        {"": r"exec from cold, (\d+) hosts"}),
    "bench-megabytes.svg": ("a file, read over there", "MiB", "MB/s", {"": r"down, (\d+) MiB"}),
}
COLOURS = ("#1f6feb", "#57606a", "#8250df", "#9a6700")
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 640, 340, 64, 48, 44, 150


def read_rows(path: str) -> list[dict[str, str]]:
    lines = Path(path).read_text().splitlines()
    return [dict(zip(FIELDS, line.split("\t"))) for line in lines]


def reason(row: dict[str, str]) -> str:
    if row["met"] == "pass":
        return "met"
    for line in Path(__file__).with_name("reasons.txt").read_text().splitlines():
        topic, name, why = line.split("\t")
        if topic == row["topic"] and name in row["name"]:
            return "**missed**: " + why
    return "**missed**"


def with_spread(value: str, spread: str) -> str:
    return f"{value} ± {spread} %" if spread and value != "-" else value


def table(rows: list[dict[str, str]]) -> list[str]:
    lines = ["| row | unit | ours | theirs | ratio | bar | |", "|---|---|---:|---:|---:|---|---|"]
    for row in rows:
        lines.append("| {} | {} | {} | {} | {} | {} {} | {} |".format(
            row["name"], row["unit"], with_spread(row["ours"], row["spread"]),
            with_spread(row["theirs"], row["their_spread"]), row["ratio"],
            row["relation"].replace("<=", "≤").replace(">=", "≥"), row["bar"], reason(row)))
    return lines


def first_line(*words: str) -> str:
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except OSError:
        return f"no {words[0]}"
    return ((done.stdout + done.stderr).splitlines() or [""])[0]


TOPICS = "exec exec40 sync probe mcp jobs watch python computers keeper curves".split()


def machine(quick: bool, measured: set[str]) -> str:
    absent = [topic for topic in TOPICS if topic not in measured]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    tools = "; ".join([first_line("ssh", "-V"), first_line("rsync", "--version"),
                       first_line("docker", "--version"), first_line("cc", "--version")])
    return (f"Made on {datetime.date.today()} by `sh tests/bench/run.sh all{' --quick' if quick else ''}`"
            f" on a machine of {os.cpu_count()} cores and {memory:.0f} GiB ({platform.system()}"
            f" {platform.release()}): {tools}. A value is the median; ± is half of what lies between"
            " the quartiles." + (f" Not in this run: {', '.join(absent)}." if absent else ""))


def points(rows: list[dict[str, str]], pattern: str, field: str) -> list[tuple[float, float]]:
    found = [(re.fullmatch(pattern, row["name"]), row[field]) for row in rows]
    return [(float(match[1]), float(value)) for match, value in found if match]


def plot(rows: list[dict[str, str]], title: str, axis: str, unit: str, names: dict[str, str]) -> str:
    lines = [((name + " " + who).strip(), points(rows, pattern, field))
             for name, pattern in names.items() for who, field in (("sbx", "ours"), ("ssh", "theirs"))]
    xs = sorted({x for _, line in lines for x, _ in line})
    top = max(y for _, line in lines for _, y in line) * 1.08

    def at(x: float, y: float) -> tuple[float, float]:
        return (LEFT + (WIDTH - LEFT - RIGHT) * xs.index(x) / max(len(xs) - 1, 1),
                HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * y / top)

    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}"'
           ' font-family="sans-serif" font-size="12">',
           f"<title>{title}</title>", '<rect width="100%" height="100%" fill="#ffffff"/>',
           f'<text x="{LEFT}" y="24" font-size="15">{title} ({unit})</text>',
           f'<text x="{LEFT}" y="{HEIGHT - 10}">{axis}</text>']
    for i in range(5):
        y = at(xs[0], top * i / 4)[1]
        svg.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#d0d7de"/>')
        svg.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{top * i / 4:.0f}</text>')
    for x in xs:
        svg.append(f'<text x="{at(x, 0)[0]:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{x:g}</text>')
    for (name, line), colour in zip(lines, COLOURS):
        path = " ".join("%.1f,%.1f" % at(x, y) for x, y in line)
        end = at(*line[-1])
        svg.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        svg.append(f'<text x="{end[0] + 8:.1f}" y="{end[1] + 4:.1f}" fill="{colour}">{name}</text>')
    return "\n".join([*svg, "</svg>"]) + "\n"


def main() -> None:
    rows = read_rows(sys.argv[1])
    docs = Path(sys.argv[2])
    topics: dict[str, list[dict[str, str]]] = defaultdict(list)
    for row in rows:
        topics[row["topic"]].append(row)
    parts = [BEGIN, "", machine("--quick" in sys.argv[3:], set(topics)), ""]
    for topic, its in topics.items():
        if topic != "curves":
            parts += [f"### {topic}", "", *table(its), ""]
    for file, (title, axis, unit, names) in CURVES.items():
        if any(points(rows, pattern, "ours") for pattern in names.values()):
            (docs / file).write_text(plot(rows, title, axis, unit, names))
            parts += [f"![{title}, by {axis}]({file})", ""]
    page = docs / "bench.md"
    before, _, rest = page.read_text().partition(BEGIN)
    page.write_text(before + "\n".join(parts) + "\n" + END + rest.partition(END)[2])


main()
