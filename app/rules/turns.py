"""Rules over a model turn: what it is, and why it is neither a request nor an answer."""

from __future__ import annotations

from collections.abc import Iterator

from app.cursor import Cursor
from app.events import Frame, ToolCall
from app.model import Options
from app.rules import ERROR, INFO, WARNING, Hit, rule
from app.turns import UNSUPPORTED, Turn

GENERATE = ("gemini-generate",)
BODY = "https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse"
FINISH = "https://ai.google.dev/api/generate-content#FinishReason"
PARTS = "https://ai.google.dev/api/caching#Part"
CALLING = "https://ai.google.dev/gemini-api/docs/function-calling"

BLOCKED = frozenset(
    {
        "SAFETY",
        "RECITATION",
        "LANGUAGE",
        "OTHER",
        "BLOCKLIST",
        "PROHIBITED_CONTENT",
        "SPII",
        "MODEL_ARMOR",
        "ESCALATION",
        "PUP_LIMITED_DISABLED",
        "IMAGE_SAFETY",
        "IMAGE_PROHIBITED_CONTENT",
        "IMAGE_OTHER",
        "IMAGE_RECITATION",
        "NO_IMAGE",
    }
)
CUT_OFF = frozenset({"MAX_TOKENS", "FINISH_REASON_UNSPECIFIED"})
KNOWN = {
    "CONTINUATION": "generate-finish-continuation",
    "MALFORMED_FUNCTION_CALL": "generate-finish-malformed-call",
    "UNEXPECTED_TOOL_CALL": "generate-finish-unexpected-tool",
    "TOO_MANY_TOOL_CALLS": "generate-finish-too-many-tools",
    "MISSING_THOUGHT_SIGNATURE": "generate-finish-missing-sig",
    "MALFORMED_RESPONSE": "generate-finish-malformed-response",
}


def _finish(turn: Turn) -> Cursor | None:
    """Return where a turn that did not complete says why it ended."""
    if turn.kind != "not-complete":
        return None
    return next((piece.finish for piece in reversed(turn.pieces) if piece.finish is not None), None)


def _ended_with(turn: Turn, reasons: frozenset[str] | set[str]) -> Cursor | None:
    finish = _finish(turn)
    return finish if finish is not None and finish.string in reasons else None


@rule("generate-api-error", ERROR, on="turn", dialects=GENERATE, source=BODY)
def generate_api_error(turn: Turn) -> Iterator[Hit]:
    """The API answered with an error object instead of a turn.

    It is no empty answer: nothing was generated. Handle the status, and do not show it
    as what the model said.

    Bad:
        {"error": {"code": 429, "message": "Quota exceeded.", "status": "RESOURCE_EXHAUSTED"}}
    Good:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"text": "Two are left."}
        ]}, "finishReason": "STOP"}]}
    """
    for piece in turn.pieces:
        if piece.error is not None:
            code, message = piece.error.get("code"), piece.error.get("message")
            said = f" {message.string}" if message is not None and message.string else ""
            number = f" {code.text}" if code is not None else ""
            yield Hit(piece.error, f"The API answered with error{number}, not with a turn.{said[:200]}")


@rule("generate-prompt-blocked", ERROR, on="turn", dialects=GENERATE, source=BODY)
def generate_prompt_blocked(turn: Turn) -> Iterator[Hit]:
    """The prompt was blocked, so there is no candidate.

    The model never answered. Show the block reason, not an empty answer.

    Bad:
        {"promptFeedback": {"blockReason": "SAFETY"}}
    Good:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"text": "Two are left."}
        ]}, "finishReason": "STOP"}]}
    """
    for piece in turn.pieces:
        if piece.blocked is not None and turn.kind != "api-error":
            yield Hit(piece.blocked, f"The prompt was blocked: {piece.blocked.string}. There is no answer.")


@rule("generate-no-candidates", ERROR, on="turn", dialects=GENERATE, source=BODY)
def generate_no_candidates(turn: Turn) -> Iterator[Hit]:
    """A body has no candidate and no reason for it.

    It is no empty answer: the request went through and nothing came of it. Ask again
    or look closer.

    Bad:
        {"modelVersion": "gemini-3.8-flash", "usageMetadata": {"promptTokenCount": 88}}
    Good:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"text": "Two are left."}
        ]}, "finishReason": "STOP"}]}
    """
    pieces = turn.pieces
    if turn.kind == "needs-review" and not any(piece.candidates or piece.blocked for piece in pieces):
        yield Hit(pieces[0].candidates_at, "No candidate in this body. Do not take it for an empty answer.")


