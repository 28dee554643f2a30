import tomllib
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from hippod.config import Check, Config, checked, explain, load
from hippod.errors import ConfigError

ROOT = Path(__file__).parent.parent


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(text, encoding="utf-8")
    return path


def problems(path: Path | None, environ: dict[str, str] | None = None) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load(path, environ or {})
    return list(caught.value.problems)


def test_example_shows_every_key_at_its_default() -> None:
    data = tomllib.loads((ROOT / "config.example.toml").read_text())
    assert Config.model_validate(data) == Config()
    for name, field in Config.model_fields.items():
        default = field.default
        keys = set(data[name][0]) if isinstance(default, tuple) else set(data[name])
        model = type(default[0]) if isinstance(default, tuple) else type(default)
        assert keys == set(model.model_fields) - {"checks"}, f"[{name}] in config.example.toml"


def test_missing_file_means_defaults(tmp_path: Path) -> None:
    assert load(tmp_path / "none.toml", {}) == Config()
    assert load(None, {}) == Config()


def test_all_faults_are_named_at_once_with_file_and_key(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        """
[workspace]
layuot = "openclaw"
timezone = 5
[retain]
quiet = "soon"
[[sources]]
name = "bad name"
path = "x"
[chunking]
max_chunk_size = 1
""",
    )
    found = problems(path)
    assert len(found) == 5
    assert all(fault.startswith(f"{path}: ") for fault in found)
    assert any("workspace.layuot: unknown key; did you mean 'layout'?" in fault for fault in found)
    assert any("retain.quiet: a duration such as" in fault for fault in found)
    assert any("sources.0.name" in fault for fault in found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[workspace]\ntimezone = "Mars/Base"', "no such IANA zone 'Mars/Base'"),
        ("[chunking]\noverlap = 400", "more than half of max_chunk_size"),
        ('[retain]\nquiet = "1h"', "longest_wait: shorter than retain.quiet"),
        ("[recall]\nbm25_weight = 0\nvector_weight = 0", "both weights are 0"),
        ("[schedule]\nreconcile = 5", "schedule.reconcile"),
        (
            '[[sources]]\nname = "a"\npath = "x"\n[[sources]]\nname = "a"\npath = "y"',
            "the name 'a' is used twice",
        ),
        ('[generator]\nprovider = "openai"', "generator.model: name the model that openai"),
        ('[generator]\nprovider = "ollama"\nmodel = ""', "generator.model: name the model"),
        ('[generator]\nprovider = "nearai"', "generator.model"),
        ('[generator]\nbase_url = "localhost:80"', "generator.base_url: an http or https address"),
        ('[generator]\nbase_url = "https://h:99999"', "generator.base_url"),
        ('[generator]\nbase_url = "https://h/v1?x=1"', "without name, password, query"),
        ('[generator]\nbase_url = "http://10.0.0.9/v1"\napi_key_env = "K"', "use https://"),
        ('[generator]\napi_key = "x"', "api_key: unknown key; did you mean 'api_key_env'?"),
        ("[generator]\ndaily_tokens = -1", "generator.daily_tokens"),
        ("workspace = 3", "workspace"),
        ('[sources]\nname = "a"', "[[sources]]"),
        ("[workspace", "not valid TOML"),
        ('workspace = {path = "~nobody-here/x"}', "no such home folder"),
    ],
)
def test_faults_that_only_show_between_keys(tmp_path: Path, text: str, expected: str) -> None:
    assert any(expected in fault for fault in problems(write(tmp_path, text)))


CHECK = '[heartbeat.checks.disk]\ncommand = ["df", "/"]\n'


def check(tmp_path: Path, text: str) -> Check:
    return load(write(tmp_path, CHECK + text), {}).heartbeat.checks["disk"]


