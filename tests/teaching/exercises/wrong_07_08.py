"""Mistakes that learners make in the exercises of lessons 07 and 08, beside those of the bank."""

import math

import numpy as np

from attention_lab import log_softmax, softmax
from tests.teaching.exercises.wrong import REFERENCE, wrong


@wrong("softmax_backward", "A row of the result should sum to 0", "yours sums to", never="A known cause")
def squares_the_weights(grad, weights):
    return weights**2 * (grad - (weights * grad).sum(axis=-1, keepdims=True))


@wrong("softmax_backward", "A single matrix comes out right")
def sums_the_second_axis(grad, weights):
    return weights * (grad - (weights * grad).sum(axis=1, keepdims=True))


@wrong("softmax_backward", "`to_scores`[", "should be", never="The sign")
def halves_it(grad, weights):
    return weights * (grad - (weights * grad).sum(axis=-1, keepdims=True)) / 2


@wrong("attention_backward", "An array (n_q, n_k) stands before one of n_q rows", "`to_scores @ key`")
def takes_the_own_factor(grad, query, key, value, weights):
    to_scores = softmax_back(grad, value, weights) / math.sqrt(query.shape[-1])
    return to_scores @ query, np.swapaxes(to_scores, -2, -1) @ key, np.swapaxes(weights, -2, -1) @ grad


@wrong(
    "attention_backward", "An array (n_q, n_k) stands before one of n_q rows", "turn the weights or `to_scores` round"
)
def leaves_the_scores_as_they_are(grad, query, key, value, weights):
    to_scores = softmax_back(grad, value, weights) / math.sqrt(query.shape[-1])
    return to_scores @ key, to_scores @ query, np.swapaxes(weights, -2, -1) @ grad


def softmax_back(grad, value, weights):
    return REFERENCE["softmax_backward"](grad @ np.swapaxes(value, -2, -1), weights)


@wrong("attention_backward", "`to_value` is right. `to_query`[", never="scale is missing")
def divides_by_the_root_of_d_v(grad, query, key, value, weights):
    to_query, to_key, to_value = REFERENCE["attention_backward"](grad, query, key, value, weights)
    root = math.sqrt(query.shape[-1] / value.shape[-1])
    return to_query * root, to_key * root, to_value


@wrong("attention_backward", "`*leading, n, d = x.shape` takes any number of them")
def unpacks_one_query(grad, query, key, value, weights):
    n_q, d_k = query.shape
    return REFERENCE["attention_backward"](grad, query.reshape(n_q, d_k), key, value, weights)


@wrong("layer_norm_backward", "A single matrix comes out right")
def takes_means_over_axis_1(grad, normed, root, gain):
    pull = grad * gain
    return (pull - pull.mean(1, keepdims=True) - normed * (pull * normed).mean(1, keepdims=True)) / root


@wrong("layer_norm_backward", "never uses `root` and `gain`", never="A known cause")
def forgets_gain_and_root(grad, normed, root, gain):
    return grad - grad.mean(-1, keepdims=True) - normed * (grad * normed).mean(-1, keepdims=True)


def slopes(f, x, change):
    return np.reshape([change(step) for step in np.eye(x.size).reshape(x.size, *x.shape)], x.shape)


@wrong("numeric_gradient", "You step so far that f bends")
def steps_by_half(f, x):
    return slopes(f, x, lambda one: f(x + one / 2) - f(x - one / 2))


@wrong("numeric_gradient", "so little that rounding drowns the difference")
def steps_by_next_to_nothing(f, x):
    return slopes(f, x, lambda one: (f(x + 1e-13 * one) - f(x - 1e-13 * one)) / 2e-13)


@wrong("numeric_gradient", "You step to one side only")
def steps_up_by_a_ten_millionth(f, x):
    return slopes(f, x, lambda one: (f(x + 1e-7 * one) - f(x)) / 1e-7)


@wrong("numeric_gradient", "You step to one side only")
def steps_down(f, x):
    return slopes(f, x, lambda one: (f(x) - f(x - 1e-4 * one)) / 1e-4)


@wrong("numeric_gradient", "put brackets, `/ (2 * h)`")
def lacks_brackets(f, x, h=1e-6):
    return slopes(f, x, lambda one: (f(x + h * one) - f(x - h * one)) / 2 * h)


@wrong("numeric_gradient", "changes its input `x`")
def leaves_x_moved(f, x):
    gradient = REFERENCE["numeric_gradient"](f, x)
    x += 1
    return gradient


