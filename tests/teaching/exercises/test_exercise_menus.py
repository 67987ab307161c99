"""check, hint, solution, order by name; what is shown, and how."""

import subprocess
import sys
from functools import wraps

import pytest

from attention_lab.teaching.exercises import EXERCISES, check, hint, order, show_source, solution
from attention_lab.teaching.exercises.display import Said, Source, source_of
from attention_lab.teaching.exercises.lesson_01 import faulty_attention_over_queries


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """Every test starts as a kernel does: no attempt made, no hint given."""
    for exercise in EXERCISES.values():
        monkeypatch.setattr(exercise, "attempts", 0)
        monkeypatch.setattr(exercise, "hints_given", 0)


def my_softmax(scores): ...


def test_lessons_have_their_exercises():
    known = [
        "similarity",
        "softmax",
        "log_softmax",
        "attention",
        "masked_softmax",
        "causal_mask",
        "sliding_window_mask",
        "own_sentence_mask",
        "entropy",
        "effective_keys",
        "similarity_summary",
        "multi_head_attention",
        "split_heads",
        "repeat_heads",
        "positional_encoding",
        "rotary",
        "alibi_bias",
        "relative_bucket",
        "layer_norm",
        "feed_forward",
        "pre_norm",
        "encoder_block",
        "softmax_backward",
        "attention_backward",
        "layer_norm_backward",
        "numeric_gradient",
        "shift",
        "cross_entropy",
        "adam_step",
        "dropout",
        "warmup_cosine",
        "train_reverse",
        "masked_mean",
        "pad_batch",
        "matthews",
        "shift_targets",
        "perplexity",
        "top_p",
        "cache_append",
        "bytes_per_token",
        "cached_mask",
        "left_pad_positions",
        "teacher_forcing",
        "decoder_masks",
        "clipped_precision",
        "best_span",
        "read_memory",
        "word_f1",
        "day_windows",
        "mae_by_horizon",
        "seasonal_naive",
        "pool_twice",
        "pad_documents",
        "online_softmax",
        "block_cost",
        "causal_linear_attention",
        "random_features",
        "longformer_mask",
        "two_step_mask",
        "neighbour_attention",
        "offset_weights",
        "rollout",
        "top_matches",
        "induction_score",
        "previous_token_head",
        "logit_lens",
    ]
    assert list(EXERCISES)[: len(known)] == known  # those of a new lesson come after them


@pytest.mark.parametrize("menu", [check, hint, solution, order])
def test_menus_complete_names_and_tell_of_themselves(menu):
    assert dir(menu) == sorted(EXERCISES)
    assert repr(menu).count("\n") == len(EXERCISES) - 1
    assert "Write attention(query, key, value)" in repr(menu)
    assert not hasattr(menu, "_repr_html_")


@pytest.mark.parametrize("menu", [check, hint, solution, order])
def test_an_unknown_name_is_told_with_near_ones(menu):
    with pytest.raises(AttributeError, match="no exercise is called 'softmx': did you mean softmax or log_softmax"):
        menu.softmx  # noqa: B018
    with pytest.raises(ValueError, match="no exercise is called 'zzz': there are similarity, softmax"):
        menu("zzz")
    with pytest.raises(ValueError, match=r"write \w+\.softmax\(\.\.\.\)"):
        menu(my_softmax)


def test_both_ways_of_calling():
    right = EXERCISES["softmax"].reference
    assert check.softmax(right).passed
    assert check("softmax", right).passed
    assert check("softmax").status == "not attempted"
    assert check.softmax().status == "not attempted"
    assert check.softmax.__doc__ == EXERCISES["softmax"].task


@pytest.mark.parametrize("menu", [check, hint, solution, order])
def test_a_menu_called_without_a_name_says_what_to_write(menu):
    with pytest.raises(ValueError, match=r"write \w+\.softmax\(\.\.\.\)"):
        menu()


def test_a_function_handed_to_hint_or_solution_does_no_harm():
    assert hint.softmax(my_softmax).message.startswith("Hint 1 of 3")
    assert "First an attempt" in solution.softmax(my_softmax).message


def test_hints_come_one_by_one_and_stay_at_the_last():
    texts = [hint.softmax().message for _ in range(4)]
    for number, text in enumerate(texts[:3], start=1):
        assert text.startswith(f"Hint {number} of 3: {EXERCISES['softmax'].hints[number - 1]}")
    assert texts[3] == texts[2]
    assert "solution.softmax()" in texts[2]
    assert hint.attention().message.startswith("Hint 1 of 3")


def test_the_solution_opens_after_an_attempt():
    assert "First an attempt: `check.softmax(my_softmax)`" in solution.softmax().message
    assert check.softmax(my_softmax).status == "not attempted"
    assert isinstance(solution.softmax(), Said)
    assert check.softmax(lambda scores: scores).status == "wrong"
    assert str(solution.softmax()) == source_of(EXERCISES["softmax"].reference)
    assert str(solution.softmax()).startswith("def softmax(scores):\n    shifted = ")
    assert isinstance(solution.attention(), Said)


def test_what_a_check_says_is_shown_as_text_and_as_html():
    said = Said("Use `a < b` & **not** <b>more</b>.", "wrong")
    shown = said._repr_mimebundle_()
    assert shown["text/plain"] == repr(said) == str(said) == "Use `a < b` & **not** <b>more</b>."
    assert "<code>a &lt; b</code> &amp; **not** &lt;b&gt;more&lt;/b&gt;." in shown["text/html"]
    assert "✗" in shown["text/html"]
    assert not said.passed


def test_the_four_verdicts_look_different():
    boxes = [Said("x", status).html() for status in ("correct", "not attempted", "wrong", "error")]
    assert len({box.split("true")[1] for box in boxes}) == 4  # by their sign, not by colour alone


def test_source_is_shown_without_decorators_and_docstring():
    shown = Source(source_of(faulty_attention_over_queries))._repr_mimebundle_()
    assert shown["text/plain"].startswith("def faulty_attention_over_queries(query, key, value):\n    scores = ")
    assert "normalise over queries" not in shown["text/plain"]  # the diagnosis is not given away
    assert shown["text/markdown"] == f"```python\n{shown['text/plain']}\n```"

    @wraps(my_softmax)
    def documented(x):
        """One line.

        And more.
        """
        return x

    del documented.__wrapped__
    assert source_of(documented) == "def documented(x):\n    return x"


def test_source_is_shown_at_once(capsys):
    assert show_source(source_of) is None
    assert capsys.readouterr().out.rstrip() == source_of(source_of)


def test_the_name_of_a_fault_is_not_shown(capsys):
    show_source(faulty_attention_over_queries)
    assert capsys.readouterr().out.startswith("def faulty(query, key, value):\n")


@pytest.mark.parametrize("thing", [len, 3, "text"])
def test_source_that_does_not_exist(thing):
    with pytest.raises(TypeError, match="function must be one that is written in Python"):
        show_source(thing)


def test_the_package_gives_the_same_names():
    code = "from attention_lab import check, hint, order, show_source, solution; print(check.softmax(None).status)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "not attempted\n"


@pytest.mark.parametrize("menu", [check, hint, solution, order])
def test_what_is_homework_gets_no_help(menu, monkeypatch):
    monkeypatch.setenv("ATTENTION_LAB_HOMEWORK", "rotary softmax")
    assert "`softmax` is homework here" in str(menu.softmax(my_softmax))
    assert "`rotary` is homework here" in str(menu("rotary"))
    assert "is homework" not in str(menu.log_softmax())
    assert EXERCISES["softmax"].attempts == EXERCISES["softmax"].hints_given == 0
