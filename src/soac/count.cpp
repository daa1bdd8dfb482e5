#include "soac/count.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/match.h"
#include "soac/outputs.h"
#include "soac/walk.h"

namespace fulgurite::soac {

using base::match;

bool is_scan(const Soac& s) {
  return std::any_of(s.body.body.begin(), s.body.body.end(),
                     [](const Stm& stm) { return std::holds_alternative<Scan>(stm.op); });
}
bool is_scatter(const Soac& s) {
  return !s.scatters.empty();
}
bool is_partition(const Soac& s) {
  return !s.partitions.empty();
}

bool is_one_point(const Soac& s) {
  return std::ranges::all_of(s.dims, [](Expr extent) { return extent.is_constant(1); });
}

bool is_map(const Soac& s) {
  return s.reductions.empty() && !is_scan(s) && !is_scatter(s) && !is_partition(s);
}

bool is_reduce(const Soac& s) {
  if (s.reductions.empty() || !s.body.body.empty()) return false;
  if (is_scatter(s) || is_partition(s) || !view_of(s).mapped.empty()) return false;
  return std::all_of(s.body.results.begin(), s.body.results.end(), [&](Expr e) {
    if (e.op() != scalar::Op::index || e.args().size() != s.body.params.size() + 1) return false;
    for (std::size_t i = 0; i < s.body.params.size(); ++i)
      if (!e.arg(i + 1).is_name() || e.arg(i + 1).var() != s.body.params[i]) return false;
    return true;
  });
}

namespace {

void add(const std::vector<Stm>& body, Counts& counts) {
  for (const Stm& stm : body) {
    match(
        stm.op,
        [&](const Soac& s) {
          ++counts.soac;
          ++(is_map(s) ? counts.map : is_reduce(s) ? counts.reduce : counts.redomap);
          counts.scan += is_scan(s);
          counts.scatter += is_scatter(s);
          counts.partition += is_partition(s);
        },
        [](const Scan&) {}, [&](const Sort&) { ++counts.sort; }, [&](const If&) { ++counts.branch; },
        [&](const Loop&) { ++counts.loop; }, [&](const Check&) { ++counts.check; },
        [&](const Call&) { ++counts.call; }, [](const Let&) {});
    for (const auto& inner : nested_in(stm)) add(inner.lambda->body, counts);
  }
}

}  // namespace

Counts count(const Program& program) {
  Counts counts;
  add(program.body, counts);
  for (const Stm& stm : program.body)
    for (Var v : stm.names) {
      const bool is_result = std::find(program.results.begin(), program.results.end(),
                                       program.arena->name(v)) != program.results.end();
      if (program.arena->info(v).type.rank > 0 && !is_result) ++counts.arrays;
    }
  return counts;
}

std::string to_string(const Counts& c) {
  std::string text =
      fmt::format("soac {}, map {}, reduce {}, redomap {}", c.soac, c.map, c.reduce, c.redomap);
  if (c.scan > 0) text += fmt::format(", scan {}", c.scan);
  if (c.scatter > 0) text += fmt::format(", scatter {}", c.scatter);
  if (c.partition > 0) text += fmt::format(", partition {}", c.partition);
  if (c.sort > 0) text += fmt::format(", sort {}", c.sort);
  if (c.call > 0) text += fmt::format(", call {}", c.call);
  return text + fmt::format(", if {}, loop {}, check {}, arrays {}", c.branch, c.loop, c.check, c.arrays);
}

}  // namespace fulgurite::soac
