"""The words that the year is made of, and the wordings of each thing that is said.

`{v}` is a value, `{old}` the one before, `{n}` the name of whom it is about, `{t}` a topic, `{a}`
and `{b}` the two sides of a preference. Everything is said in several wordings, so that nothing
is gained by knowing one.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Attribute:
    """What somebody or something has one of at a time: wordings of a value, and of a new one."""

    name: str
    values: tuple[str, ...]
    says: tuple[str, ...]
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Predicate:
    """A sort of opinion: wordings for it, against it, against it after it was held, and neither."""

    topics: tuple[tuple[str, ...], ...]
    pro: tuple[str, ...]
    contra: tuple[str, ...]
    turns: tuple[str, ...]
    neither: tuple[str, ...]


def _words(text: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in text.split(","))


FIRST_NAMES = _words(
    "Maria, Peter, Dana, Jonas, Aisha, Tomás, Zoë, Lena, Marek, Ingrid, Oscar, Yuki, Farid, "
    "Nadia, Åsa, Paul, Clara, Bruno, Elif, Hugo, Iris, Viktor, Noor, Samuel, René, Jürgen, Olga, "
    "Theo, Amara, Gustav, Mila, Anne-Marie, Ravi, Sofia, Dmitri, Wanda, Kofi, Lucía, Emil, Hanne"
)
LAST_NAMES = _words(
    "Lindqvist, Whitfield, Okafor, Brandt, Muñoz, Novak, Haddad, Öberg, Castellani, Petrov, "
    "Keller, Tanaka, Moreau, Silva, Jansen, Kowalski, Groß, Fraser, Demir, Nguyen, Abebe, "
    "Horvath, Rossi, Bergström, Achebe, Dupont, Varga, Eriksen, Malik, Zimmer, Sørensen, Quist, "
    "Albrecht, Pavlova"
)
OTHER_SCRIPTS = _words("Иван-Соколов, Ольга-Соколова, 山田太郎, 王小明, Νίκος-Παππάς")
NICKNAMES = _words(
    "Bibi, Dax, Fitz, Gigi, Juno, Kiko, Lulu, Mimo, Nell, Pip, Quinn, Rio, Suki, Tibo, Uli, Vee, "
    "Wim, Xan, Yaya, Zuzu, Bo, Coco, Dodo, Flo, Hap, Ike, Jojo, Kit, Lolo, Mac"
)
PROJECTS = _words(
    "Kestrel, Kestrel-2, Alpha, Alpha-Relay, Beacon, Copperfield, Driftwood, Ember, Foxglove, "
    "Gannet, Halcyon, Ironbark, Juniper, Kingfisher, Lantern, Mistral, Northwind, Osprey, "
    "Pinewood, Quarry, Redwood, Saltmarsh, Tamarack, Umbra, Verbena, Willow, Yarrow, Zephyr, "
    "Atlas, Basalt, Cinder, Dovetail, Everglade, Fathom, Granite, Harbour, Inkwell, Jetty, "
    "Keystone, Lodestar, Meridian, Nimbus, Obsidian-Gate, Palisade, Quicksilver, Rookery, "
    "Sextant, Threshold, Undertow, Vantage, Wayfarer, Xenon, Yonder, Zenith, Anvil, Bramble, "
    "Cobalt, Dynamo, Estuary, Flint"
)
TOOLS = _words(
    "Quill.js, Fast-Cache, Data-Lint, Node.js, PostgreSQL, Type-Forge, Sky.js, Log-Pipe, Grid-DB, "
    "Mono-Build, Vector.io, Draft-Kit, Hex-Edit, Queue-Bus, Sand-Box, Trace-Hub, Form-Flow, "
    "Paper.js, Snap-Test, Tag-Store, Wire-Guardian, Zip-Stream, Auth-Gate, Blob-Fs, Chart.js, "
    "Deploy-Bot, Edge-Proxy, Flag-Ship, Git-Mirror, Hash-Map, Index-Ray, Job-Runner, Key-Ring, "
    "Load-Test, Mail-Drop, Net-Probe, Object-Vault, Page-Turn, Query-Lab, Rate-Limit, "
    "Schema-Sync, Task-Tree, Unit-Bench, View-Port, Web-Hook, Xml-Sieve, Yaml-Check, Zone-File, "
    "Bit-Torch, Core-Dump"
)
COMPANIES = _words(
    "Brightwater, Nordlicht, Tessera, Halden-Energy, Casa-Lupo, Orchid-Labs, Pelican-Foods, "
    "Stellwerk, Tidewater, Umber-Studio, Vela-Health, Westgate, Aurora-Bank, Birch-and-Sons, "
    "Cedar-Clinic, Dune-Travel, Elm-Press, Fjord-Line, Gable-Homes, Hearth-Bakery, Ivory-Keys, "
    "Jade-Garden, Kiln-Works, Larch-Legal, Maple-Motors, Nest-Insurance, Opal-Optics, "
    "Pine-Telecom, Quartz-Mining, Reed-Music"
)
CITIES = _words(
    "Graz, Linz, Bergen, Lisbon, Ghent, Porto, Malmö, Turin, Leipzig, Krakow, Riga, Nantes, "
    "Seville, Utrecht, Brno, Aarhus, Split, Cork, Trieste, Tartu, Basel, Lyon, Valencia, Bath, "
    "Oulu, Sofia, Zagreb, Genoa, Bilbao, Dresden"
)
_ROLES = _words(
    "data engineer, team lead, nurse, product manager, accountant, designer, translator, site "
    "manager, head of support, research assistant, recruiter, architect, editor, security "
    "analyst, sales lead, technician, teacher, consultant"
)
_CARS = _words(
    "a Skoda Fabia, a Renault Zoe, a Volvo V60, a Fiat Panda, a Kia Niro, a Mazda 3, a Toyota "
    "Yaris, a Dacia Spring, a Seat Leon, a Honda Jazz"
)
_DATABASES = _words("MySQL, SQLite, MariaDB, MongoDB, Redis, CockroachDB, DuckDB, Oracle, Firebird")
_HOSTS = _words("Hetzner, OVH, Scaleway, Linode, Exoscale, Netcup, Fly, Render, Vultr")
_STATUSES = _words("on hold, in beta, in planning, in production, in review, being rewritten")
_PORTS = _words("8080, 9090, 3000, 5000, 7070, 8443, 6060, 4200, 8888, 9200, 5173")
_VERSIONS = tuple(f"{major}.{minor}" for major in range(1, 6) for minor in range(9))
_SUMS = tuple(f"{n * 250:,}" for n in range(12, 80))
_SIZES = tuple(map(str, range(3, 40)))
_MONTHS = _words(
    "January, February, March, April, June, July, August, September, October, November, December"
)
_DATES = tuple(f"{day} {month}" for month in _MONTHS for day in range(2, 29, 3))
_PHONES = tuple(f"0664 555 {n:04}" for n in range(1000, 9000, 37))

PEOPLE = "{people}"
"""Stands for the names of the year's people, `EMPLOYERS` for those of its companies."""
EMPLOYERS = "{companies}"

