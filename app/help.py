"""The help page of each code: what it says, why it matters, a bad and a good example, the source.

All of it is drawn from docstrings: a rule's own, and for codes that no rule
finds those of `app/help_texts.py`. Both have one form: the first line says what
is wrong, paragraphs say why and what to do, then come the blocks `Bad:` and
`Good:`. Several texts for one code become one page, the first of them leading.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from inspect import cleandoc
from textwrap import dedent

from app.help_texts import TEXTS
from app.model import Severity
from app.rules import all_rules


@dataclass(frozen=True, slots=True)
class CodeHelp:
    """What there is to say of one code. `severities` are all it may have, the gravest first.

    `title` is one sentence and `text` the paragraphs below it. `bad` is a text
    that gets the code and `good` one beside it that does not: a frame, a call
    and its answer as JSON Lines, a contract, or an HTTP request. Both are None
    where no readable text would show it.
    """

    code: str
    severities: tuple[str, ...]
    title: str
    text: tuple[str, ...]
    bad: str | None
    good: str | None
    source: str | None


def codes() -> tuple[CodeHelp, ...]:
    """Return the help of every code, in order of the codes."""
    return tuple(_pages().values())


def help_of(code: str) -> CodeHelp | None:
    """Return the help of one code, or None where no finding has it."""
    return _pages().get(code)


def parse(code: str, doc: str, severities: Iterable[Severity] = (), source: str | None = None) -> CodeHelp:
    """Read one docstring."""
    blocks: dict[str, list[str]] = {"": []}
    label = ""
    for line in cleandoc(doc).splitlines():
        if line in ("Bad:", "Good:"):
            label = line
            blocks[label] = []
        else:
            blocks[label].append(line)
    head = "\n".join(blocks[""]).strip()
    title, *text = (" ".join(paragraph.split()) for paragraph in head.split("\n\n"))
    bad, good = (_example(blocks.get(label)) for label in ("Bad:", "Good:"))
    return CodeHelp(code, _ordered(severities), title, tuple(text), bad, good, source)


def _example(lines: list[str] | None) -> str | None:
    return dedent("\n".join(lines)).strip("\n") if lines is not None else None


def _ordered(severities: Iterable[str]) -> tuple[str, ...]:
    given = set(severities)
    return tuple(severity.value for severity in Severity if severity in given)


@cache
def _pages() -> dict[str, CodeHelp]:
    found = [parse(each.code, each.doc, each.severities, each.source) for each in TEXTS]
    found += [parse(rule.code, rule.help, (rule.severity, *rule.also), rule.source) for rule in all_rules()]
    pages: dict[str, CodeHelp] = {}
    for page in sorted(found, key=lambda page: page.code):
        first = pages.get(page.code)
        pages[page.code] = page if first is None else _joined(first, page)
    return pages


def _joined(first: CodeHelp, more: CodeHelp) -> CodeHelp:
    return CodeHelp(
        code=first.code,
        severities=_ordered((*first.severities, *more.severities)),
        title=first.title,
        text=(*first.text, more.title, *more.text),
        bad=first.bad or more.bad,
        good=first.good or more.good,
        source=first.source or more.source,
    )
