"""Questions of lesson 13, first half: reading sentences, and pointing at words."""

import numpy as np

from attention_lab.attention import softmax
from attention_lab.data.squad import Example, squad_examples
from attention_lab.data.stories import stories
from attention_lab.data.story_arrays import WORDS, as_memory
from attention_lab.tasks.question_answering import MemoryNetwork, best_span
from attention_lab.teaching.questions.question import question


@question(
    "without-ages",
    lesson="13",
    source="lesson",
    text="“Anna entered the attic. Ben entered the hall. Anna entered the cellar.” A memory is asked for Anna. Its "
    "slots are sums of word vectors, without any vector for the age of a sentence, and all places have the same one. "
    "How do the weights of sentences 1 and 3 compare?",
    options={
        "sentence 1 has more": "It comes first, but nothing in the slots says so. They hold words alone, and these two "
        "hold the same ones.",
        "sentence 3 has more": "It would have to, since Anna is there now. But a sum of words does not know when it "
        "was said: only a vector for the age can tell.",
        "both have the same": "The two slots are equal, so their scores are, and the answer is a mixture of both "
        "places. A heap of sentences has no order, as words have none without positions.",
    },
)
def without_ages():
    model = MemoryNetwork(7, 3, 8, max_sentences=3, rng=np.random.default_rng(0))
    for age in model.ages:
        age.table[:] = 0
    model.memories[0].table[5:] = model.memories[0].table[4]  # 1 Anna, 2 Ben, 3 entered, 4 5 6 places
    first, _, third = model([[1, 3, 4], [2, 3, 5], [1, 3, 6]], [1])[1][0]
    if np.isclose(first, third):
        return "both have the same"
    return "sentence 1 has more" if first > third else "sentence 3 has more"


@question(
    "two-strangers",
    lesson="13",
    source="lesson",
    text="“Zoe entered the attic. Yan entered the attic.” Both names are new to a model: it reads each as the same "
    "token, <unknown>. It is asked for Zoe. What can tell the two sentences apart for it?",
    options={
        "their names": "You see two names, the model sees one token twice. What is not in its vocabulary has no vector "
        "of its own.",
        "their ages alone": "Word for word the sentences are the same to the model: unknown, entered, the, attic. It "
        "reads the later one or the earlier one, and whose it is cannot matter.",
        "nothing at all": "Their words are equal, but a slot also holds a vector for the age of its sentence, and "
        "these two differ.",
    },
)
def two_strangers():
    asked = Example("", "Where is Zoe?", "Zoe entered the attic. Yan entered the attic.")
    arrays, model = as_memory([asked]), MemoryNetwork(len(WORDS), 3, 8, max_sentences=2, rng=np.random.default_rng(0))
    first, second = model(*arrays)[1][0][0]
    for age in model.ages:
        age.table[:] = 0
    without = model(*arrays)[1][0][0]
    if not np.isclose(*without):
        return "their names"
    return "nothing at all" if np.isclose(first, second) else "their ages alone"


@question(
    "end-before-start",
    lesson="13",
    source="Q120",
    text="Four words have the start logits 1, 4, 0, 0 and the end logits 5, 0, 1, 3. Words are counted from 0. Which "
    "span has the largest sum, if it must not end before it begins?",
    options={
        "from 1 to 0": "These are the best start and the best end, 4 + 5. But the end stands before the start, and "
        "between them there is no text: two argmaxes know nothing of each other.",
        "from 0 to 0": "With the best end fixed, this start is the only one left: 1 + 5 = 6. But another pair has a "
        "larger sum.",
        "from 1 to 3": "4 + 3 = 7, more than 1 + 5 = 6. The pair is chosen together, among the pairs that are a span: "
        "the upper triangle of a table.",
    },
)
def end_before_start():
    first, last, _ = best_span([1, 4, 0, 0], [5, 0, 1, 3])
    return f"from {first} to {last}"


