"""What `make fuzz` found, one case a kind: each is now an error in words that names the argument."""

from fractions import Fraction

import numpy as np
import pytest

import attention_lab as lab
from attention_lab import activations, functional
from attention_lab.baselines.forecast import filled, same_hour
from attention_lab.baselines.ngrams import NGram
from attention_lab.data import bikes, documents, glue, number_words, repeats, splits, squad, story_arrays, surnames
from attention_lab.metrics import answer_f1, answer_scores, bleu, exact_match
from attention_lab.tasks.digits import DigitReader, patches
from attention_lab.tasks.documents import HierarchicalClassifier
from attention_lab.tasks.forecasting import absolute_loss
from attention_lab.tasks.question_answering import MemoryNetwork, SpanPointer
from attention_lab.teaching.explorer import Explorer, log_slider
from attention_lab.teaching.network import Network
from attention_lab.teaching.view import View, as_note

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2, 3, 4))
HALF = np.full((2, 4), 300, np.float16)
TRANSLATOR = lab.RecurrentSeq2Seq(5, 5, 4, rng=RNG)
READER = HierarchicalClassifier(9, 2, 4, 2, 4, max_words=2, rng=RNG)
SINGLE = np.array(2)
ENCODER = lab.Encoder(1, 4, 2, 8, norm=None, rng=RNG)
DECODER = lab.DecoderBlock(4, 2, 8, norm="post", rng=RNG)
LINE = {"cosine": [1.0, 0.5]}


def explorer(**options):
    return Explorer({"t": log_slider(1.0, 0.1, 10, "t")}, lambda state: View(lab.softmax([[state.t, 0.0]])), **options)


