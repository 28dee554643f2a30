"""A small bank as people and hippod would leave it, with the daily logs that it links to."""

import hashlib


def region(name: str, body: str) -> str:
    """Put a region's markers around lines, with their right hash."""
    digest = hashlib.sha256(body.encode()).hexdigest()
    return f"<!-- hippod:{name} sha256:{digest} -->\n{body}<!-- /hippod:{name} -->\n"


SUMMARY = """\
Peter Falk is a cabinetmaker who lives in Berlin since January 2026. [[2026-01-05#^k3f9ab27qt]]
He restores violins in winter. [[2025-11-27#^9qx4mt83ze]]
"""

PETER = f"""\
---
entity: Peter
aliases: [Pete, "Peter Falk"]
not:
  - Peter Pan
updated: 2026-03-03
---
# Peter

{region("summary", SUMMARY)}
Owes me a plane from his workshop; ask @Dana about it.
"""

WORLD = "# World\n\n" + region(
    "facts",
    """\
## 2026-01
- 2026-01-05 @Peter: Lives in Berlin since 2026-01. [[2026-01-05#^k3f9ab27qt]]

## 2025-03
- ~~2025-03-02 @Peter: Lives in Vienna since 2023.~~ [[2025-03-02#^p07d2c5hn1]] superseded by \
[[2026-01-05#^k3f9ab27qt]]
""",
)

OPINIONS = """\
# Opinions

## Peter prefers hand tools to machines
- id: 7k2m9qx4mt
- prior: 0.80
- c: 0.83
- entities: @Peter
- updated: 2026-03-03
- supports: [[2025-11-27#^9qx4mt83ze]] +0.20
- contradicts: [[2026-02-11]] "Bought a band saw and loves it" -0.40
- pending: [[2026-03-02#^4nm0pq7rst]] -0.40

Asked him in person, he laughed.

## On planes
He has too many of them.
"""

BANK = {
    "bank/entities/Peter.md": PETER,
    "bank/world.md": WORLD,
    "bank/opinions.md": OPINIONS,
    "memory/2025-03-02.md": (
        "# Daily Log - 2025-03-02\n\n## Retain\n"
        "- W @Peter: Lives in Vienna since 2023. ^p07d2c5hn1\n"
    ),
    "memory/2025-11-27.md": (
        "# Daily Log - 2025-11-27\n\n## Retain\n"
        "- B @Peter: Restores violins with hand tools only. ^9qx4mt83ze\n"
    ),
    "memory/2026-01-05.md": (
        "# Daily Log - 2026-01-05\n\n## Retain\n"
        "- W @Peter: Lives in Berlin since 2026-01. ^k3f9ab27qt\n"
    ),
    "memory/2026-02-11.md": (
        "# Daily Log - 2026-02-11\n\n## Retain\n- B @Pete: Bought a band saw and loves it\n"
    ),
}
