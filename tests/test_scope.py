import pytest

from hippod.scope import may_see


@pytest.mark.parametrize(
    "path",
    [
        "MEMORY.md", "memory.md", "USER.md", "memory/2026-03-03.md", "daily/2026-03-03.md",
        "bank/world.md", "archive/2020-01-01.md", "sessions/a.md", "notes/AGENTS.md",
        "x/context/a.md", "contexts/a.md",
    ],
)  # fmt: skip
def test_group_never_sees(path: str) -> None:
    assert not may_see("group", path)
    assert may_see("main", path)


@pytest.mark.parametrize(
    "path",
    [
        "MEMORY.md", "memory.md", "User.md", "memory/2026-03-03.md", "Memory/x.md",
        "daily/2026-03-03.md", "bank/entities/Ina.md", "archive/2020/2020-01-01.md",
        "sessions/a.md", "sessions", "memory",
    ],
)  # fmt: skip
def test_no_pattern_shows_a_group_what_is_private(path: str) -> None:
    wide = ("**", "/*.md", f"/{path}", "/memory/**", "/bank/**")
    assert not may_see("group", path, wide)
    assert may_see("group", "notes/a.md", wide)
    assert may_see("group", "projects/memory/USER.md", wide)


@pytest.mark.parametrize(
    "path", ["AGENTS.md", "SOUL.md", "IDENTITY.md", "context/a.md", "projects/x/y/notes.md"]
)
def test_group_sees(path: str) -> None:
    assert may_see("group", path)


def test_configured_paths_are_anchored_at_the_root() -> None:
    assert may_see("group", "team/a.md", ("team/**",))
    assert not may_see("group", "old/team/a.md", ("team/**",))
    assert not may_see("group", "team/secret.md", ("team/**", "!/team/secret.md"))
