"""The calls of every day over one memory."""

from concept_graph_mcp import calls
from concept_graph_mcp.calls import everyday
from conceptgraph_core.everyday import lines

SAID = "My sister Clara is allergic to hazelnuts!"


class Days:
    """The calls of every day over one memory, each a minute after the one before."""

    def __init__(self, memory):
        self.memory = memory

    def run(self, call, user="default"):
        self.memory.now_ms += 60_000
        return self.memory.run(call, user_id=user)

    def remember(self, text, about=(), keep="normal", user="default", **more):
        return self.run(everyday.remember(user, text, about, keep, **more), user)[0]

    def recalled(self, message, before=None, budget=1_200, user="default"):
        return self.run(everyday.recall(user, message, before, budget), user)[0]

    def recall(self, message, before=None, budget=1_200, user="default"):
        return lines.text(self.recalled(message, before, budget, user)["lines"])

    def search(self, query, user="default", **more):
        return self.run(everyday.search(user, query, **more), user)

    def about(self, name, user="default", **more):
        return self.run(everyday.about(user, name, **more), user)[0]

    def identify(self, a, b, same, said, user="default"):
        return self.run(everyday.identify(user, a, b, same=same, said=said), user)[0]

    def undo(self, identified):
        [row] = self.run(calls.entities.unmerge(identified["undo"], "no"))
        return row["separate"]

    def kept(self, memory_id):
        [one] = [one for one in self.memory.records() if one.get("id") == memory_id]
        return one


def clara(days):
    about = [{"name": "Clara", "kind": "sister"}, "hazelnuts"]
    return days.remember("Clara must not eat hazelnuts", about, said=SAID)["id"]


def ms(time):
    return int(time.timestamp() * 1000)
