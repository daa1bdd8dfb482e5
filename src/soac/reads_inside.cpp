#include "soac/reads_inside.h"

#include <algorithm>
#include <unordered_map>

#include "soac/apart.h"
#include "soac/interval.h"
#include "soac/rename.h"
#include "soac/walk.h"

namespace fulgurite::soac {

namespace {

class ReadsInside {
 public:
  ReadsInside(Arena& arena, const Lambda& f, const std::vector<Expr>& dims,
              const std::function<bool(Expr)>& is_known)
      : arena_(arena),
        is_known_(is_known),
        sizes_(sizes_of_arrays(arena, f)),
        intervals_(arena),
        inside_(arena, [this](Expr e) { return e.op() == Op::index ? read(e) : Expr(); }) {
    add_ranges(f, dims, extents_);
  }

  std::optional<Expr> make(Lambda& f) {
    substitute_in(f, inside_);
    if (!all_known_ || may_fail(f)) return {};
    Expr holds = arena_.boolean(true);
    for (const auto& [extent, largest] : constants_) holds = holds & (largest < extent);
    for (const Order& o : orders_) holds = holds & (o.may_be_equal ? o.a <= o.b : o.a < o.b);
    return holds;
  }

 private:
  // a <= b, or a < b
  struct Order {
    Expr a, b;
    bool may_be_equal = true;
    bool operator==(const Order&) const = default;
  };

  Expr read(Expr e) {
    const std::vector<Expr> shape = arena_.info(e.arg(0).var()).shape;
    std::vector<Expr> indices;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      indices.push_back(inside_(e.arg(axis + 1)));
      if (e.site() != 0 && !scalar::has(e.inside(), axis)) require(indices.back(), shape[axis]);
    }
    return arena_.index(e.arg(0), indices);
  }
  // That 0 <= index < extent at all points.
  void require(Expr index, Expr extent) {
    const Interval values = interval(index);
    const Expr ends[] = {values.high, extent, values.low};
    if (!values.low || !values.high || !std::ranges::all_of(ends, is_known_)) return void(all_known_ = false);
    if (values.least < 0) add({arena_.i64(0), values.low});
    const auto range = index.is_name() ? extents_.find(index.var()) : extents_.end();
    if (range != extents_.end())
      add({range->second, extent});
    else if (index.is_constant())
      add_constant(extent, static_cast<std::int64_t>(index.bits()));
    else if (values.high != extent - 1)
      add({values.high, extent, false});
  }

  Interval interval(Expr e) {
    if (const auto found = intervals_of_.find(e); found != intervals_of_.end()) return found->second;
    return intervals_of_[e] = computed(e);
  }
  Interval computed(Expr e) {
    if (e.is_constant()) return intervals_.exactly(static_cast<std::int64_t>(e.bits()));
    if (e.op() == Op::index || e.type() != scalar::Type{}) return intervals_.any(e.kind());
    if (e.is_name()) return named(e);
    std::vector<Interval> operands;
    for (Expr operand : e.args()) operands.push_back(interval(operand));
    Interval values = intervals_.apply(e, operands);
    if (is_of_all_points(e) && is_known_(e)) values.low = values.high = e;
    return values;
  }
  bool is_of_all_points(Expr root) const {
    bool depends = false;
    scalar::for_each_node(std::span(&root, 1),
                          [&](Expr e) { depends = depends || (e.is_name() && extents_.contains(e.var())); });
    return !depends;
  }
  Interval named(Expr name) {
    constexpr Wide most = Wide{1} << 47;
    if (const auto range = extents_.find(name.var()); range != extents_.end())
      return {0, most, arena_.i64(0), range->second - 1};
    Interval values = intervals_.any(name.kind());
    if (std::ranges::find(sizes_, name) != sizes_.end()) values = {0, most};
    if (is_known_(name)) values.low = values.high = name;
    return values;
  }

  void add(const Order& o) {
    if (std::ranges::find(orders_, o) == orders_.end()) orders_.push_back(o);
  }
  void add_constant(Expr extent, std::int64_t index) {
    for (auto& [known, largest] : constants_)
      if (known == extent) {
        largest = std::max(largest, index);
        return;
      }
    constants_.emplace_back(extent, index);
  }

  Arena& arena_;
  const std::function<bool(Expr)>& is_known_;
  const std::vector<Expr> sizes_;
  Ranges extents_;  // of indices
  Intervals intervals_;
  std::unordered_map<Expr, Interval> intervals_of_;
  scalar::Substitution inside_;
  std::vector<std::pair<Expr, std::int64_t>> constants_;  // extents, and the largest index of each
  std::vector<Order> orders_;                             // what else makes reads inside
  bool all_known_ = true;
};

}  // namespace

std::optional<Expr> take_checks(Arena& arena, Lambda& f, const std::vector<Expr>& dims,
                                const std::function<bool(Expr)>& is_known) {
  return ReadsInside(arena, f, dims, is_known).make(f);
}

bool reads_affine_places(Arena& arena, const Lambda& f) {
  const auto is_affine = [&](Expr place) {
    return std::ranges::all_of(f.params, [&](Var index) {
      const auto affine = scalar::affine_in(arena, place, index);
      return affine &&
             std::ranges::none_of(f.params, [&](Var p) { return mentions(affine->coefficient, p); });
    });
  };
  if (!f.body.empty()) return false;
  bool are_affine = true;
  scalar::for_each_node(f.results, [&](Expr e) {
    if (e.op() == Op::index)
      are_affine = are_affine && std::ranges::all_of(e.args().subspan(1), is_affine);
    else
      are_affine = are_affine && e.site() == 0 && e.op() != Op::select;
  });
  return are_affine;
}

std::vector<Expr> sizes_of_arrays(Arena& arena, const Lambda& f) {
  std::vector<Expr> sizes;
  for_each_root(f, [&](Expr root) {
    scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
      if (e.op() != Op::index) return;
      const std::vector<Expr>& shape = arena.info(e.arg(0).var()).shape;
      sizes.insert(sizes.end(), shape.begin(), shape.end());
    });
  });
  return sizes;
}

}  // namespace fulgurite::soac
