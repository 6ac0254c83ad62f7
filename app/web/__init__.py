"""The web shell: pages for people, JSON for programs. Nothing is computed here."""

from pathlib import Path


def data_dir() -> Path:
    """Return the folder that holds templates/, static/ and samples/.

    A wheel carries them inside the package; a checkout has them beside it.
    """
    package = Path(__file__).resolve().parent.parent
    packed = package / "_data"
    return packed if packed.is_dir() else package.parent
