"""Blockwise attention beside PyTorch, ONNX Runtime and jitted JAX: time, memory and growth, one thread each.

``make bench``, or ``python -m tests.benchmarks.attention [--quick]`` where they are installed; one that is missing is
left out, and the report says so. float32, (2, 8, T, 64). A ratio is our time divided by the other's: below 1 we are
quicker. Every rival is held to our numbers before it is timed.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy loads its BLAS
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import sys
import tracemalloc

import numpy as np

from attention_lab import blockwise_attention, scaled_dot_product_attention
from tests.benchmarks.timing import exponent, take_turns

LENGTHS, D_HEAD, LONG, WINDOW = (128, 256, 512, 1024, 2048, 4096), 64, 16384, 1024
MEMORY_LENGTHS = (2048, 4096, 8192, LONG)
LIMITS = {(128, True): 1.6, (128, False): 1.6, (1024, True): 1.15, (2048, True): 1.15}
LIMITS |= {(n, False): 1.35 for n in (1024, 2048)}


def arrays(n, batch=2, heads=8):
    return np.random.default_rng(0).standard_normal((3, batch, heads, n, D_HEAD)).astype(np.float32)


def in_torch(qkv, is_causal):
    import torch

    torch.set_num_threads(1)
    tensors, attend = [torch.from_numpy(x) for x in qkv], torch.nn.functional.scaled_dot_product_attention

    def call():
        with torch.inference_mode():
            return attend(*tensors, is_causal=is_causal).numpy()

    return call


def in_onnx_runtime(qkv, is_causal):
    """The graph of the formula; its session may fuse what it can."""
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

    n = qkv.shape[-2]
    given = [helper.make_tensor_value_info(name, TensorProto.FLOAT, qkv.shape[1:]) for name in "qkv"]
    constants = [numpy_helper.from_array(np.float32(D_HEAD**-0.5), "scale")]
    nodes = [
        helper.make_node("Mul", ["q", "scale"], ["scaled"]),
        helper.make_node("Transpose", ["k"], ["turned"], perm=[0, 1, 3, 2]),
        helper.make_node("MatMul", ["scaled", "turned"], ["scores"]),
        helper.make_node("Softmax", ["hidden" if is_causal else "scores"], ["weights"], axis=-1),
        helper.make_node("MatMul", ["weights", "v"], ["output"]),
    ]
    if is_causal:
        constants.append(numpy_helper.from_array(np.where(np.tri(n), 0, -np.inf).astype(np.float32), "mask"))
        nodes.insert(3, helper.make_node("Add", ["scores", "mask"], ["hidden"]))
    result = [helper.make_tensor_value_info("output", TensorProto.FLOAT, qkv.shape[1:])]
    graph = helper.make_graph(nodes, "attention", given, result, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
    feed = dict(zip("qkv", qkv, strict=True))
    return lambda: session.run(None, feed)[0]


def in_jax(qkv, is_causal):
    import jax

    q, k, v = (jax.numpy.asarray(x.swapaxes(1, 2)) for x in qkv)  # (batch, length, heads, features)
    attend = jax.jit(lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=is_causal))
    return lambda: np.asarray(attend(q, k, v).block_until_ready()).swapaxes(1, 2)


RIVALS = {"torch": in_torch, "onnxruntime": in_onnx_runtime, "jax": in_jax}


def installed():
    """The rivals that are here. Another error than a missing package is one."""
    found = {}
    for name, make in RIVALS.items():
        try:
            make(arrays(2, 1, 1), True)
        except ImportError as error:
            print(f"{name} is left out: {error}")
        else:
            found[name] = make
    return found


def beside_rivals(lengths, rounds):
    rows, rivals = [], installed()
    for n in lengths:
        for is_causal in (True, False):
            qkv = arrays(n)
            calls = {name: make(qkv, is_causal) for name, make in rivals.items()}
            calls["ours"] = lambda qkv=qkv, c=is_causal: blockwise_attention(*qkv, is_causal=c, threads=1)
            for name, call in calls.items():
                apart = np.abs(call() - calls["ours"]()).max()
                if not apart < 1e-4:
                    raise SystemExit(f"{name} does not compute the same: {apart} apart")
            taken = take_turns(calls, max(3, rounds * 1024 // max(n, 1024)))
            rows.append({"length": n, "causal": is_causal, "milliseconds": taken})
            ours = taken["ours"]["processor"]
            ratios = "  ".join(f"{name} {ours / taken[name]['processor']:.2f} ×" for name in rivals)
            limit = f"  (torch: limit {LIMITS[n, is_causal]})" if (n, is_causal) in LIMITS else ""
            print(f"{n:6,} {'causal' if is_causal else 'full':6} {ours:8.1f} ms   {ratios}{limit}", flush=True)
    return rows


def peak(function):
    """MiB of arrays at the most, beyond those that were there before."""
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


def memory(lengths):
    found = {}
    for n in lengths:
        qkv = arrays(n, 1, 1)[:, 0, 0]
        found[n] = peak(lambda qkv=qkv: blockwise_attention(*qkv, is_causal=True, threads=1))
    growth = exponent(list(found), list(found.values()))
    print("peak MiB, one head: " + ", ".join(f"{n:,}: {mib:.1f}" for n, mib in found.items()) + f"; T^{growth:.2f}")
    return {"peak_mib": found, "exponent": growth}


def window(n, rounds):
    """What a window costs beside all keys of the past, and how its cost grows with the length and with the window."""
    qkv = arrays(n, 1, 1)[:, 0, 0]
    calls = {"blockwise, window": lambda: blockwise_attention(*qkv, is_causal=True, window=WINDOW, threads=1)}
    calls["blockwise, causal"] = lambda: blockwise_attention(*qkv, is_causal=True, threads=1)
    calls["dense, causal"] = lambda: scaled_dot_product_attention(*qkv, is_causal=True)
    taken = take_turns(calls, rounds, warm=1)
    share = {name: taken["blockwise, window"]["processor"] / taken[name]["processor"] for name in list(calls)[1:]}
    print(
        f"window {WINDOW:,} at {n:,}: " + ", ".join(f"{x:.2f} × {name}" for name, x in share.items()) + " (limit 0.2)"
    )

    def windowed(length, width):
        return lambda: blockwise_attention(*qkv[:, :length], is_causal=True, window=width, threads=1)

    lengths, widths = [n // 8, n // 4, n // 2, n], [WINDOW // 2, WINDOW, 2 * WINDOW, 4 * WINDOW]
    of_length = take_turns({size: windowed(size, WINDOW // 4) for size in lengths}, 2 * rounds)
    of_width = take_turns({size: windowed(n, size) for size in widths}, 2 * rounds)
    growth = [exponent(list(x), [t["processor"] for t in x.values()]) for x in (of_length, of_width)]
    print(f"its cost grows as T^{growth[0]:.2f} and as window^{growth[1]:.2f}")
    return {"milliseconds": taken, "share": share, "exponent_of_length": growth[0], "exponent_of_window": growth[1]}


def main(*, quick=False):
    lengths, rounds = (LENGTHS[:4], 5) if quick else (LENGTHS, 21)
    print("float32 (2, 8, T, 64), one thread, processor time: ours, and ours divided by each other's")
    rows = beside_rivals(lengths, rounds)
    growth = {
        kind: exponent([r["length"] for r in some], [r["milliseconds"]["ours"]["processor"] for r in some])
        for kind, some in (("causal", [r for r in rows if r["causal"]]), ("full", [r for r in rows if not r["causal"]]))
    }
    print(f"our time grows as T^{growth['causal']:.2f} (causal), T^{growth['full']:.2f} (full)")
    long = LONG // 4 if quick else LONG
    return {"rows": rows, "time_exponents": growth, "memory": memory(MEMORY_LENGTHS), "window": window(long, 3)}


if __name__ == "__main__":
    main(quick="--quick" in sys.argv)