@rule("generate-multi-candidates", ERROR, on="turn", dialects=GENERATE, source=BODY)
def generate_multi_candidates(turn: Turn) -> Iterator[Hit]:
    """There is more than one candidate.

    Which of them is meant is for the application to say, and two may ask for two
    different calls. Choose one before anything runs.

    Bad:
        {"candidates": [
          {"index": 0, "content": {"role": "model", "parts": [{"text": "Two."}]}, "finishReason": "STOP"},
          {"index": 1, "content": {"role": "model", "parts": [{"text": "None."}]}, "finishReason": "STOP"}
        ]}
    Good:
        {"candidates": [
          {"index": 0, "content": {"role": "model", "parts": [{"text": "Two."}]}, "finishReason": "STOP"}
        ]}
    """
    for piece in turn.pieces:
        if piece.candidates > 1 and turn.kind == "needs-review":
            yield Hit(piece.candidates_at, f"{piece.candidates} candidates. Choose one before anything runs.")


@rule("generate-finish-incomplete", ERROR, on="turn", dialects=GENERATE, source=FINISH)
def generate_finish_incomplete(turn: Turn) -> Iterator[Hit]:
    """The generation was cut off.

    MAX_TOKENS and FINISH_REASON_UNSPECIFIED end a turn before its end. A call that
    parsed may still be half of what was meant: run none of it, and show no text as an
    answer.

    Bad:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"text": "Two are"}
        ]}, "finishReason": "MAX_TOKENS"}]}
    Good:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"text": "Two are left."}
        ]}, "finishReason": "STOP"}]}
    """
    at = _ended_with(turn, CUT_OFF)
    if at is not None:
        yield Hit(at, f"{at.string}: the turn was cut off. Run no call of it and show no text as an answer.")


@rule("generate-finish-blocked", ERROR, on="turn", dialects=GENERATE, source=FINISH)
def generate_finish_blocked(turn: Turn) -> Iterator[Hit]:
    """The generation was stopped by a filter or refused.

    SAFETY, RECITATION, BLOCKLIST, SPII and their like end it. What stands there is
    neither a request nor an answer.

    Bad:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"text": "Two are"}
        ]}, "finishReason": "SAFETY"}]}
    Good:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"text": "Two are left."}
        ]}, "finishReason": "STOP"}]}
    """
    at = _ended_with(turn, BLOCKED)
    if at is not None:
        yield Hit(at, f"{at.string}: the turn was stopped. It is neither a tool request nor an answer.")


@rule("generate-finish-continuation", ERROR, on="turn", dialects=GENERATE, source=FINISH)
def generate_finish_continuation(turn: Turn) -> Iterator[Hit]:
    """The generation paused.

    It can be resumed with its continuationToken. Until then it is neither a request
    nor an answer.

    Bad:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"text": "Two are"}
        ]}, "finishReason": "CONTINUATION", "continuationToken": "ct-1"}]}
    Good:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"text": "Two are left."}
        ]}, "finishReason": "STOP"}]}
    """
    at = _ended_with(turn, {"CONTINUATION"})
    if at is not None:
        yield Hit(at, "The turn paused. Resume it with its continuationToken before you read it.")


@rule("generate-finish-malformed-call", ERROR, on="turn", dialects=GENERATE, source=FINISH)
def generate_finish_malformed_call(turn: Turn) -> Iterator[Hit]:
    """The model's function call was malformed.

    A call that stands there all the same must not run. Ask again.

    Bad:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"functionCall": {"id": "c1", "name": "lookup_stock", "args": {}}}
        ]}, "finishReason": "MALFORMED_FUNCTION_CALL"}]}
    Good:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"functionCall": {"id": "c1", "name": "lookup_stock", "args": {"sku": "BX-19"}}}
        ]}, "finishReason": "STOP"}]}
    """
    at = _ended_with(turn, {"MALFORMED_FUNCTION_CALL"})
    if at is not None:
        yield Hit(at, "The model's call was malformed. Run nothing, even if a call stands here; ask again.")


