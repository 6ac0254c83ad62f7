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
from app.ledger import Entry, Ledger, Step
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

    @property
    def unstructured(self) -> bool:
        """Whether an MCP tool that declares an outputSchema answers without structuredContent."""
        body, contract = self.response.body_at, self.contract
        declared = contract is not None and contract.result is not None and contract.dialect == "mcp"
        if not declared or self.response.is_error or self.response.will_continue:
            return False
        return body is None or body.get("structuredContent") is None


@rule("call-id-duplicate", ERROR, on="step", source=WIRE)
def call_id_duplicate(step: Step, ledger: Ledger) -> Iterator[Hit]:
    """Two calls share one id.

    No answer can say which of them it answers. Run neither, and look where the ids
    come from: a gateway may use one id for a whole response.

    Bad:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}},
          {"id": "c1", "name": "set_light", "args": {"room": "hall"}}
        ]}}
    Good:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}},
          {"id": "c2", "name": "set_light", "args": {"room": "hall"}}
        ]}}
    """
    if step.code == "call-id-duplicate":
        yield Hit(
            step.at,
            "Another call has this id. No answer can tell them apart; run neither.",
            call_id=step.entry.id,
        )


@rule("response-orphan", ERROR, on="step", source=WIRE)
def response_orphan(step: Step, ledger: Ledger) -> Iterator[Hit]:
    """An answer bears an id that no call has.

    It was minted anew, mistyped, or belongs to another session. Live pairs by id: such
    an answer is ignored and the call stays open. Copy the id of the call.

    Bad:
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]}}
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}},
          {"id": "4f2a", "name": "list_rooms", "response": {"result": ["kitchen"]}}
        ]}}
    Good:
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]}}
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}}
        ]}}
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
    """A call is answered twice.

    One call has one answer; which of two counts is up to the server. Remove one. Only
    an answer with willContinue true may be followed by another.

    Bad:
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]}}
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}},
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}}
        ]}}
    Good:
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]}}
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}}
        ]}}
    """
    if step.code == "response-duplicate":
        yield Hit(
            step.at,
            "This id is answered already. One call, one answer: remove this one.",
            call_id=step.entry.id,
        )


@rule("response-after-final", ERROR, on="step", source=WIRE)
def response_after_final(step: Step, ledger: Ledger) -> Iterator[Hit]:
    """An answer comes after the one that said it was the last.

    The answers of a NON_BLOCKING tool may come in pieces; the one without willContinue
    ends them. The server does not look at what comes behind it.

    Bad:
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "find_route", "args": {}}]}}
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "find_route", "response": {"result": {"found": 1}}, "willContinue": true},
          {"id": "c1", "name": "find_route", "response": {"result": {"found": 2}}, "willContinue": false},
          {"id": "c1", "name": "find_route", "response": {"result": {"found": 3}}}
        ]}}
    Good:
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "find_route", "args": {}}]}}
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "find_route", "response": {"result": {"found": 1}}, "willContinue": true},
          {"id": "c1", "name": "find_route", "response": {"result": {"found": 2}}, "willContinue": true},
          {"id": "c1", "name": "find_route", "response": {"result": {"found": 3}}, "willContinue": false}
        ]}}
    """
    if step.code == "response-after-final":
        yield Hit(
            step.at, "The last answer said that no more follows. This one is ignored.", call_id=step.entry.id
        )


@rule("response-to-cancelled", ERROR, on="step", unless=("mcp",), source=WIRE)
def response_to_cancelled(step: Step, ledger: Ledger) -> Iterator[Hit]:
    """A cancelled call is answered.

    The server sends a cancellation only when client input interrupted its turn, and
    then it wants no answer. Do not run a cancelled call; if it ran, try to undo it;
    do not answer it.

    Bad:
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]}}
        {"toolCallCancellation": {"ids": ["c1"]}}
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}}
        ]}}
    Good:
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]}}
        {"toolCallCancellation": {"ids": ["c1"]}}
    """
    if step.code == "response-to-cancelled":
        yield Hit(
            step.at,
            "This call was cancelled. Remove its answer; if it ran, try to undo it.",
            call_id=step.entry.id,
        )


@rule("cancel-unknown-id", WARNING, on="step", source=WIRE)
def cancel_unknown_id(step: Step, ledger: Ledger) -> Iterator[Hit]:
    """A cancellation names an id that no call here has.

    The call may belong to an earlier part of the log. If the text is complete, an id
    was changed on its way.

    Bad:
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]}}
        {"toolCallCancellation": {"ids": ["c7"]}}
    Good:
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]}}
        {"toolCallCancellation": {"ids": ["c1"]}}
    """
    if step.code == "cancel-unknown-id":
        yield Hit(step.at, f"No call here has the id {step.entry.id}.", call_id=step.entry.id)


@rule("cancel-after-answer", INFO, on="step", source=WIRE)
def cancel_after_answer(step: Step, ledger: Ledger) -> Iterator[Hit]:
    """A cancellation comes after the answer.

    The tool has run, so it is too late to stop it. Try to undo what it did.

    Bad:
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]}}
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}}
        ]}}
        {"toolCallCancellation": {"ids": ["c1"]}}
    Good:
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]}}
        {"toolCallCancellation": {"ids": ["c1"]}}
    """
    if step.code == "cancel-after-answer":
        yield Hit(
            step.at, f"{step.entry.id} was answered already. Try to undo what it did.", call_id=step.entry.id
        )


@rule("response-missing", ERROR, on="open", source=WIRE)
def response_missing(entry: Entry) -> Iterator[Hit]:
    """A call gets no answer.

    The model waits, or talks on without it. A refused call needs an answer too: an
    error object with its id and name.

    Bad:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "list_rooms", "args": {}},
          {"id": "c2", "name": "set_light", "args": {"room": "garage"}}
        ]}}
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}}
        ]}}
    Good:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "list_rooms", "args": {}},
          {"id": "c2", "name": "set_light", "args": {"room": "garage"}}
        ]}}
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}},
          {"id": "c2", "name": "set_light", "response": {"error": {"message": "no such room"}}}
        ]}}
    """
    if entry.call is not None:
        yield Hit(entry.call.at, "This call gets no answer. A refusal needs one too.", call_id=entry.id)


@rule("response-name-mismatch", ERROR, on="pairing", source=TOOLS)
def response_name_mismatch(pairing: Pairing) -> Iterator[Hit]:
    """An answer has the id of the call and another name.

    Servers refuse it or read it as a failed call. Copy both id and name from the call.

    Bad:
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]}}
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "listRooms", "response": {"result": ["kitchen"]}}
        ]}}
    Good:
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]}}
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}}
        ]}}
    """
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
    """A refused call is answered with a result, as if it had run.

    The model then tells the user that it worked. Answer with an error object that says
    what was wrong.

    Bad:
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "set_light", "args": null}]}}
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "set_light", "response": {"result": {"ok": true}}}
        ]}}
    Good:
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "set_light", "args": null}]}}
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "set_light",
           "response": {"error": {"code": "invalid_args", "message": "args must be an object"}}}
        ]}}
    """
    if pairing.verdict is Verdict.REFUSE and not pairing.cancelled and not pairing.response.is_error:
        yield Hit(
            pairing.response.body_at or pairing.response.at,
            "This call is refused, so it has no result. Answer with an error object.",
            call_id=pairing.response.id,
        )


@rule("scheduling-ignored", WARNING, on="pairing", dialects=LIVE, source=TOOLS)
def scheduling_ignored(pairing: Pairing) -> Iterator[Hit]:
    """The answer of a BLOCKING tool has a scheduling.

    Scheduling says when the model speaks of an answer that came while it went on. A
    BLOCKING tool makes the model wait, so the server ignores it. Leave it out.

    Bad:
        {"setup": {"model": "models/gemini-3.8-live", "tools": [{"functionDeclarations": [
          {"name": "list_rooms", "description": "List all rooms.", "behavior": "BLOCKING"}
        ]}]}}
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]}}
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}, "scheduling": "SILENT"}
        ]}}
    Good:
        {"setup": {"model": "models/gemini-3.8-live", "tools": [{"functionDeclarations": [
          {"name": "list_rooms", "description": "List all rooms.", "behavior": "NON_BLOCKING"}
        ]}]}}
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]}}
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}, "scheduling": "SILENT"}
        ]}}
    """
    if pairing.contract is not None and pairing.contract.behavior == "BLOCKING":
        for hint in pairing.response.scheduling:
            yield Hit(hint.at, "The tool is BLOCKING, so scheduling is ignored.", call_id=pairing.response.id)


@rule("will-continue-ignored", WARNING, on="pairing", dialects=LIVE, source=TOOLS)
def will_continue_ignored(pairing: Pairing) -> Iterator[Hit]:
    """The answer of a BLOCKING tool says that more follows.

    The model waits for one answer of a BLOCKING tool and goes on with it, so
    willContinue is ignored. Send one answer, or declare the tool NON_BLOCKING.

    Bad:
        {"setup": {"model": "models/gemini-3.8-live", "tools": [{"functionDeclarations": [
          {"name": "find_route", "description": "Find a route.", "behavior": "BLOCKING"}
        ]}]}}
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "find_route", "args": {}}]}}
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "find_route", "response": {"result": {"found": 1}}, "willContinue": true}
        ]}}
    Good:
        {"setup": {"model": "models/gemini-3.8-live", "tools": [{"functionDeclarations": [
          {"name": "find_route", "description": "Find a route.", "behavior": "NON_BLOCKING"}
        ]}]}}
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "find_route", "args": {}}]}}
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "find_route", "response": {"result": {"found": 1}}, "willContinue": true}
        ]}}
    """
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
    if pairing.unstructured:
        return ()  # the rule on structuredContent says it; text is not what the schema is about
    return check_payload(response.output, contract.result, "result-schema", response.id).findings


def is_answer(step: Step) -> bool:
    """Whether the step is an answer that belongs to a call."""
    return step.response is not None and step.entry.call is not None
