"""Rules over a generateContent conversation: whose turn it is, how many answers, and signatures.

A request sends the whole conversation along, and the API checks it before the
model sees it. A turn that asks for calls is followed by one turn that answers
each of them, and by nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from app.course import Course
from app.cursor import Cursor
from app.dialects.gemini_schema import members
from app.events import Message, Part
from app.rules import ERROR, INFO, WARNING, Hit, rule
from app.rules.exchange import Pairing

GENERATE = ("gemini-generate",)
CALLING = "https://ai.google.dev/gemini-api/docs/function-calling"
CONTENT = "https://ai.google.dev/api/caching#Content"
SIGNATURES = "https://ai.google.dev/gemini-api/docs/thought-signatures"
RESPONSE = "https://ai.google.dev/api/caching#FunctionResponse"

DUMMIES = frozenset({"skip_thought_signature_validator", "context_engineering_is_the_way_to_go"})
"""What the documentation lets a client send where it has no signature."""

_GENERATION = re.compile(r"gemini-(\d+)")


@rule("history-count", ERROR, on="session", dialects=GENERATE, source=CALLING)
def history_count(course: Course) -> Iterator[Hit]:
    """The turn after a turn with calls does not hold one answer for each of them.

    The API refuses the request with 400, and each retry sends the same history: the
    conversation is stuck. Answer every call in the one turn that follows; a call that
    was refused or interrupted gets an error.

    Bad:
        {"contents": [
          {"role": "user", "parts": [{"text": "Rates?"}]},
          {"role": "model", "parts": [
            {"functionCall": {"id": "c1", "name": "get_rate", "args": {"pair": "A"}}},
            {"functionCall": {"id": "c2", "name": "get_rate", "args": {"pair": "B"}}}
          ]},
          {"role": "user", "parts": [
            {"functionResponse": {"id": "c1", "name": "get_rate", "response": {"output": 1.1}}}
          ]}
        ]}
    Good:
        {"contents": [
          {"role": "user", "parts": [{"text": "Rates?"}]},
          {"role": "model", "parts": [
            {"functionCall": {"id": "c1", "name": "get_rate", "args": {"pair": "A"}}},
            {"functionCall": {"id": "c2", "name": "get_rate", "args": {"pair": "B"}}}
          ]},
          {"role": "user", "parts": [
            {"functionResponse": {"id": "c1", "name": "get_rate", "response": {"output": 1.1}}},
            {"functionResponse": {"id": "c2", "name": "get_rate", "response": {"error": "no such pair"}}}
          ]}
        ]}
    """
    for before, message in course.neighbours():
        asked = len(before.calls) if before is not None else 0
        answered = len(message.responses)
        if asked and asked != answered:
            calls = "1 call" if asked == 1 else f"{asked} calls"
            answers = "1 answer" if answered == 1 else f"{answered or 'no'} answers"
            yield Hit(
                message.at,
                f"{calls} before this turn, and {answers} in it. Answer each call here, an error counts too.",
            )


@rule("history-orphan", ERROR, on="session", dialects=GENERATE, source=CALLING)
def history_orphan(course: Course) -> Iterator[Hit]:
    """A turn with answers does not follow the turn that asked.

    Often the call was trimmed or summed up away, or the answers were split over two
    turns. The API refuses it. Cut a history only where the user speaks.

    Bad:
        {"contents": [
          {"role": "user", "parts": [
            {"functionResponse": {"id": "c1", "name": "get_rate", "response": {"output": 1.1}}}
          ]},
          {"role": "model", "parts": [{"text": "1.1"}]},
          {"role": "user", "parts": [{"text": "Thanks."}]}
        ]}
    Good:
        {"contents": [
          {"role": "user", "parts": [{"text": "Rate?"}]},
          {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "get_rate", "args": {}}}]},
          {"role": "user", "parts": [
            {"functionResponse": {"id": "c1", "name": "get_rate", "response": {"output": 1.1}}}
          ]}
        ]}
    """
    for before, message in course.neighbours():
        if message.responses and not (before is not None and before.calls):
            yield Hit(
                message.at,
                "These answers do not follow the turn that asked. Keep a call and its answer together.",
            )


@rule("history-call-order", ERROR, on="session", dialects=GENERATE, source=CALLING)
def history_call_order(course: Course) -> Iterator[Hit]:
    """A turn with calls follows neither the user nor an answer.

    It stands first, because the history was trimmed, or behind another turn of the
    model, because parallel calls were split. The API refuses both. Begin with what the
    user said, and keep parallel calls in one turn.

    Bad:
        {"contents": [
          {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "get_rate", "args": {}}}]},
          {"role": "user", "parts": [
            {"functionResponse": {"id": "c1", "name": "get_rate", "response": {"output": 1.1}}}
          ]}
        ]}
    Good:
        {"contents": [
          {"role": "user", "parts": [{"text": "Rate?"}]},
          {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "get_rate", "args": {}}}]},
          {"role": "user", "parts": [
            {"functionResponse": {"id": "c1", "name": "get_rate", "response": {"output": 1.1}}}
          ]}
        ]}
    """
    whole = {frame.index for frame in course.frames if frame.kind == "history"}
    if not whole:
        return  # a log of single turns may start anywhere
    for before, message in course.neighbours():
        if before is None and message.at.frame not in whole:
            continue  # so may one in which a request follows
        if message.calls and (before is None or before.role == "model"):
            where = "first" if before is None else "behind another turn of the model"
            yield Hit(message.at, f"A turn with calls stands {where}. It follows the user or an answer.")


@rule("history-role", ERROR, on="session", dialects=GENERATE, source=CONTENT)
def history_role(course: Course) -> Iterator[Hit]:
    """A role is of another API.

    Here the roles are user and model. The answers of tools stand in a user turn, and
    what other APIs call system is systemInstruction.

    Bad:
        {"contents": [
          {"role": "user", "parts": [{"text": "Hi."}]},
          {"role": "assistant", "parts": [{"text": "Hello."}]},
          {"role": "user", "parts": [{"text": "Bye."}]}
        ]}
    Good:
        {"contents": [
          {"role": "user", "parts": [{"text": "Hi."}]},
          {"role": "model", "parts": [{"text": "Hello."}]},
          {"role": "user", "parts": [{"text": "Bye."}]}
        ]}
    """
    for message in course.messages():
        if message.role not in (None, "user", "model", "function"):
            at = message.at.get("role") or message.at
            yield Hit(at, f"No role here is called {message.role[:40]}. Write user or model.")


@rule("history-role-legacy", WARNING, on="session", dialects=GENERATE, source=CONTENT)
def history_role_legacy(course: Course) -> Iterator[Hit]:
    """The answers stand in a turn of the role function.

    It is an old spelling. Today they stand in a user turn, and newer models refuse any
    other.

    Bad:
        {"contents": [
          {"role": "user", "parts": [{"text": "Rate?"}]},
          {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "get_rate", "args": {}}}]},
          {"role": "function", "parts": [
            {"functionResponse": {"id": "c1", "name": "get_rate", "response": {"output": 1.1}}}
          ]}
        ]}
    Good:
        {"contents": [
          {"role": "user", "parts": [{"text": "Rate?"}]},
          {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "get_rate", "args": {}}}]},
          {"role": "user", "parts": [
            {"functionResponse": {"id": "c1", "name": "get_rate", "response": {"output": 1.1}}}
          ]}
        ]}
    """
    for message in course.messages():
        if message.role == "function":
            yield Hit(
                message.at.get("role") or message.at, "The role function is an old spelling. Write user."
            )


@rule("history-mixed-turn", WARNING, on="session", dialects=GENERATE, source=CALLING)
def history_mixed_turn(course: Course) -> Iterator[Hit]:
    """A turn with answers holds something else too.

    Older models count the parts of the turn, not the answers, and refuse it. Put what
    the user says next into a turn of its own, after the model has spoken.

    Bad:
        {"contents": [
          {"role": "user", "parts": [{"text": "Rate?"}]},
          {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "get_rate", "args": {}}}]},
          {"role": "user", "parts": [
            {"functionResponse": {"id": "c1", "name": "get_rate", "response": {"output": 1.1}}},
            {"text": "And in yen?"}
          ]}
        ]}
    Good:
        {"contents": [
          {"role": "user", "parts": [{"text": "Rate?"}]},
          {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "get_rate", "args": {}}}]},
          {"role": "user", "parts": [
            {"functionResponse": {"id": "c1", "name": "get_rate", "response": {"output": 1.1}}}
          ]}
        ]}
    """
    for message in course.messages():
        other = next((part for part in message.parts if part.response is None), None)
        if message.responses and other is not None:
            yield Hit(other.at, "This stands among answers. Older models refuse a turn that mixes both.")


@rule("history-ends-model", WARNING, on="session", dialects=GENERATE, needs=("history",), source=CONTENT)
def history_ends_model(course: Course) -> Iterator[Hit]:
    """A request ends with what the model said.

    Nothing is asked, so some models refuse it and others go on with their own text. End
    with a turn of the user or with answers.

    Bad:
        {"contents": [
          {"role": "user", "parts": [{"text": "Hi."}]},
          {"role": "model", "parts": [{"text": "Hello."}]}
        ]}
    Good:
        {"contents": [
          {"role": "user", "parts": [{"text": "Hi."}]},
          {"role": "model", "parts": [{"text": "Hello."}]},
          {"role": "user", "parts": [{"text": "Which rooms are there?"}]}
        ]}
    """
    for frame in course.frames:
        last = frame.messages[-1] if frame.kind == "history" and frame.messages else None
        if last is not None and last.role == "model" and not last.calls:
            yield Hit(last.at, "The request ends with the model's own turn, so nothing is asked.")


@rule("signature-missing", ERROR, on="session", dialects=GENERATE, needs=("history",), source=SIGNATURES)
def signature_missing(course: Course) -> Iterator[Hit]:
    """A call of the current turn comes back without its thought signature.

    From Gemini 3 on, the first call of each step since the user last spoke must carry
    the thoughtSignature it came with, or the API refuses the request. Send the model's
    content back untouched. The later ones of parallel calls have none, and are fine.

    Bad:
        {"model": "models/gemini-3.8-flash", "contents": [
          {"role": "user", "parts": [{"text": "Rate?"}]},
          {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "get_rate", "args": {}}}]},
          {"role": "user", "parts": [
            {"functionResponse": {"id": "c1", "name": "get_rate", "response": {"output": 1.1}}}
          ]}
        ]}
    Good:
        {"model": "models/gemini-3.8-flash", "contents": [
          {"role": "user", "parts": [{"text": "Rate?"}]},
          {"role": "model", "parts": [
            {"functionCall": {"id": "c1", "name": "get_rate", "args": {}}, "thoughtSignature": "Eq0B"}
          ]},
          {"role": "user", "parts": [
            {"functionResponse": {"id": "c1", "name": "get_rate", "response": {"output": 1.1}}}
          ]}
        ]}
    """
    for frame in course.frames:
        named = frame.members.get("model")
        model = (named.string if named is not None else course.options.model) or ""
        generation = _GENERATION.search(model)
        if frame.kind != "history" or generation is None or int(generation[1][:4]) < 3:
            continue
        for message in _current_turn(frame.messages):
            first = next((part for part in message.parts if part.call is not None), None)
            if first is not None and _signature(first) is None:
                yield Hit(
                    first.at,
                    "The first call of this step has no thoughtSignature. Send back what the model sent.",
                    key="thoughtSignature",
                    call_id=first.call.id if first.call is not None else None,
                )


def _current_turn(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Return the messages behind the last one in which the user says something."""
    spoken = [
        place
        for place, message in enumerate(messages)
        if message.role != "model" and any(part.response is None for part in message.parts)
    ]
    return messages[spoken[-1] + 1 if spoken else 0 :]


