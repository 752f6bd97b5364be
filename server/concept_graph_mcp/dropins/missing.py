"""Say which extra a drop-in needs, in place of a module that nobody has heard of."""


def name_extra(error: ImportError, extra: str) -> ImportError:
    """Return *error* as one line that names the *extra* of this package to install."""
    return ImportError(
        f"{error.name or extra} is not installed: install concept-graph-mcp with its extra {extra},"
        f" as in pip install '.[{extra}]'",
        name=error.name,
    )
