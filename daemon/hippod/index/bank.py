"""What pages say of names and of facts: the tables `names` and `supersessions`, and evidence.

All of it is looked up when it is asked for, so it works whichever document was indexed first
and ends with the document that says it.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import apsw

from hippod import chunks, markdown, pages
from hippod.folding import transcribed, unaccented
from hippod.index.schema import LISTED, select
from hippod.query import entity_key
from hippod.wire import Evidence

_MOST_EVIDENCE = 20
"""Pieces of evidence that come with an opinion, the last ones of the ledger."""
_SHORTEST = 2
"""Characters of a word that is nobody's name without its accents: "là" is not "LA"."""


def insert(connection: apsw.Connection, number: int, path: str, text: str) -> None:
    """Store what the document of that number says of names and of superseded facts."""
    is_page = pages.is_entity_page(path)
    if not is_page and not pages.may_supersede(text):
        return
    document = markdown.parse(text)
    private = chunks.private_lines(document.lines)
    if is_page:
        page = pages.entity_page(path, document, private)
        _insert_names(connection, number, page, private=False)
    if is_page and not private.isdisjoint(range(1, document.front_matter + 1)):
        _insert_names(connection, number, pages.entity_page(path, document), private=True)
    connection.executemany(
        """INSERT INTO supersessions VALUES(?, ?, ?, ?, ?)
           ON CONFLICT DO UPDATE SET private = min(private, excluded.private)""",
        (
            (each.old, each.new, number, each.day and each.day.isoformat(), each.line in private)
            for each in pages.supersessions(document)
        ),
    )


def delete(connection: apsw.Connection, number: int) -> None:
    """Forget what a document said."""
    connection.execute("DELETE FROM names WHERE document = ?", (number,))
    connection.execute("DELETE FROM supersessions WHERE document = ?", (number,))


def _insert_names(
    connection: apsw.Connection, number: int, page: pages.EntityPage | None, *, private: bool
) -> None:
    if page is None:
        return
    entity = entity_key(page.entity)
    same = {entity, *map(entity_key, page.aliases)}
    same |= {plain for each in same for plain in _without_accents(each)}
    others = set(map(entity_key, page.others)) - {entity}
    connection.executemany(
        "INSERT OR IGNORE INTO names VALUES(?, ?, ?, ?, ?)",
        (
            (key, entity, number, other, private)
            for keys, other in ((same, False), (others, True))
            for key in sorted(keys)
        ),
    )


def _without_accents(key: str) -> tuple[str, ...]:
    """Return how people may write a name who have no accents, or spare them."""
    plain = unaccented(key), unaccented(transcribed(key))
    return plain if len(key) > _SHORTEST else ()