def _signature(part: Part) -> Cursor | None:
    at = members(part.at).get("thoughtSignature")
    return at if at is not None and at.string else None


@rule("signature-dummy", INFO, on="session", dialects=GENERATE, source=SIGNATURES)
def signature_dummy(course: Course) -> Iterator[Hit]:
    """A thought signature is one of the documented placeholders.

    It lets a call pass that another model made. The model loses its own reasoning there
    and may do worse, so send the real signature wherever there is one.

    Bad:
        {"contents": [
          {"role": "user", "parts": [{"text": "Rate?"}]},
          {"role": "model", "parts": [
            {"functionCall": {"id": "c1", "name": "get_rate", "args": {}},
             "thoughtSignature": "skip_thought_signature_validator"}
          ]},
          {"role": "user", "parts": [
            {"functionResponse": {"id": "c1", "name": "get_rate", "response": {"output": 1.1}}}
          ]}
        ]}
    Good:
        {"contents": [
          {"role": "user", "parts": [{"text": "Rate?"}]},
          {"role": "model", "parts": [
            {"functionCall": {"id": "c1", "name": "get_rate", "args": {}}, "thoughtSignature": "Eq0B"}
          ]},
          {"role": "user", "parts": [
            {"functionResponse": {"id": "c1", "name": "get_rate", "response": {"output": 1.1}}}
          ]}
        ]}
    """
    for message in course.messages():
        for part in message.parts:
            at = _signature(part) if part.call is not None else None
            if at is not None and at.string in DUMMIES:
                yield Hit(at, "A placeholder stands for the signature. Send the real one where there is one.")


@rule("response-id-missing", WARNING, on="pairing", dialects=GENERATE, source=RESPONSE)
def response_id_dropped(pairing: Pairing) -> Iterator[Hit]:
    """In generateContent the call has an id and its answer has none.

    They are paired by name and position, as some SDKs do it. From Gemini 3 on, an
    answer without the id of its call can end in an empty turn. Copy the id.

    Bad:
        {"contents": [
          {"role": "user", "parts": [{"text": "Rate?"}]},
          {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "get_rate", "args": {}}}]},
          {"role": "user", "parts": [
            {"functionResponse": {"name": "get_rate", "response": {"output": 1.1}}}
          ]}
        ]}
    Good:
        {"contents": [
          {"role": "user", "parts": [{"text": "Rate?"}]},
          {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "get_rate", "args": {}}}]},
          {"role": "user", "parts": [
            {"functionResponse": {"id": "c1", "name": "get_rate", "response": {"output": 1.1}}}
          ]}
        ]}
    """
    response, call = pairing.response, pairing.call
    if response.id is None and call.id is not None:
        yield Hit(response.at, f"The call has the id {call.id}. Copy it.", key="id", call_id=call.id)
