// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/lane_vector.hpp>

// Conversions between the element types of registers.

namespace weft::simd::reg {


/// Element by element as static_cast. The pairs that kernels use most go by intrinsics: g++ 12 takes
/// its own conversion between sizes apart.
template <class U, class V>
WEFT_INLINE vec<U, count_of<V>> cast_vector(V x) noexcept
{
    using T = element_t<V>;
    using R = vec<U, count_of<V>>;
    [[maybe_unused]] constexpr std::size_t larger = sizeof(R) > sizeof(V) ? sizeof(R) : sizeof(V);
    [[maybe_unused]] constexpr bool widen = std::is_same_v<T, float> && std::is_same_v<U, double>;
    [[maybe_unused]] constexpr bool narrow = std::is_same_v<T, double> && std::is_same_v<U, float>;
    [[maybe_unused]] constexpr bool from_int =
        std::is_same_v<T, std::int32_t> && std::is_same_v<U, double>;
    [[maybe_unused]] constexpr bool whole = std::is_integral_v<T> && std::is_integral_v<U>;
    [[maybe_unused]] constexpr bool longer = whole && sizeof(T) == 4 && sizeof(U) == 8;
    [[maybe_unused]] constexpr bool shorter = whole && sizeof(T) == 8 && sizeof(U) == 4;
#if defined(__AVX512F__)
    if constexpr (larger == 64 && widen)
        return R(_mm512_maskz_cvtps_pd(0xff, __m256(x)));
    else if constexpr (larger == 64 && narrow)
        return R(_mm512_maskz_cvtpd_ps(0xff, __m512d(x)));
    else if constexpr (larger == 64 && from_int)
        return R(_mm512_maskz_cvtepi32_pd(0xff, __m256i(x)));
    else if constexpr (larger == 64 && longer && std::is_signed_v<T>)
        return R(_mm512_maskz_cvtepi32_epi64(0xff, __m256i(x)));
    else if constexpr (larger == 64 && longer)
        return R(_mm512_maskz_cvtepu32_epi64(0xff, __m256i(x)));
    else if constexpr (larger == 64 && shorter)
        return R(_mm512_maskz_cvtepi64_epi32(0xff, __m512i(x)));
    else
#endif
#if defined(__AVX__)
        if constexpr (larger == 32 && widen)
        return R(_mm256_cvtps_pd(__m128(x)));
    else if constexpr (larger == 32 && narrow)
        return R(_mm256_cvtpd_ps(__m256d(x)));
    else if constexpr (larger == 32 && from_int)
        return R(_mm256_cvtepi32_pd(__m128i(x)));
    else
#endif
#if defined(__AVX2__)
        if constexpr (larger == 32 && longer && std::is_signed_v<T>)
        return R(_mm256_cvtepi32_epi64(__m128i(x)));
    else if constexpr (larger == 32 && longer)
        return R(_mm256_cvtepu32_epi64(__m128i(x)));
    else
#endif
#if defined(__SSE2__)
        if constexpr (larger == 16 && widen)
        return R(_mm_cvtps_pd(__m128(concat(x, x))));
    else if constexpr (larger == 16 && narrow)
        return low(vec<float, 4>(_mm_cvtpd_ps(__m128d(x))));
    else if constexpr (larger == 16 && from_int)
        return R(_mm_cvtepi32_pd(__m128i(concat(x, x))));
    else
#endif
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

} // namespace weft::simd::reg
