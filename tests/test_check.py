"""The command `check`: the same verdicts as the page, for people and for CI."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import httpx
import pytest

from app import check, limits
from app.json_answer import to_json
from app.model import Status
from app.output import Checked
from app.reports import FileReport
from app.workers import Pool
from tests.bench.core import CONTRACTS
from tests.conftest import COMMAND

ROOT = Path(__file__).parent.parent
LIGHT: dict[str, Any] = {
    "name": "set_light",
    "parameters": json.loads((CONTRACTS / "set_light.json").read_text(encoding="utf-8")),
    "cases": json.loads((CONTRACTS / "set_light.cases.json").read_text(encoding="utf-8")),
}
CALL = (
    '{"toolCall": {"functionCalls": [{"id": "1", "name": "set_light", "args": {"room": "%s", "on": true}}]}}'
)


def opened(name: str = "set_light") -> dict[str, Any]:
    """The light contract with its object left open, so that a must-refuse case gets in."""
    parameters = {key: value for key, value in LIGHT["parameters"].items() if key != "additionalProperties"}
    return {**LIGHT, "name": name, "parameters": parameters}


def put(folder: Path, **contracts: Any) -> None:
    for name, contract in contracts.items():
        text = contract if isinstance(contract, str) else json.dumps(contract, indent=2)
        (folder / f"{name}.contract.json").write_text(text, encoding="utf-8")


def run(folder: Path, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    ended = subprocess.run(
        [COMMAND, "check", *arguments],
        cwd=folder,
        input=given,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Traceback" not in ended.stderr
    return ended


def answer(folder: Path, *arguments: str, given: str = "") -> dict[str, Any]:
    told: dict[str, Any] = json.loads(run(folder, *arguments, "--format", "json", given=given).stdout)
    return told


def codes(told: dict[str, Any]) -> dict[str, list[str]]:
    """The codes of the errors of each file."""
    return {
        Path(each["path"]).name: [
            finding["code"]
            for finding in (*each["findings"], *each["report"]["findings"])
            if finding["severity"] == "error"
        ]
        for each in told["files"]
    }


# What is judged, and the exit code ---------------------------------------------------


def test_a_contract_whose_cases_are_as_expected_is_green(tmp_path: Path) -> None:
    put(tmp_path, light=LIGHT)
    ended = run(tmp_path, "light.contract.json")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines()[0] == (
        "GREEN  light.contract.json: 5 of 5 cases as expected, 14 of 14 mutants refused"
    )
    assert ended.stdout.splitlines()[-1] == "GREEN  1 file: 1 green"


def test_a_case_that_gets_in_is_red_at_its_line(tmp_path: Path) -> None:
    put(tmp_path, light=opened())
    ended = run(tmp_path, ".")
    line = next(
        number
        for number, text in enumerate((tmp_path / "light.contract.json").read_text().splitlines(), 1)
        if "extra_field" in text
    )
    assert ended.returncode == 1
    assert f"  {line}:5  error case-unexpected  extra_field must be refused" in ended.stdout
    assert "warning mutant-accepted  extra-key" in ended.stdout


def test_each_bad_file_is_told_and_the_others_are_judged(tmp_path: Path) -> None:
    put(
        tmp_path,
        good=LIGHT,
        broken='{"name": "x",\n "parameters": {,}}',
        nothing="",
        schema='{"name": "y", "parameters": {"type": "nothing"}, "cases": {"ok": 1}}',
        loop='{"name": "z", "parameters": {"$ref": "#"}, "cases": {"ok": 1}}',
        other='{"name": "w", "parameters": {"$ref": "other.json#/x"}, "cases": {"ok": 1}}',
        recursive='{"name": "t", "parameters": {"items": {"$ref": "#"}}, "cases": {"ok": [[]]}}',
        list='[{"name": "v", "parameters": {}, "cases": {"ok": 1}}, 3]',
    )
    (tmp_path / "latin.contract.json").write_bytes(b'{"name": "\xe9"}')
    (tmp_path / "away.contract.json").symlink_to("/etc/hostname")
    os.mkfifo(tmp_path / "pipe.contract.json")

    told = answer(tmp_path, ".")
    assert codes(told) == {
        "away.contract.json": ["file-link"],
        "broken.contract.json": ["json-invalid"],
        "good.contract.json": [],
        "latin.contract.json": ["file-encoding"],
        "list.contract.json": ["contract-invalid"],
        "loop.contract.json": ["contract-invalid"],
        "nothing.contract.json": ["contract-invalid"],
        "other.contract.json": ["ref-external"],
        "pipe.contract.json": ["file-unreadable"],
        "recursive.contract.json": [],
        "schema.contract.json": ["contract-invalid"],
    }
    assert (told["status"], told["judged"]) == ("red", False)
    assert run(tmp_path, ".").returncode == 2


def test_two_contracts_of_one_name_are_red_in_both_files_and_both_are_judged(tmp_path: Path) -> None:
    put(tmp_path, one=LIGHT, two=LIGHT, three={**LIGHT, "name": "other"})
    told = answer(tmp_path, ".")
    assert codes(told) == {
        "one.contract.json": ["declaration-dup-name"],
        "three.contract.json": [],
        "two.contract.json": ["declaration-dup-name"],
    }
    assert all(each["report"]["status"] == "green" for each in told["files"])
    assert run(tmp_path, ".").returncode == 1


def test_one_file_named_twice_is_one_file(tmp_path: Path) -> None:
    put(tmp_path, one=LIGHT)
    assert run(tmp_path, ".", "one.contract.json", "./one.contract.json").returncode == 0


def test_a_contract_without_cases_is_told_and_not_red(tmp_path: Path) -> None:
    put(tmp_path, light={"name": "set_light", "parameters": {}})
    ended = run(tmp_path, ".")
    assert ended.returncode == 0
    assert "IDLE" in ended.stdout
    assert "contract-untested" in ended.stdout


def test_who_stops_reading_gets_no_traceback(tmp_path: Path) -> None:
    put(tmp_path, light=LIGHT)
    command = f"{COMMAND} check . --format json | head -c 10"
    ended = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (ended.stdout, ended.stderr) == ('{"status":', "")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["nowhere.json"], 2),
        (["."], 2),  # no file that could be judged
        ([], 2),
        (["--format", "yaml", "."], 2),
        (["--watch", "-"], 2),
        (["--help"], 0),
    ],
)
def test_wrong_use_and_nothing_to_judge_are_no_success(
    tmp_path: Path, arguments: list[str], code: int
) -> None:
    assert run(tmp_path, *arguments).returncode == code


def test_frames_are_judged_by_contracts_out_of_a_file_or_a_folder(tmp_path: Path) -> None:
    put(tmp_path, light=LIGHT, other={**LIGHT, "name": "other"})
    (tmp_path / "good.json").write_text(CALL % "kitchen")
    (tmp_path / "bad.json").write_text(CALL % "garage")

    assert run(tmp_path, "good.json", "--contracts", "light.contract.json").returncode == 0
    assert run(tmp_path, "good.json", "--contracts", ".").returncode == 0
    ended = run(tmp_path, "bad.json", "--contracts", ".")
    assert ended.returncode == 1
    assert "args-schema" in ended.stdout
    assert "0 of 1 call accepted" in ended.stdout


def test_a_broken_contract_among_those_that_judge_is_told_and_the_others_judge(tmp_path: Path) -> None:
    put(tmp_path, light=LIGHT, broken="{")
    (tmp_path / "good.json").write_text(CALL % "kitchen")
    told = answer(tmp_path, "good.json", "--contracts", ".")
    assert codes(told) == {"broken.contract.json": ["json-invalid"], "good.json": []}
    assert told["files"][1]["report"]["extract"]["calls"][0]["verdict"] == "accept"


def test_standard_input_is_a_contract_or_frames(tmp_path: Path) -> None:
    assert run(tmp_path, "-", given=json.dumps(LIGHT)).returncode == 0
    assert run(tmp_path, "-", given=json.dumps(opened())).returncode == 1
    put(tmp_path, light=LIGHT)
    ended = run(tmp_path, "-", "--contracts", ".", given=CALL % "garage")
    assert ended.returncode == 1
    assert ended.stdout.startswith("RED  stdin: 0 of 1 call accepted")


def test_work_over_its_budget_is_not_judged_and_the_next_file_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = {"name": "slow", "parameters": {"$defs": {"0": {}}}, "cases": {"ok": 1}}
    put(tmp_path, a_slow=slow, light=LIGHT)
    monkeypatch.setattr(limits, "seconds_for", lambda size: 0.0 if size < 200 else 2.0)
    results = judged(tmp_path)
    assert [(each.status, each.report.judged) for each in results] == [
        (Status.RED, False),
        (Status.GREEN, True),
    ]
    assert results[0].findings[0].code == "not-judged"
    assert check.exit_code(results) == 2


def judged(folder: Path) -> list[Checked]:
    async def steps() -> list[Checked]:
        pool = Pool(("app.workbench",), workers=check.WORKERS)
        await pool.start()
        try:
            return await check.judge(pool, list(check.targets([str(folder)])))
        finally:
            await pool.close()

    return asyncio.run(steps())


def test_exit_codes() -> None:
    def result(status: Status, was_judged: bool) -> Checked:
        report = judged_report(status, was_judged)
        return Checked("x", report)

    green, red, idle = (result(status, True) for status in (Status.GREEN, Status.RED, Status.IDLE))
    unfinished = result(Status.RED, False)
    rows: list[tuple[Sequence[Checked], int]] = [
        ([green], 0), ([green, idle], 0), ([idle], 0), ([green, red], 1), ([red, unfinished], 2), ([], 2)
    ]  # fmt: skip
    for results, code in rows:
        assert check.exit_code(results) == code


def judged_report(status: Status, was_judged: bool) -> Any:
    return FileReport(status, "contract", was_judged, (), None, None, (), 0)


# The same verdicts everywhere ------------------------------------------------------


def test_the_report_of_a_file_is_byte_for_byte_what_the_api_answers(
    tmp_path: Path, client: httpx.Client
) -> None:
    put(tmp_path, light=LIGHT, open=opened("open_light"), broken="{", numbers='{"name": "n", "parameters": '
        '{"maximum": 1.10}, "cases": {"ok": 1.0, "far": 1e400, "twice": {"a": 1, "a": 2}}}')  # fmt: skip
    (tmp_path / "call.frames.json").write_text(CALL % "garage")
    ended = run(tmp_path, ".", "--format", "json", "--contracts", "light.contract.json")

    assert json.loads(ended.stdout)["judged"] is True
    for path in sorted(tmp_path.iterdir()):
        body = {
            "text": path.read_text(),
            "contracts_text": (tmp_path / "light.contract.json").read_text(),
            "kind": "contract" if path.name.endswith(".contract.json") else None,
        }
        report = client.post("/api/check", json=body).text
        assert f'"report": {report}}}' in ended.stdout, path.name


def test_the_verdicts_of_a_contract_file_are_those_of_its_cases_and_mutants(
    tmp_path: Path, client: httpx.Client
) -> None:
    put(tmp_path, light=opened())
    contract = answer(tmp_path, ".")["files"][0]["report"]["contracts"][0]
    cases = client.post("/api/cases", json={"contract": opened(), "cases": opened()["cases"]}).json()
    mutants = client.post("/api/mutants", json={"contract": opened()}).json()

    def verdicts(report: Any) -> Any:
        return [
            (each["name"], each["expect"], each["verdict"], each["as_expected"]) for each in report["results"]
        ]

    assert verdicts(contract["cases"]) == verdicts(cases)
    assert contract["mutants"]["mutants"] == mutants["mutants"]
    assert contract["mutants"]["unguarded"][0]["schema_pointer"] == mutants["unguarded"][0]["schema_pointer"]


# Formats ----------------------------------------------------------------------------


def test_junit_has_a_test_for_each_case(tmp_path: Path) -> None:
    put(tmp_path, light=opened(), bad="{")
    root = ElementTree.fromstring(run(tmp_path, ".", "--format", "junit").stdout)
    suites = {suite.get("name"): suite for suite in root}

    light = suites["light.contract.json"]
    failed = [test.get("name") for test in light if test.find("failure") is not None]
    assert failed == ["extra_field"]
    assert [light.get(name) for name in ("tests", "failures", "errors")] == ["7", "1", "0"]
    assert "extra-key" in (light.findtext("testcase/system-out") or "")
    assert suites["bad.contract.json"].find("testcase/failure") is not None


def test_sarif_has_places_and_rules(tmp_path: Path) -> None:
    put(tmp_path, light=opened())
    (tmp_path / "light.contract.json").rename(tmp_path / "a light#1.contract.json")
    log = json.loads(run(tmp_path, ".", "--format", "sarif").stdout)

    assert (log["version"], len(log["runs"])) == ("2.1.0", 1)
    run_ = log["runs"][0]
    rules = [rule["id"] for rule in run_["tool"]["driver"]["rules"]]
    found = next(each for each in run_["results"] if each["ruleId"] == "case-unexpected")
    assert rules[found["ruleIndex"]] == "case-unexpected"
    assert found["level"] == "error"
    place = found["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "a%20light%231.contract.json"
    assert place["region"]["startLine"] > 1
    assert run_["columnKind"] == "utf16CodeUnits"
    assert {each["level"] for each in run_["results"]} == {"error", "warning", "note"}


def test_github_commands_stand_alone_on_their_lines_whatever_a_name_holds(tmp_path: Path) -> None:
    put(tmp_path, light=json.loads(json.dumps(opened()).replace("extra_field", "a,b:c%\\n::error::x")))
    lines = run(tmp_path, ".", "--format", "github").stdout.splitlines()

    errors = [line for line in lines if line.startswith("::error ")]
    assert len(errors) == 1
    assert "title=case-unexpected::a,b:c%25%0A::error::x must be refused" in errors[0]
    assert "file=light.contract.json,line=" in errors[0]
    assert not [line for line in lines if line.startswith("::error::")]


def test_people_see_colours_only_on_a_terminal(tmp_path: Path) -> None:
    put(tmp_path, light=LIGHT)

    def on_a_terminal(**environment: str) -> str:
        ours, theirs = pty.openpty()
        subprocess.run(
            [COMMAND, "check", "."],
            cwd=tmp_path,
            stdout=theirs,
            env={**os.environ, **environment},
            check=True,
        )
        os.close(theirs)
        out = b""
        while True:
            try:
                out += os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
        os.close(ours)
        return out.decode()

    assert "\x1b[" not in run(tmp_path, ".").stdout
    assert "\x1b[32mGREEN\x1b[0m" in on_a_terminal(TERM="xterm", NO_COLOR="")
    assert "\x1b[" not in on_a_terminal(TERM="xterm", NO_COLOR="1")
    assert "\x1b[" not in on_a_terminal(TERM="dumb", NO_COLOR="")


def test_nothing_in_a_file_steers_the_terminal(tmp_path: Path) -> None:
    put(tmp_path, light={**opened(), "cases": {"evil\x1b[2J\u202e": {"room": "kitchen", "on": True}}})
    out = run(tmp_path, ".").stdout
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "evil\\u001b[2J\\u202e must be refused" in out


# Watching ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        lambda path: path.write_text("{ }"),
        lambda path: path.unlink(),
        lambda path: (path.parent / "new.contract.json").write_text("{}"),
        lambda path: os.utime(path, ns=(1, 1)),
    ],
    ids=["changed", "gone", "new", "touched"],
)
def test_watching_ends_when_a_file_changed_and_not_before(tmp_path: Path, change: Any) -> None:
    put(tmp_path, light=LIGHT)
    looks: list[int] = []

    async def wait() -> None:
        looks.append(len(looks))
        if len(looks) == 3:
            change(tmp_path / "light.contract.json")

    asyncio.run(check.changed([str(tmp_path)], check.stamps([str(tmp_path)]), wait))
    assert looks == [0, 1, 2]


def test_a_change_while_the_files_are_judged_is_not_missed(tmp_path: Path) -> None:
    put(tmp_path, light=LIGHT)
    before = check.stamps([str(tmp_path)])
    put(tmp_path, light=opened())

    async def wait() -> None:
        pytest.fail("it changed already")

    asyncio.run(check.changed([str(tmp_path)], before, wait))


def test_watch_judges_again_when_a_file_changes(tmp_path: Path) -> None:
    put(tmp_path, light=LIGHT)
    command = [str(COMMAND), "check", ".", "--watch"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            first = [process.stdout.readline() for _ in range(3)]
            put(tmp_path, light=opened())
            second = process.stdout.readline()
        finally:
            process.terminate()
    assert first[0].startswith("GREEN")
    assert second.startswith("RED")


def test_the_example_of_the_readme_is_told_as_it_says(tmp_path: Path) -> None:
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Contracts in git")[2]
    blocks = section.split("```\n")
    (tmp_path / "set_light.contract.json").write_text(blocks[1], encoding="utf-8")
    assert run(tmp_path, "set_light.contract.json").stdout == blocks[3]


def test_the_answer_is_the_one_of_the_report(tmp_path: Path) -> None:
    put(tmp_path, light=LIGHT)
    results = judged(tmp_path)
    assert check.FORMATS["json"](results) == (
        '{"status": "green", "judged": true, "files": [\n'
        f'{{"path": {to_json(results[0].path)}, "status": "green", "findings": [], '
        f'"report": {to_json(results[0].report)}}}\n]}}\n'
    )
    assert sys.getdefaultencoding() == "utf-8"
