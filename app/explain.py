"""From an engine's refusal to sentences: one violation for each thing to change.

The engine says which keywords refused at which places. Here a missing or
unexpected key becomes a violation of its own, the branches of anyOf and oneOf
become causes of one violation, and each gets a sentence that says what is
wrong and what to do. Values and bounds are quoted as they were written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

from jsonschema_rs import Evaluation, Validator

from app import limits, patterns
from app.cursor import Cursor, escape, split, unescape
from app.json_text import Kind, leading_string
from app.schema import Outline
from app.second import frozen

QUOTED: Final = 60
"""Longest value shown in a sentence."""

CHOICES: Final = 8
"""Most values of an enum named in a sentence."""

COMPARED: Final = 10_000
"""Most items compared to say which two are equal."""

CAUSES: Final = 20
"""Most causes of one violation."""

CAUSE_DEPTH: Final = 4
"""How far anyOf in anyOf is followed; a chain of recursive alternatives tells nothing more below."""

_KINDS: Final[dict[int, str]] = {
    Kind.OBJECT: "an object",
    Kind.ARRAY: "an array",
    Kind.STRING: "a string",
    Kind.NUMBER: "a number",
    Kind.TRUE: "a boolean",
    Kind.FALSE: "a boolean",
    Kind.NULL: "null",
    Kind.NAN: "no JSON value",
}
_TYPES: Final = {
    "object": "an object",
    "array": "an array",
    "string": "a string",
    "number": "a number",
    "integer": "an integer",
    "boolean": "a boolean",
    "null": "null",
}
_LINE_BREAK: Final = re.compile(r"\s*[\r\n]\s*")
_NUMBER_TEXT: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?")
_Sentence = Callable[["Explainer", int, int], str]
_WORD: Final = re.compile(r"(?!(?:true|false|null)$)[^\W\d][\w.-]*$")


class Violation(NamedTuple):
    """One way in which a payload does not meet its schema, or could not be judged.

    `instance_pointer` is into the payload and names the object itself where a
    `key` is missing or unexpected. `schema_pointer` is into the schema, None
    where the keyword stands in a metaschema.
    """

    keyword: str | None
    instance_pointer: str
    key: str | None
    schema_pointer: str | None
    message: str
    causes: tuple[Violation, ...] = ()


class Places:
    """Finds the values of one text by pointer; each container is looked through once.

    Of duplicate keys it finds the last, as decoding does.
    """

    __slots__ = ("_members", "_nodes", "_said", "json", "root")

    def __init__(self, root: Cursor) -> None:
        self.json = root.json
        self.root = root.node
        self._members: dict[int, dict[str, int]] = {}
        self._nodes: dict[str, int | None] = {"": root.node}
        self._said: dict[int, str] = {}

    def members(self, node: int) -> dict[str, int]:
        """Return the members of an object by key, or the items of an array by index."""
        found = self._members.get(node)
        if found is None:
            kind = self.json.kind[node]
            if kind == Kind.OBJECT:
                found = {}
                keys, skips, child, stop = self.json.keys, self.json.skip, node + 1, self.json.skip[node]
                while child < stop:
                    found[keys[child] or ""] = child
                    child = skips[child]
            elif kind == Kind.ARRAY:
                found = {str(index): child for index, child in enumerate(self.json.children(node))}
            else:
                found = {}
            self._members[node] = found
        return found

    def node(self, pointer: str) -> int | None:
        """Return the node a pointer leads to, None where nothing stands."""
        nodes = self._nodes
        if pointer in nodes:
            return nodes[pointer]
        here: int | None = self.root
        for token in split(pointer) if "~" in pointer else pointer.split("/")[1:]:
            here = None if here is None else self.members(here).get(token)
        nodes[pointer] = here
        return here

    def pointer(self, node: int) -> str:
        """Return the pointer of a node."""
        here, found = self.root, ""
        while here != node:
            for key, child in self.members(here).items():
                if child <= node < self.json.skip[child]:
                    here, found = child, f"{found}/{escape(key)}"
                    break
            else:  # an earlier duplicate: its key leads to the later one
                return found
        return found

    def parent(self, node: int) -> int:
        """Return the container of a node."""
        found = self.node(self.pointer(node).rpartition("/")[0])
        assert found is not None
        return found

    def kind(self, node: int) -> int:
        """Return the kind of a node, as a number of `Kind`."""
        return self.json.kind[node]

    def text(self, node: int) -> str:
        """Return the value as written, on one line and cut."""
        start, end = self.json.start[node], self.json.end[node]
        text = self.json.text[start : min(end, start + 4 * QUOTED)]
        if "\n" in text or "\r" in text:
            text = _LINE_BREAK.sub(" ", text)
        return text if len(text) <= QUOTED else text[: QUOTED - 1] + "…"

    def subject(self, node: int) -> str:
        """Return the value as the subject of a sentence: "null is null" reads badly."""
        return "It" if self.json.kind[node] == Kind.NULL else self.text(node)

    def choices(self, node: int) -> str:
        """Return the items of an enum, words without quotes if all are words, cut."""
        found = self._said.get(node)
        if found is None:
            items = list(self.members(node).values())
            words = all(self.plain(item) != self.text(item) for item in items[:CHOICES])
            shown = [self.plain(item) if words else self.text(item) for item in items[:CHOICES]]
            more = f" and {len(items) - CHOICES} more" if len(items) > CHOICES else ""
            found = self._said[node] = ", ".join(shown) + more
        return found

    def types(self, node: int) -> str:
        """Return what a `type` asks for, in words."""
        found = self._said.get(node)
        if found is None:
            found = self._said[node] = _list(self.type_names(node), "or")
        return found

    def type_names(self, node: int) -> list[str]:
        """Return the types of a `type`, in words."""
        nodes = [node] if self.kind(node) == Kind.STRING else self.members(node).values()
        texts = (self.json.string(each) if self.kind(each) == Kind.STRING else "" for each in nodes)
        return [_TYPES.get(text, "of no known type") for text in texts]

    def plain(self, node: int) -> str:
        """Return a word without its quotes, anything else as written."""
        if self.json.kind[node] == Kind.STRING:
            word = self.json.string(node)
            if len(word) <= QUOTED and _WORD.match(word):
                return word
        return self.text(node)


class _Leaf(NamedTuple):
    """A keyword that refused: where it stands, what it looked at, what the engine said.

    `rule` is the node of its value in the schema, `branches` are the engine's
    units for the alternatives of anyOf and oneOf, `depth` counts the anyOf and
    oneOf around it.
    """

    keyword: str
    schema: str | None
    rule: int | None
    instance: str
    said: str
    branches: Sequence[Any] = ()
    depth: int = 0


Position = tuple[str, str | None, int | None]
"""What a position of the engine means: the keyword, its pointer and its node."""


@dataclass(slots=True)  # not frozen: that would cost as much as the rest of a short refusal
class Explainer:
    """What is known while one refusal is explained.

    `subvalidator` compiles the subschema at a pointer; `to_engine` and
    `from_engine` are the character tables between the texts and the engine.
    `positions` remembers, from one refusal to the next, what the engine's
    positions mean.
    """

    payload: Places
    schema: Places
    outline: Outline
    subvalidator: Callable[[str], Validator | None]
    to_engine: dict[int, int]
    from_engine: dict[int, int]
    positions: dict[tuple[str, str], Position]

    def explain(self, evaluation: Evaluation, *, grouped: bool) -> tuple[tuple[Violation, ...], int]:
        """Return at most limits.FINDINGS + 1 violations in document order, and how many there are.

        Beyond the limit each refusing keyword counts once, however many keys it names.
        """
        if grouped:
            leaves = self._leaves(evaluation.hierarchical())
        else:
            entries = evaluation.errors()
            if len(entries) == 1:  # most refusals; all that it yields stands at one place
                found = tuple(self._violations(self._read(entries[0])))
                return found[: limits.FINDINGS + 1], len(found)
            leaves = filter(self._tells, map(self._read, entries))
        violations: dict[tuple[Any, ...], Violation] = {}
        more = 0
        for leaf in leaves:
            if len(violations) > limits.FINDINGS:
                more += 1
                continue
            for each in self._violations(leaf):
                # A subschema reached in two ways refuses twice: same keyword, places and key.
                violations.setdefault(each[:4], each)
        total = len(violations) + more
        place = self.payload.node
        ordered = sorted(violations.values(), key=lambda each: place(each.instance_pointer) or 0)
        return tuple(ordered[: limits.FINDINGS + 1]), total

    # Reading the engine ----------------------------------------------------------

    def _read(self, entry: Any) -> _Leaf:
        said = entry["error"]
        is_false = said.startswith("False schema does not allow")
        return self._leaf(
            "false" if is_false else "", entry["schemaLocation"], entry["instanceLocation"], said
        )

    @staticmethod
    def _tells(leaf: _Leaf) -> bool:
        """Whether an entry tells all: behind that of unevaluated keys, one for each of them follows."""
        return leaf.keyword not in _UNEVALUATED or not leaf.said.startswith("Unevaluated")

    def _leaves(self, root: Any, depth: int = 0) -> Iterator[_Leaf]:
        stack = [root]
        while stack:
            unit = stack.pop()
            if unit["valid"]:
                continue
            details = unit.get("details", ())
            errors = unit.get("errors", {})
            path, place, instance = unit["evaluationPath"], unit["schemaLocation"], unit["instanceLocation"]
            name = path.rpartition("/")[2]
            if name in ("anyOf", "oneOf") and details and _are_branches(path, details):
                yield self._leaf(name, place, instance, "")._replace(branches=details, depth=depth)
                continue
            if name == "propertyNames" and details and details[0]["evaluationPath"] == path:
                yield self._leaf(name, place, instance, "")
                continue
            for keyword, said in errors.items():
                if keyword in _UNEVALUATED and details:
                    continue
                for one in said if isinstance(said, list) else [said]:
                    yield self._leaf("false" if keyword == "falseSchema" else keyword, place, instance, one)
            stack += reversed(details)

    def _leaf(self, keyword: str, place: str, instance: str, said: str) -> _Leaf:
        """Read a position of the engine; without a keyword it is the last step of the position."""
        position = self.positions.get((keyword, place))
        if position is None:
            position = self._position(keyword or unescape(place.rpartition("/")[2]), place)
            self.positions[keyword, place] = position
        if self.from_engine:
            instance, said = instance.translate(self.from_engine), said.translate(self.from_engine)
        return _Leaf(*position, instance, said)

    def _position(self, keyword: str, place: str) -> Position:
        uri, _, fragment = place.partition("#")
        resource = self.outline.resources.get(uri)
        if resource is None:
            return keyword, None, None
        pointer = (resource + unquote(fragment)).translate(self.from_engine)
        if keyword.isdecimal() or (keyword == "required" and not pointer.endswith("/required")):
            # Of dependentRequired the engine gives the index of the key, not the key.
            pointer = pointer.rpartition("/")[0]
            keyword = pointer.rpartition("/")[2]
        rule = self.schema.node(pointer)
        return keyword, None if rule is None else pointer, rule

    # One leaf, its violations ------------------------------------------------------

    def _violations(self, leaf: _Leaf) -> Iterable[Violation]:
        node = self.payload.node(leaf.instance)
        assert node is not None
        keyword = leaf.keyword
        say = _SENTENCES.get(keyword)
        if say is not None:
            sentence, kinds = say
            if leaf.rule is None or self.payload.json.kind[node] not in kinds:
                message = f"{leaf.said}."
            else:
                message = sentence(self, leaf.rule, node)
            return (Violation(keyword, leaf.instance, None, leaf.schema, message),)
        if leaf.branches:
            return (self._alternatives(leaf, node),)
        if keyword == "propertyNames":
            return self._names(leaf, node)
        if keyword == "additionalProperties":
            return self._extras(leaf, node)
        if keyword == "false":
            return self._nothing_allowed(leaf, node)
        if leaf.said.endswith(_REQUIRED):
            return (self._missing(leaf, leading_string(leaf.said)),)
        return (Violation(keyword, leaf.instance, None, leaf.schema, f"{leaf.said}."),)

    def _missing(self, leaf: _Leaf, key: str) -> Violation:
        if leaf.keyword == "required" or leaf.schema is None:
            message = f"{quote(key)} is missing. Add it."
            return Violation(leaf.keyword, leaf.instance, key, leaf.schema, message)
        node = self.payload.node(leaf.instance)
        assert leaf.rule is not None
        assert node is not None
        present = self.payload.members(node)
        for trigger, names in self.schema.members(leaf.rule).items():
            listed = self.schema.members(names).values()
            if trigger in present and any(self._string(name) == key for name in listed):
                message = f"{quote(key)} is missing; it belongs to {quote(trigger)}. Add it."
                place = f"{leaf.schema}/{escape(trigger)}"
                return Violation(leaf.keyword, leaf.instance, key, place, message)
        raise AssertionError(f"nothing asks for {key!r}")

    def _string(self, node: int) -> str | None:
        return self.schema.json.string(node) if self.schema.kind(node) == Kind.STRING else None

    def _extras(self, leaf: _Leaf, node: int) -> Iterable[Violation]:
        place = leaf.schema
        parent = None if place is None else self.schema.node(place.rpartition("/")[0])
        if parent is None:
            return (Violation(leaf.keyword, leaf.instance, None, None, f"{leaf.said}."),)
        beside = self.schema.members(parent)
        named = self.schema.members(beside["properties"]) if "properties" in beside else {}
        extras = [key for key in self.payload.members(node) if key not in named]
        if "patternProperties" in beside:
            patterned = self.schema.members(beside["patternProperties"])
            shapes = [key.translate(self.to_engine) for key in patterned]
            extras = [
                key
                for key in extras
                if not any(patterns.matches(shape, key.translate(self.to_engine)) for shape in shapes)
            ]
        says = "is not a property of this contract. Remove it."
        return [
            Violation("additionalProperties", leaf.instance, key, place, f"{quote(key)} {says}")
            for key in extras
        ]

    def _names(self, leaf: _Leaf, node: int) -> Iterator[Violation]:
        validator = None if leaf.schema is None else self.subvalidator(leaf.schema)
        message = "is not allowed as the name of a property. Rename it or remove it."
        if validator is None:
            yield Violation("propertyNames", leaf.instance, None, leaf.schema, f"A key here {message}")
            return
        for key in self.payload.members(node):
            if not validator.is_valid(key.translate(self.to_engine)):
                yield Violation("propertyNames", leaf.instance, key, leaf.schema, f"{quote(key)} {message}")

    def _nothing_allowed(self, leaf: _Leaf, node: int) -> Iterator[Violation]:
        """Say what the schema `false` refuses, which depends on where it stands."""
        here = None if leaf.schema is None else self.outline.subschemas.get(leaf.schema)
        keyword = here.keyword if here is not None else ""
        above, _, last = leaf.instance.rpartition("/")
        holder = self.payload.node(above) if leaf.instance else None
        if keyword == "additionalProperties":
            yield from self._extras(leaf, node)
        elif keyword == "propertyNames":
            yield from self._names(leaf, node)
        elif keyword in _OF_PROPERTIES and holder is not None and self.payload.kind(holder) == Kind.OBJECT:
            key = unescape(last)
            known = keyword in ("properties", "patternProperties")
            what = "is not allowed here" if known else "is not a property of this contract"
            yield Violation(keyword, above, key, leaf.schema, f"{quote(key)} {what}. Remove it.")
        elif keyword in _OF_ITEMS and holder is not None:
            message = f"Item {last} is one more than this contract has room for. Remove it."
            yield Violation(keyword, leaf.instance, None, leaf.schema, message)
        elif keyword in ("", "$defs", "definitions"):
            message = "The contract is false here: it accepts nothing. Correct the contract."
            yield Violation(None, leaf.instance, None, leaf.schema, message)
        else:
            message = f"{self.payload.text(node)} is not allowed here. Remove it."
            yield Violation(keyword, leaf.instance, None, leaf.schema, message)

    def _alternatives(self, leaf: _Leaf, node: int) -> Violation:
        value = self.payload.subject(node)
        fits = [str(index + 1) for index, branch in enumerate(leaf.branches) if branch["valid"]]
        causes: list[Violation] = []
        if fits:
            message = f"{value} fits forms {_list(fits, 'and')}; exactly one may fit. Make it fit one alone."
        elif leaf.depth >= CAUSE_DEPTH:
            message = f"{value} fits none of the {len(leaf.branches)} forms allowed here."
        else:
            branches = [list(self._leaves(branch, leaf.depth + 1)) for branch in leaf.branches]
            nearest = min(range(len(branches)), key=lambda index: self._distance(leaf, branches[index]))
            types = self._only_types(leaf, branches)
            if types:
                message = f"{value} is {_KINDS[self.payload.kind(node)]}, not {_list(types, 'or')}."
            else:
                causes = [cause for one in branches[nearest][:CAUSES] for cause in self._violations(one)]
                message = f"{value} fits none of the {len(branches)} forms allowed here."
                if len(branches) == 1:
                    message = f"{value} does not fit the only form allowed here."
                elif causes:
                    message += f" Form {nearest + 1} is the nearest: {causes[0].message}"
        return Violation(leaf.keyword, leaf.instance, None, leaf.schema, message, tuple(causes[:CAUSES]))

    def _only_types(self, leaf: _Leaf, branches: list[list[_Leaf]]) -> list[str]:
        """Return the types that the branches ask for, if they ask for nothing else."""
        names: list[str] = []
        for branch in branches:
            first = branch[0]
            others = len(branch) > 1 or first.keyword != "type" or first.instance != leaf.instance
            if others or first.rule is None:
                return []
            names += self.schema.type_names(first.rule)
        return names

    def _distance(self, leaf: _Leaf, branch: list[_Leaf]) -> tuple[bool, int, int, int]:
        """How far a value is from a form: another type, another discriminator, many errors, shallow ones."""
        other_type = any(one.keyword == "type" and one.instance == leaf.instance for one in branch)
        constants = sum(one.keyword in ("const", "enum") for one in branch)
        deepest = max((one.instance.count("/") for one in branch), default=0)
        return other_type, constants, len(branch), -deepest


def _are_branches(path: str, details: list[Any]) -> bool:
    return all(detail["evaluationPath"] == f"{path}/{index}" for index, detail in enumerate(details))


def quote(key: str) -> str:
    """Return a key or a text as a JSON string, cut."""
    return encode_basestring(key if len(key) <= QUOTED else key[: QUOTED - 1] + "…")


def _list(words: list[str], last: str) -> str:
    words = list(dict.fromkeys(words))
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"


# Sentences ------------------------------------------------------------------------
# Each takes the node of the keyword's value and the node of the refused value.


def _type(at: Explainer, rule: int, node: int) -> str:
    value, kind = at.payload.subject(node), at.payload.kind(node)
    wanted = at.schema.types(rule)
    if kind == Kind.NUMBER and "an integer" in wanted:
        return f"{value} has a fraction; it must be {wanted}."
    message = f"{value} is {_KINDS[kind]}, not {wanted}."
    if kind == Kind.STRING and _looks_like(at.payload.json.string(node), wanted):
        return f"{message} Remove the quotes."
    return message


def _looks_like(text: str, wanted: str) -> bool:
    if text in ("true", "false"):
        return "boolean" in wanted
    number = _NUMBER_TEXT.fullmatch(text)
    return number is not None and ("number" in wanted or ("integer" in wanted and not number[1]))


def _enum(at: Explainer, rule: int, node: int) -> str:
    return f"{at.payload.subject(node)} is not one of {at.schema.choices(rule)}."


def _const(at: Explainer, rule: int, node: int) -> str:
    return f"{at.payload.subject(node)} is not {at.schema.text(rule)}, the only value allowed."


def _bound(words: str) -> _Sentence:
    return lambda at, rule, node: f"{at.payload.subject(node)} is {words} {at.schema.text(rule)}."


def _size(noun: str, limit: str, remedy: str) -> _Sentence:
    def say(at: Explainer, rule: int, node: int) -> str:
        if at.payload.kind(node) == Kind.STRING:
            size, what = len(at.payload.json.string(node)), at.payload.subject(node)
        else:
            size = len(at.payload.members(node))
            what = "It"
        return f"{what} has {_count(size, noun)}; {limit} {at.schema.text(rule)}. {remedy}"

    return say


def _count(number: int, noun: str) -> str:
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{number} {noun if number == 1 else plural}"


def _pattern(at: Explainer, rule: int, node: int) -> str:
    return f"{at.payload.subject(node)} does not match the pattern {at.schema.plain(rule)}."


def _format(at: Explainer, rule: int, node: int) -> str:
    return f"{at.payload.subject(node)} is not in the format {at.schema.plain(rule)}."


def _unique(at: Explainer, rule: int, node: int) -> str:
    seen: dict[Any, str] = {}
    if len(at.payload.members(node)) > COMPARED:
        return "Two items are equal; all must differ. Remove one."
    for index, child in at.payload.members(node).items():
        first = seen.setdefault(frozen(at.payload.json.value(child)), index)
        if first != index:
            return f"Items {first} and {index} are equal; all must differ. Remove one."
    raise AssertionError("no two items are equal")


def _contains(at: Explainer, rule: int, node: int) -> str:
    beside = at.schema.members(at.schema.parent(rule))
    words = {"minContains": "at least", "maxContains": "at most"}
    wanted = [f"{word} {at.schema.text(beside[name])}" for name, word in words.items() if name in beside]
    if not wanted:
        return "No item has the form that the contract asks for (contains). Add one."
    return f"Of the items, {_list(wanted, 'and')} must have the form that the contract asks for (contains)."


def _not(at: Explainer, rule: int, node: int) -> str:
    forbidden = at.schema.members(rule) if at.schema.kind(rule) == Kind.OBJECT else {}
    if list(forbidden) == ["required"] and at.payload.kind(node) == Kind.OBJECT:
        names = [at.schema.text(name) for name in at.schema.members(forbidden["required"]).values()]
        if len(names) == 1:
            return f"{names[0]} may not stand here. Remove it."
        return f"{_list(names, 'and')} may not stand here together. Remove one."
    return f"{at.payload.subject(node)} is what the contract rules out here (not). Change it."


_OF_PROPERTIES: Final = frozenset(
    {"properties", "patternProperties", "additionalProperties", "unevaluatedProperties"}
)
_OF_ITEMS: Final = frozenset({"items", "prefixItems", "additionalItems", "unevaluatedItems"})
_UNEVALUATED: Final = frozenset({"unevaluatedProperties", "unevaluatedItems"})
_REQUIRED: Final = " is a required property"
_ANY: Final = frozenset[int](Kind)
_STRING: Final = frozenset[int]({Kind.STRING})
_NUMBER: Final = frozenset[int]({Kind.NUMBER})
_ARRAY: Final = frozenset[int]({Kind.ARRAY})
_OBJECT: Final = frozenset[int]({Kind.OBJECT})
_SENTENCES: Final[dict[str, tuple[_Sentence, frozenset[int]]]] = {
    "type": (_type, _ANY),
    "enum": (_enum, _ANY),
    "const": (_const, _ANY),
    "not": (_not, _ANY),
    "minimum": (_bound("below the minimum of"), _NUMBER),
    "maximum": (_bound("above the maximum of"), _NUMBER),
    "exclusiveMinimum": (_bound("not greater than"), _NUMBER),
    "exclusiveMaximum": (_bound("not less than"), _NUMBER),
    "multipleOf": (_bound("not a multiple of"), _NUMBER),
    "minLength": (_size("character", "the least is", "Make it longer."), _STRING),
    "maxLength": (_size("character", "the most is", "Make it shorter."), _STRING),
    "pattern": (_pattern, _STRING),
    "format": (_format, _STRING),
    "minItems": (_size("item", "the least is", "Add more."), _ARRAY),
    "maxItems": (_size("item", "the most is", "Remove some."), _ARRAY),
    "uniqueItems": (_unique, _ARRAY),
    "contains": (_contains, _ARRAY),
    "minProperties": (_size("property", "the least is", "Add more."), _OBJECT),
    "maxProperties": (_size("property", "the most is", "Remove some."), _OBJECT),
}
