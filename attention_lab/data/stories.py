"""Short stories of who went where, with questions in the format of SQuAD: made here, so every answer is known.

Anna went to the attic. Ben thought of the garden. Then Anna ran to the market. Where is Anna? The answer is the place
of her last move, and the sentence that tells it is known. Other people move, too, and people speak of places they do
not go to. In stories of two facts somebody takes a thing, and the question is where the thing is.
"""

from functools import cache

import numpy as np

from attention_lab.checks import check_flag, check_generator, check_size
from attention_lab.data.splits import part

SHARES = (7, 1, 2)  # train, validation, test
STORIES = 2000
SEED = 13

PEOPLE = ("Anna", "Ben", "Clara", "David", "Emma", "Felix", "Grace", "Henry")
PLACES = (
    *("attic", "cellar", "kitchen", "library", "market", "garden", "front garden", "back garden"),
    *("dining room", "living room", "waiting room", "old town hall"),
)
THINGS = ("apple", "book", "coat", "key", "lamp", "letter")
MOVES = ("entered", "reached", "went to")
MENTIONS = ("described", "missed", "remembered")
OPENINGS = ("", "", "Then ", "Later ")
QUESTIONS = ("Where is {}?", "Where is {} now?")


def stories(split, *, facts=1, unanswerable=False):
    """Stories and questions, as a file of SQuAD holds them.

    A story and all its questions belong to one split. Beside SQuAD's own keys each question has ``supporting``, the
    numbers of the sentences that decide it.

    Parameters
    ----------
    split : "train", "validation" or "test"
    facts : 1 or 2
        How many sentences decide: a person's last move, or who took a thing and that person's last move.
    unanswerable : bool
        Version 2.0: a third of the questions have no answer. They ask for people who speak of places, or are in the
        story not at all.

    Returns
    -------
    dict
        ``{"version", "data"}``: 1,400, 200 or 400 stories. With one fact two questions a story, with two facts one;
        `unanswerable` adds one.

    Raises
    ------
    TypeError, ValueError
        If an argument is not one of what is listed.

    Examples
    --------
    >>> squad = stories("test")
    >>> story = squad["data"][0]["paragraphs"][0]
    >>> story["context"][:64]
    'Later Ben entered the living room. Emma went to the back garden.'
    >>> story["qas"][1]["question"], story["qas"][1]["answers"], story["qas"][1]["supporting"]
    ('Where is Emma?', [{'text': 'back garden', 'answer_start': 52}], [1])
    """
    made = part(_all_stories(_check_facts(facts)), split, SHARES, SEED, key=lambda paragraph: paragraph["context"])
    keep = [_of_version(paragraph, check_flag("unanswerable", unanswerable)) for paragraph in made]
    article = {"title": "Who went where", "paragraphs": keep}
    return {"version": "v2.0" if unanswerable else "1.1", "data": [article]}


def _of_version(paragraph, unanswerable):
    """The questions of version 2.0, or those of them that version 1.1 can hold."""
    qas = [qa for qa in paragraph["qas"] if unanswerable or not qa["is_impossible"]]
    if not unanswerable:
        qas = [{key: value for key, value in qa.items() if key != "is_impossible"} for qa in qas]
    return {"context": paragraph["context"], "qas": qas}


@cache
def _all_stories(facts):
    return tuple(make_stories(STORIES, np.random.default_rng([SEED, facts]), facts=facts))


def make_stories(num, rng, *, facts=1):
    """Draw stories with their questions, no story twice.

    Parameters
    ----------
    num : int
    rng : numpy.random.Generator
    facts : 1 or 2

    Returns
    -------
    list of dict
        Paragraphs of SQuAD 2.0: ``{"context", "qas"}``.

    Raises
    ------
    TypeError, ValueError
        If `num` is no whole number of at least 0, or `rng` no generator.
    """
    num, rng, facts = check_size("num", num), check_generator(rng), _check_facts(facts)
    drawn = {}
    while len(drawn) < num:
        story = _Story(rng, facts)
        if story.askable:
            drawn.setdefault(story.context, story)
    return [story.paragraph(f"story-{facts}-{i:04d}") for i, story in enumerate(drawn.values())]


def _check_facts(facts):
    if check_size("facts", facts) not in (1, 2):
        raise ValueError(f"facts must be 1 or 2, got {facts}")
    return facts


class _Story:
    """A story in the making: sentences, and for each who did what with which place or thing."""

    def __init__(self, rng, facts):
        self.rng, self.facts = rng, facts
        self.cast = [PEOPLE[i] for i in rng.permutation(len(PEOPLE))[:3]]
        self.events, self.sentences = [], []  # an event is (person, "move" | "mention" | "take", what)
        length = 6 if facts == 2 else int(rng.integers(4, 6))
        taken = set(rng.permutation(length)[:2]) if facts == 2 else ()
        things = list(rng.permutation(len(THINGS)))
        for i in range(length):
            kind = "take" if i in taken else "mention" if facts == 1 and rng.random() < 0.3 else "move"
            self.tell(self.pick(self.cast), kind, THINGS[things.pop()] if kind == "take" else self.pick(PLACES))
        self.context = " ".join(self.sentences)
        self.subjects = self.movers() if facts == 1 else self.things_of_movers()

    def tell(self, person, kind, what):
        verb = {"move": self.pick(MOVES), "mention": self.pick(MENTIONS), "take": "took"}[kind]
        self.events.append((person, kind, what))
        self.sentences.append(f"{self.pick(OPENINGS)}{person} {verb} the {what}.")

    def movers(self):
        """{who can be asked for: the sentence that decides}: the last move of each."""
        return {person: (i,) for i, (person, kind, _) in enumerate(self.events) if kind == "move"}

    def things_of_movers(self):
        """The same for things: who took it, and where that person went last."""
        moves = self.movers()
        takes = [(i, *event) for i, event in enumerate(self.events) if event[1] == "take"]
        return {f"the {thing}": (i, *moves[person]) for i, person, _, thing in takes if person in moves}

    @property
    def askable(self):
        return bool(self.subjects) and len(self.movers()) >= 2

    def paragraph(self, name):
        subjects = list(self.subjects)
        asked = [subjects[i] for i in self.rng.permutation(len(subjects))[: 3 - self.facts]]
        qas = [self.question(f"{name}-{i}", subject) for i, subject in enumerate((*asked, self.stranger()))]
        return {"context": self.context, "qas": qas}

    def stranger(self):
        """Of whom the story does not tell where they are: half of the time one who is in it, if there is one."""
        if self.facts == 2:
            known = [what for _, kind, what in self.events if kind == "take"]
            return f"the {self.pick([thing for thing in THINGS if thing not in known])}"
        present = [person for person, _, _ in self.events if person not in self.subjects]
        absent = [person for person in PEOPLE if person not in self.cast]
        return self.pick(present if present and self.rng.random() < 0.5 else absent)

    def question(self, id, subject):
        supporting = list(self.subjects.get(subject, ()))
        answers = [self.answer(supporting[-1])] if supporting else []
        return {
            "id": id,
            "question": self.pick(QUESTIONS).format(subject),
            "answers": answers,
            "is_impossible": not answers,
            "supporting": supporting,
        }

    def answer(self, sentence):
        text, before = self.events[sentence][2], self.sentences[:sentence]
        start = sum(map(len, before)) + len(before) + self.sentences[sentence].index(f" {text}.") + 1
        return {"text": text, "answer_start": start}

    def pick(self, choices):
        return choices[self.rng.integers(len(choices))]
