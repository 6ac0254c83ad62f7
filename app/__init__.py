"""Toolcall Workbench: paste tool-call frames, see them judged, get a contract and an answer.

The pipeline, from what was pasted to what is shown:

    text -> paste (read, with notes) -> dialects (frames -> events) -> session
         -> contract and engine (verdicts) -> ledger and rules (findings)
         -> respond, infer, tighten -> reports

All of that is pure: text in, frozen values out. `workbench` is its only door,
one function per verb. Around it, `workers` runs those functions in processes
that can be killed, `guard` decides who may ask, `web` renders reports as HTML
and JSON, and `__main__` is the command line. Imports run one way only; the
contracts in pyproject.toml hold that.
"""

__version__ = "0.1.0"
