"""The three months: a laptop in Vienna, a machine that is always on in New York, one at sea."""

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from bench.month.model import PRESSING, SETTLED
from bench.month.script import (
    Asked,
    Asleep,
    Broken,
    Changed,
    Daily,
    Deadlines,
    Edited,
    Event,
    Gauge,
    Look,
    Month,
    Off,
    Open,
    Paused,
    Period,
    Rhythm,
    Shows,
    Slow,
    Told,
    WrongClock,
)

DAY: Final = 24 * 60
_INTRO = "# Heartbeat\n\nLook at this list a few times a day.\n\n"
_OUTRO = "\nIf nothing needs attention, reply HEARTBEAT_OK.\n"
_BROKEN = b"# Heartbeat\n\n- [ ] \xff\xfe check: disk\x00\n"
_COMMENTS = b"# Heartbeat\n\n<!-- - [ ] check: disk -->\n\n## Later\n"
_DAYS: Final = {
    "Europe/Vienna": (date(2026, 3, 23), 10),
    "America/New_York": (date(2026, 10, 30), 8),
    "Australia/Lord_Howe": (date(2026, 9, 23), 12),
}
"""What a quick run lives through of a month."""


def all_of(*, quick: bool) -> tuple[Month, ...]:
    """Return the months; `quick`: some days of each, on which files are looked at less often."""
    months = tuple(make(quick) for make in (vienna, new_york, lord_howe))
    if not quick:
        return months
    return tuple(month.part(*_DAYS[month.zone.key]) for month in months)


def vienna(quick: bool) -> Month:
    """Return a month of a laptop that sleeps at night, by rules alone."""
    disk = Gauge("check: disk", "disk", 90)
    due = Deadlines("Is anything due today or within the next 2 days?", 2)
    strings = Open("Does somebody wait for the harp strings?", "harp strings")
    first = date(2026, 3, 9)
    events: tuple[Event, ...] = (
        Shows("03-09 08:00", "disk", 71),
        _edited("03-09 08:00", disk, due),
        *_nights(first, 31, "23:40", "07:20", but=("03-17", "03-18", "03-19", "03-20", "03-28")),
        Asleep("03-17 22:50", "03-20 23:10"),
        Asleep("03-20 23:50", "03-21 07:20"),
        *_daily(first, 31, "10:15", but=(2, 6, 9, 10, 12, 13, 19, 20, 27)),
        Told("03-10 11:00", "Tax", "The tax form is due on 2026-03-15.", date(2026, 3, 15)),
        Told("03-24 09:10", "Visa", "The visa papers are due on 2026-04-03.", date(2026, 4, 3)),
        Told("03-12 16:00", "Jonas", "Jonas asked for harp strings.", subject=strings.subject),
        Told("03-25 09:30", "Mia", "Mia wants harp strings, too.", subject=strings.subject),
        Off("03-11 14:05", "03-11 14:06"),
        _edited("03-12 08:30", disk, due, strings),  # one is added
        Broken("03-13 10:16", "03-13 18:00", killed=False),
        Shows("03-13 18:30", "disk", 95),
        _edited("03-14 13:00", disk, strings, more="- [x] Is anything due within the next 2 days?"),
        Shows("03-15 19:00", "disk", 64),
        Off("03-16 09:00", "03-16 12:30", killed=True),
        _edited("03-16 10:00", due, strings, disk),  # in another order, while nobody looks
        Edited("03-22 12:00", b""),
        _edited("03-23 18:00", strings, disk, due),
        Broken("03-24 09:11", "03-24 15:00", killed=True),
        Shows("03-26 09:00", "disk", 97),
        Shows("03-26 19:00", "disk", 50),
        Edited("03-27 12:00", _COMMENTS),
        _edited("03-28 12:00", due, strings, disk),
        Slow("03-30 06:00", "heartbeat", 50),
        Edited("03-31 12:00", _BROKEN, broken=True),
        _edited("04-01 12:00", disk, due, strings),
        WrongClock("04-04 15:00", "04-04 18:00", -2),
        Asked("04-06 11:00", "reflect"),
    )
    return Month(
        who="a laptop that sleeps at night",
        zone=ZoneInfo("Europe/Vienna"),
        first=first,
        days=31,
        change="03-29 02:00 is 03:00",
        settings={
            "schedule": {"hygiene": "30 2 * * *"} | _looks(quick),
            "heartbeat": {
                "quiet_hours": "21:00-08:15",
                "checks": {"disk": {"attention": "number > 90"}},
            },
        },
        rhythms={
            **_own(quick),
            "heartbeat": Period(6 * 60),
            "reflect": Period(DAY),
            "hygiene": Daily(((2, 30),)),
        },
        events=events,
        active=(8 * 60, 23 * 60),
        quiet=(21 * 60, 8 * 60 + 15),
    )


