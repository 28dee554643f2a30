"""Measurements of hippod on this machine: `python -m bench`, or `make bench`."""
