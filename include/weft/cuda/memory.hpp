// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>
#include <weft/cuda/driver.hpp>

namespace weft::detail::cuda {

/// Who holds memory: a program, or the user's tensors. Named in out-of-memory errors.
struct memory_owner {
  std::string name;
  std::size_t in_use = 0;  // under the pool's lock
};

struct memory_slab;

/// One piece of device memory, lent or cached. Addresses are aligned to 512 bytes.
struct memory_block {
  device_address address = 0;
  std::size_t bytes = 0;  // what it holds, at least what was asked for
  stream_handle stream = nullptr;
  memory_owner* owner = nullptr;  // null while it is cached
  memory_slab* slab = nullptr;    // null if the driver's allocation is this block
  memory_block* next = nullptr;   // in a list of cached blocks
};

/// A driver allocation that is cut into small blocks.
struct memory_slab {
  device_address address = 0;
  std::size_t used = 0;
  std::size_t lent = 0;  // blocks of it that somebody holds
};

/// What `device_memory::statistics` answers, in bytes except for the counts.
struct memory_statistics {
  std::size_t in_use = 0;
  std::size_t peak = 0;      // of in_use, since the start or reset_peak
  std::size_t reserved = 0;  // held from the driver
  std::size_t cached = 0;    // reserved and not in use
  std::size_t allocations = 0;
  std::size_t driver_allocations = 0;
};

/// Device memory by size class, cached for each stream. A block that is freed on a stream is lent
/// again to work on the same stream without waiting, because that work runs later in any case. Only
/// a miss calls the driver: it uses cuMemAlloc, whose addresses are good for every stream and
/// inside captured graphs alike. Safe to use from many threads.
class device_memory {
 public:
  static constexpr std::size_t slab_bytes = std::size_t(2) << 20;
  static constexpr std::size_t small_bytes = std::size_t(1) << 20;

  /// `direct` gives every block its own driver allocation, so that a memory checker sees its end.
  explicit device_memory(const context& on, std::string name = "the device", bool direct = false)
      : context_(on), name_(std::move(name)), direct_(direct) {}
  device_memory(const device_memory&) = delete;

  /// The owner of that name, made when new. It lives as long as the pool.
  memory_owner* owner(std::string_view name) {
    const std::scoped_lock lock(mutex_);
    auto& entry = owners_[std::string(name)];
    if (!entry) entry = std::make_unique<memory_owner>(memory_owner{std::string(name)});
    return entry.get();
  }

  /// Memory for work that is queued on `on` from now on. Throws memory_error if the device has none
  /// left after everything cached was given back; nothing has changed then. `task` says what the
  /// memory is to do: "hold the result of matmul".
  memory_block* allocate(std::size_t bytes, stream_handle on, memory_owner* who, during task = {}) {
    const std::scoped_lock lock(mutex_);
    const std::size_t rounded = round_up(bytes);
    memory_block* block = take_cached(rounded, cache_of(on));
    if (!block) block = take_new(bytes, rounded, who, task);
    block->stream = on;
    block->owner = who;
    if (block->slab) ++block->slab->lent;
    who->in_use += block->bytes;
    in_use_ += block->bytes;
    peak_ = std::max(peak_, in_use_);
    ++allocations_;
    return block;
  }

  /// Gives a block back to the stream whose work used it last.
  void free(memory_block* block) { free(block, block->stream); }
  void free(memory_block* block, stream_handle last_used_on) {
    const std::scoped_lock lock(mutex_);
    block->owner->in_use -= block->bytes;
    in_use_ -= block->bytes;
    block->owner = nullptr;
    block->stream = last_used_on;
    if (block->slab) --block->slab->lent;
    put_cached(block, cache_of(last_used_on));
  }

  /// Makes what was freed on a stream free for all. The stream's work has ended.
  void forget(stream_handle gone) {
    const std::scoped_lock lock(mutex_);
    const auto found = std::find_if(caches_.begin(), caches_.end(),
                                    [&](const auto& each) { return each->stream == gone; });
    if (found == caches_.end()) return;
    const std::unique_ptr<stream_cache> cache = std::move(*found);
    caches_.erase(found);
    last_ = nullptr;
    take_all(*cache, [&](memory_block* block) {
      put_cached(block, idle_);
      return true;
    });
  }

