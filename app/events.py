"""What a frame means: calls, responses, cancellations, declarations.

A dialect decodes its wire format into these values. They hold cursors, so that
every rule can say where something stands, and they judge nothing: a missing id
is `id_at=None`, not an error.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from app.cursor import Cursor
from app.json_text import JsonError
from app.model import Finding, Note, Raw


@dataclass(frozen=True, slots=True)
class Args:
    """The arguments of a call as they came, and the object that would reach the executor.

    `encoding` is object, json-string, free-text, absent, null or other.
    `derived` is what was read out of a string, of any kind; `error` says why a
    string could not be read. `problem` is the code of what is wrong with args that
    `app/arguments.py` has looked at.
    """

    at: Cursor | None
    encoding: str
    derived: Cursor | None = None
    error: JsonError | None = None
    problem: str | None = None

    @property
    def object(self) -> Cursor | None:
        """The object that would reach the executor, or None."""
        if self.encoding == "object":
            return self.derived or self.at  # derived: put together out of streamed fragments
        if self.derived is not None and self.derived.is_object:
            return self.derived
        return None

    @property
    def empty(self) -> bool:
        """Whether nothing was given, which is read as `{}`."""
        return self.encoding == "absent" or self.problem == "args-empty-string"

    @property
    def plain(self) -> bool:
        """Whether it is a text that a tool takes as it is, never JSON."""
        return self.encoding == "free-text" and self.error is None and self.problem is None

    @property
    def usable(self) -> bool:
        """Whether there are args to judge: an object, none at all where that means `{}`, or plain text."""
        return self.object is not None or self.empty or self.plain


_ARGS = {
    encoding: frozenset({encoding})
    for encoding in ("object", "json-string", "free-text", "absent", "null", "other")
}
_STRING_ARGS = frozenset({"json-string", "derived"})


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call the model asks for. `id` and `name` are None where they are unusable."""

    at: Cursor
    frame: int
    id: str | int | None
    name: str | None
    id_at: Cursor | None
    name_at: Cursor | None
    args: Args
    partial: Cursor | None = None
    """Where the wire says that argument fragments are still to come."""
    in_content: bool = False
    """Whether the call stands among content parts, not in the tool-call envelope."""
    key: str | int | None = None
    """What other events of the same call know it by: an item id, an index; None where the id is enough."""
    turn: str | None = None
    """The id of the response that asks for it, where the wire names one."""
    incomplete: Cursor | None = None
    """Where the wire says that it was cut before it was complete."""
    retold: Cursor | None = None
    """Where a later telling of the same call says something else."""
    crowded: Cursor | None = None
    """Where it is announced under the key of another call that is still open."""
    deferred: frozenset[str] = frozenset()
    """What of `id` and `name` another event of the same call tells."""

    @property
    def traits(self) -> frozenset[str]:
        """What rules over calls look for: the encoding of the args, and what was read out of a string."""
        if self.args.problem is not None:
            return frozenset({self.args.encoding, self.args.problem})
        is_parsed = self.args.derived is not None and self.args.encoding == "json-string"
        return _STRING_ARGS if is_parsed else _ARGS[self.args.encoding]


@dataclass(frozen=True, slots=True)
class Scheduling:
    """A scheduling hint: its value, where it stands, and the cursor."""

    at: Cursor
    place: str
    value: str | None


@dataclass(frozen=True, slots=True)
class ToolResponse:
    """One answer to a call. `output` is the business value, without hints."""

    at: Cursor
    frame: int
    id: str | int | None
    name: str | None
    id_at: Cursor | None
    name_at: Cursor | None
    body_at: Cursor | None
    is_error: bool = False
    output: Cursor | None = None
    error: Cursor | None = None
    scheduling: tuple[Scheduling, ...] = ()
    will_continue: bool | None = None
    by_name: bool = False
    """Whether the wire has no id for it, and its name says which call it answers."""


