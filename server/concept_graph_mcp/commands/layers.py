"""Declare the owner's commands over each layer: `memories`, `entities` and `concept`."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import click

from conceptgraph_core.entities import names, schema
from conceptgraph_core.entities.narration import sentences
from conceptgraph_core.graph.layers import SHARED
from conceptgraph_core.jobs.schema import BATCH, MAX_BATCH
from conceptgraph_core.memories import fade
from conceptgraph_core.retrieval import schema as words
from conceptgraph_core.texts.dates import DAY_MS
from conceptgraph_core.texts.text import show_name
from conceptgraph_core.verbs.errors import NotFound

from ..calls import concepts
from ..calls import entities as of_entities
from ..calls import everyday as everyday_calls
from ..calls import memories as of_memories
from ..calls.verb import Verb
from ..errors import Refused
from ..hosts.store import Keeper
from ..session import Session
from .common import (
    AS_JSON,
    SHARED_CONCEPTS,
    YES,
    Failure,
    Number,
    configured,
    print_json,
    say,
    with_keeper,
)
from .group import Topic
from .of_verbs import LEFT_OUT, Given, Made, Row, date, make_command, show_line

_WHO = "is an entity_id, or a name that only one entity has."
_STATE = {"name": "--state", "help": "Only those in this state; may be given again."}
_FILTERS = {"states": _STATE, "tags": {"name": "--tag", "help": "Only those with this tag."}}
_TOLD: dict[str, Any] = {
    "reason": {
        "help": "The reason; the ledger keeps it permanently.",
        "required": False,
        "default": "the owner said so",
    },
    "said": {
        "metavar": "TEXT",
        "required": False,
        "help": "Your words, quoted; they must contain a name of each.",
    },
}
_NAMED = 5


# Memories


async def _note_expired(session: Session, given: Given, rows: list[Row]) -> Given:
    """Add how many expired memories match, where the list has none and is not full."""
    limit, states = given.get("limit", 0), given.get("states", ())
    if len(rows) >= limit or states or given.get("tags"):
        return {}
    call = of_memories.expired(session.user_id, given.get("query"), 1)
    gone = await session.run(call)
    told = f"expired besides: {gone[0]['total']:,}; memories expired lists them" if gone else None
    return {"notes": [told] if told else []}


async def _find_memories(session: Session, given: Given) -> list[Row]:
    by = partial(session.call, of_memories.search, **given, explained=True)
    rows, advice = await session.answered(given["query"], by)
    given["advice"] = advice
    return rows


async def _note_found(session: Session, given: Given, rows: list[Row]) -> Given:
    [counted] = await session.run(of_memories.unindexed(session.user_id))
    lacking = words.lacking(counted["memories"], "memories") if counted["memories"] else None
    expired = (await _note_expired(session, given, rows)).get("notes", ())
    return {"notes": [*filter(None, (given["advice"], lacking)), *expired]}


async def _add_links(session: Session, given: Given, rows: list[Row]) -> Given:
    [row] = rows
    if row["deleted_at"] is not None or row["state"] == fade.EXPIRED:
        return {"links": []}
    fields = ("memory_id", "text", "relation", "direction", "strength")
    linked = await session.run(of_memories.connected(given["memory_id"]))
    return {"links": [{name: link[name] for name in fields} for link in linked]}


async def _restore_all(session: Session, given: Given) -> list[Row]:
    ids = dict.fromkeys(given["id"])
    done = [await session.run(session.call(everyday_calls.restore, id=one)) for one in ids]
    return [row for rows in done for row in rows]


async def _name_kept(_: Session, __: Given, rows: list[Row]) -> Given:
    kept = [str(row["id"]) for row in rows if not row["restored"]]
    return {"notes": [f"was there all the time: {', '.join(kept)}"] if kept else []}


@click.command()
@click.argument("ids", metavar="[ID...]", nargs=-1)
@click.option(
    "--older-than",
    metavar="DAYS",
    type=Number(min=0, min_open=True, max=100_000),
    help="Purge all that were forgotten or expired longer ago than this.",
)
@click.option("--dry-run", is_flag=True, help="Only print what would be removed.")
@YES
@AS_JSON
@click.pass_obj
def purge(
    embedded: str | None,
    ids: tuple[str, ...],
    older_than: float | None,
    *,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Permanently delete forgotten or expired memories, by id or by --older-than.

    Forgotten entities, facts and mentions too, each by the id that it was forgotten by.

    Without either, those that CONCEPT_GRAPH_RETENTION_DAYS lets the worker remove.

    Shows first what that is. Nothing brings back what is purged but a backup.
    """
    if ids and older_than is not None:
        raise click.UsageError("name memories, or say --older-than DAYS, not both")
    window = None if older_than is None else max(1, round(older_than * DAY_MS))
    window = 1 if ids else window or configured(embedded).retention_ms
    if window is None:
        raise click.UsageError(
            "name memories, or say --older-than DAYS; CONCEPT_GRAPH_RETENTION_DAYS is not set"
        )

    async def work(session: Session, keeper: Keeper) -> None:
        if ids:
            gone = [await _find_gone(session, one) for one in dict.fromkeys(ids)]
        else:
            gone = await _list_purgeable(session, window)
        if not as_json:
            for row in gone:
                say(show_line(date(session, row), ("forgotten_at",)))
            if not gone:
                say("There is nothing to purge.")
        if gone and not (dry_run or yes):
            click.confirm("Remove them for ever?", abort=True, err=as_json)
        removed = 0 if dry_run else await _delete_gone(session, window, gone)
        are_more = not (ids or dry_run) and bool(await _list_purgeable(session, window))
        if as_json:
            rows = [{**date(session, row)} for row in gone]
            print_json({"removed": removed, "found": rows, "more": are_more})
        elif removed:
            say(f"Removed: {removed:,}.")
            if are_more:
                say("There are more; the same command removes them.")
        if removed:
            await keeper.overwrite_removed()

    with_keeper(embedded, work)


