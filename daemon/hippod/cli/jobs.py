"""`hippod jobs`: what the daemon does at its times; run a job now, pause it, let it go on."""

from hippod.cli import options, output
from hippod.errors import InvalidInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

ACTIONS = ("list", "run", "pause", "resume")


def jobs_options(parser: "argparse.ArgumentParser") -> None:
    """Add what to do, and with which job."""
    parser.add_argument(
        "action", nargs="?", metavar="ACTION", default="list", help=", ".join(ACTIONS)
    )
    parser.add_argument("name", nargs="?", help="of the job")


def jobs(args: "argparse.Namespace") -> int:
    """List the jobs, run one and wait for it, pause one or let it go on."""
    if args.action not in ACTIONS:
        raise options.unknown_action(args.action, ACTIONS, f"hippod jobs run {args.action}")
    if args.action == "list":
        if args.name:
            raise InvalidInput("jobs list takes no name", f"try: hippod jobs run {args.name}")
        answer = options.ask(args, lambda client: client.jobs())
        return output.show(
            args,
            answer,
            _print_jobs,
            lambda found: output.names(job["name"] for job in found["jobs"]),
        )
    if not args.name:
        raise InvalidInput(f"jobs {args.action}: which one?", "list them with: hippod jobs")
    if args.action == "run":
        answer = options.ask(args, lambda client: client.run_job(args.name))
        output.show(args, answer, lambda done: _print_run(args.name, done))
        return 1 if _outcome(answer) in ("failed", "interrupted") else 0
    if args.action == "pause":
        answer = options.ask(args, lambda client: client.pause_job(args.name))
    else:
        answer = options.ask(args, lambda client: client.resume_job(args.name))
    return output.show(args, answer, _print_going)


def _print_jobs(answer: "dict[str, Any]") -> None:
    header = ["job", "schedule", "next", "last", "took", "outcome", "tokens"]
    output.table([header, *(_row(job) for job in answer["jobs"])])
    for job in answer["jobs"]:
        if job.get("last_error"):
            output.tell(f"! {job['name']}: {job['last_error']}")


def _row(job: "dict[str, Any]") -> list[str]:
    took = job["last_seconds"]
    cells = (
        job["name"],
        job["schedule"],
        _moment(next_run(job)),
        _moment(job["last_run"] or "-"),
        output.duration(took) if isinstance(took, int | float) else "-",
        job["last_outcome"] or "-",
        job.get("tokens") or "-",
    )
    return [str(cell) for cell in cells]


def _moment(text: str) -> str:
    """Write an ISO time of these days, which is in the user's zone, as `03-31 08:00`."""
    return text.replace("T", " ")[5:16] if text[:1].isdigit() else text


def next_run(job: "dict[str, Any]") -> str:
    """Say when a job runs next: a time, `running`, `paused`, or `-` where only somebody asks."""
    if job.get("running"):
        return "running"
    return "paused" if job.get("paused") else str(job["next_run"] or "-")


def _print_going(job: "dict[str, Any]") -> None:
    if job["paused"]:
        how = f"is paused; it goes on with: hippod jobs resume {job['name']}"
    elif job["next_run"]:
        how = f"runs next at {job['next_run']}"
    else:
        how = "runs only when asked: it is switched off in the configuration"
    output.tell(f"{job['name']} {how}")


def _print_run(name: str, answer: "dict[str, Any]") -> None:
    """Print what a job did as the command of its name does, if there is one."""
    if name == "reflect":
        from hippod.cli.reflect import print_reflected

        print_reflected(answer)
    elif name == "hygiene":
        from hippod.cli.hygiene import print_report

        print_report(answer)
    elif name == "heartbeat":
        from hippod.cli.heartbeat import print_beat

        print_beat(answer)
    else:
        took, error = answer.get("last_seconds") or 0.0, answer.get("last_error")
        said = f"{name}: {_outcome(answer)}, {output.duration(took)}"
        output.tell(f"{said}: {error}" if error else said)


def _outcome(answer: "dict[str, Any]") -> str:
    """Return how a run ended; the answer is the job, a heartbeat, or what a bank's job did."""
    return str(answer.get("last_outcome") or answer.get("outcome") or "ok")
