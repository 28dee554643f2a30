"""A two-minute demonstration: a real daemon, a throw-away workspace, a sample transcript.

Run it with `make demo`. It copies the transcript into the workspace as an agent would write it,
waits until the daemon has extracted facts, asks three questions, and stops the daemon.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from hippod.client import Client
from hippod.errors import DaemonDown

CONFIG = """
[workspace]
user = "Mara"
timezone = "Europe/Copenhagen"
[retain]
quiet = "1s"            # a real conversation gets five minutes
backfill_days = 36500   # the sample is from the past
[log]
format = "console"
"""
HERE = Path(__file__).parent
QUESTIONS = {
    "where is the spare key of the boat house?": "Henrik",
    "what protocol do the tide sensors use?": "HTTP",
    "who is visiting in March?": "Linnea",
}
"""What is asked, and a word of the right answer."""
PATIENCE_SECONDS = 90


def main() -> int:
    """Run the demonstration; return 0 if facts came out and were found again."""
    with tempfile.TemporaryDirectory(prefix="hippod-demo-") as folder:
        workspace = Path(folder) / "workspace"
        socket = Path(folder) / "hippod.sock"
        config = Path(folder) / "config.toml"
        config.write_text(CONFIG)
        environ = os.environ | {
            "HIPPOD_CONFIG": str(config),
            "HIPPOD_WORKSPACE": str(workspace),
            "HIPPOD_SOCKET": str(socket),
        }
        say("Starting hippod on a throw-away workspace ...")
        daemon = subprocess.Popen([sys.executable, "-m", "hippod", "run"], env=environ)
        try:
            return show(Client(socket_path=str(socket)), workspace, daemon)
        finally:
            daemon.send_signal(signal.SIGTERM)
            code = daemon.wait(10)
            say(f"hippod stopped with exit code {code}.")


def show(client: Client, workspace: Path, daemon: subprocess.Popen[bytes]) -> int:
    """Feed the transcript to the running daemon and show what it made of it."""
    wait_until(lambda: is_up(client), daemon, "the daemon to answer")
    say("An agent writes a session transcript (examples/demo/session.jsonl) ...")
    transcript = workspace / "sessions" / "demo.jsonl"
    transcript.parent.mkdir(exist_ok=True)
    transcript.write_bytes((HERE / "demo" / "session.jsonl").read_bytes())
    log = workspace / "memory" / "2026-03-02.md"
    wait_until(lambda: log.exists() and is_done(client, log), daemon, "facts in the daily log")
    say(f"{log.relative_to(workspace)}, written by hippod:")
    print(log.read_text())
    right = 0
    for question, word in QUESTIONS.items():
        say(f'hippod recall --k 1 "{question}"')
        for hit in client.recall(question, limit=1)["hits"]:
            print(f"  {hit['source']}\n    {hit['content']}")
            right += word in hit["content"]
    return 0 if right == len(QUESTIONS) else 1


def is_done(client: Client, log: Path) -> bool:
    """Say whether every turn was extracted, and every fact of the log can be found."""
    if client.status()["retain"]["turns_waiting"]:
        return False
    found = client.recall("anything", path=f"memory/{log.name}", mode="vector", limit=100)
    return len(found["hits"]) == log.read_text().count("\n- ")


def is_up(client: Client) -> bool:
    """Say whether the daemon answers."""
    try:
        return bool(client.health()["ok"])
    except DaemonDown:
        return False


def wait_until(condition, daemon: subprocess.Popen[bytes], what: str) -> None:
    """Look every tenth of a second until `condition()` holds; give up with a clear message."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if daemon.poll() is not None:
            sys.exit(f"demo: the daemon ended with exit code {daemon.returncode}")
        if time.monotonic() > deadline:
            sys.exit(f"demo: gave up waiting for {what} after {PATIENCE_SECONDS} s")
        time.sleep(0.1)


def say(text: str) -> None:
    """Print a heading."""
    print(f"\n\033[1m▸ {text}\033[0m" if sys.stdout.isatty() else f"\n> {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
