"""Structured edits: what a button on the page does to the texts on it.

A command and the texts go in, the changed texts come out, with the old ones for
Undo. Nothing is judged here; the page judges what came out as new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from json import loads

from app import cases, infer, panels, paste, samples, session, tighten
from app.contract import Contract
from app.cursor import Cursor
from app.dialects.gemini_schema import fold
from app.json_text import Kind, write
from app.judge import JudgedCall, judge
from app.model import Finding, Location, Options, Raw, Severity, Verdict
from app.repair import repair
from app.reports import Additions, Change, Edit, Inputs, TightenReport
from app.respond import laid_out
from app.schema import Subschema
from app.schema_edit import Setting, edited

INLINE_FROM = 2
"""Level of an inferred schema from which what is short stands on one line: that of its properties."""

FIELDS = ("calls_text", "responses_text", "contracts_text", "cases_text", "samples_text", "session_text")


class Desk:
    """The texts on the page while one edit is made, and what reading them gives."""

    def __init__(self, inputs: Inputs, new: Additions) -> None:
        self.inputs = inputs
        self.new = new
        self.options: Options = panels.settings(inputs.options).options
        self.asked = session.read(inputs.calls_text, self.options, "calls_text")
        self.known = panels.read_contracts(inputs, self.options, self.asked)
        self.groups, _ = samples.sample_payloads(inputs.samples_text, self.options, input="samples_text")
        self.chosen = panels.choose(inputs, self.known, self.asked, self.groups)
        self.table = panels.shown_in_table(inputs, self.chosen, self.options)
        self.proof: TightenReport | None = None
        self.message = ""
        self.findings: list[Finding] = []

    def refuse(self, message: str, input: str = "edit") -> None:
        """Say why the edit cannot be made."""
        self.findings.append(Finding("edit-refused", Severity.ERROR, message, Location(input)))

    def set(self, **texts: str) -> None:
        """Put new texts on the page."""
        self.inputs = replace(self.inputs, **texts)

    def set_contracts(self, text: str) -> None:
        """Put a new text of the contracts on the page, and read it."""
        self.set(contracts_text=text)
        self.known = panels.read_contracts(self.inputs, self.options, self.asked)
        self.chosen = panels.choose(self.inputs, self.known, self.asked, self.groups)
        self.table = panels.shown_in_table(self.inputs, self.chosen, self.options)


def apply(inputs: Inputs, command: str, new: Additions) -> tuple[Inputs, Edit]:
    """Make one edit. An unknown or impossible one changes nothing and says why."""
    verb, _, argument = command.partition(":")
    desk = Desk(inputs, new)
    action = _ACTIONS.get(verb)
    if action is None:
        desk.refuse(f"There is no edit {verb}.")
    else:
        action(desk, argument)
    names = [*FIELDS, "contract_name"]
    changed = [name for name in names if getattr(desk.inputs, name) != getattr(inputs, name)]
    edit = Edit(
        command=command,
        after={name: getattr(desk.inputs, name) for name in changed},
        before={name: getattr(inputs, name) for name in changed},
        message=desk.message,
        proof=desk.proof,
        findings=tuple(desk.findings),
    )
    return desk.inputs, edit


# Texts -----------------------------------------------------------------------


_AROUND = {"code-fence": "code fence", "sse-wrapped": "event stream", "json-bom": "byte order mark"}
"""What stands around JSON texts and is gone when they are laid out anew."""


def _format(desk: Desk, field: str) -> None:
    if field not in FIELDS:
        return desk.refuse(f"There is no text {field}.")
    document = paste.read_payload(getattr(desk.inputs, field), input=field)
    text = paste.format_text(document)
    if text is None:
        return desk.refuse("This text cannot be read, so it stays as it is.", field)
    desk.set(**{field: text})
    taken_off = [_AROUND[note.code] for note in document.notes if note.code in _AROUND]
    desk.message = "White space only. Your numbers, key order and duplicate keys stay."
    if taken_off:
        desk.message = f"Taken out of the {' and the '.join(taken_off)}; inside, white space only."
    return None


def _repair(desk: Desk, field: str) -> None:
    """Make the one change that was offered; what comes out is judged as new."""
    found = repair(getattr(desk.inputs, field), field) if field in FIELDS else None
    if found is None:
        return desk.refuse("There is no sure repair for this text.", field)
    desk.set(**{field: found.text})
    desk.message = f"{found.words}: done. The repaired text is judged as new."
    return None


def _clear(desk: Desk, field: str) -> None:
    if field not in FIELDS:
        return desk.refuse(f"There is no text {field}.")
    desk.set(**{field: ""})
    desk.message = "Cleared."
    return None


def _to_session(desk: Desk, _: str) -> None:
    desk.set(session_text=desk.inputs.calls_text)
    desk.message = "The frames stand in Session too, judged as one."


def _paste_mine(desk: Desk, _: str) -> None:
    desk.message = "Paste your answer; it is paired with the calls."


def _use_draft(desk: Desk, _: str) -> None:
    desk.set(responses_text="")
    desk.message = "The drafted answer is used again."


# Calls -----------------------------------------------------------------------


def _call(desk: Desk, argument: str) -> JudgedCall | None:
    frame, _, index = argument.partition(":")
    for item in judge(desk.asked, desk.known, desk.options).frames:
        if str(item.frame.index) == frame and index.isdigit() and int(index) < len(item.calls):
            return item.calls[int(index)]
    desk.refuse("This call is no longer there.")
    return None


def _sample_call(desk: Desk, argument: str) -> None:
    call = _call(desk, argument)
    if call is None:
        return None
    args = call.call.args.object
    if args is None:
        return desk.refuse("This call has no args to take as a sample.")
    _append_samples(desk, [args])
    return None


def _pin_call(desk: Desk, argument: str) -> None:
    call = _call(desk, argument)
    if call is None:
        return None
    # A call that was parsed once is pinned as it came: a case is judged as it is, never parsed.
    args = call.call.args.at
    if args is None:
        return desk.refuse("This call has no args to pin.")
    found = _read_cases(desk)
    accepted = call.verdict is Verdict.ACCEPT and args.is_object
    name = _free_name("ok" if accepted else _name_of(call), found)
    case = {"name": name, "payload": args.tree, "expect": "accept" if accepted else "refuse"}
    _write_cases(desk, [*found, case])
    desk.message = f"Pinned as {name}: must be {'accepted' if accepted else 'refused'}."
    return None


def _name_of(call: JudgedCall) -> str:
    if call.call.args.encoding != "object":
        return "args_as_string" if call.call.args.derived is not None else "no_object"
    for finding in call.findings:
        if not finding.is_error:
            continue
        last = (finding.at.inner or finding.at.pointer).rsplit("/", 1)[-1]
        if finding.keyword == "enum":
            return f"unknown_{last}"
        if finding.keyword == "type":
            return f"wrong_type_{last}"
        if finding.keyword == "required":
            return f"missing_{finding.key}"
        if finding.key is not None:
            return f"extra_{finding.key}"
        if finding.keyword is not None:
            return f"{finding.keyword}_{last}"
    return "refused"


def _free_name(wanted: str, found: Iterable[dict[str, object]]) -> str:
    taken = {case["name"] for case in found}
    number = 2
    name = wanted
    while name in taken:
        name = f"{wanted}_{number}"
        number += 1
    return name


# Cases -----------------------------------------------------------------------


def _read_cases(desk: Desk) -> list[dict[str, object]]:
    """Read the cases as editable objects, so that what is rewritten keeps its numbers."""
    document = paste.read_payload(desk.inputs.cases_text, input="cases_text")
    root = cases.payload_of(document)
    if root is None:
        if not document.blank:
            desk.refuse("The cases cannot be read. Mend their text first.", "cases_text")
        return []
    out: list[dict[str, object]] = []
    for case in cases.read_cases(root, desk.findings):
        if case.payload is None:
            continue
        item: dict[str, object] = {"name": case.name, "payload": case.payload.tree, "expect": case.expect}
        if case.because is not None:
            item["because"] = case.because
        out.append(item)
    return out


def _write_cases(desk: Desk, items: list[dict[str, object]]) -> None:
    if not any(finding.is_error for finding in desk.findings):
        lines = ",\n  ".join(write(item, None) for item in items)
        desk.set(cases_text=f"[\n  {lines}\n]" if items else "")


def _pin_case(desk: Desk, _: str) -> None:
    new = desk.new
    document = paste.read_payload(new.case_payload, input="new_case_payload")
    payload = cases.payload_of(document)
    if payload is None:
        return desk.refuse("The payload is no JSON value. A text needs double quotes.", "new_case_payload")
    found = _read_cases(desk)
    name = new.case_name.strip()
    if not name and payload.is_object and payload.keys:
        for member in payload:
            expect = "accept" if cases.OK_NAME.match(member.key or "") else "refuse"
            found.append(
                {"name": _free_name(member.key or "", found), "payload": member.tree, "expect": expect}
            )
        desk.message = f"{len(payload)} cases pinned."
    else:
        name = _free_name(name or "case", found)
        case: dict[str, object] = {"name": name, "payload": payload.tree, "expect": new.case_expect}
        if new.case_because:
            case["because"] = new.case_because
        found.append(case)
        desk.message = f"Pinned as {name}."
    _write_cases(desk, found)
    return None


def _remove_case(desk: Desk, name: str) -> None:
    found = _read_cases(desk)
    _write_cases(desk, [case for case in found if case["name"] != name])
    desk.message = f"{name} is removed."


def _expect(desk: Desk, argument: str) -> None:
    expect, _, name = argument.partition(":")
    if expect not in ("accept", "refuse"):
        return desk.refuse("A case expects accept or refuse.")
    found = _read_cases(desk)
    for case in found:
        if case["name"] == name:
            case["expect"] = expect
    _write_cases(desk, found)
    desk.message = f"{name} must be {expect}ed." if expect == "accept" else f"{name} must be refused."
    return None


# Samples ---------------------------------------------------------------------


def _append_samples(desk: Desk, payloads: list[Cursor]) -> None:
    lines = "\n".join(write(payload.tree, None) for payload in payloads)
    before = _sample_lines(desk)
    desk.set(samples_text=f"{before}\n{lines}" if before else lines)
    count = len(payloads)
    desk.message = "1 sample added." if count == 1 else f"{count} samples added."


def _sample_lines(desk: Desk) -> str:
    """Return the samples as JSON Lines; text that is none yet is laid out as such."""
    text = desk.inputs.samples_text.strip()
    if not text or all(name is not None for name in desk.groups):
        return text
    return "\n".join(write(payload.tree, None) for payload in desk.groups.get(None, []))


def _add_samples(desk: Desk, _: str) -> None:
    groups, findings = samples.sample_payloads(desk.new.samples, desk.options, input="new_samples")
    payloads = [
        payload
        for name, group in groups.items()
        if name is None or name == desk.chosen.name
        for payload in group
    ]
    if not payloads and len(groups) == 1:
        payloads = next(iter(groups.values()))
    if not payloads:
        desk.findings.extend(findings)
        return desk.refuse("There is no payload to add. Paste objects, JSON Lines or frames.", "new_samples")
    _append_samples(desk, payloads)
    return None


def _remove_sample(desk: Desk, argument: str) -> None:
    payloads = [payload for group in desk.groups.values() for payload in group]
    if not argument.isdigit() or int(argument) >= len(payloads):
        return desk.refuse("This sample is no longer there.")
    kept = [payload for index, payload in enumerate(payloads) if index != int(argument)]
    desk.set(samples_text="\n".join(write(payload.tree, None) for payload in kept))
    desk.message = "1 sample removed."
    return None


# The contract ----------------------------------------------------------------


def _tighten(
    desk: Desk, *, required: Sequence[str] = (), close: Sequence[str] = (), apply: Sequence[str] = ()
) -> None:
    def change(schema: Cursor) -> TightenReport:
        return tighten.tighten(
            schema,
            desk.table.payloads,
            required=required,
            close=close,
            apply=apply,
            cases=_must(desk),
        )

    _change(desk, change)


def _loosen(desk: Desk, keyword: str, pointer: str) -> None:
    _change(desk, lambda schema: tighten.loosen(schema, keyword, pointer, _must(desk)))


def _must(desk: Desk) -> list[tighten.Case]:
    """Return the cases on the page, as the proof of a tightening needs them: all of them are args."""
    if desk.table.part == "result":
        return []
    root = cases.payload_of(paste.read_payload(desk.inputs.cases_text, input="cases_text"))
    if root is None:
        return []
    return [
        tighten.Case(case.name, case.payload, case.expect == "accept")
        for case in cases.read_cases(root, [])
        if case.payload is not None
    ]


def _change(desk: Desk, change: Callable[[Cursor], TightenReport]) -> None:
    """Change the chosen contract's schema in place and keep the proof."""
    if desk.chosen.contract is None and desk.chosen.inferred is not None:
        _use_inferred(desk, "")
    rewritten = desk.chosen.contract is not None and _is_folded(desk.chosen.contract)
    if rewritten:
        _rewrite(desk)
    if desk.table.schema is None:
        return desk.refuse("There is no contract to change. Infer one from samples first.")
    schema = desk.table.schema.source
    proof = change(schema)
    desk.proof = proof
    desk.findings.extend(proof.findings)
    desk.message = _said(proof, desk) + (REWRITTEN if rewritten else "")
    if proof.schema is not None and any(each.before != each.after for each in proof.changes):
        _replace(desk, schema, proof.schema.text)
    return None


