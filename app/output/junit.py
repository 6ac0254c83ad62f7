"""JUnit XML, which every build server reads: a suite for each file, a test for each case.

Source: https://github.com/testmoapp/junitxml
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from app.model import Finding
from app.output import Checked
from app.reports import CaseResult, ContractCheck

_NO_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot carry, not even escaped."""


def render(results: Sequence[Checked]) -> str:
    """Return one XML document."""
    suites: list[str] = []
    for each in results:
        tests = list(_tests(each))
        failures = sum("<failure" in test for test in tests)
        errors = sum("<error" in test for test in tests)
        head = f'name={_quoted(each.path)} tests="{len(tests)}" failures="{failures}" errors="{errors}"'
        suites.append("\n".join([f"  <testsuite {head}>", *tests, "  </testsuite>"]))
    body = "\n".join(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n{body}\n</testsuites>\n'


def _tests(checked: Checked) -> Iterator[str]:
    """Yield a test for each case, one for the mutants of a contract, and one for the rest of the file."""
    report = checked.report
    told = {"case-unexpected", "mutant-accepted", "keyword-unguarded"}
    for check in report.contracts:
        for result in check.cases.results:
            yield _test(result.name, check.name, _failure(result, check))
        if check.mutants.total:
            survivors = [each for each in check.findings if each.code == "mutant-accepted"]
            yield _test("mutants", check.name, _said(survivors))
    rest = [each for each in checked.findings if each.is_error and each.code not in told]
    kind = "failure" if report.judged else "error"
    yield _test(report.kind, "file", "".join(_wrong(kind, each) for each in rest[:1]) + _said(rest[1:]))


def _failure(result: CaseResult, check: ContractCheck) -> str:
    if result.as_expected:
        return ""
    said = [each for each in check.findings if each.causes == result.findings and result.name in each.message]
    message = said[0].message if said else f"{result.name} is {result.verdict.value}, not {result.expect}."
    return f"<failure message={_quoted(message)}/>"


def _wrong(kind: str, finding: Finding) -> str:
    place = f"{finding.at.line}:{finding.at.column} " if finding.at.line else ""
    return f"<{kind} type={_quoted(finding.code)} message={_quoted(place + finding.message)}/>"


def _said(findings: Iterable[Finding]) -> str:
    text = "\n".join(finding.message for finding in findings)
    return f"<system-out>{escape(_clean(text))}</system-out>" if text else ""


def _test(name: str, owner: str, inner: str) -> str:
    return f"    <testcase classname={_quoted(owner)} name={_quoted(name)}>{inner}</testcase>"


def _quoted(text: str) -> str:
    return quoteattr(_clean(text))


def _clean(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)
