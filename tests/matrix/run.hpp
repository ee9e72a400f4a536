// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <support/capture.hpp>
#include <support/values.hpp>

#include <weft/compile/call.hpp>

#include <cstring>

// Runs the compiled CPU code of a program on reference values, laid out in memory as a test likes.
namespace weft_test {

/// How an argument lies in memory.
enum class layout {
  row_major,
  shifted,     ///< row-major, one element behind an aligned address
  spaced,      ///< every stride doubled
  backwards,   ///< a negative innermost stride
  transposed,  ///< column-major
  expanded     ///< stride 0 along the innermost axis: elements there must be equal
};
inline constexpr layout all_layouts[]{layout::row_major, layout::shifted,    layout::spaced,
                                      layout::backwards, layout::transposed, layout::expanded};

inline void write_element(dtype type, std::byte* to, const reference_value& x, std::size_t i) {
  auto put = [&](auto v) { std::memcpy(to, &v, sizeof v); };
  switch (type) {
    case dtype::float32:
      return put(static_cast<float>(x.reals[i]));
    case dtype::float64:
      return put(static_cast<double>(x.reals[i]));
    case dtype::float16:
      return put(weft::half(x.reals[i]));
    case dtype::bfloat16:
      return put(weft::bfloat16(x.reals[i]));
    case dtype::boolean:
    case dtype::uint8:
      return put(static_cast<std::uint8_t>(x.bits[i]));
    case dtype::int32:
    case dtype::uint32:
      return put(static_cast<std::uint32_t>(x.bits[i]));
    default:
      return put(x.bits[i]);
  }
}
inline void read_element(const std::byte* from, reference_value& x, std::size_t i) {
  auto get = [&](auto v) {
    std::memcpy(&v, from, sizeof v);
    return v;
  };
  switch (x.type) {
    case dtype::float32:
      x.reals[i] = get(float{});
      break;
    case dtype::float64:
      x.reals[i] = get(double{});
      break;
    case dtype::float16:
      x.reals[i] = get(weft::half{});
      break;
    case dtype::bfloat16:
      x.reals[i] = get(weft::bfloat16{});
      break;
    case dtype::boolean:
    case dtype::uint8:
      x.bits[i] = get(std::uint8_t{});
      break;
    case dtype::int32:
      x.bits[i] = static_cast<std::uint64_t>(static_cast<std::int64_t>(get(std::int32_t{})));
      break;
    case dtype::uint32:
      x.bits[i] = get(std::uint32_t{});
      break;
    default:
      x.bits[i] = get(std::uint64_t{});
  }
}

/// The same value with every element along the innermost axis equal to the first.
inline reference_value levelled(reference_value x) {
  if (x.rank() == 0) return x;
  const index_t n = x.shape.back();
  for (index_t i = 0; i < x.size(); ++i) {
    const auto to = static_cast<std::size_t>(i), from = static_cast<std::size_t>(i - i % n);
    if (is_floating(x.type))
      x.reals[to] = x.reals[from];
    else
      x.bits[to] = x.bits[from];
  }
  return x;
}

/// An array in memory of its own, with room around it whose bytes are known.
class array_memory {
 public:
  static constexpr std::size_t margin = 128;
  static constexpr auto filler = static_cast<std::byte>(0xA5);

  explicit array_memory(const reference_value& x, layout how = layout::row_major)
      : type_(x.type), shape_(x.shape), stride_(x.shape.size()) {
    const auto size = static_cast<index_t>(size_of(type_));
    const std::size_t r = shape_.size();
    index_t step = 1;
    for (std::size_t k = r; k-- > 0;) {
      const std::size_t axis = how == layout::transposed ? r - 1 - k : k;
      stride_[axis] = step;
      step *= shape_[axis] > 0 ? shape_[axis] : 1;
    }
    index_t first = how == layout::shifted ? 1 : 0;
    if (how == layout::spaced)
      for (index_t& s : stride_) s *= 2;
    if (how == layout::backwards && r > 0) {
      first = shape_[r - 1] > 0 ? shape_[r - 1] - 1 : 0;
      stride_[r - 1] = -1;
    }
    if (how == layout::expanded && r > 0) stride_[r - 1] = 0;
    bytes_.assign(static_cast<std::size_t>((2 * step + 2) * size) + 2 * margin + 64, filler);
    const auto at = reinterpret_cast<std::uintptr_t>(bytes_.data()) + margin;
    data_ = bytes_.data() + margin + (64 - at % 64) % 64 + first * size;
    for (index_t i = 0; i < x.size(); ++i) {
      const auto c = weft::detail::coordinates(shape_, i);
      index_t place = 0;
      for (std::size_t k = 0; k < r; ++k) place += c[k] * stride_[k];
      write_element(type_, data_ + place * size, x, static_cast<std::size_t>(i));
    }
  }

