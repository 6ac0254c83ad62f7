"""Rules over an exchange: each call gets its one answer, and nothing else does.

The ledger says which step should not have happened; these rules say so in
words. The rules on a pairing compare an answer with the call it belongs to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from app.contract import Contract, check_payload
from app.events import ToolCall, ToolResponse
from app.ledger import Entry, Event, Ledger, Step
from app.model import Finding, Verdict
from app.rules import ERROR, INFO, WARNING, Hit, rule

LIVE = ("gemini-live",)
WIRE = "https://ai.google.dev/api/live"
TOOLS = "https://ai.google.dev/gemini-api/docs/live-tools"


@dataclass(frozen=True, slots=True)
class Pairing:
    """An answer beside its call: what was asked, what the contract said, what came back."""

    call: ToolCall
    verdict: Verdict
    contract: Contract | None
    response: ToolResponse
    cancelled: bool


@rule("call-id-duplicate", ERROR, on="step", source=WIRE)
def call_id_duplicate(step: Step, ledger: Ledger) -> Iterator[Hit]:
    """Two calls share one id, so no answer can be told apart. Run neither."""
    if step.code == "call-id-duplicate":
        yield Hit(
            step.at,
            "Another call has this id. No answer can tell them apart; run neither.",
            call_id=step.entry.id,
        )


@rule("response-orphan", ERROR, on="step", source=WIRE)
def response_orphan(step: Step, ledger: Ledger) -> Iterator[Hit]:
    """An answer bears an id that no call has: minted anew, mistyped, or of another session.

    Live pairs by id. Such an answer is ignored and the call stays open.
    """
    if step.code == "response-orphan":
        open_ids = [str(entry.id) for entry in islice(ledger.pending(), 4)]
        advice = "No call is open." if not open_ids else f"The open one is {open_ids[0]}."
        if len(open_ids) > 1:
            advice = f"Open are {', '.join(open_ids[:3])}{' …' if len(open_ids) > 3 else ''}."
        yield Hit(
            step.at, f"No call has this id. {advice} Copy the id; never mint one.", call_id=step.entry.id
        )


@rule("response-duplicate", ERROR, on="step", source=WIRE)
def response_duplicate(step: Step, ledger: Ledger) -> Iterator[Hit]:
    """A call is answered twice. One call, one answer."""
    if step.code == "response-duplicate":
        yield Hit(
            step.at,
            "This id is answered already. One call, one answer: remove this one.",
            call_id=step.entry.id,
        )


@rule("response-after-final", ERROR, on="step", source=WIRE)
def response_after_final(step: Step, ledger: Ledger) -> Iterator[Hit]:
    """An answer after the one that said it was the last; the server does not look at it."""
    if step.code == "response-after-final":
        yield Hit(
            step.at, "The last answer said that no more follows. This one is ignored.", call_id=step.entry.id
        )


@rule("response-to-cancelled", ERROR, on="step", source=WIRE)
def response_to_cancelled(step: Step, ledger: Ledger) -> Iterator[Hit]:
    """A cancelled call is answered.

    The server sends a cancellation only when client input interrupted its turn.
    Do not run a cancelled call; if it ran, try to undo it; do not answer it.
    """
    if step.code == "response-to-cancelled":
        yield Hit(
            step.at,
            "This call was cancelled. Remove its answer; if it ran, try to undo it.",
            call_id=step.entry.id,
        )


@rule("cancel-unknown-id", WARNING, on="step", source=WIRE)
def cancel_unknown_id(step: Step, ledger: Ledger) -> Iterator[Hit]:
    """A cancellation names an id that no call here has. It may belong to an earlier part of the log."""
    if step.code == "cancel-unknown-id":
        yield Hit(step.at, f"No call here has the id {step.entry.id}.", call_id=step.entry.id)


@rule("cancel-after-answer", INFO, on="step", source=WIRE)
def cancel_after_answer(step: Step, ledger: Ledger) -> Iterator[Hit]:
    """A cancellation comes after the answer. Only an undo is possible."""
    if step.code == "cancel-after-answer":
        yield Hit(
            step.at, f"{step.entry.id} was answered already. Try to undo what it did.", call_id=step.entry.id
        )


@rule("response-missing", ERROR, on="open", source=WIRE)
def response_missing(entry: Entry) -> Iterator[Hit]:
    """A call gets no answer. The model waits, or talks without it.

    A refused call needs an answer too: an error object with its id and name.
    """
    if entry.call is not None:
        yield Hit(entry.call.at, "This call gets no answer. A refusal needs one too.", call_id=entry.id)


@rule("response-name-mismatch", ERROR, on="pairing", source=TOOLS)
def response_name_mismatch(pairing: Pairing) -> Iterator[Hit]:
    """The answer has the id of the call and another name. Copy both."""
    response, call = pairing.response, pairing.call
    if response.name is not None and response.name != call.name:
        what = "This is the id" if response.name == call.id else "This is another name"
        yield Hit(
            response.name_at or response.at,
            f"{what}. The call is named {call.name}; copy the name.",
            call_id=response.id,
        )


@rule("response-to-refused", ERROR, on="pairing", source=TOOLS)
def response_to_refused(pairing: Pairing) -> Iterator[Hit]:
    """A refused call is answered with a result, as if it had run."""
    if pairing.verdict is Verdict.REFUSE and not pairing.cancelled and not pairing.response.is_error:
        yield Hit(
            pairing.response.body_at or pairing.response.at,
            "This call is refused, so it has no result. Answer with an error object.",
            call_id=pairing.response.id,
        )


@rule("scheduling-ignored", WARNING, on="pairing", dialects=LIVE, source=TOOLS)
def scheduling_ignored(pairing: Pairing) -> Iterator[Hit]:
    """Scheduling on the answer of a BLOCKING tool is ignored."""
    if pairing.contract is not None and pairing.contract.behavior == "BLOCKING":
        for hint in pairing.response.scheduling:
            yield Hit(hint.at, "The tool is BLOCKING, so scheduling is ignored.", call_id=pairing.response.id)


@rule("will-continue-ignored", WARNING, on="pairing", dialects=LIVE, source=TOOLS)
def will_continue_ignored(pairing: Pairing) -> Iterator[Hit]:
    """A willContinue on the answer of a BLOCKING tool is ignored."""
    blocking = pairing.contract is not None and pairing.contract.behavior == "BLOCKING"
    if blocking and pairing.response.will_continue:
        yield Hit(
            pairing.response.at,
            "The tool is BLOCKING, so willContinue is ignored.",
            call_id=pairing.response.id,
        )


def result_findings(pairing: Pairing) -> tuple[Finding, ...]:
    """Judge the business value of an answer by the contract's result schema."""
    contract, response = pairing.contract, pairing.response
    if contract is None or contract.result is None or response.output is None or not contract.sound:
        return ()
    return check_payload(response.output, contract.result, "result-schema", response.id).findings


def is_answer(step: Step) -> bool:
    """Whether the step is an answer that belongs to a call."""
    return step.event not in (Event.CALL, Event.CANCEL) and step.entry.call is not None
