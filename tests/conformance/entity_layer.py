"""The entity layer as the shell calls it, with less to write, over one memory on either host."""

from concept_graph_mcp import calls

DAY_MS = 86_400_000


class Entities:
    """The procedures of the entity layer over one memory, as the shell calls them."""

    def __init__(self, memory):
        self.memory = memory
        # Whose records are looked at; None: everybody's.
        self.only = None
        self._messages = 0

    def observe(self, text, *observations, speaker="user", session="s", message=None, **more):
        self._messages += 1
        message = message or f"m{self._messages}"
        user = more.pop("user", "default")
        said = [entity(one) for one in observations]
        for one in said:
            # Vectors are by one that the store has chosen, unless the test names another.
            if "embedding" in one and "model" not in one:
                one["model"] = "toy"
                self.run(calls.embedding.choose("toy", len(one["embedding"]), False))
        call = calls.entities.observe(
            *(session, message, speaker, text, said),
            **more,
        )
        [row] = self.memory.run(call, user_id=user)
        return row

    def run(self, call, **context):
        return self.memory.run(call, **context)

    def end(self, session="s", user="default"):
        [row] = self.run(calls.entities.end_session(session, user), user_id=user)
        return row

    def search(self, query, **more):
        return self.run(calls.entities.search(query, **more))

    def get(self, entity_id, **more):
        [row] = self.run(calls.entities.get(entity_id, **more))
        return row

    def link(self, one, other, confidence=1.0, origin="model", rationale="it seems so"):
        [row] = self.run(calls.entities.link(one, other, confidence, rationale, origin))
        return row["verdict"], row["reason"]

    def merge(self, source, target, by="user_correction", said=None):
        """Merge two by the user's words, which name both, unless *said* is given or by system."""
        if said is None and by == "user_correction" and source != target:
            said = " is ".join(self._label(one) for one in (source, target))
        [row] = self.run(calls.entities.merge(source, target, "they are one", by, said))
        return row["merge_id"]

    def split(self, entity_id, mention_ids=(), since=None, said=None):
        label = self._label(entity_id)
        said = f"That is another {label}" if said is None else said
        moved = {"said": said, "reason": "they are two"}
        call = calls.entities.split(entity_id, mention_ids, since, **moved)
        [row] = self.run(call)
        return row

    def close(self, entity_id, until=None, said=None):
        said = f"{self._label(entity_id)} is gone" if said is None else said
        [row] = self.run(calls.entities.end(entity_id, said, "it is over", until))
        return row

    def _label(self, entity_id):
        found = [one for one in self.records("entity") if one["id"] == entity_id]
        return found[0]["node_label"] if found else entity_id

    def unmerge(self, merge_id):
        [row] = self.run(calls.entities.unmerge(merge_id, "they are two"))
        return row["separate"]

    def days(self, number):
        """Let days go by."""
        self.memory.now_ms += int(number * DAY_MS)

    def one(self, *arguments, **more):
        [row] = self.observe(*arguments, **more)["entities"]
        return row

    def records(self, kind):
        records = self.memory.records()
        if self.only is not None:
            mine = {one["id"] for one in records if one.get("user_id") == self.only and "id" in one}
            records = [
                one for one in records if one.get("user_id") == self.only or one.get("from") in mine
            ]
        return [record for record in records if record["kind"] == kind]

    def record(self, label):
        [record] = [one for one in self.records("entity") if one["node_label"] == label]
        return record

    def ties(self, edge_type):
        return [one for one in self.records("tie") if one["type"] == edge_type]


def entity(observation):
    return {"label": observation, "type": "entity"} if isinstance(observation, str) else observation