def _said(proof: TightenReport, desk: Desk) -> str:
    if not proof.changes:
        return "Nothing to change."
    first = proof.changes[0]
    shrunk = first.before and first.after and len(first.after.text) < len(first.before.text)
    if first.after is None or (first.keyword == "required" and shrunk):
        verb = "removed"
    else:
        verb = "added" if first.before is None or first.keyword == "required" else "changed"
    keywords = " and ".join(dict.fromkeys(f"`{change.keyword}`" for change in proof.changes))
    places = ", ".join(dict.fromkeys(place for change in proof.changes for place in _places(change)))
    text = f"{keywords} {verb} at {places}."
    if proof.admits:
        text += f" It admits {' and '.join(f'`{name}`' for name in proof.admits)}, to be refused by its case."
    passed = len(desk.table.payloads)
    if proof.narrower == "no" or proof.findings or not passed:
        return text
    must = " and every must-accept case" if any(case.accept for case in _must(desk)) else ""
    return f"{text} {passed:,} of {passed:,} samples{must} still pass."


def _places(change: Change) -> list[str]:
    """Return where a change is felt: for required at the properties it names, not at their object."""
    if change.keyword != "required":
        return [change.pointer or "/"]
    before, after = (
        set(loads(raw.text)) if raw is not None else set() for raw in (change.before, change.after)
    )
    return [f"{change.pointer}/{name}" for name in sorted(before ^ after)]


