// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft::detail {

/// Whether assignment begins an element's life: g++ 12 allows it, and takes a construct_at, which
/// is what the standard and clang want in constant evaluation, for five calls.
template <class T>
inline constexpr bool assignment_begins_life =
#if defined(__clang__) || __GNUC__ > 12
    false;
#else
    std::is_trivially_copyable_v<T>;
#endif

/// std::vector as passes need it, at a fraction of its price in constant evaluation, where each
/// call costs: std::vector constructs, moves and destroys one element by a chain of them. Iterators
/// are pointers.
template <class T>
class sequence {
  static constexpr bool plain =
      std::is_trivially_default_constructible_v<T> && std::is_trivially_destructible_v<T>;
  static constexpr bool assigned = assignment_begins_life<T>;

 public:
  using value_type = T;
  T* first = nullptr;  ///< for inner loops

  constexpr sequence() = default;
  constexpr explicit sequence(std::size_t n) { resize(n); }
  constexpr sequence(std::size_t n, const T& v) { assign(n, v); }
  constexpr sequence(std::initializer_list<T> v) { append(v.begin(), v.end()); }
  constexpr sequence(const std::vector<T>& v) { append(v.data(), v.data() + v.size()); }
  constexpr sequence(const sequence& o) { append(o.first, o.first + o.size_); }
  constexpr sequence(sequence&& o) noexcept
      : first(o.first), size_(o.size_), capacity_(o.capacity_) {
    o.first = nullptr;
    o.size_ = o.capacity_ = 0;
  }
  constexpr sequence& operator=(const sequence& o) {
    if (this != &o) {
      clear();
      append(o.first, o.first + o.size_);
    }
    return *this;
  }
  constexpr sequence& operator=(sequence&& o) noexcept {
    T* const p = first;
    const std::size_t n = size_, room = capacity_;
    first = o.first, size_ = o.size_, capacity_ = o.capacity_;
    o.first = p, o.size_ = n, o.capacity_ = room;
    return *this;
  }
  constexpr ~sequence() {
    clear();
    release(first, capacity_);
  }
  constexpr operator std::vector<T>() const { return std::vector<T>(begin(), end()); }

  constexpr std::size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr T* data() { return first; }
  constexpr const T* data() const { return first; }
  constexpr T& operator[](std::size_t i) { return first[i]; }
  constexpr const T& operator[](std::size_t i) const { return first[i]; }
  constexpr T* begin() { return first; }
  constexpr T* end() { return first + size_; }
  constexpr const T* begin() const { return first; }
  constexpr const T* end() const { return first + size_; }
  constexpr T& front() { return first[0]; }
  constexpr const T& front() const { return first[0]; }
  constexpr T& back() { return first[size_ - 1]; }
  constexpr const T& back() const { return first[size_ - 1]; }

