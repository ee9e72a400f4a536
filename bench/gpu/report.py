#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Weft authors
"""usage: report.py FOLDER [--docs]

Reads weft.json, and torch.json and jax.json where they are there, from the folder; writes table.md
and gpu.svg beside them. With --docs these also become the table of docs/gpu.md, between its markers,
and docs/images/gpu.svg. Needs nothing but Python's own library.
"""

import json
import pathlib
import sys
from xml.sax.saxutils import escape

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def load(folder):
    weft = json.loads((folder / "weft.json").read_text())
    peers = []
    for name in ("torch", "jax"):
        file = folder / f"{name}.json"
        if file.is_file():
            peers.append(json.loads(file.read_text()))
    return weft, peers


def us(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def peer_times(name, peers):
    return [p["rows"].get(name, {}).get("us") for p in peers]


def device_rows(weft):
    return [r for r in weft["rows"] if r["bytes"] > 0]


def table(weft, peers):
    copy = weft["copy_tb_s"]
    date, card = weft["date"], weft["card"]
    mode = "" if weft["mode"] == "standard" else f", mode {weft['mode']}"
    lines = [f"{card}, driver for CUDA {weft['cuda']}, {date}{mode}. Copy ceiling {copy:.2f} TB/s: the best "
             "of copies by the driver and by a kernel, bytes read and written both counted. Times in us.",
             ""]
    titles = [p["title"] for p in peers]
    head = ["work", "MB", "Weft", "TB/s", "of the ceiling", "goal", *titles]
    if peers:
        head.append("Weft / the better peer")
    lines += ["| " + " | ".join(head) + " |", "| --- " * len(head) + "|"]
    for r in device_rows(weft):
        times = peer_times(r["name"], peers)
        cells = [r["name"], f"{r['bytes'] / 1e6:,.0f}"]
        if "us" in r:
            rate = f"{r['tb_s']:.2f}"
            if r["flops"] > 0:
                rate = f"{r['flops'] / r['us'] * 1e-6:,.0f} TFLOP/s"
            share = "" if r["flops"] > 0 else f"{100 * r['share']:.0f}%"
            goal = f"{r['goal']:g}" if r["goal"] > 0 else ""
            if goal and r["us"] >= 1.0075 * r["goal"]:
                goal += f" (missed by {100 * (r['us'] / r['goal'] - 1):.0f}%)"
            cells += [us(r["us"]), rate, share, goal]
        else:
            cells += [r["failure"].replace("|", "/")[:120], "", "", f"{r['goal']:g}"]
        cells += [us(t) if t else "-" for t in times]
        if peers:
            known = [t for t in times if t]
            cells.append(f"{r['us'] / min(known):.2f}" if known and "us" in r else "")
        lines.append("| " + " | ".join(cells) + " |")
    small = [r for r in weft["rows"] if r["bytes"] == 0]
    if small:
        head = ["small programs", "what is timed", "Weft, us", "goal", *titles]
        lines += ["", "| " + " | ".join(head) + " |", "| --- " * len(head) + "|"]
        for r in small:
            what = "the host's part of a call" if r.get("on_host") else "calls, one after the other"
            cells = [r["name"], what, us(r["us"]) if "us" in r else r["failure"][:120].replace("|", "/"),
                     f"{r['goal']:g}" if r["goal"] > 0 else ""]
            cells += [us(t) if t else "-" for t in peer_times(r["name"], peers)]
            lines.append("| " + " | ".join(cells) + " |")
    if weft["first_calls"]:
        lines += ["", "| first call in a process, in order | empty cache, ms | kernels on disk, ms |",
                  "| --- | --- | --- |"]
        lines += [f"| {c['name']} | {c['cold_ms']:.1f} | {c['cached_ms']:.1f} |"
                  for c in weft["first_calls"]]
        slow = []
        for p in peers:
            first = sorted(r["first_ms"] for r in p["rows"].values() if "first_ms" in r)
            if first:
                slow.append(f"{p['title']}: {first[0]:,.0f} to {first[-1]:,.0f} ms, "
                            f"median {first[len(first) // 2]:,.0f}")
        if slow:
            lines += ["", "First calls of the rows above by the peers: " + "; ".join(slow) + "."]
    return "\n".join(lines) + "\n"


INK, SOFT, RULE = "#1b2433", "#5b6679", "#d5dbe5"
COLOURS = ("#2457c5", "#d9822b", "#5fa55a")
MOST = 4.0  # multiples of the floor that the picture has room for


def floors(weft):
    """The least time of each row: its bytes at the copy ceiling, or the product alone."""
    alone = {r["name"].split()[-1]: r["us"] for r in weft["rows"]
             if r["name"].startswith("product") and "us" in r}
    result = {}
    for r in device_rows(weft):
        if r["name"].startswith(("copy", "product")):
            continue
        if r["flops"] > 0:
            floor = alone.get(r["name"].split()[-1])
        else:
            floor = r["bytes"] / weft["copy_tb_s"] * 1e-6
        if floor:
            result[r["name"]] = floor
    return result


def picture(weft, peers):
    least = floors(weft)
    rows = [r for r in weft["rows"] if r["name"] in least]
    series = ["Weft", *[p["title"] for p in peers]]
    bar, gap, left, width = 9, 9, 300, 640
    row_height = bar * len(series) + gap
    top, bottom = 78, 30
    height = top + row_height * len(rows) + bottom
    total = left + width + 70
    scale = width / MOST
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{total}" height="{height}" '
           f'viewBox="0 0 {total} {height}" font-family="Inter, \'Segoe UI\', Arial, sans-serif">',
           "<title>Times on a GPU as multiples of the least possible time</title>",
           f'<rect width="{total}" height="{height}" fill="#f6f7f9"/>',
           f'<text x="18" y="28" font-size="15" font-weight="600" fill="{INK}">'
           "Time over the floor; 1 is a copy of the same bytes, or the product alone</text>"]
    x = 18
    for colour, title in zip(COLOURS, series):
        out.append(f'<rect x="{x}" y="42" width="11" height="11" fill="{colour}"/>'
                   f'<text x="{x + 17}" y="52" font-size="12" fill="{SOFT}">{escape(title)}</text>')
        x += 40 + 7 * len(title)
    out.append(f'<text x="{total - 18}" y="52" font-size="12" fill="{SOFT}" text-anchor="end">'
               f"{escape(weft['card'])}, {escape(weft['date'])}</text>")
    for tick in range(int(MOST) + 1):
        at = left + tick * scale
        out.append(f'<line x1="{at:g}" y1="{top - 6}" x2="{at:g}" y2="{height - bottom}" '
                   f'stroke="{INK if tick == 1 else RULE}"/>'
                   f'<text x="{at:g}" y="{height - 10}" font-size="11" fill="{SOFT}" '
                   f'text-anchor="middle">{tick}</text>')
    y = top
    for r in rows:
        out.append(f'<text x="{left - 10}" y="{y + bar * len(series) / 2 + 4:g}" font-size="12" '
                   f'fill="{INK}" text-anchor="end">{escape(r["name"])}</text>')
        for colour, time in zip(COLOURS, [r.get("us"), *peer_times(r["name"], peers)]):
            if time:
                ratio = time / least[r["name"]]
                length = min(ratio, MOST) * scale
                out.append(f'<rect x="{left}" y="{y}" width="{length:.1f}" height="{bar - 1}" '
                           f'fill="{colour}"/>'
                           f'<text x="{left + length + 5:.1f}" y="{y + bar - 1}" font-size="8" '
                           f'fill="{SOFT}">{ratio:.2f}</text>')
            y += bar
        y += gap
    return "\n".join(out) + "\n</svg>\n"


def put(page, text):
    first, last = "<!-- gpu: table -->", "<!-- /gpu -->"
    old = page.read_text()
    begin, end = old.index(first) + len(first), old.index(last)
    page.write_text(old[:begin] + "\n" + text + old[end:])


def main():
    folders = [a for a in sys.argv[1:] if not a.startswith("--")]
    if len(folders) != 1:
        print(__doc__.split("\n")[0])
        return 2
    folder = pathlib.Path(folders[0])
    weft, peers = load(folder)
    text, drawn = table(weft, peers), picture(weft, peers)
    (folder / "table.md").write_text(text)
    (folder / "gpu.svg").write_text(drawn)
    if "--docs" in sys.argv[1:]:
        put(ROOT / "docs/gpu.md", "![Times over the floor](images/gpu.svg)\n\n" + text)
        (ROOT / "docs/images/gpu.svg").write_text(drawn)
    return 0


if __name__ == "__main__":
    sys.exit(main())
