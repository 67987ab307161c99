"""A question of lesson 12 that a trained translator answers: does the translation depend on where it looks?"""

from attention_lab.data.number_words import END, ENGLISH, GERMAN, START, decode, encode, english
from attention_lab.generation import beam_search
from attention_lab.teaching.number_translator import load_number_translator
from attention_lab.teaching.questions.question import question


@question(
    "hidden-two",
    lesson="12",
    source="lesson",
    text="A translator without an encoder has learned that “forty two” is “zweiundvierzig”. Now “two” is hidden "
    "from the decoder, and “forty” can be read. What does it write?",
    options={
        "zweiundvierzig": "It has seen many numbers in training, but not this “two”: whatever it knows of the source "
        "it reads from it, and what is hidden is not known.",
        "vierzig": "It writes what it can read, forty, and leaves out the units. Here the map tells what the "
        "translation depends on, and this is how to test it.",
        "nothing at all": "It has read “forty”, and that is a number. A decoder always writes something; a source that "
        "is half hidden is a source of one word.",
    },
)
def hidden_two():
    source, mask = encode([english(42)], ENGLISH)
    mask[0, english(42).index("two")] = False
    texts, _ = beam_search(
        load_number_translator(), source, start=START, end=END, max_len=11, beams=1, source_mask=mask
    )
    written = "".join(decode(texts[0, 0], GERMAN))
    return f"{written}" if written else "nothing at all"
