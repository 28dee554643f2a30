"""Reflection: what becomes of facts on pages. Pure: values in, values out, `today` passed in."""
