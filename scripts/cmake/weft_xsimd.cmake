# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Weft authors
#
# weft::xsimd_headers: xsimd's headers and nothing else. Debian 12's own target also links a library `xtl`,
# which that package does not bring and Weft does not need.
if(NOT TARGET weft::xsimd_headers)
  add_library(weft::xsimd_headers INTERFACE IMPORTED GLOBAL)
  get_target_property(weft_xsimd_include xsimd INTERFACE_INCLUDE_DIRECTORIES)
  if(weft_xsimd_include)
    set_target_properties(weft::xsimd_headers PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${weft_xsimd_include}")
  endif()
endif()
