// The pieces of a row that the splits of a nest make, each with the statement as it is there.
#include "walk/lanes/points.h"

namespace fulgurite::walk::lanes {

namespace {

/// The ways that a row takes, and the pieces of its columns.
class Parts {
 public:
  Parts(const Walk& walk, const Emitter& e, std::span<const Expr> outer, const Piece& body)
      : walk_(walk), e_(e), outer_(outer), body_(body) {}

  void rows(const schedule::Region& part, std::size_t n_more, Expr begin, Expr end) const {
    const auto pieces =
        n_more > 0 ? schedule::split_rows(walk_.arena(), part, conditions(), true) : std::nullopt;
    if (!pieces || pieces->conditions.size() > n_more || !keeps(part, pieces->inside) ||
        !keeps(part, pieces->others))
      return columns(part, n_more, begin, end);
    Expr test;
    for (const schedule::Side& side : pieces->sides) {
      const Expr index = outer_[side.axis];
      Expr is_there = side.is_behind ? side.at <= index : index < side.at;
      test = test ? Expr(test & is_there) : is_there;
    }
    const std::size_t fewer = n_more - pieces->conditions.size();
    e_.if_then_else(
        e_.lower(test), [&] { rows(pieces->inside, fewer, begin, end); },
        [&] { rows(pieces->others, fewer, begin, end); });
  }

 private:
  const std::vector<schedule::Split>* conditions() const {
    return walk_.plan.is_renamed ? nullptr : &walk_.plan.nest.splits;
  }
  bool keeps(const schedule::Region& before, const schedule::Region& after) const {
    return e_.keeps(schedule::rewrite::pieces, before.stm, after.stm);
  }

  void columns(const schedule::Region& part, std::size_t n_more, Expr begin, Expr end) const {
    const auto pieces = n_more > 0 ? schedule::split(walk_.arena(), part, conditions()) : std::nullopt;
    if (!pieces || !keeps(part, pieces->before)) return body_(part, begin, end);
    const Expr at = e_.lower(max(begin, min(pieces->at, end)));
    columns(pieces->before, n_more - 1, begin, at);
    columns(pieces->behind, n_more - 1, at, end);
  }

  const Walk& walk_;
  const Emitter& e_;
  const std::span<const Expr> outer_;
  const Piece& body_;
};

}  // namespace

void for_pieces(const Walk& walk, const Emitter& e, std::span<const Expr> outer, Expr begin, Expr end,
                const Piece& body) {
  Parts(walk, e, outer, body).rows({walk.s}, walk.plan.nest.splits.size(), begin, end);
}

}  // namespace fulgurite::walk::lanes
