#include "walk/lanes/short_rows.h"

#include "parts/operator.h"
#include "walk/narrow.h"

namespace fulgurite::walk::lanes {

namespace {

/// One lane's points of a row: every `lanes`-th of range.begin + t to range.end.
class LaneOfRow {
 public:
  LaneOfRow(const Emitter& e, const soac::Stm& s, const Range& range, std::int64_t lanes, Expr t)
      : e_(e), s_(s), range_(range), lanes_(e.arena().i64(lanes)), t_(t) {}

  Expr whole() const { return e_.lower(range_.begin + (range_.end - range_.begin) / lanes_ * lanes_); }
  void remaining_vector(Expr from, const Running& running) const {
    const Expr index = e_.bind(from + t_, "j");
    const Expr end = cast(range_.end, Kind::i32);
    const Expr in_range = cast(index, Kind::i32) < end;
    e_.if_then(e_.bind(in_range, "in_range"), [&] { take(s_, index, running); });
  }
  void whole_vectors(Expr whole, const Running& running) const {
    const auto vectors = [&](const soac::Stm& s, Expr from, Expr to, const Running& into) {
      e_.for_loop(from, to, lanes_, "j", [&](Expr j) { take(s, e_.bind(j + t_, "j"), into); });
    };
    const std::optional<LaterPoints> later = LaterPoints::of(e_, s_);
    if (!later || !later->has_narrow_indices()) return vectors(s_, range_.begin, whole, running);
    e_.if_then(e_.lower(range_.begin < whole), [&] { take(s_, e_.bind(range_.begin + t_, "j"), running); });
    later->as_one(e_, range_.begin, e_.lower(range_.begin + lanes_), whole, running, vectors);
  }

 private:
  void take(const soac::Stm& s, Expr index, const Running& into) const {
    point(e_.at_element(index), s, std::span(&index, 1), index, into);
  }

  const Emitter& e_;
  const soac::Stm& s_;
  const Range& range_;
  const Expr lanes_, t_;
};

}  // namespace

std::vector<Expr> reduce_short_row(const Emitter& scalar_code, const soac::Stm& s, const Range& range,
                                   const schedule::Cut& cut) {
  const Emitter e = scalar_code.in_lanes();
  scalar::Arena& arena = e.arena();
  const auto& op = std::get<soac::Soac>(s.op);
  const auto lanes = static_cast<std::int64_t>(cut.size.bits());
  const std::int64_t rest = cut.tail == schedule::Tail::apart ? cut.rest : lanes;
  const std::vector<Var> shared = shared_values(e, op.reductions, lanes);
  const auto by_lanes = [&](std::int64_t n, const std::function<void(const LaneOfRow&, Expr t)>& body) {
    e.par(kernel::Level::block, arena.i64(n), "t", [&](Expr t) { body({e, s, range, lanes, t}, t); });
  };
  by_lanes(lanes, [&](const LaneOfRow& lane, Expr t) {
    const Running running{start(e, op), {}, 0, {}};
    const Expr whole = lane.whole();
    lane.whole_vectors(whole, running);
    if (rest == lanes) e.if_then(e.lower(whole < range.end), [&] { lane.remaining_vector(whole, running); });
    save(e, running.reductions, shared, t);
  });
  if (rest < lanes)
    by_lanes(rest, [&](const LaneOfRow& lane, Expr t) {
      const Running running{restore(e, op.reductions, shared, t), {}, 0, {}};
      e.for_loop(lane.whole(), range.end, arena.i64(rest), "from",
                 [&](Expr from) { lane.remaining_vector(from, running); });
      save(e, running.reductions, shared, t);
    });
  // Indices are constants: the compiler keeps all of this in registers.
  for (std::int64_t width = lanes / 2; width > 1; width /= 2)
    e.par(kernel::Level::block, arena.i64(width), "t",
          [&](Expr t) { join_halves(e, op, shared, t, arena.i64(width)); });
  join_halves(e, op, shared, arena.i64(0), arena.i64(1));
  return parts::load_all(e, shared, arena.i64(0), "total");
}

}  // namespace fulgurite::walk::lanes
