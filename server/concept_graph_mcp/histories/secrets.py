"""Replace secrets in a text before it is stored: `[secret: GitHub Token]`.

The shapes are those of detect-secrets, with some that it misses. Entropy is no sign here: ids and
hashes of conversations are as random as keys.
"""

import functools
import re
from collections.abc import Collection, Iterator
from typing import Any

from ..file_formats.lines import Tally

# A text without a long word and without these words has no secret, and most texts have none.
_LONG = re.compile(r"\S{16}|://")
_WORDS = (
    *("pass", "pw", "secret", "token", "key", "pin ", "pin:", "pin=", "pincode", "pin-code"),
    *("senha", "contraseña", "kennwort", "wachtwoord", "mot de passe", "パスワード", "cookie"),
    *("curl", "mysql", "mariadb", "redis-cli", "sudo", "login", "smbclient", "authorization"),
    *("bearer", "recovery", "seed ", "backup ", "pin", "code", "schlüssel"),
)
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
# A value of a secret that holds a digit and a letter.
_VALUE = r"[\"'`]?(?![\w.]+\()(?P<secret>(?=[^\s\"'`]*\d)(?=[^\s\"'`]*[A-Za-z])[^\s\"'`,;]{8,})"
# The words before a password, in the languages that people write it in.
_PASSWORD = (
    r"(?:(?<![A-Za-z])(?i:pass(?:w(?:or)?d|wort|phrase|code)?|kennwort|wachtwoord|pwd?|contraseña"
    r"|senha|mot de passe)\b|Pass(?:word|phrase|wd)\b|パスワード)"
)
_MARKS = r"[\"'`*_]{0,3}"
# Between the name of a secret and its value: "of the alarm", "für das Rad".
_ABOUT = (
    r"(?:\s(?i:of|for|to|at|on|in|from|für|von|vom|des|der|zum|zur|del?|para|d[aou]|pour)"
    r"(?:\s[\w'’-]{1,30}){1,4}?)"
)
_IS = r"\s?(?::|=|\b(?i:is|was|ist|war|lautet|es|é|est)\b)\s*"
# Where a shape has one of these groups, only that part is the secret.
_GROUPS = ("secret", "other", "bare")
# Words where a password would stand that are none: a placeholder, a type, a state.
_NONE = (
    r"(?!(?i:(?:re(?:quired|set)|optional|string|str|text|bool|none|null|true|false|hidden|unknown"
    r"|wrong|invalid|incorrect|expected|needed|missing|empty|changed|input|value|same|here|below"
    r"|forgotten|vergessen|falsch|gesperrt|incorrecta|errada|getpass|yes|password|secret)\b))"
    r"(?![$<{(\[*•.=:-]|x{4}|\.{3})"
)
# A password of any letters, which ends its line or its part of it; code goes on with a bracket.
_PLAIN = (
    rf"{_NONE}{_MARKS}{_NONE}(?P<secret>[^\s\"'`,;()\[\]{{}}<>|]{{4,}}?)"
    r"(?=[\"'`*]*(?:[,;)<|]|[.!]?\s*$))"
)
# In prose a password shows by a digit or a sign: "is wrong" is none.
_ODD = (
    rf"{_NONE}{_MARKS}{_NONE}(?P<secret>(?=[^\s\"'`]*[\d!@#$%^&+])[^\s\"'`,;<>()\[\]{{}}|]{{4,}}?"
    r"|[A-Za-z]{14,})(?=[\"'`*]*(?:[,;.!?)]*(?:\s|$)|です))"
)
_VARIABLE = (
    r"(?:(?<![A-Za-z])(?i:pass(?:wd|word|wort)?|pwd|(?:secret|encryption|private)_key|secret)"
    r"|Pass(?:word|wd)|Secret)"
)
# An argument of a command, quoted or not.
_ARGUMENT = r"(?:'(?P<secret>[^'\n]+)'|\"(?P<other>[^\"\n]+)\"|(?P<bare>[^\s\"'-]\S*))"
# As far as one command is looked through.
_REST = r"[^\n|]{0,300}?\s"
_COMMANDS = (
    rf"curl\b{_REST}(?:-u|--user)[ =]['\"]?(?!https?:)[^\s:'\"/]+:"
    r"(?P<secret>[^'\"\n]+?)(?=['\"]|\s|$)",
    rf"(?:mysql|mysqldump|mysqladmin|mariadb)\b{_REST}-p(?P<secret>[^\s-]\S*)",
    rf"sshpass\s+-p\s*{_ARGUMENT}",
    rf"(?:docker|podman|helm registry|az)\s+login\b{_REST}-p\s*{_ARGUMENT}",
    rf"--(?:password|passwd|pass|token|secret|api-key)[ =]{_ARGUMENT}",
    rf"redis-cli\b(?:{_REST}|\s)-a\s+{_ARGUMENT}",
    rf"requirepass\s+{_ARGUMENT}",
    r"htpasswd\s+-\w*b\w*\s+\S+\s+\S+\s+(?P<secret>\S+)",
    r"echo\s+['\"]?(?P<secret>[^\s'\"|]+)['\"]?\s*\|\s*sudo\s+-S",
    rf"vault\s+login\s+(?:token=)?{_ARGUMENT}",
    rf"smbclient\b{_REST}[^\s%]*%(?P<secret>\S+)",
    r"-pass\w*\s+pass:(?P<secret>\S+)",
)
_OURS = (
    (
        "Private Key",
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----.*?"
        r"(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|\Z)",
    ),
    ("Concept Graph Token", r"\bcgm_[A-Za-z0-9_-]{20,}"),
    ("Password in URL", r"(?<=://)[^\s:/@]{0,200}:(?P<secret>[^\s/@]+)(?=@)"),
    ("JSON Web Token", r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    ("Anthropic API Key", r"\bsk-ant-[A-Za-z0-9_-]{16,}"),
    ("OpenAI API Key", r"\bsk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}"),
    ("GitHub Token", r"\bgithub_pat_[A-Za-z0-9_]{22,}"),
    ("Google API Key", r"\bAIza[A-Za-z0-9_-]{35}"),
    ("Google OAuth Token", r"\bya29\.[A-Za-z0-9_-]{20,}"),
    ("Google OAuth Secret", r"\bGOCSPX-[A-Za-z0-9_-]{20,}"),
    ("AWS Secret Key", r"(?i:aws|secret).{0,30}?(?<![A-Za-z0-9/+])(?P<secret>[A-Za-z0-9/+]{40})"),
    ("AWS Session Token", r"\b(?:IQoJb3JpZ2lu|FwoGZXIvYXdz|FQoGZXIvYXdz)[A-Za-z0-9/+]{40,}=*"),
    ("Azure Secret", r"(?<![\w~.-])[\w~.-]{3}[78]Q~[\w~.-]{31,34}"),
    ("Azure Key", r"\b(?:SharedAccessKey|AccountKey|AccessKey)=(?P<secret>[A-Za-z0-9/+]{40,}=*)"),
    (
        "Signed URL",
        r"[?&](?:sig|X-Amz-Signature|X-Goog-Signature)=(?P<secret>[A-Za-z0-9%/+_-]{30,})",
    ),
    ("Slack Token", r"\b(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,}"),
    (
        "Discord Token",
        r"\bmfa\.[\w-]{60,}|discord(?:app)?\.com/api/webhooks/\d+/(?P<secret>[\w-]{40,})",
    ),
    ("Stripe Key", r"\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}|\bwhsec_[A-Za-z0-9]{16,}"),
    ("Hugging Face Token", r"\bhf_[A-Za-z0-9]{30,}"),
    ("npm Token", r"\bnpm_[A-Za-z0-9]{36}"),
    ("npm Token", r":_(?:authToken|auth|password)=(?P<secret>\S+)"),
    ("DigitalOcean Token", r"\bdo[opr]_v1_[a-f0-9]{64}"),
    ("Databricks Token", r"\bdapi[a-f0-9]{32}"),
    ("Terraform Token", r"\b[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,}"),
    ("Mailgun Key", r"\bkey-[a-f0-9]{32}\b|\b[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}\b"),
    ("age Key", r"\bAGE-SECRET-KEY-1[A-Z0-9]{50,}"),
    ("Airtable Token", r"\bpat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    # By Atlassian, Brevo, Docker, Doppler, Facebook, Figma, Fly, GitLab, Grafana, Groq, LangSmith,
    # Linear, New Relic, Notion, Perplexity, PlanetScale, Postman, Pulumi, Replicate, RubyGems,
    # Sentry, Shopify, Square, Supabase, Tavily, Vault, xAI.
    (
        "API Token",
        r"\b(?:ATATT3|xkeysib-|dckr_(?:pat|oat)_|dp\.(?:pt|st|ct|sa)\.|EAA[A-Z]|figd_|fo1_|FlyV1 |"
        r"gl(?:pat|rt|dt|cbt|ptt|soat|agent)-|glsa_|gsk_|hvs\.|lsv2_(?:pt|sk)_|lin_api_|NRAK-|NRJS-|"
        r"ntn_|PMAK-|pplx-|pscale_\w{2,5}_|pul-|r8_|rubygems_|sbp_|sntry[su]_|shp(?:at|ca|pa|ss)_|"
        r"tvly-|xai-)[A-Za-z0-9_+/=-]{20,}",
    ),
)
# Secrets that only the words around them show.
_SAID = (
    (
        "Basic Credentials",
        r"(?i:\bauthorization:\s*basic\s+)(?P<secret>(?=\S*\d)(?=\S*[A-Z])[A-Za-z0-9+/]{8,}=*)",
    ),
    ("Cookie", r"(?i:\b(?:set-)?cookie:\s*[^\s=;]+=)(?P<secret>[^\s;\"']{16,})"),
    (
        "Cookie",
        r"(?i:\b(?:set-)?cookie:[^\n]{0,300}?\b[\w-]*(?:auth|sess\w*|sid|token|jwt)[\w-]*=)"
        r"(?P<secret>[^\s;\"']{8,})",
    ),
    ("Bearer Token", r"(?i:\bbearer\s+)(?P<secret>[A-Za-z0-9._~+/-]{20,}=*)"),
    *(("Password in a command", rf"(?im:(?:^|[\s;&|(`$]){command})") for command in _COMMANDS),
    ("Password of netrc", r"(?i:\bmachine\s+\S+\s+login\s+\S+\s+password\s+)(?P<secret>\S+)"),
    (
        "Recovery Phrase",
        r"(?i:\b(?:recovery|seed|backup) (?:phrase|words)\b[^\n:]{0,20}:\s*)"
        r"(?P<secret>[a-z]+(?: [a-z]+){11,23})",
    ),
    (
        "PIN",
        r"(?i:\bpin(?:[ -]?code)?\s*(?::|=|\b(?:is|ist|es|é|est)\b)\s*)(?P<secret>\d{4,8})\b",
    ),
    (
        "PIN",
        rf"(?i:\bpin(?:[ -]?code)?){_ABOUT}{_IS}(?P<secret>\d{{4,8}})"
        r"(?=[.,;!?)]|\s*$|\s(?:and|und)\b)",
    ),
    (
        "Key",
        r"(?i:\b(?:wi-?fi|wlan|wireless|alarm|door|gate|safe)[ -]?(?:key|code|schlüssel))"
        rf"{_ABOUT}?{_IS}(?P<secret>(?=\S*\d)[^\s\"'`,;]{{4,}}?)(?=[.,;!?)]*(?:\s|$))",
    ),
    ("Password", rf"{_PASSWORD}{_ABOUT}{_IS}{_ODD}"),
    # An assignment: a variable of an environment, a line of a settings file.
    *(
        ("Password", rf"{_VARIABLE}[\"']?\s?(?:=|:=)\s?{value}")
        for value in (
            rf"(?P<quote>[\"']){_NONE}(?P<secret>[^\n]{{4,}}?)(?P=quote)",
            rf"{_NONE}(?P<secret>[^\s\"'`;&(){{}}\[\]<>|]{{4,}})(?=[\"'`;&\s]|$)",
        )
    ),
    ("Password", rf"{_PASSWORD}{_MARKS}\s*(?::|-|：)[*_`]{{0,3}}\s*{_PLAIN}"),
    (
        "Password",
        rf"{_PASSWORD}{_MARKS}(?:\s*(?::|-|\bis\b|\bist\b|\blautet\b|\bes\b|é\b|è\b|\best\b|は|：)"
        rf"[*_`]{{0,3}}\s*){_ODD}",
    ),
    (
        "Password",
        r"(?i:\bpass(?:code|wor[dt])\s+)(?P<secret>(?=\S*\d)[^\s\"'`,;<>()]{4,})",
    ),
    ("Password", r"(?i:<(?P<tag>pass(?:word|wd)|secret|token)>)(?P<secret>[^<\s]{4,})(?=</)"),
    (
        "Password",
        r"(?i:(?:passw(?:or)?d|passphrase|pwd|secret|api[_-]?key|token)\b[\"']?\s*"
        rf"(?:=|:|\bis\b)\s*){_VALUE}",
    ),
)


def redact_text(text: str, tally: Tally) -> str:
    """Return *text* with each secret replaced by its kind, which *tally* counts."""
    lowered = text.lower()
    shapes = [*_alone()] if _LONG.search(text) is not None else []
    if any(word in lowered for word in _WORDS):
        shapes += _said()
    for kind, pattern in shapes:
        text = pattern.sub(functools.partial(_replace_secret, kind, tally), text)
    return text


def _replace_secret(kind: str, tally: Tally, match: re.Match[str]) -> str:
    """Return *match* with its secret, or all of it, replaced."""
    named = [one for one in _GROUPS if match.groupdict().get(one)]
    group: str | int = named[0] if named else 0
    if match[group].startswith("[secret:"):
        return match[0]
    tally.count_changed(f"secrets redacted, {kind}")
    first, end = (at - match.start() for at in match.span(group))
    return f"{match[0][:first]}[secret: {kind}]{match[0][end:]}"


@functools.cache
def _alone() -> list[tuple[str, re.Pattern[str]]]:
    """Return the shapes of secrets that stand for themselves."""
    ours = [(kind, re.compile(pattern, re.DOTALL)) for kind, pattern in _OURS]
    return [*ours[:1], *_of_library(), *ours[1:]]


@functools.cache
def _said() -> list[tuple[str, re.Pattern[str]]]:
    """Return the shapes of secrets that the words around them show."""
    return [(kind, re.compile(pattern, re.MULTILINE)) for kind, pattern in _SAID]


def _of_library() -> Iterator[tuple[str, re.Pattern[str]]]:
    # Imported on demand: only reading a history needs it.
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class as plugins

    found: Collection[Any] = plugins().values()
    for plugin in found:
        if plugin.__name__ in _PLUGINS:
            for pattern in plugin().denylist:
                yield plugin.secret_type, pattern
