"""Reading, judging and inferring, in this process, beside the libraries they stand on or replace."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
from genson import SchemaBuilder

from app import engine, infer, workbench, workers
from app.cursor import Cursor
from app.json_text import JsonText
from tests.bench.measure import Goal, Race, Row, race, run, seconds

CONTRACTS = Path(__file__).parent.parent.parent / "samples" / "contracts"


def cursor(value: Any) -> Cursor:
    """Return a value as the core sees it."""
    text = JsonText(json.dumps(value, ensure_ascii=False))
    node, _ = text.scan()
    return Cursor(text, node)


def frame(number: int) -> dict[str, Any]:
    """Return a toolCall frame as a Live session has them, with some words in it; every tenth is to refuse."""
    said = "The light in the kitchen, please – and not the one over the table.\nThanks!"
    args = {"room": "garage" if number % 10 == 9 else "kitchen", "on": number % 2 == 0}
    call = {"id": f"function-call-{14042365829331500000 + number}", "name": "set_light", "args": args}
    usage = {"promptTokenCount": 1204 + number, "responseTokenCount": 37, "said": said}
    return {"toolCall": {"functionCalls": [call]}, "usageMetadata": usage}


def frames(size: int) -> list[str]:
    """Return the texts of as many frames as fill that many bytes, if each stands on a line."""
    texts: list[str] = []
    while size > 0:
        texts.append(json.dumps(frame(len(texts)), ensure_ascii=False))
        size -= len(texts[-1].encode()) + 1
    return texts


def array(size: int) -> str:
    """Return one JSON text of about that size: an array of frames."""
    return f"[{', '.join(frames(size))}]"


def against(work: str, result: Race, peer: str, goal: Goal | None) -> Row:
    """Make a row of a race: the ratio, or how many times faster we are."""
    ratio = 1 / result.ratio if goal is not None and goal.at_least else result.ratio
    return Row(work, seconds(result.ours), f"{peer} {seconds(result.peer)}", ratio, goal)


def reading(size: int) -> Iterator[Row]:
    """Read a text with every place and lexeme kept."""
    text = array(size)
    yield against(
        f"read {len(text) / 1e6:.2g} MB with the place of every value",
        race(lambda: JsonText(text).scan(), lambda: json.loads(text), turns=9),
        "json.loads",
        Goal(12, "×"),
    )


def validation(turns: int) -> Iterator[Row]:
    """Judge decoded payloads by the set_light contract: as the peers do, and with sentences and places."""
    schema = json.loads((CONTRACTS / "set_light.json").read_text(encoding="utf-8"))
    cases = json.loads((CONTRACTS / "set_light.cases.json").read_text(encoding="utf-8"))
    good = [(cases["ok"], cursor(cases["ok"]))]
    bad = [(cases[name], cursor(cases[name])) for name in ("unknown_room", "extra_field", "wrong_type")]
    prepared = engine.prepare(cursor(schema))
    rust = jsonschema_rs.Draft202012Validator(schema)
    python = jsonschema.Draft202012Validator(schema)

    def ours(payloads: list[tuple[Any, Cursor]]) -> None:
        for value, place in payloads:
            engine.judge_value(prepared, value, place)

    def accepts(validator: Any) -> None:
        for value, _ in good:
            validator.is_valid(value)

    def explains(validator: Any) -> None:
        for value, _ in bad:
            list(validator.iter_errors(value))

    for work, payloads, peer, goals in (
        ("accept a payload", good, accepts, (Goal(1.5, "×"), Goal(10, "× faster", at_least=True))),
        ("refuse 3 payloads, and say why", bad, explains, (Goal(3, "×"), Goal(2, "× faster", at_least=True))),
    ):
        for name, validator, goal in zip(("jsonschema-rs", "jsonschema"), (rust, python), goals, strict=True):
            result = race(lambda: ours(payloads), lambda: peer(validator), turns=turns)  # noqa: B023
            yield against(work, result, name, goal)


def inference(count: int) -> Iterator[Row]:
    """Infer a contract from samples that are read already."""
    rooms = ("living_room", "kitchen", "bedroom")
    samples = [
        {"room": rooms[n % 3], "on": n % 2 == 0, "level": n % 100, "note": f"note {n}", "tags": ["a", "b"]}
        for n in range(count)
    ]

    def genson() -> Any:
        builder = SchemaBuilder(schema_uri=infer.DRAFT_2020_12)
        for sample in samples:
            builder.add_object(sample)
        return builder.to_schema()

    yield against(
        f"infer from {count:,} samples, evidence included",
        race(lambda: infer.infer_values(samples), genson, turns=5),
        "genson",
        Goal(1.5, "×"),
    )


def session(count: int) -> list[str]:
    """Return the frames of a Live session, a line each: calls, answers, and what is said around them."""
    setup = {"setup": {"model": "models/gemini-3.8-live"}}
    lines = [json.dumps(setup), '{"setupComplete": {}}']
    for number in range(count):
        call_id = f"function-call-{number}"
        answer = {"id": call_id, "name": "set_light", "response": {"result": {"applied": True}}}
        args = {"room": "kitchen", "on": number % 2 == 0}
        asked = {"functionCalls": [{"id": call_id, "name": "set_light", "args": args}]}
        lines += [
            json.dumps({"serverContent": {"inputTranscription": {"text": f"Light {number}, please."}}}),
            json.dumps({"toolCall": asked}),
            json.dumps({"toolResponse": {"functionResponses": [answer]}}),
            json.dumps({"serverContent": {"outputTranscription": {"text": "The light is on."}}}),
            json.dumps({"serverContent": {"turnComplete": True}}),
        ]
    return lines[:count]


def sessions(count: int, turns: int) -> Iterator[Row]:
    """Follow a whole session by its contract: the ledger, every rule, every place."""
    schema = (CONTRACTS / "set_light.json").read_text(encoding="utf-8")
    contracts = f'{{"set_light": {schema}}}'
    validator = jsonschema_rs.Draft202012Validator(json.loads(schema))
    lines, longer = session(count), "\n".join(session(10 * count))
    text = "\n".join(lines)

    def bare() -> None:
        for line in lines:
            for call in json.loads(line).get("toolCall", {}).get("functionCalls", ()):
                validator.is_valid(call["args"])

    def followed() -> object:
        return workbench.read_session(text, contracts)

    workers.collect_seldom()  # as where the product does this work
    result = race(followed, bare, turns=turns)
    peer = f"json.loads and jsonschema-rs {seconds(result.peer)}"
    work = f"a session of {count:,} frames: contract, ledger, rules"
    yield Row(work, seconds(result.ours), peer, result.ours * 1000, Goal(1000, "ms"))
    yield against(
        f"a session of {10 * count:,} frames",
        race(lambda: workbench.read_session(longer, contracts), followed, turns=1),
        f"one of {count:,} frames",
        Goal(11, "×"),
    )


def exporting(properties: int, turns: int) -> Iterator[Row]:
    """Export one large contract with 50 cases to every target, what flips included."""
    kinds: list[tuple[dict[str, Any], Any, Any]] = [
        ({"type": "string", "enum": ["a", "b", "c"], "description": "One of three."}, "a", "z"),
        ({"type": "integer", "minimum": 0, "maximum": 100}, 5, 500),
        ({"type": ["string", "null"], "maxLength": 40}, None, 3),
        ({"type": "array", "items": {"type": "string"}, "maxItems": 5}, ["x"], [1]),
        (
            {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]},
            {"x": 1.5},
            {"y": 1},
        ),
    ]
    names = {f"p{number}": kinds[number % len(kinds)] for number in range(properties)}
    good = {name: value for name, (_, value, _) in names.items()}
    cases = {f"ok_{number}": good for number in range(5)}
    cases |= {f"bad {name}": good | {name: bad} for name, (_, _, bad) in list(names.items())[:45]}
    schema = {
        "type": "object",
        "properties": {name: kind for name, (kind, _, _) in names.items()},
        "required": list(names)[: properties // 2],
        "additionalProperties": False,
    }
    text = json.dumps({"name": "large", "parameters": schema, "cases": cases})
    taken = statistics.median(run(lambda: workbench.export_all(text), 1) for _ in range(turns))
    work = f"export {properties} properties with {len(cases)} cases to all {len(workbench.targets())} targets"
    yield Row(work, seconds(taken), figure=1000 * taken, goal=Goal(1000, "ms"))
