#include "lower/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>

#include "base/match.h"
#include "lower/packing.h"
#include "lower/runs.h"
#include "lower/scan_runs.h"
#include "schedule/rewrites/ascending.h"
#include "schedule/rewrites/slice.h"
#include "soac/count.h"
#include "soac/layout.h"
#include "soac/walk.h"

namespace fulgurite::lower {

namespace {

using scalar::Expr;
using scalar::Kind;
using scalar::Op;

// In additions; measured throughputs of 512-bit instructions, rounded.
double cost(Op op) {
  const scalar::OpInfo& row = scalar::info(op);
  if (scalar::is_division(op) || op == Op::sqrt) return 8;
  if (op == Op::pow || op == Op::atan2 || op == Op::hypot) return 40;
  if (row.has('$')) return 20;
  if (op == Op::fast_fma) return 2;  // the product and the sum
  return row.arity == 0 ? 0 : 1;
}

double cost(std::span<const Expr> roots) {
  double sum = 0;
  scalar::for_each_node(roots, [&](Expr e) {
    if (e.op() == Op::index || (e.kind() == Kind::i64 && e.type().rank == 0))
      return;  // loads and index arithmetic
    sum += cost(e.op());
  });
  return sum;
}

constexpr double loop_trips = 16;  // of a loop whose length is unknown

double cost_of(const soac::Lambda& f, double trips = loop_trips);

double cost_of(const soac::Stm& s, double trips) {
  double inner = 0;
  for (const auto& nested : soac::nested_in(s)) inner += cost_of(*nested.lambda, trips);
  return base::match(
      s.op, [&](const soac::Soac&) { return trips * (inner + 2); },
      [&](const soac::Scan&) { return inner + 2; }, [&](const soac::Sort&) { return trips * (inner + 2); },
      [&](const soac::If&) { return inner + 2; }, [&](const soac::Loop&) { return trips * (inner + 2); },
      [](const soac::Check&) { return 1.0; }, [](const soac::Call&) { return 1.0; },
      [](const soac::Let& l) { return cost(std::vector{l.value}); });
}

double cost_of(const soac::Lambda& f, double trips) {
  double sum = cost(f.results);
  for (const soac::Stm& s : f.body) sum += cost_of(s, trips);
  return sum;
}

// Whether there is a loop whose iterations, each waiting for the one before, compute few values.
bool waits_for_itself(const soac::Lambda& f) {
  return std::ranges::any_of(f.body, [](const soac::Stm& s) {
    return base::as<soac::Loop>(s.op) != nullptr && cost_of(s, 1) <= 40;
  });
}

// Whether both operands are there, where an operator has to ask (lift.h), is known in the main loop.
double cost_of_operator(const soac::Lambda& op) {
  double sum = cost_of(op);
  scalar::for_each_node(op.results, [&](Expr e) {
    const bool asks = e.op() == Op::select && e.arg(0).is_name() &&
                      std::ranges::find(op.params, e.arg(0).var()) != op.params.end();
    sum -= asks ? cost(e.op()) : 0;
  });
  return sum;
}

// One point of a Soac, with its operators.
double cost_of_point(const soac::Soac& soac) {
  double sum = cost_of(soac.body);
  for (const soac::Reduction& r : soac.reductions) sum += cost_of_operator(r.op);
  for (const soac::Scatter& scatter : soac.scatters)
    for (const soac::Reduction& r : scatter.combine) sum += cost_of(r.op);
  return sum;
}

double cost_of_scans(const soac::Soac& soac) {
  double sum = 0;
  for (const soac::Stm* s : schedule::scans_of(soac.body))
    sum += cost_of(std::get<soac::Scan>(s->op).reduction.op);
  return sum;
}

// The same with arithmetic on i64: operators compute no indices.
double cost_of_operators(const soac::Soac& soac) {
  double sum = 0;
  for (const soac::Stm* s : schedule::scans_of(soac.body)) {
    const soac::Lambda& op = std::get<soac::Scan>(s->op).reduction.op;
    for (const soac::Stm& inner : op.body) sum += cost_of(inner, loop_trips);
    scalar::for_each_node(op.results, [&](Expr e) { sum += cost(e.op()); });
  }
  return sum;
}

std::size_t count_components(const soac::Soac& soac) {
  std::size_t n = 0;
  for (const soac::Reduction& r : soac.reductions) n += r.op.results.size();
  return n;
}

// The widest kind that lanes compute with; index arithmetic does not count.
std::size_t widest(const soac::Soac& soac) {
  std::size_t bytes = 1;
  std::function<void(const soac::Lambda&)> visit = [&](const soac::Lambda& f) {
    scalar::for_each_node(f.results, [&](Expr e) {
      if (e.op() == Op::index || is_float(e.kind()) || (e.kind() != Kind::i64 && e.kind() != Kind::boolean))
        bytes = std::max(bytes, size_of(e.kind()));
    });
    for (Expr e : f.results) bytes = std::max(bytes, size_of(e.kind()));
    for (const soac::Stm& s : f.body)
      for (const auto& nested : soac::nested_in(s)) visit(*nested.lambda);
  };
  // Lanes only ask whether a point is of a class.
  soac::Lambda body = soac.body;
  const soac::Layout layout = soac::layout_of(soac);
  for (std::size_t g = soac.partitions.size(); g-- > 0;)
    if (has_few_classes(soac.partitions[g])) {
      const Expr of = body.results[layout.partitions[g].result];
      body.results.erase(body.results.begin() + static_cast<std::ptrdiff_t>(layout.partitions[g].result));
      if (of.op() == Op::select && of.arg(1).is_constant() && of.arg(2).is_constant())
        body.results.push_back(of.arg(0));
    }
  // They keep indices in 32 bits (ascending.h).
  const bool only_reduces = body.results.size() == count_components(soac) && schedule::commutes(soac);
  for (std::size_t g = soac.reductions.size(); g-- > 0 && only_reduces;) {
    soac::Lambda op = soac.reductions[g].op;
    for (std::size_t k = op.results.size(); k-- > 0;)
      if (schedule::keeps_index(soac, g, k)) {
        bytes = std::max(bytes, size_of(Kind::i32));
        const auto at = static_cast<std::ptrdiff_t>(layout.reductions[g].result + k);
        body.results.erase(body.results.begin() + at);
        op.results.erase(op.results.begin() + static_cast<std::ptrdiff_t>(k));
      }
    visit(op);
  }
  visit(body);
  if (!only_reduces)
    for (const soac::Reduction& r : soac.reductions) visit(r.op);
  for (const soac::Scatter& scatter : soac.scatters)
    for (const soac::Reduction& r : scatter.combine) visit(r.op);
  return bytes;
}

// Bytes of memory that a task wants for each point to pack it in.
std::int64_t bytes_packed(const soac::Soac& soac) {
  const soac::Layout layout = soac::layout_of(soac);
  std::size_t bytes = 0;
  for (std::size_t g = 0; g < soac.partitions.size(); ++g)
    for (std::size_t k = 0; k < soac.partitions[g].n_values && has_few_classes(soac.partitions[g]); ++k)
      bytes += size_of(soac.body.results[layout.partitions[g].result + 1 + k].kind()) *
               soac.partitions[g].classes.bits();
  return static_cast<std::int64_t>(bytes);
}

// Whether the variable is in the index itself, not only in that of an element it contains: starts[row] + j
// moves along j.
bool moves_along(Expr index, scalar::Var var) {
  if (index.is_name()) return index.var() == var;
  if (index.op() == Op::index) return false;
  const auto args = index.args();
  return std::any_of(args.begin(), args.end(), [&](Expr arg) { return moves_along(arg, var); });
}

// An inner combinator whose reads are contiguous along its own innermost index, or an array inside: the outer
// space is walked by scalar code and the inner one by lanes. Otherwise neighbouring outer points are
// neighbouring lanes and the inner loop is sequential.
bool wants_rows(const soac::Soac& soac) {
  if (schedule::makes_arrays(soac)) return true;
  if (soac.body.params.empty()) return false;
  int along_inner = 0, along_outer = 0;
  std::function<void(const soac::Lambda&, const soac::Soac&)> reads = [&](const soac::Lambda& f,
                                                                          const soac::Soac& inner) {
    scalar::for_each_node(f.results, [&](Expr e) {
      if (e.op() != Op::index || inner.body.params.empty()) return;
      const scalar::Var j = inner.body.params.back();
      if (!mentions(e, j)) return;  // once for each outer point
      along_inner += moves_along(e.args().back(), j);
      along_outer += moves_along(e.args().back(), soac.body.params.back());
    });
    for (const soac::Stm& s : f.body)
      if (auto* deeper = base::as<soac::Soac>(s.op)) reads(deeper->body, inner);
  };
  for (const soac::Stm& s : soac.body.body)
    if (auto* inner = std::get_if<soac::Soac>(&s.op)) {
      bool commutes = std::all_of(inner->reductions.begin(), inner->reductions.end(),
                                  [](const auto& r) { return r.commutative; });
      if (commutes) reads(inner->body, *inner);
    }
  return along_inner > along_outer;
}

// Runs of an odd number of vectors: at the distance of a power of two what lanes read together would have few
// places in the cache to go to. They are long beside the number of lanes, whose results are joined one by
// one. A tile is a block of runs, and while it is folded the next one is fetched. One vector of lanes, and
// two where it has few: others have to wait less for the former step than for the units that they all want.
void choose_runs(Policy& policy, const soac::Soac& soac, double work) {
  constexpr int most_steps = 16;
  constexpr std::size_t few = 8;  // components, of which two vectors each stay in registers
  constexpr int few_lanes = 8;
  std::size_t components = 0;
  for (const soac::Reduction& r : soac.reductions) components += r.commutative ? 0 : r.op.results.size();
  policy.run_lanes = policy.tail_lanes * (components <= few && policy.tail_lanes <= few_lanes ? 2 : 1);
  policy.run_steps = std::min(policy.tail_lanes, most_steps);
  const std::int64_t tile = work <= 200 ? 16384 : 4096;
  const std::int64_t vectors = tile / policy.run_lanes / policy.run_steps;
  policy.run = std::max<std::int64_t>(vectors - 1 + vectors % 2, 1) * policy.run_steps;
  policy.ahead = policy.tile = policy.run * policy.run_lanes;
}

// Runs of lanes pay where a scan across lanes applies the operator so much more often that this is more work
// than to store the values of all points and to turn them. A block of runs stays in the first cache.
int scan_steps(const scalar::Arena& arena, const soac::Soac& soac, int lanes) {
  constexpr int steps = 16;
  constexpr double moves = 4;  // of a component
  constexpr std::int64_t most_bytes = 16384;
  if (lanes < 4 || lanes > steps || !schedule::has_scan(soac.body)) return 0;
  std::size_t components = 0;
  for (const soac::Stm* s : schedule::scans_of(soac.body))
    components += std::get<soac::Scan>(s->op).operands.size();
  const int more = std::bit_width(static_cast<unsigned>(lanes)) - 2;
  const bool pays = cost_of_operators(soac) * more >= moves * static_cast<double>(components);
  return pays && bytes_scanned(soac) * lanes * steps <= most_bytes && scans_in_runs(arena, soac) ? steps : 0;
}

}  // namespace

double cost(const scalar::Arena&, const soac::Lambda& body) {
  return cost_of(body);
}

Policy choose(const scalar::Arena& arena, const soac::Soac& soac, const soac::EqualSizes& sizes,
              const Target& target) {
  Policy policy;
  const double work = cost_of_point(soac);
  policy.tail_lanes = std::clamp(target.vector_bytes / static_cast<int>(widest(soac)), 1, 64);
  // Independent vectors side by side hide latency: four for short bodies, two where many values are alive at
  // once. Of longer bodies only those that store nothing gain by four, which take longer to compile.
  const bool has_32_registers = target.vector_bytes >= 64;
  const bool stores = soac::layout_of(soac).mapped.n_results > 0;
  const double short_body = !has_32_registers ? 12 : stores ? 120 : 240;
  int vectors = work <= short_body ? 4 : work <= 400 ? 2 : 1;
  // Nor do those with several accumulators, which make chains enough by themselves and fill registers.
  std::size_t accumulators = 0;
  for (const soac::Reduction& r : soac.reductions)
    accumulators += static_cast<std::size_t>(
        std::ranges::count_if(r.op.results, [](Expr e) { return e.kind() != Kind::boolean; }));
  if (accumulators > 2 && !stores) vectors = std::min(vectors, 2);
  if (waits_for_itself(soac.body)) vectors = has_32_registers ? 4 : 2;
  policy.lanes = std::min(64, policy.tail_lanes * vectors);
  policy.scan_steps = scan_steps(arena, soac, policy.tail_lanes);
  const bool are_cheap = policy.scan_steps == 0 && cost_of_scans(soac) <= 2;
  policy.scan_lanes = are_cheap ? policy.lanes : policy.tail_lanes;
  policy.tile = work <= 20 ? 16384 : work <= 200 ? 4096 : 1024;
  if (schedule::has_scan(soac.body) && work <= 20) policy.tile *= 2;  // each task waits for the one before it
  if (schedule::has_bins(soac) && work <= 20) policy.tile *= 4;  // each task has bins to fill and to join
  // What a task packs stays in a cache of its own.
  constexpr std::int64_t packed_bytes = 1 << 17, least_tile = 256;
  if (const std::int64_t bytes = bytes_packed(soac); bytes > 0)
    while (policy.tile > least_tile && policy.tile * bytes > packed_bytes) policy.tile /= 2;
  // So does what it has scanned, at most 256 bytes a point, as long as a task waits for its turn.
  if (policy.scan_steps > 0)
    while (policy.tile * bytes_scanned(soac) > bytes_scanned_ahead) policy.tile /= 2;
  policy.linear = soac.dims.size() > 1 && soac::is_linear(soac, arena, sizes);
  policy.rows = wants_rows(soac);
  policy.streaming = target.last_level_cache;
  policy.touch = work <= 20 && !depends_on_order(soac) && !stores;
  if (!schedule::commutes(soac) && folds_in_runs(soac) && !policy.rows) choose_runs(policy, soac, work);
  return policy;
}

std::string to_string(const SortPolicy& p) {
  return fmt::format(
      "up to {} one row, else rows of {} (at least {}, at most {} rows) by a sample of one in {} ({} to {}) "
      "and {} "
      "bits, if the largest fits into {} or 1/{} of all; digits of {} to {} bits, {} beyond the logarithm, "
      "insertion "
      "up to {} and for {} steps each; {} tasks",
      p.whole, p.row, p.least_row, p.most_rows, p.points_a_sample, p.least_samples, p.most_samples,
      p.most_bits, p.fits, p.shares, p.least_digit_bits, p.digit_bits, p.beyond_bits, p.inserted, p.most_work,
      p.tasks);
}

std::string to_string(const ScatterPolicy& p) {
  return fmt::format(
      "of equal places the last stays: up to {} points stored in order by one task, else tiles of {} sorted "
      "by "
      "ranges of the destination (at most {}, of at least {} elements), each stored by one task",
      p.few, p.tile, 1 << p.range_bits, 1 << p.least_shift);
}

std::string to_string(const Policy& p) {
  const std::string runs = p.run == 0 ? std::string()
                                      : fmt::format(" runs of {} by {} in {} lanes, {} ahead", p.run,
                                                    p.run_steps, p.run_lanes, p.ahead);
  const std::string steps = p.scan_steps == 0 ? std::string() : fmt::format(" by {}", p.scan_steps);
  return fmt::format(
      "lanes {} (tail {}, scan {}{}) tile {} chain {}{}{}{} portion {} streaming {}from {} MiB", p.lanes,
      p.tail_lanes, p.scan_lanes, steps, p.tile, p.chain, runs, p.linear ? " linear" : "",
      p.rows ? " rows" : "", p.portion, p.touch ? "and touching " : "", p.streaming >> 20);
}

}  // namespace fulgurite::lower
