"""Lesson 08: one step of Adam, the gradient's mean over the root of its mean square."""

import numpy as np

from attention_lab.teaching.exercises.exercise import Exercise, diagnosed


def adam_step(parameter, grad, m, v, step, lr):
    m = 0.9 * m + 0.1 * grad  # mix: the gradient, on average
    v = 0.999 * v + 0.001 * grad * grad  # its square, on average
    m_hat, v_hat = m / (1 - 0.9**step), v / (1 - 0.999**step)  # scale: both averages began at 0
    return parameter - lr * m_hat / (np.sqrt(v_hat) + 1e-8), m, v  # normalise: by how large gradients are here


def _averages(grad, m, v):
    return 0.9 * m + 0.1 * grad, 0.999 * v + 0.001 * grad * grad


@diagnosed(
    "You divide by 1 − β without the power of `step`, which is right for the first step alone: later the averages are "
    "blown up. Write `1 - 0.9**step` and `1 - 0.999**step`."
)
def faulty_adam_step_no_power(parameter, grad, m, v, step, lr):
    m = 0.9 * m + 0.1 * grad
    v = 0.999 * v + 0.001 * grad * grad
    m_hat, v_hat = m / (1 - 0.9), v / (1 - 0.999)  # scale: both averages began at 0
    return parameter - lr * m_hat / (np.sqrt(v_hat) + 1e-8), m, v


@diagnosed(
    "The bias is not corrected. Both averages begin at 0, v by far the slower, so the first steps are three times too "
    "long. Divide m by `1 - 0.9**step` and v by `1 - 0.999**step` before you use them."
)
def faulty_adam_step_no_correction(parameter, grad, m, v, step, lr):
    m, v = _averages(grad, m, v)
    return parameter - lr * m / (np.sqrt(v) + 1e-8), m, v


@diagnosed(
    "You return the corrected averages, and the next step would correct them again. The state is m and v as they are; "
    "the corrected ones serve this step alone."
)
def faulty_adam_step_keeps_corrected(parameter, grad, m, v, step, lr):
    parameter, m, v = adam_step(parameter, grad, m, v, step, lr)
    return parameter, m / (1 - 0.9**step), v / (1 - 0.999**step)


@diagnosed(
    "You divide by the mean square, not by its root, so small gradients give enormous steps. "
    "Take `np.sqrt` of the corrected v: a step then has the size of lr, whatever the gradient."
)
def faulty_adam_step_no_root(parameter, grad, m, v, step, lr):
    m, v = _averages(grad, m, v)
    return parameter - lr * m / (1 - 0.9**step) / (v / (1 - 0.999**step) + 1e-8), m, v


@diagnosed(
    "The small number stands inside the root, where 1e-8 acts like 1e-4: parameters with small gradients nearly stop. "
    "Add it to the root: `np.sqrt(v_hat) + 1e-8`."
)
def faulty_adam_step_eps_inside(parameter, grad, m, v, step, lr):
    m, v = _averages(grad, m, v)
    return parameter - lr * m / (1 - 0.9**step) / np.sqrt(v / (1 - 0.999**step) + 1e-8), m, v


@diagnosed(
    "Nothing is added to the root: a parameter that never had a gradient gives 0/0, and NaN from then on. "
    "Add the small number: `np.sqrt(v_hat) + 1e-8`."
)
def faulty_adam_step_no_eps(parameter, grad, m, v, step, lr):
    m, v = _averages(grad, m, v)
    return parameter - lr * m / (1 - 0.9**step) / np.sqrt(v / (1 - 0.999**step)), m, v


@diagnosed(
    "m and v are returned in the other order. End with the parameter, then m, the mean, then v, the mean square."
)
def faulty_adam_step_swapped(parameter, grad, m, v, step, lr):
    parameter, m, v = adam_step(parameter, grad, m, v, step, lr)
    return parameter, v, m


@diagnosed(
    "The two rates have changed places: m forgets with 0.9, v with 0.999. The mean follows quickly, the square slowly."
)
def faulty_adam_step_rates_swapped(parameter, grad, m, v, step, lr):
    m, v = 0.999 * m + 0.001 * grad, 0.9 * v + 0.1 * grad * grad
    return parameter - lr * m / (1 - 0.999**step) / (np.sqrt(v / (1 - 0.9**step)) + 1e-8), m, v