def test_a_check_has_the_rule_that_is_written_there(tmp_path: Path) -> None:
    plain = check(tmp_path, "")
    assert (plain.command, plain.timeout, plain.cool_down) == (("df", "/"), 30, None)
    assert plain.rule.looks_at_exit
    full = check(tmp_path, 'attention = "number > 90"\nvalue = \'(\\d+)%\'\ncool_down = "1h"')
    assert (full.rule.text, full.cool_down) == ("number > 90", 3600)
    assert full.rule.value is not None
    asked = check(tmp_path, 'judge = "generator"\nquestion = "Is anything broken?"')
    assert asked.question == "Is anything broken?"


@pytest.mark.parametrize(
    ("text", "key", "expected"),
    [
        ('attention = "number over 90"', ".attention", "after `number` stands =, !=, <"),
        ('attention = "exit = 0 and"', ".attention", "exit, number, lines, output or date"),
        ("attention = 'output matches \"(\"'", ".attention", "not a regular expression"),
        ("value = '('", ".value", "not a regular expression"),
        ("value = '\\d+'", ".value", "with one group"),
        ("value = '(\\d+)'", "", "the number or date of a rule is read with"),
        ('judge = "generator"', "", "needs a question"),
        ('judge = "generator"\nquestion = "?"\nattention = "exit != 0"', "", "not both"),
        ("timeout = 0", ".timeout", "more than 0"),
        ('timeout = "1h"', ".timeout", "at most 600"),
        ('environment = ["A=b"]', ".environment", "names of environment variables"),
        ("timout = 5", ".timout", "unknown key; did you mean 'timeout'?"),
        ("[heartbeat.checks.'a b']\ncommand = ['x']", "heartbeat.checks.a b", "a name holds"),
        ("[heartbeat.checks.x]", "heartbeat.checks.x.command", "it is missing"),
        ("[heartbeat.checks.x]\ncommand = []", "heartbeat.checks.x.command", "may not be empty"),
        ("[heartbeat.checks.x]\ncommand = [' ']", "heartbeat.checks.x.command", "is empty"),
        ("[heartbeat.checks.x]\ncommand = ['~/x']", "heartbeat.checks.x.command", "whole path"),
        ('[heartbeat.checks.x]\ncommand = ["x", "\\u0000"]', "checks.x.command", "no NUL"),
        ("[heartbeat.checks.x]\ncommand = 'x y'", "heartbeat.checks.x.command", "a list"),
        ("[notify]\ncommand = ['']", "notify.command", "the first word is the program"),
        ("[notify]\nwebhook = 'ftp://x'", "notify.webhook", "an http or https address"),
        ("[notify]\nwebhook = 'http://10.0.0.9/x'\nwebhook_token_env = 'T'", "notify.webhook",
         "the token would travel in the clear; use https://"),
        ("[notify]\ntimeout = 0", "notify.timeout", "more than 0"),
    ],
)  # fmt: skip
def test_faults_of_checks_and_notifiers(tmp_path: Path, text: str, key: str, expected: str) -> None:
    (problem,) = problems(write(tmp_path, CHECK + text))
    place = key if "." in key[1:] else f"heartbeat.checks.disk{key}"
    assert f"{place}: " in problem
    assert expected in problem


def test_all_faults_of_checks_come_at_once_and_repeat_nothing_secret(tmp_path: Path) -> None:
    found = problems(
        write(
            tmp_path,
            """
[heartbeat.checks.a]
command = "curl -H hunter2-token https://x"
[heartbeat.checks.b]
command = ["curl", "hunter2-token"]
judge = "generator"
[heartbeat.checks.c]
command = ["curl", "hunter2-token", 5]
environment = ["KEY=hunter2-token"]
[heartbeat.checks]
d = "curl hunter2-token"
[notify]
command = ["", "hunter2-token"]
webhook = "https://me:hunter2-token@host/"
webhook_token_env = "hunter2-token"
""",
        )
    )
    assert len(found) == 8
    assert "hunter2" not in " ".join(found)


@pytest.mark.parametrize("url", ["https://h/x", "http://127.0.0.1:1/x", "http://localhost:1"])
def test_addresses_that_a_webhook_token_may_go_to(tmp_path: Path, url: str) -> None:
    path = write(tmp_path, f'[notify]\nwebhook = "{url}"\nwebhook_token_env = "HOOK"')
    assert load(path, {}).notify.webhook == url


