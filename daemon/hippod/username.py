"""What the user is called: by the configuration, else by USER.md."""

import re
import threading

from hippod.documents import FileStat
from hippod.errors import HippodError
from hippod.workspace import Workspace

PATH = "USER.md"
_NAME = re.compile(
    r"^[ \t>*_-]*name[*_ \t]*:[*_ \t]*([^\s*_].*?)[*_\s]*$", re.IGNORECASE | re.MULTILINE
)


class UserName:
    """Tells the user's name, empty where there is none. Thread-safe; reads a file once."""

    def __init__(self, workspace: Workspace, configured: str) -> None:
        self._workspace = workspace
        self._configured = configured
        self._lock = threading.Lock()
        self._read: tuple[FileStat | None, str] = (None, "")

    def __call__(self) -> str:
        """Return the name as it is now; none while the file cannot be read."""
        if self._configured:
            return self._configured
        with self._lock:
            try:
                now = self._workspace.stat(PATH)
                if now is None:
                    return ""
                if now != self._read[0]:
                    self._read = (now, in_text(self._workspace.read(PATH).text))
            except HippodError:
                return ""
            return self._read[1]


def in_text(text: str) -> str:
    """Return the name that a text says behind `Name:`, empty if it says none."""
    match = _NAME.search(text)
    return match[1] if match else ""
