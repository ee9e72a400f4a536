// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/array/tensor.hpp>
#include <weft/array/view.hpp>
#include <weft/base/error.hpp>
#include <weft/base/philox.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// Mini-batches: `for (auto [x, y] : data::batches(images, labels, {.size = 64, .shuffle = key}))`.
namespace weft::data {

struct batch_options {
  index_t size = 32;
  std::optional<philox_key> shuffle =
      {};                  ///< epoch e goes in the order of the e-th child of this key
  bool drop_last = false;  ///< leave out a last batch of fewer than `size` rows
};

/// The rows of some tensors in groups: one epoch each time a loop goes over it. Yields tuples of
/// references to tensors which the next batch overwrites, so a loop allocates nothing after its
/// first epoch. One loop at a time.
template <class... V>
class batch_range {
  static_assert(sizeof...(V) > 0, "weft: batches: of one tensor or more");
  static_assert(((V::rank > 0) && ...),
                "weft: batches: tensors need a first axis, along which rows are taken");

  // A batch of rows of a view: the extent of its first axis is set at the call.
  template <class T>
  using buffer = weft::detail::dynamic_tensor<typename T::value_type, T::rank>;
  using buffers = std::tuple<buffer<V>...>;

 public:
  using value_type = std::tuple<const buffer<V>&...>;

  /// Throws shape_error where first extents differ, value_error for a size below 1.
  batch_range(std::tuple<V...> sources, batch_options options)
      : sources_(std::move(sources)), options_(options), rows_(std::get<0>(sources_).extent(0)) {
    if (options_.size < 1)
      throw value_error("weft: batches: size is " + std::to_string(options_.size) +
                        "; a batch has 1 row or more");
    std::apply([&](const auto&... source) { (check_rows(source), ...); }, sources_);
    if (options_.shuffle) order_.resize(static_cast<std::size_t>(rows_));
  }

  /// Batches of an epoch.
  [[nodiscard]] index_t size() const {
    return options_.drop_last ? rows_ / options_.size : (rows_ + options_.size - 1) / options_.size;
  }
  /// Rows of the tensors.
  [[nodiscard]] index_t rows() const { return rows_; }

  /// The epoch that the next loop goes over, from 0; set it to go on with an interrupted training.
  [[nodiscard]] index_t epoch() const { return epoch_; }
  void epoch(index_t next) { epoch_ = next; }

  class iterator {
   public:
    using iterator_concept = std::input_iterator_tag;
    using value_type = batch_range::value_type;
    using difference_type = std::ptrdiff_t;

    value_type operator*() const { return range_->batch(at_); }
    iterator& operator++() {
      if (++at_ < range_->size()) range_->fill(at_);
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(std::default_sentinel_t) const { return at_ >= range_->size(); }

   private:
    friend batch_range;
    explicit iterator(batch_range* range) : range_(range) {}
    batch_range* range_;
    index_t at_ = 0;
  };

  /// Starts an epoch.
  iterator begin() {
    if (options_.shuffle)
      weft::detail::permute(order_, split(*options_.shuffle, static_cast<std::uint64_t>(epoch_)));
    ++epoch_;
    if (size() > 0) fill(0);
    return iterator(this);
  }
  [[nodiscard]] std::default_sentinel_t end() const { return {}; }

 private:
  template <class S>
  void check_rows(const S& source) const {
    if (source.extent(0) != rows_)
      throw shape_error("weft: batches: the tensors have " + std::to_string(rows_) + " and " +
                        std::to_string(source.extent(0)) + " rows: first extents must be equal");
  }

  index_t rows_of(index_t batch) const {
    return std::min(options_.size, rows_ - batch * options_.size);
  }
  // The last batch may be shorter: it has buffers of its own.
  buffers& buffers_of(index_t batch) { return rows_of(batch) == options_.size ? whole_ : rest_; }

  value_type batch(index_t at) {
    return std::apply([](const auto&... b) { return value_type(b...); }, buffers_of(at));
  }

  void fill(index_t at) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (fill(std::get<I>(buffers_of(at)), std::get<I>(sources_), at), ...);
    }
    (std::index_sequence_for<V...>{});
  }
  template <class B, class S>
  void fill(B& to, const S& source, index_t at) {
    const index_t first = at * options_.size, count = rows_of(at);
    auto shape = source.shape();
    shape[0] = count;
    to.reset(shape);
    if (to.size() == 0) return;
    const index_t width = source.size() / rows_;
    const auto bytes = static_cast<std::size_t>(width) * sizeof(typename S::value_type);
    if (!options_.shuffle) {
      std::memcpy(to.data(), source.data() + first * width,
                  static_cast<std::size_t>(count) * bytes);
      return;
    }
    for (index_t i = 0; i < count; ++i)
      std::memcpy(to.data() + i * width,
                  source.data() + order_[static_cast<std::size_t>(first + i)] * width, bytes);
  }

  std::tuple<V...> sources_;
  batch_options options_;
  index_t rows_;
  index_t epoch_ = 0;
  std::vector<std::int64_t> order_;
  buffers whole_, rest_;
};

namespace detail {
using weft::detail::array;

/// A view whose rows lie one after another: of the elements, or of a copy where they do not.
template <class X>
auto rows_of(const X& x) {
  using V = view<const typename X::value_type, X::rank>;
  V all(weft::detail::as_view(x));
  if (all.is_contiguous()) return all;
  const auto copy = all.copy();
  return V(copy);
}
}  // namespace detail

/// Mini-batches of tensors or views with equal first extents, whose storage is shared. Throws
/// shape_error where the extents differ, value_error for a size below 1.
template <detail::array... X>
auto batches(const std::tuple<X...>& x, batch_options options = {}) {
  return std::apply(
      [&](const auto&... part) {
        return batch_range<decltype(detail::rows_of(part))...>({detail::rows_of(part)...}, options);
      },
      x);
}
template <detail::array X>
auto batches(const X& x, batch_options options = {}) {
  return batches(std::tuple<const X&>(x), options);
}
template <detail::array X, detail::array Y>
auto batches(const X& x, const Y& y, batch_options options = {}) {
  return batches(std::tuple<const X&, const Y&>(x, y), options);
}
template <detail::array X, detail::array Y, detail::array Z>
auto batches(const X& x, const Y& y, const Z& z, batch_options options = {}) {
  return batches(std::tuple<const X&, const Y&, const Z&>(x, y, z), options);
}

}  // namespace weft::data
