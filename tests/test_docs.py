"""What the README says is so."""

from __future__ import annotations

import json
import re
from pathlib import Path

import httpx

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w*)\n(.*?)```", README, re.DOTALL)


def test_the_worked_example_answers_what_it_says(client: httpx.Client) -> None:
    request = next(text for _, text in BLOCKS if text.startswith("curl") and "/api/respond" in text)
    expected = next(text for language, text in BLOCKS if language == "json")

    body = request[request.index("'") + 1 : request.rindex("'")]
    answer = client.post("/api/respond", content=body).json()
    assert answer["status"] == "green"
    assert answer["text"] == expected.rstrip("\n")
    assert json.loads(expected)


def test_the_tree_names_every_module_once() -> None:
    tree = next(text for _, text in BLOCKS if text.startswith("app/"))
    named = re.findall(r"^ *(\w+\.py)\b", tree, re.MULTILINE)
    app = [path for path in (ROOT / "app").glob("*.py") if path.name != "__init__.py"]
    web = [path for path in (ROOT / "app" / "web").glob("*.py") if path.name != "__init__.py"]

    assert sorted(named) == sorted(path.name for path in [*app, *web])
    assert "dialects/" in tree  # one more file there is all that a dialect takes
    assert "rules/" in tree


def test_the_rule_that_the_readme_shows_is_in_the_code() -> None:
    shown = next(text for language, text in BLOCKS if language == "python")
    rules = (ROOT / "app" / "rules" / "frames.py").read_text(encoding="utf-8")

    assert "".join(shown.split()) in "".join(rules.split())


def test_links_to_files_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        if not target.startswith("http"):
            assert (ROOT / target).exists(), target
