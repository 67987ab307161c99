"""What an interviewer asks about attention and transformers, and the questions of the bank that answer each."""

INTERVIEW = {
    "Why are scores divided by √d_k?": ("divide-by-d", "which-d", "because-attention", "saturated-softmax"),
    "What do the time and the memory of one head grow with?": ("longer-or-wider", "memory-of-scores", "twice-as-long"),
    "Why several heads, and what do they cost?": (
        "one-average-or-two",
        "more-heads-cost",
        "what-w-o-does",
        "tiny-heads",
    ),
    "How is an encoder layer put together?": ("order-of-the-block", "feed-forward-for", "before-or-after"),
    "Why does attention need to be told positions?": ("shuffled-words", "causal-order", "sine-alone"),
    "What do residuals do in a deep stack?": ("without-residuals", "because-pre_norm", "add-or-concatenate-stream"),
    "What do layer norms do in a deep stack?": ("pre-norm-growth", "last-norm", "layer-or-batch"),
    "What does a long sequence cost?": ("crossing-of-the-block", "larger-part", "twice-as-long"),
    "How do local and windowed attention help with that?": ("reach-of-windows", "window-as-a-mask", "dilated-alone"),
    "How do Longformer's global tokens help?": ("one-way-or-both", "causal-global", "because-longformer_mask"),
    "How do Performer and linear attention help?": ("four-times-the-features", "four-times-as-sharp", "break-even"),
    "How does Linformer help?": ("scores-of-mixed-keys", "mixed-with-the-future"),
    "How does gradient checkpointing help?": ("work-of-checkpoints",),
    "How do hierarchical models help?": ("scores-of-two-levels", "weight-in-the-document"),
    "When rather a transformer than an RNN or a CNN?": ("shorter-than-wide", "distance-alone"),
    "And when rather no transformer?": (
        "a-day-of-a-meter",
        "one-switch-of-a-hundred",
        "flat-on-noise",
        "even-neighbours",
    ),
    "Write the sinusoidal encoding for any length and width.": ("odd-width", "position-zero", "double-exponent"),
    "Write batched attention with a mask and a stable softmax.": (
        *("eps-below-the-line", "because-softmax", "all-keys-hidden", "four-sizes", "mask-after-softmax"),
    ),
}
WRITTEN = {  # the exercises that check what one is asked to write
    "Write the sinusoidal encoding for any length and width.": ("positional_encoding",),
    "Write batched attention with a mask and a stable softmax.": ("softmax", "masked_softmax", "attention"),
}
