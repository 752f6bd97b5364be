"""Adapt functions to MCP tools: schemas, results, and failures as one line.

Ask the user before a tool does what changes much, where the client can ask (elicitation). Other
clients decide by a tool's annotations. MCP 2026-07-28 has no requests from a server: there the
result of the call is the question, and the client calls again with the answer.
"""

import json
import logging
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.elicitation import render_elicitation_schema
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.shared.exceptions import NoBackChannelError
from mcp.types import (
    CallToolResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitResult,
    InputRequiredResult,
    TextContent,
    ToolAnnotations,
)
from mcp_types.version import is_version_at_least
from pydantic import BaseModel, Field, ValidationError

from conceptgraph_core.texts import quoting
from conceptgraph_core.texts.quoting import quote

from ..errors import TOO_LITTLE_MEMORY, StoreError, Unavailable, lacks_memory, one_line
from ..session import advised

Arguments = Mapping[str, Any]
# Returns the question to the user before a call with these arguments, if there is one.
Asking = Callable[[Arguments], str | None]

DECLINED: Final = "the user said no; nothing was changed"
_KEY: Final = "consent"
_WITHOUT_REQUESTS: Final = "2026-07-28"
# More calls than these within that time are asked about.
_MANY: Final = 5
_WITHIN_S: Final = 60.0


class _Consent(BaseModel):
    go_on: bool = Field(title="Go on", description="Yes: do it.")


async def asked(context: Any, question: str) -> bool | InputRequiredResult:
    """Return whether the user agrees, or the result that asks for it; True if nobody can ask."""
    capabilities = context.client_capabilities
    elicitation = capabilities.elicitation if capabilities is not None else None
    if elicitation is None or (elicitation.form is None and elicitation.url is not None):
        return True
    version = context.protocol_version
    if version is not None and is_version_at_least(version, _WITHOUT_REQUESTS):
        answer = (context.input_responses or {}).get(_KEY)
        if not isinstance(answer, ElicitResult):
            schema = render_elicitation_schema(_Consent)
            form = ElicitRequestFormParams(message=question, requested_schema=schema)
            return InputRequiredResult(input_requests={_KEY: ElicitRequest(params=form)})
        return answer.action == "accept" and bool((answer.content or {}).get("go_on"))
    try:
        result = await context.elicit(question, _Consent)
    except NoBackChannelError:
        return True
    except ValueError:
        return False  # The answer has another form.
    return result.action == "accept" and bool(result.data.go_on)


def merging(source: str, target: str) -> Asking:
    """Return the question before the arguments *source* and *target* count as one."""

    def asking(given: Arguments) -> str | None:
        if given.get(target) is None or given.get("same") is False:
            return None
        one, other = (quote(str(given[name]), 200) for name in (source, target))
        return f"Let {one} and {other} count as one from now on? It can be undone."

    return asking


def of_many(what: str) -> Asking:
    """Return the question before the sixth call within a minute, and each one after it."""
    calls = deque[float]()

    def asking(_: Arguments) -> str | None:
        now = time.monotonic()
        while calls and now - calls[0] > _WITHIN_S:
            calls.popleft()
        calls.append(now)
        if len(calls) <= _MANY:
            return None
        return f"This is one of many calls within a minute that want to {what}. Let it?"

    return asking


logger = logging.getLogger(__name__)

