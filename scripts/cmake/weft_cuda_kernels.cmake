# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Weft authors
#
# weft_cuda_kernels(TARGET SOURCE file.cpp CARDS card... [ARCHITECTURES 80 90 100])
# Compiles kernels with nvcc while TARGET is built and puts them into it, for machines without NVRTC.
# The source's main() returns weft::export_kernels(argc, argv, f), where f prepares programs for cuda(0). A
# card is what weft::card_text(weft::cuda(0)) prints on it. Without ARCHITECTURES: those of the cards.
# WEFT_NVCC names nvcc; it is looked for on the path, in CUDA_HOME and in /usr/local/cuda.
function(weft_cuda_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE" "CARDS;ARCHITECTURES")
  if(NOT arg_SOURCE OR NOT arg_CARDS)
    message(FATAL_ERROR "weft_cuda_kernels(${target}): give SOURCE and CARDS")
  endif()
  find_program(WEFT_NVCC nvcc HINTS $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin /usr/local/cuda/bin)
  if(NOT WEFT_NVCC)
    message(FATAL_ERROR "weft_cuda_kernels(${target}): nvcc is not found; set WEFT_NVCC")
  endif()
  if(NOT arg_ARCHITECTURES)
    foreach(card IN LISTS arg_CARDS)
      string(REGEX REPLACE "^([0-9]+)\\.([0-9]+):.*$" "\\1\\2" architecture "${card}")
      list(APPEND arg_ARCHITECTURES ${architecture})
    endforeach()
    list(REMOVE_DUPLICATES arg_ARCHITECTURES)
  endif()
  set(exporter ${target}_weft_kernels)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${exporter}.dir)
  add_executable(${exporter} ${arg_SOURCE})
  target_link_libraries(${exporter} PRIVATE weft::weft)
  target_include_directories(${exporter} PRIVATE
    $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  target_compile_options(${exporter} PRIVATE $<TARGET_PROPERTY:${target},COMPILE_OPTIONS>)
  add_custom_command(OUTPUT ${folder}/weft_kernels.cpp
    COMMAND ${exporter} ${folder} ${WEFT_NVCC} ${arg_ARCHITECTURES} ${arg_CARDS}
    DEPENDS ${exporter}
    COMMENT "Compiling kernels of ${target} with nvcc"
    VERBATIM)
  target_sources(${target} PRIVATE ${folder}/weft_kernels.cpp)
endfunction()
