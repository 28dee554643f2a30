"""Measurements of hippod on this machine: `python -m bench`, or `make bench`."""

import os

# Before numpy is imported: for one query, waking a second thread of the linear algebra library
# costs more than it saves, and the bare legs are to be as fast as they can be.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
