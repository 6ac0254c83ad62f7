"""Rules over a whole Gemini Live session: order, closing, and what happens while a call is open."""

from __future__ import annotations

from collections.abc import Iterator

from app.course import Course
from app.cursor import Cursor
from app.dialects.gemini_live import CLIENT_MEMBERS
from app.events import Close, Frame
from app.ledger import Entry, Ledger, Step
from app.rules import ERROR, WARNING, Hit, rule

LIVE = ("gemini-live",)
WIRE = "https://ai.google.dev/api/live"
SESSION = "https://ai.google.dev/gemini-api/docs/live-session"
CLOSES = "https://www.rfc-editor.org/rfc/rfc6455#section-7.4"
TOOLS = "https://ai.google.dev/gemini-api/docs/live-tools"

NORMAL_CLOSES = frozenset({1000, 1001, 1005})
INPUT = ("realtimeInput", "clientContent")


def _said(frame: Frame) -> Cursor | None:
    """Return what a client says in a frame, its setup aside."""
    return next((at for key, at in frame.members.items() if key in CLIENT_MEMBERS and key != "setup"), None)


@rule("setup-order", ERROR, on="session", dialects=LIVE, needs=("setup",), source=WIRE)
def setup_order(course: Course) -> Iterator[Hit]:
    """The client speaks before its setup.

    setup is the first message of a connection, and nothing else may be sent before
    setupComplete has come. Send setup first.

    Bad:
        {"realtimeInput": {"text": "hi"}}
        {"setup": {"model": "models/gemini-3.8-live"}}
        {"setupComplete": {}}
    Good:
        {"setup": {"model": "models/gemini-3.8-live"}}
        {"setupComplete": {}}
        {"realtimeInput": {"text": "hi"}}
    """
    for frames in course.connections():
        setup = next((frame.index for frame in frames if "setup" in frame.members), None)
        for frame in frames:
            # A log may start in the middle: without a setup there is no order to break.
            if setup is None or frame.index >= setup:
                break
            if (at := _said(frame)) is not None:
                yield Hit(at, "This stands before setup, which must be the first message.", at_key=True)


@rule("setup-repeated", ERROR, on="session", dialects=LIVE, needs=("setup",), source=WIRE)
def setup_repeated(course: Course) -> Iterator[Hit]:
    """A second setup comes on one connection.

    It configures a connection and is sent once. To change tools or instructions in a
    session, send contextUpdate. If the second setup is that of another connection, the
    log misses the end of the first: two sessions are read as one.

    Bad:
        {"setup": {"model": "models/gemini-3.8-live"}}
        {"setupComplete": {}}
        {"setup": {"model": "models/gemini-3.8-live"}}
    Good:
        {"setup": {"model": "models/gemini-3.8-live"}}
        {"setupComplete": {}}
        {"close": {"code": 1000, "reason": ""}}
        {"setup": {"model": "models/gemini-3.8-live"}}
    """
    for frames in course.connections():
        setups = [frame.members["setup"] for frame in frames if "setup" in frame.members]
        for at in setups[1:]:
            yield Hit(
                at,
                "setup is sent once on a connection. Send contextUpdate to change tools; "
                "if this is another connection, the close of the first is missing.",
                at_key=True,
            )


@rule("setup-no-wait", WARNING, on="session", dialects=LIVE, needs=("setup",), source=WIRE)
def setup_no_wait(course: Course) -> Iterator[Hit]:
    """The client speaks after setup and does not wait for setupComplete.

    What comes before the session is ready may be lost or close the socket. Wait for
    setupComplete.

    Bad:
        {"setup": {"model": "models/gemini-3.8-live"}}
        {"realtimeInput": {"text": "hi"}}
        {"setupComplete": {}}
    Good:
        {"setup": {"model": "models/gemini-3.8-live"}}
        {"setupComplete": {}}
        {"realtimeInput": {"text": "hi"}}
    """
    for frames in course.connections():
        waiting = False
        for frame in frames:
            if "setup" in frame.members:
                waiting = True
            elif frame.direction == "server":
                waiting = False
            elif waiting and (at := _said(frame)) is not None:
                yield Hit(at, "Sent before setupComplete came. Wait for it.", at_key=True)


@rule("input-while-pending", WARNING, on="session", dialects=LIVE, needs=INPUT, source=TOOLS)
def input_while_pending(course: Course) -> Iterator[Hit]:
    """The user's input is sent while a BLOCKING call is open.

    Newer models cancel the call then, older ones close the socket with 1008. Hold the
    input back until the answer is sent, or declare the tool NON_BLOCKING.

    Bad:
        {"setup": {"model": "models/gemini-3.8-live", "tools": [{"functionDeclarations": [
          {"name": "list_rooms", "description": "List all rooms.", "behavior": "BLOCKING"}
        ]}]}}
        {"setupComplete": {}}
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]}}
        {"realtimeInput": {"text": "hello?"}}
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}}
        ]}}
    Good:
        {"setup": {"model": "models/gemini-3.8-live", "tools": [{"functionDeclarations": [
          {"name": "list_rooms", "description": "List all rooms.", "behavior": "NON_BLOCKING"}
        ]}]}}
        {"setupComplete": {}}
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]}}
        {"realtimeInput": {"text": "hello?"}}
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}}
        ]}}
    """
    blocking = {
        key for key, contract in course.contracts.items() if contract and contract.behavior == "BLOCKING"
    }
    if not blocking:
        return
    for frame, open_calls in course.walk():
        at = next((frame.members[key] for key in INPUT if key in frame.members), None)
        key = next((key for key in open_calls if key in blocking), None) if at is not None else None
        if at is not None and key is not None:
            yield Hit(
                at,
                f"Input while the BLOCKING call {open_calls[key].id} is open. It may cancel the call.",
                at_key=True,
            )


