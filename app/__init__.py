"""Toolcall Workbench."""
