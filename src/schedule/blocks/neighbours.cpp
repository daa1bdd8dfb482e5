#include <algorithm>
#include <unordered_set>

#include "schedule/blocks/points.h"
#include "schedule/rewrites/operators.h"
#include "soac/outputs.h"

namespace fulgurite::schedule {

namespace {

using scalar::Op;

// What the points read: at their own places, or the same for all.
class OwnReads {
 public:
  explicit OwnReads(const soac::Soac& op) : op_(op) {
    const std::vector<Expr>& results = op.body.results;
    // Numbers do without indices only where nothing but reads uses indices (soac::is_linear).
    const bool needs_indices = op.dims.size() == 1;
    are_good_ = needs_indices || std::ranges::none_of(results, [&](Expr e) { return is_index(e); });
    scalar::for_each_node(results, [&](Expr e) {
      ++n_operations_;
      if (is_own(e)) {
        widest_ = std::max(widest_, size_of(e.kind()));
        varying_.insert(e.id());
        return;
      }
      const auto varies = [&](Expr arg) { return is_index(arg) || varying_.contains(arg.id()); };
      if (!needs_indices && std::ranges::any_of(e.args(), [&](Expr arg) { return is_index(arg); }))
        are_good_ = false;
      if (std::ranges::none_of(e.args(), varies)) return;
      if (e.op() == Op::index) are_good_ = false;
      varying_.insert(e.id());
    });
  }

  bool are_good() const { return are_good_; }
  std::size_t widest() const { return widest_; }
  std::size_t n_operations() const { return n_operations_; }

 private:
  bool is_index(Expr e) const {
    return e.is_name() && std::ranges::find(op_.body.params, e.var()) != op_.body.params.end();
  }
  bool is_own(Expr e) const {
    if (e.op() != Op::index || e.args().size() != op_.dims.size() + 1) return false;
    for (std::size_t d = 0; d < op_.dims.size(); ++d)
      if (!e.arg(d + 1).is_name() || e.arg(d + 1).var() != op_.body.params[d]) return false;
    return true;
  }

  const soac::Soac& op_;
  bool are_good_ = true;
  std::size_t widest_ = 0, n_operations_ = 0;
  std::unordered_set<std::uint32_t> varying_;  // from point to point
};

}  // namespace

std::int64_t neighbours_of(const Surroundings& at, const soac::Soac& op) {
  const bool in_any_order =
      op.partitions.empty() && std::ranges::none_of(op.reductions, in_order) &&
      std::ranges::all_of(op.scatters, [](const soac::Scatter& s) { return atomic_of(s).has_value(); });
  if (op.dims.empty() || !op.body.body.empty() || !in_any_order) return 1;
  const OwnReads reads(op);
  std::size_t widest = reads.widest();
  for (const soac::Mapped& mapped : soac::view_of(op).mapped) {
    if (mapped.result.type().rank > 0) return 1;
    widest = std::max(widest, size_of(mapped.result.kind()));
  }
  if (!reads.are_good() || widest == 0) return 1;
  const std::int64_t n =
      std::min(static_cast<std::int64_t>(kernel::wide_bytes / widest), at.policy.blocks.neighbours);
  return static_cast<std::int64_t>(reads.n_operations()) * n <= at.policy.blocks.neighbour_operations ? n : 1;
}

}  // namespace fulgurite::schedule
