"""Lesson 11: keep keys and values in a buffer while a text grows."""

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def cache_append(keys, values, length, key, value):
    end = length + key.shape[-2]  # how many tokens are kept then
    if end > keys.shape[-2]:
        raise ValueError(f"the cache is full: {end} tokens, room for {keys.shape[-2]}")
    new = slice(length, end)  # project: the rows that the new keys and values get
    keys[:, :, new] = key  # (batch, heads, n, d_k)
    values[:, :, new] = value  # (batch, heads, n, d_v)
    return keys[:, :, :end], values[:, :, :end], end  # views: nothing is copied


def _room(keys, end):
    if end > keys.shape[-2]:
        raise ValueError(f"the cache is full: {end} tokens, room for {keys.shape[-2]}")


@diagnosed(
    "You write at the start, over the oldest tokens: later queries would read the new tokens in their place. "
    "New tokens stand behind what is kept: rows `length` to `length + n`."
)
def faulty_cache_append_start(keys, values, length, key, value):
    end = length + key.shape[-2]
    if end > keys.shape[-2]:
        raise ValueError(f"the cache is full: {end} tokens, room for {keys.shape[-2]}")
    new = slice(key.shape[-2])  # project: the rows that the new keys and values get
    keys[:, :, new] = key
    values[:, :, new] = value
    return keys[:, :, :end], values[:, :, :end], end


@diagnosed(
    "You write into the last rows of the buffer, and what you return ends before them. "
    "Rows fill up from the start: the new tokens stand in rows `length` to `length + n`."
)
def faulty_cache_append_end(keys, values, length, key, value):
    n = key.shape[-2]
    _room(keys, length + n)
    keys[:, :, -n:], values[:, :, -n:] = key, value
    return keys[:, :, : length + n], values[:, :, : length + n], length + n


@diagnosed(
    "The keys are kept, the values are not: a query would find the right token and read another text's value. "
    "Write both: `values[:, :, length:end] = value`."
)
def faulty_cache_append_keys_only(keys, values, length, key, value):
    end = length + key.shape[-2]
    _room(keys, end)
    keys[:, :, length:end] = key
    return keys[:, :, :end], values[:, :, :end], end


@diagnosed(
    "You return the whole buffers. The rows behind `length + n` hold nothing yet, or an older text, and a softmax "
    "would give them weight. Cut there: `keys[:, :, :end]`."
)
def faulty_cache_append_whole(keys, values, length, key, value):
    cache_append(keys, values, length, key, value)
    return keys, values, length + key.shape[-2]


@diagnosed(
    "You return the new tokens alone, which the caller has already. Queries read what came before them as well: "
    "begin at row 0, `keys[:, :, :end]`."
)
def faulty_cache_append_new_only(keys, values, length, key, value):
    *_, end = cache_append(keys, values, length, key, value)
    return keys[:, :, length:end], values[:, :, length:end], end


@diagnosed(
    "You return what was kept before the call, without the new tokens. A token attends to itself too: "
    "end at `length + n`."
)
def faulty_cache_append_old_only(keys, values, length, key, value):
    *_, end = cache_append(keys, values, length, key, value)
    return keys[:, :, :length], values[:, :, :length], end


@diagnosed(
    "The length does not move on, so the next call would write over these tokens. "
    "Return the new one: `length + key.shape[-2]`."
)
def faulty_cache_append_pointer(keys, values, length, key, value):
    kept_keys, kept_values, _ = cache_append(keys, values, length, key, value)
    return kept_keys, kept_values, length


@diagnosed(
    "`length` grows by 1 whatever comes. A prompt brings many tokens at once: add their number, `key.shape[-2]`."
)
def faulty_cache_append_counts_one(keys, values, length, key, value):
    kept_keys, kept_values, _ = cache_append(keys, values, length, key, value)
    return kept_keys, kept_values, length + 1


@diagnosed(
    "You make room for one token. A prompt, or a part of it, brings several: write into `length:end`, with "
    "`end = length + key.shape[-2]`."
)
def faulty_cache_append_one_row(keys, values, length, key, value):
    _room(keys, length + 1)
    keys[:, :, length : length + 1] = key
    values[:, :, length : length + 1] = value
    return keys[:, :, : length + 1], values[:, :, : length + 1], length + 1


@diagnosed(
    "`[:, :, length]` is one row and drops its axis, and `key` has an axis of tokens. "
    "Write into a slice, which keeps the axis and takes any number of tokens: `[:, :, length:end]`."
)
def faulty_cache_append_one_index(keys, values, length, key, value):
    _room(keys, length + 1)
    keys[:, :, length] = key
    values[:, :, length] = value
    return keys[:, :, : length + 1], values[:, :, : length + 1], length + 1


@diagnosed(
    "You cut the first axis, the batch, as if a buffer were (max_len, d). Here it is (batch, heads, max_len, d): "
    "tokens are axis 2, `keys[:, :, length:end]`."
)
def faulty_cache_append_batch_axis(keys, values, length, key, value):
    end = length + key.shape[-2]
    _room(keys, end)
    keys[length:end] = key
    values[length:end] = value
    return keys[:end], values[:end], end


@diagnosed(
    "You cut axis 1, the heads, as if a buffer were (batch, max_len, d). Here it is (batch, heads, max_len, d): "
    "tokens are axis 2, `keys[:, :, length:end]`."
)
def faulty_cache_append_heads_axis(keys, values, length, key, value):
    end = length + key.shape[-2]
    _room(keys, end)
    keys[:, length:end] = key
    values[:, length:end] = value
    return keys[:, :end], values[:, :end], end


