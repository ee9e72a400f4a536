#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Weft authors
"""usage: peers.py torch|jax [--json FILE] [--rows PART[,PART...]] [--seconds N]

The rows of weft_bench_gpu, under the same names, by torch.compile or jax.jit: random inputs of the
same shapes, sets that go round where the cache would hold them, a warm-up, then the median of nine
rounds of at least 25 ms, each ended by waiting for the device. No row starts after N seconds (150);
what fails is a row with its reason.
"""

import argparse
import json
import math
import statistics
import sys
import time

ROWS, COLUMNS, FULL = 16384, 4096, 1 << 26
CLASSES, LABELS = 50304, 8192
ROUND, ROUNDS = 0.025, 9


class Bench:
    def __init__(self, wait, arguments):
        self.wait = wait
        self.filters = [p for p in arguments.rows.split(",") if p]
        self.deadline = time.monotonic() + arguments.seconds
        self.rows = {}

    def sets(self, size):
        return max(1, min(8, math.ceil(200e6 / size)))

    def row(self, name, make):
        """make() returns call(set) and the number of sets; it is called only if the row is wanted."""
        if self.filters and not any(p in name for p in self.filters):
            return
        if time.monotonic() > self.deadline:
            self.rows[name] = {"failure": "skipped: no time left"}
            return
        try:
            call, sets = make()
            start = time.perf_counter()
            self.wait(call(0))
            first = time.perf_counter() - start
            count = 0

            def timed(calls):
                nonlocal count
                start = time.perf_counter()
                for _ in range(calls):
                    result = call(count % sets)
                    count += 1
                self.wait(result)
                return (time.perf_counter() - start) / calls

            timed(max(3, sets))
            once = timed(max(3, sets))
            calls = max(1, min(4000, int(ROUND / once)))
            times = [timed(calls) for _ in range(ROUNDS)]
            self.add(name, times, first)
        except Exception as error:  # a peer's failure is a row, not the end
            self.fail(name, error)

    def host_row(self, name, make):
        """The host's time of a call, not waited for."""
        if self.filters and not any(p in name for p in self.filters):
            return
        try:
            call, _ = make()
            start = time.perf_counter()
            self.wait(call(0))
            first = time.perf_counter() - start
            times = []
            for _ in range(5 * ROUNDS):
                start = time.perf_counter()
                for _ in range(256):
                    result = call(0)
                times.append((time.perf_counter() - start) / 256)
                self.wait(result)
            self.add(name, times, first)
        except Exception as error:
            self.fail(name, error)

    def add(self, name, times, first):
        row = {"us": statistics.median(times) * 1e6, "us_min": min(times) * 1e6,
               "us_max": max(times) * 1e6, "first_ms": first * 1e3}
        self.rows[name] = row
        print(f"{name:44} {row['us']:9.2f} us  first call {row['first_ms']:.0f} ms", flush=True)

    def fail(self, name, error):
        text = f"{type(error).__name__}: {error}".splitlines()[0][:200]
        self.rows[name] = {"failure": text}
        print(f"{name:44} {text}", flush=True)


