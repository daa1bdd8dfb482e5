#include "walk/blocks/rest.h"

#include "parts/posts.h"
#include "schedule/rewrites/operators.h"
#include "soac/outputs.h"

namespace fulgurite::walk::blocks {

Rest rest_of(const Emitter& e, const soac::Stm& s, std::span<const Update> updates, std::int64_t tile) {
  Rest rest{s, {}, {}};
  soac::Outputs outputs = soac::take_outputs(rest.stm);
  std::vector<soac::Mapped> posted;
  const auto post = [&](Posts& posts, Expr value) {
    posts.names.push_back(e.arena().fresh_array(value.kind(), {e.arena().i64(0)}, "posted").var());
    posts.buffers.push_back(e.allocate_shared(value.kind(), tile));
    posted.push_back({value, posts.names.back()});
  };
  std::vector<soac::Outputs::Scattered> in_any_order;
  for (std::size_t g = 0; g < outputs.scatters.size(); ++g) {
    soac::Outputs::Scattered& scattered = outputs.scatters[g];
    if (updates[g].how != Update::How::in_order) {
      rest.updates.push_back(updates[g]);
      in_any_order.push_back(std::move(scattered));
      continue;
    }
    Posts posts{false, g, {}, {}};
    post(posts, parts::place_of(e, scattered.place, scattered.to.shape));
    for (Expr value : scattered.values) post(posts, value);
    rest.posts.push_back(std::move(posts));
  }
  for (std::size_t g = 0; g < outputs.partitions.size(); ++g) {
    const soac::Outputs::Partitioned& partition = outputs.partitions[g];
    Posts posts{true, g, {}, {}};
    const Expr place = parts::place_of(e, {&partition.point_class, 1}, {&partition.classes, 1});
    const bool is_short = partition.classes.is_constant() && partition.classes.bits() < (1 << 15);
    post(posts, is_short ? cast(place, Kind::i16) : place);
    for (Expr value : partition.values) post(posts, value);
    rest.posts.push_back(std::move(posts));
  }
  std::erase_if(outputs.reductions, [](const auto& r) { return schedule::in_order(r.by); });
  outputs.scatters = std::move(in_any_order);
  outputs.partitions.clear();
  outputs.mapped.insert(outputs.mapped.end(), posted.begin(), posted.end());
  rest.stm = soac::with_outputs(std::move(rest.stm), std::move(outputs));
  return rest;
}

}  // namespace fulgurite::walk::blocks
