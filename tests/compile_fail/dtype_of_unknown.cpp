// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#include <weft/array/dtype.hpp>

// A C++ type without a dtype is refused where the user names it, by the concept.
// expect: BAD_LINE
// expect: constraint|element
#ifdef BAD
using element_type = short;
#else
using element_type = float;
#endif

int main() {
  return static_cast<int>(weft::dtype_of<element_type>);  // BAD
}