def new_york(quick: bool) -> Month:
    """Return a month of a machine that is always on, with a model and an urgent check."""
    boiler = Gauge("check: boiler", "boiler", 2.5)
    due = Deadlines("Any deadlines in the next 3 days?", 3)
    landlord = Open("Is the landlord's letter answered?", "landlord")
    first = date(2026, 10, 16)
    events: tuple[Event, ...] = (
        Shows("10-16 08:00", "boiler", 1.4),
        _edited("10-16 08:00", boiler, due, landlord),
        *_daily(first, 31, "12:40", but=(3, 4, 11, 12, 15, 16, 22)),
        Told("10-31 15:00", "Lease", "The landlord sent a letter.", subject="landlord"),
        Told(
            "11-02 15:10", "Lease", f"The landlord's letter is {PRESSING}.",
            subject="landlord", pressing=True,
        ),
        Told("11-05 09:00", "Lease", f"The landlord's letter is {SETTLED}.", subject="landlord"),
        Told("10-30 18:00", "Marathon", "The entry fee is due on 2026-11-04.", date(2026, 11, 4)),
        Shows("10-24 01:00", "boiler", 3.1),
        Shows("10-24 13:30", "boiler", 1.5),
        Shows("11-01 00:20", "boiler", 3.4),
        Shows("11-02 12:00", "boiler", 1.2),
        Off("10-17 17:20", "10-17 17:21"),
        Off("10-28 00:40", "10-28 03:00", killed=True),
        Paused("10-19 09:00", "10-23 09:00", "hygiene"),
        Slow("10-25 00:00", "reconcile", 50),
        WrongClock("11-05 15:00", "11-05 18:00", -2),
        Off("11-06 11:59", "11-06 12:00"),
        WrongClock("11-08 15:10", "11-08 19:00", 3),
        Broken("11-10 15:00", "11-10 20:00", killed=False),
        Told("11-10 15:30", "Dog", "The dog likes the long way round the park."),
        Asked("11-12 11:00", "heartbeat"),
    )  # fmt: skip
    return Month(
        who="a machine that is always on, a model that may judge",
        zone=ZoneInfo("America/New_York"),
        first=first,
        days=31,
        change="11-01 02:00 is 01:00",
        settings={
            "schedule": {"reflect": "30 1 * * *"} | _looks(quick),
            "heartbeat": {
                "interval_hours": 4,
                "active_hours": "07:00-23:30",
                "quiet_hours": "22:00-07:00",
                "checks": {"boiler": {"attention": "number > 2.5", "urgent": True}},
            },
            "generator": {"tasks": ("check",)},
        },
        rhythms={
            **_own(quick),
            "heartbeat": Period(4 * 60),
            "reflect": Daily(((1, 30),)),
            "hygiene": Period(DAY),
        },
        events=events,
        active=(7 * 60, 23 * 60 + 30),
        quiet=(22 * 60, 7 * 60),
        urgent=frozenset({"boiler"}),
        trusted=True,
    )


