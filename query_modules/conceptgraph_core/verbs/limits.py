"""The largest sizes of stored values, for every layer."""

from typing import Final

MAX_INTEGER: Final = 2**63 - 1

# In characters. An episode's name is a date, a slash, a concept's name and a number.
MAX_NAME: Final = 1_000
MAX_EPISODE_NAME: Final = MAX_NAME + 20
MAX_SUMMARY: Final = 20_000
# The characters of one memory.
MAX_CONTENT: Final = 100_000
# The characters of the path of a value that a program keeps, and of the value.
MAX_PATH: Final = 4_000
MAX_VALUE: Final = 10_000_000
# 9999-12-31T00:00:00Z: not all later times have a local date.
MAX_TIME_MS: Final = 253_402_214_400_000
# A century: the greatest age that a question names.
MAX_DAYS: Final = 36_500

# The most dimensions of a vector, and the largest value of one.
MAX_DIMENSION: Final = 16_384
MAX_COMPONENT: Final = 1e30

# The most nodes that a call without a look-up reads to find those in question.
MAX_SCANNED: Final = 100_000

# The other wordings of one question.
MAX_WORDINGS: Final = 20

# The most results of one everyday question, and the names of one memory.
MOST_FOUND: Final = 100
MOST_ABOUT: Final = 10

# The most keywords of one search.
MAX_KEYWORDS: Final = 100

DEFAULT_TAU_MS: Final = 86_400_000
