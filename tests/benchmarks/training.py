"""A training step beside PyTorch's, in one process, turn by turn; then each alone, for its memory.

``make bench``, or ``OPENBLAS_NUM_THREADS=1 python -m tests.benchmarks.training [rounds]`` where torch is installed. Two
pre-norm blocks, d_model 64, 4 heads, d_ff 256, 32 sequences of 64 tokens of 64 kinds, Adam, float32, one thread each,
the same weights and the same batch. The target is a ratio of medians of 1.0, the limit 1.3; for memory 1.5.

Memory is what a step adds, at its peak, to the resident set: each library in fresh processes, after one step of a
single sequence of two tokens has loaded what it loads once (the kernel's own peak, on Linux). NumPy's is given by
tracemalloc as well, which counts arrays only.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy loads its BLAS

import statistics
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np

import attention_lab as lab
from tests.benchmarks.timing import take_turns

VOCABULARY, D_MODEL, HEADS, D_FF, LENGTH, BATCH = 64, 64, 4, 256, 64, 32


class TokenModel:
    """Token and position vectors, two blocks, a norm and a score for each token."""

    def __init__(self, rng):
        self.tokens = lab.Embedding(VOCABULARY, D_MODEL, rng=rng)
        self.positions = lab.LearnedPositions(LENGTH, D_MODEL, rng=rng)
        self.encoder = lab.Encoder(2, D_MODEL, HEADS, D_FF, rng=rng)
        self.head = lab.Linear(D_MODEL, VOCABULARY, rng=rng)

    def __call__(self, ids):
        x, _ = self.encoder(self.positions(self.tokens(ids)))
        return self.head(x)


def batch(size=BATCH, length=LENGTH):
    ids = np.random.default_rng(1).integers(VOCABULARY, size=(size, length))
    return ids, ids[:, ::-1].copy()


def numpy_step():
    """A function of a batch that makes one step of ours and gives its loss."""
    model = TokenModel(np.random.default_rng(0))
    gradients_of = lab.value_and_grad(lambda model, ids, targets: lab.cross_entropy(model(ids), targets))
    optimizer = lab.Adam(model)

    def step(ids, targets):
        loss, gradients = gradients_of(model, ids, targets)
        optimizer.step(gradients)
        return loss

    return step


def torch_step():
    """The same in torch, eager: its own fused attention, its own Adam, our weights."""
    import torch

    torch.set_num_threads(1)
    model = torch_model(torch, TokenModel(np.random.default_rng(0)))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def step(ids, targets):
        optimizer.zero_grad()
        logits = model(torch.from_numpy(ids))
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), torch.from_numpy(targets).flatten())
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def torch_model(torch, ours):
    nn, attend = torch.nn, torch.nn.functional.scaled_dot_product_attention

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.q, self.k, self.v, self.o = (nn.Linear(D_MODEL, D_MODEL, bias=False) for _ in range(4))
            self.up, self.down = nn.Linear(D_MODEL, D_FF), nn.Linear(D_FF, D_MODEL)
            self.norm_1, self.norm_2 = nn.LayerNorm(D_MODEL), nn.LayerNorm(D_MODEL)

        def forward(self, x):
            normed = self.norm_1(x)
            heads = (role(normed).unflatten(-1, (HEADS, -1)).transpose(1, 2) for role in (self.q, self.k, self.v))
            x = x + self.o(attend(*heads).transpose(1, 2).flatten(-2))
            return x + self.down(torch.relu(self.up(self.norm_2(x))))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.positions = nn.Embedding(VOCABULARY, D_MODEL), nn.Embedding(LENGTH, D_MODEL)
            self.blocks = nn.Sequential(Block(), Block())
            self.norm, self.head = nn.LayerNorm(D_MODEL), nn.Linear(D_MODEL, VOCABULARY)

        def forward(self, ids):
            x = self.tokens(ids) + self.positions.weight[: ids.shape[-1]]
            return self.head(self.norm(self.blocks(x)))

    model = Model()
    with torch.no_grad():
        for (name, array), theirs in zip(lab.parameters(ours).items(), model.parameters(), strict=True):
            table = name.endswith("table")
            theirs.copy_(torch.from_numpy(array if table else array.T))
    return model


STEPS = {"attention_lab": numpy_step, "torch": torch_step}


def compare(rounds):
    """Median milliseconds by the clock and of the processor, of both alternately."""
    steps, data, losses = {name: make() for name, make in STEPS.items()}, batch(), {name: [] for name in STEPS}
    calls = {name: lambda name=name: losses[name].append(steps[name](*data)) for name in steps}
    taken = take_turns(calls, rounds, warm=5)
    if not np.allclose(losses["attention_lab"][:10], losses["torch"][:10], rtol=1e-3):
        raise SystemExit(f"the two do not compute the same: losses {losses}")
    return taken


def peak_of_a_step(name):
    """MiB that a step adds to the resident set of this process, and MiB of arrays where tracemalloc sees them."""
    step, data = STEPS[name](), batch()
    step(*batch(1, 2))
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew at what is resident now
    before = kilobytes("VmRSS")
    step(*data)
    resident = (kilobytes("VmHWM") - before) / 1024
    tracemalloc.start()
    step(*data)
    return resident, tracemalloc.get_traced_memory()[1] / 2**20


def kilobytes(entry):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(entry))


def in_fresh_processes(name, times=3):
    """Medians of `peak_of_a_step`."""
    command = [sys.executable, "-m", "tests.benchmarks.training", "--memory", name]
    runs = [subprocess.run(command, check=True, capture_output=True, text=True).stdout.split() for _ in range(times)]
    return [statistics.median(map(float, column)) for column in zip(*runs)]


def main(rounds=60):
    print(f"2 pre-norm blocks, d_model {D_MODEL}, {HEADS} heads, d_ff {D_FF}, {BATCH} × {LENGTH} tokens, float32, Adam")
    times = compare(rounds)
    for what in ("clock", "processor"):
        ours, theirs = (times[name][what] for name in STEPS)
        print(f"{what:14} {ours:6.1f} ms a step, torch {theirs:.1f} ms: {ours / theirs:.2f} ×")
    print(f"{'':14} medians of {rounds} rounds; target 1.0 ×, limit 1.3 ×")
    (ours, arrays), (theirs, _) = map(in_fresh_processes, STEPS)
    peaks = f"{ours:.1f} MiB more at a step's peak, torch {theirs:.1f} MiB"
    print(f"{'memory':14} {peaks}: {ours / theirs:.2f} × (target 1.5 ×)")
    print(f"{'':14} of ours, {arrays:.1f} MiB are arrays")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--memory"]:
        print(*peak_of_a_step(sys.argv[2]))
    else:
        main(*map(int, sys.argv[1:]))
