"""What leaves by a link or a file holds no secret, and is otherwise what was pasted."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from tests.secret_shapes import SHAPES, normal_payloads

ROOT = Path(__file__).parent.parent
MASK = "[secret]"
_MASK = """async texts => {
    const { mask } = await import("/static/app/secrets.js");
    return texts.map(text => { const { text: masked, count } = mask(text); return [masked, count]; });
}"""


def masked(page: Page, texts: Iterable[str]) -> list[tuple[str, int]]:
    page.goto("/")
    return [(text, count) for text, count in page.evaluate(_MASK, list(texts))]


def shape_of(value: Any) -> Any:
    """The value without its texts and numbers."""
    if isinstance(value, dict):
        return {key: shape_of(each) for key, each in value.items()}
    return [shape_of(each) for each in value] if isinstance(value, list) else None


def test_there_are_sixty_shapes_and_more() -> None:
    assert len(SHAPES) >= 60
    assert all(shape.secret in shape.text for shape in SHAPES.values())


def test_only_the_secret_is_replaced(page: Page) -> None:
    for name, (text, count) in zip(SHAPES, masked(page, [s.text for s in SHAPES.values()]), strict=True):
        before, _, after = SHAPES[name].text.partition(SHAPES[name].secret)
        assert SHAPES[name].secret not in text, name
        assert count >= 1, name
        if name not in ("a list", "numbers"):
            assert (text, count) == (before + MASK + after, 1), name


def test_inside_a_frame_and_inside_json_in_a_string_it_is_found_and_json_stays_json(page: Page) -> None:
    frames = []
    for depth in range(3):
        for shape in SHAPES.values():
            text = f"first line\n{shape.text}"
            for _ in range(depth):
                text = json.dumps({"args": text, "on": True})
            frame = {"toolCall": {"functionCalls": [{"id": "c1", "name": "f", "args": {"input": text}}]}}
            frames.append((json.dumps(frame, indent=2), shape))
    wrong = []
    for (before, shape), (after, count) in zip(
        frames, masked(page, [text for text, _ in frames]), strict=True
    ):
        read = json.loads(after)
        inner = read["toolCall"]["functionCalls"][0]["args"]["input"]
        assert shape_of(read) == shape_of(json.loads(before))
        while inner.startswith('{"args"'):
            inner = json.loads(inner)["args"]
        if shape.secret in inner or count < 1:
            wrong.append((shape, after))
    assert wrong == []


def test_what_is_masked_holds_no_more_secrets(page: Page) -> None:
    once = [text for text, _ in masked(page, [shape.text for shape in SHAPES.values()])]
    assert [(text, count) for text, count in masked(page, once) if count] == []


def test_normal_payloads_stay_as_they_are(page: Page) -> None:
    payloads = normal_payloads()
    payloads += [path.read_text(encoding="utf-8") for path in sorted((ROOT / "samples").rglob("*.json*"))]
    vectors = ROOT / "tests" / "vectors" / "frames.jsonl"
    if vectors.exists():
        payloads += vectors.read_text(encoding="utf-8").splitlines()
    assert len(payloads) >= 200
    alarms = [text for text, (_, count) in zip(payloads, masked(page, payloads), strict=True) if count]
    assert len(alarms) <= len(payloads) // 100, alarms


def test_json_stays_json_whatever_stands_where_a_secret_could(page: Page) -> None:
    values: list[object] = [
        None,
        True,
        False,
        12345,
        -1.5e300,
        123456789,
        "",
        "x",
        [],
        [1, "two"],
        {},
        {"password": 1234},
    ]
    names = (
        "authorization",
        "password",
        "cookie",
        "x-api-key",
        "token",
        "api_keys",
        "-----BEGIN PRIVATE KEY-----",
    )
    texts = [json.dumps({name: value, "url": "db://b:c@d"}) for name in names for value in values]
    texts += [json.dumps({"inside": text}) for text in texts]
    for before, (after, count) in zip(texts, masked(page, texts), strict=True):
        assert json.loads(after).keys() == json.loads(before).keys()
        assert count >= 1


def test_a_megabyte_is_looked_through_in_a_moment(page: Page) -> None:
    hard = ['"' * 400_000, "\\" * 400_000, "a" * 1_000_000, 'password":"' * 40_000, '\\"' * 300_000]
    hard += [
        "-----BEGIN PRIVATE KEY-----" * 20_000,
        "Bearer " * 100_000,
        "https://a:" * 60_000,
        "curl " * 90_000,
    ]
    hard += ["sk-" * 200_000, "eyJ" + "a" * 500_000, "'a':" * 200_000, "a=" * 300_000, "cookie: " * 90_000]
    page.goto("/")
    took = page.evaluate(
        """async texts => {
            const { mask } = await import("/static/app/secrets.js");
            const now = () => performance.now();
            const time = text => { const began = now(); mask(text); return now() - began; };
            return texts.map(time);
        }""",
        hard,
    )
    assert max(took) < 10_000, took
