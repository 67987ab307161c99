"""One new token a step beside PyTorch with a preallocated cache, in one process, turn by turn.

``make bench``, or ``OPENBLAS_NUM_THREADS=1 python -m tests.benchmarks.decoding [steps]`` where torch is installed. One
attention layer, d_model 512, 8 heads, float32, one sequence, one thread each, the same weights, keys and values. At
4,096 tokens the target is a ratio of medians of 0.8.

The other rows are ours alone: how the time of a step grows with the context, what fewer key heads save, and what a step
costs where every token is read anew. Medians of the processor's time beside those by the clock: a busy machine gives a
process less of its time, which is no one's merit.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy loads its BLAS

import sys

import numpy as np

import attention_lab as lab
from tests.benchmarks.timing import take_turns

D_MODEL, HEADS, D_HEAD, CONTEXT = 512, 8, 64, 4096
CONTEXTS, KV_HEADS, ROUNDS, WARM = (256, 512, 1024, 2048, 4096), (8, 2, 1), 3, 5


def layer_of(kv_heads=HEADS):
    return lab.MultiHeadAttention(D_MODEL, HEADS, num_kv_heads=kv_heads, rng=np.random.default_rng(0))


def tokens(n, seed=1):
    return np.random.default_rng(seed).standard_normal((1, n, D_MODEL)).astype(np.float32)


def past(context, kv_heads=HEADS):
    """Keys and values of as many tokens."""
    return np.random.default_rng(2).standard_normal((2, 1, kv_heads, context, D_HEAD)).astype(np.float32)


def numpy_step(context, steps, kv_heads=HEADS):
    """A function that reads one more token, where the cache holds the others already."""
    attend, cache = layer_of(kv_heads), lab.KVCache(context + steps)
    cache.append(*past(context - 1, kv_heads))
    return lambda x: attend(x, cache=cache)[0]


def torch_step(context, steps):
    """The same in torch: its own fused attention over views of two buffers, our weights."""
    import torch

    torch.set_num_threads(1)
    ours, attend, end = layer_of(), torch.nn.functional.scaled_dot_product_attention, context - 1
    with torch.inference_mode():
        q, k, v, o = (torch.nn.Linear(D_MODEL, D_MODEL, bias=False) for _ in range(4))
        for theirs, weight in zip((q, k, v, o), (ours.W_q, ours.W_k, ours.W_v, ours.W_o)):
            theirs.weight.copy_(torch.from_numpy(weight.T))
        keys, values = torch.zeros(2, 1, HEADS, context + steps, D_HEAD)
        keys[:, :, :end], values[:, :, :end] = map(torch.from_numpy, past(end))

    @torch.inference_mode()
    def step(x):
        nonlocal end
        x = torch.from_numpy(x)
        query, key, value = (role(x).view(1, 1, HEADS, D_HEAD).transpose(1, 2) for role in (q, k, v))
        keys[:, :, end : end + 1], values[:, :, end : end + 1] = key, value
        end += 1
        return o(attend(query, keys[:, :, :end], values[:, :, :end]).transpose(1, 2).reshape(1, 1, D_MODEL)).numpy()

    return step


def uncached_step(context):
    """A function that reads the whole text for one more token."""
    attend, text = layer_of(), tokens(context - 1)
    return lambda x: attend(np.concatenate([text, x], 1), is_causal=True)[0][:, -1:]


def measure(makers, count, *, same=False):
    """Medians in microseconds, by the clock and of the processor, of steps that take turns."""
    steps, results = {name: make(count + WARM) for name, make in makers.items()}, {name: [] for name in makers}
    texts = {name: iter(tokens(count + WARM).swapaxes(0, 1)[:, None]) for name in makers}
    calls = {name: lambda name=name: results[name].append(steps[name](next(texts[name]))) for name in makers}
    taken = take_turns(calls, count, WARM)
    if same and not np.allclose(*results.values(), atol=1e-4):
        raise SystemExit(f"the two do not compute the same: {np.abs(np.subtract(*results.values())).max()} apart")
    return {name: [1000 * medians["clock"], 1000 * medians["processor"]] for name, medians in taken.items()}


def beside_torch(count):
    makers = {"ours": lambda n: numpy_step(CONTEXT, n), "torch": lambda n: torch_step(CONTEXT, n)}
    for _ in range(ROUNDS):
        taken = measure(makers, count, same=True)
        for what, ours, theirs in zip(("clock", "processor"), taken["ours"], taken["torch"]):
            print(f"{what:14} {ours:5.0f} µs a step, torch {theirs:5.0f} µs: {ours / theirs:.2f} ×")
    print(f"{'':14} medians; target 0.8 ×")


def main(count=200):
    print(f"one layer, d_model {D_MODEL}, {HEADS} heads, context {CONTEXT:,}, one new token a step, {count} steps each")
    beside_torch(count)
    taken = measure({n: lambda steps, n=n: numpy_step(n, steps) for n in CONTEXTS}, count)
    for n, (clock, processor) in taken.items():
        growth = f"{n / CONTEXTS[0]:.0f} × the tokens: {processor / taken[CONTEXTS[0]][1]:.1f} ×"
        print(f"context {n:5,}  {clock:5.0f} µs by the clock, {processor:5.0f} µs of the processor; {growth}")
    taken = measure({heads: lambda steps, heads=heads: numpy_step(CONTEXT, steps, heads) for heads in KV_HEADS}, count)
    for heads, (clock, processor) in taken.items():
        print(f"key heads {heads}    {clock:5.0f} µs by the clock, {processor:5.0f} µs of the processor")
    makers = {"cached": lambda n: numpy_step(1024, n), "uncached": lambda n: uncached_step(1024)}
    cached, uncached = (processor for _, processor in measure(makers, max(1, count // 20)).values())
    print(f"context 1,024  cached {cached:.0f} µs, uncached {uncached:.0f} µs, {uncached / cached:.0f} × (processor)")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