ATTRIBUTES: dict[str, tuple[Attribute, ...]] = {
    "person": (
        Attribute("city", CITIES,
            ("Lives in {v}.", "{n} lives in {v}.", "Home is a flat in {v}.", "Is at home in {v}."),
            ("Moved to {v}.", "{n} has moved to {v}.", "Lives in {v} now.",
             "Relocated from {old} to {v}.", "No longer lives in {old} but in {v}.")),
        Attribute("employer", (EMPLOYERS,),
            ("Works at {v}.", "{n} works for {v}.", "Is employed at {v}.", "Has a job at {v}."),
            ("Started a new job at {v}.", "Left {old} and joined {v}.", "{n} works for {v} now.",
             "Switched from {old} to {v}.", "Is now employed at {v}.")),
        Attribute("role", _ROLES,
            ("Works as {v}.", "{n} is a {v}.", "Job title is {v}."),
            ("Was promoted to {v}.", "Works as {v} now.", "{n} is now {v} instead of {old}.",
             "Job title changed from {old} to {v}.")),
        Attribute("manager", (PEOPLE,),
            ("Reports to {v}.", "{v} is the manager of {n}.", "Has {v} as manager."),
            ("Reports to {v} now.", "New manager is {v}.",
             "Reports to {v} instead of {old}.", "{v} took over from {old} as manager of {n}.")),
        Attribute("phone", _PHONES,
            ("Phone number is {v}.", "{n} can be called at {v}.", "Mobile number: {v}."),
            ("New phone number is {v}.", "Phone number changed to {v}.",
             "{n} has a new number, {v}.", "Mobile number is {v} from now on.")),
        Attribute("car", _CARS,
            ("Drives {v}.", "{n} drives {v}.", "Gets around in {v}."),
            ("Sold the old car and drives {v} now.", "Drives {v} instead of {old}.",
             "Replaced {old} by {v}.", "{n} now drives {v}.")),
    ),
    "project": (
        Attribute("database", _DATABASES,
            ("Uses {v} as database.", "{n} stores its data in {v}.", "The database is {v}."),
            ("Migrated from {old} to {v}.", "{n} stores its data in {v} now.",
             "Switched the database to {v}.", "Decided to use {v} instead of {old}.")),
        Attribute("port", _PORTS,
            ("Listens on port {v}.", "{n} runs on port {v}.", "The port is {v}."),
            ("Port was changed to {v}.", "Listens on port {v} now.",
             "{n} moved from port {old} to port {v}.")),
        Attribute("deadline", _DATES,
            ("Deadline is {v}.", "{n} is due on {v}.", "Has to be finished by {v}."),
            ("Deadline was moved to {v}.", "Deadline was postponed from {old} to {v}.",
             "New deadline for {n} is {v}.", "Is due on {v} instead of {old}.")),
        Attribute("host", _HOSTS,
            ("Is hosted at {v}.", "{n} runs on servers of {v}.", "Hosting is at {v}."),
            ("Was moved from {old} to {v}.", "{n} is hosted at {v} now.",
             "Hosting was switched to {v}.")),
        Attribute("status", _STATUSES,
            ("Is {v}.", "{n} is {v}.", "The project is {v}."),
            ("Is {v} now.", "{n} is no longer {old} but {v}.", "The project is now {v}.")),
        Attribute("budget", _SUMS,
            ("Budget is {v} EUR.", "{n} has a budget of {v} EUR.", "May cost {v} EUR."),
            ("Budget was raised to {v} EUR.", "Budget was changed from {old} EUR to {v} EUR.",
             "New budget of {n}: {v} EUR.")),
        Attribute("team", _SIZES,
            ("Team has {v} people.", "{v} people work on {n}.", "Is built by a team of {v}."),
            ("Team has grown to {v} people.", "Team has {v} people now.",
             "Team size went from {old} to {v}.")),
    ),
    "tool": (
        Attribute("version", _VERSIONS,
            ("Current version is {v}.", "{n} is at version {v}.", "Version {v} is installed."),
            ("Was upgraded to version {v}.", "{n} is at version {v} now.",
             "Version {old} was replaced by version {v}.", "New version is {v}.")),
        Attribute("price", _SIZES,
            ("Costs {v} EUR a month.", "{n} is {v} EUR a month.", "Monthly price is {v} EUR."),
            ("Price was changed to {v} EUR a month.", "{n} costs {v} EUR a month now.",
             "Price went from {old} EUR to {v} EUR a month.")),
        Attribute("maintainer", (PEOPLE,),
            ("Is maintained by {v}.", "{v} maintains {n}.", "Maintainer is {v}."),
            ("Is maintained by {v} now.", "{v} took over the maintenance from {old}.",
             "New maintainer is {v}.")),
    ),
    "company": (
        Attribute("seat", CITIES,
            ("Head office is in {v}.", "{n} has its seat in {v}.", "Is based in {v}."),
            ("Moved its head office to {v}.", "Head office is in {v} now.",
             "Moved from {old} to {v}.")),
        Attribute("staff", _SUMS,
            ("Has {v} employees.", "{n} employs {v} people.", "{v} people work there."),
            ("Has {v} employees now.", "Staff went from {old} to {v} people.",
             "{n} employs {v} people by now.")),
    ),
}  # fmt: skip

