"""Where secrets stand in a text: keys of known shapes, settings, what people call a password.

Each module has one `find(text)` that yields spans in any order; the time is linear.
"""
