#include "schedule/check_tiles.h"

#include <algorithm>
#include <optional>

#include "schedule/check_stages.h"
#include "schedule/nest.h"
#include "schedule/packed_terms.h"
#include "schedule/shared_operands.h"

namespace fulgurite::schedule {

namespace {

class TileChecker {
 public:
  TileChecker(scalar::Arena& arena, const Nest& nest, const soac::Soac& combined)
      : arena_(arena), nest_(nest), combined_(combined) {}

  std::vector<std::string> operator()() {
    terms();
    for (const Stage& each : nest_.stages) stage(each);
    if (outermost(nest_, Unit::thread)) tile_of_block();
    return std::move(faults_);
  }

 private:
  void require(bool holds, std::string_view otherwise) {
    if (!holds) faults_.emplace_back(otherwise);
  }

  // Checks points of the inner Soac that one operation takes together.
  void terms() {
    const std::int64_t together = terms_together(nest_);
    if (together == 1) return;
    const auto packed = packed_terms(arena_, combined_, together);
    require(packed.has_value(), "takes points of the reduction together that no operation does");
    if (!packed) return;
    const auto is_staged = [&](Expr read) {
      return std::ranges::find(nest_.stages, read, &Stage::read) != nest_.stages.end();
    };
    require(nest_.stages.size() == 2 && is_staged(packed->first) && is_staged(packed->second),
            "takes points of the reduction together whose operands it does not stage");
  }

  // Of what points share: a row for each point of the reduction that is walked meanwhile, of the lanes that
  // are, or a column of rows.
  void stage(const Stage& stage) {
    require(stage.read && reads(combined_, stage.read), "stages what the reduction inside does not read");
    require(!stage.read || !scalar::can_fail(stage.read) || always_reads(combined_, stage.read),
            "stages what may fail and is not read at each point");
    if (stage.at >= nest_.cuts.size()) return;
    const Cut& at = nest_.cuts[stage.at];
    std::optional<std::int64_t> depth;
    for (const Cut& cut : nest_.cuts)
      if (!depth && nest_.axes[cut.axis].of != 0 && cut.unit == Unit::sequence) depth = constant(cut.size);
    const bool is_panel = is_shared_by_rows(nest_, stage);
    const std::int64_t row = is_panel ? constant(at.size).value_or(0) : 1, together = terms_together(nest_);
    require(depth && *depth % together == 0, "stages parts of what it takes together");
    const std::int64_t words = depth.value_or(0) / together;
    require(words > 0 && stage.size >= words * row && (is_panel || stage.size % words == 0),
            "has no room for what it stages");
  }

  // Checks a nest whose last axes are a tile's, and the one of the reduction inside.
  void tile_of_block() {
    const std::size_t depth = nest_.axes.size() - 1;
    const auto only = [&](std::size_t axis, Unit unit) {
      const std::vector<Expr> sizes = sizes_of_cuts(nest_, axis, unit);
      return sizes.size() == 1 ? constant(sizes[0]).value_or(0) : 0;
    };
    const std::int64_t slice = only(depth, Unit::sequence);
    require(slice > 0 && task_cut(nest_, depth),
            "has a block that does not fold a part of its rows in slices");
    if (depth < 2 || slice == 0) return require(false, "has a tile without rows and columns");
    for (const std::size_t axis : {depth - 2, depth - 1}) {
      const std::int64_t each = only(axis, Unit::registers), all = only(axis, Unit::thread) * each;
      require(all > 0 && all == only(axis, Unit::grid), "has a tile that is not what its threads take");
      for (const Stage& stage : nest_.stages)
        if (is_shared_by_rows(nest_, stage) == (axis + 1 == depth))
          require(stage.size >= slice * all, "has no room for what it stages");
    }
    for (const Combine& combine : nest_.combines)
      for (const Combine::Level& level : combine.levels)
        require(level.how != Join::chain || level.n % slice == 0, "has chains that end within a slice");
  }

  scalar::Arena& arena_;
  const Nest& nest_;
  const soac::Soac& combined_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> faults_of_tiles(scalar::Arena& arena, const Nest& nest, const soac::Soac& combined) {
  return TileChecker(arena, nest, combined)();
}

}  // namespace fulgurite::schedule