_LIKED = _words(
    "remote work, the standing desk, long walks, spicy food, the new office, horror films, "
    "podcasts, open-plan offices, board games, night trains, cold showers, video calls, camping, "
    "jazz concerts, oat milk, early meetings, crossword puzzles, city bikes, public saunas, "
    "role-playing evenings, the company canteen, electric scooters, handwritten notes, mountain "
    "huts, audio books, winter swimming, garden work, street markets, dark chocolate, stand-up "
    "comedy"
)
_VALUED = _words(
    "the rewrite in Rust, the four-day week, the heat pump, pair programming, the monorepo, the "
    "design system, weekly reporting, the loyalty scheme, the merger, automated testing, the "
    "customer survey, the mentoring programme, the cloud contract, the office dog, the "
    "apprenticeship scheme, the solar roof, code review, the newsletter, the sales training, the "
    "data warehouse, the call centre, the trade fair, the style guide, the bonus system"
)
_PREFERRED = (
    ("tea", "coffee"), ("trains", "planes"), ("dark mode", "light mode"), ("cats", "dogs"),
    ("the sea", "the mountains"), ("Vim", "Emacs"), ("short answers", "long answers"),
    ("paper books", "e-books"), ("aisle seats", "window seats"), ("tabs", "spaces"),
    ("e-mail", "phone calls"), ("summer", "winter"), ("rye bread", "white bread"),
    ("morning shifts", "evening shifts"), ("novels", "biographies"), ("sparkling water", "juice"),
    ("small teams", "large teams"), ("Python", "Java"), ("bicycles", "cars"), ("rice", "potatoes"),
)  # fmt: skip