@rule("generate-finish-unexpected-tool", ERROR, on="turn", dialects=GENERATE, source=FINISH)
def generate_finish_unexpected_tool(turn: Turn) -> Iterator[Hit]:
    """The model called a function that was not declared.

    The content may hold that call. Run nothing; check the declarations and the mode of
    the request.

    Bad:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"functionCall": {"id": "c1", "name": "order_stock", "args": {"sku": "BX-19"}}}
        ]}, "finishReason": "UNEXPECTED_TOOL_CALL"}]}
    Good:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"functionCall": {"id": "c1", "name": "lookup_stock", "args": {"sku": "BX-19"}}}
        ]}, "finishReason": "STOP"}]}
    """
    at = _ended_with(turn, {"UNEXPECTED_TOOL_CALL"})
    if at is not None:
        yield Hit(at, "The model called a tool it was not given. Run nothing; check declarations and mode.")


@rule("generate-finish-too-many-tools", ERROR, on="turn", dialects=GENERATE, source=FINISH)
def generate_finish_too_many_tools(turn: Turn) -> Iterator[Hit]:
    """The server stopped its own loop of tool calls.

    There is no answer yet. Ask for less at once.

    Bad:
        {"candidates": [
          {"content": {"role": "model", "parts": []}, "finishReason": "TOO_MANY_TOOL_CALLS"}
        ]}
    Good:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"text": "Two are left."}
        ]}, "finishReason": "STOP"}]}
    """
    at = _ended_with(turn, {"TOO_MANY_TOOL_CALLS"})
    if at is not None:
        yield Hit(at, "The server stopped its loop of tool calls. There is no answer; ask for less at once.")


@rule("generate-finish-missing-sig", ERROR, on="turn", dialects=GENERATE, source=FINISH)
def generate_finish_missing_sig(turn: Turn) -> Iterator[Hit]:
    """The history lacked a thought signature.

    The model needs the thoughtSignature of its own parts back. Send its content back
    untouched.

    Bad:
        {"candidates": [
          {"content": {"role": "model", "parts": []}, "finishReason": "MISSING_THOUGHT_SIGNATURE"}
        ]}
    Good:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"text": "Two are left."}
        ]}, "finishReason": "STOP"}]}
    """
    at = _ended_with(turn, {"MISSING_THOUGHT_SIGNATURE"})
    if at is not None:
        yield Hit(at, "The history lacked a thoughtSignature. Send the model's content back untouched.")


@rule("generate-finish-malformed-response", ERROR, on="turn", dialects=GENERATE, source=FINISH)
def generate_finish_malformed_response(turn: Turn) -> Iterator[Hit]:
    """The server could not form its response.

    There is nothing to read from it. Ask again.

    Bad:
        {"candidates": [
          {"content": {"role": "model", "parts": []}, "finishReason": "MALFORMED_RESPONSE"}
        ]}
    Good:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"text": "Two are left."}
        ]}, "finishReason": "STOP"}]}
    """
    at = _ended_with(turn, {"MALFORMED_RESPONSE"})
    if at is not None:
        yield Hit(at, "The server's response was malformed. Ask again.")


@rule("generate-finish-unknown", ERROR, on="turn", dialects=GENERATE, source=FINISH)
def generate_finish_unknown(turn: Turn) -> Iterator[Hit]:
    """A finish reason is not known here.

    It may be newer than the workbench. Until someone looks, the turn is not complete.

    Bad:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"text": "Two are left."}
        ]}, "finishReason": "RAN_OUT_OF_INK"}]}
    Good:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"text": "Two are left."}
        ]}, "finishReason": "STOP"}]}
    """
    finish = _finish(turn)
    known = finish is None or finish.string in {"STOP", *BLOCKED, *CUT_OFF, *KNOWN}
    if finish is not None and not known:
        yield Hit(finish, f"{finish.text[:60]} is no known finishReason. Treat the turn as not complete.")