@diagnosed(
    "`len(key)` is the length of the first axis: the number of texts, not of tokens. "
    "Tokens are counted by `key.shape[-2]`."
)
def faulty_cache_append_counts_texts(keys, values, length, key, value):
    end = length + len(key)
    _room(keys, end)
    keys[:, :, length:end] = key
    values[:, :, length:end] = value
    return keys[:, :, :end], values[:, :, :end], end


@diagnosed(
    "Nothing looks whether there is room. A slice that reaches beyond the buffer is cut short without a word, so a "
    "single token into a full cache is lost, while the length grows. Look first: `if end > keys.shape[-2]: raise ...`."
)
def faulty_cache_append_unguarded(keys, values, length, key, value):
    end = length + key.shape[-2]
    keys[:, :, length:end] = key
    values[:, :, length:end] = value
    return keys[:, :, :end], values[:, :, :end], end


@diagnosed(
    "Into a full cache you write row by row until NumPy stops you, in words that do not say what is wrong, and with "
    "a part of the tokens written. Look before the loop: `if end > keys.shape[-2]: raise ValueError(...)`."
)
def faulty_cache_append_row_by_row(keys, values, length, key, value):
    for i in range(key.shape[-2]):
        keys[:, :, length + i] = key[:, :, i]
        values[:, :, length + i] = value[:, :, i]
    end = length + key.shape[-2]
    return keys[:, :, :end], values[:, :, :end], end


@diagnosed(
    "You keep what fits and drop the rest without a word: the text would go on as if those tokens had not been read. "
    'Say it: `raise ValueError("the cache is full ...")`.'
)
def faulty_cache_append_what_fits(keys, values, length, key, value):
    end = min(length + key.shape[-2], keys.shape[-2])
    keys[:, :, length:end] = key[:, :, : end - length]
    values[:, :, length:end] = value[:, :, : end - length]
    return keys[:, :, :end], values[:, :, :end], end


@diagnosed(
    "The buffers stay as they were: you join arrays, or write into copies. That moves everything at every token, and "
    "the next call finds other rows. Write into the buffers, `keys[:, :, length:end] = key`, and return views."
)
def faulty_cache_append_joins(keys, values, length, key, value):
    end = length + key.shape[-2]
    _room(keys, end)
    kept_keys = np.concatenate([keys[:, :, :length], key], axis=2)
    return kept_keys, np.concatenate([values[:, :, :length], value], axis=2), end


def _cases():
    rng = np.random.default_rng(110)

    def draw(length, n, max_len=17, d_k=5, d_v=11, dtype=float):
        """Buffers that hold an older text behind what is kept, and n new tokens."""
        shapes = (max_len, d_k), (max_len, d_v), (n, d_k), (n, d_v)
        keys, values, key, value = (rng.normal(size=(2, 3, *shape)).astype(dtype) for shape in shapes)
        return keys, values, length, key, value

    return [
        draw(4, 7),
        draw(0, 13),  # a prompt into an empty cache
        draw(16, 1),  # the last free row
        draw(17, 1),  # full
        draw(13, 7),  # four rows are free
        draw(5, 1, max_len=19, d_k=7, d_v=13, dtype=np.float32),
    ]


# As the gallery calls it: the name tells what is wrong.
faulty_append = faulty_cache_append_start

EXERCISES = [
    Exercise(
        task="Write cache_append(keys, values, length, key, value): write n new tokens, key (batch, heads, n, d_k) and "
        "value, into the buffers keys (batch, heads, max_len, d_k) and values, behind the `length` tokens kept there; "
        "return views of all that is kept, keys and values, and the new length. No room: raise ValueError.",
        reference=cache_append,
        cases=_cases(),
        faults=[
            faulty_cache_append_start,
            faulty_cache_append_end,
            faulty_cache_append_keys_only,
            faulty_cache_append_whole,
            faulty_cache_append_new_only,
            faulty_cache_append_old_only,
            faulty_cache_append_pointer,
            faulty_cache_append_counts_one,
            faulty_cache_append_one_row,
            faulty_cache_append_one_index,
            faulty_cache_append_batch_axis,
            faulty_cache_append_heads_axis,
            faulty_cache_append_counts_texts,
            faulty_cache_append_unguarded,
            faulty_cache_append_row_by_row,
            faulty_cache_append_what_fits,
            faulty_cache_append_joins,
        ],
        hints=(
            "A buffer of 17 rows keeps 4 tokens and 7 come. Which rows do they get, which rows may be read then, and "
            "how many tokens may still come?",
            "`end = length + key.shape[-2]`. The new rows are `length` to `end`, on axis 2. Is there a row `end - 1`? "
            "A slice does not complain if there is none.",
            "`if end > keys.shape[-2]: raise ValueError(...)`, then `keys[:, :, length:end] = key`, the same for the "
            "values, and `return keys[:, :, :end], values[:, :, :end], end`.",
        ),
        key="# project",
        distractor=faulty_cache_append_start,
        learned="a step writes its own rows and copies nothing that is kept; queries read all of it; a full cache "
        "says so.",
        returns=("kept_keys", "kept_values", "new_length"),
        writes=("keys", "values"),
        refuses=True,
    )
]
