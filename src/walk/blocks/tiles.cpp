// Maps that read along columns where they write along rows (schedule/blocks/crosswise.h).
#include <unordered_map>

#include "schedule/nest.h"
#include "soac/rename.h"
#include "walk/blocks/phase.h"
#include "walk/control.h"

namespace fulgurite::walk::blocks {

using schedule::Unit;

namespace {

class Tiles {
 public:
  explicit Tiles(const Phase& phase)
      : at_(phase),
        arena_(phase.arena()),
        side_(schedule::size_by(phase.nest(), Unit::grid, 1)),
        s_(phase.computes()) {
    const std::vector<schedule::Axis>& axes = phase.nest().axes;
    for (const schedule::Cut& cut : phase.nest().cuts)
      if (cut.unit == Unit::thread && cut.axis + 1 < axes.size()) {
        row_axis_ = axes[cut.axis].first;
        at_once_ = static_cast<std::int64_t>(cut.size.bits());
      }
    auto& body = std::get<soac::Soac>(s_.op).body;
    std::unordered_map<std::uint32_t, Expr> names;
    for (const schedule::Stage& stage : at_.nest().stages) {
      reads_.push_back(stage.read);
      names.emplace(stage.read.id(), names_.emplace_back(arena_.fresh(stage.read.type(), "staged")));
    }
    scalar::Substitution substitute(arena_, [&](Expr e) {
      const auto found = names.find(e.id());
      return found == names.end() ? Expr() : found->second;
    });
    soac::substitute_in(body, substitute);
  }

  void operator()() {
    const std::vector<Expr>& dims = at_.op().dims;
    std::vector<Expr> others(dims.begin(), dims.end() - 1);
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(row_axis_));
    const Expr across = schedule::ceil_div(dims.back(), i64(side_));
    const Expr down = schedule::ceil_div(dims[row_axis_], i64(side_));
    for_tasks(at_, static_cast<int>(side_ * at_once_), [&](const Emitter& e, const Block& block) {
      dims_ = e.lower(dims);
      first_column_ = e.lower(block.task % across * side_);
      const Expr left = e.lower(block.task / across);
      first_row_ = e.lower(left % down * side_);
      others_ = indices_of(e, e.lower(left / down), others);
      for (const schedule::Stage& stage : at_.nest().stages)
        buffers_.push_back(e.allocate_shared(stage.read.kind(), stage.size));
      par(e, block, [&](const Emitter& of_thread, Expr t) { read(of_thread, t); });
      sync(e);
      par(e, block, [&](const Emitter& of_thread, Expr t) { write(of_thread, t); });
    });
  }

 private:
  Expr i64(std::int64_t value) { return arena_.i64(value); }

  // body(slow, fast) for the places of the tile; threads that are neighbours have neighbouring `fast`.
  void for_places(const Emitter& e, Expr t, const std::function<void(Expr slow, Expr fast)>& body) {
    const Expr fast = e.bind(t % side_, "fast");
    const Expr first = e.bind(t / side_, "first");
    e.for_loop(first, i64(side_), i64(at_once_), "slow", [&](Expr slow) { body(slow, fast); });
  }
  Expr place(const Emitter& e, Expr column, Expr row) { return e.bind(column * (side_ + 1) + row, "place"); }
  // body(e, indices, number) where the tile's place is one of the space.
  using AtPoint = std::function<void(const Emitter&, const std::vector<Expr>& indices, Expr number)>;
  void at_point(const Emitter& e, Expr row_in_tile, Expr column_in_tile, const AtPoint& body) {
    const Expr row = e.bind(first_row_ + row_in_tile, "row");
    const Expr column = e.bind(first_column_ + column_in_tile, "column");
    const Expr is_column = column < dims_.back(), is_row = row < dims_[row_axis_];
    const Expr inside = is_row & is_column;
    e.if_then(e.bind(inside, "inside"), [&] {
      std::vector<Expr> indices = others_;
      indices.insert(indices.begin() + static_cast<std::ptrdiff_t>(row_axis_), row);
      indices.push_back(column);
      const Expr number = e.bind(linear(e, indices, dims_), "number");
      body(e.at_element(number), indices, number);
    });
  }

  void read(const Emitter& of_thread, Expr t) {
    for_places(of_thread, t, [&](Expr column, Expr row) {
      at_point(of_thread, row, column, [&](const Emitter& e, const std::vector<Expr>& indices, Expr) {
        const std::vector<Expr> values =
            apply(e, {at_.op().body.params, {}, {reads_.begin(), reads_.end()}}, indices);
        const Expr at = place(e, column, row);
        for (std::size_t k = 0; k < values.size(); ++k) e.store_plain(buffers_[k], at, values[k]);
      });
    });
  }

  void write(const Emitter& of_thread, Expr t) {
    for_places(of_thread, t, [&](Expr row, Expr column) {
      at_point(of_thread, row, column, [&](const Emitter& e, const std::vector<Expr>& indices, Expr number) {
        const Expr at = place(e, column, row);
        for (std::size_t k = 0; k < names_.size(); ++k)
          e.bind_name(names_[k].var(), e.load_plain(buffers_[k], at, "staged"));
        point(e, s_, indices, number, {});
      });
    });
  }

  const Phase& at_;
  scalar::Arena& arena_;
  const std::int64_t side_;  // of a tile
  std::size_t row_axis_ = 0;
  std::int64_t at_once_ = 1;  // rows of a tile that the block takes together
  soac::Stm s_;               // with names for what is read
  std::vector<Expr> reads_, names_;
  std::vector<Expr> dims_;
  Expr first_row_, first_column_;
  std::vector<Expr> others_;  // indices of axes of which the tile has one
  std::vector<Var> buffers_;
};

}  // namespace

void walk_tiles(const Phase& phase) {
  Tiles{phase}();
}

}  // namespace fulgurite::walk::blocks
