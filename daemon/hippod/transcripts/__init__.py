"""Read what agents wrote: transcripts become turns, whatever their format."""

from hippod.transcripts.changes import has_changed, subject
from hippod.transcripts.places import discover, matches, owns, watch_root
from hippod.transcripts.reader import read
from hippod.transcripts.turns import Cursor, Reading, Role, SessionKind, Turn

__all__ = [
    "Cursor",
    "Reading",
    "Role",
    "SessionKind",
    "Turn",
    "discover",
    "has_changed",
    "matches",
    "owns",
    "read",
    "subject",
    "watch_root",
]