  constexpr void reserve(std::size_t n) {
    if (n <= capacity_) return;
    T* to;
    if constexpr (plain)
      to = new T[n];
    else
      to = std::allocator<T>().allocate(n);
    const std::size_t kept = size_;
    T* from = first;
    if constexpr (plain || assigned)
      copy(from, kept, to);
    else
      for (std::size_t i = 0; i < kept; ++i) std::construct_at(to + i, static_cast<T&&>(from[i]));
    clear();
    release(first, capacity_);
    first = to;
    size_ = kept;
    capacity_ = n;
  }
  /// Room for so many elements more, which are written there and counted by `written_to(end)`: a
  /// call for each would cost more than they do.
  constexpr T* room_for(std::size_t more) requires plain {
    if (size_ + more > capacity_)
      reserve(size_ + more < 2 * capacity_ ? 2 * capacity_ : size_ + more);
    return first + size_;
  }
  constexpr void written_to(const T* end) requires plain {
    size_ = static_cast<std::size_t>(end - first);
  }
  /// The elements of a sequence that had no memory before: less code than resize.
  constexpr T* fresh(std::size_t n) {
    if constexpr (plain) {
      first = new T[n];
    } else {
      first = std::allocator<T>().allocate(n);
      for (std::size_t i = 0; i < n; ++i) std::construct_at(first + i);
    }
    size_ = capacity_ = n;
    return first;
  }
  constexpr void push_back(const T& v) {
    if (size_ == capacity_) {
      const T kept = v;  // which may be an element
      reserve(size_ < 8 ? 16 : 2 * size_);
      put(kept);
      return;
    }
    if constexpr (plain || assigned)
      first[size_] = v;
    else
      std::construct_at(first + size_, v);
    ++size_;
  }
  constexpr void push_back(T&& v) requires(!std::is_trivially_copyable_v<T>) {
    if (size_ == capacity_) reserve(size_ < 8 ? 16 : 2 * size_);
    std::construct_at(first + size_, std::move(v));
    ++size_;
  }
  constexpr void pop_back() {
    --size_;
    if constexpr (!std::is_trivially_destructible_v<T>) std::destroy_at(first + size_);
  }
  constexpr void clear() {
    if constexpr (!std::is_trivially_destructible_v<T>)
      for (std::size_t i = 0; i < size_; ++i) std::destroy_at(first + i);
    size_ = 0;
  }
  constexpr void resize(std::size_t n) { resize(n, T()); }
  constexpr void resize(std::size_t n, const T& v) {
    if constexpr (std::is_trivially_destructible_v<T>)
      size_ = size_ < n ? size_ : n;
    else
      while (size_ > n) pop_back();
    reserve(n);
    if constexpr (plain || assigned) {
      T* to = first + size_;
      const T value = v;
      std::size_t i = size_;
      if (std::is_constant_evaluated())  // as in copy
        for (; i + 8 <= n; i += 8, to += 8) {
          to[0] = value, to[1] = value, to[2] = value, to[3] = value;
          to[4] = value, to[5] = value, to[6] = value, to[7] = value;
        }
      for (; i < n; ++i) *to++ = value;
      size_ = n;
    } else {
      for (; size_ < n; ++size_) std::construct_at(first + size_, v);
    }
  }
  constexpr void assign(std::size_t n, const T& v) {
    clear();
    resize(n, v);
  }
  template <class I>
    requires(!std::is_integral_v<I>)
  constexpr void assign(I from, I to) {
    clear();
    append(from, to);
  }
  template <class I>
  constexpr void append(I from, I to) {
    if (from == to) return;
    const std::size_t more = static_cast<std::size_t>(to - from);
    reserve(size_ + more);
    T* at = first + size_;
    if constexpr ((plain || assigned) && std::is_pointer_v<I>)
      copy(from, more, at);
    else
      for (std::size_t i = 0; i < more; ++i, ++from)
        if constexpr (plain || assigned)
          at[i] = *from;
        else
          std::construct_at(at + i, *from);
    size_ += more;
  }
  constexpr T* insert(const T* at, const T& v) {
    const std::size_t place = static_cast<std::size_t>(at - first);
    push_back(v);
    for (std::size_t i = size_ - 1; i > place; --i) std::swap(first[i], first[i - 1]);
    return first + place;
  }
  /// At the end only.
  template <class I>
  constexpr void insert(const T*, I from, I to) {
    append(from, to);
  }
  constexpr bool operator==(const sequence& o) const {
    if (size_ != o.size_) return false;
    for (std::size_t i = 0; i < size_; ++i)
      if (!(first[i] == o.first[i])) return false;
    return true;
  }

 private:
  /// In steps of eight: in constant evaluation the loop costs more than what it does.
  template <class F>
  static constexpr void copy(F* from, std::size_t n, T* to) {
    std::size_t i = 0;
    if (std::is_constant_evaluated())
      for (; i + 8 <= n; i += 8, from += 8, to += 8) {
        to[0] = from[0], to[1] = from[1], to[2] = from[2], to[3] = from[3];
        to[4] = from[4], to[5] = from[5], to[6] = from[6], to[7] = from[7];
      }
    for (; i < n; ++i) *to++ = *from++;
  }
  constexpr void put(const T& v) {
    if constexpr (plain || assigned)
      first[size_] = v;
    else
      std::construct_at(first + size_, v);
    ++size_;
  }
  static constexpr void release(T* p, std::size_t n) {
    if (!p) return;
    if constexpr (plain)
      delete[] p;
    else
      std::allocator<T>().deallocate(p, n);
  }

  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace weft::detail
