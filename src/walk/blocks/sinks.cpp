#include "walk/blocks/sinks.h"

#include "soac/outputs.h"
#include "walk/operators.h"

namespace fulgurite::walk::blocks {

Sinks::Sinks(const Emitter& e, const soac::Stm& s, const schedule::Nest& nest, const Block& block,
             const Range& range, const Steps& steps)
    : e_(e), s_(s), nest_(nest), block_(block), steps_(steps) {
  const std::vector<Update>& updates = steps.last().updates;
  for (std::size_t g = 0; g < updates.size(); ++g) {
    if (updates[g].limits.bytes == 0) continue;
    const soac::Scatter& scatter = steps.last_op().scatters[g];
    const Var array = buffers_of(g)[0];
    const Expr n_points = e_.lower(range.end - range.begin);
    const Expr size = kernel::product(e_, scatter.shape);
    shared_bins_.emplace(
        g, parts::SharedBins(e_, block_, array, size, updates[g].what, n_points, updates[g].limits));
  }
}

// Where the arrays are that the last step's scatter makes.
std::vector<Var> Sinks::buffers_of(std::size_t scatter) const {
  return walk::buffers_of(e_, soac::view_of(steps_.last().stm).scatters[scatter].arrays);
}

void Sinks::update(const Emitter& e, std::size_t scatter, Expr number, Running::Elements elements,
                   std::span<const Expr> values) const {
  if (const auto bins = shared_bins_.find(scatter); bins != shared_bins_.end())
    return bins->second.update(e, elements[0].second, values[0]);
  if (const auto packed = packed_.find(scatter); packed != packed_.end())
    return packed->second.update(e, elements[0].second, values);
  blocks::update(e, steps_.last().updates[scatter], number, elements, values);
}

void Sinks::open() {
  const std::vector<Update> updates = updates_of(s_, nest_);
  const std::vector<Var> tables = tables_of(std::get<soac::Soac>(s_.op), nest_);
  for (const Posts& posts : steps_.last().posts) {
    if (posts.is_partition) {
      if (is_dealt(nest_, posts.number)) open_deal(posts, tables[posts.number]);
      continue;
    }
    const soac::Scatter& scatter = std::get<soac::Soac>(s_.op).scatters[posts.number];
    own_bins_.try_emplace(posts.number, e_, block_, operator_of(e_, scatter.combine[0]),
                          kernel::product(e_, scatter.shape), updates[posts.number].memory,
                          updates[posts.number].limits.bytes);
  }
  for (std::size_t g = 0; g < steps_.last().updates.size(); ++g)
    if (steps_.last().updates[g].how == Update::How::packed) {
      const auto& tile = steps_.tile();
      packed_.emplace(g, parts::Compaction(e_, buffers_of(g), tile));
    }
}

void Sinks::begin_tile(std::span<const parts::Ordered> groups, const std::vector<std::vector<Expr>>& before) {
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (auto& [scatter, packed] : packed_)
      if (groups[g].is_scan && steps_.is_scan(groups[g], steps_.last().updates[scatter].scan))
        packed.begin_tile(before[g][0], e_.snapshot(groups[g].so_far[0], "end"));
}

void Sinks::store_packed() const {
  for (const auto& [scatter, packed] : packed_) packed.flush(e_, block_);
}

void Sinks::open_deal(const Posts& posts, Var table) {
  const auto partition = soac::view_of(s_).partitions[posts.number];
  const auto classes = static_cast<std::int64_t>(partition.classes.bits());
  const auto items = static_cast<int>(steps_.tile() / block_.threads);
  deals_.try_emplace(posts.number, e_, block_, classes, items, table, walk::buffers_of(e_, partition.arrays));
}

void Sinks::store_posts() const {
  for (const Posts& posts : steps_.last().posts) put(posts);
}

void Sinks::put(const Posts& posts) const {
  if (!posts.is_partition) return own_bins_.at(posts.number).combine(e_, block_, posts.buffers);
  if (const auto deal = deals_.find(posts.number); deal != deals_.end())
    return deal->second.tile(e_, block_, posts.buffers);
  const std::vector<Var> arrays = walk::buffers_of(e_, soac::view_of(s_).partitions[posts.number].arrays);
  const std::vector<Var> tables = tables_of(std::get<soac::Soac>(s_.op), nest_);
  parts::deal_in_turn(e_, block_, posts.buffers, tables[posts.number], arrays);
}

void Sinks::close() const {
  for (const auto& [scatter, bins] : own_bins_) bins.flush(e_, block_);
}

}  // namespace fulgurite::walk::blocks
