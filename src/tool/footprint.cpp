#include "tool/footprint.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "base/match.h"
#include "tool/samples.h"

namespace fulgurite::tool {

using base::as;
using scalar::Op;
using soac::Role;
using soac::Stm;

soac::Expr known_size(const soac::EqualSizes& sizes, const soac::Vars& bound, soac::Expr size) {
  bool is_known = true;
  scalar::for_each_node(std::span(&size, 1), [&](soac::Expr e) {
    if (e.op() == Op::index || (e.is_name() && bound.contains(e.var()))) is_known = false;
  });
  return is_known ? sizes.canonical(size) : soac::Expr();
}

Footprints::Footprints(scalar::Arena& arena, const soac::EqualSizes& sizes, const Stm& stm)
    : arena_(arena), sizes_(sizes), points_(arena.i64(1)) {
  soac::add_bound(stm, bound_);
  for (Var name : stm.names) bound_.erase(name);
  if (const auto* op = as<soac::Soac>(stm.op))
    for (Expr extent : op->dims) points_ = points_ * sizes_.canonical(extent);
  statement(stm, false, nullptr);
}

void Footprints::function(const soac::Lambda& f, bool in_branch, const Stm* loop) {
  for (const Stm& s : f.body) {
    if (const auto* let = as<soac::Let>(s.op)) lets_[s.names[0]] = let->value;
    statement(s, in_branch, loop);
  }
  roots(f.results, in_branch, loop);
}

void Footprints::statement(const Stm& s, bool in_branch, const Stm* loop) {
  roots(soac::roots_of(s), in_branch, loop);
  for (const auto& inner : soac::nested_in(s)) {
    const std::size_t n_open = open_.size();
    const bool repeats = inner.role == Role::points || inner.role == Role::contents ||
                         inner.role == Role::iteration || inner.role == Role::condition;
    for (std::size_t k = 0; k < inner.extents.size(); ++k) {
      open_.push_back(inner.lambda->params[k]);
      ranges_[open_.back()] = known_size(sizes_, bound_, inner.extents[k]);
    }
    const Var unknown = s.names.empty() ? Var{-1} : s.names[0];
    const bool is_unknown =
        (inner.role == Role::iteration || inner.role == Role::condition) && inner.extents.empty();
    if (is_unknown) {
      open_.push_back(unknown);
      ranges_[unknown] = {};
    }
    function(*inner.lambda, in_branch || inner.role == Role::branch, repeats ? &s : loop);
    for (; open_.size() > n_open; open_.pop_back()) ranges_.erase(open_.back());
  }
}

void Footprints::roots(const std::vector<Expr>& all, bool in_branch, const Stm* loop) {
  scalar::for_each_node(all, [&](Expr e) {
    if (e.op() == Op::index) read(e, in_branch, loop);
  });
}

void Footprints::read(Expr index, bool in_branch, const Stm* loop) {
  const Var array = index.arg(0).var();
  if (bound_.contains(array)) return;
  Read r{{}, arena_.i64(1), in_branch, loop, arena_.i64(1)};
  scalar::Substitution written_out(arena_, [&](Expr e) {
    const auto found = e.is_name() ? lets_.find(e.var()) : lets_.end();
    return found == lets_.end() ? Expr() : found->second;
  });
  std::vector<Expr> at;
  bool knows_all = true;
  for (Expr e : index.args().subspan(1)) {
    for (int depth = 0; depth < 8; ++depth) e = written_out(e);
    at.push_back(sizes_.canonical(e));
    r.spans.push_back(span(at.back()));
    knows_all &= r.spans.back().has_value();
  }
  r.at_most |= !knows_all;
  soac::Vars mentioned;
  soac::add_mentioned(at, mentioned);
  // What depends on no loop further inside is read before that.
  std::size_t n_around = open_.size();
  while (knows_all && n_around > 0 && !mentioned.contains(open_[n_around - 1])) --n_around;
  for (Var name : std::span(open_).first(n_around)) {
    const Expr extent = ranges_.at(name);
    if (mentioned.contains(name) || !knows_all)
      r.indices = r.indices && extent ? r.indices * extent : Expr();
    else
      r.again = r.again && extent ? r.again * extent : Expr();
  }
  reads_[array].push_back(std::move(r));
}

std::optional<Footprints::Span> Footprints::hull(const std::optional<Span>& a,
                                                 const std::optional<Span>& b) const {
  if (!a || !b) return std::nullopt;
  if (a->low == b->low && a->high == b->high && a->step == b->step) return a;
  const Expr apart = a->low - b->low;
  std::int64_t step = std::gcd(a->step, b->step);
  // One element has any step.
  if (a->low == a->high) step = b->step;
  if (b->low == b->high) step = a->step;
  step = apart.is_constant() ? std::gcd(step, static_cast<std::int64_t>(apart.bits())) : 1;
  return Span{smaller(a->low, b->low),
              larger(a->high, b->high),
              std::max<std::int64_t>(step, 1),
              {},
              a->is_fixed && b->is_fixed};
}

// A sum of numbers in ranges with constant factors.
std::optional<Footprints::Span> Footprints::affine(Expr e) {
  Expr low = e, high = e;
  std::int64_t step = 0;
  std::vector<Expr> extents;
  for (Var name : open_) {
    const Expr extent = ranges_.at(name);
    if (!scalar::mentions(low, name)) continue;
    if (!extent) return std::nullopt;
    const auto at_low = scalar::affine_in(arena_, low, name), at_high = scalar::affine_in(arena_, high, name);
    if (!at_low || !at_high) return std::nullopt;
    const Expr last = extent - 1;
    low = at_low->base, high = at_high->base;
    if (at_low->coefficient.is_constant()) {
      const auto factor = static_cast<std::int64_t>(at_low->coefficient.bits());
      (factor < 0 ? low : high) = (factor < 0 ? low : high) + factor * last;
      step = std::gcd(step, factor);
      extents.push_back(extent);
    } else {  // of rows, whose length is a size
      high = high + at_high->coefficient * last;
      extents.push_back(extent);
      step = 1;
    }
  }
  soac::Vars left;
  soac::add_mentioned(std::vector<Expr>{low, high}, left);
  bool reads = false;
  scalar::for_each_node(std::vector<Expr>{low, high}, [&](Expr x) { reads |= x.op() == Op::index; });
  if (reads || std::ranges::any_of(left, [&](Var v) { return bound_.contains(v); })) return std::nullopt;
  const Expr count = extents.size() == 1 ? extents[0] : Expr();
  return Span{sizes_.canonical(low), sizes_.canonical(high), std::max<std::int64_t>(step, 1), count,
              extents.empty()};
}

// nothing: its values depend on elements, or on what goes round in a loop
std::optional<Footprints::Span> Footprints::span(Expr e) {
  if (const auto found = affine(e)) return found;
  const auto known = [&](Expr x) {
    const auto found = affine(x);
    return found && found->low == found->high ? found->low : Expr();
  };
  switch (e.op()) {
    case Op::select: return hull(span(e.arg(1)), span(e.arg(2)));
    case Op::min:
    case Op::max: return hull(span(e.arg(0)), span(e.arg(1)));
    case Op::cast: return scalar::is_integer(e.arg(0).kind()) ? span(e.arg(0)) : std::nullopt;
    case Op::add:
    case Op::sub: {
      const bool is_sum = e.op() == Op::add;
      const auto a = span(e.arg(0)), b = span(e.arg(1));
      if (!a || !b) return std::nullopt;
      return Span{is_sum ? a->low + b->low : a->low - b->high, is_sum ? a->high + b->high : a->high - b->low,
                  1};
    }
    case Op::rem: {
      const auto a = span(e.arg(0));
      const Expr by = known(e.arg(1));
      if (!a || !by) return std::nullopt;
      return Span{arena_.i64(0), by - 1, 1};
    }
    case Op::div: {
      const auto a = span(e.arg(0));
      const Expr by = known(e.arg(1));
      if (!a || !by) return std::nullopt;
      return Span{a->low / by, a->high / by, 1};
    }
    default: return std::nullopt;
  }
}

Footprints::Expr Footprints::count(const Span& s) const {
  if (s.count) return s.count;
  const Expr length = s.high - s.low;
  const Expr whole = s.step == 1 ? length : length / s.step;
  return whole + 1;
}

Footprints::Expr Footprints::extent(Var array, std::size_t axis) const {
  return sizes_.canonical(arena_.info(array).shape[axis]);
}

Footprints::Expr Footprints::elements_of(Var array, const Read& r) const {
  Expr box = arena_.i64(1);
  for (std::size_t d = 0; d < r.spans.size(); ++d) {
    const Expr all = extent(array, d);
    if (!r.spans[d]) {
      box = box * all;
      continue;
    }
    Span s = *r.spans[d];
    if (s.low == s.high) continue;
    if (!s.is_fixed) {
      const Expr last = all - 1, low = larger(s.low, arena_.i64(0)), high = smaller(s.high, last);
      if (low != s.low || high != s.high) s = {low, high, s.step};
    }
    box = box * count(s);
  }
  return r.indices ? smaller(box, r.indices) : box;
}

std::optional<Footprint> Footprints::of(Var array) const {
  const auto found = reads_.find(array);
  if (found == reads_.end()) return std::nullopt;
  const std::vector<Read>& reads = found->second;
  Read all = reads[0];
  Expr sum = elements_of(array, reads[0]);
  Footprint result;
  result.at_most = reads[0].at_most;
  std::vector<const Read*> walks{&reads[0]};
  for (std::size_t k = 1; k < reads.size(); ++k) {
    const Read& r = reads[k];
    for (std::size_t d = 0; d < all.spans.size(); ++d) all.spans[d] = hull(all.spans[d], r.spans[d]);
    sum = sum + elements_of(array, r);
    result.at_most |= r.at_most;
    const auto same = [&](const Read* w) { return w->loop == r.loop; };
    if (std::ranges::none_of(walks, same)) walks.push_back(&r);
  }
  all.indices = {};
  result.elements = smaller(elements_of(array, all), sum);
  Expr times = arena_.i64(0);
  for (const Read* walk : walks) {
    result.often |= !walk->again;
    if (walk->again) times = times + walk->again;
  }
  if (!times.is_constant(1) && !result.often) result.times = times;
  return result;
}

}  // namespace fulgurite::tool
