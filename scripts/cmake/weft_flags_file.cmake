# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Weft authors
#
# Writes the flags with which our own programs are compiled into a response file, for the tests that call
# the compiler themselves: `c++ @${WEFT_COMPILE_FLAGS_FILE} source.cpp`.
set(WEFT_COMPILE_FLAGS_FILE ${CMAKE_BINARY_DIR}/weft_flags.rsp)
string(TOUPPER "${CMAKE_BUILD_TYPE}" weft_build_type)
separate_arguments(weft_flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${weft_build_type}}")
list(APPEND weft_flags -I${PROJECT_SOURCE_DIR}/include)
foreach(dependency Eigen3::Eigen weft::xsimd_headers)
  get_target_property(folders ${dependency} INTERFACE_INCLUDE_DIRECTORIES)
  # The compiler's own folders are not named again: its #include_next would go astray.
  list(REMOVE_ITEM folders ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})
  list(TRANSFORM folders PREPEND -isystem)
  list(APPEND weft_flags ${folders})
endforeach()
list(JOIN weft_flags "\n" weft_flags)
file(GENERATE OUTPUT ${WEFT_COMPILE_FLAGS_FILE} CONTENT
"-std=c++20
${weft_flags}
$<JOIN:$<TARGET_PROPERTY:weft_dev,INTERFACE_COMPILE_OPTIONS>,\n>
")

# weft_check_unit(UNIT COMMENT [BEGIN FLAG...] [DEPENDS FILE...]): a source that is compiled with these flags for the
# compiler's judgement alone. That it passed is the file UNIT.checked.
function(weft_check_unit unit comment)
  cmake_parse_arguments(PARSE_ARGV 2 unit "" "" "BEGIN;DEPENDS")
  add_custom_command(OUTPUT ${unit}.checked
    COMMAND ${CMAKE_CXX_COMPILER} ${unit_BEGIN} @${WEFT_COMPILE_FLAGS_FILE} -fsyntax-only ${unit}
      -MD -MF ${unit}.d -MT ${unit}.checked
    COMMAND ${CMAKE_COMMAND} -E touch ${unit}.checked
    DEPENDS ${unit} ${unit_DEPENDS} ${WEFT_COMPILE_FLAGS_FILE} DEPFILE ${unit}.d
    COMMENT "${comment}" VERBATIM)
endfunction()
