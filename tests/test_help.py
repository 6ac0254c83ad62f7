"""Every code that the product can emit has a help page, and no page tells of a code that nobody emits."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from app import help, panels, paste, workbench
from app.help_texts import TEXTS, Text
from app.model import Severity
from app.rules import all_rules
from tests.examples import codes_of, codes_of_request, is_request

ROOT = Path(__file__).parent.parent

WITHOUT_EXAMPLE = {
    "declaration-too-many",  # 513 declarations
    "file-changed",  # two savers of one file
    "file-encoding",  # bytes that are no text
    "file-link",  # a link in a folder
    "file-name",  # a server with a folder of contracts
    "file-not-saved",  # a full disk
    "file-unreadable",  # a pipe, or no permission
    "edit-refused",  # a click on a page that is out of date
    "flip-unexplained",  # an error of the exporter itself
    "no-worker",  # every worker busy
    "request-limit",  # twenty tools and more
    "tighten-keyword-absent",  # a click on a page that is out of date
    "too-deep",  # 257 brackets
    "too-large",  # a million values
}
"""Codes that no readable text shows."""


# What is emitted, read from the source ---------------------------------------

MAKERS = {
    "Finding", "JsonError", "Note", "Problem", "Transition",  # values with a code
    "Sign", "_finding", "_invalid", "_refuse", "check_payload", "problem",  # what makes them
}  # fmt: skip
NAMES = {"code", "_CODES"}
"""Variables, parameters and tables that hold codes."""
TELLERS = {"code_of", "_refusal"}
"""Functions that return codes."""
CODE = re.compile(r"[a-z]+(-[a-z0-9]+)+")

Emission = tuple[str, set[str]]
"""A code, and the severities that stand beside it."""


def _codes(node: ast.AST) -> Iterator[str]:
    """Yield the codes among the constants of an expression. None may be made by an f-string."""
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and isinstance(each.value, str) and CODE.fullmatch(each.value):
            yield each.value


def _severities(call: ast.Call) -> set[str]:
    attributes = [each for each in ast.walk(call) if isinstance(each, ast.Attribute)]
    return {
        Severity[each.attr].value
        for each in attributes
        if isinstance(each.value, ast.Name) and each.value.id == "Severity"
    }


def _emitted(tree: ast.AST) -> Iterator[Emission]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name not in MAKERS:
                continue
            severities = _severities(node)
            for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
                for code in _codes(argument):
                    if name in ("_finding", "_invalid", "_refuse", "Problem", "problem"):
                        yield code, severities or {Severity.ERROR.value}
                    elif name in ("JsonError", "Note", "Sign"):
                        yield code, {paste.SEVERITIES[code].value}
                    else:
                        yield code, severities
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(getattr(target, "id", "") in NAMES for target in targets):
                yield from ((code, set()) for code in _codes(node.value))
        elif isinstance(node, ast.FunctionDef):
            given = node.args
            defaults = [
                *zip(reversed(given.args), reversed(given.defaults), strict=False),
                *zip(given.kwonlyargs, given.kw_defaults, strict=True),
            ]
            for parameter, default in defaults:
                if parameter.arg in NAMES and default is not None:
                    yield from ((code, set()) for code in _codes(default))
            if node.name in TELLERS:
                for each in ast.walk(node):
                    if isinstance(each, ast.Return) and each.value:
                        yield from ((code, set()) for code in _codes(each.value))


def _everything_emitted() -> dict[str, set[str]]:
    out: dict[str, set[str]] = {}
    for path in (ROOT / "app").rglob("*.py"):
        if path.name != "help_texts.py":
            for code, severities in _emitted(ast.parse(path.read_text(encoding="utf-8"))):
                out.setdefault(code, set()).update(severities)
    for code in workbench.CONTAINERS & out.keys():
        out[code].add(Severity.ERROR.value)  # format raises them
    for code in ("json-literal", "sdk-repr"):
        out[code].add(Severity.ERROR.value)  # and these
    for rule in all_rules():
        out.setdefault(rule.code, set()).update(
            {rule.severity.value, *(severity.value for severity in rule.also)}
        )
    return out


EMITTED = _everything_emitted()


def test_every_code_that_the_source_emits_has_help_and_no_other_code_has() -> None:
    assert {page.code for page in help.codes()} == EMITTED.keys()


def test_help_names_every_severity_that_is_emitted_and_no_other() -> None:
    for page in help.codes():
        assert set(page.severities) >= EMITTED[page.code], page.code
        if EMITTED[page.code]:
            assert set(page.severities) == EMITTED[page.code], page.code


def test_a_rule_declares_the_severities_of_its_hits() -> None:
    rules = {(each.check.__module__, each.check.__name__): each for each in all_rules()}
    for path in (ROOT / "app" / "rules").glob("*.py"):
        for function in ast.parse(path.read_text(encoding="utf-8")).body:
            rule = rules.get((f"app.rules.{path.stem}", getattr(function, "name", "")))
            given = [each for each in ast.walk(function) if isinstance(each, ast.keyword)]
            if rule is not None:
                assert bool(rule.also) == any(each.arg == "severity" for each in given), rule.code


def test_what_the_vectors_get_is_in_the_help() -> None:
    rows = (ROOT / "tests" / "vectors" / "frames.jsonl").read_text(encoding="utf-8").splitlines()
    for row in rows:
        frame = json.loads(row)["frame"]
        for finding in workbench.extract(frame if isinstance(frame, str) else json.dumps(frame)).findings:
            page = help.help_of(finding.code)
            assert page is not None, finding.code
            assert finding.severity.value in page.severities, finding.code


# What a page says ------------------------------------------------------------


@pytest.mark.parametrize("page", help.codes(), ids=lambda page: page.code)
def test_a_page_says_what_why_and_shows_both_examples(page: help.CodeHelp) -> None:
    assert re.fullmatch(r"[A-Z].*\.", page.title)
    assert len(page.title) <= 96
    assert page.text
    for paragraph in (page.title, *page.text):
        assert "!" not in paragraph
        assert paragraph.endswith(".")
    assert page.severities
    assert (page.bad is None) == (page.good is None) == (page.code in WITHOUT_EXAMPLE)
    assert page.bad is None or page.bad != page.good
    assert page.source is None or page.source.startswith("https://")


def test_an_unknown_code_has_no_page() -> None:
    assert help.help_of("no-such-code") is None


def test_codes_are_in_order() -> None:
    listed = [page.code for page in help.codes()]
    assert listed == sorted(set(listed))


def test_two_rules_of_one_code_share_a_page_and_the_first_leads() -> None:
    page = help.help_of("call-id-missing")

    assert page is not None
    assert page.severities == ("error", "info")
    assert page.title == "A call has no id, so it cannot be answered."
    assert "In generateContent a call may have no id." in page.text
    assert page.bad is not None
    assert page.bad.startswith('{"toolCall"')


def test_a_docstring_is_read_in_its_parts() -> None:
    page = help.parse(
        "code",
        """Something is wrong.

        It matters,
        because.

        Do this.

        Bad:
            {
              "a": 1

            }
        Good:
            {}
        """,
        (Severity.INFO, Severity.ERROR),
    )

    assert page.title == "Something is wrong."
    assert page.text == ("It matters, because.", "Do this.")
    assert page.bad == '{\n  "a": 1\n\n}'
    assert page.good == "{}"
    assert page.severities == ("error", "info")


# The examples are the tests (those of rules are in tests/test_rules.py) -----------


def _code(each: Text) -> str:
    return each.code


def _examples(each: Text) -> tuple[str, str]:
    page = help.parse(each.code, each.doc)
    assert page.bad is not None
    assert page.good is not None
    return page.bad, page.good


def _codes_of_options(text: str) -> set[str]:
    return {finding.code for finding in panels.settings(text).findings}


DOORS = {"options-invalid": _codes_of_options}
"""Where the form does not say what an example is."""

SHOWN = [each for each in TEXTS if each.code not in WITHOUT_EXAMPLE]
PASTED = [each for each in SHOWN if not is_request(_examples(each)[0])]
REQUESTED = [each for each in SHOWN if is_request(_examples(each)[0])]


@pytest.mark.parametrize("each", PASTED, ids=_code)
def test_a_bad_example_gets_its_code_and_a_good_one_does_not(each: Text) -> None:
    bad, good = _examples(each)

    door = DOORS.get(each.code, codes_of)
    assert each.code in door(bad)
    assert each.code not in door(good)


@pytest.mark.parametrize("each", REQUESTED, ids=_code)
def test_a_bad_request_gets_its_code_and_a_good_one_does_not(each: Text, client: httpx.Client) -> None:
    bad, good = _examples(each)

    assert each.code in codes_of_request(bad, client)
    assert not codes_of_request(good, client) & ({each.code} | REFUSALS)


REFUSALS = {"not-found", "method-not-allowed", "request-invalid", "field-invalid", "field-missing"}
"""What a good example must not get either, or it proves nothing."""
