"""Texts, one token at a time: the same with a cache and without, seeded, stopped, and refused at the call."""

import numpy as np
import pytest

import attention_lab as lab
from attention_lab import LanguageModel, generate, next_probabilities, sample
from tests.test_checks import refused_with


def rng(seed=0):
    return np.random.default_rng(seed)


KINDS = ("learned", "sinusoidal", "rotary", "alibi", None)


def model_of(kind="rotary", **about):
    about = {"num_layers": 2, "max_len": 16, "dtype": np.float64, "rng": rng(0), "num_kv_heads": 2} | about
    model = LanguageModel(7, 16, 4, 11, positions=kind, **about)
    model.embed.table *= 2  # sharper, so that not everything is a coin toss
    return model


def text(model, prompt, n, **options):
    return [token if isinstance(token, int) else token.tolist() for token in generate(model, prompt, n, **options)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("prompt", [[0, 5, 2, 2], [[1, 2], [6, 0], [3, 3]]], ids=str)
def test_with_a_cache_without_and_with_ones_own_the_text_is_the_same(prompt, kind):
    model = model_of(kind)
    for options in ({"temperature": 0}, {"temperature": 2.0, "top_p": 0.9}):
        texts = [
            text(model, prompt, 6, rng=rng(5), cache=cache, **options)
            for cache in (True, False, model.caches(), tuple(model.caches(20)))
        ]
        assert texts[0] == texts[1] == texts[2] == texts[3]
        assert len(texts[0]) == 6


def test_each_token_is_drawn_from_what_the_model_says_then():
    model, told = model_of(), [3, 1]
    for token in generate(model, told, 8, temperature=0):
        assert token == int(model(told)[0][-1].argmax())
        told.append(token)
    generator, told = rng(9), [3, 1]
    for token in generate(model, told, 8, temperature=0.7, top_k=4, rng=rng(9)):
        assert token == sample(next_probabilities(model(told)[0][-1], temperature=0.7, top_k=4), generator)
        told.append(token)


def test_a_seed_settles_the_text():
    model = model_of()
    first, again, other = (text(model, [1], 12, rng=rng(seed)) for seed in (1, 1, 2))
    assert first == again != other
    assert all(type(token) is int for token in generate(model, [1], 3, rng=rng()))


@pytest.mark.parametrize("options", [{"temperature": 0}, {"top_k": 1}, {"temperature": 5.0, "top_k": 1}], ids=str)
def test_where_nothing_is_drawn_no_generator_is_needed(options):
    model = model_of()
    assert text(model, [1, 2], 6, **options) == text(model, [1, 2], 6, temperature=0, rng=rng(3))


def test_stop_is_handed_over_and_ends_the_text():
    model = model_of()
    whole = text(model, [1], 12, temperature=3.0, rng=rng(4))
    for stop in set(whole):
        end = whole.index(stop) + 1
        assert text(model, [1], 12, temperature=3.0, rng=rng(4), stop=stop) == whole[:end]
    missing = np.int64(min(set(range(7)) - set(whole[:4])))
    assert text(model, [1], 4, temperature=3.0, rng=rng(4), stop=missing) == whole[:4]


def test_a_batch_ends_when_all_its_texts_have_ended():
    model, prompt = model_of(), [[1, 2], [3, 4], [5, 6]]
    whole = np.array(text(model, prompt, 14, temperature=3.0, rng=rng(2)))  # (steps, batch)
    assert whole.shape == (14, 3)
    ends = {stop: (whole == stop).argmax(0).max() + 1 for stop in range(7) if (whole == stop).any(0).all()}
    assert ends
    for stop, end in ends.items():
        assert text(model, prompt, 14, temperature=3.0, rng=rng(2), stop=stop) == whole[:end].tolist()


def test_the_numbers_of_tokens_at_the_ends():
    model = model_of("learned", max_len=8)
    assert text(model, [1], 0, temperature=0) == []
    assert len(text(model, [1], 8, temperature=0)) == 8  # the last one is not read any more
    assert len(text(model, [1] * 8, 1, temperature=0)) == 1
    tokens = generate(model, [1], 20, temperature=0)
    assert [next(tokens) for _ in range(8)] == text(model, [1], 8, temperature=0)
    with pytest.raises(ValueError, match="the text reaches position 8, but the model has learned max_len=8"):
        next(tokens)


def test_ones_own_caches_go_on_with_the_text():
    model, caches = model_of(), model_of().caches(30)
    first = text(model, [1, 2], 5, temperature=0, cache=caches)
    assert {cache.seen for cache in caches} == {6}  # the fifth token was handed over, and not read
    more = text(model, [first[-1]], 5, temperature=0, cache=caches)
    assert first + more == text(model, [1, 2], 10, temperature=0)


def test_caches_that_slide_write_on_without_end():
    model = model_of("alibi")
    tokens = text(model, [1, 2, 3], 50, temperature=0, cache=model.caches(4, on_full="slide"))
    assert len(tokens) == 50
    with pytest.raises(ValueError, match="the cache is full: it holds 4 of max_len=4 tokens and 1 more came"):
        text(model, [1, 2, 3], 50, temperature=0, cache=model.caches(4))


def test_tokens_come_one_by_one():
    model, calls = model_of(), []
    encoder = model.encoder

    class Counting:
        def __init__(self):
            self.blocks = encoder.blocks

        def __call__(self, x, *args, **options):
            calls.append(x.shape[-2])
            return encoder(x, *args, **options)

    model.encoder = Counting()
    tokens = generate(model, [1, 2, 3], 5, temperature=0)
    assert calls == []
    next(tokens)
    assert calls == [3]
    next(tokens)
    assert calls == [3, 1]
    list(generate(model, [1, 2, 3], 3, temperature=0, cache=False))
    assert calls[2:] == [3, 4, 5]


# ---- refused at the call, not at the first token ----------------------------------------------------------------

MODEL = model_of("learned")


def call(prompt=(1, 2), n=3, model=MODEL, **options):
    prompt = list(prompt) if isinstance(prompt, tuple) else prompt
    return lambda: generate(model, prompt, n, **({"temperature": 0} | options))


VALUES = {
    "no token": (call([]), "prompt must be (..., n) with n of at least 1, got shape (0,): begin with a token"),
    "a number": (call(3), "prompt must be (..., n)", "got shape ()"),
    "an id too large": (call([7]), "prompt must lie between 0 and 6, got 7 to 7"),
    "rows of two lengths": (call([[1], [1, 2]]), "prompt must be an array", "different lengths"),
    "fewer than none": (call(n=-1), "num_tokens must be at least 0, got -1"),
    "nothing draws": (call(temperature=1.0), "give rng=np.random.default_rng(0), or temperature=0"),
    "nothing draws from a nucleus": (call(temperature=1.0, top_p=0), "give rng=np.random.default_rng(0)"),
    "temperature": (call(temperature=-1, rng=rng()), "temperature must be at least 0, got -1"),
    "top_k": (call(top_k=0), "top_k must be at least 1, got 0"),
    "top_p in per cent": (call(top_p=90), "top_p must be at least 0 and at most 1, got 90"),
    "stop": (call(stop=99), "stop must lie between 0 and 6, got 99"),
    "stop before 0": (call(stop=-1), "stop must be at least 0, got -1"),
    "a cache too few": (call(cache=MODEL.caches()[:1]), "caches must be a list of 2 different KVCaches"),
    "the same cache": (call(cache=MODEL.caches()[:1] * 2), "caches must be a list of 2 different KVCaches"),
}
WRONG_KINDS = {
    "no model": (call(model=None), "model must be a LanguageModel, got None"),
    "its class": (call(model=LanguageModel), "model must be a LanguageModel"),
    "a classifier": (call(model=lab.TextClassifier(7, 2, 8, 2, 8, max_len=9)), "model must be a LanguageModel"),
    "letters": (call("abc"), "prompt must hold real numbers"),
    "floats": (call([1.0]), "prompt must be whole numbers, got dtype float64"),
    "half a token": (call(n=2.0), "num_tokens must be a whole number, got 2.0"),
    "a seed": (call(rng=3), "rng must be a numpy.random.Generator, got 3: write np.random.default_rng(seed)"),
    "temperature": (call(temperature="hot"), "temperature must be a number, got 'hot'"),
    "top_k": (call(top_k=2.0), "top_k must be a whole number, got 2.0"),
    "stop sign": (call(stop="."), "stop must be a whole number, got '.'"),
    "two stops": (call(stop=[1, 2]), "stop must be a whole number, got [1, 2]"),
    "no cache": (call(cache=None), "cache", "must be True or False, got None", "model.caches()"),
    "one cache": (call(cache=lab.KVCache(9)), "cache", "must be True or False, got", "model.caches()"),
}


@pytest.mark.parametrize("case", VALUES)
def test_a_bad_value_is_a_value_error_in_words(case):
    make, *words = VALUES[case]
    refused_with(ValueError, make, words)


@pytest.mark.parametrize("case", WRONG_KINDS)
def test_the_wrong_kind_is_a_type_error_in_words(case):
    make, *words = WRONG_KINDS[case]
    refused_with(TypeError, make, words)