@question(
    "count-the-spans",
    lesson="13",
    source="lesson",
    text="A text of 300 words: 90,000 pairs of a first and a last word. How many are spans, if an answer has at most "
    "15 words?",
    options={
        "about 45,000": "So many do not end before they begin: the upper triangle with its diagonal. But most of these "
        "are far longer than 15 words.",
        "about 4,400": "Each word can begin 15 spans, but for the last ones: a band of the table, whose size grows "
        "with n and not with n².",
        "300": "That would be spans of one word alone, the diagonal. Each word can also begin spans of 2 to 15 words.",
    },
)
def count_the_spans():
    n, longest = 300, 15
    found = 0
    for first in range(n):  # forbid all starts but one, and prefer the later end: how far may a span reach from there?
        rest = np.arange(min(n - first, 2 * longest))
        start = np.where(rest == 0, 1e9, -1e9)
        found += best_span(start, rest, longest=longest)[1] + 1
    return "300" if found == n else f"about {round(int(found), -2):,}"


@question(
    "two-passages",
    lesson="13",
    source="Q121",
    text="Two passages are read one by one. In A two words have the start logits 1 and 0, in B 9 and 8. Softmax is "
    "taken in each passage. Which word is most probable?",
    options={
        "one of B": "Its logits are far higher, and that is what should count. But a softmax only keeps differences, "
        "and they are 1 in both.",
        "one of A": "A has the lower logits. Softmax keeps differences alone, and they are 1 in both passages.",
        "A and B have equal ones": "Both first words have 0.73: softmax forgets the level. Across passages compare the "
        "logits themselves, or take one softmax over all words.",
    },
)
def two_passages():
    of_a, of_b = (softmax(np.array(logits, float)).max() for logits in ((1, 0), (9, 8)))
    if np.isclose(of_a, of_b):
        return "A and B have equal ones"
    return "one of A" if of_a > of_b else "one of B"


@question(
    "one-pass-two-facts",
    lesson="13",
    source="lesson",
    text="“Ben took the lamp. Anna entered the attic. Ben entered the cellar. Where is the lamp?” How many words, "
    "beside “the”, does the question share with the sentence that holds the answer?",
    options={
        "none": "It shares “lamp” with the first sentence only. That one must be read first, for the name to ask with: "
        "one pass over the sentences cannot know that Ben matters.",
        "one, “lamp”": "“lamp” stands in the sentence that says who took it. Where that person went says another one, "
        "and the lamp is not named there.",
        "one, “Ben”": "Ben links the two sentences, but the question does not name him: nobody knows yet that it is "
        "about Ben.",
    },
)
def one_pass_two_facts():
    shared = set()
    for example in squad_examples(stories("validation", facts=2)):
        sentence = example.context.removesuffix(".").split(". ")[example.supporting[-1]]
        shared |= set(example.question.strip("?").lower().split()) & set(sentence.lower().split())
    shared -= {"the", "then", "later"}
    return "none" if not shared else f"one, “{sorted(shared)[0]}”"


@question(
    "because-best_span",
    lesson="13",
    source="exercise",
    text="`best_span` adds the two logits of a pair, because …",
    options={
        "the product of the chances is then largest": "Start and end have a softmax each, and ln(p · q) = ln p + ln q: "
        "a logit is ln p but for a constant that all pairs share.",
        "a longer span then scores more": "Each span has one start and one end, however long it is: two numbers are "
        "added, never more.",
        "the mean of the two chances is then largest": "A mean would let one sure end make up for an impossible start. "
        "The largest sum of logits is the largest product instead.",
    },
)
def because_best_span():
    rng, found = np.random.default_rng(0), set()
    for _ in range(200):
        start, end = rng.normal(scale=3, size=(2, 11))
        first, last, _ = best_span(start, end)
        p, q = softmax(start)[:, None], softmax(end)[None, :]
        names = {
            "the product of the chances is then largest": p * q,
            "the mean of the two chances is then largest": p + q,
        }
        best = {name: np.unravel_index(np.triu(table).argmax(), table.shape) for name, table in names.items()}
        found |= {name for name, pair in best.items() if pair != (first, last)}
    held = [name for name in names if name not in found]
    return held[0] if len(held) == 1 else "a longer span then scores more"
