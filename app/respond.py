"""The answer frame for what was judged: one entry per call, same id and name, an error for each refusal.

A failed tool is never a result, and a call that nobody may run is never told
as one that worked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from json import dumps
from typing import Any

from app import dialects
from app.cursor import Cursor, split
from app.dialects import Answer
from app.events import Frame
from app.json_text import JsonError, JsonText, Number, write
from app.judge import JudgedCall, JudgedFrame
from app.model import Finding, Raw, Severity, Verdict

_PROTO = re.compile(r'"__proto__"\s*:')
SHORT = 48
"""Longest object or array that the draft keeps on one line."""

SCHEDULING = ("INTERRUPT", "WHEN_IDLE", "SILENT")
BODY = "https://ai.google.dev/api/caching#FunctionResponse"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a tool came to: a result, or an error object."""

    result: Raw | None = None
    error: Raw | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """The answer entries in call order, the frame they answer, and why there is none."""

    answers: tuple[Answer, ...]
    frame: Frame | None
    findings: tuple[Finding, ...]


def draft(
    frames: Sequence[JudgedFrame],
    cancelled: frozenset[str | int],
    outcomes: Mapping[str, Outcome],
    ordered: Sequence[Raw],
    scheduling: str | None,
) -> Draft:
    """Draft the answers to every call of the frames that is not cancelled.

    `outcomes` are by call id as text, `ordered` results in call order. A frame
    whose calls cannot be read has no draft.
    """
    findings: list[Finding] = []
    answers: list[Answer] = []
    answered: set[str | int] = set()
    home: Frame | None = None
    calls = [(item.frame, each) for item in frames for each in item.calls]
    for index, (frame, each) in enumerate(calls):
        call_id = each.call.id
        if call_id is not None and (call_id in cancelled or call_id in answered):
            continue
        if each.held:
            continue  # nothing of this turn may be run, and the turn itself says why
        if each.verdict is Verdict.NOT_JUDGED:
            findings.append(_no_draft(each, "No answer is drafted for a call that was not judged."))
            return Draft((), None, tuple(findings))
        home = home or frame
        if call_id is not None:
            answered.add(call_id)
        given = outcomes.get(str(call_id)) or Outcome(ordered[index] if index < len(ordered) else None)
        answer = _answer(each, given, scheduling)
        answers.append(answer)
        if answer.error is None and given.result is None:
            findings.append(
                Finding(
                    "response-empty",
                    Severity.WARNING,
                    f"No result of {each.call.name} is known. {{}} tells the model that it worked.",
                    each.call.at.location,
                    call_id=call_id,
                    source=BODY,
                )
            )
    return Draft(tuple(answers), home, tuple(findings))


def text_of(answers: Sequence[Answer], frame: Frame, in_body: bool) -> str | None:
    """Lay out the answers in the frame's dialect and spelling, or None where it has no answer."""
    dialect = dialects.by_id(frame.dialect)
    if dialect is None or dialect.write is None or not answers:
        return None
    text = dialect.write(answers, frame, in_body)
    json = JsonText(text)
    try:
        node, end = json.scan()
    except JsonError:  # a result as deep as the reader goes; the envelope puts it deeper
        return text
    return laid_out(Cursor(json, node)) if end == len(text) else text  # JSON Lines stay lines


def laid_out(at: Cursor, level: int = 0, *, inline_from: int = 4) -> str:
    """Lay out a value as a person would: what is short and deep enough stands on one line."""
    if not (at.is_object or at.is_array):
        return at.text
    pad = "\n" + "  " * (level + 1)
    items = [
        ("" if item.key is None else write(item.key) + ": ")
        + laid_out(item, level + 1, inline_from=inline_from)
        for item in at
    ]
    opener, closer = ("{", "}") if at.is_object else ("[", "]")
    if not items:
        return opener + closer
    space = " " if at.is_object else ""
    line = opener + space + ", ".join(items) + space + closer
    # Above level 4 stand the envelope of an answer and its entries, one member a line; below, what they hold.
    if len(line) <= SHORT and "\n" not in line and (level >= inline_from or at.is_array):
        return line
    return opener + pad + ("," + pad).join(items) + "\n" + "  " * level + closer


