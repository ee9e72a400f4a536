// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

// What a host compiler needs to read emitted kernels, and a grid that runs them: blocks in turn,
// the threads of a block as fibers, so that barriers, shared memory, shuffles and atomics mean what
// they mean on a GPU. Generated units include it before the prelude; tests talk to them through
// grid.hpp.

#include <math.h>
#include <ucontext.h>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __launch_bounds__(...)
#define WEFT_DEVICE inline
#define WEFT_SHARED static
#define WEFT_DYNAMIC_SHARED(NAME) static uint4 NAME[227 * 64]

struct grid_dim {
  unsigned x = 1, y = 1, z = 1;
};
static grid_dim threadIdx, blockIdx, blockDim, gridDim;
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};

namespace weft_grid {

/// Who waits for whom: a barrier opens when as many have come as are alive.
struct barrier {
  unsigned long come = 0, alive = 0, opened = 0;
  void open_if_full() {
    if (come < alive || alive == 0) return;
    come = 0;
    ++opened;
  }
};
struct fiber {
  ucontext_t start;
  jmp_buf at;
  std::unique_ptr<char[]> stack;
  bool begun = false, ended = false;
  barrier* waits = nullptr;
  unsigned long until = 0;
  unsigned thread = 0;
};

static ucontext_t scheduler_start;
static jmp_buf scheduler;
static fiber* current = nullptr;
static std::vector<fiber> fibers;
static barrier whole_block;
static std::vector<barrier> warps;
static std::vector<std::uint64_t> lanes;
static void (*body)(void**) = nullptr;
static void** arguments = nullptr;
constexpr std::size_t stack_bytes = 128 << 10;

static void yield() {
  if (!_setjmp(current->at)) _longjmp(scheduler, 1);
}
static void wait(barrier& b) {
  current->waits = &b;
  current->until = b.opened + 1;
  ++b.come;
  b.open_if_full();
  while (b.opened < current->until) yield();
  current->waits = nullptr;
}
static void entry() {
  body(arguments);
  fiber* self = current;
  self->ended = true;
  --whole_block.alive;
  --warps[self->thread / 32].alive;
  whole_block.open_if_full();
  warps[self->thread / 32].open_if_full();
  _longjmp(scheduler, 1);
}
static void resume(fiber& f) {
  current = &f;
  threadIdx.x = f.thread;
  if (_setjmp(scheduler)) return;
  if (f.begun) _longjmp(f.at, 1);
  f.begun = true;
  getcontext(&f.start);
  f.start.uc_stack.ss_sp = f.stack.get();
  f.start.uc_stack.ss_size = stack_bytes;
  f.start.uc_link = nullptr;
  makecontext(&f.start, entry, 0);
  setcontext(&f.start);
}
/// Whether blocks, and the threads of a block between barriers, run from the last one to the first:
/// a GPU promises no order.
static bool backwards = false;
inline unsigned in_order(unsigned i, unsigned count) {
  return backwards ? count - 1 - i : i;
}
/// Runs every block of a grid. False if a block's threads wait for each other for ever.
inline bool launch(void (*f)(void**), void** a, const unsigned* grid, unsigned threads) {
  body = f;
  arguments = a;
  gridDim = {grid[0], grid[1], grid[2]};
  blockDim = {threads, 1, 1};
  while (fibers.size() < threads) {
    fibers.emplace_back();
    fibers.back().stack.reset(new char[stack_bytes]);
  }
  warps.assign((threads + 31) / 32, {});
  lanes.assign(threads + 32, 0);
  for (unsigned z = 0; z < grid[2]; ++z)
    for (unsigned y = 0; y < grid[1]; ++y)
      for (unsigned x = 0; x < grid[0]; ++x) {
        blockIdx = {in_order(x, grid[0]), in_order(y, grid[1]), in_order(z, grid[2])};
        whole_block = {0, threads, 0};
        for (std::size_t w = 0; w < warps.size(); ++w)
          warps[w] = {0, threads - w * 32 < 32 ? threads - w * 32 : 32, 0};
        for (unsigned t = 0; t < threads; ++t) {
          fiber& q = fibers[t];
          q.begun = q.ended = false;
          q.waits = nullptr;
          q.thread = t;
        }
        for (unsigned left = threads; left > 0;) {
          bool moved = false;
          for (unsigned t = 0; t < threads; ++t) {
            fiber& q = fibers[in_order(t, threads)];
            if (q.ended || (q.waits && q.waits->opened < q.until)) continue;
            moved = true;
            resume(q);
            if (q.ended) --left;
          }
          if (!moved) return false;
        }
      }
  return true;
}

/// A parameter: a pointer, or a number that was passed as one.
template <class P>
P parameter(void* a) {
  if constexpr (std::is_pointer<P>::value)
    return static_cast<P>(a);
  else
    return static_cast<P>(reinterpret_cast<std::intptr_t>(a));
}
template <class... P, std::size_t... I>
void call(void (*f)(P...), void** a, std::index_sequence<I...>) {
  f(parameter<P>(a[I])...);
}
template <auto F>
struct caller;
template <class... P, void (*F)(P...)>
struct caller<F> {
  static void run(void** a) { call(F, a, std::index_sequence_for<P...>{}); }
};

}  // namespace weft_grid
extern "C" void run_backwards(bool on) {
  weft_grid::backwards = on;
}

inline void __syncthreads() {
  weft_grid::wait(weft_grid::whole_block);
}
inline void __syncwarp(unsigned = 0xffffffffu) {
  weft_grid::wait(weft_grid::warps[threadIdx.x / 32]);
}
inline void __threadfence() {}
inline void __threadfence_system() {}
template <class T>
T grid_exchange(T x, unsigned from) {
  const unsigned me = threadIdx.x;
  std::memcpy(&weft_grid::lanes[me], &x, sizeof x);
  __syncwarp();
  T r;
  std::memcpy(&r, &weft_grid::lanes[(me & ~31u) + (from & 31u)], sizeof r);
  __syncwarp();
  return r;
}
template <class T>
T __shfl_xor_sync(unsigned, T x, int m) {
  return grid_exchange(x, threadIdx.x ^ static_cast<unsigned>(m));
}
template <class T>
T __shfl_sync(unsigned, T x, int lane) {
  return grid_exchange(x, static_cast<unsigned>(lane));
}
template <class T>
T __shfl_down_sync(unsigned, T x, int by) {
  const unsigned lane = threadIdx.x & 31u, to = lane + static_cast<unsigned>(by);
  return grid_exchange(x, to < 32 ? to : lane);
}
template <class T>
T atomicAdd(T* p, T v) {
  const T old = *p;
  *p = old + v;
  return old;
}
template <class T>
T atomicCAS(T* p, T expected, T v) {
  const T old = *p;
  if (old == expected) *p = v;
  return old;
}
