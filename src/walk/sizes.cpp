#include "walk/sizes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fulgurite/error.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/match.h"
#include "scalar/print.h"
#include "soac/room.h"

namespace fulgurite::walk {

namespace {

// Whether the expression is short when it is written out, shared parts each time.
bool is_short(Expr e) {
  constexpr std::size_t most = 24;
  std::unordered_map<Expr, std::size_t> n_nodes;
  scalar::for_each_node(std::span(&e, 1), [&](Expr node) {
    std::size_t n = 1;
    for (Expr operand : node.args()) n += n_nodes.at(operand);
    n_nodes[node] = std::min(n, most + 1);
  });
  return n_nodes.at(e) <= most;
}

}  // namespace

void Sizes::learn(const soac::Stm& s) {
  bounds_.learn(s);
  const auto* let = base::as<soac::Let>(s.op);
  for (Var name : s.names) {
    if (arena_.info(name).type != scalar::Type{}) continue;
    const Expr value = let ? written_out(let->value) : Expr();
    origins_[name] = {value, s.where, s.origin};
  }
}

Expr Sizes::most(Expr size, const soac::Location& where, std::string_view what) {
  const soac::Interval interval = bounds_.of(size);
  if (!interval.high)
    throw ShapeError(
        fmt::format("irregular nested array: {} has {} elements, and how many that can be is not known "
                    "before the elements are computed; limit the size with fg::min, give it one that does "
                    "not depend on the element, or the largest one and ignore the rest",
                    what, text(size)),
        {where.file, where.line});
  Expr most = interval.high;
  const std::int64_t least = bounds_.known(size) ? 0 : 1;
  if (bounds_.of(most, n_facts_outside_).least < least) most = max(most, least);
  if (bounds_.of(most).most <= most_extent) return most;
  // A size that is known is asked for as far as that goes, which fails. A bound that is no size, because the
  // size wraps around, takes no memory: elements of which it is too large fail by themselves.
  const Expr limit = arena_.i64(soac::in_memory);
  if (bounds_.known(size)) return min(most, limit);
  return select(most <= limit, most, 0);
}

// The expression with the values of names in their place, where that is short.
Expr Sizes::written_out(Expr size) const {
  scalar::Substitution substitute(arena_, [&](Expr e) {
    const auto found = e.is_name() ? origins_.find(e.var()) : origins_.end();
    return found == origins_.end() ? Expr() : found->second.value;
  });
  const Expr all = substitute(size);
  return is_short(all) ? all : size;
}

// What a message calls the size: the expression, and where the names in it come from.
std::string Sizes::text(Expr size) const {
  const Expr all = written_out(size);
  std::string text = scalar::describe(arena_, all);
  std::vector<std::string> places;
  const auto add = [&](const Origin& origin, const std::string& what) {
    if (origin.where.line == 0) return;
    const std::string file = origin.where.file.substr(origin.where.file.rfind('/') + 1);
    const std::string place = fmt::format("{} at {}:{}", what, file, origin.where.line);
    if (std::ranges::find(places, place) == places.end()) places.push_back(place);
  };
  scalar::for_each_node(std::array{size, all}, [&](Expr e) {
    const auto found = e.is_name() ? origins_.find(e.var()) : origins_.end();
    if (found == origins_.end()) return;
    const Origin& origin = found->second;
    add(origin, origin.value ? "a size" : arena_.info(e.var()).name + " of " + origin.statement);
  });
  return places.empty() ? text : fmt::format("{} ({})", text, fmt::join(places, ", "));
}

}  // namespace fulgurite::walk