@diagnosed(
    "0.9 and 0.1 have changed places, 0.999 and 0.001 too: your averages forget nearly all at every step. "
    "Most of the old one stays: `0.9 * m + 0.1 * grad`."
)
def faulty_adam_step_forgets(parameter, grad, m, v, step, lr):
    m, v = 0.1 * m + 0.9 * grad, 0.001 * v + 0.999 * grad * grad
    return parameter - lr * m / (1 - 0.1**step) / (np.sqrt(v / (1 - 0.001**step)) + 1e-8), m, v


@diagnosed(
    "v averages the gradient, not its square, so it may be negative and has no root. Square it: `0.001 * grad * grad`."
)
def faulty_adam_step_no_square(parameter, grad, m, v, step, lr):
    m, v = 0.9 * m + 0.1 * grad, 0.999 * v + 0.001 * grad
    return parameter - lr * m / (1 - 0.9**step) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8), m, v


@diagnosed(
    "You count the steps from 0: at the first, 1 − β⁰ is 0, and 0/0 is NaN. `step` is 1 at the first: "
    "use it as it is, `1 - 0.9**step`."
)
def faulty_adam_step_one_less(parameter, grad, m, v, step, lr):
    _, m_new, v_new = adam_step(parameter, grad, m, v, step, lr)
    m_hat, v_hat = m_new / (1 - np.float64(0.9) ** (step - 1)), v_new / (1 - np.float64(0.999) ** (step - 1))
    return parameter - lr * m_hat / (np.sqrt(v_hat) + 1e-8), m_new, v_new


@diagnosed(
    "You add 1 to `step`, which is 1 at the first already, so the correction is too weak. "
    "Use it as it is: `1 - 0.9**step`."
)
def faulty_adam_step_one_more(parameter, grad, m, v, step, lr):
    _, m, v = adam_step(parameter, grad, m, v, step, lr)
    return parameter - lr * m / (1 - 0.9 ** (step + 1)) / (np.sqrt(v / (1 - 0.999 ** (step + 1))) + 1e-8), m, v


@diagnosed("You step uphill: the loss grows along its gradient. Subtract the step, `parameter - lr * ...`.")
def faulty_adam_step_uphill(parameter, grad, m, v, step, lr):
    return adam_step(parameter, grad, m, v, step, -lr)


def _cases():
    rng = np.random.default_rng(14)

    def draw(*shape, step, size=3.0, lr=0.1, dtype=float):
        parameter, grad = rng.normal(size=shape), size * rng.uniform(1, 3, shape) * rng.choice([-1, 1], shape)
        m, v = size * rng.normal(size=shape), size**2 * rng.random(size=shape)
        begun = step > 1  # before the first step both averages are 0
        return *(array.astype(dtype) for array in (parameter, grad, begun * m, begun * v)), step, lr

    never = draw(3, 2, step=7)
    for array in never[1:4]:
        array[0] = 0  # a parameter that never had a gradient
    return [
        draw(5, step=1),
        draw(3, 5, step=2),
        draw(2, 3, 5, step=100, lr=0.5),
        draw(5, 7, step=3, dtype=np.float32),
        draw(7, step=1, size=1e-3),  # a small gradient makes a step of the same size
        never,
    ]


EXERCISES = [
    Exercise(
        task="Write adam_step(parameter, grad, m, v, step, lr) -> (parameter, m, v) with β 0.9 and 0.999 and 1e-8 "
        "beside the root; step is 1 at the first.",
        reference=adam_step,
        cases=_cases(),
        faults=[
            faulty_adam_step_no_power,
            faulty_adam_step_no_correction,
            faulty_adam_step_keeps_corrected,
            faulty_adam_step_no_root,
            faulty_adam_step_eps_inside,
            faulty_adam_step_no_eps,
            faulty_adam_step_swapped,
            faulty_adam_step_rates_swapped,
            faulty_adam_step_forgets,
            faulty_adam_step_no_square,
            faulty_adam_step_one_less,
            faulty_adam_step_one_more,
            faulty_adam_step_uphill,
        ],
        hints=(
            "Two running averages, of the gradient and of its square. Both begin at 0: what does that do to the first?",
            "m keeps 0.9 of what it was and takes 0.1 of the gradient, v keeps 0.999 and takes 0.001 of its square. "
            "After `step` steps from 0 they hold a share of 1 − β^step: divide by that.",
            "`m_hat = m / (1 - 0.9**step)`, the same for v with 0.999; the parameter less "
            "`lr * m_hat / (np.sqrt(v_hat) + 1e-8)`. Return m and v, not the corrected ones.",
        ),
        key="# scale",
        distractor=faulty_adam_step_no_power,
        learned="the first step is as long as lr for every parameter, whatever the size of its gradient.",
        returns=("parameter", "m", "v"),
    )
]
