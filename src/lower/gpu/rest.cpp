#include "lower/gpu/rest.h"

#include "lower/gpu/policy.h"
#include "lower/gpu/posts.h"
#include "soac/layout.h"

namespace fulgurite::lower::gpu {

namespace {

using soac::Layout;

template <class T>
void drop(std::vector<T>& list, std::size_t from, std::size_t n) {
  const auto first = list.begin() + static_cast<std::ptrdiff_t>(from);
  list.erase(first, first + static_cast<std::ptrdiff_t>(n));
}

}  // namespace

Rest rest_of(const Emitter& e, const soac::Stm& s, std::span<const Update> updates, std::int64_t tile) {
  const auto& whole = std::get<soac::Soac>(s.op);
  const Layout layout = soac::layout_of(whole);
  Rest rest{s, {}, {}};
  auto& op = std::get<soac::Soac>(rest.stm.op);
  std::vector<Expr> posted;
  const auto update_of = [&](std::size_t scatter) {
    return scatter < updates.size() ? updates[scatter] : Update{};
  };
  const auto post = [&](Posts& posts, Expr value) {
    posted.push_back(value);
    posts.names.push_back(e.arena().fresh_array(value.kind(), {e.arena().i64(0)}, "posted").var());
    posts.buffers.push_back(e.allocate_shared(value.kind(), tile));
  };
  const auto from_on = [&](std::size_t from) { return std::span(whole.body.results).subspan(from); };
  const auto result = [&](const Layout::Part& part, std::size_t k) {
    return whole.body.results[part.result + k];
  };
  for (std::size_t g = 0; g < whole.scatters.size(); ++g) {
    if (update_of(g).how != Update::How::in_order) continue;
    Posts posts{false, g, {}, {}};
    post(posts, place_of(e, from_on(layout.scatters[g].result), whole.scatters[g].shape));
    for (std::size_t k = whole.scatters[g].shape.size(); k < layout.scatters[g].n_results; ++k)
      post(posts, result(layout.scatters[g], k));
    rest.posts.push_back(std::move(posts));
  }
  for (std::size_t g = 0; g < whole.partitions.size(); ++g) {
    Posts posts{true, g, {}, {}};
    for (std::size_t k = 0; k < layout.partitions[g].n_results; ++k)
      post(posts, k > 0
                      ? result(layout.partitions[g], k)
                      : place_of(e, from_on(layout.partitions[g].result), {&whole.partitions[g].classes, 1}));
    rest.posts.push_back(std::move(posts));
  }
  const auto drop_part = [&](const Layout::Part& part) {
    drop(op.body.results, part.result, part.n_results);
    drop(rest.stm.names, part.name, part.n_names);
  };
  for (std::size_t g = op.partitions.size(); g-- > 0;) drop_part(layout.partitions[g]);
  op.partitions.clear();
  for (std::size_t g = op.scatters.size(); g-- > 0;) {
    if (update_of(g).how != Update::How::in_order) continue;
    drop_part(layout.scatters[g]);
    drop(op.scatters, g, 1);
  }
  for (std::size_t g = op.scatters.size(), all = whole.scatters.size(); all-- > 0;)
    if (update_of(all).how != Update::How::in_order) rest.updates[--g] = update_of(all);
  for (std::size_t g = op.reductions.size(); g-- > 0;) {
    if (!in_order(op.reductions[g])) continue;
    drop_part(layout.reductions[g]);
    drop(op.reductions, g, 1);
  }
  op.body.results.insert(op.body.results.end(), posted.begin(), posted.end());
  for (const Posts& posts : rest.posts)
    rest.stm.names.insert(rest.stm.names.end(), posts.names.begin(), posts.names.end());
  return rest;
}

}  // namespace fulgurite::lower::gpu