def lord_howe(quick: bool) -> Month:
    """Return a month of a machine that is often away, with daily times and a limit of lateness."""
    tank = Gauge("check: tank", "tank", 80)
    due = Deadlines("Is anything due today or tomorrow?", 1)
    reef = Open("Has the reef survey been answered?", "reef")
    first = date(2026, 9, 19)
    events: tuple[Event, ...] = (
        Shows("09-19 08:00", "tank", 40),
        _edited("09-19 08:00", tank, due, reef),
        *_nights(first, 31, "22:30", "05:45", but=("09-24", "09-25", "09-26", "09-27", "10-03")),
        Asleep("09-24 20:10", "09-27 12:30"),
        Asleep("09-27 22:30", "09-28 05:45"),
        *_daily(first, 31, "09:20", but=(1, 2, 5, 6, 7, 8, 14, 20, 21)),
        Told("09-22 09:40", "Moor", "The mooring fee is due on 2026-09-30.", date(2026, 9, 30)),
        Told("10-05 14:00", "Reef", "The reef survey came by post.", subject="reef"),
        Shows("10-02 10:00", "tank", 85),
        Shows("10-06 10:00", "tank", 30),
        Changed("10-10 17:20", "hygiene", "15 18 * * *", Daily(((18, 15),))),
        Paused("10-12 08:00", "10-14 08:00", "heartbeat"),
        Off("10-16 06:50", "10-16 13:10", killed=True),
    )
    return Month(
        who="a machine at sea, daily times with a limit of lateness",
        zone=ZoneInfo("Australia/Lord_Howe"),
        first=first,
        days=31,
        change="10-04 02:00 is 02:30",
        settings={
            "schedule": {
                "hygiene": "15 2 * * *",
                "reflect": "45 1 * * *",
                "heartbeat": "0 7,12,17,21 * * *",
                "max_late": {"reflect": 6 * 3600, "heartbeat": 4 * 3600},
            }
            | _looks(quick),
            "heartbeat": {
                "active_hours": "06:00-22:00",
                "checks": {"tank": {"attention": "number > 80"}},
            },
        },
        rhythms={
            **_own(quick),
            "heartbeat": Daily(((7, 0), (12, 0), (17, 0), (21, 0))),
            "reflect": Daily(((1, 45),)),
            "hygiene": Daily(((2, 15),)),
        },
        events=events,
        active=(6 * 60, 22 * 60),
        quiet=None,
        late={"reflect": 6 * 60, "heartbeat": 4 * 60},
    )


def _looks(quick: bool) -> dict[str, float]:
    return {"reconcile": 6 * 3600.0, "checkpoint": 12 * 3600.0} if quick else {}


def _own(quick: bool) -> dict[str, Rhythm]:
    """Return the rhythms of the jobs that only keep the daemon in order."""
    reconcile, checkpoint = (6 * 60, 12 * 60) if quick else (15, 60)
    return {"reconcile": Period(reconcile), "checkpoint": Period(checkpoint)}


def _edited(at: str, *looks: Look, more: str = "") -> Edited:
    lines = [*(f"- [ ] {look.text}" for look in looks), *([more] if more else [])]
    return Edited(at, (_INTRO + "".join(f"{line}\n" for line in lines) + _OUTRO).encode(), looks)


def _nights(
    first: date, days: int, start: str, end: str, but: Sequence[str] = ()
) -> Iterator[Asleep]:
    for number in range(days - 1):
        day = first + timedelta(number)
        if f"{day:%m-%d}" not in but:
            yield Asleep(f"{day:%m-%d} {start}", f"{day + timedelta(1):%m-%d} {end}")


_SMALL_THINGS: Final = (
    ("Loft", "Oak planks lie in the loft."),
    ("Nele", "Nele paints boats in oil."),
    ("Bakery", "The bakery sells rye bread."),
    ("Oskar", "Oskar repairs old clocks."),
    ("Garden", "Beans grow along the fence."),
    ("Priya", "Priya studies glaciers in Bergen."),
    ("Choir", "The choir sings Haydn."),
    ("Bike", "The bike has a new chain."),
    ("Tom", "Tom keeps three geese."),
    ("Library", "The library moved to the mill."),
    ("Kiln", "The kiln is fired with beech."),
    ("Sami", "Sami plays the oboe."),
    ("Roof", "The roof is of slate."),
    ("Greta", "Greta brews cider from quinces."),
    ("Cellar", "Potatoes are stored in the cellar."),
    ("Abel", "Abel translates Finnish novels."),
    ("Well", "The well has clear water."),
    ("Uma", "Uma teaches chess to children."),
    ("Barn", "Swallows nest in the barn."),
    ("Piotr", "Piotr drives the milk lorry."),
    ("Attic", "The attic smells of camphor."),
    ("Lotte", "Lotte binds books in linen."),
    ("Bridge", "The bridge is made of larch."),
    ("Ravi", "Ravi collects maps of canals."),
    ("Orchard", "The orchard has medlar trees."),
    ("Ines", "Ines grinds lenses for telescopes."),
    ("Stove", "The stove burns peat."),
    ("Yusuf", "Yusuf weaves baskets from willow."),
    ("Pond", "Newts live in the pond."),
    ("Clara", "Clara photographs lighthouses."),
    ("Shed", "The shed holds two canoes."),
)
"""Something to remember of each day, which none of the checklists asks about."""


def _daily(first: date, days: int, at: str, but: Sequence[int]) -> Iterator[Told]:
    """Yield a small fact for each day but some, by number."""
    for number in range(days):
        if number not in but:
            entity, said = _SMALL_THINGS[number]
            yield Told(f"{first + timedelta(number):%m-%d} {at}", entity, said)
