"""The doctor: tests each claim of a workspace and its daemon, says what to do, mends what is safe.

One module for each group of checks; the list of them is data (`checks`).
"""