PREDICATES: dict[str, Predicate] = {
    "likes": Predicate(
        tuple((each,) for each in _LIKED),
        ("Likes {t}.", "Is fond of {t}.", "Really enjoys {t}.", "Loves {t}.",
         "Said again how much joy {t} brings.", "{n} is very happy with {t}."),
        ("Dislikes {t}.", "Does not like {t}.", "Cannot stand {t}.", "Hates {t}.",
         "{n} finds {t} unbearable.", "Is annoyed by {t}."),
        ("No longer likes {t}.", "Does not enjoy {t} any more.", "Has had enough of {t}.",
         "Is tired of {t} by now.", "{n} has gone off {t}."),
        ("Asked a question about {t}.", "Is not sure what to think of {t}.",
         "Read an article about {t}.", "According to a colleague, {t} can be a nuisance.",
         "Had to do without {t} this once.")),
    "values": Predicate(
        tuple((each,) for each in _VALUED),
        ("Thinks {t} is worth the effort.", "Believes that {t} pays off.",
         "Is convinced that {t} was the right decision.", "Supports {t}.",
         "{n} is in favour of {t}.", "Praised {t} again."),
        ("Thinks {t} is a waste of money.", "Considers {t} a mistake.",
         "Does not believe that {t} pays off.", "Is against {t}.", "{n} opposes {t}.",
         "Is sceptical of {t}."),
        ("No longer thinks {t} is worth the effort.", "Has lost faith in {t}.",
         "Changed sides and is against {t} now.", "Regrets having supported {t}."),
        ("Wants to know what {t} costs.", "Might look at {t} again.", "Wrote a memo on {t}.",
         "The works council is against {t}.", "Heard mixed reports about {t}.")),
    "prefers": Predicate(
        _PREFERRED,
        ("Prefers {a} to {b}.", "Would rather have {a} than {b}.", "Likes {a} more than {b}.",
         "Chose {a} over {b} again.", "{n} finds {a} better than {b}."),
        ("Prefers {b} to {a}.", "Would rather have {b} than {a}.", "Likes {b} more than {a}.",
         "Chose {b} over {a} again.", "{n} finds {b} better than {a}."),
        ("Prefers {b} to {a} now.", "Switched from {a} to {b}.", "No longer prefers {a} to {b}.",
         "Has come to like {b} more than {a}."),
        ("Asked whether there is {a} or {b}.", "Says {a} and {b} are equally fine.",
         "Compared {a} with {b} for an article.", "A cousin prefers {b} to {a}.",
         "Had {b} today because nothing else was left.")),
}  # fmt: skip

