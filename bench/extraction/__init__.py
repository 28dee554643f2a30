"""Extraction on labelled transcripts: how much is found, how much of it is right, what it costs."""
