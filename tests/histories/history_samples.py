"""Histories of our own making, in the shapes that agents and programs leave."""

import json
from typing import Any

USER_SAID = "My sister Clara is allergic to hazelnuts."
CODE = "```python\nprint('not kept')\n```"
ASSISTANT_SAID = "Then no hazelnuts for Clara."


def lines(*records: dict[str, Any]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def claude_code(session: str = "s1", *, said: str = USER_SAID) -> str:
    common = {"sessionId": session, "cwd": "/home/ann/cake", "version": "2.1.12"}
    texts: Any = [
        {"type": "thinking", "thinking": "not kept"},
        {"type": "text", "text": f"{ASSISTANT_SAID}\n\n{CODE}"},
        {"type": "tool_use", "name": "Bash", "input": {"command": "not kept"}},
    ]
    output = [{"type": "tool_result", "tool_use_id": "t", "content": "not kept"}]
    told = [
        ("user", {"content": f"{said}<system-reminder>not kept</system-reminder>"}, {}),
        ("assistant", {"content": texts}, {}),
        ("user", {"content": output}, {"toolUseResult": {"stdout": "not kept"}}),
        ("user", {"content": "not kept"}, {"isMeta": True}),
        ("assistant", {"content": "not kept"}, {"isSidechain": True}),
        ("user", {"content": "not kept"}, {"isCompactSummary": True}),
        ("assistant", {"content": "not kept"}, {"isApiErrorMessage": True}),
        ("assistant", {"content": "not kept", "model": "<synthetic>"}, {}),
        ("user", {"content": "[Request interrupted by user for tool use]"}, {}),
    ]
    messages = [
        {
            **common,
            "type": kind,
            "uuid": f"{session}-{number}",
            "timestamp": f"2025-06-01T10:0{number}:00.000Z",
            "message": {"role": kind, **message},
            **flags,
        }
        for number, (kind, message, flags) in enumerate(told)
    ]
    summary = {"type": "summary", "summary": "not kept", "leafUuid": "x"}
    return lines(summary, *messages)


def codex() -> str:
    def item(number: int, **payload: Any) -> dict[str, Any]:
        time = f"2025-06-01T10:0{number}:00.000Z"
        return {"timestamp": time, "type": "response_item", "payload": payload}

    def message(number: int, role: str, said: str) -> dict[str, Any]:
        kind = "input_text" if role == "user" else "output_text"
        return item(number, type="message", role=role, content=[{"type": kind, "text": said}])

    return lines(
        {"type": "session_meta", "timestamp": "x", "payload": {"id": "c1", "cwd": "/home/ann"}},
        message(0, "developer", "not kept"),
        message(1, "user", "<environment_context>not kept</environment_context>"),
        message(2, "user", USER_SAID),
        item(3, type="reasoning", encrypted_content="not kept"),
        item(3, type="function_call", name="shell", arguments="not kept", call_id="1"),
        item(4, type="function_call_output", call_id="1", output="not kept"),
        message(5, "assistant", f"{ASSISTANT_SAID}\n{CODE}"),
        {"type": "event_msg", "payload": {"type": "user_message", "message": "not kept"}},
    )


def chatgpt() -> str:
    def node(own: str, parent: str | None, role: str, *parts: Any, **content: Any) -> Any:
        said = {
            "id": own,
            "author": {"role": role},
            "create_time": 1_748_772_000.5,
            "content": {"content_type": "text", "parts": [*parts], **content},
        }
        return {"id": own, "parent": parent, "children": [], "message": said}

    nodes = [
        {"id": "root", "parent": None, "children": [], "message": None},
        node("sys", "root", "system", "not kept"),
        node("old", "sys", "user", "not kept: the question before it was edited"),
        node("new", "sys", "user", USER_SAID, {"content_type": "image_asset_pointer"}),
        node("code", "new", "assistant", "not kept", content_type="code"),
        node("tool", "code", "tool", "not kept"),
        node("end", "tool", "assistant", f"{ASSISTANT_SAID}\n\n{CODE}"),
    ]
    conversation = {"id": "g1", "title": "Cake", "current_node": "end"}
    conversation["mapping"] = {one["id"]: one for one in nodes}  # type: ignore[assignment]
    return json.dumps([conversation])


def claude_ai() -> str:
    told = [("human", USER_SAID), ("assistant", f"{ASSISTANT_SAID}\n{CODE}")]
    messages = [
        {
            "uuid": f"m{number}",
            "sender": sender,
            "text": said,
            "content": [{"type": "text", "text": said}, {"type": "tool_use", "input": "not kept"}],
            "created_at": f"2025-06-01T10:0{number}:00.123456Z",
            "attachments": [{"extracted_content": "not kept"}],
            "files": [],
        }
        for number, (sender, said) in enumerate(told)
    ]
    return json.dumps([{"uuid": "a1", "name": "Cake", "chat_messages": messages}])


def mem0() -> str:
    def memory(own: str, said: str) -> dict[str, Any]:
        time = "2025-06-01T03:00:00.000000-07:00"
        return {"id": own, "memory": said, "user_id": "ann", "created_at": time, "hash": "x"}

    return json.dumps({"results": [memory("m1", USER_SAID), memory("m2", ASSISTANT_SAID)]})


def markdown() -> str:
    return f"""---
date: 2025-06-01
tags: [family]
---
# Family

## Clara

{USER_SAID}

{CODE}

## Cake

{ASSISTANT_SAID}
"""


WHATSAPP = """\
[01.06.25, 10:00:00] Cake: \u200eMessages and calls are end-to-end encrypted. not kept
[01.06.25, 10:00:05] Ann: My sister Clara is allergic
to hazelnuts.
\u200e[01.06.25, 10:00:30] Ann: \u200eimage omitted, not kept
[01.06.25, 10:01:00] Ben changed the subject to \"Cake: not kept\"
[01.06.25, 10:02:00] Ben: Then no hazelnuts for Clara.
"""


# The name of a file as a program leaves it, and its content, by the format.
OF: dict[str, tuple[str, str]] = {
    "claude-code": ("s1.jsonl", claude_code()),
    "codex": ("rollout-2025-06-01T10-00-00-c1.jsonl", codex()),
    "chatgpt": ("conversations.json", chatgpt()),
    "claude-ai": ("conversations.json", claude_ai()),
    "mem0": ("memories.json", mem0()),
    "markdown": ("Family.md", markdown()),
}
