"""Offer who the user is as a resource, which a person attaches to a chat, and to the prompt."""

from mcp.server.mcpserver.resources import FunctionResource, Resource

from .errors import StoreError
from .session import Session

URI = "memory://me"


def resource(session: Session) -> Resource:
    """Return the resource over *session*."""

    async def me() -> str:
        # Imported when it is first read, because few servers are asked for it.
        from .hooks import notes

        return await notes.make_notes_on_user(session)

    return FunctionResource(
        uri=URI,
        name="me",
        title="Who the user is",
        description="Own facts, what is kept always, wishes, those closest, and what is coming up.",
        mime_type="text/plain",
        fn=me,
    )


async def told(session: Session) -> str:
    """Return the same for a prompt: nothing, if the store does not answer."""
    from .hooks import notes

    try:
        return await notes.make_notes_on_user(session)
    except StoreError:
        return ""
