"""Which positions of a schema are schemas, and where references lead."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.cursor import Cursor
from app.json_text import JsonText
from app.schema import LATEST, draft_of, in_place, outline, targets


def cursor(value: Any) -> Cursor:
    text = JsonText(value if isinstance(value, str) else json.dumps(value))
    node, _ = text.scan()
    return Cursor(text, node)


def pointers(schema: Any, draft: int = LATEST) -> list[str]:
    return list(outline(cursor(schema), draft).subschemas)


def led_to(schema: Any, draft: int = LATEST) -> list[str | None]:
    found = outline(cursor(schema), draft)
    return [target for each in found.subschemas.values() for _, _, target in targets(found, each)]


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf", "prefixItems", "items"])
def test_lists_of_schemas_are_walked(keyword: str) -> None:
    assert pointers({keyword: [True, {"not": {}}]}) == [
        "",
        f"/{keyword}/0",
        f"/{keyword}/1",
        f"/{keyword}/1/not",
    ]


@pytest.mark.parametrize(
    "keyword", ["$defs", "definitions", "dependentSchemas", "dependencies", "patternProperties", "properties"]
)
def test_maps_of_schemas_are_walked_with_escaped_names(keyword: str) -> None:
    assert pointers({keyword: {"a/b~": {}, "": False}}) == ["", f"/{keyword}/a~1b~0", f"/{keyword}/"]


@pytest.mark.parametrize(
    "keyword",
    [
        "additionalItems",
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    ],
)
def test_single_schemas_are_walked(keyword: str) -> None:
    assert pointers({keyword: {"not": True}}) == ["", f"/{keyword}", f"/{keyword}/not"]


@pytest.mark.parametrize(
    "schema",
    [
        True,
        {"enum": [{"properties": {"a": {}}}], "const": {"not": {}}, "default": {"items": {}}},
        {"examples": [{"$ref": "http://x"}], "x-mine": {"properties": {"a": {}}}},
        {"dependencies": {"a": ["b"]}},
        {"required": ["properties"], "type": "object"},
        [{"not": {}}],
    ],
)
def test_data_is_no_schema(schema: Any) -> None:
    assert pointers(schema) == [""]


def test_a_property_may_be_called_like_a_keyword() -> None:
    assert pointers({"properties": {"$ref": {"type": "string"}, "items": {}}}) == [
        "",
        "/properties/$ref",
        "/properties/items",
    ]
    assert led_to({"properties": {"$ref": {"type": "string"}}}) == []


def test_the_order_is_that_of_the_document() -> None:
    schema: dict[str, Any] = {"properties": {"b": {"items": {}}, "a": {}}, "not": {}}
    assert pointers(schema) == ["", "/properties/b", "/properties/b/items", "/properties/a", "/not"]


def test_nesting_as_deep_as_the_reader_allows_is_walked_without_recursion() -> None:
    assert len(pointers('{"not":' * 250 + "true" + "}" * 250)) == 251


@pytest.mark.parametrize(
    ("schema", "target"),
    [
        ({"$ref": "#"}, ""),
        ({"$ref": "#/$defs/a", "$defs": {"a": {}}}, "/$defs/a"),
        ({"$ref": "#/$defs/a%20b", "$defs": {"a b": {}}}, "/$defs/a b"),
        ({"$ref": "#/x/~1y"}, "/x/~1y"),
        ({"$ref": "#here", "$defs": {"a": {"$anchor": "here"}}}, "/$defs/a"),
        ({"$dynamicRef": "#here", "$defs": {"a": {"$dynamicAnchor": "here"}}}, "/$defs/a"),
        ({"$ref": "#nobody"}, "/#nobody"),
        ({"$id": "http://x/y", "$ref": "z", "$defs": {"a": {"$id": "z"}}}, "/$defs/a"),
        ({"$id": "http://x/y", "$ref": "http://x/y#/$defs/a", "$defs": {"a": {}}}, "/$defs/a"),
        ({"$id": "urn:x:y", "$ref": "#/$defs/a", "$defs": {"a": {}}}, "/$defs/a"),
        ({"$ref": "other.json"}, None),
        ({"$ref": "http://x/y"}, None),
        ({"$ref": "//host/y"}, None),
        ({"$ref": "data:,{}"}, None),
        ({"$ref": "http://[x"}, None),
    ],
)
def test_references_lead_inside_or_out(schema: Any, target: str | None) -> None:
    assert led_to(schema) == [target]


def test_a_reference_inside_an_embedded_resource_starts_at_that_resource() -> None:
    inner = {"$id": "http://x/inner", "$ref": "#/$defs/a", "$defs": {"a": {}}}
    assert led_to({"$defs": {"i": inner, "a": {}}}) == ["/$defs/i/$defs/a"]


def test_what_only_a_reference_reaches_is_a_schema_too() -> None:
    schema = {"$ref": "#/mine/a", "mine": {"a": {"not": {"$ref": "http://x"}}}}
    assert pointers(schema) == ["", "/mine/a", "/mine/a/not"]
    assert led_to(schema) == ["/mine/a", None]


def test_an_old_reference_hides_the_id_beside_it() -> None:
    schema = {"definitions": {"a": {"$id": "http://x/", "$ref": "b"}}}
    assert led_to(schema, draft=7) == [None]
    assert outline(cursor(schema), 7).resources.keys() != outline(cursor(schema)).resources.keys()


def test_old_drafts_name_places_by_id() -> None:
    assert led_to({"$ref": "#a", "definitions": {"x": {"$id": "#a"}}}, draft=7) == ["/definitions/x"]
    assert led_to({"$ref": "#a", "definitions": {"x": {"id": "#a"}}}, draft=4) == ["/definitions/x"]


@pytest.mark.parametrize(
    ("uri", "draft"),
    [
        (None, LATEST),
        ("https://json-schema.org/draft/2020-12/schema", LATEST),
        ("https://json-schema.org/draft/2020-12/schema#", LATEST),
        ("http://json-schema.org/schema#", LATEST),
        ("https://json-schema.org/draft/2019-09/schema", 2019),
        ("http://json-schema.org/draft-07/schema#", 7),
        ("https://json-schema.org/draft-07/schema", 7),
        ("http://json-schema.org/draft-06/schema", 6),
        ("http://json-schema.org/draft-04/schema#", 4),
        ("http://json-schema.org/draft-03/schema#", None),
        ("http://example.com/mine", None),
        ("", None),
    ],
)
def test_the_draft_is_the_one_named(uri: str | None, draft: int | None) -> None:
    assert draft_of(cursor({} if uri is None else {"$schema": uri})) == draft


@pytest.mark.parametrize(
    ("schema", "places"),
    [
        ({"$ref": "#"}, [""]),
        (
            {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
            ["/$defs/a"],
        ),
        ({"allOf": [{"$ref": "#"}]}, [""]),
        ({"anyOf": [{"type": "string"}, {"not": {"$ref": "#"}}]}, [""]),
        ({"$dynamicAnchor": "x", "then": {"$dynamicRef": "#x"}}, [""]),
    ],
)
def test_a_schema_that_leads_only_to_itself_is_a_loop(schema: Any, places: list[str]) -> None:
    assert [loop.pointer for loop in in_place(outline(cursor(schema))).loops] == places


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"child": {"$ref": "#"}}},
        {"items": {"anyOf": [{"$ref": "#"}, {"type": "string"}]}},
        {"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}], "$defs": {"a": {"type": "object"}}},
        {"contains": {"$ref": "#"}, "additionalProperties": {"$ref": "#"}, "propertyNames": {"$ref": "#"}},
        {"$ref": "#/nowhere"},
    ],
)
def test_a_step_into_the_value_ends_every_loop(schema: Any) -> None:
    assert in_place(outline(cursor(schema))).loops == []


def test_the_ways_through_a_schema_are_counted() -> None:
    doubled = {f"a{n}": {"allOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 2} for n in range(10)}
    work = in_place(outline(cursor({"$ref": "#/$defs/a0", "$defs": doubled | {"a10": {}}})))
    assert 2**10 < work.ways < 2**13
    assert work.steps == 22
    assert in_place(outline(cursor({"properties": {"a": {}, "b": {}}}))) == ([], 1, 1)
