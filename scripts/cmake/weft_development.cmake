# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Weft authors
#
# Settings of our own tests, benchmarks and examples; nothing here reaches a user of the library.
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

# A fresh clone in another folder still finds what was compiled before: paths are kept relative.
if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(WEFT_CCACHE ccache)
  if(WEFT_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${WEFT_CCACHE})
  endif()
endif()

# g++ collects garbage when 128 MiB are in use. Where each core has 3 GiB it may as well leave it, which saves an eighth
# of its time.
cmake_host_system_information(RESULT weft_memory QUERY TOTAL_PHYSICAL_MEMORY)
cmake_host_system_information(RESULT weft_cores QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR weft_memory_of_core "${weft_memory} / ${weft_cores}")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND weft_memory_of_core GREATER_EQUAL 3000)
  add_compile_options("SHELL:--param ggc-min-heapsize=1000000")
endif()

# What is compiled to see that it compiles and gives the right results need not be fast.
option(WEFT_QUICK
  "Leave benchmarks and examples unoptimised, compile emitted kernels for one architecture, not three" OFF)
set(weft_quick $<AND:$<BOOL:${WEFT_QUICK}>,$<CONFIG:Release>>)
add_compile_options($<${weft_quick}:-O0>)

# The interpreter of <weft/jit.hpp>, compiled once for all our programs that have it.
set(weft_interpreter_source ${PROJECT_BINARY_DIR}/weft_interpreter.cpp)
file(CONFIGURE OUTPUT ${weft_interpreter_source} CONTENT "#include <weft/compile/jit_interpreter.hpp>\n")
add_library(weft_interpreter OBJECT EXCLUDE_FROM_ALL ${weft_interpreter_source})
target_link_libraries(weft_interpreter PRIVATE weft::dev)
target_compile_options(weft_interpreter PRIVATE $<${weft_quick}:-O1>)
target_compile_definitions(weft_interpreter INTERFACE WEFT_JIT_ELSEWHERE)

# weft_link_interpreter(TARGET): if one of its sources includes what brings the interpreter.
function(weft_link_interpreter target)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    file(STRINGS ${source} found REGEX "#include <weft/(jit|stance)[.]hpp>" LIMIT_COUNT 1)
    if(found)
      target_link_libraries(${target} PRIVATE weft_interpreter)
      return()
    endif()
  endforeach()
endfunction()
