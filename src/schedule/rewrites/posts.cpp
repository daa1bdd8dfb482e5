#include "schedule/rewrites/posts.h"

#include <algorithm>

#include "schedule/nest.h"
#include "schedule/rewrites/narrow.h"
#include "schedule/rewrites/rewrite.h"
#include "soac/count.h"
#include "soac/outputs.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

using scalar::Arena;
using scalar::Op;

namespace {

/// A place, by its indices: the row-major number of the element, and whether it is in the array.
struct Element {
  Expr number, is_inside;
};
Element element_of(Arena& arena, std::span<const Expr> shape, std::span<const Expr> indices) {
  Expr number = arena.i64(0), inside = arena.boolean(true);
  for (std::size_t d = 0; d < indices.size(); ++d) {  // no extent is negative
    number = number * shape[d] + indices[d];
    const Expr extent = cast(shape[d], Kind::u64), index = cast(indices[d], Kind::u64);
    inside = inside & (index < extent);
  }
  return {number, inside};
}

// The number of the place's bin, or -1 outside.
Expr bin_of(Arena& arena, const soac::Scatter& scatter, std::span<const Expr> indices) {
  if (Expr key = scatter.shape.size() == 1 ? narrow_index(indices[0]) : Expr()) {
    key = cast(key, Kind::i32);
    const Expr inside = is_inside(key, narrow_extent(scatter.shape[0]));
    return select(inside, key, cast(arena.i64(-1), Kind::i32));
  }
  const Element element = element_of(arena, scatter.shape, indices);
  return select(element.is_inside, element.number, -1);
}

// The row-major number of a place. What is not in the array is below 0 or beyond it.
Expr place_of(Arena& arena, const soac::Scatter& scatter, std::span<const Expr> indices) {
  if (indices.size() == 1) {
    const Expr key = narrow_index(indices[0]);
    return key ? key : indices[0];
  }
  const Element element = element_of(arena, scatter.shape, indices);
  return select(element.is_inside, element.number, -1);
}

// Whether the value is an array's element with the number of the point, of whatever type it becomes: scalar
// code reads it where it lies, if no point stores there before.
bool is_element(const soac::Soac& op, Expr value) {
  for (const soac::Scatter& scatter : op.scatters)
    if (scatter.combine.empty()) return false;
  while (value.op() == Op::cast) value = value.arg(0);
  return op.dims.size() == 1 && value.site() == 0 && soac::reads_at(value, op.body.params);
}

// A space of one point has nothing to order.
bool is_ordered(const soac::Soac& op, const soac::Scatter& scatter) {
  return scatter.combine.empty() && !soac::is_one_point(op) && !scatter.stores_in_any_order();
}

// Whether later phases can compute the value from the point's number: of elements with this number, and of
// what does not differ from point to point. What the statement makes or updates is not for later phases to
// read, and reads after a Check of the body stay there.
bool is_readable(const soac::Stm& s, Expr value) {
  const auto& op = std::get<soac::Soac>(s.op);
  if (value.is_constant()) return true;
  if (!op.body.body.empty()) return false;
  if (value.op() == Op::cast) return is_readable(s, value.arg(0));
  const std::vector<Var>& params = op.body.params;
  const bool is_row_major = op.dims.size() == 1;
  if (value.is_name())
    return value.type().rank == 0 && (is_row_major || std::ranges::find(params, value.var()) == params.end());
  return is_row_major && value.site() == 0 && soac::reads_at(value, params) &&
         std::ranges::find(s.names, value.arg(0).var()) == s.names.end();
}

}  // namespace

bool is_pure(Expr root) {
  bool pure = true;
  scalar::for_each_node(std::span(&root, 1),
                        [&](Expr e) { pure = pure && e.op() != Op::index && e.site() == 0; });
  return pure;
}

