"""Which browser the tests drive."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

HOW_TO_GET_ONE = (
    "No browser for the page's tests. Run `python -m playwright install chromium`, "
    "or install chromium with the system's packages, or set WORKBENCH_BROWSER to the path of one."
)


def find_browser() -> str | None:
    """Return the path of a browser: WORKBENCH_BROWSER, Playwright's own, or one on PATH."""
    chosen = os.environ.get("WORKBENCH_BROWSER")
    if chosen:
        return shutil.which(chosen)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    if Path(own).is_file():
        return own
    found = map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "msedge", "microsoft-edge"))
    return next(filter(None, found), None)
