"""Fetching a GGUF from the model hub: resumed where it broke off, checked, and whole or not there.

The hub's own client brings authorisation, redirects, `HF_ENDPOINT`, proxies and back-off. Its
download throws away what it has when its process ends, so the partial file is kept here.
"""

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import BinaryIO

# Read by the library when it is imported. Its telemetry would tell the hub which program runs
# it; its own transfer protocol (Xet) can neither be resumed by a later process nor be mirrored.
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
os.environ["HF_HUB_DISABLE_XET"] = "1"
os.environ["HF_HUB_DISABLE_UPDATE_CHECK"] = "1"
os.environ["HF_HUB_VERBOSITY"] = "error"  # its warnings show signed addresses

import httpx2
from huggingface_hub import HfApi, constants, get_hf_file_metadata, hf_hub_url
from huggingface_hub.errors import (
    GatedRepoError,
    HfHubHTTPError,
    HFValidationError,
    OfflineModeIsEnabled,
    RemoteEntryNotFoundError,
    RevisionNotFoundError,
)
from huggingface_hub.utils import (  # type: ignore[attr-defined]
    build_hf_headers,
    hf_raise_for_status,
    http_stream_backoff,
)

from hippod import __version__, private
from hippod.errors import (
    Busy,
    Forbidden,
    HippodError,
    InvalidInput,
    ModelError,
    ModelUnavailable,
    NotFound,
    StorageError,
)
from hippod.models.pulled import MAGIC, SUFFIX, Reference, parse, place

Progress = Callable[[int, int], None]
"""Told the bytes that are there and the bytes of the whole file."""

_SPARE_BYTES = 100_000_000
"""Left free on the disk: one that is full to the last byte harms everybody."""
_SHA256 = re.compile(r"[0-9a-f]{64}")
_SPLIT = re.compile(r"-\d{5}-of-\d{5}\.gguf$")
_PREFERRED = re.compile(r"[-._]q4_k_m\.gguf$", re.IGNORECASE)
_SHOWN = 12
_CHUNK = 1 << 20
_FRUITLESS = 5
"""Connections in a row that may break without having brought a byte."""
_NAME = "hippod"
_GO_ON = "what came so far is kept: the same command goes on"


@dataclass(frozen=True, slots=True)
class Pulled:
    """A whole, checked file; `fresh` is False where it was there before."""

    reference: Reference
    path: Path
    size: int
    sha256: str
    fresh: bool


@dataclass(frozen=True, slots=True)
class _Remote:
    """A file as the hub describes it; `url` names its revision, so it never changes."""

    url: str
    size: int
    sha256: str


def pull(reference: Reference, folder: Path, progress: Progress) -> Pulled:
    """Bring a model of the hub below `folder` and return where it lies.

    What an earlier call left of the same bytes is continued. Raises `NotFound`, `Forbidden`
    (a token is needed), `ModelUnavailable` (no connection, or the hub fails), `StorageError`,
    `Busy` while another pull runs, and `ModelError` for bytes that are not what they should be.
    """
    with _translated(reference):
        complete = reference if reference.file else _with_file(reference)
        remote = _look_up(complete)
    path = place(folder, complete)
    with _storage(path), _alone(folder):
        if _holds(path, remote):
            return Pulled(complete, path, remote.size, remote.sha256, fresh=False)
        private.make_folder(path.parent)
        part = _partial(path, remote)
        _check_space(part, remote)
        with _translated(complete):
            _download(remote, part, progress)
        _check(part, remote, complete)
        _publish(part, path)
    return Pulled(complete, path, remote.size, remote.sha256, fresh=True)


# -- asking the hub ---------------------------------------------------------------------------


