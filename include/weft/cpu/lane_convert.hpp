// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/lane_select.hpp>

namespace weft::simd {

namespace reg {

template <class U, class V>
WEFT_INLINE vec<U, count_of<V>> cast_vector(V x) noexcept
{
    using R = vec<U, count_of<V>>;
    return __builtin_convertvector(x, R);
}

/// Truncates and saturates; NaN gives 0. (What the hardware gives out of range differs, and the
/// compilers may assume that it does not happen.) U has the size of the floats, or its greatest
/// value is a value of theirs.
template <class U, class V>
WEFT_INLINE vec<U, count_of<V>> float_to_integer(V x) noexcept
{
    using T = element_t<V>;
    using R = vec<U, count_of<V>>;
    constexpr U least = std::numeric_limits<U>::min();
    constexpr U greatest = std::numeric_limits<U>::max();
    constexpr T bound = T(greatest / 2 + 1) * 2; // the first value past the greatest
    const V zero{};
    x = blend(compare<relation::eq>(x, x), x, zero);
    x = blend(compare<relation::lt>(x, splat<V>(T(least))), splat<V>(T(least)), x);
    if constexpr (std::numeric_limits<U>::digits <= std::numeric_limits<T>::digits) {
        x = blend(compare<relation::lt>(x, splat<V>(T(greatest))), x, splat<V>(T(greatest)));
        if constexpr (sizeof(U) == 1) // every instruction set converts to int32
            return cast_vector<U>(cast_vector<std::int32_t>(x));
        else
            return cast_vector<U>(x);
    } else {
        static_assert(sizeof(U) == sizeof(T));
        const auto inside = compare<relation::lt>(x, splat<V>(bound));
        return blend<R>(inside, cast_vector<U>(blend(inside, x, zero)), splat<R>(greatest));
    }
}

} // namespace reg

/// The values as U: floats to integers truncate and saturate, with 0 for NaN; integers wrap when
/// narrowed; integers to floats round to nearest; to bool is != 0 (the mask<T, W> of a lane<T, W>).
template <class U, class T, std::size_t W, class A>
WEFT_INLINE auto convert(lane<T, W, A> x) noexcept
{
    if constexpr (std::is_same_v<T, U>)
        return x;
    else if constexpr (std::is_same_v<U, bool>)
        return x != lane<T, W, A>(T(0));
    else if constexpr (std::is_same_v<T, float> && std::is_integral_v<U> && sizeof(U) == 8)
        return convert<U>(convert<double>(x));
    else if constexpr (x.is_pair || lane<U, W, A>::is_pair)
        return join(convert<U>(low_half(x)), convert<U>(high_half(x)));
    else if constexpr (std::is_floating_point_v<T> && std::is_integral_v<U>)
        return lane<U, W, A>(reg::float_to_integer<U>(x.v));
    else
        return lane<U, W, A>(reg::cast_vector<U>(x.v));
}
/// Truth values as 1 and 0 of U (U = bool: the mask itself).
template <class U, class T, std::size_t W, class A>
WEFT_INLINE auto convert(mask<T, W, A> m) noexcept
{
    if constexpr (std::is_same_v<U, bool>)
        return m;
    else
        return select(m, lane<U, W, A>(U(1)), lane<U, W, A>(U(0)));
}

} // namespace weft::simd
