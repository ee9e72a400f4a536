// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Weft authors
//
// Prints docs/ops.md from the definitions of the ops. Names and descriptions stand in them; dtypes
// and gradients are found out by capturing each op with operands of every dtype.
#include <weft/capture/spec.hpp>
#include <weft/grad/transforms.hpp>
#include <weft/op/all.hpp>

#include <array>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

namespace w = weft;
using w::dtype;
using w::symbol;
using namespace w::detail;

namespace {

constexpr dtype every_dtype[]{dtype::boolean, dtype::uint8,  dtype::int32,   dtype::uint32,
                              dtype::int64,   dtype::uint64, dtype::float32, dtype::float64};

/// How an op is called that needs more than operands; the others are called with operands alone.
template <class Op>
constexpr auto call(symbol x) {
  if constexpr (std::is_same_v<Op, w::reshape_to_>)
    return w::reshape(x, w::shape<4>);
  else if constexpr (std::is_same_v<Op, w::expand_>)
    return w::expand(x, w::shape<3, 2, 2>);
  else if constexpr (std::is_same_v<Op, w::unsqueeze_>)
    return w::unsqueeze(x, w::axis<0>);
  else if constexpr (std::is_same_v<Op, w::slice_range_>)
    return w::slice<0, 0, 1>(x);
  else if constexpr (std::is_same_v<Op, w::one_hot_>)
    return w::one_hot<3>(x);
  else if constexpr (std::is_same_v<Op, cast_>)
    return w::cast<float>(x);
  else
    return Op{}(x);
}
template <class Op>
constexpr auto call(symbol x, symbol y) {
  if constexpr (std::is_same_v<Op, w::concatenate_>)
    return w::concat(w::axis<0>, x, y);
  else
    return Op{}(x, y);
}
template <class Op>
constexpr auto call(symbol x, symbol y, symbol z) {
  return Op{}(x, y, z);
}

/// How a call is written where operands alone do not say it.
template <class Op>
std::string spelling() {
  if constexpr (std::is_same_v<Op, w::reshape_to_>)
    return "reshape(x, shape<...>)";
  else if constexpr (std::is_same_v<Op, w::expand_>)
    return "expand(x, shape<...>)";
  else if constexpr (std::is_same_v<Op, w::unsqueeze_>)
    return "unsqueeze(x, axis<...>)";
  else if constexpr (std::is_same_v<Op, w::slice_range_>)
    return "slice<Axis, Start, Stop, Step>(x)";
  else if constexpr (std::is_same_v<Op, w::one_hot_>)
    return "one_hot<C>(labels)";
  else if constexpr (std::is_same_v<Op, w::concatenate_>)
    return "concat(axis<A>, x, y, ...)";
  else if constexpr (std::is_same_v<Op, cast_>)
    return "cast<T>(x)";
  else if constexpr (std::is_same_v<Op, w::take_>)
    return "take(x, indices)";
  else if constexpr (std::is_same_v<Op, w::clamp_>)
    return "clamp(x, lo, hi)";
  else if constexpr (std::is_same_v<Op, w::cross_entropy_>)
    return "cross_entropy(logits, labels)";
  else if constexpr (std::is_same_v<Op, standardize_>)
    return "layer_norm(x, weight, bias, eps)";
  else if constexpr (std::is_same_v<Op, root_mean_square_>)
    return "rms_norm(x, weight, eps)";
  else if constexpr (std::is_same_v<Op, w::bernoulli_like_>)
    return "random::bernoulli_like(x, key, p)";
  else if constexpr (std::is_same_v<Op, w::bits_like_>)
    return "random::bits_like(x, key)";
  else if constexpr (std::is_same_v<Op, w::uniform_like_>)
    return "random::uniform_like(x, key)";
  else if constexpr (std::is_same_v<Op, w::normal_like_>)
    return "random::normal_like(x, key)";
  else if constexpr (std::is_same_v<Op, w::fold_in_>)
    return "random::fold_in(key, i)";
  else if constexpr (std::is_same_v<Op, w::dropout_>)
    return "dropout(x, key, p)";
  else
    return "";
}

struct found {
  std::vector<dtype> operand, result;
  bool elementwise = true, moves = true, reduces = false, shrinks = false, random = false;
};

/// What may stand beside a first operand: its like, indices, labels, a key, a number.
std::array<value_spec, 6> companions(dtype like) {
  return {value_spec{like, 2, {2, 2}, false},       value_spec{dtype::int64, 1, {2}, false},
          value_spec{dtype::uint32, 1, {2}, false}, value_spec{dtype::float32, 0, {}, false},
          value_spec{dtype::int64, 0, {}, false},   value_spec{like, 0, {}, false}};
}

/// Whether the op takes these operands; if so, notes what it is made of and returns.
template <class Op>
bool takes(const value_spec* specs, dtype of, found& f) {
  builder b;
  symbol x[3];
  for (int k = 0; k < Op::arity; ++k) x[k] = make_argument(b, specs[k], k);
  symbol y;
  if constexpr (Op::arity == 1) y = call<Op>(x[0]);
  if constexpr (Op::arity == 2) y = call<Op>(x[0], x[1]);
  if constexpr (Op::arity == 3) y = call<Op>(x[0], x[1], x[2]);
  if (b.failed()) return false;
  f.operand.push_back(of);
  f.result.push_back(y.type());
  f.shrinks = y.rank() == 0;
  b.g.outputs.push_back(y.id());
  const graph g = b.finished();
  for (const node& n : g.nodes) {
    const op_kind kind = info(n.op).kind;
    const bool view = kind == op_kind::leaf || kind == op_kind::view;
    f.elementwise =
        f.elementwise && (view || kind == op_kind::identity || kind == op_kind::pointwise);
    f.moves = f.moves && (view || n.op == id_of<concat_> || n.op == id_of<gather_>);
    f.reduces = f.reduces || kind == op_kind::reduction || n.op == id_of<arg_max_> ||
                n.op == id_of<arg_min_>;
    f.random = f.random || n.op == id_of<random_word_>;
  }
  return true;
}

/// The first choice of companions that works for operands of a dtype.
template <class Op>
void probe(dtype of, found& f) {
  const auto c = companions(of);
  if constexpr (std::is_same_v<Op, w::where_>) {
    const value_spec specs[]{{dtype::boolean, 2, {2, 2}, false}, c[0], c[0]};
    takes<Op>(specs, of, f);
  } else {
    for (const value_spec& first : {c[0], value_spec{of, 1, {2}, false}})
      for (const value_spec& second : c)
        for (const value_spec& third : c) {
          const value_spec specs[]{first, second, third};
          if (takes<Op>(specs, of, f)) return;
          if constexpr (Op::arity < 3) break;
        }
  }
}

std::string code(std::string_view text) {
  return "`" + std::string(text) + "`";
}

std::string dtypes_text(const found& f) {
  auto all_of = [&](auto keep) {
    std::vector<dtype> wanted;
    for (dtype d : every_dtype)
      if (keep(d)) wanted.push_back(d);
    return f.operand == wanted;
  };
  std::string s;
  if (all_of([](dtype) { return true; }))
    s = "all";
  else if (all_of([](dtype d) { return w::is_floating(d); }))
    s = "floating";
  else if (all_of([](dtype d) { return w::is_integer(d); }))
    s = "integers";
  else if (all_of([](dtype d) { return d != dtype::boolean; }))
    s = "all but bool";
  else if (all_of([](dtype d) { return !w::is_floating(d); }))
    s = "integers, bool";
  else
    for (dtype d : f.operand) s += (s.empty() ? "" : ", ") + std::string(w::name(d));
  bool one = true, same = true;
  for (std::size_t i = 0; i < f.result.size(); ++i) {
    one = one && f.result[i] == f.result[0];
    same = same && f.result[i] == f.operand[i];
  }
  if (one && !same) s += " to " + std::string(w::name(f.result[0]));
  return s;
}

struct row {
  std::string op, doc, dtypes, gradient;
  int group = 0;
};

constexpr std::string_view groups[]{"Elementwise",       "Reductions",     "Rows, products, losses",
                                    "Shapes and places", "Random numbers", "Made by Weft itself"};

std::string without_bars(std::string_view text) {
  std::string s;
  for (char c : text) s += c == '|' ? std::string("\\|") : std::string(1, c);
  return s;
}

template <class Op>
void add_row(std::vector<row>& rows) {
  if constexpr (requires { Op::doc; }) {
    constexpr bool primitive_op = std::is_base_of_v<primitive_tag, Op>;
    constexpr bool internal = std::is_same_v<Op, w::fma_> || std::is_same_v<Op, w::mul_zero_> ||
                              std::is_same_v<Op, random_word_>;
    row r;
    constexpr std::string_view letters[]{"x", "y", "z"};
    r.op = spelling<Op>();
    if (r.op.empty()) {
      r.op = std::string(Op::name) + "(";
      for (int k = 0; k < Op::arity; ++k) r.op += (k ? ", " : "") + std::string(letters[k]);
      r.op += ")";
    }
    r.doc = without_bars(Op::doc);
    found f;
    if constexpr (!internal)
      for (dtype d : every_dtype) probe<Op>(d, f);
    r.dtypes = internal ? "" : dtypes_text(f);
    bool floating = internal;
    for (dtype d : f.result) floating = floating || w::is_floating(d);
    if constexpr (std::is_same_v<Op, cast_>) r.dtypes = "all to T";
    if (stops_gradient<Op> || !floating)
      r.gradient = "none";
    else if constexpr (primitive_op)
      r.gradient = "yes";
    else if constexpr (has_own_gradient<Op>)
      r.gradient = "yes, its own";
    else
      r.gradient = "yes";
    if constexpr (internal)
      r.group = 5;
    else if (f.random)
      r.group = 4;
    else if (f.moves && !primitive_op && !stops_gradient<Op>)
      r.group = 3;
    else if (f.elementwise)
      r.group = 0;
    else if constexpr (requires(symbol s) { Op{}(s, w::axis<0>, w::keepdims); })
      r.group = 1;
    else
      r.group = f.reduces && Op::arity == 1 && f.shrinks ? 1 : 2;
    rows.push_back(r);
  }
}

template <class... Op>
void add_rows(std::vector<row>& rows, type_list<Op...>) {
  (add_row<Op>(rows), ...);
}

}  // namespace