async def _list_purgeable(session: Session, window: int) -> list[Row]:
    kept = await session.run(of_memories.purgeable(window, MAX_BATCH))
    others = await session.run(of_entities.purgeable(window, MAX_BATCH))
    return [*map(_name_gone, kept), *others]


def _name_gone(row: Row) -> Row:
    """Return a memory's row in the form of other things that were forgotten."""
    text = row.get("text") or row.get("summary") or row["content"]
    gone = {"id": row["memory_id"], "forgotten_at": row["deleted_at"], "text": text}
    return {**gone, "kind": "memory"}


async def _find_gone(session: Session, id_: str) -> Row:
    """Return what was forgotten by that id. Raises Failure, or Refused if there is none."""
    if rows := await session.run(of_entities.purge(1, [id_], dry_run=True)):
        return rows[0]
    [row] = await session.run(of_memories.show(id_))
    if row["deleted_at"] is None:
        raise Failure(
            f"memory: {id_} is {row['state']}; only what is forgotten or expired is purged:"
            " forget it first (memory_node_forget)"
        )
    return _name_gone(row)


async def _delete_gone(session: Session, window: int, gone: Sequence[Row]) -> int:
    """Delete for ever what is *gone*, and return how many elements that are."""
    removed = 0
    for first in range(0, len(gone), BATCH):
        batch = gone[first : first + BATCH]
        if memory_ids := [row["id"] for row in batch if row["kind"] == "memory"]:
            call = of_memories.purge(window, memory_ids)
            removed += len(await session.run(call))
        if others := [row["id"] for row in batch if row["kind"] != "memory"]:
            removed += len(await session.run(of_entities.purge(window, others)))
    return removed


# Entities


