"""Offer what the memory has on the last days as a resource, which a person attaches to a chat."""

from mcp.server.mcpserver.resources import FunctionResource, Resource

from .session import Session

URI = "memory://today"


def resource(session: Session) -> Resource:
    """Return the resource over *session*."""

    async def today() -> str:
        # Imported when it is first read, because few servers are asked for it.
        from .hooks import notes
        from .hooks.options import Options

        defaults = Options()
        text, _ = await notes.make_notes_on_project(
            session, "", budget=defaults.start_tokens, days=defaults.days, seen=()
        )
        return text or "Nothing was said in the last days."

    return FunctionResource(
        uri=URI,
        name="today",
        title="Memory of the last days",
        description="The texts of the last days, the latest first, as quoted notes.",
        mime_type="text/plain",
        fn=today,
    )
