"""Rules over args that are not what their wire format says: one for each problem of `app/arguments.py`."""

from __future__ import annotations

from collections.abc import Iterator

from app.events import Frame, ToolCall
from app.model import Options
from app.rules import ERROR, WARNING, Hit, rule

CALLING = "https://platform.openai.com/docs/guides/function-calling"
JSON = "https://www.rfc-editor.org/rfc/rfc8259"


def _hit(call: ToolCall, message: str) -> Iterator[Hit]:
    """Point at the character where reading stopped, else at the value inside, else at the whole args."""
    args = call.args
    at = args.at or call.at
    if args.error is not None and at.is_string:
        yield Hit(at, message, offset=args.error.offset, call_id=call.id)
    else:
        yield Hit(
            args.derived if args.problem == "args-nan" and args.derived else at, message, call_id=call.id
        )


def _why(call: ToolCall) -> str:
    return call.args.error.message if call.args.error is not None else ""


@rule("args-null", ERROR, on="call", needs=("args-null",), source=CALLING)
def args_null(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    """The args of a call are null.

    No args are {}, and null is no object. A reader that takes it for {} runs the tool
    with args that nobody sent. Answer with an error.

    Bad:
        {"type": "function_call", "call_id": "call_1", "name": "set_light",
         "arguments": null}
    Good:
        {"type": "function_call", "call_id": "call_1", "name": "set_light",
         "arguments": "{}"}
    """
    yield from _hit(call, "args is null. No args are {}; do not read null as that. Answer with an error.")


@rule("args-wrong-encoding", ERROR, on="call", needs=("args-wrong-encoding",), source=CALLING)
def args_wrong_encoding(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    r"""The args are not encoded as this wire format encodes them.

    OpenAI's formats carry args as a string of JSON, Anthropic, MCP and Bedrock as an
    object. A client built for the one breaks on the other. Fix the sender.

    Bad:
        {"type": "function_call", "call_id": "call_1", "name": "set_light",
         "arguments": {"room": "kitchen"}}
    Good:
        {"type": "function_call", "call_id": "call_1", "name": "set_light",
         "arguments": "{\"room\": \"kitchen\"}"}
    """
    at = call.args.at
    if at is not None and at.is_string:
        yield from _hit(
            call, "The args are a text where this format wants an object. Parse nothing; fix the sender."
        )
    else:
        yield from _hit(call, "The args must be a string here, not a JSON value. Fix the sender.")


@rule("args-empty-string", WARNING, on="call", needs=("args-empty-string",), source=CALLING)
def args_empty_string(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    """The args are an empty string.

    Tools without parameters are called so. It is read as {}, but a JSON parser fails on
    it, so treat it before parsing. A tool that needs args refuses it by its contract.

    Bad:
        {"type": "function_call", "call_id": "call_1", "name": "set_light",
         "arguments": ""}
    Good:
        {"type": "function_call", "call_id": "call_1", "name": "set_light",
         "arguments": "{}"}
    """
    yield from _hit(call, "The args are an empty string: read as {}. Do not hand it to a JSON parser.")


@rule("args-fenced", ERROR, on="call", needs=("args-fenced",), source=CALLING)
def args_fenced(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    r"""The args stand in a markdown code fence.

    The model wrote them as it would in a chat. Cutting the fence off is a guess; answer
    with an error and let the model call again.

    Bad:
        {"type": "function_call", "call_id": "call_1", "name": "set_light",
         "arguments": "```json\n{\"room\": \"kitchen\"}\n```"}
    Good:
        {"type": "function_call", "call_id": "call_1", "name": "set_light",
         "arguments": "{\"room\": \"kitchen\"}"}
    """
    yield from _hit(call, "The args stand in a code fence, so they are no JSON. Answer with an error.")


@rule("args-invalid-escape", ERROR, on="call", needs=("args-invalid-escape",), source=JSON + "#section-7")
def args_invalid_escape(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    r"""A backslash in the args begins no JSON escape.

    Windows paths and LaTeX come so, written with single backslashes. What was meant
    cannot be known for certain: \t may be a tab or a folder. Answer with an error.

    Bad:
        {"type": "function_call", "call_id": "call_1", "name": "set_light",
         "arguments": "{\"path\": \"D:\\lights\"}"}
    Good:
        {"type": "function_call", "call_id": "call_1", "name": "set_light",
         "arguments": "{\"path\": \"D:\\\\lights\"}"}
    """
    yield from _hit(call, f"{_why(call)} Answer with an error.")


@rule("args-control-char", ERROR, on="call", needs=("args-control-char",), source=JSON + "#section-7")
def args_control_char(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    r"""A raw control character stands in a string of the args.

    A line break inside JSON text is written \n. Strict parsers refuse the raw one.
    Answer with an error.

    Bad:
        {"type": "function_call", "call_id": "call_1", "name": "set_light",
         "arguments": "{\"text\": \"one\ntwo\"}"}
    Good:
        {"type": "function_call", "call_id": "call_1", "name": "set_light",
         "arguments": "{\"text\": \"one\\ntwo\"}"}
    """
    yield from _hit(call, f"{_why(call)} Answer with an error.")


@rule("args-python-literal", ERROR, on="call", needs=("args-python-literal",), source=CALLING)
def args_python_literal(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    r"""The args are a Python dict, not JSON.

    Somebody printed a dict instead of encoding it. Never replace ' by ": that breaks
    correct texts with an apostrophe. Encode with json.dumps at the sender.

    Bad:
        {"type": "function_call", "call_id": "call_1", "name": "set_light",
         "arguments": "{'room': 'kitchen', 'on': True}"}
    Good:
        {"type": "function_call", "call_id": "call_1", "name": "set_light",
         "arguments": "{\"room\": \"kitchen\", \"on\": true}"}
    """
    yield from _hit(
        call, "The args are a Python dict, not JSON. Encode them with json.dumps; do not swap quotes."
    )


@rule("args-truncated", ERROR, on="call", needs=("args-truncated",), source=CALLING)
def args_truncated(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    r"""The args end before the JSON is complete.

    A token limit or an interruption cut them, whatever the finish reason says. Half of
    the args is no call to run: answer with an error, and raise the limit.

    Bad:
        {"type": "function_call", "call_id": "call_1", "name": "set_light",
         "arguments": "{\"room\": \"kit"}
    Good:
        {"type": "function_call", "call_id": "call_1", "name": "set_light",
         "arguments": "{\"room\": \"kitchen\"}"}
    """
    yield from _hit(
        call,
        "The args are cut off: the text ends before the JSON does. Run nothing of it; answer with an error.",
    )


@rule("args-not-json", ERROR, on="call", needs=("args-not-json",), source=CALLING)
def args_not_json(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    r"""The args are text that is no JSON.

    Text that cannot be parsed never becomes {}: the tool would run with args that
    nobody sent. Answer with an error.

    Bad:
        {"type": "function_call", "call_id": "call_1", "name": "set_light",
         "arguments": "room=kitchen"}
    Good:
        {"type": "function_call", "call_id": "call_1", "name": "set_light",
         "arguments": "{\"room\": \"kitchen\"}"}
    """
    yield from _hit(call, f"{_why(call)} Answer with an error.")


@rule("args-nan", ERROR, on="call", needs=("args-nan",), source=JSON + "#section-6")
def args_nan(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    r"""NaN or Infinity stands in the args.

    Python writes them and reads them back; JSON has no such numbers and strict parsers
    refuse them. Answer with an error.

    Bad:
        {"type": "function_call", "call_id": "call_1", "name": "set_light",
         "arguments": "{\"level\": NaN}"}
    Good:
        {"type": "function_call", "call_id": "call_1", "name": "set_light",
         "arguments": "{\"level\": 0}"}
    """
    yield from _hit(call, "NaN and Infinity are no JSON. Answer with an error.")


@rule("args-concatenated", ERROR, on="call", needs=("args-concatenated",), source=CALLING)
def args_concatenated(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    r"""Several JSON values are glued together in the args.

    Parallel calls were joined as one, for instance by a gateway that streams all of
    them under one index. Which is meant cannot be known; answer with an error.

    Bad:
        {"type": "function_call", "call_id": "call_1", "name": "set_light",
         "arguments": "{\"room\": \"kitchen\"}{\"room\": \"hall\"}"}
    Good:
        {"type": "function_call", "call_id": "call_1", "name": "set_light",
         "arguments": "{\"room\": \"kitchen\"}"}
    """
    yield from _hit(
        call, "A second JSON value follows the first: two calls were glued together. Answer with an error."
    )


@rule("args-trailing-garbage", ERROR, on="call", needs=("args-trailing-garbage",), source=CALLING)
def args_trailing_garbage(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    r"""Something stands behind the JSON value of the args.

    Often it is one brace too many. A parser that stops early would not see it; a strict
    one refuses. Answer with an error.

    Bad:
        {"type": "function_call", "call_id": "call_1", "name": "set_light",
         "arguments": "{\"room\": \"kitchen\"}}"}
    Good:
        {"type": "function_call", "call_id": "call_1", "name": "set_light",
         "arguments": "{\"room\": \"kitchen\"}"}
    """
    yield from _hit(call, "Something stands behind the JSON value. Answer with an error.")


@rule("args-double-encoded", ERROR, on="call", needs=("args-double-encoded",), source=CALLING)
def args_double_encoded(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    r"""The args are JSON text inside JSON text.

    They were encoded twice on the way. Whoever parses until an object comes out may run
    what was meant as a text. Answer with an error and encode once.

    Bad:
        {"type": "function_call", "call_id": "call_1", "name": "set_light",
         "arguments": "\"{\\\"room\\\": \\\"kitchen\\\"}\""}
    Good:
        {"type": "function_call", "call_id": "call_1", "name": "set_light",
         "arguments": "{\"room\": \"kitchen\"}"}
    """
    yield from _hit(call, "The args are JSON text inside JSON text. Encode once; answer with an error.")


@rule("args-not-object", ERROR, on="call", needs=("args-not-object",), source=CALLING)
def args_not_object(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    r"""The args are a list, a text, a number, true or false.

    Only an object can name its members, and a tool takes named args. Values by position
    would be a guess. Answer with an error.

    Bad:
        {"type": "function_call", "call_id": "call_1", "name": "set_light",
         "arguments": "[\"kitchen\"]"}
    Good:
        {"type": "function_call", "call_id": "call_1", "name": "set_light",
         "arguments": "{\"room\": \"kitchen\"}"}
    """
    yield from _hit(call, "The args must be an object. Answer with an error.")
