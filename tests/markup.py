"""Reading our own pages in tests: elements, attributes, text, and whether the markup is well nested."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "input", "br", "hr", "img", "option"}  # option: its end tag may be left out


@dataclass
class Element:
    """One element. `text` is all text inside it, white space joined."""

    tag: str
    attributes: dict[str, str]
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return " ".join("".join(self.pieces).split())

    @property
    def raw(self) -> str:
        return "".join(self.pieces)

    def __getitem__(self, name: str) -> str:
        return self.attributes[name]


class Markup(HTMLParser):
    """A parsed page. Raises AssertionError where an element is closed that is not the open one."""

    def __init__(self, html: str | bytes) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self.feed(html if isinstance(html, str) else html.decode())
        self.close()
        assert not self._open, f"never closed: {[element.tag for element in self._open]}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"an attribute stands twice in {tag}: {names}"
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            open_tags = [element.tag for element in self._open]
            assert open_tags[-1:] == [tag], f"</{tag}> inside {open_tags}"
            self._open.pop()

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.pieces.append(data)

    def all(self, tag: str = "", **attributes: str) -> list[Element]:
        """Return the elements of a tag that have these attributes; `_` in a name stands for `-`."""
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
        return [
            element
            for element in self.elements
            if (not tag or element.tag == tag)
            and all(element.attributes.get(name) == value for name, value in wanted.items())
        ]

    def one(self, tag: str = "", **attributes: str) -> Element:
        """Return the only such element."""
        found = self.all(tag, **attributes)
        assert len(found) == 1, f"{len(found)} of {tag} {attributes}"
        return found[0]

    def with_class(self, name: str) -> list[Element]:
        """Return the elements of a class."""
        return [element for element in self.elements if name in element.attributes.get("class", "").split()]

    @property
    def codes(self) -> set[str]:
        """The finding codes in the markup."""
        return {element["data-code"] for element in self.elements if element.attributes.get("data-code")}