@wrong("numeric_gradient", "call it, as in")
def never_calls_f(f, x):
    return (f - x) / 2


@wrong("shift", "returns one array of shape (2, 4); 2 results are expected: end it with `return inputs, targets`")
def stacks_both(tokens):
    return np.stack([tokens[..., :-1], tokens[..., 1:]])


@wrong("shift", "`inputs` is right. `targets`[", never="wrong way")
def gives_the_first_token_as_target(tokens):
    return tokens[..., :-1], tokens[..., :1] + 0 * tokens[..., 1:]


@wrong("cross_entropy", "`loss` has shape (5, 1) and should have ()", never="one loss for each position")
def gives_a_column(logits, targets):
    return -np.take_along_axis(log_softmax(logits), targets[..., None], axis=-1)


@wrong("cross_entropy", "`loss` is", "should be", never="A known cause")
def takes_the_best_class(logits, targets):
    return -log_softmax(logits).max(axis=-1).mean()


@wrong("cross_entropy", "A `math` function takes one number")
def takes_math_log(logits, targets):
    return -math.log(softmax(logits))


@wrong("adam_step", "`m` and `v` are right. `parameter`[0] is")
def steps_by_the_gradient(parameter, grad, m, v, step, lr):
    _, m, v = REFERENCE["adam_step"](parameter, grad, m, v, step, lr)
    return parameter - lr * grad, m, v


@wrong("adam_step", "returns one array of shape (5,); 3 results are expected: end it with `return parameter, m, v`")
def keeps_the_state_to_itself(parameter, grad, m, v, step, lr):
    return REFERENCE["adam_step"](parameter, grad, m, v, step, lr)[0]


@wrong("adam_step", "changes its input `m`")
def averages_in_place(parameter, grad, m, v, step, lr):
    m *= 0.9
    m += 0.1 * grad
    return REFERENCE["adam_step"](parameter, grad, (m - 0.1 * grad) / 0.9, v, step, lr)


@wrong("dropout", "draws none from `rng`", "nobody can repeat a run")
def draws_from_its_own(x, rate, rng):
    return REFERENCE["dropout"](x, rate, rng and np.random.default_rng())


@wrong("dropout", "draws none from `rng`")
def seeds_itself(x, rate, rng):
    return REFERENCE["dropout"](x, rate, rng and np.random.default_rng(0))


@wrong("dropout", "Called again with the same generator, it gives other numbers", "`(1 - rate)`")
def draws_from_its_own_without_scale(x, rate, rng):
    return x * (np.random.default_rng().random(x.shape) >= rate) if rng else x


@wrong("dropout", "You drop 69%", "and rate asks for 30%")
def keeps_the_share_by_coins(x, rate, rng):
    return x * rng.binomial(1, rate, x.shape) / (1 - rate) if rng else x


@wrong("dropout", "comes out 3.33 times as large, and should be 1.43 times")
def divides_coins_by_the_rate(x, rate, rng):
    return x * rng.binomial(1, 1 - rate, x.shape) / rate if rng and rate else x


@wrong("dropout", "Along axis 1 all fall or none does")
def drops_rows_by_coins(x, rate, rng):
    return x * rng.binomial(1, 1 - rate, (*x.shape[:-1], 1)) / (1 - rate) if rng else x


@wrong("dropout", "You drop 0% of the numbers", never="Along axis")
def draws_once(x, rate, rng):
    return x * (rng.random() >= rate) if rng else x


@wrong("dropout", "Without `rng` this is an evaluation")
def drops_by_a_generator_of_its_own(x, rate, rng):
    return REFERENCE["dropout"](x, rate, rng or np.random.default_rng())


@wrong("dropout", "A rate of 0: nothing is dropped")
def adds_what_it_drops(x, rate, rng):
    return REFERENCE["dropout"](x, rate, rng) + (rate == 0)


@wrong("warmup_cosine", "`rate` is 0.0", "given step 0, peak 0.5, warmup 10, total 100", never="A known cause")
def rises_along_a_cosine(step, peak, warmup, total):
    rise = (1 - math.cos(math.pi * min((step + 1) / (warmup + 1), 1))) / 2
    return rise * REFERENCE["warmup_cosine"](max(step, warmup), peak, warmup, total)


@wrong("warmup_cosine", "given step 9,", never="the peak one step too soon")
def stops_the_rise_early(step, peak, warmup, total):
    return peak if warmup - 2 < step < warmup else REFERENCE["warmup_cosine"](step, peak, warmup, total)