def _with_file(reference: Reference) -> Reference:
    """Choose the file of a repository: its only GGUF, or else its only Q4_K_M."""
    hub = HfApi(library_name=_NAME, library_version=__version__)
    names = [file.rfilename for file in hub.model_info(reference.repo).siblings or ()]
    files = [name for name in names if name.endswith(SUFFIX) and _is_whole_model(name)]
    preferred = [name for name in files if _PREFERRED.search(name)]
    if not files:
        raise NotFound(f"{reference.repo} holds no GGUF file", "such repositories end in -GGUF")
    if len(files) > 1 and len(preferred) != 1:
        more = ", …" if len(files) > _SHOWN else ""
        raise InvalidInput(
            f"{reference.repo} holds several GGUF files: {', '.join(files[:_SHOWN])}{more}",
            f"name one: {reference.repo}:FILE",
        )
    file = files[0] if len(files) == 1 else preferred[0]
    return parse(f"{reference.repo}:{file}")  # it becomes a path here: as strict as a person's


def _is_whole_model(name: str) -> bool:
    return not _SPLIT.search(name) and not Path(name).name.startswith("mmproj")


def _look_up(reference: Reference) -> _Remote:
    if _SPLIT.search(reference.file):
        raise InvalidInput(f"{reference}: one of several parts; hippod loads single files")
    at = hf_hub_url(reference.repo, reference.file, revision=reference.revision)
    found = get_hf_file_metadata(at, library_name=_NAME, library_version=__version__)
    if not found.size or not _SHA256.fullmatch(found.etag or ""):
        raise ModelError(f"{reference}: the hub names no size and sha256, so it cannot be checked")
    if reference.sha256 not in ("", found.etag):
        raise ModelError(
            f"{reference}: the hub has other bytes than this version of hippod knows",
            f"if you trust them: hippod models pull {reference}",
        )
    revision = found.commit_hash or reference.revision
    url = hf_hub_url(reference.repo, reference.file, revision=revision)
    return _Remote(url, found.size, found.etag or "")


# -- bringing the bytes -----------------------------------------------------------------------


def _partial(path: Path, remote: _Remote) -> Path:
    """Return where these bytes are collected, after removing what is left of other ones."""
    part = path.with_name(f"{path.name}.{remote.sha256[:12]}.part")
    for other in path.parent.glob(f"{path.name}.*.part"):
        if other != part:
            other.unlink()
    if part.exists() and part.stat().st_size > remote.size:
        part.unlink()
    return part


def _check_space(part: Path, remote: _Remote) -> None:
    needed = remote.size - _size(part) + _SPARE_BYTES
    free = shutil.disk_usage(part.parent).free
    if free < needed:
        raise StorageError(
            f"{part.parent}: {free / 1e9:.1f} GB free, {needed / 1e9:.1f} GB needed",
            "make room, or set HIPPOD_MODELS to a folder on another disk",
        )


def _download(remote: _Remote, part: Path, progress: Progress) -> None:
    """Append what is missing; a connection that breaks is dialled again, while that helps."""
    fruitless = 0
    while (start := _size(part)) < remote.size:
        progress(start, remote.size)
        try:
            with part.open("ab") as file:
                _append_rest(remote, file, start, progress)
        except httpx2.TransportError:
            fruitless = 0 if _size(part) > start else fruitless + 1
            if fruitless > _FRUITLESS:
                raise
            time.sleep(fruitless)


def _append_rest(remote: _Remote, file: BinaryIO, start: int, progress: Progress) -> None:
    headers = build_hf_headers(library_name=_NAME, library_version=__version__)
    headers["Accept-Encoding"] = "identity"
    if start:
        headers["Range"] = f"bytes={start}-"
    # No retry of exceptions: the client would send the request again inside this `with`.
    with http_stream_backoff(
        "GET",
        remote.url,
        headers=headers,
        timeout=constants.HF_HUB_DOWNLOAD_TIMEOUT,
        retry_on_exceptions=(),
    ) as response:
        hf_raise_for_status(response)
        done = start
        if response.status_code != HTTPStatus.PARTIAL_CONTENT:
            file.truncate(0)
            done = 0
        for chunk in response.iter_bytes(_CHUNK):
            file.write(chunk)
            done += len(chunk)
            progress(min(done, remote.size), remote.size)
    if done < remote.size:
        raise httpx2.RemoteProtocolError("the reply ended early")