@rule("generate-finish-missing", ERROR, on="turn", dialects=GENERATE, source=FINISH)
def generate_finish_missing(turn: Turn) -> Iterator[Hit]:
    """A body has no finishReason.

    It says that it is still being generated. A chunk of a stream may lack it, a whole
    body may not. Wait for the rest.

    Bad:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"text": "Two are left."}
        ]}}]}
    Good:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"text": "Two are left."}
        ]}, "finishReason": "STOP"}]}
    """
    if (
        turn.kind == "not-complete"
        and turn.finish_reason is None
        and _finish(turn) is None
        and not turn.streamed
    ):
        yield Hit(turn.pieces[0].candidates_at, "No finishReason: the turn is not complete yet. Wait for it.")


@rule("generate-stream-open", ERROR, on="turn", dialects=GENERATE, source=FINISH)
def generate_stream_open(turn: Turn) -> Iterator[Hit]:
    """A stream ends without a finishReason.

    It was cut off, or its last chunk was not pasted. What it holds so far is not
    complete.

    Bad:
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "Two are "}]}}]}
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "left."}]}}]}
    Good:
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "Two are "}]}}]}
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "left."}]}, "finishReason": "STOP"}]}
    """
    if turn.kind == "not-complete" and _finish(turn) is None and turn.streamed:
        yield Hit(
            turn.pieces[-1].candidates_at, "The stream ends without a finishReason. Paste its last chunk."
        )


@rule("generate-stream-stop-empty", INFO, on="turn", dialects=GENERATE, source=FINISH)
def generate_stream_stop_empty(turn: Turn) -> Iterator[Hit]:
    """The last chunk of a stream brings only STOP.

    The turn is what the chunks before it hold. A reader that looks at the last chunk
    alone sees an empty answer and loses the call.

    Bad:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"functionCall": {"id": "c1", "name": "lookup_stock", "args": {"sku": "BX-19"}}}
        ]}}]}
        {"candidates": [{"content": {"role": "model", "parts": [{"text": ""}]}, "finishReason": "STOP"}]}
    Good:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"functionCall": {"id": "c1", "name": "lookup_stock", "args": {"sku": "BX-19"}}}
        ]}, "finishReason": "STOP"}]}
    """
    last = turn.pieces[-1]
    empty = all(part.kind in ("text", "signature") and not part.text for part in last.parts)
    if turn.streamed and last.finish is not None and empty and turn.kind != "api-error" and turn.calls:
        yield Hit(last.finish, "The last chunk only says STOP. The calls came before it.")


@rule("generate-empty-content", ERROR, on="turn", dialects=GENERATE, source=BODY)
def generate_empty_content(turn: Turn) -> Iterator[Hit]:
    """The turn ended well and holds no call and no text.

    It needs a look: a lost call id, for one, ends like this. It is no answer, and no
    proof that the task is done.

    Bad:
        {"candidates": [{"content": {"role": "model", "parts": []}, "finishReason": "STOP"}]}
    Good:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"text": "Two are left."}
        ]}, "finishReason": "STOP"}]}
    """
    if turn.kind != "needs-review" or any(part.kind == "thought" for part in turn.parts):
        return
    server_only = turn.reason == "unsupported-part" and not _unsupported(turn)
    if turn.reason == "empty-content" or server_only:
        at = next(
            (piece.content for piece in turn.pieces if piece.content is not None),
            turn.pieces[0].candidates_at,
        )
        yield Hit(at, "STOP with no call and no text. Look at it before you go on; it is no answer.")


@rule("generate-thought-only", ERROR, on="turn", dialects=GENERATE, source=PARTS)
def generate_thought_only(turn: Turn) -> Iterator[Hit]:
    """The turn holds only thoughts.

    They are never part of the answer. Look at it before you go on.

    Bad:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"text": "Need the stock count first.", "thought": true}
        ]}, "finishReason": "STOP"}]}
    Good:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"text": "Need the stock count first.", "thought": true},
          {"text": "Two are left."}
        ]}, "finishReason": "STOP"}]}
    """
    if turn.kind == "needs-review" and turn.reason == "empty-content":
        thought = next((part for part in turn.parts if part.kind == "thought"), None)
        if thought is not None:
            yield Hit(thought.at, "Only a thought. It is never part of the answer.")


def _unsupported(turn: Turn) -> list[Cursor]:
    return [part.at for part in turn.parts if part.kind in UNSUPPORTED]


