"""Words by which `naming` recognizes a name, and words that are none."""

from typing import Final

from ...language import oneself
from ..language import kin
from ..language.folded import word_set

# These join the parts of a name: Bank of America, Ludwig van Beethoven.
LINKS: Final = frozenset(
    ("of", "de", "da", "di", "du", "del", "van", "von", "der", "den", "la", "le", "el", "al", "bin")
)
# After one of these an acronym belongs to a firm or a place.
OF: Final = frozenset(("at", "for", "from", "with", "by", "to", "bei", "von", "für"))
# After one of these, without an article, several plain words belong to a firm too.
AT: Final = frozenset(("at", "from"))
# Behind one of these, a place or a firm stands.
AT_PLACES: Final = frozenset(("in", "at", "from", "to", "near", "bei", "aus", "nach", "em", "en"))
# These follow a subject: "Max is", "Zeus met".
TELLING: Final = word_set("""
is was are were has had will would can could should did who isn't wasn't won't doesn't didn't can't
said told came went got gave took made met saw ran left lost won bought brought thought knew felt
found kept sent wrote ate slept spoke began became bit called says
""")
# Endings of capitalised common nouns, and of words for actions or manners.
NO_ENDINGS: Final = (
    *("tion", "sion", "ment", "ness", "ing", "ings", "ance", "ence", "ship", "ism", "ity", "ities"),
    *("tions", "ments", "ed", "ly", "als", "ures", "ages", "ware", "ist", "ists", "ous"),
)
# A noun follows these, however it is written.
BEFORE_NOUNS: Final = word_set("""
a an the my our your their his her its this these that those some any each every no more of
""")
ROLES: Final = word_set("""
manager engineer officer developer director analyst consultant executive assistant designer lead
owner owners team report plan list model method account review form answer metrics
""")
# Capitalised within a sentence, and no names.
NO_NAMES: Final = oneself.PEOPLES | word_set("""
christian muslim jewish buddhist western eastern internet god christmas easter halloween
thanksgiving mom mum dad grandma grandpa sir madam ceo cto cfo faq pdf url api html sql css xml json
csv usd eur asap fyi diy btw lol imo todo kpi roi seo faqs etc mr mrs ms ok tv pc id inc ltd llc
gmbh co corp hi hello bot ai project topic mon tue tues wed weds thu thurs fri sat sun figure
figures table order share list account customer option step phase section part day week version
title note
""")
COUNTING: Final = frozenset(
    ("first", "second", "third", "last", "next", "above", "two", "three", "four", "five", "six")
)
# Plain words in names of places: West Coast, Mount Cook.
STREETS: Final = frozenset(("avenue", "lane", "road", "square", "street"))
OF_PLACES: Final = STREETS | word_set("""
bay beach city coast falls island islands lake mount palace park river valley
""")
DETERMINERS: Final = word_set("""
der die das den dem des ein eine einen einem einer kein keine keinen diese dieser dieses diesen
diesem jede jeder im am zum zur vom beim ins ans alle viele jedes welche
""").union(kin.OWN, kin.OTHERS)
HAVING: Final = frozenset(
    (
        *(
            "i have",
            "we have",
            "i've got",
            "we've got",
            "i adopted",
            "we adopted",
            "we got",
            "i got",
        ),
        *("have adopted", "ich habe", "wir haben", "haben wir", "tengo", "tenemos", "adoptamos"),
        *("hemos adoptado", "he adoptado", "tenho", "temos", "adotámos", "adotamos", "adoptámos"),
        *("j'ai", "nous avons", "avons adopté", "ai adopté"),
    )
)