# -- checking and publishing ------------------------------------------------------------------


def _holds(path: Path, remote: _Remote) -> bool:
    return path.is_file() and _size(path) == remote.size and _digest(path) == remote.sha256


def _check(part: Path, remote: _Remote, reference: Reference) -> None:
    """Refuse and remove what is not the announced file, or no GGUF."""
    if _digest(part) != remote.sha256:
        part.unlink()
        raise ModelError(
            f"{reference}: the bytes that came do not have the announced sha256; removed",
            "pull it again; if that repeats, look at the network in between",
        )
    with part.open("rb") as file:
        magic = file.read(len(MAGIC))
    if magic != MAGIC:
        part.unlink()
        raise ModelError(f"{reference}: not a GGUF file, whatever its name; removed")


def _publish(part: Path, path: Path) -> None:
    """Let the file appear under its name, whole even after a power cut."""
    part.chmod(0o600)
    _flush(part)
    part.replace(path)
    _flush(path.parent)


def _flush(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


# -- the folder -------------------------------------------------------------------------------


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Make the folder (0700) and hold its lock, which the kernel drops however we end."""
    private.make_folder(folder)
    fd = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Busy(f"{folder}: another pull is running", "wait until it is done") from None
        yield
    finally:
        os.close(fd)


@contextlib.contextmanager
def _storage(path: Path) -> Iterator[None]:
    """Say by a `StorageError` what the disk refused."""
    try:
        yield
    except OSError as error:
        where = error.filename or path.parent
        raise StorageError(
            f"{where}: {error.strerror or error}", "what came so far is kept; make room, try again"
        ) from None


@contextlib.contextmanager
def _translated(reference: Reference) -> Iterator[None]:
    """Say what the hub's client raises in our words: its own show signed addresses."""
    try:
        yield
    except HFValidationError:
        raise InvalidInput(f"{reference.repo}: not the name of a repository") from None
    except OfflineModeIsEnabled:
        raise ModelUnavailable(
            "HF_HUB_OFFLINE is set: nothing can be pulled", "unset it, or use what is pulled"
        ) from None
    except HfHubHTTPError as error:
        raise _refusal(reference, error) from None
    except httpx2.InvalidURL:
        raise InvalidInput("HF_ENDPOINT: not an address") from None
    except httpx2.HTTPError as error:
        raise ModelUnavailable(f"no answer from {_host()}: {_short(error)}", _GO_ON) from None


def _refusal(reference: Reference, error: HfHubHTTPError) -> HippodError:
    status = error.response.status_code
    code = error.response.headers.get("X-Error-Code")
    if isinstance(error, GatedRepoError):
        page = f"{constants.ENDPOINT}/{reference.repo}"
        return Forbidden(
            f"{reference.repo} is gated: its licence must be accepted first",
            f"accept it at {page}, then set HF_TOKEN to a token of that account",
        )
    if isinstance(error, RemoteEntryNotFoundError | RevisionNotFoundError):
        return NotFound(
            f"{reference.repo} has no file {reference.file!r} at revision {reference.revision!r}",
            f"to see what it has: hippod models pull {reference.repo}",
        )
    if code == "RepoNotFound" or status == 404:
        return NotFound(
            f"{_host()} has no {reference} that you may see",
            "check its name; for a private one set HF_TOKEN",
        )
    if status in (401, 403):
        return Forbidden(f"{_host()} refused {reference.repo} ({status})", "check HF_TOKEN")
    return ModelUnavailable(f"{_host()} answered {status}", "try again later")


def _short(error: httpx2.HTTPError) -> str:
    words = str(error).splitlines()
    return words[0][:200] if words and "://" not in words[0] else type(error).__name__


def _host() -> str:
    return httpx2.URL(constants.ENDPOINT).host or constants.ENDPOINT
