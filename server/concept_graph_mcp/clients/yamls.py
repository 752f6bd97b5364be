"""Edit YAML so that all that is not changed stays as it was written; a file that would not is left.

ruamel.yaml keeps comments and quotes, but writes every map and list with one indentation.
"""

from io import StringIO
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

# Where a key stands in a map, an item behind the dash of a list, and the dash itself.
_STYLES = ((2, 2, 0), (2, 4, 2), (4, 4, 0), (4, 6, 2))
_NO_WRAPPING = 1 << 16


class YamlError(ValueError):
    """The text is no YAML, or would be written otherwise."""


def loads(text: str) -> Any:
    """Return the value of *text*; an empty object if it has none. Raises YamlError."""
    try:
        loaded = YAML(typ="safe", pure=True).load(text)
    except YAMLError as error:
        raise YamlError(f"is no YAML: {str(error).splitlines()[0]}") from None
    return {} if loaded is None else loaded


def put(text: str, path: tuple[str, str], value: dict[str, Any]) -> str:
    """Return *text* with *value* at *path*, which need not be there. Raises YamlError."""
    key, name = path
    if not loads(text):
        # "{}" is an empty map too, and would be none with lines behind it.
        kept = "".join(
            one for one in text.splitlines(True) if one.lstrip().startswith(("#", "---"))
        )
        return _join(kept, _dump(_make_writer(*_STYLES[0]), {key: {name: value}}))
    lines, writer, document = _read(text)
    if not document.get(key):
        document[key] = {}
    document[key][name] = value
    return _keep_ends(text, lines, _dump(writer, document))


def remove(text: str, path: tuple[str, str]) -> str:
    """Return *text* without the value at *path*, and without a map that this empties.

    Raises YamlError.
    """
    key, name = path
    lines, writer, document = _read(text)
    del document[key][name]
    if not document[key]:
        del document[key]
    return _keep_ends(text, lines, _dump(writer, document) if document else "")


def _read(text: str) -> tuple[str, YAML, Any]:
    """Return *text* with Unix line ends, what writes it as it is, and the document."""
    lines = text.replace("\r\n", "\n")
    for style in _STYLES:
        writer = _make_writer(*style)
        document = writer.load(lines)
        if _dump(writer, document) == lines:
            return lines, writer, document
    raise YamlError("a change would reformat its other lines, which are not indented by 2 or 4")


def _make_writer(mapping: int, sequence: int, offset: int) -> YAML:
    made = YAML()
    made.preserve_quotes = True
    made.width = _NO_WRAPPING
    made.indent(mapping=mapping, sequence=sequence, offset=offset)
    return made


def _dump(writer: YAML, document: Any) -> str:
    stream = StringIO()
    writer.dump(document, stream)
    return stream.getvalue()


def _join(text: str, added: str) -> str:
    return f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}{added}"


def _keep_ends(text: str, lines: str, made: str) -> str:
    return made if text == lines else made.replace("\n", "\r\n")
