"""All checks by group, in the order in which they are told."""

from hippod.doctor import (
    configuration,
    databases,
    files,
    models,
    notes,
    process,
    sources,
    times,
    watching,
)
from hippod.doctor.running import Check

_MODEL_SECONDS = 30.0
"""A model may have to be read from the disk first, or be on the other side of a network."""
_FILE_SECONDS = 20.0
"""For what goes through all files of a large workspace."""

CHECKS = (
    Check("daemon", "daemon", process.daemon),
    Check("socket", "daemon", process.socket),
    Check("lock", "daemon", process.held),
    Check("children", "daemon", process.children),
    Check("workers", "daemon", process.workers, needs_daemon=True),
    Check("versions", "daemon", process.versions),
    Check("service", "daemon", process.service),
    Check("log", "daemon", process.log_file),
    Check("listener", "daemon", process.listener),
    Check("config", "configuration", configuration.valid),
    Check("secrets", "configuration", configuration.secrets),
    Check("endpoints", "configuration", configuration.endpoints),
    Check("workspace", "files", files.workspace),
    Check("filesystem", "files", files.filesystem),
    Check("space", "files", files.space),
    Check("modes", "files", files.private),
    Check("owners", "files", files.owners, _FILE_SECONDS),
    Check("leftovers", "files", files.leftovers, _FILE_SECONDS),
    Check("backup", "files", files.backed_up, needs_daemon=True),
    Check("aside", "files", files.set_aside),
    Check("copies", "notes", notes.conflict_copies, _FILE_SECONDS),
    Check("pages", "notes", notes.pages, _FILE_SECONDS),
    Check("links", "notes", notes.links, _FILE_SECONDS),
    Check("names", "notes", notes.double_names, _FILE_SECONDS),
    Check("sources", "notes", sources.found, _FILE_SECONDS),
    Check("watcher", "index", watching.watcher, 10.0, needs_daemon=True),
    Check("inotify", "index", watching.inotify, _FILE_SECONDS),
    Check("index", "index", databases.index, _MODEL_SECONDS),
    Check("agreement", "index", databases.agrees, _FILE_SECONDS, needs_daemon=True),
    Check("canary", "index", databases.canary, 10.0, needs_daemon=True),
    Check("state", "index", databases.state, _FILE_SECONDS),
    Check("sqlite", "index", databases.one_library, needs_daemon=True),
    Check("descriptors", "index", databases.descriptors, needs_daemon=True),
    Check("generator", "models", models.generator, _MODEL_SECONDS),
    Check("encoder", "models", models.encoder, _MODEL_SECONDS),
    Check("embedder", "models", models.embedder, _MODEL_SECONDS),
    Check("clock", "time", times.clock),
    Check("schedule", "time", times.schedule, needs_daemon=True),
)