@dataclass(frozen=True, slots=True)
class Cancellation:
    """Calls that must not run any more. `ids_at` is the list as it came, if any."""

    at: Cursor
    frame: int
    ids_at: Cursor | None
    ids: tuple[str | int, ...]


# Signals: what a frame tells of the course of a session -------------------------


@dataclass(frozen=True, slots=True)
class CallStart:
    """A call is announced; its arguments are still to come. A later fragment or call joins it by `key`.

    `encoding` says what the fragments put together are: json-string (a string
    of JSON), object (the text of one) or free-text.
    """

    at: Cursor
    key: str | int | None
    id: str | int | None
    name: str | None
    id_at: Cursor | None
    name_at: Cursor | None
    turn: str | None = None
    encoding: str = "json-string"


@dataclass(frozen=True, slots=True)
class Fragment:
    """A piece of the argument text of the call known by `key`; `text` is the string that holds it."""

    at: Cursor
    key: str | int | None
    text: Cursor
    turn: str | None = None


@dataclass(frozen=True, slots=True)
class CallEnd:
    """No more fragments come for the call known by `key`."""

    at: Cursor
    key: str | int | None
    turn: str | None = None


@dataclass(frozen=True, slots=True)
class HostedCall:
    """A call that the service runs itself: the client never answers it. `key` is what its fragments bear."""

    at: Cursor
    id: str | int | None
    name: str | None
    key: str | int | None = None


@dataclass(frozen=True, slots=True)
class TurnStart:
    """A model turn opens. `out_of_band`: beside the default conversation, so others may be open."""

    at: Cursor
    turn: str | None
    out_of_band: bool = False


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """A model turn is over. `status` is completed, cancelled, incomplete or failed."""

    at: Cursor
    turn: str | None
    status: str


@dataclass(frozen=True, slots=True)
class FollowUp:
    """The client asks the model to go on, as `response.create` does."""

    at: Cursor
    out_of_band: bool = False
    event_id: str | None = None


@dataclass(frozen=True, slots=True)
class FollowUpCancel:
    """The client asks the model to stop, as `response.cancel` does."""

    at: Cursor
    turn: str | None = None


@dataclass(frozen=True, slots=True)
class ServerError:
    """The service refuses something. `event_id` names the client's event that it refuses, if any."""

    at: Cursor
    code: str | None
    event_id: str | None = None


@dataclass(frozen=True, slots=True)
class Open:
    """A connection begins, as the wire itself says. It may be another one, so that any id may come anew.

    `fresh`: it is another one for certain, and knows nothing of what was asked before.
    """

    at: Cursor
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class Close:
    """The socket is closed."""

    at: Cursor
    code: int | None


Signal = (
    CallStart
    | Fragment
    | CallEnd
    | HostedCall
    | TurnStart
    | TurnEnd
    | FollowUp
    | FollowUpCancel
    | ServerError
    | Open
    | Close
)

Happening = ToolCall | ToolResponse | Cancellation | Signal
"""Anything that moves a session on."""


