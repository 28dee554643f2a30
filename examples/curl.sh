#!/bin/sh
# The HTTP API from a shell: note something, ask for it, and read what an agent is told first.
#
#   examples/curl.sh "The spare key is with Ina" "who has the spare key?"
set -eu

note=${1:-The spare key is with Ina}
question=${2:-who has the spare key?}

# Where the daemon listens; if none does, this says how to start it.
status=$(hippod status --json)
socket=$(printf '%s' "$status" | python3 -c 'import json, sys; print(json.load(sys.stdin)["socket"])')

# Fields become JSON by a program that knows how to quote.
fields() {
    python3 -c 'import json, sys; print(json.dumps(dict(zip(sys.argv[1::2], sys.argv[2::2]))))' "$@"
}

api() {
    path=$1
    shift
    curl --silent --show-error --fail-with-body --unix-socket "$socket" "http://hippod$path" "$@"
    echo
}

api /v1/daily --json "$(fields text "$note")"
api /v1/recall --json "$(fields query "$question")"
api "/v1/context?budget_tokens=500"
