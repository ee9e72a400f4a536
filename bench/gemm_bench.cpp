// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
//
// Matrix products, single thread: weft, Eigen and (with WEFT_BENCH_OPENBLAS) OpenBLAS. Arguments:
// m, n, k, a transposed, b transposed. OPENBLAS_NUM_THREADS=1 is for the caller to set.
#include <weft/cpu/gemm.hpp>

#include <benchmark/benchmark.h>

#include <Eigen/Core>

#if defined(WEFT_BENCH_OPENBLAS) && __has_include(<cblas.h>)
#include <cblas.h>
#define WEFT_BENCH_HAS_OPENBLAS 1
#endif

#include <vector>

namespace {

using weft::index_t;

template <class T>
struct problem {
  index_t m, n, k;
  bool at, bt;
  std::vector<T> a, b, c;
  explicit problem(const benchmark::State& state)
      : m(state.range(0)),
        n(state.range(1)),
        k(state.range(2)),
        at(state.range(3) != 0),
        bt(state.range(4) != 0),
        a(static_cast<std::size_t>(m * k)),
        b(static_cast<std::size_t>(k * n)),
        c(static_cast<std::size_t>(m * n)) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = T(int(i % 17) - 8) / T(8);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = T(int(i % 13) - 6) / T(8);
  }
  void report(benchmark::State& state) const {
    state.counters["GFLOP/s"] = benchmark::Counter(2e-9 * double(m) * double(n) * double(k),
                                                   benchmark::Counter::kIsIterationInvariantRate);
  }
};

template <class T>
void gemm_weft(benchmark::State& state) {
  problem<T> p(state);
  std::vector<std::byte> workspace(weft::detail::gemm_workspace<T>({p.m, p.n, p.k}));
  const auto operand = [](const std::vector<T>& x, index_t rows, index_t columns, bool transposed) {
    return transposed ? weft::detail::gemm_operand<T>{x.data(), 1, rows}
                      : weft::detail::gemm_operand<T>{x.data(), columns, 1};
  };
  const auto a = operand(p.a, p.m, p.k, p.at), b = operand(p.b, p.k, p.n, p.bt);
  for (auto _ : state) {
    weft::detail::gemm<T>({p.m, p.n, p.k}, a, b, p.c.data(), p.n, workspace.data(), [](auto...) {});
    benchmark::ClobberMemory();
  }
  p.report(state);
}

template <class T>
void gemm_eigen(benchmark::State& state) {
  problem<T> p(state);
  using matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto map = [](const std::vector<T>& x, index_t rows, index_t columns, bool transposed) {
    return Eigen::Map<const matrix>(x.data(), transposed ? columns : rows,
                                    transposed ? rows : columns);
  };
  const auto a = map(p.a, p.m, p.k, p.at), b = map(p.b, p.k, p.n, p.bt);
  Eigen::Map<matrix> c(p.c.data(), p.m, p.n);
  for (auto _ : state) {
    if (p.at && p.bt)
      c.noalias() = a.transpose() * b.transpose();
    else if (p.at)
      c.noalias() = a.transpose() * b;
    else if (p.bt)
      c.noalias() = a * b.transpose();
    else
      c.noalias() = a * b;
    benchmark::ClobberMemory();
  }
  p.report(state);
}

#if defined(WEFT_BENCH_HAS_OPENBLAS)
template <class T>
void gemm_openblas(benchmark::State& state) {
  problem<T> p(state);
  const auto ta = p.at ? CblasTrans : CblasNoTrans, tb = p.bt ? CblasTrans : CblasNoTrans;
  const int m = int(p.m), n = int(p.n), k = int(p.k), lda = p.at ? m : k, ldb = p.bt ? k : n;
  for (auto _ : state) {
    if constexpr (sizeof(T) == 4)
      cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, 1, p.a.data(), lda, p.b.data(), ldb, 0,
                  p.c.data(), n);
    else
      cblas_dgemm(CblasRowMajor, ta, tb, m, n, k, 1, p.a.data(), lda, p.b.data(), ldb, 0,
                  p.c.data(), n);
    benchmark::ClobberMemory();
  }
  p.report(state);
}
#endif

void shapes(benchmark::internal::Benchmark* b) {
  b->ArgNames({"m", "n", "k", "aT", "bT"});
  b->Args({64, 10, 32, 0, 0})
      ->Args({64, 32, 64, 0, 0})
      ->Args({32, 64, 64, 1, 0})
      ->Args({64, 32, 10, 0, 1});
  b->Args({32, 10, 64, 1, 0})->Args({64, 128, 768, 0, 0})->Args({256, 256, 256, 0, 0});
  b->Args({512, 512, 512, 0, 0})->Args({512, 512, 512, 0, 1})->Args({512, 512, 512, 1, 0});
  b->Args({1024, 1024, 1024, 0, 0})->Args({1024, 1024, 1024, 1, 0})->Args({2048, 256, 256, 0, 0});
  b->Args({1000, 1, 10, 0, 0})->Args({10, 1, 1000, 1, 0})->Args({1, 512, 512, 0, 0});
}

BENCHMARK(gemm_weft<float>)->Name("gemm_float/weft")->Apply(shapes);
BENCHMARK(gemm_eigen<float>)->Name("gemm_float/eigen")->Apply(shapes);
BENCHMARK(gemm_weft<double>)->Name("gemm_double/weft")->Apply(shapes);
BENCHMARK(gemm_eigen<double>)->Name("gemm_double/eigen")->Apply(shapes);
#if defined(WEFT_BENCH_HAS_OPENBLAS)
BENCHMARK(gemm_openblas<float>)->Name("gemm_float/openblas")->Apply(shapes);
BENCHMARK(gemm_openblas<double>)->Name("gemm_double/openblas")->Apply(shapes);
#endif

}  // namespace