EVENTS: dict[str, tuple[str, ...]] = {
    "person": (
        "Met {person} for lunch.", "Ran {number} km in the rain.", "Paid {number} EUR for {thing}.",
        "Visited {city} for {number} days.", "Gave a talk about {theme} in {city}.",
        "Lost {thing} on the way to {city}.", "Finished a course on {theme}.",
        "Spent {number} hours on {theme}.", "Wrote {number} pages about {theme}.",
        "Helped {person} with {theme}.", "Was ill for {number} days.", "Bought {thing} in {city}.",
        "Invited {person} to dinner.", "Cooked for {number} guests.", "Repaired {thing}.",
        "Read a book about {theme}.", "Took {number} photos of {thing}.",
    ),
    "project": (
        "Fixed a crash in {part}.", "Released build {number} with a new {part}.",
        "Had an outage of {number} minutes.", "Closed {number} tickets about {part}.",
        "Reviewed {part} with {person}.", "Found a leak in {part}.", "Wrote tests for {part}.",
        "Measured {part}: {number} ms at the median.", "Presented {part} in {city}.",
        "Removed {number} lines from {part}.", "Rolled back {part} after {number} minutes.",
    ),
    "tool": (
        "Crashed while reading {number} files.", "Was used for {theme}.", "Broke on {part}.",
        "Took {number} seconds for {part}.", "Was evaluated by {person}.",
        "Got a patch for {part}.",
    ),
    "company": (
        "Sent an invoice over {number} EUR.", "Opened a shop in {city}.", "Hired {number} people.",
        "Sponsored a fair on {theme}.", "Cancelled an order of {number} boxes.",
        "Held a meeting with {person}.",
    ),
}  # fmt: skip
LISTS: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "person": (
        ("Speaks {v}.", _words("Italian, Japanese, Finnish, Arabic, Dutch, Czech, Welsh")),
        ("Plays {v}.", _words("the cello, the piano, the oboe, the drums, the trumpet, chess")),
        ("Owns {v}.", _words("a canoe, a tandem, a telescope, a loom, a kiln, a sewing machine")),
        ("Is allergic to {v}.", _words("peanuts, birch pollen, cats, penicillin, kiwi")),
        ("Has a sister called {v}.", _words("Ada, Bea, Cleo, Dora, Edda")),
    ),
    "project": (
        ("Supports {v}.", _words("OAuth, SAML, LDAP, WebAuthn, Kerberos")),
        ("Depends on {v}.", _words("numpy, httpx, attrs, protobuf, jinja")),
    ),
    "tool": (("Runs on {v}.", _words("Linux, macOS, Windows, FreeBSD, Solaris")),),
    "company": (("Sells {v}.", _words("lamps, carpets, insurance, tickets, software, bread")),),
}
THINGS = _words(
    "a lamp, the blue umbrella, an old radio, a pair of boots, the garden gate, a used camera, a "
    "wooden chair, the coffee machine, a tent, a violin case, the left pedal, a wool blanket"
)
THEMES = _words(
    "beekeeping, tax law, compilers, medieval maps, soil samples, queueing theory, typography, "
    "bird migration, insulation, contract design, sourdough, tide tables, noise filters, archives"
)
PARTS = _words(
    "the importer, the exporter, the login page, the scheduler, the search box, the parser, the "
    "billing module, the cache layer, the upload form, the retry loop, the audit log"
)
ALIASES = (
    "{n} is also called {v}.", "Goes by {v}.", "{v} is the nickname of {n}.",
    "Friends call {n} {v}.", "{n} is also known as {v}.", "{v} is short for {n}.",
)  # fmt: skip
ENTRIES = _words(
    "Session started, Looked at the mail, Lunch, Call with the team, Wrote the notes of the day, "
    "Cleaned up the desk, Session ended"
)