  /// Gives everything cached back to the driver, which waits for the device.
  void trim() {
    const std::scoped_lock lock(mutex_);
    trim_locked();
  }

  memory_statistics statistics() const {
    const std::scoped_lock lock(mutex_);
    return {in_use_, peak_, reserved_, reserved_ - in_use_, allocations_, driver_allocations_};
  }
  void reset_peak() {
    const std::scoped_lock lock(mutex_);
    peak_ = in_use_;
  }

  /// Owners and their bytes, largest first, owners of nothing left out.
  std::vector<std::pair<std::string, std::size_t>> usage() const {
    const std::scoped_lock lock(mutex_);
    return usage_locked();
  }

  /// What a block for `bytes` holds: steps of 512 bytes up to 4 KiB, four steps for each doubling
  /// up to 1 MiB, multiples of 2 MiB above.
  static constexpr std::size_t round_up(std::size_t bytes) {
    if (bytes <= 512) return 512;
    if (bytes > small_bytes) {
      // Sizes near the end of the address space must not wrap to something small.
      if (bytes > ~slab_bytes) return bytes;
      return (bytes + slab_bytes - 1) / slab_bytes * slab_bytes;
    }
    const std::size_t step = bytes <= 4096 ? 512 : std::bit_floor(bytes - 1) / 4;
    return (bytes + step - 1) / step * step;
  }

 private:
  static constexpr std::size_t small_classes = 8 + 4 * 8;

  // The class of a size that round_up returned, and is at most small_bytes.
  static constexpr std::size_t class_of(std::size_t rounded) {
    if (rounded <= 4096) return rounded / 512 - 1;
    const std::size_t floor = std::bit_floor(rounded - 1);
    return 8 + 4 * (std::size_t(std::countr_zero(floor)) - 12) + (rounded - floor) * 4 / floor - 1;
  }

  struct stream_cache {
    stream_handle stream = nullptr;
    std::array<memory_block*, small_classes> small{};
    std::map<std::size_t, memory_block*> large;  // lists by size; an empty list keeps its place
  };

  stream_cache& cache_of(stream_handle on) {
    if (last_ && last_->stream == on) return *last_;
    for (const auto& each : caches_) {
      if (each->stream == on) return *(last_ = each.get());
    }
    caches_.push_back(std::make_unique<stream_cache>());
    caches_.back()->stream = on;
    return *(last_ = caches_.back().get());
  }

  static memory_block* pop(memory_block*& list) {
    memory_block* block = list;
    if (block) list = block->next;
    return block;
  }

  memory_block* take_cached(std::size_t rounded, stream_cache& cache) {
    for (stream_cache* from : {&cache, &idle_}) {
      if (rounded <= small_bytes && !direct_) {
        if (memory_block* block = pop(from->small[class_of(rounded)])) return block;
        continue;
      }
      // A larger block does if it wastes little.
      const std::size_t most = direct_ ? rounded : rounded + rounded / 8;
      for (auto at = from->large.lower_bound(rounded); at != from->large.end() && at->first <= most;
           ++at) {
        if (memory_block* block = pop(at->second)) return block;
      }
    }
    return nullptr;
  }

  void put_cached(memory_block* block, stream_cache& cache) {
    memory_block*& list =
        block->slab ? cache.small[class_of(block->bytes)] : cache.large[block->bytes];
    block->next = list;
    list = block;
  }

  // Calls `take` with every cached block; one that it refuses stays.
  template <class Take>
  void take_all(stream_cache& cache, Take&& take) {
    const auto sift = [&](memory_block*& list) {
      memory_block* rest = std::exchange(list, nullptr);
      while (memory_block* block = pop(rest)) {
        if (take(block)) continue;
        block->next = list;
        list = block;
      }
    };
    for (memory_block*& list : cache.small) sift(list);
    for (auto& [bytes, list] : cache.large) sift(list);
  }

