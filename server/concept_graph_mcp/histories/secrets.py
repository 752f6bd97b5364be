"""Replace secrets in a text before it is stored: `[secret: GitHub Token]`.

The shapes are those of detect-secrets, with some that it misses. Entropy is no sign here: ids and
hashes of conversations are as random as keys.
"""

import functools
import re
from collections.abc import Collection, Iterator
from typing import Any

from ..file_formats.tally import Tally

# A text without any of these has no secret, and most texts have none.
_SUSPECT = re.compile(r"\S{16}|://|(?i:pass|secret|token|key)")
# Plugins of detect-secrets, without addresses, and those of one vendor that take most of the time.
_PLUGINS = (
    *(
        "ArtifactoryDetector",
        "AWSKeyDetector",
        "AzureStorageKeyDetector",
        "DiscordBotTokenDetector",
    ),
    *("GitHubTokenDetector", "GitLabTokenDetector", "MailchimpDetector"),
    *("NpmDetector", "OpenAIDetector", "PypiTokenDetector", "SendGridDetector", "SlackDetector"),
    *("SquareOAuthDetector", "StripeDetector", "TelegramBotTokenDetector", "TwilioKeyDetector"),
)
_VALUE = r"[\"'`]?(?P<secret>(?=[^\s\"'`]*\d)(?=[^\s\"'`]*[A-Za-z])[^\s\"'`,;]{8,})"
_OURS = (
    (
        "Private Key",
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----.*?"
        r"(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|\Z)",
    ),
    ("Password in URL", r"(?<=://)[^\s:/@]*:(?P<secret>[^\s/@]+)(?=@)"),
    ("JSON Web Token", r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    ("Anthropic API Key", r"\bsk-ant-[A-Za-z0-9_-]{16,}"),
    ("OpenAI API Key", r"\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}"),
    ("GitHub Token", r"\bgithub_pat_[A-Za-z0-9_]{22,}"),
    ("Google API Key", r"\bAIza[A-Za-z0-9_-]{35}"),
    ("Google OAuth Token", r"\bya29\.[A-Za-z0-9_-]{20,}"),
    ("Google OAuth Secret", r"\bGOCSPX-[A-Za-z0-9_-]{20,}"),
    ("AWS Secret Key", r"(?i:aws|secret).{0,30}?(?<![A-Za-z0-9/+])(?P<secret>[A-Za-z0-9/+]{40})"),
    ("Slack Token", r"\b(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}"),
    ("Stripe Key", r"\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}|\bwhsec_[A-Za-z0-9]{16,}"),
    ("Hugging Face Token", r"\bhf_[A-Za-z0-9]{30,}"),
    ("npm Token", r"\bnpm_[A-Za-z0-9]{36}"),
    ("DigitalOcean Token", r"\bdo[opr]_v1_[a-f0-9]{64}"),
    ("Databricks Token", r"\bdapi[a-f0-9]{32}"),
    # By Grafana, Groq, Vault, Linear, Notion, Postman, Perplexity, Replicate, Shopify, xAI.
    (
        "API Token",
        r"\b(?:glsa_|gsk_|hvs\.|lin_api_|ntn_|PMAK-|pplx-|r8_|shp(?:at|ca|pa|ss)_|xai-)"
        r"[A-Za-z0-9_-]{20,}",
    ),
    (
        "Basic Credentials",
        r"(?i:\bauthorization:\s*basic\s+)(?P<secret>(?=\S*\d)(?=\S*[A-Z])[A-Za-z0-9+/]{8,}=*)",
    ),
    ("Cookie", r"(?i:\b(?:set-)?cookie:\s*[^\s=;]+=)(?P<secret>[^\s;\"']{16,})"),
    ("Bearer Token", r"(?i:\bbearer\s+)(?P<secret>[A-Za-z0-9._~+/-]{20,}=*)"),
    (
        "Password",
        r"(?i:\b[\w-]*(?:passw(?:or)?d|passphrase|pwd|secret|api[_-]?key|token)\b[\"']?\s*"
        rf"(?:=|:|\bis\b)\s*){_VALUE}",
    ),
)


def redacted(text: str, tally: Tally) -> str:
    """Return *text* with each secret replaced by its kind, which *tally* counts."""
    if _SUSPECT.search(text) is None:
        return text
    for kind, pattern in _shapes():
        text = pattern.sub(functools.partial(_replaced, kind, tally), text)
    return text


def _replaced(kind: str, tally: Tally, match: re.Match[str]) -> str:
    """Return *match* with its secret, or all of it, replaced."""
    group = "secret" if "secret" in match.re.groupindex else 0
    if match[group].startswith("[secret:"):
        return match[0]
    tally.changed(f"secrets redacted, {kind}")
    first, end = (at - match.start() for at in match.span(group))
    return f"{match[0][:first]}[secret: {kind}]{match[0][end:]}"


@functools.cache
def _shapes() -> list[tuple[str, re.Pattern[str]]]:
    ours = [(kind, re.compile(pattern, re.DOTALL)) for kind, pattern in _OURS]
    return [*ours[:1], *_of_library(), *ours[1:]]


def _of_library() -> Iterator[tuple[str, re.Pattern[str]]]:
    # Imported on demand: only reading a history needs it.
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class as plugins

    found: Collection[Any] = plugins().values()
    for plugin in found:
        if plugin.__name__ in _PLUGINS:
            for pattern in plugin().denylist:
                yield plugin.secret_type, pattern
