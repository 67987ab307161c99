"""How good predictions are: classes and scores, the surprise of a language model, and what each task is judged by."""

from attention_lab.metrics.answers import answer_f1, answer_scores, exact_match, normalise_answer
from attention_lab.metrics.classification import (
    accuracy,
    f1_score,
    matthews_correlation,
    pearson,
    perplexity,
    spearman,
)
from attention_lab.metrics.forecast import coverage, error_interval, mean_absolute_error
from attention_lab.metrics.translation import bleu

__all__ = [
    "accuracy",
    "answer_f1",
    "answer_scores",
    "bleu",
    "coverage",
    "error_interval",
    "exact_match",
    "f1_score",
    "matthews_correlation",
    "mean_absolute_error",
    "normalise_answer",
    "pearson",
    "perplexity",
    "spearman",
]
