"""Lesson 11: what a token costs in memory for as long as it is kept."""

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def bytes_per_token(num_layers, d_model, num_heads, num_kv_heads, bytes_per_number):
    d_head = d_model // num_heads  # as wide as a query head, to be compared with it
    width = num_kv_heads * d_head  # score: the numbers of a token's keys, in one layer
    numbers = 2 * num_layers * width  # keys and values, in every layer
    return numbers * bytes_per_number


@diagnosed(
    "You count query heads, or d_model, which is as many numbers. Queries are not kept, and of the keys there are "
    "`num_kv_heads` heads: `num_kv_heads * d_head` numbers a layer."
)
def faulty_bytes_per_token_query_heads(num_layers, d_model, num_heads, num_kv_heads, bytes_per_number):
    d_head = d_model // num_heads
    width = num_heads * d_head  # score: the numbers of a token's keys, in one layer
    numbers = 2 * num_layers * width
    return numbers * bytes_per_number


@diagnosed(
    "You count keys and no values, or the other way round. Each token leaves one of both in every layer: times 2."
)
def faulty_bytes_per_token_keys_only(num_layers, d_model, num_heads, num_kv_heads, bytes_per_number):
    return num_layers * num_kv_heads * (d_model // num_heads) * bytes_per_number


@diagnosed(
    "You count queries too. An old query is never read again, so it is not kept: keys and values alone, times 2."
)
def faulty_bytes_per_token_queries_too(num_layers, d_model, num_heads, num_kv_heads, bytes_per_number):
    return 3 * num_layers * num_kv_heads * (d_model // num_heads) * bytes_per_number


@diagnosed(
    "That is one layer's share. Each layer makes keys and values of its own and keeps them: multiply by `num_layers`."
)
def faulty_bytes_per_token_one_layer(num_layers, d_model, num_heads, num_kv_heads, bytes_per_number):
    return 2 * num_kv_heads * (d_model // num_heads) * bytes_per_number


@diagnosed(
    "Each key head is as wide as the whole model in yours. A head has a part of the features: "
    "`d_head = d_model // num_heads`."
)
def faulty_bytes_per_token_wide_heads(num_layers, d_model, num_heads, num_kv_heads, bytes_per_number):
    return 2 * num_layers * num_kv_heads * d_model * bytes_per_number


@diagnosed(
    "You count one key head, which is multi-query attention. There are `num_kv_heads` of them: multiply by that."
)
def faulty_bytes_per_token_one_head(num_layers, d_model, num_heads, num_kv_heads, bytes_per_number):
    return 2 * num_layers * (d_model // num_heads) * bytes_per_number


@diagnosed(
    "You count `num_heads // num_kv_heads` heads. That is the size of a group, how many query heads share a key head; "
    "kept are `num_kv_heads` heads."
)
def faulty_bytes_per_token_group_size(num_layers, d_model, num_heads, num_kv_heads, bytes_per_number):
    return 2 * num_layers * (num_heads // num_kv_heads) * (d_model // num_heads) * bytes_per_number


@diagnosed("That is how many numbers are kept, not how many bytes. Multiply by `bytes_per_number`: 2 for float16.")
def faulty_bytes_per_token_numbers(num_layers, d_model, num_heads, num_kv_heads, bytes_per_number):
    return 2 * num_layers * num_kv_heads * (d_model // num_heads)


@diagnosed("Those are bits: a byte has 8 of them, and the width of a number is given in bytes. Leave the 8 out.")
def faulty_bytes_per_token_bits(num_layers, d_model, num_heads, num_kv_heads, bytes_per_number):
    return 16 * num_layers * num_kv_heads * (d_model // num_heads) * bytes_per_number


# layers, d_model, query heads, key heads, bytes: the first is SmolLM2-135M, as it is published
_MODELS = [(30, 576, 9, 3, 2), (32, 4096, 32, 8, 2), (7, 55, 11, 1, 4), (5, 21, 3, 3, 8), (13, 120, 15, 5, 1)]

EXERCISES = [
    Exercise(
        task="Write bytes_per_token(num_layers, d_model, num_heads, num_kv_heads, bytes_per_number): the memory that "
        "the keys and values of one token take in all layers. A head has d_model // num_heads features.",
        reference=bytes_per_token,
        cases=_MODELS,
        faults=[
            faulty_bytes_per_token_query_heads,
            faulty_bytes_per_token_keys_only,
            faulty_bytes_per_token_queries_too,
            faulty_bytes_per_token_one_layer,
            faulty_bytes_per_token_wide_heads,
            faulty_bytes_per_token_one_head,
            faulty_bytes_per_token_group_size,
            faulty_bytes_per_token_numbers,
            faulty_bytes_per_token_bits,
        ],
        hints=(
            "What does one token leave behind in one layer, and how many numbers is that?",
            "A key of `num_kv_heads` heads, `d_model // num_heads` features each, and a value of the same size; once "
            "a layer.",
            "`2 * num_layers * num_kv_heads * (d_model // num_heads) * bytes_per_number`.",
        ),
        key="# score",
        distractor=faulty_bytes_per_token_query_heads,
        learned="fewer key heads make a cache smaller; query heads, however many, cost it nothing.",
        returns=("size",),
    )
]