LOST = {"NaN": np.nan, "inf": np.inf, "-inf": -np.inf}
BAD = {
    "a size beyond memory": (lambda: lab.causal_mask(2**40), "n_queries must be below 2**31"),
    "a time as a size": (lambda: lab.causal_mask(np.timedelta64(3, "s")), "n_queries must be a whole number"),
    "a dtype that is no Python": (lambda: lab.Linear(2, 3, dtype="05"), "dtype must be a floating dtype"),
    "a dtype that is no text": (lambda: lab.Linear(2, 3, dtype="\ud800"), "dtype must be a floating dtype"),
    "a product beyond float16": (
        lambda: functional.linear(HALF, HALF.T),
        "x, weight: too large, linear would overflow",
    ),
    "NaN in self-attention": (lambda: lab.MultiHeadAttention(4, 2)(X * np.nan), "query holds NaN or inf"),
    "NaN in a layer of positions": (lambda: lab.LearnedPositions(9, 4)(X * np.nan), "x holds NaN or inf"),
    "NaN before a projection": (
        lambda: lab.linformer_attention(X, X * np.nan, X, np.eye(3), np.eye(3)),
        "key holds NaN",
    ),
    "no token to pool": (lambda: lab.AttentionPooling(4)(X[:, :0]), "x is empty"),
    "a target mask that fits nothing": (lambda: TRANSLATOR([1, 2], [1, 2], None, np.ones((3, 7))), "target_mask"),
    "a layer that is none": (lambda: lab.checkpoint(3, X), "layer must be a function"),
    "a ragged seed": (lambda: lab.Tensor(X).backward([1, [2]]), "seed must be an array"),
    "a state that is no three": (lambda: lab.online_softmax(X, X.swapaxes(1, 2), 0.5), "state must be three arrays"),
    "one beta": (lambda: lab.Adam(lab.Linear(2, 3), betas=0.9), "betas must be two numbers"),
    "gradients without names": (lambda: lab.clip_gradients([X], 1.0), "gradients must be a dict"),
    "no mask": (lambda: lab.combine_masks(), "masks is empty"),
    "Longformer's size": (lambda: lab.longformer_mask(1.5, window=2, global_positions=[0]), "n must be a whole number"),
    "Longformer's places": (
        lambda: lab.longformer_mask(3, window=2, global_positions=[7]),
        "global_positions must lie",
    ),
    "a dropout's rate": (lambda: functional.dropout(X, 2), "rate of dropout must be at least 0 and below 1"),
    "a time as a number": (lambda: lab.SGD(lab.Linear(2, 3), lr=np.timedelta64(-1, "s")), "lr must be a number"),
    "a number of 400 digits": (lambda: lab.LayerNorm(3, eps=10**400), "eps must be"),
    "a variance beyond float16": (lambda: lab.Linear(3, 3, variance=1e300), "variance must be at most"),
    "a penalty beyond all scores": (
        lambda: lab.beam_search(TRANSLATOR, [1], start=1, end=2, max_len=3, length_penalty=2**40),
        "length_penalty must be at most",
    ),
    "a clamp that is an array": (lambda: explorer(clamp=np.zeros((2, 0))), "clamp must be a function"),
    "a twin that is an array": (lambda: explorer(twin=X), "twin must be a function"),
    "arrays to show": (lambda: explorer(show=X), "show names no control"),
    "a question without a name": (lambda: lab.slides([""]), "what: no question is called ''"),
    "an answer without a word": (
        lambda: squad.answer_words([(0, 3)], 3, ""),
        "text: the answer '' at 3 lies on no word",
    ),
    "a lesson that is a set": (lambda: lab.recall(set()), "lesson must be one of"),
    "a token that cannot be decoded": (
        lambda: lab.stream([None], "ab".__getitem__),
        "decode cannot read the token None",
    ),
    "tokens that are none": (lambda: lab.stream(3), "tokens must be iterable"),
    "a path without a name": (lambda: lab.save_weights(lab.Linear(2, 3), ""), "path must name a file"),
    "a path with a null": (lambda: lab.save_weights(lab.Linear(2, 3), "a\0b"), "path must name a file"),
    "a path that is an array": (lambda: glue.read_glue(X, "CoLA"), "path must be a string or a path"),
    "inf in a history": (lambda: filled([[1.0], [np.inf]]), "history holds NaN or inf"),
    "texts that are a number": (lambda: NGram(3, 2), "texts must be a list"),
    "a text before that is none": (lambda: NGram(["ana"], 2).probabilities(None), "before must be a list"),
    "a split that is an array": (lambda: bikes.bikes(np.arange(3)), "split must be one of"),
    "documents that are numbers": (lambda: documents.encode([1.0]), "texts must be a list"),
    "sentences that are a number": (lambda: number_words.encode(3, number_words.GERMAN), "sentences must be a list"),
    "a vocabulary that is none": (lambda: number_words.decode([1], 3), "vocabulary must be a list"),
    "a period that is none": (lambda: repeats.repeats(2, RNG, period=True), "period must be a list"),
    "a key that is no function": (lambda: splits.shuffled("abc", 1, key=[]), "key must be a function"),
    "shares that are words": (lambda: splits.part("abc", "test", "abc", 1), "shares must be a list"),
    "a text that is none": (lambda: squad.word_spans(3), "text must be a string"),
    "spans that are none": (lambda: squad.answer_words(3, 0, "a"), "spans must be a list"),
    "half a place": (lambda: story_arrays.span_text("Ben ran.", 0.5, 1), "first must be a whole number"),
    "ids that are a date": (lambda: surnames.decode(np.datetime64("2026-01-01")), "ids must hold real numbers"),
    "a prediction that is none": (lambda: exact_match(3, ["a"]), "prediction: an answer must be a string"),
    "answers that are none": (lambda: answer_f1("a", [3]), "answers: an answer must be a string"),
    "NaN in an image": (lambda: DigitReader(4, 2)(np.full((8, 8), np.nan)), "images holds NaN or inf"),
    "too many words": (lambda: READER(np.ones((2, 3), int)), "ids has 3 words a sentence, more than max_words=2"),
    "no words": (lambda: HierarchicalClassifier(9, 2, 4, 2, 4, max_words=0), "max_words must be at least 1"),
    "no sentence": (lambda: MemoryNetwork(9, 2, 4, max_sentences=0), "max_sentences must be at least 1"),
    "NaN in a block": (lambda: ENCODER(X * np.nan), "x holds NaN or inf"),
    "no row in a block": (lambda: ENCODER(X[:, :0]), "x is empty, shape (2, 0, 4)"),
    "NaN before a memory": (lambda: DECODER(X * np.nan, X), "x holds NaN or inf"),
    "no row before a memory": (lambda: DECODER(X[:, :0], X), "x is empty, shape (2, 0, 4)"),
    "a weight of many keys": (
        lambda: lab.effective_keys(np.full(64, 0.37, np.float16)),
        "weights grow too large for float16",
    ),
    "no generator": (lambda: lab.Embedding(9, 4, rng=False), "rng must be a numpy.random.Generator, got False"),
    "ragged places": (lambda: lab.global_mask(5, positions=[1, [2]]), "positions must be an array: its rows"),
    "Longformer's ragged places": (
        lambda: lab.longformer_mask(5, window=2, global_positions=[1, [2]]),
        "global_positions must be an array: its rows",
    ),
    "an optimizer that is none": (
        lambda: lab.fit(lab.Linear(1, 1), lambda model, x: model(x).sum(), [(X,)], steps=1, optimizer="SGD"),
        "optimizer must be an Adam or an SGD",
    ),
    "a forecaster that gives a number": (
        lambda: absolute_loss(lambda *_: 0.5, np.ones((1, 24)), [0], np.ones(24), 0),
        "model must be a forecaster",
    ),
    "a scale that is an array": (
        lambda: lab.curves(LINE, x_label="x", scale=X),
        "scale must be one of 'linear', 'log'",
    ),
    "a kind that is an array": (lambda: View([[1.0]], kind=X), "kind must be one of 'weights'"),
    "no mask on a menu": (lambda: lab.explore_attention("the cat", mask=()), "mask cannot be ()"),
    "NaN in a tile": (lambda: lab.online_softmax([[2.0]], [[np.nan]]), "value holds NaN or inf"),
    "NaN in a state": (
        lambda: lab.online_softmax([[2.0]], [[1.0]], ([[0.0]], [[np.nan]], [[1.0]])),
        "state holds NaN or inf",
    ),
    "a time as colours": (
        lambda: lab.heatmap(X[0], kind="signed", scale=np.timedelta64(2, "s")),
        "scale must be one of",
    ),
    "a mean of nothing": (lambda: lab.Tensor(X[:, :0]).mean(), "x of shape (2, 0, 4) holds no number"),
    "one number as tokens": (lambda: lab.stream(SINGLE), "tokens must be iterable"),
    "one number as names": (lambda: lab.heatmap(X[0], tokens=SINGLE), "tokens must be a sequence"),
    "one number as axes": (lambda: View([[1.0]], axes=SINGLE), "axes must be two texts"),
    "one number as titles": (lambda: lab.head_grid(X, titles=SINGLE, kind="scores"), "titles must be a sequence"),
    "one number as a view's titles": (lambda: View([[1.0]], titles=SINGLE), "titles must be a sequence"),
    "one number to show": (lambda: explorer(show=SINGLE), "show must be a sequence"),
    "one number as questions": (lambda: lab.slides(SINGLE), "what must be"),
    "one number as hypotheses": (lambda: bleu(SINGLE, ["a"]), "hypotheses must be a list"),
    "one number as a reference": (lambda: bleu(["a b"], [SINGLE]), "references[0] must be a string"),
    "one number as predictions": (lambda: answer_scores(SINGLE, [["a"]]), "predictions must be a list"),
    "no word": (lambda: SpanPointer(9, 4, 2, 4, max_sentences=2, max_words=0), "max_words must be at least 1"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_was_found_is_an_error_in_words(name):
    call, words = BAD[name]
    with pytest.raises((TypeError, ValueError)) as caught:
        call()
    assert words in str(caught.value)


@pytest.mark.parametrize("lost", LOST)
@pytest.mark.parametrize("name", ["relu", "gelu", "silu", "tanh", "rms_norm", "layer_norm", "linear", "dropout"])
def test_a_lost_number_does_not_go_through_an_operation(name, lost):
    function = getattr(activations, name, None) or getattr(functional, name)
    others = {"rms_norm": [np.ones(4)], "layer_norm": np.ones((2, 4)), "linear": [np.eye(4)], "dropout": [0.5]}
    x = X.copy()
    x[1, 2, 3] = LOST[lost]
    if (name, lost) in {("relu", "-inf"), ("tanh", "inf"), ("tanh", "-inf")}:
        assert np.isfinite(function(x)).all()
        return
    with pytest.raises(ValueError, match="x holds NaN or inf"):
        function(x, *others.get(name, ()))


def test_what_overflows_in_a_description_of_weights_leaks_no_warning():
    weights = np.full((2, 1, 4, 4), 1e300)
    with pytest.raises(ValueError, match="weights grow too large for float64"):
        lab.attention_rollout(np.repeat(weights, 2, axis=0))
    assert lab.attention_entropy(weights * 1e8).max() == 0


def test_a_share_of_whole_numbers_is_no_zero():
    clipped, norm = lab.clip_gradients({"a": 3, "b": np.array([4], np.int8)}, 2.5)
    assert (norm, clipped["a"], clipped["b"].tolist()) == (5, 1.5, [2.0])


def test_what_a_loss_cannot_take_is_told_with_its_step():
    with pytest.raises(TypeError) as caught:
        lab.fit(lab.Linear(1, 1), lambda model, x: len(3), [(X,)], steps=1)
    assert caught.value.__notes__ == ["This happened where fit called loss in step 0, counted from 0."]


def test_a_title_that_is_an_array_is_shown_as_text():
    assert "'a' rises" in lab.curves({"a": [1.0, 2.0]}, x_label="x", title=X, note=X[:0]).alt
    assert Network([[1.0]], [[1]], [[0, 0]], title=X, note=X[:0]).title == as_note(X)


def test_a_fraction_is_a_number_where_a_picture_writes_it():
    assert "scaled by 0.333" in lab.pipeline(X[0], X[0], X[0], scale=Fraction(1, 3)).alt


def test_a_sure_class_has_its_infinite_price():
    assert lab.cross_entropy([[-np.inf, 0.0]], [0]) == np.inf
    assert lab.log_softmax([-np.inf, 0.0]).tolist() == [-np.inf, 0.0]


def test_what_a_pad_holds_reaches_nothing():
    x, mask = X.copy(), np.ones((2, 3), bool)
    x[0, 2], mask[0, 2] = np.nan, False
    assert np.isfinite(lab.GRU(4, 5, rng=RNG)(x, mask)).all()
    assert np.isfinite(lab.AttentionPooling(4)(x, mask)[0]).all()


def test_a_long_order_costs_what_the_texts_are_long():
    assert NGram(["ana"], 2**30).probabilities("an").sum().round(6) == 1


def test_whole_numbers_without_a_sign_count_days_back():
    assert same_hour([[1, 2], [3, 4]], np.uint64(2)).tolist() == [1, 2]
    assert "query 0 attends most to key 0" in lab.head_grid([[[0.9, 0.1], [0.3, 0.7]]] * 2, query=np.uint64(0)).alt
    assert lab.relative_position_bucket([-500, 500], num_buckets=5, max_distance=np.uint64(2)).tolist() == [1, 3]
    assert patches(np.ones((4, 4, 1)), 2, padding=np.uint8(1)).shape == (5, 5, 4)


def test_a_number_of_few_bits_is_compared_as_it_is():
    assert lab.Linear(2, 3, variance=np.float16(1.0), rng=RNG).weight.shape == (2, 3)


def test_a_huge_size_that_takes_no_memory_is_taken():
    assert lab.blockwise_attention(X, X, X, block_size=10**18, window=10**18).shape == X.shape
    assert splits.shuffled("ab", 2**40) is not None
