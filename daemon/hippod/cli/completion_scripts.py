"""The scripts that complete our commands in a shell, made by shtab of the parsers themselves."""

import argparse
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import Any, Final

import shtab

from hippod.cli import ALIASES, COMMANDS, completion, options

Place = tuple[str, str]
"""A command and the name of one of its arguments; the command is empty for all of them."""

_FOLDER = shtab.DIRECTORY
_FILE: Final[Mapping[str, Any]] = {**shtab.FILE, "bash": "_hippod_files"}
_BASH = r"""
# Each line is one name, quoted the way the word began: nothing of it is ever run.
_hippod_candidates() {
  local name
  command hippod completion candidates "$1" -- "$2" "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null |
    while IFS= read -r name; do
      case $2 in
        \'*) [[ $name == *\'* ]] || printf '%s\n' "$name" ;;
        \"*) [[ $name == *[\"\\\$\`!]* ]] || printf '%s\n' "$name" ;;
        *) printf '%q\n' "$name" ;;
      esac
    done
}
_hippod_files() {
  compgen -f -- "$1"
}
# Bash ends a word at ":", "@" and "="; a name goes on there. So its parts are put together
# again, and what is offered begins where that begins which bash replaces, $2.
_hippod() {
  local part between begun="" line=$COMP_LINE at=-1 is_in_parts
  local -a words=() found=()
  for part in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
    between=${line%%"$part"*}
    [[ $part ]] || between=$line  # it is empty: the cursor is behind a space
    line=${line:${#between}+${#part}}
    if [[ $COMP_LINE && $at -ge 0 && -z $between ]] &&
      [[ $part == [:@=]* || ${words[at]} == *[:@=] ]]; then
      words[at]+=$part
      is_in_parts=yes
    else
      words[++at]=$part
      is_in_parts=${part%%[!:@=]*}
    fi
  done
  [[ $is_in_parts ]] && begun=${words[at]%"$2"}
  local -a COMP_WORDS=("${words[@]}")
  local COMP_CWORD=$at
  _shtab_hippod "$@"
  for part in "${COMPREPLY[@]}"; do
    [[ $part == "$begun"* ]] && found+=("${part#"$begun"}")
  done
  COMPREPLY=("${found[@]}")
}
"""
_ZSH = """\
_hippod_candidates() {
  local kind=$1; shift
  local -a found
  found=(${(f)"$(command hippod completion candidates $kind -- \\
    "${(Q)PREFIX}" "${(@)words[2,CURRENT-1]}" 2>/dev/null)"})
  compadd "$@" -a found
}
"""
_FISH = """\
function _hippod_candidates
  set -l token (commandline -ct)
  set -l line (commandline -opc)
  command hippod completion candidates $argv[1] -- "$token" $line[2..-1] 2>/dev/null
end
"""
_PREAMBLES = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def script(shell: str) -> str:
    """Return the script for `bash`, `zsh` or `fish`."""
    text = str(shtab.complete(whole_parser(), shell=shell, preamble=_PREAMBLES[shell]))
    return f"{text.rstrip().replace(' -F _shtab_hippod ', ' -F _hippod ')}\n"


def whole_parser() -> argparse.ArgumentParser:
    """Return one parser with all commands, each argument with what may stand there."""
    parser = options.parser(None, "offline-first long-term memory for AI agents")
    parser.prog = "hippod"
    offered = offers()
    commands = parser.add_subparsers(metavar="COMMAND")
    for name, (module, summary) in COMMANDS.items():
        also = [alias for alias, meant in ALIASES.items() if meant == name]
        made = commands.add_parser(name, help=summary, description=summary, aliases=also)
        options.add_common(made)
        getattr(import_module(f"hippod.cli.{module}"), f"{name}_options")(made)
        _offer(made, name, offered)
    _offer(parser, "", offered)
    return parser


def _offer(
    parser: argparse.ArgumentParser, command: str, offered: "Mapping[Place, object]"
) -> None:
    for action in parser._actions:
        what = offered.get((command, action.dest), offered.get(("", action.dest)))
        if isinstance(what, Mapping):
            action.complete = what  # type: ignore[attr-defined] # as shtab wants it
        elif isinstance(what, Iterable):
            action.choices = list(what)


def offers() -> "dict[Place, object]":
    """Return what may stand in which argument: words, or how a shell finds out."""
    documents, entities = _asked("documents"), _asked("entities")
    on_a_path = ("read", "write", "append", "replace", "insert", "move", "delete", "recall", "log")
    with_a_file = ("retain", "backup", "restore", "export", "import")
    return {
        ("", "workspace"): _FOLDER,
        ("", "config"): _FILE,
        ("", "socket"): _FILE,
        **{(command, "path"): documents for command in on_a_path},
        **{(command, "file"): _FILE for command in with_a_file},
        ("move", "to"): documents,
        ("tree", "directory"): _asked("folders"),
        ("init", "path"): _FOLDER,
        ("restore", "into"): _FOLDER,
        ("connect", "project"): _FOLDER,
        ("recall", "entity"): entities,
        ("entity", "name"): entities,
        ("entities", "names"): entities,
        ("opinions", "what"): entities,
        ("jobs", "name"): _asked("jobs"),
        ("proposals", "id"): _asked("proposals"),
        ("why", "id"): _asked("facts"),
        ("undo", "id"): _asked("changes"),
        ("log", "id"): _asked("changes"),
        **_words(),
    }


def _asked(kind: str) -> "dict[str, object]":
    """Return how each shell asks the daemon."""
    name = f"_hippod_{kind}"
    function = f'{name}() {{\n  _hippod_candidates {kind} "$@"\n}}\n'
    return {
        "bash": name,
        "zsh": name,
        "fish": f"(_hippod_candidates {kind})",
        "preamble": {"bash": function, "zsh": function},
    }


def _words() -> "dict[Place, Iterable[str]]":
    from hippod.cli import context, entities, events, exchange, jobs, proposals, recall, service
    from hippod.config import EMBEDDED, LOCAL_EMBEDDERS, Config, explain
    from hippod.connect.agents import REGISTRY
    from hippod.doctor.checks import CHECKS
    from hippod.hooks.agents import EVENTS, MOMENTS
    from hippod.models.catalogue import CATALOGUE

    days = ("today", "yesterday")
    models = [each.name for each in CATALOGUE]
    return {
        ("working", "action"): context.ACTIONS,
        ("entities", "action"): entities.ACTIONS,
        ("jobs", "action"): jobs.ACTIONS,
        ("proposals", "action"): proposals.ACTIONS,
        ("service", "action"): service.ACTIONS,
        ("completion", "shell"): completion.SHELLS,
        ("connect", "agent"): list(REGISTRY),
        ("hook", "agent"): list(EVENTS),
        ("hook", "event"): list(
            dict.fromkeys(each for named in (MOMENTS, *EVENTS.values()) for each in named)
        ),
        ("recall", "kind"): recall.KINDS,
        ("export", "type"): exchange.TYPES,
        ("events", "types"): events.TYPES,
        ("day", "date"): days,
        ("note", "date"): days,
        ("doctor", "only"): [check.name for check in CHECKS],
        ("config", "words"): list(explain(Config(), None, {})),
        ("models", "name"): [EMBEDDED, "none", *LOCAL_EMBEDDERS, *models],
    }
