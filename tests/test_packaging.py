"""The wheel holds all it needs, and works without the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import httpx
import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the checkout, built offline."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True, timeout=120)
    (wheel,) = folder.glob("*.whl")
    return wheel


def test_the_wheel_holds_every_file_of_the_program_and_no_other(wheel: Path) -> None:
    """It is built from the source distribution, which a line of .gitignore could have thinned."""
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    parts = ("app", "templates", "static", "samples")
    files = (path for part in parts for path in (ROOT / part).rglob("*") if path.is_file())
    here = {path.relative_to(ROOT).as_posix() for path in files if path.parent.name != "__pycache__"}
    expected = {name if name.startswith("app/") else f"app/_data/{name}" for name in here}
    assert packed == expected


def test_the_wheel_carries_licences_and_the_command(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        about = {Path(name).name: name for name in archive.namelist() if ".dist-info/" in name}
        assert "LICENSE" in about
        points = archive.read(about["entry_points.txt"]).decode()
    assert "toolcall-workbench = app.__main__:main" in points


def test_the_installed_wheel_serves_page_and_static_files_from_any_folder(
    wheel: Path, tmp_path: Path
) -> None:
    site = str(tmp_path / "site")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
    install = [*pip, "--target", site, str(wheel)]
    subprocess.run(install, check=True, timeout=120)
    start = "import sys; from app.__main__ import main; sys.exit(main())"
    with subprocess.Popen(
        [sys.executable, "-P", "-c", start, "--port", "0", "--no-browser"],
        cwd="/",
        env={**os.environ, "PYTHONPATH": site},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().split()[2].rstrip("/")
            page = httpx.get(url, trust_env=False)
            assert page.status_code == 200
            assert 'data-panel="toolCall"' in page.text
            assert httpx.get(f"{url}/static/app.css", trust_env=False).status_code == 200
            assert "light" in httpx.get(f"{url}/api/samples", trust_env=False).text
        finally:
            process.terminate()
