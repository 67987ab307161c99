"""How good predictions are: classes and scores, the surprise of a language model, and what each task is judged by."""

from attention_lab.metrics.classification import (
    accuracy,
    f1_score,
    matthews_correlation,
    pearson,
    perplexity,
    spearman,
)

__all__ = ["accuracy", "f1_score", "matthews_correlation", "pearson", "perplexity", "spearman"]