def _replace(desk: Desk, at: Cursor, text: str) -> None:
    """Put a text in the place of a value of the contracts."""
    start, end = at.json.start[at.node], at.json.end[at.node]
    whole = at.json.text
    desk.set_contracts(whole[:start] + text + whole[end:])


def _is_folded(contract: Contract) -> bool:
    schema = contract.parameters
    return schema is not None and schema.source is not schema.prepared.source


REWRITTEN = " The declarations are JSON Schema contracts now: only there does every keyword exist."


def _rewrite(desk: Desk) -> None:
    """Write declarations as draft 2020-12 contracts: only there does every keyword exist."""
    items: list[dict[str, object]] = []
    for each in desk.known.items:
        item: dict[str, object] = {"name": each.name}
        for key in ("description", "behavior"):
            if getattr(each, key) is not None:
                item[key] = getattr(each, key)
        if each.parameters is not None:
            source = each.parameters.source
            item["parameters"] = (
                fold(source, close=desk.options.fold == "closed") if _is_folded(each) else source.tree
            )
        if each.result is not None:
            item["result"] = each.result.prepared.source.tree
        items.append(item)
    desk.set_contracts(write(items))


def _use_inferred(desk: Desk, _: str) -> None:
    inferred = desk.chosen.inferred
    if inferred is None:
        return desk.refuse("There are no samples of this tool to infer from.")
    contract = desk.chosen.contract
    text = inferred_text(inferred.schema)
    if desk.chosen.name is not None:
        desk.set(contract_name=desk.chosen.name)
    if contract is not None and contract.parameters is not None and not _is_folded(contract):
        _replace(desk, contract.parameters.source, text)
    elif desk.known.items and contract is None:
        return desk.refuse("Choose the tool whose contract this is.")
    else:
        desk.set_contracts(text)
    desk.message = f"The contract is what {_samples(inferred.samples)}, and no more."
    return None


