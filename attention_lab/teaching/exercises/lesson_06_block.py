"""Lesson 06: how sublayers, norms and the residual stream are put together."""

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def pre_norm(x, norm, sublayer):
    normed = norm(x)  # normalise: (..., n, d), for the sublayer alone
    update = sublayer(normed)  # (..., n, d)
    return x + update  # (..., n, d): the stream goes on


def encoder_block(x, attend, forward, norm_1, norm_2, place):
    pre = place == "pre"  # else "post"
    x = x + attend(norm_1(x) if pre else x)  # mix: each token reads the others
    x = x if pre else norm_1(x)  # (..., n, d)
    x = x + forward(norm_2(x) if pre else x)  # each token by itself
    return x if pre else norm_2(x)


# pre_norm --------------------------------------------------------------------------------------------------


@diagnosed(
    "You add the update to norm(x), so the stream is normed at every step and a sublayer of zeros is not the identity. "
    "Add it to `x` as it came in."
)
def faulty_pre_norm_adds_norm(x, norm, sublayer):
    normed = norm(x)
    update = sublayer(normed)
    return normed + update  # (..., n, d): the stream goes on


@diagnosed(
    "You norm the sum: norm(x + f(x)) is post-norm. "
    "In pre-norm the norm stands inside the branch: only what the sublayer reads is normed, `sublayer(norm(x))`."
)
def faulty_pre_norm_post(x, norm, sublayer):
    return norm(x + sublayer(x))


@diagnosed(
    "You norm twice, what the sublayer reads and the sum as well, so the stream is normed at every step. "
    "Leave the outer norm out: `x + ...` is the result."
)
def faulty_pre_norm_twice(x, norm, sublayer):
    return norm(x + sublayer(norm(x)))


@diagnosed(
    "The residual is missing: what the token was is lost, and only the update goes on. "
    "Add the update to the stream: `x + ...`."
)
def faulty_pre_norm_no_residual(x, norm, sublayer):
    return sublayer(norm(x))


@diagnosed(
    "You norm what the sublayer gives, not what it reads: every update then has the same size. "
    "First `norm(x)`, and the sublayer of that."
)
def faulty_pre_norm_norm_after(x, norm, sublayer):
    return x + norm(sublayer(x))


@diagnosed(
    "The norm is missing: the sublayer reads a stream that grows with every block. Hand it `norm(x)` in place of `x`."
)
def faulty_pre_norm_no_norm(x, norm, sublayer):
    return x + sublayer(x)


@diagnosed(
    "`x += ...` writes into the array of whoever calls, and an array of whole numbers cannot hold the sum. "
    "Make a new one: `x = x + ...`."
)
def faulty_pre_norm_in_place(x, norm, sublayer):
    x += sublayer(norm(x))
    return x


@diagnosed(
    "You put the update beside x, so every sublayer would widen the stream. "
    "Add the two: they have the same shape, and all blocks then share one stream."
)
def faulty_pre_norm_concatenates(x, norm, sublayer):
    return np.concatenate([x, sublayer(norm(x))], axis=-1)


# encoder_block ---------------------------------------------------------------------------------------------


@diagnosed(
    "Both sublayers read the block's input, so the second knows nothing of what attention found. "
    "Let it read the stream after the first sum."
)
def faulty_encoder_block_reads_the_old_x(x, attend, forward, norm_1, norm_2, place):
    pre, old = place == "pre", x
    x = x + attend(norm_1(x) if pre else x)
    x = x if pre else norm_1(x)
    x = x + forward(norm_2(old) if pre else old)
    return x if pre else norm_2(x)


@diagnosed(
    "The second sum starts from the block's input, so what attention added is lost to the stream. "
    "Add to the stream as it stands after the first sum: `x = x + ...` twice."
)
def faulty_encoder_block_adds_to_the_old_x(x, attend, forward, norm_1, norm_2, place):
    pre, old = place == "pre", x
    x = x + attend(norm_1(x) if pre else x)
    x = x if pre else norm_1(x)
    x = old + forward(norm_2(x) if pre else x)
    return x if pre else norm_2(x)


@diagnosed(
    "You use the first norm before the second sublayer too. Each norm has a gain and a bias of its own: "
    "`norm_2` goes with `forward`."
)
def faulty_encoder_block_one_norm(x, attend, forward, norm_1, norm_2, place):
    pre = place == "pre"
    x = x + attend(norm_1(x) if pre else x)
    x = x if pre else norm_1(x)
    x = x + forward(norm_1(x) if pre else x)  # each token by itself
    return x if pre else norm_2(x)


@diagnosed(
    "There is no norm at all, so the stream grows with every block. "
    'Hand each sublayer the normed stream for "pre", or norm each sum for "post".'
)
def faulty_encoder_block_no_norm(x, attend, forward, norm_1, norm_2, place):
    x = x + attend(x)
    return x + forward(x)


@diagnosed(
    "The residuals are missing: each sublayer replaces the stream in place of adding to it. "
    "Write `x = x + ...` for both."
)
def faulty_encoder_block_no_residual(x, attend, forward, norm_1, norm_2, place):
    if place == "pre":
        return forward(norm_2(attend(norm_1(x))))
    return norm_2(forward(norm_1(attend(x))))


@diagnosed(
    "You add to the normed stream: x = norm(x) overwrites what the sum needs. "
    "Norm what the sublayer reads, and add its update to `x` as it was."
)
def faulty_encoder_block_norms_the_stream(x, attend, forward, norm_1, norm_2, place):
    pre = place == "pre"
    x = norm_1(x) if pre else x
    x = x + attend(x)
    x = norm_2(x) if pre else norm_1(x)
    x = x + forward(x)
    return x if pre else norm_2(x)


