#include "fuse/decide.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/match.h"
#include "fuse/inline.h"
#include "simplify/cost.h"
#include "soac/count.h"
#include "soac/kept_arrays.h"
#include "soac/walk.h"

namespace fulgurite::fuse {

using scalar::Arena;
using scalar::Expr;
using scalar::Var;
using simplify::costs;
using soac::Stm;

std::string_view why_in_memory(const Stm& stm) {
  if (base::as<soac::Loop>(stm.op)) return "a loop's arrays are there when it has ended";
  if (base::as<soac::If>(stm.op)) return "which branch makes it is known only when the program runs";
  if (base::as<soac::Sort>(stm.op))
    return "where an element ends up is known only when all have been looked at";
  if (base::as<soac::Call>(stm.op)) return "a kernel's results are there when it has run";
  const auto& soac = std::get<soac::Soac>(stm.op);
  if (is_scan(soac))
    return "an element of a scan depends on those before it: reads at its own point fuse only";
  if (is_partition(soac)) return "where a kept element ends up is known only when all have been looked at";
  if (is_scatter(soac)) return "any point may store any element: it is complete only at the end";
  if (!is_map(soac)) return "it reduces as well: reads at its own point fuse only";
  return "";
}

bool has_known_size(const Arena& arena, const std::vector<Var>& arrays, const soac::Vars& inside) {
  soac::Vars mentioned;
  for (Var array : arrays) {
    const std::vector<Expr> shape = arena.info(array).shape;
    soac::add_mentioned(shape, mentioned);
  }
  return std::none_of(mentioned.begin(), mentioned.end(), [&](Var v) { return inside.contains(v); });
}

bool may_update(const Stm& stm, const soac::Vars& arrays) {
  const auto* soac = base::as<soac::Soac>(stm.op);
  return soac && std::ranges::any_of(soac->scatters, [&](const soac::Scatter& scatter) {
           return std::ranges::any_of(scatter.initial.results, [&](Expr e) {
             return e.op() == scalar::Op::index && arrays.contains(e.arg(0).var());
           });
         });
}

bool stay_apart(Arena& arena, const Stm& map, const Stm& other) {
  const auto *a = base::as<soac::Soac>(map.op), *b = base::as<soac::Soac>(other.op);
  if (!a || !b || !is_map(*a) || is_map(*b)) return false;
  const auto kept = soac::kept_arrays(arena, *a, soac::same_for_all_points(*a));
  return kept && kept->change_in_loops && !kept->largest.is_constant();
}

namespace {

/// If each array of a chain is also read by a sum, the sum at the end would compute all of them. With a
/// limit to the readers some of the arrays are in memory, from where the others are computed.
constexpr std::size_t most_readers = 16;

/// Conditions that readers have, at most, so that an array of several pieces is not in memory: each reader
/// asks for each of its reads which piece it is, where the piece is not known.
constexpr int most_conditions = 72;

/// How a user reads the producer.
Reads reads_of(Arena& arena, const Producer& producer, const std::vector<Stm>& stms,
               const std::vector<Expr>& results, const UseTable& table, const Uses& uses,
               std::size_t reader) {
  const bool is_result = reader == stms.size();
  const auto* function = is_result ? nullptr : base::as<soac::Soac>(stms[reader].op);
  if (const auto reads = table.late_reads(uses.read, reader))
    return reads_in(arena, producer, *reads, function);
  return is_result ? reads_in(arena, producer, results) : reads_in(arena, producer, stms[reader]);
}

/// Whether the condition changes at some places of the axes of which these are the indices, and nowhere else:
/// comparisons of an index with a value that does not depend on the point.
bool is_known_in_pieces(Arena& arena, const std::vector<Var>& indices, Expr condition) {
  using scalar::Op;
  if (condition.op() == Op::bit_and || condition.op() == Op::bit_or || condition.op() == Op::bit_not)
    return std::ranges::all_of(condition.args(),
                               [&](Expr part) { return is_known_in_pieces(arena, indices, part); });
  if (condition.op() != Op::lt && condition.op() != Op::le) return false;
  if (condition.arg(0).kind() != scalar::Kind::i64) return false;
  const Expr difference = condition.arg(0) - condition.arg(1);
  soac::Vars mentioned;
  soac::add_mentioned(std::span(&difference, 1), mentioned);
  const auto is_mentioned = [&](Var index) { return mentioned.contains(index); };
  if (std::ranges::count_if(indices, is_mentioned) > 1) return false;
  const auto index = std::ranges::find_if(indices, is_mentioned);
  return index == indices.end() || scalar::affine_in(arena, difference, *index).has_value();
}

int n_conditions(const soac::Lambda& f) {
  int n = 0;
  for (const Stm& stm : f.body) {
    n += base::as<soac::If>(stm.op) != nullptr;
    for (const auto& inner : soac::nested_in(stm)) n += n_conditions(*inner.lambda);
  }
  return n;
}

/// The cost of an element if all conditions are known that ask in which piece of the array it is.
int cost_in_pieces(Arena& arena, const Producer& array) {
  return simplify::cost_of_element(
      array.at, [&](Expr condition) { return is_known_in_pieces(arena, array.at.params, condition); });
}

}  // namespace

Decision decide(Arena& arena, const std::vector<Stm>& stms, std::size_t producer,
                const std::vector<Expr>& results, const UseTable& table, const Uses& uses,
                bool is_in_function) {
  if (uses.read.empty()) return {false, "it is needed as a whole array"};
  const Producer delayed_array = delayed(arena, stms[producer], uses.read);
  const int cost = simplify::cost_of_element(delayed_array.at);
  if (!uses.whole.empty()) {
    if (cost <= costs.load) return {true, "an element costs no more than a load"};
    return {false, "it is needed as a whole array too"};
  }
  std::vector<std::size_t> readers = uses.readers;
  if (uses.read_by_results) readers.push_back(stms.size());
  // A chain of arrays each of which reads the former twice, if only in branches, would double its reader with
  // each of them.
  const bool grows = std::ranges::any_of(readers, [&](std::size_t reader) {
    return table.should_not_grow(reader) &&
           reads_of(arena, delayed_array, stms, results, table, uses, reader).copies > 1;
  });
  if (grows) return {false, "its reader, which is large, reads several of its elements"};
  if (simplify::is_cheap(cost) && readers.size() > most_readers)
    return {false, fmt::format("{} statements read it, at most {} compute elements again", readers.size(),
                               most_readers)};
  if (simplify::is_cheap(cost))
    return {true, fmt::format("computing an element costs {}, at most {} is cheap", cost, costs.cheap)};
  // Arrays that are joined, or have a border: an element is one of several cheap ones, and its index says
  // which. Readers whose axes are split where the answer changes ask nothing.
  if (const int in_piece = cost_in_pieces(arena, delayed_array);
      !is_in_function && simplify::is_cheap(in_piece)) {
    int n_copies = 0;
    const bool are_at_offsets = std::ranges::all_of(readers, [&](std::size_t reader) {
      const Reads reads = reads_of(arena, delayed_array, stms, results, table, uses, reader);
      n_copies += reads.copies;
      return reads.at_offsets;
    });
    if (are_at_offsets && n_copies * n_conditions(delayed_array.at) <= most_conditions)
      return {true,
              fmt::format("in each of its pieces an element costs {}, at most {} is cheap, and its readers' "
                          "axes are split where pieces begin",
                          in_piece, costs.cheap)};
  }
  const std::size_t n_readers = readers.size();
  if (n_readers > 1)
    return {false,
            fmt::format("{} statements read it and computing an element again costs {}, at most {} is cheap",
                        n_readers, cost, costs.cheap)};
  const Reads reads = reads_of(arena, delayed_array, stms, results, table, uses, readers[0]);
  if (reads.distinct > 1)
    return {
        false,
        fmt::format(
            "its reader needs {} of its elements at a time and computing one costs {}, at most {} is cheap",
            reads.distinct, cost, costs.cheap)};
  if (reads.repeats)
    return {false,
            fmt::format(
                "its reader needs an element more than once and computing it costs {}, at most {} is cheap",
                cost, costs.cheap)};
  if (!is_in_function && readers[0] < stms.size() && stay_apart(arena, stms[producer], stms[readers[0]]))
    return {false, "its points change arrays in loops, which lanes keep for a map alone"};
  return {true, "its only reader needs each element once"};
}

}  // namespace fulgurite::fuse