def _answer(each: JudgedCall, given: Outcome, scheduling: str | None) -> Answer:
    call = each.call
    if each.executable:
        return Answer(call.id, call.name, None if given.error else given.result, given.error, scheduling)
    code, message = refusal(each)
    body = dumps({"code": code, "message": message}, ensure_ascii=False)
    return Answer(call.id, call.name, None, Raw(body), scheduling)


def refusal(each: JudgedCall) -> tuple[str, str]:
    """Return code and message of the error object for a call that must not run.

    The message is for the model: which argument, and what would be allowed.
    """
    errors = [finding for finding in each.findings if finding.is_error]
    if any(finding.code == "call-name-unknown" for finding in errors):
        return "unknown_function", f"{each.call.name} is not declared"
    if each.verdict is Verdict.CONTRACT_ERROR:
        return "tool_failed", f"{each.call.name} was not run: its contract cannot be used"
    if not each.unique:
        return "invalid_args", "another call has the same id"
    said = [_for_model(finding, each) for finding in errors]
    return "invalid_args", "; ".join(dict.fromkeys(said[:6])) or "args are not accepted"


def _for_model(finding: Finding, each: JudgedCall) -> str:
    if finding.code != "args-schema":
        return finding.message.split(". ")[0].rstrip(".")
    path = finding.at.inner if finding.at.inner is not None else finding.at.pointer
    args = each.call.args.object
    base = (args.inner if args.inner is not None else args.pointer) if args is not None else ""
    tokens = split(path[len(base or "") :])
    where = ".".join([*tokens, finding.key] if finding.key is not None else tokens) or "args"
    if finding.keyword == "enum":
        return f"{where} is not in the list"
    if finding.keyword == "required":
        return f"{where} is missing"
    if finding.keyword in ("additionalProperties", "unevaluatedProperties"):
        return f"{where} is not allowed"
    return f"{where}: {finding.message.removesuffix(' Answer with an error.').rstrip('.')}"


def _no_draft(each: JudgedCall, message: str) -> Finding:
    return Finding("not-judged", Severity.ERROR, message, each.call.at.location, call_id=each.call.id)


def as_python(answers: Sequence[Answer], in_body: bool) -> str:
    """Write the same answer as google-genai's send_tool_response call."""
    entries = []
    for answer in answers:
        fields = [f"id={answer.id!r}", f"name={answer.name!r}", f"response={_python(_body(answer, in_body))}"]
        if answer.scheduling is not None and not in_body:
            fields.append(f"scheduling={answer.scheduling!r}")
        entries.append("    types.FunctionResponse(\n        " + ",\n        ".join(fields) + ",\n    ),")
    return "await session.send_tool_response(function_responses=[\n" + "\n".join(entries) + "\n])"


def _js(text: str) -> str:
    """Write JSON text as a JavaScript literal, in which __proto__ would set the prototype."""
    return _PROTO.sub('["__proto__"]:', text)


def as_js(answers: Sequence[Answer], in_body: bool) -> str:
    """Write the same answer as @google/genai's sendToolResponse call."""
    entries = []
    for answer in answers:
        fields = [
            f"id: {dumps(answer.id)}",
            f"name: {dumps(answer.name)}",
            f"response: {_js(_body(answer, in_body))}",
        ]
        if answer.scheduling is not None and not in_body:
            fields.append(f'scheduling: "{answer.scheduling}"')
        entries.append("    { " + ", ".join(fields) + " },")
    return "session.sendToolResponse({\n  functionResponses: [\n" + "\n".join(entries) + "\n  ],\n});"


def _body(answer: Answer, in_body: bool) -> str:
    key, value = (
        ("error", answer.error) if answer.error is not None else ("result", answer.result or Raw("{}"))
    )
    hint = f', "scheduling": "{answer.scheduling}"' if answer.scheduling is not None and in_body else ""
    return f'{{"{key}": {value.text}{hint}}}'


def _python(text: str) -> str:
    """Write JSON text as a Python literal; numbers keep their lexeme."""
    return _literal(Cursor.of(text).tree)


def _literal(value: Any) -> str:
    if isinstance(value, Number):
        return value.lexeme
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {_literal(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_literal(item) for item in value) + "]"
    return repr(value)