def _samples(count: int) -> str:
    return "1 sample says" if count == 1 else f"{count:,} samples say"


def inferred_text(schema: Raw) -> str:
    """Lay out an inferred schema: a property that is short stands on one line."""
    return laid_out(schema.text, inline_from=INLINE_FROM)


def _infer_calls(desk: Desk, _: str) -> None:
    """Infer contracts from the calls on the page: their args become samples."""
    calls: dict[str, list[Cursor]] = {}
    for frame in desk.asked.frames:
        for call in frame.calls:
            if call.name and call.args.object is not None:
                calls.setdefault(call.name, []).append(call.args.object)
    if not calls:
        return desk.refuse("No call on the page has args to infer from.")
    if len(calls) == 1:
        desk.set(contract_name=next(iter(calls)))
        if not desk.chosen.payloads:
            _append_samples(desk, next(iter(calls.values())))
            desk.groups = samples.sample_payloads(
                desk.inputs.samples_text, desk.options, input="samples_text"
            )[0]
        desk.chosen = panels.choose(desk.inputs, desk.known, desk.asked, desk.groups)
        return _use_inferred(desk, "")
    contracts = [
        f'{{"name": {write(name)}, "parameters": {inferred_text(infer.infer(args, name=name).schema)}}}'
        for name, args in calls.items()
    ]
    desk.set_contracts(laid_out(f"[{', '.join(contracts)}]", inline_from=INLINE_FROM + 2))
    desk.message = f"{len(calls)} contracts, each what the calls of its tool say, and no more."
    return None


