// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>
#include <weft/cuda/disk_cache.hpp>
#include <weft/cuda/memory.hpp>
#include <weft/cuda/product.hpp>
#include <weft/cuda/stream.hpp>

namespace weft::detail::cuda {

/// How a product's algorithm is found.
enum class product_choice {
  measured,  // the fastest of the heuristics' list on this card, remembered in memory and on disk
  first,     // the heuristics' best guess
  recalled,  // what was measured once and is on disk, else the best guess
};

/// The products of one device. Safe to use from many threads.
class product_cache {
 public:
  static constexpr std::size_t most_workspace = std::size_t(32) << 20;
  static constexpr int most_candidates = 8;

  /// `load` opens the library when the first product is asked for.
  product_cache(const context& on, std::function<const blas_state&()> load, std::string card,
                disk_cache& disk, device_memory& memory)
      : context_(on),
        load_(std::move(load)),
        card_(std::move(card)),
        disk_(&disk),
        memory_(&memory) {}
  product_cache(const product_cache&) = delete;

  /// The product with its algorithm chosen, the same object for the same problem as long as the
  /// cache lives; a program asks once and keeps it. Measuring runs on `on`, after what is queued
  /// there, reads the operands' a and b (scratch memory takes the place of an address of 0) and
  /// writes only scratch memory. A stream in capture cannot be measured on; then, and where there
  /// is no memory for it, the best guess is taken for this process, and not remembered on disk.
  /// Throws device_error if cuBLASLt is missing or has no algorithm for the problem.
  prepared_product& prepare(const row_major_product& problem, const product_operands& operands,
                            stream_handle on, product_choice how = product_choice::measured,
                            during task = {}) {
    const std::scoped_lock lock(mutex_);
    const std::string key = (how == product_choice::measured ? "" : "first ") + problem.text();
    if (how == product_choice::recalled)
      if (const auto known = products_.find(problem.text()); known != products_.end())
        return *known->second;
    if (const auto known = products_.find(key); known != products_.end()) return *known->second;
    open();
    auto product = std::make_unique<prepared_product>(library_->api, handle_, problem);
    choose(*product, operands, on, how, task);
    return *(products_[key] = std::move(product));
  }

  std::size_t size() const {
    const std::scoped_lock lock(mutex_);
    return products_.size();
  }

 private:
  struct stored_choice {
    matmul_algorithm algorithm;
    double microseconds = 0;
  };

  void open() {
    library_ = &load_();
    if (!library_->failure.empty()) throw device_error(library_->failure);
    context_.make_current();
    if (handle_) return;
    const blas_status status = library_->api.create(&handle_);
    if (status == blas_status::success) return;
    handle_ = nullptr;
    throw device_error("weft: cuBLASLt (" + library_->path +
                       ") does not start: " + library_->api.status_text(status));
  }

  void choose(prepared_product& product, const product_operands& operands, stream_handle on,
              product_choice how, during task) {
    const std::string key = "cuBLASLt " + std::to_string(library_->api.version()) + "\n" + card_ +
                            "\n" + product.problem().text();
    if (how != product_choice::first && recall(product, key)) return;
    const std::vector<matmul_candidate> found = product.candidates(most_workspace, most_candidates);
    if (found.empty()) product.require(blas_status::not_supported, "find an algorithm for", task);
    product.choose(found.front(), 0);
    if (how != product_choice::measured || is_capturing(*context_.api, on)) return;
    if (const auto best = measure(product, found, operands, on, task)) {
      product.choose(best->first, best->second);
      remember(product, key);
    }
  }

  bool recall(prepared_product& product, const std::string& key) {
    const std::optional<std::string> bytes = disk_->get("products", key);
    if (!bytes || bytes->size() != sizeof(stored_choice)) return false;
    stored_choice stored;
    std::memcpy(&stored, bytes->data(), sizeof(stored));
    matmul_candidate choice;
    choice.algorithm = stored.algorithm;
    if (!product.accepts(choice, most_workspace)) return false;
    product.choose(choice, stored.microseconds);
    return true;
  }

  void remember(const prepared_product& product, const std::string& key) {
    const stored_choice stored{product.choice().algorithm, product.microseconds()};
    disk_->put("products", key,
               std::string_view(reinterpret_cast<const char*>(&stored), sizeof(stored)));
  }

  // Device memory for the time of a measurement.
  class scratch {
   public:
    scratch(device_memory& memory, stream_handle on) : memory_(memory), stream_(on) {}
    scratch(const scratch&) = delete;
    ~scratch() {
      for (memory_block* each : blocks_) memory_.free(each);
    }
    device_address take(std::size_t bytes) {
      blocks_.reserve(blocks_.size() + 1);
      blocks_.push_back(
          memory_.allocate(bytes, stream_, memory_.owner("measurements of products")));
      return blocks_.back()->address;
    }