async def _find_entity(session: Session, who: str) -> str:
    """Return the id of the entity *who*: an id, or a name that only one entity has."""
    try:
        [row] = await session.run(of_entities.get(who, limit=1))
        return str(row["entity_id"])
    except Refused as refused:
        if not who.strip():
            raise
        call = session.call(of_entities.search, query=who, limit=2 * _NAMED, include_inactive=True)
        # A search finds any part of a label; the whole name has the score 1.
        is_name = bool(names.canonical(who))
        found = [one for one in await session.run(call) if one["score"] == 1.0] if is_name else []
        if not found:
            if not issubclass(refused.kind, NotFound):
                raise
            line = f"{who}: no entity has this name or id; entities list prints them"
            raise Failure(line) from None
    if len(found) > 1:
        ids = ", ".join(f"{one['entity_id']} ({one['kind'] or one['type']})" for one in found)
        raise Failure(f"{who}: several are called so; name one by its id: {ids}")
    return str(found[0]["entity_id"])


async def _show_entities(session: Session, **given: Any) -> list[Row]:
    ids = [given[one] for one in ("entity_id", "source_id", "target_id") if one in given]
    rows = [await session.run(of_entities.get(one, limit=1)) for one in ids]
    return [row for found in rows for row in found]


async def _settle(verb: Verb[Any], session: Session, given: Given) -> list[Row]:
    """Run what the owner settles: by the words that are quoted, or by nobody's."""
    call = session.call(verb, **{"said": None, **given})
    [done] = await session.run(call._replace(context={**call.context, "owner": True}))
    if done["verdict"] == schema.CANDIDATE:
        raise Failure(f"kept as a question, not done: {done['reason']}")
    return [done]


async def _split(session: Session, given: Given) -> list[Row]:
    if ("mention_ids" in given) == ("since" in given):
        raise click.UsageError("name what moves by MENTION_IDS or --since, one of them")
    return await _settle(of_entities.split, session, {"mention_ids": (), "since": None, **given})


async def _explain(session: Session, given: Given) -> list[Row]:
    """Return the reasons; two entities and a type mean an edge."""
    edge = given.pop("target", None)
    if (edge is None) != ("type" not in given):
        raise click.UsageError("an edge is named by TARGET and --type, both")
    if edge is not None:
        given |= {"source": given.pop("entity_id"), "target": edge}
    rows = await session.run(session.call(of_entities.explain, **given))
    day = session.show_day
    return [{"text": sentences.written(row["parts"], day), "ids": dict(row["ids"])} for row in rows]


async def _show_entry(session: Session, merge_id: str, **_: Any) -> list[Row]:
    return await session.run(of_entities.merges(merge_id, 1))


_ENTRY = ("action", "source", "target", "by", "created_at", "is_active", "reason", "unmerged_at")


_KINDS = ("kind", "type")


# Concepts


async def _preview(verb: Verb[Any], session: Session, **given: Any) -> list[Row]:
    return await session.run(session.call(verb, **{**given, "dry_run": True}))


async def _note_shared(session: Session, _: Given, rows: list[Row]) -> Given:
    is_shared = session.concept_scope == SHARED
    return {"notes": [SHARED_CONCEPTS] if is_shared and not rows else []}


async def _name_unknown(session: Session, given: Given, _: list[Row]) -> Given:
    unknown = await session.run(concepts.unknown(given["seeds"], session.concept_scope))
    said = []
    for row in unknown:
        similar = f" (similar: {', '.join(row['similar'])})" if row["similar"] else ""
        said.append(f"Nothing is called {show_name(row['seed'])}{similar}.")
    shared = [SHARED_CONCEPTS] if unknown and session.concept_scope == SHARED else []
    return {"unknown": unknown, "notes": said + shared}


async def _peek(session: Session, given: Given) -> list[Row]:
    return await session.run(session.call(concepts.peek, **given).with_fields("end"))


async def _search_concepts(session: Session, given: Given) -> list[Row]:
    rows = await session.run(session.call(concepts.concept_search, **given))
    return [row for row in rows if row["matched"]] if given.get("keywords") else rows


