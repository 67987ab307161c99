"""Lesson 03: a fault for its gallery that no exercise asks for."""

import seaborn
from matplotlib.figure import Figure


def faulty_plot_calls_itself(weights, tokens):
    labels = {"xticklabels": tokens, "yticklabels": tokens}  # keys across, queries down
    faulty_plot_calls_itself(weights, tokens)  # how to use it
    axes = Figure().subplots()
    return seaborn.heatmap(weights, annot=True, cmap="viridis", ax=axes, **labels)


# As the gallery calls them: by the source's row, since the name tells what is wrong.
faulty_b3 = faulty_plot_calls_itself