_SHOWN_ERRORS = 3
_READ_BY_MODELS = ("tools/call", "resources/read", "prompts/get", "completion/complete")
# The names by which Claude Code and Codex introduce themselves, which show structured content in
# place of the text, and the tool whose text says all.
_JSON_FIRST = ("claude-code", "codex-mcp-client")
_BY_TEXT = "recall"
_STRUCTURES = frozenset({"array", "object"})
_as_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class ConceptTool(Tool):
    """A tool whose parameters may have names that Python reserves, and whose errors are one line.

    Its function takes every parameter under its Python name and returns a TypedDict, or a text,
    which is then the whole answer. `refusal`, if
    set, is the answer to every call. `asks`, if set, has a question that the user must agree to.
    `procedure` is the name of that of its verb, if it is made of one.
    """

    refusal: str | None = Field(default=None, exclude=True)
    asks: Asking | None = Field(default=None, exclude=True)
    procedure: str | None = Field(default=None, exclude=True)

    async def run(
        self, arguments: dict[str, Any], context: Any, convert_result: bool = False
    ) -> Any:
        if self.refusal is not None:
            raise ToolError(self.refusal)
        try:
            model = self.fn_metadata.arg_model.model_validate(self._parsed(arguments))
        except ValidationError as error:
            raise ToolError(_invalid(error)) from None
        validated = model.model_dump_one_level()
        fields = self.fn_metadata.arg_model.model_fields
        known = [field.alias or name for name, field in fields.items()]
        for name in arguments:
            if name not in known:
                those = f"known are {', '.join(known)}" if known else "it takes none"
                raise ToolError(f"unknown argument {name[:80]!r}; {those}")
        given = {name: validated[field.alias or name] for name, field in fields.items()}
        if self.asks is not None and context is not None and (question := self.asks(given)):
            agreed = await asked(context, question)
            if isinstance(agreed, InputRequiredResult):
                return agreed
            if not agreed:
                raise ToolError(DECLINED)
        try:
            with advised() as advice:
                result = await self._call(given, context)
        except StoreError as error:
            if isinstance(error, Unavailable):
                # The person who runs the server must know, and reads no answers.
                logger.warning("%s", error)
            raise ToolError(str(error)) from error
        except (MemoryError, RuntimeError) as error:
            if not lacks_memory(error):
                raise
            raise ToolError(TOO_LITTLE_MEMORY) from error
        # Here already, because JSON escapes control characters, and clients undo that.
        result = _visible(_add_advice(result, advice))
        return self.fn_metadata.convert_result(_answer(result)) if convert_result else result

    def _parsed(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return *arguments*, with lists and maps that were sent as JSON in a text parsed.

        Some clients send them so. If a text is allowed, it stays as it was sent: the SDK's own
        parsing turns '["b"]' into a list and drops "null".
        """
        schemas = self.parameters["properties"]
        return {
            name: _structure(value, schemas[name]) if name in schemas else value
            for name, value in arguments.items()
        }

    async def _call(self, given: dict[str, Any], context: Any) -> Any:
        if self.context_kwarg is not None:
            # For long-running tools: to report progress, and to notice a cancelled call.
            given = {**given, self.context_kwarg: context}
        return await self.fn(**given)


def _add_advice(result: dict[str, Any] | str, advice: Sequence[str]) -> dict[str, Any] | str:
    """Return *result* with what the store says besides."""
    if isinstance(result, str):
        return "\n".join([result, *advice])
    said = [*filter(None, (result.get("advice"), *advice))]
    return {**result, "advice": "; ".join(said)} if advice else result


async def show_visible(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Leave out of each result what nobody sees and a model reads: tags, zero width, bidi.

    All that a model reads passes here: results of tools and hooks, errors, resources, prompts.
    """
    result = await call_next(ctx)
    return cast(HandlerResult, _visible(result)) if ctx.method in _READ_BY_MODELS else result


async def answer_by_text(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Make the content of a recall its text: a model reads that, and programs the structured one.

    A client that would show its model the structured content in place of the text gets none. A tool
    that answers without must have no schema of its results.
    """
    result = await call_next(ctx)
    if not isinstance(result, dict):
        return result
    client = ctx.session.client_params
    is_json_first = client is not None and client.client_info.name in _JSON_FIRST
    if ctx.method == "tools/list" and is_json_first:
        for one in result["tools"]:
            if one["name"] == _BY_TEXT:
                one.pop("outputSchema", None)
    is_recall = ctx.method == "tools/call" and (ctx.params or {}).get("name") == _BY_TEXT
    if is_recall and (told := result.get("structuredContent")):
        said = [told["text"] or "nothing", *filter(None, [told.get("advice")])]
        result["content"] = [{"type": "text", "text": "\n".join(said)}]
        if is_json_first:
            del result["structuredContent"]
    return result


def _visible(value: Any) -> Any:
    if isinstance(value, str):
        return quoting.visible(value)
    if isinstance(value, dict):
        return {_visible(key): _visible(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_visible(one) for one in value]
    if isinstance(value, BaseModel):
        fields = {name: getattr(value, name) for name in type(value).model_fields}
        shown = {name: _visible(one) for name, one in fields.items()}
        return value.model_copy(update={n: one for n, one in shown.items() if one != fields[n]})
    return value


class Hints(NamedTuple):
    """Annotations that hosts read before they allow a tool to be called; all of them are true."""

    read_only: bool
    destructive: bool
    idempotent: bool

    def repeatable(self) -> "Hints":
        """Return the hints of a tool that can be repeated without a further effect."""
        return self._replace(idempotent=True)


READING = Hints(read_only=True, destructive=False, idempotent=True)
ADDING = Hints(read_only=False, destructive=False, idempotent=False)
REPLACING = Hints(read_only=False, destructive=True, idempotent=False)


def tool(
    function: Callable[..., Any],
    title: str,
    hints: Hints,
    *,
    asks: Asking | None = None,
) -> ConceptTool:
    """Make *function* a tool: a model reads its docstring, and its signature is the schema."""
    annotations = ToolAnnotations(
        read_only_hint=hints.read_only,
        destructive_hint=hints.destructive,
        idempotent_hint=hints.idempotent,
        # The graph is a closed world: tools read and write nothing outside it.
        open_world_hint=False,
    )
    made = cast(
        ConceptTool,
        ConceptTool.from_function(
            function,
            title=title,
            annotations=annotations,
            structured_output=False if function.__annotations__.get("return") is str else None,
        ),
    )
    made.parameters["additionalProperties"] = False
    made.asks = asks
    return made


def terse(made: ConceptTool) -> ConceptTool:
    """Remove the titles from the schemas of *made*, because they repeat the names.

    Its arguments have no references: the strict mode of OpenAI's agents refuses them.
    """
    parameters = _untitled(made.parameters)
    made.parameters = _inline_references(parameters, parameters.pop("$defs", {}))
    if made.fn_metadata.output_schema is not None:
        made.fn_metadata.output_schema = _untitled(made.fn_metadata.output_schema)
    return made


def _untitled(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_untitled(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    # A property named "title" is a schema, not a text.
    return {
        key: _untitled(value)
        for key, value in schema.items()
        if key != "title" or not isinstance(value, str)
    }


def _inline_references(schema: Any, definitions: dict[str, Any]) -> Any:
    """Return *schema* with each reference replaced by its definition; none refers to itself."""
    if isinstance(schema, list):
        return [_inline_references(one, definitions) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return _inline_references(definitions[name], definitions)
    return {key: _inline_references(value, definitions) for key, value in schema.items()}


def _structure(value: Any, schema: dict[str, Any]) -> Any:
    """Return the list or map that the text *value* holds as JSON, if *schema* takes only these."""
    if not isinstance(value, str) or not _STRUCTURES.issuperset(_types(schema) - {"null"}):
        return value
    try:
        parsed = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return parsed if isinstance(parsed, (list, dict)) else value


def _types(schema: dict[str, Any]) -> set[str]:
    """Return the JSON types of the values that *schema* takes; "" stands for an unknown type."""
    if "anyOf" in schema:
        return {one for part in schema["anyOf"] for one in _types(part)}
    return {schema.get("type", "")}


def _answer(result: dict[str, Any] | str) -> CallToolResult:
    """Return *result* as structured content and as the same JSON, without blanks to save tokens."""
    if isinstance(result, str):
        return CallToolResult(content=[TextContent(type="text", text=result)])
    text = _as_json(result)
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=result)


def _invalid(error: ValidationError) -> str:
    """Return the problems of the arguments: "valence_delta: Input should be …; …"."""
    details = error.errors(include_url=False, include_context=False, include_input=False)
    lines = [
        f"{'.'.join(map(str, detail['loc'])) or 'arguments'}: {detail['msg']}"
        for detail in details[:_SHOWN_ERRORS]
    ]
    if len(details) > _SHOWN_ERRORS:
        lines.append(f"and {len(details) - _SHOWN_ERRORS} more")
    return one_line("; ".join(lines))
