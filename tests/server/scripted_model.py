"""An OpenAI-compatible server over real HTTP whose answers follow from what it is asked."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Request = dict[str, Any]
KEY = "sk-never-to-be-seen-0123456789"
_SAID = re.compile(r"^\[(\S+) [\d:]+\] (?:user|assistant) ?(\S*): (.*)$", re.MULTILINE)
_NOTED = re.compile(r"^- (\S+) (\S+): (\S+)$", re.MULTILINE)


@dataclass(frozen=True)
class Fault:
    """An answer that is none: a status, or with 0 silence until the client gives up."""

    status: int
    body: str = '{"error": {"message": "not now"}}'
    headers: dict[str, str] = field(default_factory=dict)


HANG = Fault(0)
Answer = dict[str, Any] | Fault
Script = Callable[["ScriptedModel", Request], Answer | None]


class ScriptedModel:
    """The server's state. *script* may answer a request in its own way, or None for the usual."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.keys: set[str | None] = set()
        self.script: Script = lambda _model, _request: None
        self.url = ""
        # What `/v1/embeddings` answers instead, given the request.
        self.embeds: Callable[[Request], Any] = embeddings

    def answer(self, request: Request) -> Answer:
        self.requests.append(request)
        return self.script(self, request) or usual(request)

    def steps(self) -> list[str]:
        """Return the steps in which it was asked, each once a turn."""
        asked = [step_of(request) for request in self.requests]
        return [step for before, step in zip([None, *asked], asked, strict=False) if step != before]

    def first(self, step: str) -> Request:
        return next(request for request in self.requests if step_of(request) == step)


def step_of(request: Request) -> str:
    title = request["messages"][0]["content"].splitlines()[0]
    return {
        "# Organise": "organise",
        "# Search": "search",
        "# Concepts and relations": "concepts",
        "# Episodes": "episodes",
        "# Feelings": "affect",
    }[title]


def offered(request: Request) -> list[str]:
    return [tool["function"]["name"] for tool in request.get("tools", [])]


def given(request: Request) -> str:
    """Return the text that the step was given to work on."""
    text: str = request["messages"][1]["content"]
    return text


def rounds(request: Request) -> int:
    return sum(message["role"] == "assistant" for message in request["messages"])


def results(request: Request) -> list[str]:
    return [message["content"] for message in request["messages"] if message["role"] == "tool"]


def says(text: str | None = None, *calls: tuple[str, Any]) -> Answer:
    """Return an answer of *text* and of *calls*: a tool and its arguments, raw where a text."""
    made = [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {"name": name, "arguments": raw if isinstance(raw, str) else _json(raw)},
        }
        for number, (name, raw) in enumerate(calls)
    ]
    message = {"role": "assistant", "content": text} | ({"tool_calls": made} if made else {})
    return {"message": message, "finish_reason": "tool_calls" if made else "stop"}


def usual(request: Request) -> Answer:
    """Answer as a model does that takes the longest word of each message for what matters."""
    step = step_of(request)
    if step == "organise":
        notes = _notes(given(request))
        return says("\n".join(f"- {day} {who}: {word}" for day, who, word in notes))
    if rounds(request) > (1 if step == "search" else 0):
        return says(f"{step} done")
    return says(None, *_calls(step, request))


def _calls(step: str, request: Request) -> list[tuple[str, Any]]:
    noted = _NOTED.findall(given(request).partition("# What")[0])
    if step == "search" and not rounds(request):
        return [("concept_search", {"keywords": [word for _, _, word in noted], "limit": 5})]
    if step == "search":
        return [("recall_query", {"seeds": ["mia"], "max_hop": 2, "limit": 5})]
    if step == "concepts":
        return [
            ("relation_add", {"from": who, "to": word, "type": "evokes"}) for _, who, word in noted
        ]
    if step == "episodes":
        last = {day: (who, word) for day, who, word in noted}
        return [
            (
                "episode_add",
                {"summary": f"{who} spoke of {word} on {day}.", "concepts": [word, who]},
            )
            for day, (who, word) in last.items()
        ]
    episodes = re.findall(r'"episode_id":\s*"([^"]+)"', given(request))
    return [("update_affect", {"target": episode, "valence_delta": 0.4}) for episode in episodes]


def _notes(text: str) -> list[tuple[str, str, str]]:
    """Return the notes on a transcript, or of notes every second one."""
    said = [(day, who or "bot", _longest(text)) for day, who, text in _SAID.findall(text)]
    return said or _NOTED.findall(text)[::2]


def _longest(text: str) -> str:
    return max(re.findall(r"[^\W\d_]+", text) or ["nothing"], key=len).lower()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    model: ScriptedModel

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.model.keys.add(self.headers["authorization"])
        if self.path == "/v1/embeddings":
            self._answer_with_vectors(request)
            return
        assert self.path == "/v1/chat/completions"
        answer = self.model.answer(request)
        if not isinstance(answer, Fault):
            self._send(200, _json(_completion(request, answer)), {})
        elif answer.status:
            self._send(answer.status, answer.body, answer.headers)
        else:
            # Returns when the client has closed the connection.
            self.rfile.read(1)
            self.close_connection = True

    def _answer_with_vectors(self, request: Request) -> None:
        self.model.requests.append(request)
        answer = self.model.embeds(request)
        if isinstance(answer, Fault):
            self._send(answer.status, answer.body, answer.headers)
        else:
            self._send(200, answer if isinstance(answer, str) else _json(answer), {})

    def _send(self, status: int, body: str, headers: dict[str, str]) -> None:
        data = body.encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        pass


def embeddings(request: Request) -> dict[str, Any]:
    """Answer with the share of three vowels in each text, the last text first."""
    vectors = [[float(text.count(vowel)) for vowel in "aeo"] for text in request["input"]]
    data = [
        {"object": "embedding", "index": index, "embedding": vector}
        for index, vector in enumerate(vectors)
    ]
    return {"object": "list", "model": request["model"], "data": data[::-1]}


def _completion(request: Request, answer: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": request["model"],
        "choices": [{"index": 0, **answer}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }


@contextmanager
def serving() -> Iterator[ScriptedModel]:
    """A scripted model on a free port of the loopback interface."""
    model = ScriptedModel()
    handler = type("Handler", (_Handler,), {"model": model})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        model.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield model
        finally:
            server.shutdown()
            thread.join()
