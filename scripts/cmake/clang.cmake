# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Weft authors
#
# A toolchain file that picks the newest clang++ of version 16 or later.
if(NOT WEFT_CLANG)
  execute_process(COMMAND bash ${CMAKE_CURRENT_LIST_DIR}/../find_clang
    OUTPUT_VARIABLE weft_found_clang OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT weft_found_clang)
    message(FATAL_ERROR "No clang++ of version 16 or later was found. `scripts/setup --all` installs one.")
  endif()
  set(WEFT_CLANG ${weft_found_clang} CACHE FILEPATH "clang++, version 16 or later")
endif()
set(CMAKE_CXX_COMPILER ${WEFT_CLANG})
# try_compile starts anew from this file; it need not search again.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WEFT_CLANG)