@dataclass(frozen=True, slots=True)
class Speech:
    """Words that were said, or a piece of them. `who` is user or model.

    `turn` names the turn or item they belong to, where the wire does; `whole`:
    they are all of it and stand instead of the pieces that came before.
    """

    who: str
    text: str
    turn: str | None = None
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment that everybody in the talk notices: `turn end`, or `interrupted`."""

    what: str


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """One declared tool. `gemini` says that `parameters` is a Gemini Schema, not JSON Schema."""

    at: Cursor
    name: str
    description: str | None
    behavior: str | None
    parameters: Cursor | None
    result: Cursor | None
    gemini: bool
    dialect: str


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a model's content.

    `kind` is text, thought, call, response, fragment (of a call), server-tool,
    server-code, signature, media, bad-call or unknown. `text` is that of a text
    or thought, `fields` the data fields that stand in it.
    """

    at: Cursor
    kind: str
    text: str | None = None
    call: ToolCall | None = None
    fields: tuple[str, ...] = ()
    response: ToolResponse | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation, as a request sends it along: who says it, and its parts in order."""

    at: Cursor
    role: str | None
    parts: tuple[Part, ...]

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls it asks for."""
        return tuple(part.call for part in self.parts if part.call is not None)

    @property
    def responses(self) -> tuple[ToolResponse, ...]:
        """The answers it gives."""
        return tuple(part.response for part in self.parts if part.response is not None)


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished turn of the model that came as one message.

    `status` is completed, cancelled, incomplete or failed, `finish` the wire's
    own word for it; `candidates` counts the alternatives, `content` is what to
    send back.
    """

    status: str
    finish: str | None
    parts: tuple[Part, ...]
    content: Raw | None
    candidates: int = 1


@dataclass(frozen=True, slots=True)
class Piece:
    """A whole model turn, or one chunk of its stream, in the terms that every dialect shares.

    `candidates` counts the alternatives that came; `finish` says why it ended,
    `blocked` why the prompt was refused; `content` is what to send back.
    """

    candidates: int
    candidates_at: Cursor
    error: Cursor | None = None
    blocked: Cursor | None = None
    finish: Cursor | None = None
    content: Cursor | None = None
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """One JSON message, read.

    `members` are the protocol fields found, by their wire name. `calls_at` and
    `responses_at` are the lists of calls and answers as they came, of whatever
    kind. `strange` are members that the protocol does not have, `twice` members
    whose other spelling stands beside them. `traits` names what is there to look
    at, so that rules over other things need not run.
    """

    index: int
    at: Cursor | None
    line: int
    dialect: str
    kind: str
    direction: str | None = None
    evidence: tuple[str, ...] = ()
    casing: str | None = None
    members: dict[str, Cursor] = field(default_factory=dict)
    traits: frozenset[str] = frozenset()
    calls_at: Cursor | None = None
    responses_at: Cursor | None = None
    strange: tuple[Cursor, ...] = ()
    twice: tuple[Cursor, ...] = ()
    calls: tuple[ToolCall, ...] = ()
    responses: tuple[ToolResponse, ...] = ()
    cancellations: tuple[Cancellation, ...] = ()
    declarations: tuple[ToolDefinition, ...] = ()
    signals: tuple[Signal, ...] = ()
    """What else it tells of the course of the session, in order."""
    piece: Piece | None = None
    """The model turn, or the chunk of one, that the frame is."""
    messages: tuple[Message, ...] = ()
    """The conversation that it sends along, or the one message that it is."""
    replayed: int = 0
    """How many of the messages frames before it have told."""
    continues: bool = False
    """Whether it goes on from a conversation that is not in the text, and may answer calls of that one."""
    points_back: bool = False
    """Whether it names what it does not hold, and may answer calls that it only names."""
    replaces_tools: bool = False
    """Whether the declarations are the tools from here on."""
    rivals: tuple[str, ...] = ()
    """Dialects that may read it as well."""
    null_padded: bool = False
    notes: tuple[Note, ...] = ()
    findings: tuple[Finding, ...] = ()
    """What reading alone found, such as a line that is no JSON."""
    time: float | None = None
    """When it was sent, in seconds, where a log or a HAR file tells."""


def happenings(frame: Frame) -> list[Happening]:
    """Return what happens in a frame in the order of its text.

    A connection or turn opens before everything else in its frame, and closes
    behind it, wherever the wire says so.
    """
    found: list[Happening] = [*frame.calls, *frame.responses, *frame.cancellations, *frame.signals]
    if len(found) > 1:
        found.sort(key=lambda each: (_RANKS.get(type(each), 0), each.at.node))
    return found


_RANKS: dict[type, int] = {Open: -2, TurnStart: -1, TurnEnd: 1, Close: 2}