  memory_block* take_new(std::size_t asked, std::size_t rounded, memory_owner* who, during task) {
    context_.make_current();
    if (rounded > small_bytes || direct_) {
      const device_address address = driver_allocate(asked, rounded, who, task);
      return blocks_.emplace_back(new memory_block{address, rounded}).get();
    }
    if (!open_slab_ || open_slab_->used + rounded > slab_bytes) {
      const device_address address = driver_allocate(asked, slab_bytes, who, task);
      open_slab_ = slabs_.emplace_back(new memory_slab{address}).get();
    }
    auto* block = new memory_block{open_slab_->address + open_slab_->used, rounded};
    blocks_.emplace_back(block);
    block->slab = open_slab_;
    open_slab_->used += rounded;
    return block;
  }

  device_address driver_allocate(std::size_t asked, std::size_t bytes, memory_owner* who,
                                 during task) {
    device_address address = 0;
    driver_status status = context_.api->memory_allocate(&address, bytes);
    if (status == driver_status::out_of_memory && reserved_ > in_use_) {
      trim_locked();
      status = context_.api->memory_allocate(&address, bytes);
    }
    if (status == driver_status::out_of_memory)
      throw memory_error(exhausted_text(asked, who, task));
    check(*context_.api, status, task);
    reserved_ += bytes;
    ++driver_allocations_;
    return address;
  }

  void trim_locked() {
    context_.make_current();
    std::vector<memory_block*> dead;
    const auto drop = [&](memory_block* block) {
      if (block->slab && block->slab->lent > 0) return false;
      if (!block->slab) release(block->address, block->bytes);
      dead.push_back(block);
      return true;
    };
    for (const auto& cache : caches_) take_all(*cache, drop);
    take_all(idle_, drop);
    std::sort(dead.begin(), dead.end());
    std::erase_if(blocks_, [&](const auto& each) {
      return std::binary_search(dead.begin(), dead.end(), each.get());
    });
    std::erase_if(slabs_, [&](const auto& each) {
      if (each->lent > 0) return false;
      release(each->address, slab_bytes);
      if (each.get() == open_slab_) open_slab_ = nullptr;
      return true;
    });
  }

  void release(device_address address, std::size_t bytes) {
    // A fault of earlier work shows up here, too; the next checked call reports it.
    context_.api->memory_free(address);
    reserved_ -= bytes;
  }

  std::vector<std::pair<std::string, std::size_t>> usage_locked() const {
    std::vector<std::pair<std::string, std::size_t>> result;
    for (const auto& [name, each] : owners_) {
      if (each->in_use > 0) result.emplace_back(name, each->in_use);
    }
    std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    return result;
  }

  std::string exhausted_text(std::size_t asked, const memory_owner* who, during task) const {
    std::size_t free_bytes = 0;
    std::size_t total = 0;
    context_.api->memory_info(&free_bytes, &total);
    std::string text = "weft: out of memory on " + name_ + ": " + bytes_text(asked) +
                       " were asked for by " + who->name;
    if (!task.what.empty()) text += " to " + task.text();
    text += ", and " + bytes_text(free_bytes) + " of " + bytes_text(total) +
            " are free. Weft holds " + bytes_text(in_use_) + " in use and " +
            bytes_text(reserved_ - in_use_) + " cached.";
    const auto users = usage_locked();
    if (!users.empty()) text += " In use by:";
    constexpr std::size_t most_lines = 12;
    for (std::size_t i = 0; i < std::min(users.size(), most_lines); ++i) {
      text += "\n  " + bytes_text(users[i].second) + "  " + users[i].first;
    }
    if (users.size() > most_lines) {
      text += "\n  and " + std::to_string(users.size() - most_lines) + " more";
    }
    return text + "\nNothing was changed, and everything can be used as before.";
  }

  context context_;
  std::string name_;
  bool direct_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::unique_ptr<memory_owner>> owners_;
  std::vector<std::unique_ptr<stream_cache>> caches_;
  stream_cache* last_ = nullptr;  // the one that was used last
  stream_cache idle_;             // what any stream may take
  std::vector<std::unique_ptr<memory_block>> blocks_;
  std::vector<std::unique_ptr<memory_slab>> slabs_;
  memory_slab* open_slab_ = nullptr;  // the slab that new blocks are cut from
  std::size_t in_use_ = 0, peak_ = 0, reserved_ = 0, allocations_ = 0, driver_allocations_ = 0;
};

}  // namespace weft::detail::cuda
