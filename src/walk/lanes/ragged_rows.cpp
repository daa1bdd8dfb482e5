#include "walk/lanes/ragged_rows.h"

#include <utility>

#include "schedule/nest.h"
#include "soac/rename.h"
#include "walk/lanes/short_rows.h"

namespace fulgurite::walk::lanes {

namespace {

class RaggedWalk {
 public:
  RaggedWalk(const Emitter& e, const soac::Stm& map, const schedule::RaggedRows& rows,
             const schedule::Nest& nest)
      : e_(e),
        arena_(e.arena()),
        map_(map),
        rows_(rows),
        nest_(nest),
        reduced_(map),
        of_row_{{rows.row}, std::exchange(std::get<soac::Soac>(reduced_.op).body.body, {}), {}},
        room_(i64(nest.stages[0].size)) {
    auto& reduction = std::get<soac::Soac>(of_row_.body[0].op);
    const Expr place = rows.begin + arena_.name(reduction.body.params[0]);
    for (Expr& operand : reduction.body.results) {
      elements_.push_back(arena_.fresh_array(operand.kind(), {room_}, "elements").var());
      buffers_.push_back(e.allocate_shared(operand.kind(), nest.stages[0].size));
      operand = arena_.index(arena_.name(elements_.back()), std::span(&place, 1));
    }
    failed_ = e.allocate_shared(Kind::i32, 1);
  }

  using Row = std::function<void(const soac::Stm& map, Expr i)>;
  void run(Expr from, Expr to, const Row& row) const {
    const Expr together = i64(schedule::size_by(nest_, schedule::Unit::sequence, 1));
    e_.for_loop(from, to, together, "first", [&](Expr first) {
      const Expr last = e_.bind(min(first + together, to), "last");
      const Expr begin = begin_of(first), end = begin_of(last);
      const Expr usable = fill(begin, end);
      e_.for_loop(first, last, i64(1), "row", [&](Expr i) { reduce_or_walk(i, begin, end, usable, row); });
    });
  }

 private:
  Expr i64(std::int64_t value) const { return arena_.i64(value); }
  Expr begin_of(Expr i) const { return e_.lower(scalar::substitute(arena_, rows_.begin, {{rows_.row, i}})); }
  const schedule::Nest& nest_of_elements() const { return *schedule::inner_of(nest_, 0); }

  // The elements [begin, end), and whether they are there.
  Expr fill(Expr begin, Expr end) const {
    const Expr base = e_.bind(0 - begin, "base");
    for (std::size_t k = 0; k < elements_.size(); ++k) {
      e_.set_destination(elements_[k], {buffers_[k], base});
      e_.made(elements_[k]);
    }
    const Expr are_there = e_.declare(arena_.boolean(false), "are_there");
    e_.if_then(e_.bind(e_.bind(end - begin, "n") <= room_, "fit"), [&] {
      e_.store_plain(failed_, i64(0), arena_.constant(Kind::i32, 0));
      const soac::Stm fill{elements_, soac::Soac{{end}, rows_.element}, map_.where, map_.origin};
      Range range;
      range.begin = begin, range.end = end;
      const auto note = [&] { e_.store_plain(failed_, i64(0), arena_.constant(Kind::i32, 1)); };
      walk_range(e_.on_failure(note), fill, range, {nest_of_elements()});
      e_.assign(are_there, equal(e_.load_plain(failed_, i64(0), "failed"), 0));
    });
    return e_.snapshot(are_there, "usable");
  }

  void reduce_or_walk(Expr i, Expr begin, Expr end, Expr usable, const Row& row) const {
    const Expr own = begin_of(i), next = begin_of(i + 1);
    const Expr ends_inside = next <= end, begins_inside = begin <= own;
    const Expr inside = begins_inside & ends_inside;
    const auto together = [&] {
      reduce(i, e_.bind(next - own, "length"));
      row(reduced_, i);
    };
    e_.if_then_else(e_.bind(usable & inside, "is_there"), together, [&] { row(map_, i); });
  }

  void reduce(Expr i, Expr length) const {
    const soac::Applied here = soac::apply(arena_, of_row_, std::span(&i, 1));
    Range range;
    range.begin = i64(0), range.end = length;
    const schedule::Cut& vectors =
        *schedule::innermost(*schedule::inner_of(nest_of_elements(), 0), schedule::Unit::lane);
    const Emitter at_row = e_.at_element(i);
    finish(at_row, here.body[0], reduce_short_row(at_row, here.body[0], range, vectors));
    const std::vector<Var>& totals = of_row_.body[0].names;
    for (std::size_t k = 0; k < totals.size(); ++k)
      e_.bind_name(totals[k], e_.lower(arena_.name(here.body[0].names[k])));
  }

  const Emitter& e_;
  scalar::Arena& arena_;
  const soac::Stm& map_;
  const schedule::RaggedRows& rows_;
  const schedule::Nest& nest_;
  soac::Stm reduced_;    // the map after the reduction
  soac::Lambda of_row_;  // the reduction, of elements that are there
  const Expr room_;
  std::vector<Var> elements_, buffers_;
  Var failed_{};
};

}  // namespace

void walk_ragged_rows(const Emitter& e, const soac::Stm& map, const schedule::RaggedRows& rows, Expr from,
                      Expr to, const schedule::Nest& nest,
                      const std::function<void(const soac::Stm& map, Expr i)>& row) {
  RaggedWalk(e, map, rows, nest).run(from, to, row);
}

}  // namespace fulgurite::walk::lanes