Expr takes_right(Arena& arena, const soac::Lambda& op) {
  if (!op.body.empty()) return {};
  Expr condition;
  for (std::size_t k = 0; k < op.results.size(); ++k) {
    const Expr result = op.results[k], left = arena.name(op.params[k]),
               right = arena.name(op.params[op.results.size() + k]);
    if (result.op() != Op::select) return {};
    Expr taken;
    if (result.arg(1) == right && result.arg(2) == left) taken = result.arg(0);
    if (result.arg(1) == left && result.arg(2) == right) taken = logical_not(result.arg(0));
    if (!taken || (condition && condition != taken)) return {};
    condition = taken;
  }
  return condition;
}

BinPosting post_bins(Arena& arena, const soac::Stm& s) {
  const auto& op = std::get<soac::Soac>(s.op);
  soac::Outputs outputs = soac::outputs_of(s);
  soac::Vars varying;
  soac::add_bound(op.body, varying);
  BinPosting posting;
  const auto post = [&](BinPosts& posts, Expr value) {
    posts.names.push_back(arena.fresh_array(value.kind(), op.dims, "posted").var());
    outputs.mapped.push_back({value, posts.names.back()});
  };
  for (std::size_t g = 0; g < outputs.scatters.size(); ++g) {
    const soac::Outputs::Scattered& scattered = outputs.scatters[g];
    if (scattered.to.combine.empty()) continue;
    BinPosts posts;
    posts.scatter = g;
    if (op.dims.size() == 1) posts.point = op.body.params[0];
    post(posts, bin_of(arena, scattered.to, scattered.place));
    for (Expr value : scattered.values) {
      soac::Vars mentioned;
      soac::add_mentioned(std::span(&value, 1), mentioned);
      const bool varies =
          !is_pure(value) || std::ranges::any_of(mentioned, [&](Var v) { return varying.contains(v); });
      const bool is_posted = varies && !is_element(op, value);
      posts.values.push_back(is_posted ? Expr() : value);
      if (is_posted) post(posts, value);
    }
    posting.posts.push_back(std::move(posts));
  }
  std::erase_if(outputs.scatters, [](const auto& scattered) { return !scattered.to.combine.empty(); });
  posting.stm = made_by(rewrite::bin_posts, arena, soac::with_outputs(s, std::move(outputs)));
  return posting;
}

OrderedPosting post_in_order(Arena& arena, const soac::Stm& s) {
  const auto& op = std::get<soac::Soac>(s.op);
  const Expr n_points = product(arena, op.dims);
  soac::Outputs outputs = soac::outputs_of(s);
  std::vector<soac::Outputs::Scattered> in_any_order;
  OrderedPosting posting;
  Expr point = op.dims.size() == 1 ? arena.name(op.body.params[0]) : arena.fresh({Kind::i64}, "j");
  const auto post = [&](Expr value, bool may_read) {
    if (may_read) return value;
    const Expr array = arena.fresh_array(value.kind(), {n_points}, "posted");
    posting.posted.push_back(array.var());
    outputs.mapped.push_back({value, array.var()});
    return arena.index(array, std::span(&point, 1));
  };
  for (soac::Outputs::Scattered& scattered : outputs.scatters) {
    if (!is_ordered(op, scattered.to)) {
      in_any_order.push_back(std::move(scattered));
      continue;
    }
    OrderedPosts posts{scattered.arrays, product(arena, scattered.to.shape), {}, {}, point};
    const bool is_place_readable = scattered.place.size() == 1 && is_readable(s, scattered.place[0]);
    const Expr place =
        is_place_readable ? scattered.place[0] : place_of(arena, scattered.to, scattered.place);
    posts.place = post(place, is_place_readable);
    for (Expr value : scattered.values) posts.values.push_back(post(value, is_readable(s, value)));
    posting.posts.push_back(std::move(posts));
  }
  outputs.scatters = std::move(in_any_order);
  posting.stm = soac::with_outputs(s, std::move(outputs));
  if (!posting.posts.empty()) posting.stm = made_by(rewrite::posts, arena, std::move(posting.stm));
  return posting;
}

}  // namespace fulgurite::schedule
