import os
import pwd
import string
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippod import config as configuration
from hippod import paths
from hippod.errors import ConfigError, InvalidInput

HOME = {"HOME": "/home/anna"}
ACCOUNT = pwd.getpwuid(os.getuid()).pw_dir


def derived(workspace: str, environ: dict[str, str], platform: str = "linux") -> str:
    return paths.socket_path(workspace, "", environ, uid=1234, platform=platform)


def test_config_path_takes_argument_then_environment_then_home() -> None:
    environ = {**HOME, "HIPPOD_CONFIG": "~/other.toml"}
    assert paths.config_path("/x/c.toml", environ) == "/x/c.toml"
    assert paths.config_path(None, environ) == "/home/anna/other.toml"
    assert paths.config_path(None, HOME) == "/home/anna/.hippod/config.toml"


def test_workspace_path_takes_argument_environment_config_default() -> None:
    environ = {**HOME, "HIPPOD_WORKSPACE": "/env"}
    assert paths.workspace_path("/arg", "/conf", environ) == "/arg"
    assert paths.workspace_path(None, "/conf", environ) == "/env"
    assert paths.workspace_path(None, "~/conf", HOME) == "/home/anna/conf"
    assert paths.workspace_path(None, "", HOME) == "/home/anna/.hippod/workspace"


def test_empty_environment_values_count_as_unset() -> None:
    environ = {**HOME, "HIPPOD_WORKSPACE": "", "HIPPOD_CONFIG": "", "HIPPOD_SOCKET": ""}
    assert paths.workspace_path(None, "/conf", environ) == "/conf"
    assert paths.config_path(None, environ) == "/home/anna/.hippod/config.toml"
    assert derived("/w", environ).startswith("/tmp/hippod-1234/")


def test_relative_values_of_the_config_start_at_its_folder() -> None:
    assert paths.workspace_path(None, "notes", HOME, config_dir="/etc/h") == "/etc/h/notes"
    found = paths.socket_path("/w", "run/s.sock", HOME, config_dir="/etc/h")
    assert found == "/etc/h/run/s.sock"
    # An argument is what the person sees from here.
    assert paths.workspace_path("notes", "", HOME, config_dir="/etc/h") == str(Path.cwd() / "notes")


def test_the_default_workspace_of_the_account_is_called_default() -> None:
    assert paths.instance_name(f"{ACCOUNT}/.hippod/workspace") == "default"


def test_another_home_never_means_the_daemon_of_the_account(tmp_path: Path) -> None:
    workspace = paths.workspace_path(None, "", {"HOME": str(tmp_path)})
    assert paths.instance_name(workspace) != "default"


def test_names_differ_by_real_path_and_follow_links(tmp_path: Path) -> None:
    long = "same-ninety-character-prefix-" * 4
    one, two = tmp_path / f"{long}1", tmp_path / f"{long}2"
    one.mkdir()
    (tmp_path / "link").symlink_to(one)
    assert paths.instance_name(one) != paths.instance_name(two)
    assert paths.instance_name(tmp_path / "link") == paths.instance_name(one)


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=300))
@settings(max_examples=100, deadline=None)
def test_any_workspace_has_a_short_plain_name_and_a_socket_that_binds(name: str) -> None:
    plain = set(string.ascii_lowercase + string.digits + "-")
    workspace = f"/somewhere/{name}"
    assert set(paths.instance_name(workspace)) <= plain
    for environ in ({}, {"XDG_RUNTIME_DIR": "/run/user/1234"}, {"XDG_RUNTIME_DIR": f"/{'ü' * 60}"}):
        assert len(os.fsencode(derived(workspace, environ))) <= 100


def test_socket_lies_in_the_runtime_folder() -> None:
    name = paths.instance_name("/w")
    environ = {"XDG_RUNTIME_DIR": "/run/user/1234", "HOME": "/home/anna"}
    assert derived("/w", environ) == f"/run/user/1234/hippod/{name}.sock"
    assert derived("/w", environ, "darwin") == f"/home/anna/Library/Caches/hippod/{name}.sock"