class Bank:
    """Questions to those tables, as far as `seen` reaches: numbers of documents, None for all.

    With `seen`, private lines say nothing either.
    """

    def __init__(self, connection: apsw.Connection, seen: Sequence[int] | None) -> None:
        self._connection = connection
        self._seen = seen

    def same_entities(self, keys: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return the keys that entity pages know, with all keys of the same entities.

        The entity that a page is about comes before its other names. Two names of which some
        page says that they are not the same are not, whatever else pages say. Another name that
        pages of several entities claim stands for each of them if it is asked for, else for
        none; one that has a page of its own only for that. A key that no page knows is looked up
        without its accents.
        """
        asked = list(dict.fromkeys(keys))
        plain = {key: _without_accents(key)[:1] for key in asked if not key.isascii()}
        found = self._same({*asked, *chain.from_iterable(plain.values())})
        for key, (other, *_) in ((key, each) for key, each in plain.items() if each):
            if key not in found and other in found:
                found[key] = (*found[other], key)
        return {key: found[key] for key in asked if key in found}

    def _same(self, keys: Iterable[str]) -> dict[str, tuple[str, ...]]:
        rows = self._select(
            f"""WITH same AS NOT MATERIALIZED (
                    SELECT n.key, n.entity FROM names n WHERE NOT n.other {self._may_see("n")}
                    AND NOT EXISTS (SELECT 1 FROM names o WHERE o.other {self._may_see("o")}
                        AND (o.key, o.entity) IN ((n.key, n.entity), (n.entity, n.key)))),
                clear AS NOT MATERIALIZED (
                    SELECT key, entity FROM same WHERE key = entity OR NOT EXISTS (
                        SELECT 1 FROM same also
                        WHERE also.key = same.key AND also.entity <> same.entity)),
                asked AS NOT MATERIALIZED (
                    SELECT key, entity FROM same WHERE key = entity OR NOT EXISTS (
                        SELECT 1 FROM same own WHERE own.key = same.key AND own.entity = own.key))
                SELECT asked.key, each.entity, each.key
                FROM asked JOIN clear each ON each.entity = asked.entity
                WHERE asked.key IN {LISTED} ORDER BY asked.key, each.entity, each.key""",
            (*2 * self._values, json.dumps(list(keys))),
        )
        found: dict[str, dict[str, None]] = {}
        for asked, entity, key in rows:
            found.setdefault(asked, {}).update({entity: None, key: None})
        return {asked: tuple(names | {asked: None}) for asked, names in found.items()}

    def mentioned(self, keys: Iterable[str]) -> set[str]:
        """Return which of `keys` some unit mentions."""
        rows = self._select(
            f"""SELECT DISTINCT m.key FROM mentions m JOIN units u ON u.id = m.unit
                WHERE m.key IN {LISTED} {self._may_see("u")}""",
            (json.dumps(list(keys)), *self._values),
        )
        return {row[0] for row in rows}

    def superseded(self, ids: Iterable[str]) -> dict[str, str]:
        """Return by which fact each of these is superseded; the one known last of several."""
        rows = self._select(
            f"""SELECT s.old, s.new FROM supersessions s
                WHERE s.old IN {LISTED} {self._may_see("s")}
                ORDER BY coalesce(s.day, ''), s.new""",
            (json.dumps(sorted(ids)), *self._values),
        )
        return dict(rows)

    def evidence(self, stored: Mapping[int, str]) -> dict[int, tuple[Evidence, ...]]:
        """Return the evidence of units with what the facts say, where those may be seen."""
        rows = {unit: json.loads(text)[-_MOST_EVIDENCE:] for unit, text in stored.items()}
        places = self._facts({row[2] for listed in rows.values() for row in listed})
        return {
            unit: tuple(_evidence(places, *row) for row in listed) for unit, listed in rows.items()
        }

    def _facts(self, ids: Iterable[str]) -> dict[str, tuple[str, str]]:
        """Return source and content of facts by id."""
        rows = self._select(
            f"""SELECT u.fact_id, d.path, u.line_start, u.content
                FROM units u JOIN documents d ON d.id = u.document
                WHERE u.fact_id IN {LISTED} {self._may_see("u")}
                ORDER BY d.path DESC, u.position DESC""",
            (json.dumps(sorted(ids)), *self._values),
        )
        return {id_: (f"{path}#L{line}", content) for id_, path, line, content in rows}

    def not_superseded_by(self, day: str) -> tuple[str, Sequence[Any]]:
        """Return a condition on `units u`, and its values: not superseded on that ISO day.

        A fact ends when the new one begins to hold, else when that was known.
        """
        sql = f"""NOT EXISTS (SELECT 1 FROM supersessions s
            LEFT JOIN units n ON n.fact_id = s.new {self._may_see("n")}
            WHERE s.old = coalesce(u.fact_id, u.restates) {self._may_see("s")}
            AND coalesce(n.valid_from, s.day, substr(n.timestamp, 1, 10), '') <= ?)"""
        return sql, [*2 * self._values, day]

    def _may_see(self, table: str) -> str:
        if self._seen is None:
            return ""
        return f"AND {table}.document IN {LISTED} AND NOT {table}.private"

    @property
    def _values(self) -> tuple[str, ...]:
        return () if self._seen is None else (json.dumps(self._seen),)

    def _select(self, sql: str, values: Sequence[Any]) -> Iterable[tuple[Any, ...]]:
        return select(self._connection, sql, values)


def _evidence(
    places: Mapping[str, tuple[str, str]],
    stance: Any,
    target: str,
    block: str,
    quote: str,
    weight: float,
) -> Evidence:
    source, content = places.get(block, (target, quote))
    return Evidence(stance=stance, source=source, weight=weight, content=content)