async def _note_unindexed(session: Session, given: Given, rows: list[Row]) -> Given:
    [counted] = await session.run(concepts.unindexed(session.concept_scope))
    lacking = words.lacking(counted["episodes"], "episodes") if counted["episodes"] else None
    shared = (await _note_shared(session, given, rows))["notes"]
    return {"notes": [*filter(None, (lacking,)), *shared]}


_NOW = {"dry_run": False}
_GROUPS: dict[str, tuple[str, Sequence[Made]]] = {
    "memories": (
        "List, show, find, restore, relink or purge the memories of CONCEPT_GRAPH_USER.",
        (
            Made(
                *("list", of_memories.listed),
                "Print memories, the latest accessed first, including forgotten and expired ones.",
                options=_FILTERS,
                what="memories",
                fields=("state", "forgotten", "preserved", "accessed_at"),
                nothing="No such memory is kept.",
                adds=_note_expired,
            ),
            Made(
                *("show", of_memories.show),
                "Print a complete memory and its links, without counting an access.",
                given=("memory_id",),
                adds=_add_links,
            ),
            Made(
                *("search", of_memories.search),
                "Print the memories that QUERY, a question or a sentence, finds, the best first."
                " Nothing changes; what is forgotten or expired is not found.",
                given=("query...",),
                options={**_FILTERS, "source_filter": LEFT_OUT, "types": LEFT_OUT},
                what="memories",
                fields=("state", "score"),
                nothing="No memory says any of that.",
                finds=_find_memories,
                adds=_note_found,
                looks=True,
            ),
            Made(
                *("expired", of_memories.expired),
                "Print the forgotten and expired memories, or those that QUERY finds.",
                given=("query...",),
                options=dict.fromkeys(("source_filter", "types", "tags"), LEFT_OUT),
                passes={"forgotten": True},
                what="memories",
                fields=("forgotten", "deleted_at"),
                nothing="Nothing that was forgotten or has expired says any of that.",
            ),
            Made(
                *("restore", everyday_calls.restore),
                "Restore forgotten or expired memories, or forgotten facts, mentions and entities."
                " This counts as access.",
                given=("id...",),
                what="restored",
                fields=("restored", "state"),
                finds=_restore_all,
                adds=_name_kept,
            ),
            Made(
                *("relink", of_memories.relink),
                "Restore a removed link from SOURCE to TARGET with its former strength.",
                given=("source_id", "target_id"),
            ),
        ),
    ),
    "entities": (
        "List, show, explain, merge, split, end or unmerge entities of CONCEPT_GRAPH_USER.",
        (
            Made(
                *("list", of_entities.listed),
                "Print entities, the latest mentioned first, including merged and inactive ones.",
                options={"statuses": {"name": "--status"}},
                what="entities",
                fields=("kind", "type", "status", "trust", "last_activated", "inferred"),
                nothing="No such entity is kept.",
            ),
            Made(
                *("show", of_entities.get),
                f"Print everything known about an entity. ENTITY {_WHO}",
                given=("entity_id",),
                options=dict.fromkeys(("valid_at", "known_at"), LEFT_OUT),
                reads={"entity_id": _find_entity},
            ),
            Made(
                *("explain", of_entities.explain),
                "Explain why an entity is trusted, active, merged or gone; or, with TARGET and"
                f" --type, how the edge between the two came about. Each {_WHO}",
                given=("entity_id", "target"),
                options={"source": LEFT_OUT},
                what="rows",
                reads={"entity_id": _find_entity, "target": _find_entity},
                finds=_explain,
            ),
            Made(
                *("merge", of_entities.merge),
                f"Treat SOURCE as TARGET from now on; `unmerge` undoes it. Each {_WHO}",
                given=("source_id", "target_id"),
                options=_TOLD,
                reads={"source_id": _find_entity, "target_id": _find_entity},
                passes={"by": schema.USER_CORRECTION},
                fields=_KINDS,
                asks=_show_entities,
                finds=partial(_settle, of_entities.merge),
            ),
            Made(
                *("split", of_entities.split),
                "Let mentions and facts of ENTITY be another's of that name: those that are named,"
                f" or all since a date. `unmerge` takes it back. ENTITY {_WHO}",
                given=("entity_id", "mention_ids..."),
                options={**_TOLD, "since": {"required": False}, "mention_ids": LEFT_OUT},
                reads={"entity_id": _find_entity},
                fields=_KINDS,
                asks=_show_entities,
                finds=_split,
            ),
            Made(
                *("end", of_entities.end),
                "End ENTITY, now or at --until: the name means another entity from then on."
                f" `unmerge` takes it back. ENTITY {_WHO}",
                given=("entity_id",),
                options={**_TOLD, "valid_until": {"name": "--until"}},
                reads={"entity_id": _find_entity},
                fields=_KINDS,
                asks=_show_entities,
                finds=partial(_settle, of_entities.end),
            ),
            Made(
                *("unmerge", of_entities.unmerge),
                "Undo an entry of the ledger: a merge, a split, an end, or a separation. The night"
                " does not merge two again whose merge was taken back.",
                given=("merge_id",),
                options=_TOLD,
                fields=_ENTRY,
                asks=_show_entry,
            ),
            Made(
                *("merges", of_entities.merges),
                "Print the ledger: merges, splits, ends and separations, latest first.",
                what="merges",
                fields=_ENTRY,
                nothing="Nothing was merged.",
            ),
        ),
    ),
    "concept": (
        "Recall, search, find, rename or remove concepts and episodes.",
        (
            Made(
                *("recall", concepts.peek),
                "Print what SEEDS bring to mind, strongest first. Seeds are concepts or ids of"
                " episodes. Nothing changes.",
                given=("seeds...",),
                options={
                    "max_hop": {"name": "--hops"},
                    "limit": {"default": 20, "show_default": True},
                },
                what="propositions",
                fields=("score", "valence"),
                nothing="Nothing comes to mind; concept search shows what there is.",
                finds=_peek,
                adds=_name_unknown,
                looks=True,
            ),
            Made(
                *("search", concepts.concept_search),
                "Print the concepts whose name contains one of KEYWORDS; without any, the most"
                " aroused. Exact matches come first, then names that begin with a keyword, then"
                " names with a word that does.",
                given=("keywords...",),
                what="concepts",
                fields=("arousal",),
                nothing="No concept matches.",
                finds=_search_concepts,
                adds=_note_shared,
                looks=True,
            ),
            Made(
                *("find", concepts.associate),
                "Print the episodes that QUERY, a question or a sentence, belongs to by its words."
                " The best come first. Nothing changes.",
                given=("query...",),
                what="episodes",
                fields=("score",),
                nothing="No episode says any of that.",
                adds=_note_unindexed,
                looks=True,
            ),
            Made(
                *("rename", concepts.rename),
                "Give CONCEPT the name NEW_NAME; its feelings, relations and episodes stay.",
                given=("concept", "new_name"),
                passes=_NOW,
                what="renamed",
                fields=("kind",),
                asks=partial(_preview, concepts.rename),
            ),
            Made(
                *("remove", concepts.remove),
                "Remove a concept, or an episode (by its id), with all of its relations.",
                given=("name",),
                passes=_NOW,
                what="removed",
                fields=("kind",),
                asks=partial(_preview, concepts.remove),
            ),
            Made(
                *("remove-relation", concepts.remove_relation),
                "Remove the relation SOURCE RELATION_TYPE TARGET.",
                given=("source", "relation_type", "target"),
                passes=_NOW,
                what="removed",
                fields=("kind",),
                asks=partial(_preview, concepts.remove_relation),
            ),
        ),
    ),
}


def _make_group(name: str) -> click.Group:
    told, made = _GROUPS[name]
    return Topic(name, help=told, commands={one.name: make_command(one) for one in made})


memories, entities, concept = map(_make_group, _GROUPS)
memories.add_command(purge)
