"""Lesson 16: what a block multiplies, part by part."""

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def block_cost(n, d_model, d_ff):
    projections = 4 * n * d_model**2  # project: W_q, W_k, W_v and W_o, for every token
    feed_forward = 2 * n * d_model * d_ff  # up and down
    core = 2 * n**2 * d_model  # score: and mix, all heads together
    return projections, feed_forward, core


@diagnosed(
    "You count scores or mixing, not both. Each pair of tokens meets twice: d_model multiplications for the scores "
    "of all heads, as many for mixing the values. Times 2."
)
def faulty_block_cost_scores_only(n, d_model, d_ff):
    projections = 4 * n * d_model**2
    feed_forward = 2 * n * d_model * d_ff
    core = n**2 * d_model  # score: every pair of tokens once
    return projections, feed_forward, core


@diagnosed("You count three projections. The heads' outputs pass a fourth matrix, `W_o`: 4 matrices in all.")
def faulty_block_cost_three(n, d_model, d_ff):
    return 3 * n * d_model**2, 2 * n * d_model * d_ff, 2 * n**2 * d_model


@diagnosed(
    "You count one matrix of the feed-forward part. It goes up from d_model to d_ff, and down again: 2 matrices."
)
def faulty_block_cost_up_only(n, d_model, d_ff):
    return 4 * n * d_model**2, n * d_model * d_ff, 2 * n**2 * d_model


@diagnosed(
    "You take d_ff = 4 · d_model for granted. It is often so, but the function is told: `2 * n * d_model * d_ff`."
)
def faulty_block_cost_four_times(n, d_model, d_ff):
    return 4 * n * d_model**2, 8 * n * d_model**2, 2 * n**2 * d_model


@diagnosed(
    "You count parameters, or the work for a single token. Every one of the n tokens passes the matrices: times n."
)
def faulty_block_cost_parameters(n, d_model, d_ff):
    return 4 * d_model**2, 2 * d_model * d_ff, 2 * n * d_model


@diagnosed(
    "You count additions too. A product of matrices has as many additions as multiplications, and some count both; "
    "asked are multiplications."
)
def faulty_block_cost_both(n, d_model, d_ff):
    return 8 * n * d_model**2, 4 * n * d_model * d_ff, 4 * n**2 * d_model


@diagnosed(
    "Your core grows with n and with the square of d_model. It is the other way: n² pairs of tokens, and d_model "
    "numbers a pair."
)
def faulty_block_cost_turned(n, d_model, d_ff):
    return 4 * n * d_model**2, 2 * n * d_model * d_ff, 2 * n * d_model**2


@diagnosed(
    "Your projections grow with the square of n. A projection is the same matrix for each token, with no pairs in it: "
    "n · d_model²."
)
def faulty_block_cost_pairs(n, d_model, d_ff):
    return 4 * n**2 * d_model, 2 * n * d_model * d_ff, 2 * n**2 * d_model


EXERCISES = [
    Exercise(
        task="Write block_cost(n, d_model, d_ff): the multiplications of one encoder block that reads n tokens, as "
        "three whole numbers: all projections, the feed-forward part, and the core (scores and mixing).",
        reference=block_cost,
        cases=[(7, 5, 11), (2, 3, 13), (512, 512, 2048), (3072, 512, 2048), (11, 64, 128)],
        faults=[
            faulty_block_cost_scores_only,
            faulty_block_cost_three,
            faulty_block_cost_up_only,
            faulty_block_cost_four_times,
            faulty_block_cost_parameters,
            faulty_block_cost_both,
            faulty_block_cost_turned,
            faulty_block_cost_pairs,
        ],
        hints=(
            "(n, a) @ (a, b) takes n · a · b multiplications. Which products does a block compute?",
            "Four products with a (d_model, d_model) matrix; one up to d_ff and one down; for the heads together n² "
            "scores of d_model multiplications, and as many to mix.",
            "`4 * n * d_model**2`, `2 * n * d_model * d_ff`, `2 * n**2 * d_model`.",
        ),
        key="# score",
        distractor=faulty_block_cost_scores_only,
        learned="only the core grows with the square of n: it passes the projections at n = 2 d_model.",
        returns=("projections", "feed_forward", "core"),
    )
]
