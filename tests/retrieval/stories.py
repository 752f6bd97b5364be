"""The beginnings of three stories, each in its language, and what a person asks about them.

Lewis Carroll, "Alice's Adventures in Wonderland" (1865); the brothers Grimm, "Die Bremer
Stadtmusikanten" (1819); 芥川龍之介「蜘蛛の糸」 (1918). All in the public domain.
"""

from pathlib import Path

TEXTS = Path(__file__).parents[1] / "fixtures/texts"

# What is asked, and the beginning of the sentence that answers it.
QUESTIONS = {
    "english": {
        "What colour were the rabbit's eyes?": "So she was considering",
        "Where did the rabbit keep its watch?": "But when the Rabbit actually",
        "What was written on the empty jar?": "She took down a jar",
        "Which pictures hung on the sides of the well?": "Then she looked at the sides",
        "Who is Dinah?": "“Dinah’ll miss me",
        "Why did she not drop it?": "She did not like to drop",
        "Was there conversation in her sister's books?": "Alice was beginning",
    },
    "german": {
        "Was trug der Esel zur Mühle?": "Es hatte ein Mann",
        "Wer wollte Stadtmusikant werden?": "Da dachte der Herr",
        "Wo lag der müde Hund?": "Als er ein Weilchen",
        "Welches Gesicht machte die Katze?": "Es dauerte nicht lange",
        "Wo haben sie im Wald übernachtet?": "Sie konnten aber die Stadt",
        "Wer schlief unter den Bäumen?": "Der Esel und der Hund",
        "Wer sah durch das Fenster der Räuber?": "Der Esel, als der größte",
    },
    "japanese": {
        "池の花は何色でしたか？": "池の中に咲いている",
        "男は林の中で何を見ましたか？": "と申しますのは",
        "誰が蜘蛛を助けましたか？": "とうとうその蜘蛛",
        "男はどんな悪事を働きましたか？": "この犍陀多と云う男",
        "極楽は何時でしたか？": "極楽は丁度朝",
        "三途の河はどこにありますか？": "この極楽の蓮池の下",
    },
}
ASKED = [
    (language, asked, answer)
    for language, asked_in_it in QUESTIONS.items()
    for asked, answer in asked_in_it.items()
]


def sentences(language: str) -> list[str]:
    """Return the story in that language, a sentence each."""
    return (TEXTS / f"{language}.txt").read_text(encoding="utf-8").splitlines()