@rule("generate-part-unknown", ERROR, on="turn", dialects=GENERATE, source=PARTS)
def generate_part_unknown(turn: Turn) -> Iterator[Hit]:
    """A part is of a kind that is not known here.

    It may be newer than the workbench. It must not be dropped in silence, so the turn
    needs review.

    Bad:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"text": "Two are left."}, {"hologram": {"data": "..."}}
        ]}, "finishReason": "STOP"}]}
    Good:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"text": "Two are left."}, {"thoughtSignature": "Eq0B"}
        ]}, "finishReason": "STOP"}]}
    """
    for part in turn.parts:
        if part.kind in ("unknown", "response"):
            shown = ", ".join(part.fields) or "no field"
            yield Hit(part.at, f"An unknown kind of part ({shown[:60]}). Do not drop it; look at it first.")


@rule("generate-part-media", ERROR, on="turn", dialects=GENERATE, source=PARTS)
def generate_part_media(turn: Turn) -> Iterator[Hit]:
    """A part holds media.

    A reader of text and calls does not show it, so something of the answer would be
    lost. If you expect media, handle it.

    Bad:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"text": "Here it is."}, {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}
        ]}, "finishReason": "STOP"}]}
    Good:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"text": "Two are left."}
        ]}, "finishReason": "STOP"}]}
    """
    for part in turn.parts:
        if part.kind == "media":
            yield Hit(part.at, "A media part. If you expect media, handle it; a text reader would lose it.")


@rule("generate-part-multi", WARNING, on="turn", dialects=GENERATE, source=PARTS)
def generate_part_multi(turn: Turn) -> Iterator[Hit]:
    """One part holds two kinds of data.

    The API cannot send that: a part is a oneof, and a gateway merged two. The call is
    kept.

    Bad:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"text": "One moment.", "functionCall": {"id": "c1", "name": "lookup_stock", "args": {}}}
        ]}, "finishReason": "STOP"}]}
    Good:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"text": "One moment."}, {"functionCall": {"id": "c1", "name": "lookup_stock", "args": {}}}
        ]}, "finishReason": "STOP"}]}
    """
    for part in turn.parts:
        if len(part.fields) > 1:
            yield Hit(
                part.at,
                f"{' and '.join(part.fields[:3])} in one part. A gateway merged them.",
            )


@rule("generate-text-with-call", INFO, on="turn", dialects=GENERATE, source=CALLING)
def generate_text_with_call(turn: Turn) -> Iterator[Hit]:
    """Text stands beside a call.

    The turn is a tool request, and the text is no answer yet. Answer the call first.

    Bad:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"text": "One moment."}, {"functionCall": {"id": "c1", "name": "lookup_stock", "args": {}}}
        ]}, "finishReason": "STOP"}]}
    Good:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"functionCall": {"id": "c1", "name": "lookup_stock", "args": {}}}
        ]}, "finishReason": "STOP"}]}
    """
    if turn.kind == "tool-request":
        said = next(
            (part for part in turn.parts if part.kind in ("text", "call") and (part.text or "").strip()), None
        )
        if said is not None:
            yield Hit(said.at, "Text beside a call. The turn is a tool request; answer the call first.")


@rule("generate-server-tool", INFO, on="turn", dialects=GENERATE, source=PARTS)
def generate_server_tool(turn: Turn) -> Iterator[Hit]:
    """A server-side tool ran.

    Its part is named toolCall and has a toolType; it is no Live frame. Do not run it
    yourself, and send the part back as it is.

    Bad:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"toolCall": {"toolType": "URL_CONTEXT", "id": "s1", "args": {}}}, {"text": "Two are left."}
        ]}, "finishReason": "STOP"}]}
    Good:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"text": "Two are left."}
        ]}, "finishReason": "STOP"}]}
    """
    for part in turn.parts:
        if part.kind == "server-tool":
            yield Hit(part.at, "The server ran this tool. Do not run it; send the part back untouched.")


@rule("generate-server-code", INFO, on="turn", dialects=GENERATE, source=PARTS)
def generate_server_code(turn: Turn) -> Iterator[Hit]:
    """The server ran code.

    There is nothing for the client to run. Send the part back as it is.

    Bad:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"executableCode": {"language": "PYTHON", "code": "print(1 + 1)"}}, {"text": "Two are left."}
        ]}, "finishReason": "STOP"}]}
    Good:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"text": "Two are left."}
        ]}, "finishReason": "STOP"}]}
    """
    for part in turn.parts:
        if part.kind == "server-code":
            yield Hit(part.at, "The server ran this code. There is nothing for you to run.")