FORMS = "an interval such as '6h', or a cron line of five fields such as '0 8 * * *'"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("schedule.heartbeat = 'every day'", f"schedule.heartbeat: {FORMS} (got 'every day')"),
        ("schedule.heartbeat = '0 9 * *'", f"schedule.heartbeat: {FORMS} (got '0 9 * *')"),
        ("schedule.heartbeat = '@reboot'", f"schedule.heartbeat: {FORMS} (got '@reboot')"),
        ("schedule.heartbeat = [1]", f"schedule.heartbeat: {FORMS} (got [1])"),
        ("schedule.heartbeat = true", f"schedule.heartbeat: {FORMS} (got True)"),
        ("heartbeat.active_hours = '25:00-26:00'",
         "heartbeat.active_hours: hours such as 08:00-23:00 or 22:00-06:00 (got '25:00-26:00')"),
        ("heartbeat.active_hours = ''", "heartbeat.active_hours: may not be empty"),
        ("recall.limit = 'x'", "recall.limit: a whole number (got 'x')"),
        ("recall.limit = 0", "recall.limit: at least 1 (got 0)"),
        ("recall.fusion = 'x'", "recall.fusion: 'zscore' or 'rrf' (got 'x')"),
        ("retain.quiet = true",
         "retain.quiet: a duration such as 300, '90m' or '200ms', of one unit (got True)"),
        ("retain.enabled = 'perhaps'", "retain.enabled: true or false (got 'perhaps')"),
        ("workspace.path = 3", "workspace.path: a path in quotes (got 3)"),
        ("schedule = 3", "schedule: a table of keys and values (got 3)"),
        ("sources = [{path = 'x'}]", "sources.0.name: it is missing"),
        ("generator.tasks = 3",
         "generator.tasks: 'auto', or a list in brackets, such as [\"a\", \"b\"] (got 3)"),
        ("sources = [{name = 'a', path = 'x', mapping = {text = 't', where = {k = {}}}}]",
         "sources.0.mapping.where.k.0: a text in quotes, or a whole number, or a number, or true"
         " or false"),
    ],
)  # fmt: skip
def test_what_belongs_at_a_key_is_said_in_one_plain_sentence(
    tmp_path: Path, text: str, sentence: str
) -> None:
    file = write(tmp_path, text)
    assert problems(file)[0] == f"{file}: {sentence}"


@pytest.mark.parametrize(
    ("value", "line"),
    [("@daily", "0 0 * * *"), ("@Hourly", "0 * * * *"), ("@weekly", "0 0 * * 0"),
     ("@monthly", "0 0 1 * *")],
)  # fmt: skip
def test_nicknames_of_cron_lines_are_understood(value: str, line: str) -> None:
    assert checked({"schedule": {"reconcile": value}}, "a test", {}).schedule.reconcile == line


def test_file_that_is_not_text_is_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b"\xff\xfe[workspace]")
    assert "not valid TOML" in problems(path)[0]


def test_environment_overrides_the_file_and_is_named_in_faults(tmp_path: Path) -> None:
    path = write(tmp_path, '[retain]\nquiet = "5m"\n')
    environ = {"HIPPOD_RETAIN__QUIET": "20s", "HIPPOD_SOCKET": "/x", "HIPPOD_WORKSPACE": "/y"}
    assert load(path, environ).retain.quiet == 20
    found = problems(path, {"HIPPOD_RETAIN__MAX_PER_DAY": "many"})
    assert found == [fault for fault in found if fault.startswith("HIPPOD_RETAIN__MAX_PER_DAY: ")]


def test_environment_sets_lists_by_commas() -> None:
    config = load(None, {"HIPPOD_PRIVACY__GROUP_PATHS": "/a.md, /b/**"})
    assert config.privacy.group_paths == ("/a.md", "/b/**")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [('"200ms"', 0.2), ("300", 300), ('"5m"', 300), ('"6h"', 21600), ('"1.5 min"', 90)],
)
def test_durations(tmp_path: Path, text: str, seconds: float) -> None:
    path = write(tmp_path, f'[generator]\nidle_unload = {text}\n[retain]\nlongest_wait = "9h"')
    assert load(path, {}).generator.idle_unload == pytest.approx(seconds)


