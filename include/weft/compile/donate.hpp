// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/compile/arguments.hpp>
#include <weft/compile/results.hpp>

namespace weft {

namespace detail {

/// A tensor whose memory a call may use for a result.
template <class T>
struct donated {
  T& tensor;
};
template <class X>
inline constexpr bool is_donated = false;
template <class T>
inline constexpr bool is_donated<donated<T>> = true;

/// Lets the first result that may lie in the memory of argument k, and has its type, begin as its
/// second owner: the call then writes it there.
template <class Program, class R, class T>
void give(R& results, const donated<T>& from, int k, std::vector<char>& taken) {
  const plan& p = Program::fast::compiled().p;
  int j = 0;
  bool given = false;
  each_result(results, [&](auto& to) {
    using D = std::remove_reference_t<decltype(to)>;
    const auto at = static_cast<std::size_t>(j++);
    if constexpr (std::is_same_v<typename D::value_type, typename T::value_type> &&
                  D::rank == T::rank) {
      bool fits = !given && !taken[at] && p.in_place(j - 1, k) && from.tensor.size() > 0;
      for (std::size_t d = 0; d < static_cast<std::size_t>(D::rank); ++d)
        fits =
            fits && (D::static_extents[d] == dyn || D::static_extents[d] == from.tensor.shape()[d]);
      if (!fits) return;
      to = D::adopt(from.tensor.storage(), from.tensor.shape());
      given = true;
      taken[at] = 1;
    }
  });
}
template <class Program, class R, class X>
void give(R&, const X&, int, std::vector<char>&) {}

template <class X>
void take_away(const X& x) {
  if constexpr (is_donated<X>) {
    auto moved = std::move(x.tensor);
    (void)moved;
  }
}

}  // namespace detail

/// Gives a tensor away with a call: `y = f(donate(x), a)`. A result of its dtype and shape takes
/// its memory if the program reads each element before it writes it there; where none can, nothing
/// changes but that x is moved from. If the call throws, x keeps its value.
template <class T, index_t... E>
auto donate(tensor<T, E...>& x) {
  return detail::donated<tensor<T, E...>>{x};
}

}  // namespace weft