def _tighten_inferred(desk: Desk, _: str) -> None:
    inferred = desk.chosen.inferred
    if inferred is None:
        return desk.refuse("There are no samples of this tool to infer from.")
    _use_inferred(desk, "")
    _tighten(desk, apply=[suggestion.id for suggestion in inferred.suggestions])
    return None


def _unset(desk: Desk, argument: str) -> None:
    keyword, _, pointer = argument.partition(":")
    _loosen(desk, keyword, pointer)


def _bound(desk: Desk, argument: str) -> None:
    """Set a bound to the number that was typed; without one, take the bound away."""
    keyword, _, pointer = argument.partition(":")
    number = desk.new.bound.strip()
    if keyword not in ("minimum", "maximum"):
        return desk.refuse("Only minimum and maximum are set here.")
    if not number:
        return _loosen(desk, keyword, pointer)
    read = cases.payload_of(paste.read_payload(number, input="new_bound"))
    if read is None or read.kind is not Kind.NUMBER:
        return desk.refuse(f"The {keyword} is no JSON number. Write it like 100 or 0.5.", "new_bound")
    _change(
        desk,
        lambda schema: tighten.set_bound(
            schema, desk.table.payloads, keyword, pointer, Raw(read.text), _must(desk)
        ),
    )
    return None


def _behavior(desk: Desk, value: str) -> None:
    """Say in a declaration whether the model waits for its tool, or say nothing of it."""
    contract = desk.chosen.contract
    if value not in ("", "BLOCKING", "NON_BLOCKING"):
        return desk.refuse("behavior is BLOCKING, NON_BLOCKING or not said.")
    if contract is None or not contract.at.is_object or contract.at.get("name") is None:
        return desk.refuse("A bare schema has no behavior. Write a contract with name and parameters.")
    whole = Subschema("", contract.at, None, "", "")
    setting = Setting("", whole, "behavior", f'"{value}"' if value else None, "as asked")
    _replace(desk, contract.at, edited(contract.at, [setting]))
    desk.message = f"behavior is {value}." if value else "behavior is not said."
    return None


_ACTIONS: dict[str, Callable[[Desk, str], None]] = {
    "format": _format,
    "clear": _clear,
    "repair": _repair,
    "to-session": _to_session,
    "paste-mine": _paste_mine,
    "use-draft": _use_draft,
    "sample-call": _sample_call,
    "pin-call": _pin_call,
    "pin-case": _pin_case,
    "remove-case": _remove_case,
    "expect": _expect,
    "add-samples": _add_samples,
    "remove-sample": _remove_sample,
    "require": lambda desk, pointer: _tighten(desk, required=[pointer]),
    "unrequire": lambda desk, pointer: _loosen(desk, "required", pointer),
    "enum": lambda desk, pointer: _tighten(desk, apply=[f"enum:{pointer}"]),
    "unenum": lambda desk, pointer: _loosen(desk, "enum", pointer),
    "close": lambda desk, pointer: _tighten(desk, close=[pointer]),
    "open": lambda desk, pointer: _loosen(desk, "additionalProperties", pointer),
    "suggest": lambda desk, suggestion: _tighten(desk, apply=[suggestion]),
    "unset": _unset,
    "bound": _bound,
    "behavior": _behavior,
    "infer-calls": _infer_calls,
    "use-inferred": _use_inferred,
    "tighten-inferred": _tighten_inferred,
}
