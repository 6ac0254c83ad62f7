"""Peers that are programs of their own: jq and ajv, where the machine has them. Nobody must install any."""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from app.json_text import JsonText
from tests.bench.core import CONTRACTS, array
from tests.bench.measure import Row, seconds

CACHE = Path(__file__).parent.parent.parent / ".cache" / "bench"

_AJV = """
const Ajv = require("ajv/dist/2020");
const [schema, cases] = JSON.parse(require("fs").readFileSync(0, "utf8"));
const check = new Ajv({ allErrors: true }).compile(schema);
const time = (names) => {
  const payloads = names.map((name) => cases[name]);
  let times = 1000, taken = 0;
  for (; taken < 200; times *= 2) {
    const began = performance.now();
    for (let turn = 0; turn < times; turn++) for (const payload of payloads) check(payload);
    taken = performance.now() - began;
  }
  return taken / (times / 2) / 1000;
};
console.log(JSON.stringify([time(["ok"]), time(["unknown_room", "extra_field", "wrong_type"])]));
"""


def jq(size: int) -> Iterator[Row]:
    """Lay a text out anew, beside jq: that starts a process each time, so it is no race but two figures."""
    program = shutil.which("jq")
    if program is None:
        return
    text = array(size)

    def ours() -> None:
        json_text = JsonText(text)
        json_text.layout(json_text.scan()[0])

    def theirs() -> None:
        subprocess.run([program, "."], input=text.encode(), stdout=subprocess.DEVNULL, check=True)

    mine: list[float] = []
    other: list[float] = []
    for _ in range(5):
        for work, taken in ((ours, mine), (theirs, other)):
            began = time.perf_counter()
            work()
            taken.append(time.perf_counter() - began)
    figure, peer = statistics.median(mine), statistics.median(other)
    what = f"format {len(text) / 1e6:.2g} MB, every token untouched"
    yield Row(what, seconds(figure), f"jq {seconds(peer)}", figure / peer)


def ajv() -> Iterator[Row]:
    """Judge the same payloads with ajv, which compiles a contract to JavaScript and gives no sentences."""
    node = shutil.which("node")
    if node is None or not _ajv_is_there():
        return
    given = [
        json.loads((CONTRACTS / f"set_light{part}.json").read_text(encoding="utf-8"))
        for part in ("", ".cases")
    ]
    done = subprocess.run(
        [node, "-e", _AJV], cwd=CACHE, input=json.dumps(given), capture_output=True, text=True, check=False
    )
    if done.returncode == 0:
        valid, refused = json.loads(done.stdout)
        yield Row("the same in JavaScript: accept; refuse 3", "", f"ajv {seconds(valid)}; {seconds(refused)}")


def _ajv_is_there() -> bool:
    if (CACHE / "node_modules" / "ajv").is_dir():
        return True
    npm = shutil.which("npm")
    if npm is None:
        return False
    CACHE.mkdir(parents=True, exist_ok=True)
    install = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", str(CACHE), "ajv@8"]
    try:
        return subprocess.run(install, capture_output=True, timeout=60, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False
