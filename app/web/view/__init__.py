"""What the page shows of a report: words, counts, rows, marks. No markup and no judging.

Templates stay free of decisions: which pill, which sentence and which rows is
said here once, for the whole page and for the fragment alike. One file per
panel, as in templates/panels/.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from app.reports import Edit, PanelsReport
from app.web.view.answer import AnswerPanel, answer_panel, awaiting
from app.web.view.args import ArgsPanel, args_panel
from app.web.view.calls import CallsPanel, calls_panel
from app.web.view.cases import CasesTab, cases_tab
from app.web.view.contract import ContractTab, contract_tab
from app.web.view.filters import EVERYTHING, Filter
from app.web.view.findings import Links
from app.web.view.marks import Mark, marks
from app.web.view.readout import readout
from app.web.view.samples import SamplesTab, samples_tab
from app.web.view.words import Part, panel_words, sentence


@dataclass(frozen=True, slots=True)
class Strip:
    """What a structured edit did. `look` is green, ochre, red or plain; `tab` is where it shows, or empty."""

    look: str
    strong: str
    text: tuple[Part, ...]
    tab: str


@dataclass(frozen=True, slots=True)
class View:
    """The whole page."""

    dialect: str
    titles: tuple[str, str, str]
    """The words of the wire for the three panels."""
    readout: tuple[Part, ...]
    calls: CallsPanel
    args: ArgsPanel
    answer: AnswerPanel
    contract: ContractTab
    cases: CasesTab
    samples: SamplesTab
    marks: dict[str, tuple[Mark, ...]]
    strip: Strip | None
    edited: dict[str, str]
    """New text of each field that a structured edit changed."""


def view(
    report: PanelsReport, cases: Filter = EVERYTHING, samples: Filter = EVERYTHING, *, mine: bool = False
) -> View:
    """Turn a report into what the page shows; the lists show the rows that their filters let through.

    `mine` says that an answer of the user's own is to stand where the draft would.
    """
    links = Links(report)
    awaited = mine and report.answer is None
    extract = report.extract
    words = panel_words(extract.dialect, empty=not extract.frames)
    return View(
        dialect=extract.dialect,
        titles=(words.call, words.args, words.response),
        readout=readout(replace(report, draft=None) if awaited else report),
        calls=calls_panel(report, links),
        args=args_panel(report, links),
        answer=awaiting(report) if awaited else answer_panel(report, links),
        contract=contract_tab(report, links),
        cases=cases_tab(report, links, cases),
        samples=samples_tab(report, links, samples),
        marks=marks(report),
        strip=_strip(report.edit) if report.edit else None,
        edited=dict(report.edit.after) if report.edit else {},
    )


_PROOF: Final = {
    "yes": ("green", "Proven narrower."),
    "no": ("red", "Wider."),
    "not-proven": ("ochre", "Not proven narrower."),
}


def _strip(edit: Edit) -> Strip | None:
    refused = " ".join(finding.message for finding in edit.findings)
    text = sentence(" ".join(filter(None, (edit.message, refused))))
    # A quote that quotes nothing, from a name in the paste, would look like a mistake of ours.
    text = tuple(replace(part, text=part.text.replace("`", "'")) if not part.kind else part for part in text)
    if edit.proof is not None and edit.proof.changes:
        narrower = edit.proof.narrower
        too_narrow = narrower == "yes" and any(finding.is_error for finding in edit.findings)
        look, strong = ("red", "Too narrow.") if too_narrow else _PROOF[narrower]
        return Strip(look, strong, text, "contract")
    tab = "contract" if edit.proof is not None else ""
    refused_itself = any(finding.is_error for finding in edit.findings)
    return Strip("red" if refused_itself else "plain", "", text, tab) if text else None
