"""Everything that must hold, one after another: `python -m tests` in the environment with [dev].

It stops at the first step that fails. A skipped test is a failure: it proves nothing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.browsers import HOW_TO_GET_ONE, find_browser

ROOT = Path(__file__).parent.parent


def main() -> int:
    """Run all steps and return an exit code."""
    os.chdir(ROOT)
    if not ensure_browser():
        print(HOW_TO_GET_ONE, file=sys.stderr)
        return 1
    python = sys.executable
    steps = [
        [str(Path(python).with_name("lint-imports")), "--no-cache"],
        [python, "-m", "ruff", "check"],
        [python, "-m", "mypy"],
        [python, "-m", "pytest"],
    ]
    return 0 if all(run(step) for step in steps) else 1


def ensure_browser() -> bool:
    """Find a browser, or install one: Playwright's own, else the distribution's chromium."""
    if find_browser():
        return True
    run([sys.executable, "-m", "playwright", "install", "chromium"])
    if find_browser():
        return True
    if shutil.which("apt-get"):
        root = [] if os.geteuid() == 0 else ["sudo", "-n"]
        run([*root, "apt-get", "update"]) and run([*root, "apt-get", "install", "-y", "chromium"])
    return find_browser() is not None


def run(command: Sequence[str]) -> bool:
    """Show a command, run it, and tell whether it ended well."""
    print("\n$ " + " ".join(command), flush=True)
    try:
        return subprocess.run(command, check=False).returncode == 0
    except FileNotFoundError:
        return False


if __name__ == "__main__":
    sys.exit(main())
