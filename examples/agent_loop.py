"""A tiny agent with a memory: hippod, the standard library, and any OpenAI-compatible endpoint.

    OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_MODEL=qwen3 python examples/agent_loop.py

Type a line, get an answer; Ctrl-D ends. What was said is remembered for the next time.
"""

import json
import os
import sys
import urllib.request
import uuid
from typing import Any

import hippod

BASE_URL = os.environ.get("OPENAI_BASE_URL", "http://127.0.0.1:11434/v1")
MODEL = os.environ.get("OPENAI_MODEL", "qwen3")
KEY = os.environ.get("OPENAI_API_KEY", "none")
NEWEST = 20
"""Messages of the conversation that the model is shown."""

Message = dict[str, Any]


class NoAnswer(Exception):
    """The model did not answer, or with something that is no answer."""


def main() -> int:
    """Talk until the input ends; return an exit code."""
    memory = hippod.Client()
    session = f"loop-{uuid.uuid4().hex[:8]}"
    try:
        instructions = memory.system_prompt(session)
        try:
            talk(memory, session, instructions)
        finally:  # however it ends, what was said until then is remembered
            memory.retain(session=session, flush=True, ended=True)
    except hippod.HippodError as error:
        print(f"{error.message}\n{error.hint}", file=sys.stderr)
        return error.exit_code
    except NoAnswer as error:
        print(f"{BASE_URL}: no answer ({error})\nset OPENAI_BASE_URL", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def talk(memory: hippod.Client, session: str, instructions: str) -> None:
    """Answer each line, and hand over what was said as soon as it was."""
    said: list[Message] = []
    while line := ask():
        # What is remembered comes quoted: it is there to be known, not to be obeyed.
        found = memory.recall(line, limit=5, budget_tokens=800, format="agent")["text"]
        said.append({"role": "user", "content": line})
        system = {"role": "system", "content": f"{instructions}\n\n{found}"}
        said.append({"role": "assistant", "content": complete([system, *said[-NEWEST:]])})
        print(said[-1]["content"], flush=True)
        memory.retain(said[-2:], session=session)


def ask() -> str:
    """Return the next line that says something; nothing at the end of the input."""
    if sys.stdin.isatty():
        print("> ", end="", flush=True)
    for line in sys.stdin:
        if line.strip():
            return line.strip()
    return ""


def complete(messages: list[Message]) -> str:
    """Ask the model."""
    request = urllib.request.Request(
        f"{BASE_URL}/chat/completions",
        json.dumps({"model": MODEL, "messages": messages}).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"},
    )
    try:
        with urllib.request.urlopen(request, timeout=300) as response:
            answer = json.load(response)
        return str(answer["choices"][0]["message"]["content"])
    except (OSError, ValueError) as error:
        raise NoAnswer(error) from None
    except (KeyError, IndexError, TypeError):
        raise NoAnswer(json.dumps(answer)[:200]) from None


if __name__ == "__main__":
    sys.exit(main())
