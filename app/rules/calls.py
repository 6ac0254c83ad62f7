"""Rules over one call: id, name, args."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from math import isinf

from app.cursor import Cursor
from app.dialects.gemini_schema import members
from app.events import Frame, ToolCall
from app.json_text import Kind
from app.model import Options
from app.rules import ERROR, INFO, WARNING, Hit, rule

LIVE = ("gemini-live",)
GEMINI = ("gemini-live", "gemini-generate")
WIRE = "https://ai.google.dev/api/live"
CALLING = "https://ai.google.dev/gemini-api/docs/function-calling"
NAMES = "https://ai.google.dev/api/caching#FunctionDeclaration"
NUMBERS = "https://www.rfc-editor.org/rfc/rfc8259#section-6"

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,127}")
SAFE_INTEGER = 2**53 - 1


@rule("call-id-missing", ERROR, on="call", dialects=LIVE, source=WIRE, spoils_frame=True)
def call_id_missing(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    """A call has no id, so it cannot be answered.

    Live pairs an answer with its call by the id alone. Absent, null and empty are
    all lacking. The whole frame is bad: run nothing of it, and do not mint an id,
    because no call has it.

    Bad:
        {"toolCall": {"functionCalls": [
          {"name": "set_light", "args": {"room": "kitchen"}}
        ]}}
    Good:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
        ]}}
    """
    at = call.id_at
    if at is None:
        yield Hit(
            call.at, "This call has no id, so it cannot be answered. Treat the whole frame as bad.", key="id"
        )
    elif at.is_null or at.string == "":
        shown = "null" if at.is_null else "empty"
        yield Hit(
            at, f"The id is {shown}, so the call cannot be answered. Treat the whole frame as bad.", key="id"
        )


@rule("call-id-missing", INFO, on="call", dialects=("gemini-generate",), source=CALLING)
def call_without_id(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    """In generateContent a call may have no id.

    Older models give none, and then name and position pair the answer with its call.
    Do not mint one, and do not use the name as one: parallel calls would collapse.

    Bad:
        {"role": "model", "parts": [{"functionCall": {"name": "lookup_stock", "args": {"sku": "BX-19"}}}]}
    Good:
        {"role": "model", "parts": [
          {"functionCall": {"id": "c1", "name": "lookup_stock", "args": {"sku": "BX-19"}}}
        ]}
    """
    if call.id is None and (call.id_at is None or not call.id_at.text.isdigit()):
        yield Hit(call.at, "No id: the answer is paired by name and position.", key="id")


@rule("call-id-type", ERROR, on="call", dialects=LIVE, source=WIRE, spoils_frame=True)
def call_id_type(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    """An id is no string.

    The server's parser and both SDKs refuse a number. Whoever turns it into a text
    answers an id that was never given. The whole frame is bad.

    Bad:
        {"toolCall": {"functionCalls": [
          {"id": 7, "name": "set_light", "args": {"room": "kitchen"}}
        ]}}
    Good:
        {"toolCall": {"functionCalls": [
          {"id": "7", "name": "set_light", "args": {"room": "kitchen"}}
        ]}}
    """
    at = call.id_at
    if at is not None and not at.is_null and not at.is_string:
        yield Hit(at, f"The id must be a string, not {at.text[:40]}. Treat the whole frame as bad.")


@rule("call-name-missing", ERROR, on="call", dialects=LIVE, source=WIRE, spoils_frame=True)
def call_name_missing(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    """A call has no name, so it names no tool.

    Absent, null and empty are all lacking. The whole frame is bad; do not guess a
    tool by its args.

    Bad:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "args": {"room": "kitchen"}}
        ]}}
    Good:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
        ]}}
    """
    at = call.name_at
    if at is None:
        yield Hit(
            call.at, "This call has no name. Treat the whole frame as bad and do not guess.", key="name"
        )
    elif not at.string:
        yield Hit(at, "The name must be a non-empty string. Treat the whole frame as bad.", key="name")


@rule("call-name-charset", ERROR, on="call", dialects=GEMINI, source=NAMES)
def call_name_charset(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    """The name of a call is one that no function may have.

    A function name begins with a letter or underscore, goes on with letters, digits
    and _ . : - and is at most 128 characters long. Another name was made up or
    damaged on its way. Answer the call with an error.

    Bad:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set light", "args": {"room": "kitchen"}}
        ]}}
    Good:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
        ]}}
    """
    if call.name is not None and call.name_at is not None and NAME.fullmatch(call.name) is None:
        yield Hit(
            call.name_at,
            "No function may have this name: a letter or underscore first, then letters, digits, _ . : -, "
            "at most 128. Answer with an error.",
            call_id=call.id,
        )


@rule("call-partial", ERROR, on="call", dialects=LIVE, source=NAMES)
def call_partial(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    """The args of a call are still arriving.

    A call with willContinue true is a fragment: more fragments follow, and the last
    one lacks it. Half of the args is no call to run. Wait for the rest.

    Bad:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "willContinue": true}
        ]}}
    Good:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
        ]}}
    """
    if call.partial is not None:
        yield Hit(
            call.partial,
            "The args of this call are still arriving. Wait for the fragment without willContinue.",
            call_id=call.id,
        )


@rule("args-absent", INFO, on="call", dialects=GEMINI, needs=("absent",), source=NAMES)
def args_absent(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    """A call has no args at all.

    Tools without parameters are called so. It is read as {}. A tool that needs args
    refuses it by its contract.

    Bad:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "list_rooms"}
        ]}}
    Good:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "list_rooms", "args": {}}
        ]}}
    """
    if call.args.encoding == "absent" and call.partial is None:
        yield Hit(call.args.at or call.at, "No args: read as {}.", key="args", call_id=call.id)


@rule("args-null", ERROR, on="call", dialects=GEMINI, needs=("null",), source=NAMES)
def args_null(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    """The args of a call are null.

    Empty args are {}, and a tool without parameters is called without args. null is
    neither, so nobody knows what was meant. Answer with an error.

    Bad:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "list_rooms", "args": null}
        ]}}
    Good:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "list_rooms", "args": {}}
        ]}}
    """
    if call.args.encoding == "null" and call.args.at is not None:
        yield Hit(
            call.args.at,
            "args is null. Empty args are {}; do not read null as no parameters. Answer with an error.",
            call_id=call.id,
        )


@rule(
    "args-string-parsed-once",
    WARNING,
    also=(ERROR,),
    on="call",
    dialects=GEMINI,
    needs=("derived",),
    source=NAMES,
)
def args_string_parsed_once(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    r"""The args came as JSON text instead of an object and were parsed once.

    The protocol says object. A string may be parsed once, and whoever does it says
    so; what it holds is then judged. Fix the sender. Where string args are set to be
    refused this is an error.

    Bad:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": "{\"room\": \"kitchen\"}"}
        ]}}
    Good:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
        ]}}
    """
    derived = call.args.derived
    if derived is not None and derived.is_object and call.args.at is not None:
        refuse = options.string_args == "refuse"
        yield Hit(
            call.args.at,
            "args is a string and string args are refused. Answer with an error, fix the sender."
            if refuse
            else "args came as text and was parsed once. Fix the sender.",
            severity=ERROR if refuse else None,
            call_id=call.id,
        )


@rule("args-not-json", ERROR, on="call", dialects=GEMINI, needs=("free-text",), source=NAMES)
def args_not_json(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    """The args are text that is no JSON.

    Text that cannot be parsed never becomes {}: the tool would run with args that
    nobody sent. Answer with an error.

    Bad:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": "room=kitchen"}
        ]}}
    Good:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
        ]}}
    """
    if call.args.error is not None and call.args.at is not None:
        yield Hit(
            call.args.at,
            f"args is text and no JSON: {call.args.error.message} Answer with an error.",
            call_id=call.id,
        )


@rule("args-double-encoded", ERROR, on="call", dialects=GEMINI, needs=("derived",), source=NAMES)
def args_double_encoded(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    r"""The args are still a string after the one parse they are allowed.

    Somebody encoded JSON text as JSON text. Whoever parses until an object comes out
    may run what was meant as a text. Answer with an error and encode once.

    Bad:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": "\"{\\\"room\\\": \\\"kitchen\\\"}\""}
        ]}}
    Good:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
        ]}}
    """
    derived = call.args.derived
    if derived is not None and derived.is_string and call.args.at is not None:
        yield Hit(
            call.args.at,
            "args is JSON text inside JSON text. One parse is allowed, not two. Answer with an error.",
            call_id=call.id,
        )


@rule("args-not-object", ERROR, on="call", dialects=GEMINI, needs=("other", "derived"), source=NAMES)
def args_not_object(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    """The args are a list, a number, true or false.

    Only an object can name its members, and a tool takes named args. Values by
    position would be a guess. Answer with an error.

    Bad:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": ["kitchen"]}
        ]}}
    Good:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
        ]}}
    """
    at, derived = call.args.at, call.args.derived
    if at is None:
        return
    if call.args.encoding == "other" or (
        derived is not None and not derived.is_object and not derived.is_string
    ):
        yield Hit(at, "args must be an object. Answer with an error.", call_id=call.id)


@rule(
    "json-duplicate-key",
    ERROR,
    on="call",
    needs=("derived",),
    source="https://www.rfc-editor.org/rfc/rfc8259#section-4",
)
def derived_duplicate_key(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    r"""A key stands twice inside args that came as JSON text.

    The text is parsed once, so two parsers may hand two different calls to the tool.

    Bad:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": "{\"room\": \"hall\", \"room\": \"kitchen\"}"}
        ]}}
    Good:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": "{\"room\": \"kitchen\"}"}
        ]}}
    """
    derived = call.args.derived
    if derived is None:
        return
    for node, _ in derived.json.duplicates:
        key = derived.json.key(node) or ""
        yield Hit(
            call.args.at or call.at,
            f"{key} occurs twice in the args text. Two parsers may read two calls.",
            key=key,
            call_id=call.id,
        )


@rule("json-nan", ERROR, on="call", needs=("derived",), source=NUMBERS)
def derived_nan(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    r"""NaN or Infinity stands inside args that came as JSON text.

    Bad:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": "{\"level\": NaN}"}
        ]}}
    Good:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": "{\"level\": 0}"}
        ]}}
    """
    derived = call.args.derived
    if derived is not None and derived.json.nans and call.args.at is not None:
        yield Hit(call.args.at, "NaN or Infinity inside the args text is no JSON.", call_id=call.id)


@rule("args-envelope", INFO, also=(ERROR,), on="call", dialects=GEMINI, source=WIRE)
def args_envelope(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    """The args hold a whole frame.

    Args live at toolCall.functionCalls[i].args. Whoever hands the envelope to the
    executor has taken one level too many. It is certain, and an error, where the
    inner call bears the outer call's name; else it may be data.

    Bad:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": {
            "toolCall": {"functionCalls": [
              {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
            ]}
          }}
        ]}}
    Good:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
        ]}}
    """
    args = call.args.object
    if args is None:
        return
    fields = members(args)
    envelope = fields.get("toolCall")
    if envelope is None and not ("functionCalls" in fields or {"id", "name", "args"} <= fields.keys()):
        return
    inner = members(envelope).get("functionCalls") if envelope is not None else fields.get("functionCalls")
    entries = list(inner) if inner is not None and inner.is_array else [args]
    same = any((name := entry.get("name")) is not None and name.string == call.name for entry in entries)
    yield Hit(
        envelope or args,
        "args holds a whole frame. Hand over toolCall.functionCalls[i].args, not the envelope.",
        severity=ERROR if same else None,
        call_id=call.id,
    )


@rule("args-bigint", WARNING, on="call", source=NUMBERS)
def args_bigint(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    """A number does not fit a double.

    It is an integer beyond 2^53, or a number as large as 1e400. Many readers use
    doubles, JavaScript and protobuf Struct among them: the integer loses digits and
    the large number becomes infinite. Send such a value as a string.

    Bad:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "find_order", "args": {"order": 9007199254740993}}
        ]}}
    Good:
        {"toolCall": {"functionCalls": [
          {"id": "c1", "name": "find_order", "args": {"order": "9007199254740993"}}
        ]}}
    """
    args = call.args.object
    if args is None:
        return
    for at in _long_integers(args):
        yield Hit(
            at,
            f"{at.text[:40]} does not fit a double: a reader that uses them gets another number. "
            "Send it as a string.",
            call_id=call.id,
        )


def _long_integers(args: Cursor) -> Iterator[Cursor]:
    json = args.json
    # 1e309 is the shortest that does not fit; looking at lengths first keeps this cheap for large args.
    wanted = [
        node
        for node in range(args.node, json.skip[args.node])
        if json.kind[node] == Kind.NUMBER
        and json.end[node] - json.start[node] >= 5
        and _is_unsafe(json.lexeme(node))
    ]
    stack = [args] if wanted else []
    while stack:
        at = stack.pop()
        if at.kind is Kind.NUMBER:
            yield at
        else:
            stack.extend(child for child in at if _holds(wanted, child.node, json.skip[child.node]))


def _holds(nodes: list[int], start: int, stop: int) -> bool:
    place = bisect_left(nodes, start)
    return place < len(nodes) and nodes[place] < stop


def _is_unsafe(lexeme: str) -> bool:
    digits = lexeme.lstrip("-")
    if digits.isdigit():
        return len(digits) > 16 or (len(digits) == 16 and int(digits) > SAFE_INTEGER)
    return isinf(float(lexeme))