   private:
    device_memory& memory_;
    stream_handle stream_;
    std::vector<memory_block*> blocks_;
  };

  static std::size_t bytes_of(blas_type type) {
    return type == blas_type::float64 ? 8 : type == blas_type::float32 ? 4 : 2;
  }
  static std::size_t extent_of(std::int64_t rows, std::int64_t leading, std::int64_t stride,
                               std::int64_t batch, blas_type type) {
    return std::size_t(rows * leading + (batch - 1) * stride) * bytes_of(type);
  }

  product_operands borrow(const row_major_product& p, product_operands operands, scratch& memory,
                          stream_handle on) {
    const auto zeros = [&](std::size_t bytes) {
      const device_address address = memory.take(bytes);
      fill_bytes(*context_.api, address, 0, bytes, on);
      return address;
    };
    if (!operands.a) {
      operands.a = zeros(extent_of(p.transpose_a ? p.k : p.m, p.lda, p.stride_a, p.batch, p.a));
    }
    if (!operands.b) {
      operands.b = zeros(extent_of(p.transpose_b ? p.n : p.k, p.ldb, p.stride_b, p.batch, p.b));
    }
    operands.d = zeros(extent_of(p.m, p.ldd, p.stride_d, p.batch, p.d));
    if (p.has_bias()) operands.bias = zeros(std::size_t(std::max(p.m, p.n)) * 8);
    if (p.has_auxiliary()) {
      operands.auxiliary = zeros(extent_of(p.m, p.ld_auxiliary, p.stride_auxiliary, p.batch, p.d));
    }
    return operands;
  }

  // The fastest candidate and its microseconds: the medians of rounds in which each runs in turn,
  // so that a clock that changes meanwhile changes all of them.
  std::optional<std::pair<matmul_candidate, double>> measure(
      prepared_product& product, const std::vector<matmul_candidate>& found,
      const product_operands& given, stream_handle on, during task) {
    scratch memory(*memory_, on);
    product_operands operands;
    device_address workspace = 0;
    try {
      operands = borrow(product.problem(), given, memory, on);
      workspace = memory.take(most_workspace);
    } catch (const memory_error&) {
      return std::nullopt;
    }
    const event start(context_, event::use::timing);
    const event end(context_, event::use::timing);
    struct trial {
      const matmul_candidate* candidate;
      int repeats = 1;
      std::vector<double> microseconds;
    };
    // Microseconds for one run, or nothing if the candidate does not run after all.
    const auto time = [&](const matmul_candidate& candidate, int repeats) -> std::optional<double> {
      start.record(on);
      for (int i = 0; i < repeats; ++i) {
        if (product.try_run(candidate, operands, workspace, on) != blas_status::success) {
          return std::nullopt;
        }
      }
      end.record(on);
      end.synchronize(task);
      return double(end.milliseconds_since(start)) * 1000 / repeats;
    };
    std::vector<trial> trials;
    for (const matmul_candidate& each : found) {
      if (!time(each, 1)) continue;  // loads its code, too
      const double once = time(each, 1).value_or(0);
      // A round has to be long beside the clock's step of about half a microsecond.
      const int repeats = std::clamp(int(200 / std::max(once, 1.0)), 1, 20);
      trials.push_back({&each, repeats, {}});
    }
    if (trials.empty()) return std::nullopt;
    constexpr int rounds = 5;
    for (int round = 0; round < rounds; ++round) {
      for (trial& each : trials) {
        if (const auto taken = time(*each.candidate, each.repeats)) {
          each.microseconds.push_back(*taken);
        }
      }
    }
    std::optional<std::pair<matmul_candidate, double>> best;
    for (trial& each : trials) {
      if (each.microseconds.size() < rounds) continue;
      std::sort(each.microseconds.begin(), each.microseconds.end());
      const double median = each.microseconds[rounds / 2];
      if (!best || median < best->second) best.emplace(*each.candidate, median);
    }
    return best;
  }

  context context_;
  std::function<const blas_state&()> load_;
  const blas_state* library_ = nullptr;
  std::string card_;
  disk_cache* disk_;
  device_memory* memory_;
  mutable std::mutex mutex_;
  blas_handle handle_ = nullptr;
  std::unordered_map<std::string, std::unique_ptr<prepared_product>> products_;
};

}  // namespace weft::detail::cuda
