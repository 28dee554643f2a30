#!/bin/sh
# Give any program that reads a prompt from stdin a memory.
#
#   examples/shell_hook.sh "Where does Ina keep the spare key?" llm -m my-model
#
# It prints what the program answers, and ends with its code. Before, the program is given what hippod tells an agent and
# what it finds for the prompt; when it ends, prompt and answer are handed over to be remembered.
# Without a command it prints what would be given, and hands over nothing.
set -eu

if [ $# -eq 0 ]; then
    echo "usage: $0 PROMPT [COMMAND ...]" >&2
    exit 2
fi
prompt=$1
shift
session="shell-$(date +%Y%m%d%H%M%S)-$$"

# Both say themselves, on stderr, that the daemon is down and how to start it: go on without.
remembered() {
    hippod context --budget 1500 --session "$session" || return 0
    echo
    hippod recall --for-agent --budget 800 --limit 5 -- "$prompt" || true
}

if [ $# -eq 0 ]; then
    remembered
    exit 0
fi

answer=$(mktemp)
at_exit() {
    if [ -s "$answer" ]; then
        python3 - "$prompt" "$answer" <<'PYTHON' | hippod retain --quiet --session "$session" --ended - || true
import json, sys
prompt, answer = sys.argv[1], open(sys.argv[2], errors="replace").read()
for role, content in (("user", prompt), ("assistant", answer)):
    print(json.dumps({"role": role, "content": content}))
PYTHON
    fi
    rm -f "$answer" "$answer.code"
}
trap at_exit EXIT
trap 'exit 130' INT TERM

# The code of a pipe is that of its last command, which is not the program's.
{
    { remembered; printf '\n%s\n' "$prompt"; } | "$@" || echo $? >"$answer.code"
} | tee "$answer"
if [ -s "$answer.code" ]; then
    exit "$(cat "$answer.code")"
fi
