"""PyTorch's functions beside ./dev bench gpu_programs: `python3 bench/gpu/torch_peers.py` where PyTorch and a CUDA device are.

Medians of 21 by events of the device, in microseconds, as CSV.
"""
import statistics

import torch

N = 10**8
ROUNDS = 21


def row(name, call):
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    samples = []
    for _ in range(ROUNDS):
        begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
        begin.record()
        call()
        end.record()
        end.synchronize()
        samples.append(begin.elapsed_time(end) * 1e3)
    print(f"{name},{statistics.median(samples):.1f}", flush=True)


def flat():
    x, y = torch.rand(N, device="cuda"), torch.rand(N, device="cuda")
    k = torch.randint(-(2**31), 2**31 - 1, (N,), device="cuda", dtype=torch.int32)
    d = torch.rand(N // 2, device="cuda", dtype=torch.float64)
    one = torch.rand(1000, device="cuda")
    out, whole = torch.empty_like(x), torch.empty_like(k)
    few, many, near = k & 255, k & 1048575, (k & 1023).long()
    row("copy", lambda: out.copy_(x))
    row("map of 1000", lambda: one + 1)
    row("sum of 1000", lambda: one.sum().item())
    row("saxpy f32", lambda: torch.add(y, x, alpha=2.5, out=out))
    row("dot f32", lambda: torch.dot(x, y))
    row("sum i32", lambda: k.sum(dtype=torch.int32))
    row("sum f64", lambda: d.sum())
    row("argmax i32", lambda: k.argmax())
    row("scan i32", lambda: torch.cumsum(few, 0, dtype=torch.int32, out=whole))
    row("scan f32", lambda: torch.cumsum(x, 0, out=out))
    row("filter i32", lambda: k[(k & 1) == 0])
    row("sort i32", lambda: torch.sort(k))
    row("sort f64", lambda: torch.sort(d))
    row("gather", lambda: torch.index_select(x, 0, near))
    row("histogram i32 of 256", lambda: torch.bincount(few, minlength=256))
    row("histogram i32 of 2^20", lambda: torch.bincount(many, minlength=1048576))
    row("histogram f32 of 256", lambda: torch.zeros(256, device="cuda").index_add_(0, few, x))
    row("histogram f32 of 2^20", lambda: torch.zeros(1048576, device="cuda").index_add_(0, many, x))


def nests():
    m = torch.rand(8192, 8192, device="cuda")
    a, b = torch.rand(2048, 2048, device="cuda"), torch.rand(2048, 2048, device="cuda")
    row("transpose", lambda: m.t().contiguous())
    row("row sums", lambda: m.sum(1))
    row("column sums", lambda: m.sum(0))
    row("softmax of rows", lambda: torch.softmax(m, 1))
    row("layer norm of rows", lambda: torch.nn.functional.layer_norm(m, (8192,)))
    row("scan of rows", lambda: torch.cumsum(m, 1))
    row("scan of columns", lambda: torch.cumsum(m, 0))
    torch.backends.cuda.matmul.allow_tf32 = False
    row("product of 2048", lambda: a @ b)


print("program,microseconds")
flat()
nests()