int main() {
  std::vector<row> rows;
  add_rows(rows, primitives{});
  add_rows(rows, derived_ops{});
  std::cout << "# The ops\n\n"
               "<!-- Made by scripts/ops_doc from the definitions in include/weft/op. -->\n\n"
               "Each op is one definition in [include/weft/op](../include/weft/op), and works on "
               "tensors, views, expressions and, in\n"
               "captured functions, symbols. Names are those of namespace `weft`. `x` and `y` "
               "broadcast as in NumPy where an op has several\n"
               "operands; a C++ number may stand for any of them but one. Operands have one dtype, "
               "and the result has it too unless the\n"
               "table says otherwise. `floating` is float32, float64, float16 and bfloat16. "
               "\"Gradient: none\" means "
               "that gradients stop there.\n";
  for (int g = 0; g < static_cast<int>(std::size(groups)); ++g) {
    std::cout << "\n## " << groups[g] << "\n\n";
    if (g == 1)
      std::cout << "Over all axes, `sum(x)`, or some, `sum(x, axis<0, -1>)`; the reduced axes go, "
                   "or stay with extent 1: `sum(x, axis<0>, keepdims)`.\n\n";
    if (g == 2)
      std::cout << "`layer_norm` and `rms_norm` work with or without weight, bias and eps.\n\n";
    if (g == 5)
      std::cout << "Ops that transforms and passes put into graphs, as `dump_passes` shows "
                   "them.\n\n";
    std::cout << "| op | value | " << (g == 5 ? "" : "dtypes | ") << "gradient |\n| --- | --- | "
              << (g == 5 ? "" : "--- | ") << "--- |\n";
    for (const row& r : rows)
      if (r.group == g)
        std::cout << "| " << code(r.op) << " | " << r.doc << " | "
                  << (g == 5 ? "" : r.dtypes + " | ") << r.gradient << " |\n";
  }
}