  weft::detail::argument_value argument(bool strided) const {
    return {data_, shape_.data(), strided ? stride_.data() : nullptr};
  }
  void* data() { return data_; }
  /// The elements, which must be row-major.
  reference_value read() const {
    reference_value r(type_, shape_);
    for (index_t i = 0; i < r.size(); ++i)
      read_element(data_ + i * static_cast<index_t>(size_of(type_)), r,
                   static_cast<std::size_t>(i));
    return r;
  }
  /// Whether nothing was written around the row-major elements.
  bool margins_are_whole() const {
    const std::byte* end = data_ + weft::detail::reference_value(type_, shape_).size() *
                                       static_cast<index_t>(size_of(type_));
    for (const std::byte* p = bytes_.data(); p != bytes_.data() + bytes_.size(); ++p)
      if ((p < data_ || p >= end) && *p != filler) return false;
    return true;
  }

 private:
  dtype type_;
  std::vector<index_t> shape_, stride_;
  std::vector<std::byte> bytes_;
  std::byte* data_ = nullptr;
};

/// The results of a program's compiled code. Argument k lies as layouts[k], row-major by default;
/// throws what the call throws, and value_error if a kernel writes beside its result.
template <class Source>
std::vector<reference_value> run(const std::vector<reference_value>& arguments,
                                 const std::vector<layout>& layouts = {}) {
  using P = weft::detail::program<Source>;
  static const std::vector<bool> strided = [] {
    std::vector<bool> r;
    for (const auto& n : Source::build(false).nodes)
      if (n.op == weft::detail::id_of<weft::detail::argument_>) {
        const auto k = static_cast<std::size_t>(n.at.v[0]);
        if (r.size() <= k) r.resize(k + 1);
        r[k] = n.at.v[1] != 0;
      }
    return r;
  }();
  std::vector<array_memory> in;
  std::vector<weft::detail::argument_value> bound;
  for (std::size_t k = 0; k < arguments.size(); ++k)
    in.emplace_back(arguments[k], k < layouts.size() ? layouts[k] : layout::row_major);
  for (std::size_t k = 0; k < arguments.size(); ++k)
    bound.push_back(in[k].argument(k < strided.size() && strided[k]));
  weft::detail::call<P> call(bound.data(), {});
  std::vector<array_memory> out;
  [&]<int... J>(std::integer_sequence<int, J...>) {
    auto add = [&](dtype type, const auto& shape) {
      out.emplace_back(reference_value(type, {shape.begin(), shape.end()}), layout::shifted);
    };
    (add(P::output_spec(J).type, call.template shape<J>()), ...);
  }
  (std::make_integer_sequence<int, P::outputs>{});
  std::vector<void*> to;
  for (auto& o : out) to.push_back(o.data());
  call.run(to.data());
  std::vector<reference_value> r;
  for (auto& o : out) {
    if (!o.margins_are_whole()) throw weft::value_error("a kernel wrote beside its result");
    r.push_back(o.read());
  }
  return r;
}

/// The same by the reference, on the graph as captured.
template <class Source>
std::vector<reference_value> expected(
    const std::vector<reference_value>& arguments,
    weft::detail::reference_arithmetic how = weft::detail::reference_arithmetic::wide,
    bool general = false) {
  return weft::detail::reference_evaluate(Source::build(general), arguments, how);
}

/// Empty if two lists of values are equal to the last bit, NaN to NaN; else the first difference.
inline std::string bits_differ(const std::vector<reference_value>& found,
                               const std::vector<reference_value>& wanted) {
  if (found.size() != wanted.size()) return "another number of results";
  for (std::size_t j = 0; j < found.size(); ++j) {
    const std::string d = difference(found[j], wanted[j], {.signs = true});
    if (!d.empty()) return "result " + std::to_string(j) + ": " + d;
  }
  return "";
}
/// The same within a tolerance.
inline std::string results_differ(const std::vector<reference_value>& found,
                                  const std::vector<reference_value>& wanted, const tolerance& t) {
  if (found.size() != wanted.size()) return "another number of results";
  for (std::size_t j = 0; j < found.size(); ++j) {
    const std::string d = difference(found[j], wanted[j], t);
    if (!d.empty()) return "result " + std::to_string(j) + ": " + d;
  }
  return "";
}

/// The program of a stateless function of symbols, or of one made by `graph build(builder&)`.
template <class F, value_spec... S>
struct program_of_function {
  static constexpr graph build(weft::detail::capture_mode mode) {
    constexpr value_spec specs[]{S...};
    return capture(specs, F{}, mode.general);
  }
};
constexpr value_spec strided(value_spec s) {
  s.strided = true;
  return s;
}

/// The first n elements of a value of rank 1.
inline reference_value prefix(const reference_value& x, index_t n) {
  reference_value r(x.type, {n});
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
    if (is_floating(x.type))
      r.reals[i] = x.reals[i];
    else
      r.bits[i] = x.bits[i];
  }
  return r;
}
/// The same elements in another shape.
inline reference_value reshaped(reference_value x, std::vector<index_t> shape) {
  x.shape = std::move(shape);
  return x;
}

inline constexpr index_t lanes = static_cast<index_t>(weft::simd::native_width<float>);

}  // namespace weft_test
