// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
#pragma once

#include <weft/cpu/interpret_chain.hpp>
#include <weft/cpu/interpret_memory.hpp>
#include <weft/cpu/interpret_ops.hpp>
#include <weft/cpu/nest_rows.hpp>

#include <algorithm>
#include <vector>

// A kernel as the interpreter keeps it.
namespace weft::detail {

/// What happens to one node in a pass.
enum class tile_action : std::uint8_t {
  load,       ///< memory to a tile, or the memory itself as the tile
  positions,  ///< a tile of positions
  compute,
  reread,  ///< a value that an earlier pass kept
  reduce   ///< a tile into a total
};
struct tile_instruction {
  tile_action action{};
  std::uint8_t node = 0;
  std::uint8_t fixed = 0;    ///< bit j: operand j is a splat
  std::int16_t slot = -1;    ///< the tile for the result
  std::int16_t direct = -1;  ///< a store whose memory takes the result itself
};
/// A run of instructions whose values stay in registers; see cpu/interpret_chain.hpp.
struct tile_chain {
  struct part {
    void (*run)() = nullptr;     ///< a chain_step's function
    std::uint8_t operand[4]{};   ///< nodes; of a store the one that it leaves behind
    std::uint8_t in_memory = 0;  ///< bit j: there is an operand j, and it is not the chain
    std::uint8_t fixed = 0;      ///< bit j: it is a splat
  };
  int begin = 0, end = 0;  ///< instructions
  dtype type{};
  std::vector<part> parts;
};
/// One pass over a row.
struct tile_pass {
  bool runs = false, reduces = false;
  std::vector<std::uint8_t> steady;  ///< nodes that do not change along the innermost loop
  std::vector<tile_instruction> code;
  std::vector<tile_chain> chains;  ///< in order
  std::vector<std::uint8_t> stores;
  /// Of a pass that is one chain, of memory and to memory, so that it runs along the row without
  /// tiles: where the value of a node is, the number of an access or ~slot. Empty for others.
  std::vector<std::int16_t> along;
};

/// Whether a tile may be the memory that a load reads.
inline bool reads_memory(const kernel_node& n) {
  return n.load >= 0 && n.op != id_of<iota_> && n.stride == stride_kind::unit &&
         computed_in(n.type) == n.type;
}

/// What a chain moves at once, in bytes, where vectors are widest.
inline constexpr std::size_t chain_bytes = std::size_t{64} * chain_vectors;

struct tile_code {
  kernel k;
  std::vector<tile_function> functions;  ///< by node; none for loads and the like
  std::vector<std::uint8_t> arity;
  std::vector<int> sizes;  ///< bytes of the elements of each access; 1 for positions
  std::vector<int> kept_before, columns_before;
  using nodes = std::vector<std::uint8_t>;
  nodes uniform;                  ///< what is the same for all rows
  std::vector<nodes> row_values;  ///< by pass: what is known before it; the last: after all
  nodes reductions, row_stores;
  std::vector<tile_pass> passes;
  tile_pass rows;  ///< of a kernel without reductions: several short rows as one tile
  int slots = 0;
  std::uint8_t left_behind = 0;  ///< bit s % 8: a chain leaves values behind in slot s
  std::size_t slot_bytes = 0;
  int kept = 0;
  bool reduces = false;
  // For the loops around rows.
  std::vector<nest_table::column> columns;
  std::vector<nest_table::reduction> sums;
};

}  // namespace weft::detail