def test_zone_is_the_configured_one_else_the_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    assert load(None, {"HIPPOD_WORKSPACE__TIMEZONE": "Asia/Tokyo"}).zone == ZoneInfo("Asia/Tokyo")
    monkeypatch.setenv("TZ", ":America/Denver")
    assert load(None, {}).zone == ZoneInfo("America/Denver")
    monkeypatch.setenv("TZ", "Not/AZone")
    assert load(None, {}).zone == ZoneInfo("UTC")


def test_explain_names_the_origin_of_each_value(tmp_path: Path) -> None:
    path = write(tmp_path, "[retain]\nmax_per_day = 7\n")
    environ = {"HIPPOD_RECALL__LIMIT": "3"}
    shown = explain(load(path, environ), path, environ)
    assert shown["retain.max_per_day"] == {"value": 7, "source": str(path)}
    assert shown["recall.limit"] == {"value": 3, "source": "HIPPOD_RECALL__LIMIT"}
    assert shown["recall.rrf_k"] == {"value": 60, "source": "default"}


def test_configured_sources_come_before_the_workspaces_own(tmp_path: Path) -> None:
    claude = '[[sources]]\nname = "claude"\npath = "~/.claude/projects/**/*.jsonl"\n'
    assert [s.name for s in load(write(tmp_path, claude), {}).sources] == ["claude", "main"]
    own = '[[sources]]\nname = "main"\npath = "chats/*.jsonl"\n'
    assert [s.path for s in load(write(tmp_path, own), {}).sources] == ["chats/*.jsonl"]


@pytest.mark.parametrize(
    "line",
    [
        'api_key_env = "sk-proj-a1B2c3D4e5F6"',
        'api_key = "sk-proj-a1B2c3D4e5F6"',
        'base_url = "https://me:sk-proj-a1B2c3D4e5F6@host/v1"',
        'base_url = "https://host/v1?key=sk-proj-a1B2c3D4e5F6"',
    ],
)
def test_a_key_that_was_pasted_into_the_file_is_refused_and_not_repeated(
    tmp_path: Path, line: str
) -> None:
    (problem,) = problems(write(tmp_path, f"[generator]\n{line}"))
    assert "generator." in problem
    assert "a1B2c3D4" not in problem


@pytest.mark.parametrize(
    "url",
    ["", "http://127.0.0.1:8080/v1", "http://localhost:1", "http://[::1]:1/v1", "https://h/v1"],
)
def test_addresses_that_a_key_may_go_to(tmp_path: Path, url: str) -> None:
    path = write(tmp_path, f'[generator]\nbase_url = "{url}"\napi_key_env = "MY_KEY"')
    assert load(path, {}).generator.base_url == url


def test_the_generator_can_be_set_from_the_environment() -> None:
    environ = {
        "HIPPOD_GENERATOR__PROVIDER": "ollama",
        "HIPPOD_GENERATOR__MODEL": "qwen3:4b",
        "HIPPOD_GENERATOR__DAILY_TOKENS": "200000",
        "HIPPOD_GENERATOR__TASKS": "select, rewrite",
    }
    generator = load(None, environ).generator
    assert (generator.provider, generator.model, generator.daily_tokens) == (
        "ollama", "qwen3:4b", 200_000,
    )  # fmt: skip
    assert generator.tasks == ("select", "rewrite")
    assert load(None, {"HIPPOD_GENERATOR__TASKS": "auto"}).generator.tasks == "auto"


def test_hours_of_blanks_are_no_hours() -> None:
    with pytest.raises(ConfigError, match="active_hours"):
        checked({"heartbeat": {"active_hours": "  "}}, "f", {})
    settled = checked({"heartbeat": {"active_hours": " 9-17 ", "quiet_hours": " "}}, "f", {})
    assert (settled.heartbeat.active_hours, settled.heartbeat.quiet_hours) == ("9-17", "")
