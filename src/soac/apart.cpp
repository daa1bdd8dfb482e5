#include "soac/apart.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <optional>

namespace fulgurite::soac {

namespace {

// Indices of elements that exist are below 2^47, and so are indices of points that anything has time for. So
// few of them, times factors that are so small, give a number that is not 0 modulo 2^64 unless it is 0.
constexpr std::int64_t most_factor = std::int64_t{1} << 12, most_offset = std::int64_t{1} << 40;
constexpr std::size_t most_indices = 8;
// Where a stride is not known, it and the number of points are so small.
constexpr std::int64_t most_stride = std::int64_t{1} << 20, most_points = std::int64_t{1} << 40,
                       most_factors = 4;

std::optional<std::int64_t> small_factor(Expr e) {
  if (!e.is_constant()) return {};
  const auto value = static_cast<std::int64_t>(e.bits());
  if (value < -most_factor || most_factor < value) return {};
  return value;
}

/// The distance of two places along an axis.
class Distance {
 public:
  Distance(Arena& arena, Expr e, const std::array<const Ranges*, 2>& ranges)
      : arena_(arena), e_(e), ranges_(ranges) {}

  bool is_never_zero() const { return is_all(1) || is_all(-1) || leaves_a_remainder(); }

  // The condition under which it is `stride * steps + offset`, with more in a stride than in the offset,
  // which is not 0. Neither wraps around: a point has at most 2^42 steps from another one.
  std::optional<Expr> never_zero_where(const Vars& inside) const {
    Vars names;
    add_mentioned(std::span(&e_, 1), names);
    for (const Var stride : names) {
      if (inside.contains(stride) || range_of(stride) || arena_.info(stride).type.kind != scalar::Kind::i64)
        continue;
      const auto along = scalar::affine_in(arena_, e_, stride);
      const auto offset = along && along->base.is_constant() ? small_factor(along->base) : std::nullopt;
      if (!offset || *offset == 0) continue;
      if (std::optional<Expr> few = is_few(along->coefficient, inside)) {
        const Expr n = arena_.name(stride);
        return (*few & (std::abs(*offset) < n)) & (n <= most_stride);
      }
    }
    return {};
  }

 private:
  // Whether all its values have the sign: the one next to 0 does, which is found by an end of each index in
  // turn. An extent may mention other indices.
  bool is_all(std::int64_t sign) const {
    Expr next = e_;
    std::size_t n = 0;
    for (auto index = varying(next); index; index = varying(next)) {
      const auto along = scalar::affine_in(arena_, next, index->first);
      const auto factor = along ? small_factor(along->coefficient) : std::nullopt;
      if (!factor || ++n > most_indices) return false;
      const Expr end = *factor * sign < 0 ? index->second - 1 : arena_.i64(0);
      next = scalar::substitute(arena_, next, {{index->first, end}});
    }
    if (!next.is_constant()) return false;
    const std::int64_t value = sign * static_cast<std::int64_t>(next.bits());
    return 0 < value && value <= most_offset;
  }
  // The condition under which steps are few: indices, of few points, times small factors.
  std::optional<Expr> is_few(Expr steps, const Vars& inside) const {
    Expr few = arena_.constant(scalar::Kind::boolean, 1);
    std::int64_t factors = 0;
    Vars names;
    add_mentioned(std::span(&steps, 1), names);
    for (const Var name : names) {
      const std::optional<Expr> extent = range_of(name);
      const auto along = scalar::affine_in(arena_, steps, name);
      const auto factor = along ? small_factor(along->coefficient) : std::nullopt;
      if (!extent || !factor) return {};
      Vars of_extent;
      add_mentioned(std::span(&*extent, 1), of_extent);
      if (std::ranges::any_of(of_extent, [&](Var v) { return inside.contains(v) || range_of(v); })) return {};
      factors += std::abs(*factor);
      few = few & (*extent <= most_points);
      steps = along->base;
    }
    if (factors > most_factors || !steps.is_constant() || !small_factor(steps)) return {};
    return few;
  }
  std::optional<Expr> range_of(Var name) const {
    for (const Ranges* ranges : ranges_)
      if (const auto range = ranges->find(name); range != ranges->end()) return range->second;
    return {};
  }
  // An index in it, and its extent.
  std::optional<std::pair<Var, Expr>> varying(Expr e) const {
    std::optional<std::pair<Var, Expr>> found;
    scalar::for_each_node(std::span(&e, 1), [&](Expr each) {
      if (found || !each.is_name()) return;
      if (const std::optional<Expr> extent = range_of(each.var())) found.emplace(each.var(), *extent);
    });
    return found;
  }

