#!/bin/sh
# What was remembered yesterday, and what waits for a decision of yours, for a mail every morning:
#
#   30 7 * * *  /path/to/examples/cron_digest.sh
#
# Cron mails what a script prints, so it prints nothing when there is nothing to tell.
set -eu

# If no daemon answers, these say so and how to start it, and the script ends with their code.
log=$(hippod day yesterday --quiet)
proposals=$(hippod proposals --quiet)

facts=$(printf '%s\n' "$log" | grep -E '^- [WBOS]' || true)
if [ -n "$facts" ]; then
    printf 'Remembered yesterday:\n%s\n' "$facts"
fi
if [ -n "$proposals" ]; then
    printf '\nWaiting for you (hippod proposals accept ID, or reject ID):\n%s\n' "$proposals"
fi
