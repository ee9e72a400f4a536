// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

namespace weft::detail {

template <class Self>
struct operators {};

}  // namespace weft::detail