  // Names that do not vary may have any value, and products with it wrap around: what has such names is
  // divided by a power of two.
  bool leaves_a_remainder() const {
    Vars names;
    add_mentioned(std::span(&e_, 1), names);
    Expr rest = e_;
    std::int64_t common = 0;
    bool all_vary = names.size() <= most_indices;
    for (Var name : names) {
      const auto along = scalar::affine_in(arena_, rest, name);
      const auto factor = along ? small_factor(along->coefficient) : std::nullopt;
      if (!factor) return false;
      common = std::gcd(common, *factor);
      all_vary = all_vary && range_of(name);
      rest = along->base;
    }
    if (!rest.is_constant() || common == 0) return false;
    const auto offset = static_cast<std::int64_t>(rest.bits());
    if (!all_vary) common &= -common;
    return -most_offset <= offset && offset <= most_offset && offset % common != 0;
  }

  Arena& arena_;
  const Expr e_;
  const std::array<const Ranges*, 2> ranges_;
};

}  // namespace

void add_ranges(const Stm& s, Ranges& ranges) {
  for (const auto& inner : nested_in(s)) add_ranges(*inner.lambda, inner.extents, ranges);
}

void add_ranges(const Lambda& f, std::span<const Expr> extents, Ranges& ranges) {
  for (std::size_t k = 0; k < extents.size(); ++k) ranges.emplace(f.params[k], extents[k]);
  for (const Stm& s : f.body) add_ranges(s, ranges);
}

StoredPlaces::StoredPlaces(Arena& arena, const Soac& soac, std::span<const Expr> place) : arena_(arena) {
  Vars computed;
  for (const Stm& s : soac.body.body) add_bound(s, computed);
  if (mentions_any(place, computed)) return;
  std::unordered_map<Var, Expr> of_point;
  for (std::size_t d = 0; d < soac.dims.size(); ++d) {
    const Expr index = arena.fresh(scalar::Type{}, "stored");
    of_point.emplace(soac.body.params[d], index);
    ranges_.emplace(index.var(), soac.dims[d]);
  }
  for (Expr e : place) place_.push_back(scalar::substitute(arena, e, of_point));
}

// Along each axis; then sums and differences along two. None: nothing is known.
std::vector<Expr> StoredPlaces::distances_to(Expr read) const {
  const auto indices = read.args().subspan(1);
  if (indices.size() != place_.size()) return {};
  std::vector<Expr> distances;
  for (std::size_t d = 0; d < place_.size(); ++d) distances.push_back(indices[d] - place_[d]);
  for (std::size_t a = 0; a < place_.size(); ++a)
    for (std::size_t b = a + 1; b < place_.size(); ++b) {
      distances.push_back(distances[a] + distances[b]);
      distances.push_back(distances[a] - distances[b]);
    }
  return distances;
}

bool StoredPlaces::miss(Expr read, const Ranges& ranges) const {
  return std::ranges::any_of(
      distances_to(read), [&](Expr e) { return Distance(arena_, e, {&ranges, &ranges_}).is_never_zero(); });
}

std::optional<Expr> StoredPlaces::miss_where(Expr read, const Ranges& ranges, const Vars& inside) const {
  for (const Expr e : distances_to(read))
    if (std::optional<Expr> where = Distance(arena_, e, {&ranges, &ranges_}).never_zero_where(inside))
      return where;
  return {};
}

}  // namespace fulgurite::soac
