"""What import-linter's contracts cannot say about themselves."""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
SHELLS = {"__init__", "__main__", "check", "files", "guard", "web", "workers"}


def test_every_module_but_the_shells_is_held_to_the_rules_of_the_core() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    (core,) = (contract["source_modules"] for contract in contracts if contract["type"] == "forbidden")
    here = {
        path.stem
        for path in (ROOT / "app").iterdir()
        if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    assert {name.removeprefix("app.") for name in core} == here - SHELLS


def test_the_readme_commands_are_those_that_ci_runs() -> None:
    commands = [
        line for line in (ROOT / "README.md").read_text().splitlines() if line.startswith("python3 -m venv")
    ]
    assert len(commands) == 2
    assert commands[1] in (ROOT / ".ci/run").read_text().splitlines()


def test_no_file_names_a_place_outside_of_the_project() -> None:
    """A page that loads from elsewhere tells elsewhere that it was opened."""
    static = [path for path in (ROOT / "static").rglob("*.*") if "vendor" not in path.parts]
    templates = [*(ROOT / "templates").rglob("*.html")]
    assert static
    assert templates
    for path in static + templates:
        text = path.read_text(encoding="utf-8")
        for attribute in ("src=", "href=", "action=", "url(", "@import ", "from "):
            for quote in ("", '"', "'"):
                for place in ("http:", "https:", "//"):
                    assert attribute + quote + place not in text, path