@rule("generate-id-ambiguous", WARNING, on="turn", dialects=GENERATE, source=CALLING)
def generate_id_ambiguous(turn: Turn) -> Iterator[Hit]:
    """Two calls of one tool have no id.

    Only their position tells them apart. Answer them in order, and do not use the name
    as an id: both would collapse into one.

    Bad:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"functionCall": {"name": "lookup_stock", "args": {"sku": "BX-19"}}},
          {"functionCall": {"name": "lookup_stock", "args": {"sku": "BX-20"}}}
        ]}, "finishReason": "STOP"}]}
    Good:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"functionCall": {"id": "c1", "name": "lookup_stock", "args": {"sku": "BX-19"}}},
          {"functionCall": {"id": "c2", "name": "lookup_stock", "args": {"sku": "BX-20"}}}
        ]}, "finishReason": "STOP"}]}
    """
    seen: set[str] = set()
    for call in turn.calls:
        if call.id is None and call.name is not None:
            if call.name in seen:
                yield Hit(call.at, f"Another call of {call.name} has no id either. Answer them in order.")
            seen.add(call.name)


@rule("call-partial", ERROR, on="turn", dialects=GENERATE, source=CALLING)
def call_partial(turn: Turn) -> Iterator[Hit]:
    """In generateContent the fragments of a call have no last one.

    The turn is not complete, whatever its finishReason says.

    Bad:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"functionCall": {"id": "c1", "name": "lookup_stock", "willContinue": true}}
        ]}, "finishReason": "STOP"}]}
    Good:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"functionCall": {"id": "c1", "name": "lookup_stock", "args": {"sku": "BX-19"}}}
        ]}, "finishReason": "STOP"}]}
    """
    if turn.open_call is not None:
        yield Hit(
            turn.open_call.partial or turn.open_call.at,
            "The args of this call are still arriving. Wait for the fragment without willContinue.",
            call_id=turn.open_call.id,
        )


@rule("call-name-missing", ERROR, on="turn", dialects=GENERATE, source=CALLING)
def call_name_missing(turn: Turn) -> Iterator[Hit]:
    """In generateContent a functionCall without a name makes the turn one for review.

    Bad:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"functionCall": {"id": "c1", "args": {"sku": "BX-19"}}}
        ]}, "finishReason": "STOP"}]}
    Good:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"functionCall": {"id": "c1", "name": "lookup_stock", "args": {"sku": "BX-19"}}}
        ]}, "finishReason": "STOP"}]}
    """
    for part in turn.parts:
        if part.kind == "bad-call" and part.call is not None:
            yield Hit(part.call.at, "This functionCall has no name. Do not guess a tool.", key="name")


@rule("call-not-object", ERROR, on="turn", dialects=GENERATE, source=CALLING)
def call_not_object(turn: Turn) -> Iterator[Hit]:
    """In generateContent a functionCall that is a text or a list makes the turn one for review.

    Bad:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"functionCall": "lookup_stock"}
        ]}, "finishReason": "STOP"}]}
    Good:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"functionCall": {"id": "c1", "name": "lookup_stock", "args": {"sku": "BX-19"}}}
        ]}, "finishReason": "STOP"}]}
    """
    for part in turn.parts:
        if part.kind == "bad-call" and part.call is None:
            yield Hit(part.at, "functionCall must be an object with name and args.", key="functionCall")


@rule("call-id-missing", INFO, on="call", dialects=GENERATE, source=CALLING)
def call_id_missing(call: ToolCall, frame: Frame, options: Options) -> Iterator[Hit]:
    """In generateContent a call may have no id.

    Older models and Vertex send it so. Its answer is paired by name and position.

    Bad:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"functionCall": {"name": "lookup_stock", "args": {"sku": "BX-19"}}}
        ]}, "finishReason": "STOP"}]}
    Good:
        {"candidates": [{"content": {"role": "model", "parts": [
          {"functionCall": {"id": "c1", "name": "lookup_stock", "args": {"sku": "BX-19"}}}
        ]}, "finishReason": "STOP"}]}
    """
    if call.id is None:
        yield Hit(call.at, "No id: its answer is paired by name and position.", key="id")