@diagnosed(
    "The feed-forward net comes first in your block. "
    "Attention gathers from the other tokens, then each token works on what it read: `attend` before `forward`."
)
def faulty_encoder_block_forward_first(x, attend, forward, norm_1, norm_2, place):
    return encoder_block(x, forward, attend, norm_1, norm_2, place)


@diagnosed(
    'Your block is post-norm whatever `place` says. For "pre" the sums stay as they are, and each sublayer reads '
    "a normed copy: `x + attend(norm_1(x))`."
)
def faulty_encoder_block_always_post(x, attend, forward, norm_1, norm_2, place):
    x = norm_1(x + attend(x))
    return norm_2(x + forward(x))


@diagnosed(
    'Your block is pre-norm whatever `place` says. For "post" each sublayer reads the stream as it is, and the sum '
    "is normed: `norm_1(x + attend(x))`."
)
def faulty_encoder_block_always_pre(x, attend, forward, norm_1, norm_2, place):
    x = x + attend(norm_1(x))
    return x + forward(norm_2(x))


@diagnosed(
    'The two places are turned round: "pre" norms what a sublayer reads, "post" norms the sum. Swap your two branches.'
)
def faulty_encoder_block_turned_round(x, attend, forward, norm_1, norm_2, place):
    return encoder_block(x, attend, forward, norm_1, norm_2, "post" if place == "pre" else "pre")


# What the cases hand over: norms and sublayers that are easy to work by hand.


def rms_norm(x):
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-6)


def centre(x):
    return x - x.mean(axis=-1, keepdims=True)


def square_plus_one(x):
    return x * x + 1  # without the 1, a norm after it would hide one before it


def mean_of_tokens(x):
    return x.mean(axis=-2, keepdims=True) + 0 * x


def zero(x):
    return 0 * x


def _pre_norm_cases():
    rng = np.random.default_rng(8)
    return [
        (1 + 2 * rng.normal(size=(3, 5)), rms_norm, square_plus_one),
        (1 + 2 * rng.normal(size=(2, 3, 7)), centre, mean_of_tokens),
        (3 * rng.normal(size=(5, 7)), rms_norm, zero),  # with a sublayer that says nothing, x comes back
        (3 * rng.normal(size=(2, 5)).astype(np.float32), rms_norm, square_plus_one),
        (rng.integers(-3, 4, size=(5, 3)), rms_norm, square_plus_one),
    ]


def _block_cases():
    rng = np.random.default_rng(9)
    parts = mean_of_tokens, square_plus_one, rms_norm, centre
    return [
        (1 + 2 * rng.normal(size=(3, 5)), *parts, "pre"),
        (1 + 2 * rng.normal(size=(3, 5)), *parts, "post"),
        (1 + 2 * rng.normal(size=(2, 3, 7)), *parts, "pre"),
        (1 + 2 * rng.normal(size=(2, 3, 7)), *parts, "post"),
        (3 * rng.normal(size=(5, 7)), zero, zero, rms_norm, centre, "pre"),
        (3 * rng.normal(size=(2, 5)).astype(np.float32), *parts, "post"),
    ]


# As the gallery calls it: the name tells what is wrong.
faulty_pre_norm = faulty_pre_norm_adds_norm

EXERCISES = [
    Exercise(
        task="Write pre_norm(x, norm, sublayer): the sublayer reads the normed stream, the stream itself is only added "
        "to. `norm` and `sublayer` are functions of an array.",
        reference=pre_norm,
        cases=_pre_norm_cases(),
        faults=[
            faulty_pre_norm_adds_norm,
            faulty_pre_norm_post,
            faulty_pre_norm_twice,
            faulty_pre_norm_no_residual,
            faulty_pre_norm_norm_after,
            faulty_pre_norm_no_norm,
            faulty_pre_norm_in_place,
            faulty_pre_norm_concatenates,
        ],
        hints=(
            "What should come out when the sublayer gives nothing but zeros?",
            "x itself, unchanged: the norm stands inside the branch, not on the stream. What does the sublayer read?",
            "Call `norm` on x, `sublayer` on the result of that, and add what comes back to `x`.",
        ),
        key="# normalise",
        distractor=faulty_pre_norm_adds_norm,
        learned="a sublayer of zeros gives x back, so the stream runs through every block without a norm in its way.",
    ),
    Exercise(
        task="Write encoder_block(x, attend, forward, norm_1, norm_2, place): attention, then the feed-forward net, "
        'each with its residual and its norm, where place is "pre" or "post".',
        reference=encoder_block,
        cases=_block_cases(),
        faults=[
            faulty_encoder_block_reads_the_old_x,
            faulty_encoder_block_adds_to_the_old_x,
            faulty_encoder_block_one_norm,
            faulty_encoder_block_no_norm,
            faulty_encoder_block_no_residual,
            faulty_encoder_block_norms_the_stream,
            faulty_encoder_block_forward_first,
            faulty_encoder_block_always_post,
            faulty_encoder_block_always_pre,
            faulty_encoder_block_turned_round,
        ],
        hints=(
            "Write the two lines of a pre-norm block first. What does the second sublayer read?",
            '"pre" is x + f(norm(x)), "post" is norm(x + f(x)): in each, two steps, the second on what the first gave.',
            'For "pre": `x = x + attend(norm_1(x))`, `x = x + forward(norm_2(x))`. For "post": '
            "`x = norm_1(x + attend(x))`, and the same with `forward` and `norm_2`.",
        ),
        key="# mix",
        distractor=faulty_encoder_block_one_norm,
        learned="attention gathers, the feed-forward net works on what was gathered, and both add to one stream.",
    ),
]
