from hippod.audit import Audit


def test_what_the_watcher_told_is_not_missed() -> None:
    audit = Audit()
    audit.announce("a.md", 100.0)
    assert audit.look(["a.md"], 103.0) == 0
    assert audit.fault == ""


def test_one_missed_change_is_counted_and_two_looks_in_a_row_are_a_fault() -> None:
    audit = Audit()
    assert audit.look(["a.md", "b.md"], 10.0) == 2
    assert audit.fault == ""
    assert audit.look(["c.md"], 3610.0) == 1
    assert audit.fault == "the watcher misses changes: 2 and 1 in the last 2 looks"
    assert audit.look([], 7210.0) == 0
    assert audit.fault == ""


def test_a_folder_that_changed_announces_all_below_it() -> None:
    audit = Audit()
    audit.announce("", 10.0)
    assert audit.look(["new/a.md"], 13.0) == 0


def test_an_announcement_counts_for_a_while_and_is_then_forgotten() -> None:
    audit = Audit()
    audit.announce("a.md", 0.0)
    assert audit.look(["a.md"], 1000.0) == 1
    for number in range(1000):
        audit.announce(f"{number}.md", 1000.0 + number)
    assert len(audit._announced) < 130


def test_what_was_announced_while_a_long_look_went_on_is_not_missed() -> None:
    audit = Audit()
    audit.announce("before.md", 990.0)
    audit.begin(1000.0)
    audit.announce("early.md", 1001.0)
    for second in range(1002, 1400):
        audit.announce(f"{second}.md", float(second))
    assert audit.look(["before.md", "early.md", "1399.md", "never.md"], 1000.0) == 1
    audit.end(1000.0)
    audit.announce("late.md", 1400.0)
    assert len(audit._announced) < 130


def test_looks_from_before_a_pause_say_nothing() -> None:
    audit = Audit()
    audit.look(["a.md"], 10.0)
    audit.forget()
    audit.look(["b.md"], 20.0)
    assert audit.fault == ""
