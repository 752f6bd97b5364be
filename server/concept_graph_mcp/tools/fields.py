"""Say what fields of results mean, once for all tools."""

from typing import Final

# Unix ms in a row, and in a result an ISO time with its zone.
TIMES: Final = {
    *("created_at", "accessed_at", "deleted_at", "last_decay_update", "next_state_at"),
    *("preserved_until", "last_activated", "valid_from", "valid_until"),
}
# Every row says these of the whole list.
LISTED_ONCE: Final = ("total", "truncated")
LEFT_OUT_IF_EMPTY: Final = frozenset(("also", "existing", "kept", "similar"))
_LACKING = "The missing evidence, if it is only a claim."
# By the name of the field, or of the tool and the field.
MEANINGS: Final = {
    # Memories
    "memory_id": "The memory's id; use it unchanged.",
    "state": "active, dormant, archived (still readable) or expired (hidden until restored).",
    "decay_score": "How present it is, 0 to 1; fades unless accessed.",
    "speaker": "The speaker, if it is a message.",
    "text": "Its summary, or else its content, cut where long.",
    "also": "How many more say the same in the same words.",
    "contradicted_by": "The memory_id of a later one that contradicts it.",
    "existing": "True: it was there; this counted as an access.",
    "kept": "Its own, kept in place of yours; memory_node_update sets it.",
    "similar": "Memories that say nearly the same: link or correct them.",
    "preserved": "Whether a tag or a date keeps it from fading.",
    "decay_rate": "Its own, per day.",
    "expired": "How many more there are that expired, if any; the owner restores them.",
    "total": "How many there are, counted up to a bound; only if limit cut some.",
    "truncated": "max_nodes or time_budget: why there is more than this.",
    "advice": "Why meaning was left out, or no access counted.",
    "strength": "How firm the link is now, 0 to 1; fades to 0.1 unless used.",
    "memory_node_link.created": "False: there was one already.",
    "relation": "The type of the link that leads there.",
    "direction": "outgoing or incoming: whether the link leads there, or comes from there.",
    "distance": "How many links away; the start is 0.",
    "depth": "How many links away; the start is 0.",
    "via": "The memory_id that it was reached from.",
    "average_connections": "Links at a memory, either way.",
    "isolated": "Memories without any link.",
    "score": "How well it fits. Compare, do not threshold.",
    "matched": "Words of the query, the most telling first.",
    "similarity": "How near its meaning is, 1 at most.",
    "memory_context.text": "One a line, quoted, the best first: [time memory_id] who: “…”.",
    "memory_context.memory_ids": "Those in the text, in its order.",
    "tokens": "How many it has, estimated: bytes / 4.",
    "next_state": "The state that comes next, if any.",
    "memory_node_recent.memories": "The latest first.",
    # Concepts
    "valence": "How it feels, by all feelings added up: -1 bad, 0 neither, 1 good.",
    "arousal": "How present it is now, 0 to 1; fades unless recalled or felt again.",
    "episode_id": "The episode's id; use it unchanged.",
    "update_affect.accessed_at": "When it was last aroused, unix milliseconds.",
    # Entities
    "entity_id": "The entity's id; use it unchanged.",
    "entity_split.entity_id": "The other one of the name.",
    "trust": "How far to trust it, from 0; compare, do not threshold. Not yours to set.",
    "status": "distinct, provisional, ambiguous (it may be another one) or merged.",
    "identity_status": "distinct, provisional, ambiguous (it may be another one) or merged.",
    "inferred": "The user never mentioned it: say so, and trust it last.",
    "labels": "Its names, the main label first.",
    "entity_get.valid_until": "When it ended.",
    "origin": "user: it stands in the user's own words; model; or mixed.",
    "origin_confidence": "The user's share of its mentions.",
    "trust_parts": "The factors of trust. edge_count counts the edges that the user ever"
    " reinforced; active_edges those that are active now.",
    "activation": "How present it is, 0 to 1.",
    "facts": "Facts believed, as of both times.",
    "entity_get.edges": "The strongest: weight, strength, recency and trust stay apart.",
    "entity_observe.edges": "Relations between them; `refused` says why there is none.",
    "mentions": "The latest, in their sentences.",
    "conflicts": "Contradictions, all kept: ask the user, do not resolve them.",
    "merges": "Merges: entity_unmerge undoes them.",
    "entity_search.entities": "The user's mentions first, each group by closeness.",
    "entity_observe.entities": "What was mentioned. candidates: those that it may be;"
    " inferred_from: these words do not say the label, so it is yours; refused_span: not found in"
    " the text; observed_in: this message_id had other words: give these one of their own.",
    "entity_end_session.entities": "How many were mentioned in it.",
    "promoted": "Entities that are now distinct, and why.",
    "activated_causal": "Causal relations that now count: three sessions did.",
    "fact_id": "The id with which a later call corrects or ends it.",
    "inferred_from": "These words do not say the value: it is your guess.",
    "refused_span": "Not found in the text, so the fact counts as yours.",
    "verdict": "What came of it; candidate: kept as a question, nothing changed.",
    "merge_id": "The id with which entity_unmerge undoes it.",
    "entity_merge.reason": _LACKING,
    "entity_split.reason": _LACKING,
    "entity_end.reason": _LACKING,
    "separate": "The separated entities, as they are now.",
    "undo": "The id that undoes this again, if it merged two.",
    "entity_context.text": "A line for each of sources. inferred: only you have said it.",
    "sources": "The source of each sentence, in order.",
    "entity_explain.text": "A line for each reason.",
}
