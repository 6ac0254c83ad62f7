"""Help texts of the codes that no rule finds, each in the form of a rule's docstring.

`app/help.py` says what that form is; an example may also be an HTTP request. A
code that a rule finds too has here what is to be said first.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from app import contract, paste
from app.model import Severity

ERROR: Final = Severity.ERROR
WARNING: Final = Severity.WARNING
INFO: Final = Severity.INFO

LIVE_TOOLS: Final = "https://ai.google.dev/gemini-api/docs/live-tools"
VALIDATION: Final = "https://json-schema.org/draft/2020-12/json-schema-validation"
CORE: Final = "https://json-schema.org/draft/2020-12/json-schema-core"
HTTP: Final = "https://www.rfc-editor.org/rfc/rfc9110"
FETCH_METADATA: Final = "https://www.w3.org/TR/fetch-metadata/"


class Text(NamedTuple):
    """The help of one code, with the severities that it may have."""

    code: str
    severities: tuple[Severity, ...]
    doc: str
    source: str | None = None


TEXTS: Final[tuple[Text, ...]] = (
    # Reading -----------------------------------------------------------------------------------
    Text(
        "json-invalid",
        (ERROR,),
        """The text is no JSON.

        Each reader repairs broken JSON in its own way, and two of them may read two
        different calls. So nothing is guessed: the place is named, and nothing of it is
        judged. Send what a JSON library writes.

        Bad:
            {"toolCall": {"functionCalls": [
              {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}
            ]}}
        Good:
            {"toolCall": {"functionCalls": [
              {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
            ]}}
        """,
        paste.SOURCES["json-invalid"],
    ),
    Text(
        "replacement-character",
        (WARNING,),
        """The text holds U+FFFD, the sign for bytes that could not be read.

        JSON is sent as UTF-8. Where a file or a log holds other bytes, a reader puts this sign
        in their place, and what stood there is gone. The rest is judged as it is. If a name
        or an argument holds the sign, get the text from its source again.

        Bad:
            {"toolCall": {"functionCalls": [
              {"id": "c1", "name": "set_light", "args": {"room": "k\ufffdche"}}
            ]}}
        Good:
            {"toolCall": {"functionCalls": [
              {"id": "c1", "name": "set_light", "args": {"room": "k\u00fcche"}}
            ]}}
        """,
        paste.SOURCES["replacement-character"],
    ),
    Text(
        "json-literal",
        (ERROR, INFO),
        """The text is no strict JSON, but its value is plain to see.

        Comments, trailing commas, single quotes, keys without quotes, and the words and
        numbers of Python and JavaScript are read as the values they stand for; each kind is
        one note at its first place. No value is lost by it. A strict JSON reader refuses such
        a text, and so does Format: the button below the findings writes it as JSON.

        Bad:
            {"toolCall": {"functionCalls": [
              {id: "c1", name: "set_light", args: {room: "kitchen",}}, // the first
            ]}}
        Good:
            {"toolCall": {"functionCalls": [
              {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
            ]}}
        """,
        paste.SOURCES["json-literal"],
    ),
    Text(
        "sdk-repr",
        (ERROR, INFO),
        """The text is what a program prints of an object, not the JSON that it sends.

        The repr() or str() of an object of an SDK, a printed Python dict, Rust debug text and
        protobuf text are read as the object of their fields; class names are no data. What is
        printed is not always what was sent: `None` may stand for a field that is absent.
        model_dump_json() prints the message itself. Where one strict JSON text is asked for,
        as in Format, it is an error.

        Bad:
            LiveServerToolCall(function_calls=[
              FunctionCall(id='c1', name='set_light', args={'room': 'kitchen', 'on': True})
            ])
        Good:
            {"toolCall": {"functionCalls": [
              {"id": "c1", "name": "set_light", "args": {"room": "kitchen", "on": true}}
            ]}}
        """,
        paste.SOURCES["sdk-repr"],
    ),
    Text(
        "sdk-repr-lossy",
        (ERROR,),
        """The printed object has lost values.

        google-genai prints a dict of more than five keys as its length, cuts lists and bytes,
        and stops below a depth; Node prints [Object]. What stood there is gone, so nothing in
        the frame can be judged. Print model_dump_json() in Python, JSON.stringify() in
        JavaScript, and paste that.

        Bad:
            FunctionCall(
              args=<dict len=6>,
              id='c1',
              name='set_light'
            )
        Good:
            {"toolCall": {"functionCalls": [
              {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
            ]}}
        """,
        paste.SOURCES["sdk-repr-lossy"],
    ),
    Text(
        "log-prefix",
        (ERROR, INFO),
        """The frame was read behind what a log writes before it.

        A time, a level, an arrow: what stands before a frame on its line is left out, and so
        are lines that hold nothing like a frame; the note names them. A line that begins like
        a frame and cannot be read stays a frame, in red. There is nothing to do.

        Bad:
            12:00:01.250 <<< {"setupComplete": {}}
        Good:
            {"setupComplete": {}}
        """,
        None,
    ),
    Text(
        "har-messages",
        (INFO,),
        """The frames were read out of a HAR file.

        Browsers save their network panel as one. Each text message of a WebSocket in it is a
        frame, with its time and who sent it; bytes that hold JSON text are too. What went over
        HTTP is not read. A HAR file may hold keys and cookies: mind to whom you give it.

        Bad:
            {"log": {"version": "1.2", "entries": [{"_webSocketMessages": [
              {"type": "receive", "time": 1796040001.2, "opcode": 1, "data": "{\\"setupComplete\\": {}}"}
            ]}]}}
        Good:
            {"setupComplete": {}}
        """,
        paste.SOURCES["har-messages"],
    ),
    Text(
        "json-duplicate-key",
        (ERROR,),
        """A key stands twice in one object.

        RFC 8259 leaves open which of them counts: one parser takes the first, another the
        last. What was checked may then not be what runs. The whole frame is bad; keep one
        of the two.

        Bad:
            {"toolCall": {"functionCalls": [
              {"id": "c1", "name": "set_light", "args": {"room": "hall", "room": "kitchen"}}
            ]}}
        Good:
            {"toolCall": {"functionCalls": [
              {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
            ]}}
        """,
        paste.SOURCES["json-duplicate-key"],
    ),
    Text(
        "json-nan",
        (ERROR,),
        """NaN or Infinity stands where a JSON value should.

        Python writes them and strict parsers refuse them; no protobuf Struct can hold
        them. Some writers put null there instead, so the value is lost on its way. Send a
        number, null or a text.

        Bad:
            {"toolCall": {"functionCalls": [
              {"id": "c1", "name": "set_level", "args": {"level": NaN}}
            ]}}
        Good:
            {"toolCall": {"functionCalls": [
              {"id": "c1", "name": "set_level", "args": {"level": 0}}
            ]}}
        """,
        paste.SOURCES["json-nan"],
    ),
    Text(
        "json-bom",
        (ERROR, INFO),
        """A byte order mark stands before the text.

        Some editors write it into files. JSON sent over a network has none, and strict
        readers refuse it. It is skipped; where one strict JSON text is asked for, as in
        Format, it is an error.

        Bad:
            \ufeff{"setupComplete": {}}
        Good:
            {"setupComplete": {}}
        """,
        paste.SOURCES["json-bom"],
    ),
    Text(
        "json-lines",
        (ERROR, INFO),
        """There are several JSON texts, each on lines of its own.

        Each is read as a frame, and one that cannot be read does not hide the others.
        There is nothing to do; where one strict JSON text is asked for, as in Format, it is
        an error.

        Bad:
            {"setupComplete": {}}
            {"toolCall": {"functionCalls": [
              {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
            ]}}
        Good:
            {"toolCall": {"functionCalls": [
              {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
            ]}}
        """,
        paste.SOURCES["json-lines"],
    ),
    Text(
        "code-fence",
        (ERROR, INFO),
        """The JSON was read out of a markdown fence.

        What stands around the fence is not read, and the note says on which line it is.
        There is nothing to do; where one strict JSON text is asked for, as in Format, it is
        an error.

        Bad:
            The model sent this:

            ```json
            {"setupComplete": {}}
            ```
        Good:
            {"setupComplete": {}}
        """,
        paste.SOURCES["code-fence"],
    ),
    Text(
        "sse-wrapped",
        (ERROR, INFO),
        """The JSON was read out of a stream of server-sent events.

        Each event that has data is a JSON text; the chunks of one turn are joined. There is
        nothing to do; where one strict JSON text is asked for, as in Format, it is an
        error.

        Bad:
            data: {"candidates": [{"content": {"parts": [{"text": "Two "}]}}]}

            data: {"candidates": [{"content": {"parts": [{"text": "left."}]}, "finishReason": "STOP"}]}
        Good:
            {"candidates": [{"content": {"role": "model", "parts": [
              {"text": "Two left."}
            ]}, "finishReason": "STOP"}]}
        """,
        paste.SOURCES["sse-wrapped"],
    ),
    Text(
        "frame-double-encoded",
        (INFO,),
        r"""The whole frame is encoded once more, as a JSON string.

        Loggers and queues do so. What the string holds is read, and places are given inside
        of it. Decode once before you act on it.

        Bad:
            "{\"toolCall\": {\"functionCalls\": [{\"id\": \"c1\", \"name\": \"list_rooms\", \"args\": {}}]}}"
        Good:
            {"toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]}}
        """,
    ),
    Text(
        "lone-surrogate",
        (WARNING,),
        r"""A text holds half of a surrogate pair, which is no character.

        Somebody cut the text between two UTF-16 units, in the middle of an emoji for
        example. No UTF-8 can carry it: many programs raise on it or replace it. Send the
        whole pair.

        Bad:
            {"toolCall": {"functionCalls": [
              {"id": "c1", "name": "say", "args": {"text": "on \ud83d"}}
            ]}}
        Good:
            {"toolCall": {"functionCalls": [
              {"id": "c1", "name": "say", "args": {"text": "on \ud83d\ude00"}}
            ]}}
        """,
        paste.SOURCES["lone-surrogate"],
    ),
    Text(
        "too-deep",
        (ERROR,),
        """The JSON is nested deeper than the workbench reads.

        Validators and many parsers recurse, and a deep text can end them. The limit is 256
        levels; real frames stay below 20. Paste the inner part that matters.
        """,
    ),
    Text(
        "too-large",
        (ERROR,),
        """The text has more values, or the request more bytes, than the workbench takes.

        The limits keep one paste from holding up all others; GET /api/health tells them.
        Paste a part of it.
        """,
        f"{HTTP}#section-15.5.14",
    ),
    # Contracts and what they say ---------------------------------------------------------------
    Text(
        "contract-invalid",
        (ERROR,),
        """A contract or schema is wrong itself, so it can judge nothing.

        It is no JSON Schema, its draft is not known, a reference leads nowhere or only back
        to itself, or there is no contract at all. No call is accepted by it. The place and
        what to write there are in the message.

        Bad:
            {"set_light": {
              "type": "objekt",
              "properties": {"room": {"type": "string"}},
              "additionalProperties": false
            }}
        Good:
            {"set_light": {
              "type": "object",
              "properties": {"room": {"type": "string"}},
              "additionalProperties": false
            }}
        """,
        CORE,
    ),
    Text(
        "contract-types-folded",
        (INFO,),
        """Upper-case types are read as JSON Schema types.

        A Gemini declaration writes STRING for string. For judging it is folded into JSON
        Schema; the text stays as it is.

        Bad:
            {"functionDeclarations": [
              {"name": "set_light", "description": "Switch one light.", "parameters": {
                "type": "OBJECT", "properties": {"room": {"type": "STRING"}}}}
            ]}
        Good:
            {"functionDeclarations": [
              {"name": "set_light", "description": "Switch one light.", "parametersJsonSchema": {
                "type": "object", "properties": {"room": {"type": "string"}}}}
            ]}
        """,
        contract.FOLD_SOURCE,
    ),
    Text(
        "contract-closed",
        (INFO,),
        """The objects of a Gemini declaration are closed for judging.

        Its parameters cannot say that other keys are forbidden, so silence is no leave: a
        key that is not declared is refused. The option fold "open" turns it off, and
        parametersJsonSchema says it itself.

        Bad:
            {"functionDeclarations": [
              {"name": "set_light", "description": "Switch one light.", "parameters": {
                "type": "OBJECT", "properties": {"room": {"type": "STRING"}}}}
            ]}
        Good:
            {"functionDeclarations": [
              {"name": "set_light", "description": "Switch one light.", "parametersJsonSchema": {
                "type": "object", "properties": {"room": {"type": "string"}},
                "additionalProperties": false}}
            ]}
        """,
        contract.FOLD_SOURCE,
    ),
    Text(
        "open-object",
        (INFO,),
        """An object of the contract is open: other keys pass.

        JSON Schema accepts every key that it does not name. A tool that takes unknown keys
        may be told more than anybody checked. Set additionalProperties to false to refuse
        them.

        Bad:
            {"set_light": {
              "type": "object",
              "properties": {"room": {"type": "string"}}
            }}
        Good:
            {"set_light": {
              "type": "object",
              "properties": {"room": {"type": "string"}},
              "additionalProperties": false
            }}
        """,
        contract.OBJECT_SOURCE,
    ),
    Text(
        "ref-external",
        (ERROR,),
        """A reference leads out of the schema.

        Nothing is ever fetched: a pasted text must not make the workbench open a file or a
        socket. Copy what it means under $defs and refer to it there.

        Bad:
            {"set_light": {"$ref": "https://example.com/light.schema.json"}}
        Good:
            {"set_light": {
              "$ref": "#/$defs/light",
              "$defs": {"light": {
                "type": "object",
                "properties": {"room": {"type": "string"}},
                "additionalProperties": false
              }}
            }}
        """,
        f"{CORE}#section-8.2.3",
    ),
    Text(
        "args-schema",
        (ERROR,),
        """The args of a call do not meet the contract of its tool.

        The call is refused. The message says which value at which place, and the keyword
        of the contract that refuses it. Answer the call with an error object, so that the
        model can correct itself.

        Bad:
            {"setup": {"model": "models/gemini-3.8-live", "tools": [{"functionDeclarations": [
              {"name": "set_light", "description": "Switch one light.", "parameters": {
                "type": "OBJECT", "required": ["room"],
                "properties": {"room": {"type": "STRING", "enum": ["kitchen", "hall"]}}}}
            ]}]}}
            {"toolCall": {"functionCalls": [
              {"id": "c1", "name": "set_light", "args": {"room": "garage"}}
            ]}}
        Good:
            {"setup": {"model": "models/gemini-3.8-live", "tools": [{"functionDeclarations": [
              {"name": "set_light", "description": "Switch one light.", "parameters": {
                "type": "OBJECT", "required": ["room"],
                "properties": {"room": {"type": "STRING", "enum": ["kitchen", "hall"]}}}}
            ]}]}}
            {"toolCall": {"functionCalls": [
              {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
            ]}}
        """,
        VALIDATION,
    ),
    Text(
        "result-schema",
        (ERROR,),
        """The result in an answer does not meet the result schema of its tool.

        The model gets something else than the tool promises. Correct the tool, or the
        schema if it is out of date. An error object is no result and is not judged by it.

        Bad:
            {"setup": {"model": "models/gemini-3.8-live", "tools": [{"functionDeclarations": [
              {"name": "list_rooms", "description": "List all rooms.", "behavior": "BLOCKING",
               "responseJsonSchema": {"type": "object", "required": ["rooms"]}}
            ]}]}}
            {"toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]}}
            {"toolResponse": {"functionResponses": [
              {"id": "c1", "name": "list_rooms", "response": {"result": {"room": "kitchen"}}}
            ]}}
        Good:
            {"setup": {"model": "models/gemini-3.8-live", "tools": [{"functionDeclarations": [
              {"name": "list_rooms", "description": "List all rooms.", "behavior": "BLOCKING",
               "responseJsonSchema": {"type": "object", "required": ["rooms"]}}
            ]}]}}
            {"toolCall": {"functionCalls": [{"id": "c1", "name": "list_rooms", "args": {}}]}}
            {"toolResponse": {"functionResponses": [
              {"id": "c1", "name": "list_rooms", "response": {"result": {"rooms": ["kitchen"]}}}
            ]}}
        """,
        VALIDATION,
    ),
    Text(
        "args-int-float",
        (INFO,),
        """A whole number is written with a fraction where the contract asks for an integer.

        Gemini's args travel as protobuf doubles, so 3 may come as 3.0. To JSON Schema it
        is an integer; a strict reader in your language may want it converted.

        Bad:
            {"setup": {"model": "models/gemini-3.8-live", "tools": [{"functionDeclarations": [
              {"name": "set_timer", "description": "Set a timer.", "behavior": "BLOCKING",
               "parameters": {"type": "OBJECT", "properties": {"minutes": {"type": "INTEGER"}}}}
            ]}]}}
            {"toolCall": {"functionCalls": [{"id": "c1", "name": "set_timer", "args": {"minutes": 3.0}}]}}
        Good:
            {"setup": {"model": "models/gemini-3.8-live", "tools": [{"functionDeclarations": [
              {"name": "set_timer", "description": "Set a timer.", "behavior": "BLOCKING",
               "parameters": {"type": "OBJECT", "properties": {"minutes": {"type": "INTEGER"}}}}
            ]}]}}
            {"toolCall": {"functionCalls": [{"id": "c1", "name": "set_timer", "args": {"minutes": 3}}]}}
        """,
        contract.INTEGER_SOURCE,
    ),
    Text(
        "args-encoded-leaf",
        (INFO,),
        r"""A text in the args is JSON itself where the contract asks for another type.

        The sender encoded the value once too often. Texts inside the args are never parsed:
        send the value, not its text.

        Bad:
            {"setup": {"model": "models/gemini-3.8-live", "tools": [{"functionDeclarations": [
              {"name": "find_lights", "description": "Find lights.", "parameters": {
                "type": "OBJECT", "properties": {
                  "filter": {"type": "OBJECT", "properties": {"room": {"type": "STRING"}}}}}}
            ]}]}}
            {"toolCall": {"functionCalls": [
              {"id": "c1", "name": "find_lights", "args": {"filter": "{\"room\": \"kitchen\"}"}}
            ]}}
        Good:
            {"setup": {"model": "models/gemini-3.8-live", "tools": [{"functionDeclarations": [
              {"name": "find_lights", "description": "Find lights.", "parameters": {
                "type": "OBJECT", "properties": {
                  "filter": {"type": "OBJECT", "properties": {"room": {"type": "STRING"}}}}}}
            ]}]}}
            {"toolCall": {"functionCalls": [
              {"id": "c1", "name": "find_lights", "args": {"filter": {"room": "kitchen"}}}
            ]}}
        """,
    ),
    Text(
        "call-name-unknown",
        (ERROR,),
        """A call names a tool that is not declared.

        Models make up names and misspell them. Nothing is matched fuzzily: a near name may
        be another tool. Answer with an error that says the name is not known.

        Bad:
            {"setup": {"model": "models/gemini-3.8-live", "tools": [{"functionDeclarations": [
              {"name": "set_light", "description": "Switch one light.", "parameters": {
                "type": "OBJECT", "required": ["room"],
                "properties": {"room": {"type": "STRING", "enum": ["kitchen", "hall"]}}}}
            ]}]}}
            {"toolCall": {"functionCalls": [
              {"id": "c1", "name": "set_lights", "args": {"room": "kitchen"}}
            ]}}
        Good:
            {"setup": {"model": "models/gemini-3.8-live", "tools": [{"functionDeclarations": [
              {"name": "set_light", "description": "Switch one light.", "parameters": {
                "type": "OBJECT", "required": ["room"],
                "properties": {"room": {"type": "STRING", "enum": ["kitchen", "hall"]}}}}
            ]}]}}
            {"toolCall": {"functionCalls": [
              {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
            ]}}
        """,
        LIVE_TOOLS,
    ),
    Text(
        "call-name-prefixed",
        (INFO,),
        """The name of a call is a declared one behind the model's own namespace.

        Models write default_api. before a name as they do in code. The call is refused all
        the same, because no tool has that name.

        Bad:
            {"setup": {"model": "models/gemini-3.8-live", "tools": [{"functionDeclarations": [
              {"name": "set_light", "description": "Switch one light.", "parameters": {
                "type": "OBJECT", "required": ["room"],
                "properties": {"room": {"type": "STRING", "enum": ["kitchen", "hall"]}}}}
            ]}]}}
            {"toolCall": {"functionCalls": [
              {"id": "c1", "name": "default_api.set_light", "args": {"room": "kitchen"}}
            ]}}
        Good:
            {"setup": {"model": "models/gemini-3.8-live", "tools": [{"functionDeclarations": [
              {"name": "set_light", "description": "Switch one light.", "parameters": {
                "type": "OBJECT", "required": ["room"],
                "properties": {"room": {"type": "STRING", "enum": ["kitchen", "hall"]}}}}
            ]}]}}
            {"toolCall": {"functionCalls": [
              {"id": "c1", "name": "set_light", "args": {"room": "kitchen"}}
            ]}}
        """,
    ),
    Text(
        "engines-disagree",
        (WARNING,),
        """The second engine comes to another verdict.

        jsonschema-rs decides here; jsonschema is what most Python programs run. Where they
        differ, your executor may decide differently from this page. Write the contract so
        that both agree.

        Bad:
            POST /api/validate

            {
              "schema": {"dependencies": {"on": ["room"]}},
              "payload": {"on": true}
            }
        Good:
            POST /api/validate

            {
              "schema": {"dependentRequired": {"on": ["room"]}},
              "payload": {"on": true}
            }
        """,
        VALIDATION,
    ),
    Text(
        "not-judged",
        (ERROR,),
        """The work did not come to an end, so there is no verdict.

        It ran out of its time or memory, a pattern of the contract ran out of steps, or a
        number is too large for an engine. Not judged is never accept: nothing of it may
        run. Paste a smaller part, or correct what the message names.

        Bad:
            POST /api/validate

            {
              "schema": {"type": "object"},
              "payload": {"level": 1e999999}
            }
        Good:
            POST /api/validate

            {
              "schema": {"type": "object"},
              "payload": {"level": 1e300}
            }
        """,
    ),
    # Exports and imports -----------------------------------------------------------------------
    Text(
        "target-refuses",
        (ERROR,),
        """The target would not take this, so there is nothing to paste.

        One tool that a provider refuses fails the whole request, or closes the session before
        it begins. The change beside it names the keyword; say it in another way, or choose
        another target.

        Bad:
            POST /api/export

            {
              "contract": {"name": "tag", "parameters": {"type": "object", "properties": {
                "ids": {"type": "array"}
              }}},
              "target": "gemini.parameters"
            }
        Good:
            POST /api/export

            {
              "contract": {"name": "tag", "parameters": {"type": "object", "properties": {
                "ids": {"type": "array", "items": {"type": "string"}}
              }}},
              "target": "gemini.parameters"
            }
        """,
    ),
    Text(
        "target-note",
        (INFO,),
        """Something is to be known of this target before it is used.

        A Live session takes no reply schema, and on some fields sources disagree. What is
        said first is more important than any single keyword.

        Bad:
            POST /api/export

            {
              "contract": {"name": "report", "result": {"type": "object", "properties": {
                "ok": {"type": "boolean"}
              }}},
              "target": "gemini.responseSchema"
            }
        Good:
            POST /api/export

            {
              "contract": {"name": "report", "parameters": {"type": "object", "properties": {
                "ok": {"type": "boolean"}
              }}},
              "target": "gemini.parameters"
            }
        """,
    ),
    Text(
        "result-missing",
        (WARNING,),
        """The target takes the result of a tool, and the contract has none.

        Its parameters are exported in the place of it, which is right for a structured reply
        that looks like a call, and wrong for what a tool returns. Add result to the contract.

        Bad:
            POST /api/export

            {
              "contract": {"name": "report", "parameters": {"type": "object"}},
              "target": "mcp.outputSchema@2026-07-28"
            }
        Good:
            POST /api/export

            {
              "contract": {"name": "report", "parameters": {"type": "object"}, "result": {"type": "array"}},
              "target": "mcp.outputSchema@2026-07-28"
            }
        """,
    ),
    Text(
        "flip-admitted",
        (WARNING,),
        """A case that must be refused gets in by what the model is told.

        The exported declaration was read back and judged the case. What it lost is named; the
        model may send such a call, so your own check must still refuse it.

        Bad:
            POST /api/export

            {
              "contract": {
                "name": "set_light",
                "parameters": {
                  "type": "object",
                  "properties": {"on": {"type": "boolean"}},
                  "additionalProperties": false
                },
                "cases": {"extra": {"on": true, "cmd": "unlock"}}
              },
              "target": "gemini.live.parameters"
            }
        Good:
            POST /api/export

            {
              "contract": {
                "name": "set_light",
                "parameters": {
                  "type": "object",
                  "properties": {"on": {"type": "boolean"}},
                  "additionalProperties": false
                },
                "cases": {"extra": {"on": true, "cmd": "unlock"}}
              },
              "target": "gemini.parametersJsonSchema"
            }
        """,
    ),
    Text(
        "flip-refused",
        (WARNING,),
        """A case that must be accepted is refused by what the model is told.

        The target is narrower than the contract, so the model will not send such a call. If
        it should, choose another target or change the contract.

        Bad:
            POST /api/export

            {
              "contract": {
                "name": "set_mode",
                "parameters": {"type": "object", "properties": {"mode": {"enum": ["", "eco"]}}},
                "cases": {"ok": {"mode": ""}}
              },
              "target": "gemini.parameters"
            }
        Good:
            POST /api/export

            {
              "contract": {
                "name": "set_mode",
                "parameters": {"type": "object", "properties": {"mode": {"enum": ["none", "eco"]}}},
                "cases": {"ok": {"mode": "none"}}
              },
              "target": "gemini.parameters"
            }
        """,
    ),
    Text(
        "flip-unexplained",
        (ERROR,),
        """A verdict differs in an export, and no change says why.

        Then a rule of the workbench itself is wrong. Do not rely on this export.
        """,
    ),
    Text(
        "request-limit",
        (ERROR, WARNING),
        """All tools of a request together meet a limit that none of them meets alone.

        Providers count strict tools, optional keys, keys of several types and array lengths
        over the whole request. Send fewer tools, or make some of them not strict.
        """,
    ),
    Text(
        "import-nothing",
        (ERROR,),
        """The text declares no tool.

        Declarations of Gemini, OpenAI, Anthropic and MCP are read in every wrapper they come
        in. A bare schema does not say who wrote it; say what it is for.

        Bad:
            POST /api/import

            {"text": "{\\"type\\": \\"STRING\\"}"}
        Good:
            POST /api/import

            {"text": "{\\"type\\": \\"STRING\\"}", "dialect": "gemini.parameters"}
        """,
    ),
    Text(
        "import-invalid",
        (ERROR,),
        """A field of a declaration holds what it cannot mean.

        Limits of a Gemini Schema may be written as text, but only as whole numbers, and the
        enum of an INTEGER holds numbers. Nothing is guessed; correct the value.

        Bad:
            POST /api/import

            {"text": "{\\"type\\": \\"ARRAY\\", \\"minItems\\": \\"two\\"}", "dialect": "gemini.parameters"}
        Good:
            POST /api/import

            {"text": "{\\"type\\": \\"ARRAY\\", \\"minItems\\": \\"2\\"}", "dialect": "gemini.parameters"}
        """,
        "https://ai.google.dev/api/caching#Schema",
    ),
    # Cases, samples and edits ------------------------------------------------------------------
    Text(
        "response-dialect",
        (ERROR,),
        """The answer is written in another format than the calls.

        Every service reads only its own messages: an answer in another one is dropped or closes
        the connection, and the calls stay open. Write it in the format in which the calls came;
        the draft shows how.

        Bad:
            POST /api/pair

            {"calls_text": "{\\"type\\":\\"tool_use\\",\\"id\\":\\"c1\\",\\"name\\":\\"f\\",\\"input\\":{}}",
             "responses_text": "{\\"role\\":\\"tool\\",\\"tool_call_id\\":\\"c1\\",\\"content\\":\\"on\\"}"}
        Good:
            POST /api/pair

            {"calls_text": "{\\"type\\":\\"tool_use\\",\\"id\\":\\"c1\\",\\"name\\":\\"f\\",\\"input\\":{}}",
             "responses_text": "{\\"type\\":\\"tool_result\\",\\"tool_use_id\\":\\"c1\\"}"}
        """,
    ),
    Text(
        "no-samples",
        (ERROR,),
        """There are no samples to infer a contract from.

        A contract states what samples show, so without one there is nothing to state. Give
        payloads, JSON Lines, or frames with calls.

        Bad:
            POST /api/infer

            {"samples": []}
        Good:
            POST /api/infer

            {"samples": [{"room": "kitchen"}]}
        """,
    ),
    Text(
        "case-invalid",
        (ERROR,),
        """A case cannot be read.

        Cases are an object of names and payloads, or a list in which each has a name and a
        payload; expect is accept or refuse. A case that is not read guards nothing.

        Bad:
            POST /api/cases

            {
              "schema": {"type": "object"},
              "cases": [{"payload": {"room": "kitchen"}}]
            }
        Good:
            POST /api/cases

            {
              "schema": {"type": "object"},
              "cases": [{"name": "ok", "payload": {"room": "kitchen"}}]
            }
        """,
    ),
    Text(
        "tighten-property-unknown",
        (ERROR,),
        """A property is to be tightened that the contract does not describe.

        Mostly it is a typo in a name or pointer. A keyword there would guard nothing. Name
        a property of the contract, such as /room.

        Bad:
            POST /api/tighten

            {
              "schema": {"type": "object", "properties": {"room": {"type": "string"}}},
              "required": ["zone"]
            }
        Good:
            POST /api/tighten

            {
              "schema": {"type": "object", "properties": {"room": {"type": "string"}}},
              "required": ["room"]
            }
        """,
    ),
    # Files -----------------------------------------------------------------------------------
    Text(
        "file-unreadable",
        (ERROR,),
        """A file cannot be read.

        It is not there, its permissions forbid it, or it is a folder or a pipe and no file. Nothing in
        it was judged; the other files were.
        """,
    ),
    Text(
        "file-encoding",
        (ERROR,),
        """A file is no UTF-8 text.

        JSON is exchanged as UTF-8, and a guess at another encoding could read other words than were
        written. Save the file as UTF-8.
        """,
    ),
    Text(
        "file-link",
        (ERROR,),
        """A link stands in a folder of contracts and is not followed.

        It may lead out of the folder, to a file that nobody meant to show. Put the file itself there.
        """,
    ),
    Text(
        "file-changed",
        (ERROR,),
        """A contract file was changed on the disk since it was opened.

        Saving would throw away what somebody else wrote, so nothing was written. Open the file again
        and make the edit there.
        """,
    ),
    Text(
        "file-name",
        (ERROR,),
        """A contract file cannot have this name.

        It would lie outside the folder, be hidden, or be a device on some systems. Letters, digits,
        spaces, dots, dashes and underscores are fine, and .contract.json ends it.
        """,
    ),
    Text(
        "file-not-saved",
        (ERROR,),
        """A contract file was not saved, and the old one stays.

        The disk is full, or the folder cannot be written to. A file is written beside the old one and
        only then put in its place, so nothing is lost.
        """,
    ),
    Text(
        "case-unexpected",
        (ERROR,),
        """A case of a contract is not judged as it expects.

        It must be refused and gets in, or must be accepted and is not; or another keyword
        refuses it than the one it names. Either the contract changed or the case is wrong:
        mend the one that is.

        Bad:
            POST /api/check

            {
              "text": "{\\"name\\": \\"set_light\\", \\"parameters\\": {}, \\"cases\\": {\\"no_room\\": {}}}"
            }
        Good:
            POST /api/check

            {
              "text": "{\\"name\\": \\"set_light\\", \\"parameters\\": {}, \\"cases\\": {\\"ok\\": {}}}"
            }
        """,
    ),
    Text(
        "contract-untested",
        (WARNING,),
        """A contract has no case, so nothing shows what it refuses.

        An edit may let anything in and nobody would notice. Pin one payload that must be
        accepted and one for each mistake that must be refused.

        Bad:
            POST /api/check

            {
              "text": "{\\"name\\": \\"set_light\\", \\"parameters\\": {\\"type\\": \\"object\\"}}"
            }
        Good:
            POST /api/check

            {
              "text": "{\\"name\\": \\"set_light\\", \\"parameters\\": {}, \\"cases\\": {\\"ok\\": {}}}"
            }
        """,
    ),
    Text(
        "mutant-accepted",
        (WARNING,),
        """A neighbour of an accepted case gets in, although one thing in it is broken.

        It has a key less or more, another type, a value that is nearly one of the list. What
        a model gets wrong looks like that. Add the keyword that refuses it; or pin it as a
        case that must be accepted, if it is right after all.

        Bad:
            POST /api/mutants

            {
              "contract": {
                "name": "set_light",
                "parameters": {
                  "type": "object",
                  "required": ["on"],
                  "properties": {"on": {"type": "boolean"}}
                },
                "cases": {"ok": {"on": true}}
              }
            }
        Good:
            POST /api/mutants

            {
              "contract": {
                "name": "set_light",
                "parameters": {
                  "type": "object",
                  "additionalProperties": false,
                  "required": ["on"],
                  "properties": {"on": {"type": "boolean"}}
                },
                "cases": {"ok": {"on": true}}
              }
            }
        """,
    ),
    Text(
        "keyword-unguarded",
        (INFO,),
        """A keyword of the contract could be lost, and no case would turn.

        Each case was judged once more without it, and none got another verdict. So an edit
        that drops it goes unnoticed. Pin a case that only this keyword refuses.

        Bad:
            POST /api/mutants

            {
              "contract": {
                "name": "set_light",
                "parameters": {"type": "object", "required": ["on"]},
                "cases": {"ok": {"on": true}, "text": "on"}
              }
            }
        Good:
            POST /api/mutants

            {
              "contract": {
                "name": "set_light",
                "parameters": {"type": "object", "required": ["on"]},
                "cases": {"ok": {"on": true}, "text": "on", "nothing": {}}
              }
            }
        """,
    ),
    Text(
        "tighten-case-inseparable",
        (ERROR,),
        """A case that must be refused cannot be told from what must be accepted.

        No keyword that tightening can set refuses it without refusing a sample or a case that
        must be accepted. Two cases may be the same payload; or what tells them apart stands
        where the contract describes nothing, or needs a pattern.

        Bad:
            POST /api/tighten

            {
              "schema": {"type": "object", "properties": {"room": {"type": "string"}}},
              "cases": {"ok": {"room": "kitchen"}, "twin": {"room": "kitchen"}},
              "until_refused": true
            }
        Good:
            POST /api/tighten

            {
              "schema": {"type": "object", "properties": {"room": {"type": "string"}}},
              "cases": {"ok": {"room": "kitchen"}, "unknown_room": {"room": "garage"}},
              "until_refused": true
            }
        """,
    ),
    Text(
        "tighten-enum-type",
        (ERROR,),
        """An enum has no value that the contract allows at its place.

        Its values are of another type, or none of them is among those allowed already, or
        there is none. It would refuse everything. Tightening adds no value; edit the enum
        itself.

        Bad:
            POST /api/tighten

            {
              "schema": {"type": "object", "properties": {"room": {"type": "string"}}},
              "enum": {"/room": [1, 2]}
            }
        Good:
            POST /api/tighten

            {
              "schema": {"type": "object", "properties": {"room": {"type": "string"}}},
              "enum": {"/room": ["kitchen", "hall"]}
            }
        """,
    ),
    Text(
        "tighten-suggestion-unknown",
        (ERROR,),
        """A suggestion is to be applied that these samples do not give.

        The samples may have changed since it was made. Take one of the present
        suggestions; their ids are a keyword and a pointer.

        Bad:
            POST /api/tighten

            {
              "samples": [{"room": "kitchen"}],
              "apply": ["required:/zone"]
            }
        Good:
            POST /api/tighten

            {
              "samples": [{"room": "kitchen"}],
              "apply": ["required:/room"]
            }
        """,
    ),
    Text(
        "tighten-not-closed",
        (WARNING,),
        """An object is described in several branches and cannot be closed in its draft.

        additionalProperties sees only the keys of its own branch, so it would refuse those
        of the others. Drafts before 2019-09 have no unevaluatedProperties, which sees all.
        Move the contract to draft 2020-12.

        Bad:
            POST /api/tighten

            {
              "schema": {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "allOf": [
                  {"type": "object", "properties": {"room": {"type": "string"}}},
                  {"type": "object", "properties": {"on": {"type": "boolean"}}}
                ]
              },
              "additional_properties": false
            }
        Good:
            POST /api/tighten

            {
              "schema": {
                "allOf": [
                  {"type": "object", "properties": {"room": {"type": "string"}}},
                  {"type": "object", "properties": {"on": {"type": "boolean"}}}
                ]
              },
              "additional_properties": false
            }
        """,
        f"{CORE}#section-11.3",
    ),
    Text(
        "tighten-sample-refused",
        (ERROR,),
        """A sample is refused by the tightened contract.

        Samples are what the tool is really called with, so the contract says too much. Take
        the sample out if it is wrong, or leave the keyword out.

        Bad:
            POST /api/tighten

            {
              "schema": {"type": "object", "properties": {"room": {"type": "string"}}},
              "samples": [{"room": "kitchen"}, {}],
              "required": ["room"]
            }
        Good:
            POST /api/tighten

            {
              "schema": {"type": "object", "properties": {"room": {"type": "string"}}},
              "samples": [{"room": "kitchen"}],
              "required": ["room"]
            }
        """,
    ),
    Text(
        "tighten-case-refused",
        (ERROR,),
        """A case that must be accepted is refused by the tightened contract.

        The case was pinned so that this is seen. Correct the case if it is wrong, or leave
        the keyword out.

        Bad:
            POST /api/tighten

            {
              "schema": {"type": "object", "properties": {"room": {"type": "string"}}},
              "cases": {"ok": {}},
              "required": ["room"]
            }
        Good:
            POST /api/tighten

            {
              "schema": {"type": "object", "properties": {"room": {"type": "string"}}},
              "cases": {"ok": {"room": "hall"}},
              "required": ["room"]
            }
        """,
    ),
    Text(
        "tighten-keyword-absent",
        (ERROR,),
        """A keyword is to be taken back that does not stand there.

        The contract was changed since the page was shown, so there is nothing to take back.
        The page now shows the contract as it is.
        """,
    ),
    Text(
        "edit-refused",
        (ERROR,),
        """A button of the page cannot do what it says.

        The texts on the page were changed since it was shown: the call, case or sample is
        no longer there, or there is nothing to take. No text was touched. The page now shows
        how things are.
        """,
    ),
    Text(
        "options-invalid",
        (ERROR,),
        """The options of the page are no JSON object.

        They are read as an object with fields such as string_args and fold. The defaults
        are used instead, so the verdicts are those of the strict reading.

        Bad:
            ["open"]
        Good:
            {"fold": "open"}
        """,
    ),
    # Requests ----------------------------------------------------------------------------------
    Text(
        "body-invalid",
        (ERROR,),
        """The body of a request is no JSON object in UTF-8.

        Every verb takes one JSON object. A pasted text travels inside it as a string, so
        that its broken parts reach the reader untouched.

        Bad:
            POST /api/format

            ["[]"]
        Good:
            POST /api/format

            {"text": "[]"}
        """,
        "https://www.rfc-editor.org/rfc/rfc8259#section-8.1",
    ),
    Text(
        "field-missing",
        (ERROR,),
        """A field that the verb needs is not in the body.

        Nothing is judged without it. /openapi.json describes the body of each verb, with an
        example.

        Bad:
            POST /api/format

            {"indent": 2}
        Good:
            POST /api/format

            {"text": "[]", "indent": 2}
        """,
    ),
    Text(
        "field-unknown",
        (ERROR,),
        """The body holds a field that the verb does not have.

        A misspelt option would be without effect and nobody would know. Remove it or correct
        its name; /openapi.json lists the fields.

        Bad:
            POST /api/format

            {"text": "[]", "indnet": 4}
        Good:
            POST /api/format

            {"text": "[]", "indent": 4}
        """,
    ),
    Text(
        "field-twice",
        (ERROR,),
        """A field and the same field as text are both given.

        contracts and contracts_text are two ways to send one thing, and they may differ.
        Send one of them.

        Bad:
            POST /api/extract

            {"text": "", "contracts": [], "contracts_text": "[]"}
        Good:
            POST /api/extract

            {"text": "", "contracts": []}
        """,
    ),
    Text(
        "field-invalid",
        (ERROR,),
        """A field of the body has a value that the verb does not take.

        No type is guessed: "2" is no 2. The message says which field, and what it takes.

        Bad:
            POST /api/format

            {"text": "[]", "indent": "2"}
        Good:
            POST /api/format

            {"text": "[]", "indent": 2}
        """,
    ),
    Text(
        "request-invalid",
        (ERROR,),
        """A request cannot be read as what it says it is.

        A form without its boundary, for one, has no fields, plain text is no form, and a
        large urlencoded form would be parsed character by character while the whole
        server waits. Send the form that the page sends, which is multipart.

        Bad:
            POST /panels
            Content-Type: text/plain

            options={}
        Good:
            GET /
        """,
    ),
    Text(
        "host-unknown",
        (ERROR,),
        """The Host of a request is not this server's.

        A page elsewhere can point its own name at 127.0.0.1 and would then read what is
        pasted here. So only 127.0.0.1, localhost and [::1] with the server's port are
        answered, and a name given by --host.

        Bad:
            GET /api/health
            Host: evil.example:8765
        Good:
            GET /api/health
            Host: 127.0.0.1:8765
        """,
        f"{HTTP}#section-7.2",
    ),
    Text(
        "origin-foreign",
        (ERROR,),
        """Another page sent the request.

        Its Origin is not this server. Pages elsewhere have no business here, whatever they
        send. Use the workbench's own page; a program sends no Origin.

        Bad:
            POST /api/format
            Host: 127.0.0.1:8765
            Origin: https://evil.example

            {"text": "[]"}
        Good:
            POST /api/format
            Host: 127.0.0.1:8765
            Origin: http://127.0.0.1:8765

            {"text": "[]"}
        """,
        "https://fetch.spec.whatwg.org/#origin-header",
    ),
    Text(
        "site-foreign",
        (ERROR,),
        """Another site sent the request.

        The browser says so in Sec-Fetch-Site. A followed link is served, a request from
        inside another site is not: frames, scripts and images cannot reach the workbench.
        Open it in a tab of its own.

        Bad:
            GET /api/health
            Sec-Fetch-Site: cross-site
            Sec-Fetch-Mode: no-cors
        Good:
            GET /api/health
            Sec-Fetch-Site: same-origin
            Sec-Fetch-Mode: cors
        """,
        FETCH_METADATA,
    ),
    Text(
        "not-found",
        (ERROR,),
        """There is nothing at this address.

        /openapi.json lists every address of the API, and /api/samples every sample.

        Bad:
            GET /api/sample
        Good:
            GET /api/samples
        """,
        f"{HTTP}#section-15.5.5",
    ),
    Text(
        "method-not-allowed",
        (ERROR,),
        """The address is asked with a method that it does not have.

        A verb is asked with POST, because it is told a text; pages and lists with GET.

        Bad:
            GET /api/format
        Good:
            POST /api/format

            {"text": "[]"}
        """,
        f"{HTTP}#section-15.5.6",
    ),
    Text(
        "no-worker",
        (ERROR,),
        """All workers are busy, and nothing was judged.

        Each judgement runs in a process of its own, and none came free in time. The texts
        are still on the page; try again in a few seconds.
        """,
        f"{HTTP}#section-15.6.4",
    ),
)
