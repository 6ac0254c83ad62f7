"""How fast it is, beside the tools it is built on: `python -m tests.bench`.

Figures of one machine say little, so most rows are ratios: ours and the peer
take turns in one run, and what slows the machine slows both. Not part of the
tests; those only see that this runs.
"""
