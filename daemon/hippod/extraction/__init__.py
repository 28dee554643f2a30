"""From turns to facts: which sentences are kept, in which words, and what they must not be.

`selection.extract` is the pipeline; everything here is pure but for the generator it is given.
"""
