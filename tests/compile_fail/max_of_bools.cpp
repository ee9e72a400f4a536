// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/weft.hpp>

// Bools are reduced by any and all.
// expect: weft: max: bools have no order: reduce them by any, as max does in NumPy: got bool
// \\(\\?\\) expect: BAD_LINE
namespace w = weft;

bool f(const w::vector<bool>& a) {
#ifdef BAD
  return w::max(a);  // BAD
#else
  return w::any(a);
#endif
}
