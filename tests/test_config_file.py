"""Keys that are set in a person's configuration: all that they wrote besides stays as it is."""

from pathlib import Path

import pytest

from hippod.config_file import set_value
from hippod.errors import ConfigError, StorageError

LISTED = """[privacy]
group_paths = [
  "a # b.md", # it's the first
  'c.md',
  # the last
  "d/**",
]
"""
PLAIN = """[privacy]
group_paths = [
  "a # b.md",
  'c.md',
]
"""


def after(folder: Path, before: str, key: str, value: str) -> str:
    file = folder / "c.toml"
    file.write_bytes(before.encode())
    set_value(file, key, value)
    return file.read_bytes().decode()


def test_comments_within_a_list_are_not_lost(tmp_path: Path) -> None:
    assert after(tmp_path, LISTED, "privacy.group_paths", "a # b.md, c.md, d/**") == LISTED
    with pytest.raises(ConfigError, match=r"privacy\.group_paths: has comments"):
        after(tmp_path, LISTED, "privacy.group_paths", "a.md")
    assert (tmp_path / "c.toml").read_text() == LISTED
    assert after(tmp_path, PLAIN, "privacy.group_paths", "a.md").count("a.md") == 1


@pytest.mark.parametrize("quoted", ["'90s' # why", '"90s"', "'90s'"])
def test_a_value_that_stands_there_stays_as_it_is_written(tmp_path: Path, quoted: str) -> None:
    text = f"[retain]\nquiet   = {quoted}\n"
    assert after(tmp_path, text, "retain.quiet", "90s") == text


@pytest.mark.parametrize("own", ["", 'quiet = "90s"\n', "# nothing yet\n", 'quiet = "1s"\n# so\n'])
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_a_new_key_stands_before_what_introduces_the_next_table(
    tmp_path: Path, own: str, gap: str
) -> None:
    rest = f"{gap}# --- the log ---\n\n# (noisy)\n[log]\nlevel = 'info' # mine\n"
    changed = after(tmp_path, f"[retain]\n{own}{rest}", "retain.enabled", "false")
    assert changed == f"[retain]\n{own}enabled = false\n{rest}"


def test_a_new_key_stands_before_a_comment_right_above_the_next_table(tmp_path: Path) -> None:
    before = "[retain]\nquiet = '9s'\n# log\n[log]\n"
    changed = after(tmp_path, before, "retain.enabled", "false")
    assert changed == "[retain]\nquiet = '9s'\nenabled = false\n# log\n[log]\n"


@pytest.mark.parametrize("key", ["retain.enabled", "retain.quiet", "log.level"])
def test_lines_end_as_they_did(tmp_path: Path, key: str) -> None:
    value = {"retain.enabled": "false", "retain.quiet": "80s", "log.level": "debug"}[key]
    before = "# mine\r\n[retain]\r\nquiet = '90s'\r\n"
    changed = after(tmp_path, before, key, value)
    assert changed.count("\n") == changed.count("\r\n") >= 3
    assert changed.startswith("# mine\r\n[retain]\r\nquiet = ")


def test_a_file_that_is_read_only_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    file.write_text("[retain]\n")
    file.chmod(0o444)
    with pytest.raises(StorageError, match="is read-only"):
        set_value(file, "retain.quiet", "80s")
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("[retain]\n", 0o444)
