"""The vendored scripts are the ones that were checked, complete with licences, and small enough."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from pathlib import Path

STATIC = Path(__file__).parent.parent / "static"
VENDOR = STATIC / "vendor"


def test_every_file_has_the_checksum_that_was_written_down() -> None:
    sums = [line.split("  ") for line in (VENDOR / "SHA256SUMS").read_text().splitlines()]
    assert {name for _, name in sums} == {
        "editor.js",
        "htmx.min.js",
        "editor.entry.js",
        "package.json",
        "package-lock.json",
    }
    for wanted, name in sums:
        assert hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() == wanted, name


def test_the_lock_names_versions_and_no_address() -> None:
    text = (VENDOR / "package-lock.json").read_text()
    assert "resolved" not in text
    assert "://" not in text
    for path, package in json.loads(text)["packages"].items():
        assert not path or package["integrity"].startswith("sha512-"), path


def test_every_bundled_package_has_its_licence_text() -> None:
    licences = (VENDOR / "LICENSES.txt").read_text().splitlines()
    for path, package in json.loads((VENDOR / "package-lock.json").read_text())["packages"].items():
        if path and not package.get("dev"):
            assert f"{path.removeprefix('node_modules/')} {package['version']}" in licences


def test_scripts_stay_within_170_kb_compressed() -> None:
    scripts = [VENDOR / "htmx.min.js", VENDOR / "editor.js", *STATIC.glob("*.js"), *STATIC.glob("app/*.js")]
    assert sum(len(gzip.compress(script.read_bytes())) for script in scripts) <= 170_000


def test_the_editor_makes_no_code_from_text() -> None:
    assert not re.search(r"\beval\(|\bnew Function\b|\.innerHTML\b", (VENDOR / "editor.js").read_text())
