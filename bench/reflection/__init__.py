"""Reflection on labelled pairs, and on a year of facts whose truth is known."""
