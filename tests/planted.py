"""Secrets of many shapes, planted for tests that look where they come out again."""

import base64
from dataclasses import dataclass

_BODY = "q7Rk2ZpV9xLm4TnB8sWd3HfJ6yGc1Ea5"


@dataclass(frozen=True, slots=True)
class Secret:
    """A sentence as people say it, and the part of it that may stand nowhere else."""

    said: str
    part: str


def secrets(mark: str) -> list[Secret]:
    """Return secrets that nobody else plants: `mark` is four letters or digits of their own."""
    tail = f"{mark}{_BODY}"
    basic = base64.b64encode(f"ada:{mark}hunter22x".encode()).decode()
    made = [
        ("The deploy token of the wiki is {}.", f"ghp_{tail}"[:40]),
        ("We push with {} from the runner.", f"glpat-{tail}"[:26]),
        ("The key for the speech service is {}.", f"sk-proj-{tail}{_BODY}"),
        ("Payments run with {} for now.", f"sk_live_{tail}"[:32]),
        ("The maps use {} on the page.", f"AIza{tail}{_BODY}"[:39]),
        ("Ops uses AWS_SECRET_ACCESS_KEY={} there.", f"{tail}{_BODY}"[:40]),
        ("The bot posts with {} to the room.", f"xoxb-2040506070-3040506070-{tail}"[:57]),
        ("Publish with NPM_TOKEN={} please.", f"npm_{tail}"[:40]),
        ("The mailer has SENDGRID_API_KEY=SG.{} set.", f"{tail[:22]}.{tail}{mark}xyz"),
        ("The wifi password is {}", f"{mark}-Tulip-Anchor-9"),
        ("My password for the bank is {!r}, do not lose it.", f"{mark}!Kranich22"),
        ("Log in to the NAS with login admin / {}", f"{mark}hunter22x"),
        ("The database is postgres://app:{}@db.lan/prod today.", f"{mark}s3cretPw"),
        ("We fetch https://ada:{}@git.lan/repo.git at night.", f"{mark}s3cretGit"),
        ("Use the header Authorization: Bearer {}", f"{mark}.{_BODY}"),
        ("Use the header Authorization: Basic {}", basic),
        ("The session is {} until noon.", f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ{mark}MSJ9.{_BODY}"),
        ("API_KEY={} stands in the file.", f"{mark}{_BODY}"),
        ('The settings say "client_secret": "{}" there.', f"{mark}{_BODY}zz"),
        ("export MAIL_PASSWORD={}", f"{mark}Pa55phrase"),
        ("DB_PASSWORD: {}", f"{mark}Pa55phrase9"),
        ("The secret key of the alarm is {}.", f"{mark}9f3c1b7e2d4a6c8e0b1d3f5a7c9e2b4d"),
        ("The passphrase is {}", f"{mark} glacier violin tractor"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----",
            f"MIIE{tail}{_BODY}",
        ),
        ("The api key is {} for the weather.", f"{mark}{_BODY[::-1]}"),
    ]
    return [Secret(sentence.format(part), part) for sentence, part in made]


SENTENCES = (
    "Theodora hid the birthday telescope behind the piano.",
    "Ludmila decided to leave the choir after the spring concert.",
    "We buried the old tortoise under the medlar tree.",
    "Ottokar is afraid of the results from the clinic.",
    "The cottage in Zwiesel goes to our niece Ambrosia.",
)
"""Private, and no secrets: they belong into notes and answers, and into no log."""
WORDS = ("telescope", "choir", "tortoise", "clinic", "Zwiesel", "Ludmila", "Ambrosia", "medlar")
"""Words of them that nothing else says."""
