"""Moves every control of a demo: to its extremes one by one, then to random states."""

import random


def extremes(control):
    """The values of a control that are most likely to break something."""
    if hasattr(control, "options"):
        return [value for _, value in control._options_full]
    if hasattr(control, "base"):
        return [control.base**control.min, control.base**control.max]
    if hasattr(control, "min"):
        return [control.min, control.max]
    if isinstance(control.value, bool):
        return [False, True]
    return ["the cat sat", "zebra", "a <b>bold</b> $x_1$ 猫 word", "long " * 80]


def sweep(demo, states=200, seed=0):
    """Every extreme of every control, then `states` random moves; an error is raised by the strict explorer."""
    rng = random.Random(seed)
    for name, control in demo.controls.items():
        for value in extremes(control):
            demo.set(**{name: value})
    for _ in range(states):
        name, control = rng.choice(list(demo.controls.items()))
        demo.set(**{name: _any_value(control, rng)})


def _any_value(control, rng):
    if hasattr(control, "options") or not hasattr(control, "min"):
        return rng.choice(extremes(control))
    if hasattr(control, "base"):
        return control.base ** rng.uniform(control.min, control.max)
    if isinstance(control.value, int):
        return rng.randint(control.min, control.max)
    return rng.uniform(control.min, control.max)


def idle_controls(demo, states=240, seed=0):
    """Names of the controls that change the picture in none of many random states."""
    rng, idle = random.Random(seed), set(demo.controls)
    for _ in range(states):
        for name in sorted(idle):
            control, before = demo.controls[name], demo.picture
            demo.set(**{name: _any_value(control, rng)})
            if demo.picture != before:
                idle.discard(name)
        other = rng.choice(list(demo.controls))
        demo.set(**{other: _any_value(demo.controls[other], rng)})
        if not idle:
            break
    return idle
