"""Ask the advisory databases about everything that is locked, and say plainly what was not asked.

Exit code 1 for a known vulnerability; 0 otherwise, also where no database can be reached, which
is said.
"""

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
SERVICES = ("pypi", "osv")
LOCKS = ("dev.txt", "train.txt", "weights.txt", "dev-weights.txt", "build.txt")

MOST_SECONDS = 120
"""For all questions together: where a database does not answer, the next one hardly does."""
QUIETLY = ("--disable-pip", "--no-deps", "-f", "json", "--progress-spinner=off", "--timeout=15")


def main(pip_audit: Sequence[str]) -> int:
    """Audit every lock; return the exit code."""
    found = 0
    deadline = time.monotonic() + MOST_SECONDS
    for lock in LOCKS:
        packages, why = look_up([*pip_audit], HERE / lock, deadline)
        asked = [each for each in packages if "vulns" in each]
        bad = [each for each in asked if each["vulns"]]
        for each in bad:
            ids = ", ".join(vuln["id"] for vuln in each["vulns"])
            print(f"{lock}: {each['name']} {each['version']}: {ids}")
        if not asked:
            print(f"NOT AUDITED from {lock} on: no advisory database answers here: {why}")
            break
        if len(asked) < len(packages):
            missing = ", ".join(each["name"] for each in packages if "vulns" not in each)
            print(f"{lock}: {len(asked)} of {len(packages)} audited; not known there: {missing}")
        else:
            print(f"{lock}: {len(asked)} packages audited, {len(bad)} with known vulnerabilities")
        found += len(bad)
    return 1 if found else 0


def look_up(pip_audit: list[str], lock: Path, deadline: float) -> tuple[list[dict], str]:
    """Return what the first service that knows any package says, and why others do not."""
    packages: list[dict] = []
    reasons = []
    for service in SERVICES:
        try:
            ran = subprocess.run(
                [*pip_audit, *QUIETLY, "-r", str(lock), "-s", service], capture_output=True,
                text=True, check=False, timeout=max(0.0, deadline - time.monotonic()),
            )  # fmt: skip
            said = json.loads(ran.stdout)["dependencies"]
        except subprocess.TimeoutExpired:
            reasons.append(f"{service}: no answer within {MOST_SECONDS} s")
            continue
        except (ValueError, KeyError):
            reasons.append(f"{service}: {(ran.stderr.strip().splitlines() or ['no answer'])[-1]}")
            continue
        packages = packages or said
        if any("vulns" in each for each in said):
            return said, ""
        reasons.append(f"{service}: {said[0].get('skip_reason', '')}" if said else service)
    return packages, "; ".join(reason[:120] for reason in reasons)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["pip-audit"]))
