"""Derive ids from the identity of a thing: the same parts give the same id.

So a retried call, or two concurrent ones, create the same thing, and a unique constraint rejects
the second. The same history gives the same graph.
"""

import hashlib


def made(*parts: str | int) -> str:
    """Return an id, shaped as a UUID (version 8, RFC 9562), of *parts* in their order."""
    spelled = "".join(f"{len(str(part))}:{part}" for part in parts)
    digits = hashlib.sha256(spelled.encode()).hexdigest()
    variant = "89ab"[int(digits[16], 16) % 4]
    return f"{digits[:8]}-{digits[8:12]}-8{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:32]}"


def entity(user_id: str, canonical_name: str) -> str:
    """Return the id of the entity of that name, which is unique in its scope."""
    return made("entity", user_id, canonical_name)


def mention(user_id: str, session_id: str, message_id: str, name: str, node_type: str) -> str:
    """Return the id of the mention of *name*, a canonical one, in a message: it counts once."""
    return made("mention", user_id, session_id, message_id, name, node_type)


def merge(user_id: str, source_id: str, target_id: str, number: int) -> str:
    """Return the id of the *number*-th merge of these two."""
    return made("merge", user_id, source_id, target_id, number)


def entry(user_id: str, action: str, source_id: str, number: int) -> str:
    """Return the id of a split or an end in the ledger, the *number*-th entry of its source."""
    return made(action, user_id, source_id, number)


def split_off(user_id: str, source_id: str, number: int) -> str:
    """Return the id of the entity that a split makes, distinct from that of a removed one."""
    return made("split off", user_id, source_id, number)


def fact(user_id: str, opened_by: str, predicate: str, number: int) -> str:
    """Return the id of the *number*-th fact of that predicate that a mention opened.

    One that was stated by hand is numbered by its entity.
    """
    return made("fact", user_id, opened_by, predicate, number)