@pytest.mark.parametrize("given_dir", [None, "", "relative/dir", "/" + "d" * 90, "/" + "ü" * 45])
def test_socket_falls_back_to_a_folder_of_the_user_below_tmp(given_dir: str | None) -> None:
    environ = {} if given_dir is None else {"XDG_RUNTIME_DIR": given_dir}
    assert derived("/w", environ) == f"/tmp/hippod-1234/{paths.instance_name('/w')}.sock"


def test_the_limit_counts_bytes_exactly() -> None:
    tail = f"/hippod/{paths.instance_name('/w')}.sock"
    fits = "/" + "d" * (99 - len(tail))
    assert derived("/w", {"XDG_RUNTIME_DIR": fits}) == fits + tail
    assert derived("/w", {"XDG_RUNTIME_DIR": fits + "d"}).startswith("/tmp/")


def test_a_client_dials_every_place_where_the_daemon_may_listen() -> None:
    with_dir = {"XDG_RUNTIME_DIR": "/run/user/1234"}
    places = paths.socket_places("/w", "", with_dir, uid=1234, platform="linux")
    bare = paths.socket_places("/w", "", {}, uid=1234, platform="linux")
    assert places[0] == derived("/w", with_dir)
    assert bare[0] == derived("/w", {})
    assert set(places) == set(bare)


def test_a_chosen_socket_is_taken_as_it_is_and_alone() -> None:
    environ = {**HOME, "HIPPOD_SOCKET": "~/s.sock", "XDG_RUNTIME_DIR": "/run/user/1"}
    assert paths.socket_places("/w", "/conf.sock", environ) == ("/home/anna/s.sock",)
    assert paths.socket_places("/w", "/conf.sock", HOME) == ("/conf.sock",)


@pytest.mark.parametrize("path", ["/" + "s" * 100, "/" + "ü" * 50])
def test_a_chosen_socket_that_is_too_long_is_refused_with_length_and_limit(path: str) -> None:
    with pytest.raises(InvalidInput, match="101 bytes, but a socket path may have 100"):
        paths.socket_path("/w", "", {"HIPPOD_SOCKET": path})
    with pytest.raises(InvalidInput, match="101 bytes"):
        paths.socket_path("/w", path, {})


def test_configured_reads_what_the_file_sets(tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    file.write_text('[workspace]\npath = "~/notes"\n[server]\nsocket = "/run/x.sock"\n')
    assert paths.configured(str(file), {}) == ("~/notes", "/run/x.sock")
    environ = {"HIPPOD_WORKSPACE__PATH": "/elsewhere", "HIPPOD_Server__Socket": "/y.sock"}
    assert paths.configured(str(file), environ) == ("/elsewhere", "/y.sock")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[retain]\nquiet = 3\n",
        '# [workspace]\n# path = "x"\n',
        "[workspace]\n",
        "workspace = 3",
    ],
)
def test_configured_is_empty_where_nothing_is_set(tmp_path: Path, text: str) -> None:
    file = tmp_path / "c.toml"
    file.write_text(text)
    assert paths.configured(str(file), {}) == ("", "")
    assert paths.configured(str(tmp_path / "absent.toml"), {}) == ("", "")


@pytest.mark.parametrize(
    "text",
    [
        'workspace.path = "/w"',
        'workspace = { path = "/w" }',
        '"workspace" . "path" = "/w"',
        '"work\\u0073pace"."path" = "/w"',
        '  [ "workspace" ]\n  path = "/w"',
        "[workspace] # home\r\npath = '/w'\r\n",
    ],
)
def test_every_spelling_of_a_key_is_seen_as_the_daemon_sees_it(tmp_path: Path, text: str) -> None:
    file = tmp_path / "c.toml"
    file.write_bytes(text.encode())
    assert paths.configured(str(file), {}) == ("/w", "")
    assert configuration.load(file, {}).workspace.path == Path("/w")


@pytest.mark.parametrize("content", [b"[workspace\npath=", b"[workspace]\npath = \xff", None])
def test_a_config_that_cannot_be_read_is_named(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "c.toml"
    file.mkdir() if content is None else file.write_bytes(content)
    with pytest.raises(ConfigError, match=r"c\.toml"):
        paths.configured(str(file), {})