@rule("goaway-pending", WARNING, on="session", dialects=LIVE, needs=("goAway",), source=SESSION)
def goaway_pending(course: Course) -> Iterator[Hit]:
    """The server says that the connection ends soon, and a call is open.

    An answer counts only on the connection that asked. Send it before the time is over,
    then resume on a new connection.

    Bad:
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]}}
        {"goAway": {"timeLeft": "5s"}}
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}}
        ]}}
    Good:
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]}}
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}}
        ]}}
        {"goAway": {"timeLeft": "5s"}}
    """
    for frame, open_calls in course.walk():
        at = frame.members.get("goAway")
        first = next(iter(open_calls.values()), None) if at is not None else None
        if at is not None and first is not None:
            yield Hit(at, f"The connection ends soon and {first.id} is open. Answer it first.", at_key=True)


@rule("session-closed", ERROR, on="session", needs=("close",), source=CLOSES)
def session_closed(course: Course) -> Iterator[Hit]:
    """The socket closed with a code that is no normal end.

    1007 is a message that the server could not take, such as an answer that is no
    object; 1008 a broken rule, such as input while a call is open on older models; 1011
    a fault of the server, which these frames do not explain. Answers to what was asked
    before reach nobody.

    Bad:
        {"setupComplete": {}}
        {"close": {"code": 1008, "reason": "Operation is not implemented."}}
    Good:
        {"setupComplete": {}}
        {"close": {"code": 1000, "reason": ""}}
    """
    for frame in course.frames:
        for signal in frame.signals:
            if isinstance(signal, Close) and signal.code not in NORMAL_CLOSES:
                reason = frame.members.get("reason")
                said = f", saying {reason.string[:120]!r}" if reason is not None and reason.string else ""
                yield Hit(
                    frame.members.get("code", signal.at),
                    f"The socket closed with {signal.code}{said}. Answers sent later reach nobody.",
                )


@rule("call-repeated", WARNING, on="session", dialects=(*LIVE, "mcp"), source=TOOLS)
def call_repeated(course: Course) -> Iterator[Hit]:
    """The same tool is called again with the same args while the first call is open.

    A model or a client that waits too long asks again. The two have two ids and each
    wants its answer, but running the tool twice may do harm.

    Bad:
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "set_light", "args": {"room": "hall"}}]}}
        {"toolCall": {"functionCalls": [{"id": "c2", "name": "set_light", "args": {"room": "hall"}}]}}
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "set_light", "response": {"result": {"ok": true}}},
          {"id": "c2", "name": "set_light", "response": {"result": {"ok": true}}}
        ]}}
    Good:
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "set_light", "args": {"room": "hall"}}]}}
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "set_light", "response": {"result": {"ok": true}}}
        ]}}
        {"toolCall": {"functionCalls": [{"id": "c2", "name": "set_light", "args": {"room": "hall"}}]}}
        {"toolResponse": {"functionResponses": [
          {"id": "c2", "name": "set_light", "response": {"result": {"ok": true}}}
        ]}}
    """
    last: dict[tuple[str | None, str], Entry] = {}
    for entry in course.ledger.entries:
        call = entry.call
        if call is None or call.args.at is None:
            continue
        key = (call.name, call.args.at.text)
        first = last.get(key)
        is_open = first is not None and (first.settled is None or first.settled > call.frame)
        if first is not None and first.call is not None and is_open and call.frame > first.call.frame:
            yield Hit(
                call.at,
                f"The same call as {first.id}, which is still open. Do not run it twice.",
                call_id=call.id,
            )
        last[key] = entry


@rule("call-duplicate-delivery", WARNING, on="step", dialects=LIVE, source=TOOLS)
def call_duplicate_delivery(step: Step, ledger: Ledger) -> Iterator[Hit]:
    """One call comes through two channels, in toolCall and among the model's content.

    It is one call with one id. A client that acts on both runs the tool twice: go by
    the id, run it once and answer it once.

    Bad:
        {"serverContent": {"modelTurn": {"role": "model", "parts": [
          {"functionCall": {"id": "c1", "name": "list_rooms", "args": {}}}
        ]}}}
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]}}
    Good:
        {"serverContent": {"modelTurn": {"role": "model", "parts": [{"text": "One moment."}]}}}
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]}}
    """
    if step.code == "call-duplicate-delivery":
        yield Hit(step.at, "This call came before, with the same id. Run it once.", call_id=step.entry.id)


@rule("response-wrong-connection", ERROR, on="step", source=SESSION)
def response_wrong_connection(step: Step, ledger: Ledger) -> Iterator[Hit]:
    """An answer is for a call of an earlier connection.

    The new connection never asked, even where it resumes the session: it ignores the
    answer, and the model stays silent. Tell the model what came of it as content, or
    let it ask again.

    Bad:
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]}}
        {"close": {"code": 1006, "reason": ""}}
        {"setup": {"model": "models/gemini-3.8-live", "sessionResumption": {"handle": "h1"}}}
        {"setupComplete": {}}
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}}
        ]}}
    Good:
        {"toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]}}
        {"toolResponse": {"functionResponses": [
          {"id": "c1", "name": "list_rooms", "response": {"result": ["kitchen"]}}
        ]}}
        {"close": {"code": 1006, "reason": ""}}
        {"setup": {"model": "models/gemini-3.8-live", "sessionResumption": {"handle": "h1"}}}
        {"setupComplete": {}}
    """
    if step.code == "response-wrong-connection":
        yield Hit(
            step.at,
            "This was asked for on an earlier connection. The answer is ignored.",
            call_id=step.entry.id,
        )