def run_torch(arguments):
    import torch
    import torch.nn.functional as F

    try:  # a backward pass is run many times here
        import torch._functorch.config as functorch_config
        functorch_config.donated_buffer = False
    except (ImportError, AttributeError):
        pass
    torch.manual_seed(0)
    device = torch.device("cuda")
    bench = Bench(lambda _: torch.cuda.synchronize(), arguments)
    compiled = lambda f: torch.compile(f, dynamic=False)
    bf16 = torch.bfloat16

    def normal(*shape, dtype=torch.float32, grad=False):
        t = torch.randn(*shape, device=device, dtype=dtype)
        return t.requires_grad_() if grad else t

    def plain(f, *shapes, dtype=torch.float32, count=None, fixed=()):
        """A program of tensors: the first go round in sets, the fixed ones stay."""
        def make():
            size = sum(math.prod(s) for s in shapes) * (4 if dtype == torch.float32 else 2)
            sets = count or bench.sets(size)
            inputs = [[normal(*s, dtype=dtype) for s in shapes] for _ in range(sets)]
            more = [normal(*s, dtype=dtype) for s in fixed]
            g = compiled(f)
            return (lambda k: g(*inputs[k], *more)), sets
        return make

    def backward(f, *shapes, out, fixed=()):
        """The backward pass alone, of a compiled forward pass."""
        def make():
            sets = bench.sets(2 * math.prod(shapes[0]))
            more = [normal(*s, dtype=bf16, grad=True) for s in fixed]
            g = compiled(f)
            all_sets = []
            for _ in range(sets):
                inputs = [normal(*s, dtype=bf16, grad=True) for s in shapes]
                all_sets.append((g(*inputs, *more), [*inputs, *more], normal(*out, dtype=bf16)))

            def call(k):
                y, inputs, dy = all_sets[k]
                return torch.autograd.grad(y, inputs, dy, retain_graph=True)
            return call, sets
        return make

    square = (ROWS, COLUMNS)

    def copies():
        x, y = normal(FULL), normal(FULL)
        return (lambda _: y.copy_(x)), 1
    bench.row("copy by the driver 256 MiB", copies)
    bench.row("pointwise chain f32 64M",
              plain(lambda a, b, c: torch.tanh(a * b + c) * torch.sigmoid(a) - b,
                    (FULL,), (FULL,), (FULL,)))
    bench.row("softmax f32", plain(lambda x: torch.softmax(x, -1), square))
    bench.row("layer norm f32", plain(lambda x: F.layer_norm(x, (COLUMNS,)), square))
    bench.row("logsumexp f32", plain(lambda x: torch.logsumexp(x, -1), square))
    bench.row("sum of rows f32", plain(lambda x: x.sum(-1), square))
    bench.row("sum of columns f32", plain(lambda x: x.sum(0), square))
    bench.row("sum of all f32", plain(lambda x: x.sum(), square))
    bench.row("transpose + 1 f32", plain(lambda x: x.t().contiguous() + 1, square))

    layer = lambda x, w, b: F.layer_norm(x, (COLUMNS,), w, b)
    rms = lambda x, w: F.rms_norm(x, (COLUMNS,), w, 1e-6)
    soft = lambda x: torch.softmax(x, -1)
    gelu = lambda x, b: F.gelu(x + b, approximate="tanh")
    dropped = lambda x: F.dropout(x, 0.125) + x

    def swiglu(x):
        a, b = x.chunk(2, -1)
        return F.silu(a) * b

    column = (COLUMNS,)
    bench.row("layer norm bf16", plain(layer, square, dtype=bf16, fixed=(column, column)))
    bench.row("layer norm bf16 backward", backward(layer, square, out=square, fixed=(column, column)))
    bench.row("rms norm bf16", plain(rms, square, dtype=bf16, fixed=(column,)))
    bench.row("rms norm bf16 backward", backward(rms, square, out=square, fixed=(column,)))
    bench.row("softmax bf16", plain(soft, square, dtype=bf16))
    bench.row("softmax bf16 backward", backward(soft, square, out=square))
    bench.row("bias + gelu bf16", plain(gelu, square, dtype=bf16, fixed=(column,)))
    bench.row("bias + gelu bf16 backward", backward(gelu, square, out=square, fixed=(column,)))
    bench.row("swiglu bf16", plain(swiglu, square, dtype=bf16))
    bench.row("swiglu bf16 backward", backward(swiglu, square, out=(ROWS, COLUMNS // 2)))
    bench.row("dropout(x) + x bf16", plain(dropped, square, dtype=bf16))
    bench.row("dropout(x) + x bf16 backward", backward(dropped, square, out=square))
    bench.row("y + dropout(x) bf16",
              plain(lambda y, x: y + F.dropout(x, 0.125), square, square, dtype=bf16))

    def cross_entropy():
        x = (2 * normal(LABELS, CLASSES, dtype=bf16)).requires_grad_()
        labels = torch.randint(CLASSES, (LABELS,), device=device)
        f = compiled(lambda x, labels: F.cross_entropy(x.float(), labels))

        def call(_):
            loss = f(x, labels)
            return loss, torch.autograd.grad(loss, x)
        return call, 1
    bench.row("cross entropy bf16 value and gradient", cross_entropy)

    def adam():
        p, g, m, v = normal(FULL), normal(FULL), 0.1 * normal(FULL), 0.01 * normal(FULL).abs()

        def update(p, g, m, v):
            m1, v1 = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
            p.copy_(p - 1e-3 * (m1 / 0.65132156) / (torch.sqrt(v1 / 0.00995512) + 1e-8))
            m.copy_(m1)
            v.copy_(v1)
        f = compiled(update)
        return (lambda _: f(p, g, m, v)), 1
    bench.row("Adam f32 64M", adam)

    for rows in (65536, 16384):
        def linear(f, rows=rows):
            def make():
                sets = bench.sets(2 * rows * 768)
                inputs = [normal(rows, 768, dtype=bf16) for _ in range(sets)]
                w, b = 0.04 * normal(768, 3072, dtype=bf16), normal(3072, dtype=bf16)
                g = compiled(f)
                return (lambda k: g(inputs[k], w, b)), sets
            return make
        bench.row(f"product bf16 {rows}x3072x768", linear(lambda x, w, b: x @ w))
        bench.row(f"linear + gelu bf16 {rows}x3072x768",
                  linear(lambda x, w, b: F.gelu(x @ w + b, approximate="tanh")))

    def layers():
        rows, sets = 16384, bench.sets(4 * 16384 * 768)
        inputs = [(normal(rows, 768, dtype=bf16, grad=True), normal(rows, 768, dtype=bf16))
                  for _ in range(sets)]
        more = [(s * normal(*shape, dtype=bf16)).requires_grad_() for s, shape in
                ((0.04, (768, 3072)), (0.25, (3072,)), (0.02, (3072, 768)), (0.25, (768,)))]

        def loss(x, a, b, c, d, target):
            y = F.gelu(x @ a + b, approximate="tanh") @ c + d
            return torch.square(y.float() - target.float()).mean()
        f = compiled(loss)

        def call(k):
            x, target = inputs[k]
            value = f(x, *more, target)
            return value, torch.autograd.grad(value, [x, *more])
        return call, sets
    bench.row("two layers with gelu bf16, loss and gradients", layers)

    def tiny():
        a, b, c = normal(1024), normal(1024), normal(1024)
        f = compiled(lambda a, b, c: torch.tanh(a * b + c) * torch.sigmoid(a) - b)
        return (lambda _: f(a, b, c)), 1
    bench.host_row("tiny call", tiny)
    return "torch.compile " + torch.__version__, bench.rows


def run_jax(arguments):
    import os
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import jax
    import jax.numpy as jnp

    bench = Bench(jax.block_until_ready, arguments)
    keys = iter(jax.random.split(jax.random.key(0), 400))
    f32, bf16 = jnp.float32, jnp.bfloat16

    def normal(*shape, dtype=f32):
        return jax.random.normal(next(keys), shape, dtype)

    def plain(f, *shapes, dtype=f32, fixed=()):
        def make():
            size = sum(math.prod(s) for s in shapes) * (4 if dtype == f32 else 2)
            sets = bench.sets(size)
            inputs = [[normal(*s, dtype=dtype) for s in shapes] for _ in range(sets)]
            more = [normal(*s, dtype=dtype) for s in fixed]
            g = jax.jit(f)
            jax.block_until_ready((inputs, more))
            return (lambda k: g(*inputs[k], *more)), sets
        return make

    def gradients(f):
        """x and dy, then parameters, to the gradients of x and of the parameters."""
        return lambda x, dy, *more: jax.vjp(f, x, *more)[1](dy)

    square, column = (ROWS, COLUMNS), (COLUMNS,)
    bench.row("pointwise chain f32 64M",
              plain(lambda a, b, c: jnp.tanh(a * b + c) * jax.nn.sigmoid(a) - b,
                    (FULL,), (FULL,), (FULL,)))

    def norm(x):
        x32 = x.astype(f32)
        mean = x32.mean(-1, keepdims=True)
        var = jnp.square(x32 - mean).mean(-1, keepdims=True)
        return ((x32 - mean) * jax.lax.rsqrt(var + 1e-5)).astype(x.dtype)

    def rms(x, w):
        x32 = x.astype(f32)
        scale = jax.lax.rsqrt(jnp.square(x32).mean(-1, keepdims=True) + 1e-6)
        return (x32 * scale).astype(x.dtype) * w

    layer = lambda x, w, b: norm(x) * w + b
    soft = lambda x: jax.nn.softmax(x, -1)
    gelu = lambda x, b: jax.nn.gelu(x + b, approximate=True)

    def swiglu(x):
        a, b = jnp.split(x, 2, -1)
        return jax.nn.silu(a) * b

    bench.row("softmax f32", plain(soft, square))
    bench.row("layer norm f32", plain(norm, square))
    bench.row("logsumexp f32", plain(lambda x: jax.nn.logsumexp(x, -1), square))
    bench.row("sum of rows f32", plain(lambda x: x.sum(-1), square))
    bench.row("sum of columns f32", plain(lambda x: x.sum(0), square))
    bench.row("sum of all f32", plain(lambda x: x.sum(), square))
    bench.row("transpose + 1 f32", plain(lambda x: x.T + 1, square))
    both = (square, square)
    bench.row("layer norm bf16", plain(layer, square, dtype=bf16, fixed=(column, column)))
    bench.row("layer norm bf16 x, dy to dx, dw, db",
              plain(gradients(layer), *both, dtype=bf16, fixed=(column, column)))
    bench.row("rms norm bf16", plain(rms, square, dtype=bf16, fixed=(column,)))
    bench.row("rms norm bf16 x, dy to dx, dw",
              plain(gradients(rms), *both, dtype=bf16, fixed=(column,)))
    bench.row("softmax bf16", plain(soft, square, dtype=bf16))
    bench.row("softmax bf16 x, dy to dx", plain(gradients(soft), *both, dtype=bf16))
    bench.row("bias + gelu bf16", plain(gelu, square, dtype=bf16, fixed=(column,)))
    bench.row("bias + gelu bf16 x, dy to dx, db",
              plain(gradients(gelu), *both, dtype=bf16, fixed=(column,)))
    bench.row("swiglu bf16", plain(swiglu, square, dtype=bf16))
    bench.row("swiglu bf16 backward",
              plain(gradients(swiglu), square, (ROWS, COLUMNS // 2), dtype=bf16))

    def cross_entropy():
        x = 2 * normal(LABELS, CLASSES, dtype=bf16)
        labels = jax.random.randint(next(keys), (LABELS,), 0, CLASSES)

        def loss(x, labels):
            x32 = x.astype(f32)
            chosen = jnp.take_along_axis(x32, labels[:, None], -1)[:, 0]
            return (jax.nn.logsumexp(x32, -1) - chosen).mean()
        g = jax.jit(jax.value_and_grad(loss))
        return (lambda _: g(x, labels)), 1
    bench.row("cross entropy bf16 value and gradient", cross_entropy)

    for rows in (65536, 16384):
        def linear(f, rows=rows):
            def make():
                sets = bench.sets(2 * rows * 768)
                inputs = [normal(rows, 768, dtype=bf16) for _ in range(sets)]
                w, b = 0.04 * normal(768, 3072, dtype=bf16), normal(3072, dtype=bf16)
                g = jax.jit(f)
                return (lambda k: g(inputs[k], w, b)), sets
            return make
        bench.row(f"product bf16 {rows}x3072x768", linear(lambda x, w, b: x @ w))
        bench.row(f"linear + gelu bf16 {rows}x3072x768",
                  linear(lambda x, w, b: jax.nn.gelu(x @ w + b, approximate=True)))

    def layers():
        rows, sets = 16384, bench.sets(4 * 16384 * 768)
        inputs = [(normal(rows, 768, dtype=bf16), normal(rows, 768, dtype=bf16))
                  for _ in range(sets)]
        more = [(s * normal(*shape, dtype=f32)).astype(bf16) for s, shape in
                ((0.04, (768, 3072)), (0.25, (3072,)), (0.02, (3072, 768)), (0.25, (768,)))]

        def loss(x, a, b, c, d, target):
            y = jax.nn.gelu(x @ a + b, approximate=True) @ c + d
            return jnp.square(y.astype(f32) - target.astype(f32)).mean()
        f = jax.jit(jax.value_and_grad(loss, argnums=(0, 1, 2, 3, 4)))
        return (lambda k: f(inputs[k][0], *more, inputs[k][1])), sets
    bench.row("two layers with gelu bf16, loss and gradients", layers)

    def tiny():
        a, b, c = normal(1024), normal(1024), normal(1024)
        f = jax.jit(lambda a, b, c: jnp.tanh(a * b + c) * jax.nn.sigmoid(a) - b)
        return (lambda _: f(a, b, c)), 1
    bench.host_row("tiny call", tiny)
    return "jax.jit " + jax.__version__, bench.rows


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("which", choices=("torch", "jax"))
    parser.add_argument("--json")
    parser.add_argument("--rows", default="")
    parser.add_argument("--seconds", type=float, default=150)
    arguments = parser.parse_args()
    try:
        title, rows = run_torch(arguments) if arguments.which == "torch" else run_jax(arguments)
    except ImportError as error:
        print(f"{arguments.which} is not here: {error}")
        return 0
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"title": title, "rows": rows}, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
