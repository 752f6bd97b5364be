"""List texts that ask for no memory: greetings, remarks, and questions about the world.

Similarities scale differently with every model, so no fixed threshold serves. A query nearer to one
of these texts than to a memory recalls no memory. To a model of English, all German texts are near
to one another, so a German greeting needs German texts.

Files beside this module keep the vectors of these texts by the installed models. They are many, and
the first question of a process would wait while they are computed. After a change of the texts,
`python -m concept_graph_mcp.embedding.nothing` writes the files anew.
"""

import hashlib
from pathlib import Path
from typing import Final

from . import minilm, multilingual
from .base import Vector

# These differ from the texts with which the benchmarks measure.
_ENGLISH: Final = (
    "Hello!",
    "Hey, how are you doing?",
    "Good afternoon",
    "I'm back again",
    "Bye, talk to you later",
    "Sleep well",
    "Many thanks, you are very kind",
    "That was helpful",
    "No problem at all",
    "All right then",
    "Great, do that",
    "Yes, exactly",
    "No, not now",
    "I understand",
    "That's fine with me",
    "Never mind, it does not matter",
    "One moment",
    "That made me laugh",
    "I can't believe it",
    "What a pity",
    "How interesting",
    "Is that true?",
    "I have no idea",
    "I need help with something",
    "Please repeat the last answer",
    "Tell me more",
    "Keep going",
    "Do it once more",
    "You misunderstood me",
    "Make it shorter",
    "Give me an example",
    "What are you able to do?",
    "Are you a human?",
    "Tell me a story",
    "This is a test",
    "hmm ok",
    "qwerty",
    "What is the capital of Australia?",
    "Who wrote War and Peace?",
    "How many planets are there?",
    "At what temperature does water freeze?",
    "Explain quantum mechanics",
    "How much is 12 times 12?",
    "Solve the equation 2x + 3 = 11",
    "When did the Second World War end?",
    "How high is Mount Everest?",
    "What is the formula of table salt?",
    "What does the word irony mean?",
    "How does an engine work?",
    'Translate "house" into French',
    "Write a poem about the sea",
    "Write a program that sorts a list",
    "How do I install this package?",
    "What is wrong with this code?",
    "How many miles are a kilometre?",
    "Summarise the history of Rome",
    "What is a metaphor?",
    "Who invented the telephone?",
    "Which languages are spoken in Switzerland?",
    "What is the population of India?",
    "Why is the sky blue?",
    "How do plants grow?",
    "Name three chemical elements",
    "What is the largest country in the world?",
)
# Some of the same, translated: each text takes 6 ms when the first question is asked.
_GERMAN: Final = (
    "Hallo!",
    "Guten Tag, was gibt es Neues?",
    "Schlaf gut",
    "Herzlichen Dank, sehr freundlich",
    "Das war hilfreich",
    "Also gut",
    "Ja, genau",
    "Nein, jetzt nicht",
    "Einen Augenblick",
    "Erzähl mir mehr",
    "Wie bitte?",
    "Was ist die Hauptstadt von Australien?",
    "Wer hat Krieg und Frieden geschrieben?",
    "Wie viel ist 12 mal 12?",
    "Wie funktioniert ein Motor?",
    "Schreib ein Gedicht über das Meer",
)
_PORTUGUESE: Final = (
    "Olá!",
    "Boa tarde, quais são as novidades?",
    "Durma bem",
    "Muito obrigado, é muita gentileza",
    "Isso foi útil",
    "Então está bem",
    "Sim, exatamente",
    "Não, agora não",
    "Um instante",
    "Conte mais",
    "Como assim?",
    "Qual é a capital da Austrália?",
    "Quem escreveu Guerra e Paz?",
    "Quanto é 12 vezes 12?",
    "Como funciona um motor?",
    "Escreva um poema sobre o mar",
)
_SPANISH: Final = (
    "¡Hola!",
    "Buenas tardes, ¿qué hay de nuevo?",
    "Que duermas bien",
    "Muchas gracias, muy amable",
    "Eso fue útil",
    "Está bien",
    "Sí, exactamente",
    "No, ahora no",
    "Un momento",
    "Cuéntame más",
    "¿Cómo dices?",
    "¿Cuál es la capital de Australia?",
    "¿Quién escribió Guerra y paz?",
    "¿Cuánto es 12 por 12?",
    "¿Cómo funciona un motor?",
    "Escribe un poema sobre el mar",
)
_FRENCH: Final = (
    "Bonjour !",
    "Bon après-midi, quoi de neuf ?",
    "Dors bien",
    "Merci beaucoup, c'est très gentil",
    "C'était utile",
    "Très bien alors",
    "Oui, exactement",
    "Non, pas maintenant",
    "Un instant",
    "Dis-m'en plus",
    "Pardon ?",
    "Quelle est la capitale de l'Australie ?",
    "Qui a écrit Guerre et Paix ?",
    "Combien font 12 fois 12 ?",
    "Comment fonctionne un moteur ?",
    "Écris un poème sur la mer",
)
TEXTS: Final = (_ENGLISH, _GERMAN, _PORTUGUESE, _SPANISH, _FRENCH)


_MODELS: Final = {
    minilm.NAME: minilm.minilm,
    multilingual.NAME: multilingual.load_multilingual,
}


def read(model: str) -> list[Vector] | None:
    """Return the vector of each text by *model*; None unless there is a file for these texts."""
    if model not in _MODELS:
        return None
    import numpy as np

    try:
        found = _path(model).read_bytes()
    except OSError:
        return None
    head = _head(model)
    if not found.startswith(head):
        return None
    rows = np.frombuffer(found[len(head) :], dtype="<f2").reshape(len(_texts()), -1)
    return [tuple(map(float, row)) for row in rows]


def write() -> None:
    """Compute the vectors and write the files. Raises EmbeddingError."""
    import anyio
    import numpy as np

    for model, load in _MODELS.items():
        made = anyio.run(load("").vectors, _texts())
        _path(model).write_bytes(_head(model) + np.array(made, dtype="<f2").tobytes())


def _path(model: str) -> Path:
    return Path(__file__).with_name(f"nothing_{model}.f16")


def _texts() -> list[str]:
    return [text for some in TEXTS for text in some]


def _head(model: str) -> bytes:
    return hashlib.sha256("\n".join((model, *_texts())).encode()).digest()


if __name__ == "__main__":
    write()
