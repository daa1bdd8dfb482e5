// Reductions after their first point, and the indices that they keep as variables of 32 bits.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "schedule/rewrites/ascending.h"
#include "walk/points.h"

namespace fulgurite::walk {

/// What a walk takes after its first point, where operators know more (ascending.h).
class LaterPoints {
 public:
  /// Absent: it changes nothing, or bisection leaves it out.
  static std::optional<LaterPoints> of(const Emitter&, const soac::Stm&);
  /// `later`: what it takes then.
  LaterPoints(const Emitter&, soac::Stm later);

  const soac::Stm& stm() const { return stm_; }
  bool has_narrow_indices() const { return narrow_.has_value(); }
  /// Calls `walk` for the points [from, to), in pieces of 2^31 where indices are narrow, or if they are fewer
  /// than 2^32 - 1 beyond `begin` as one; once more for the few that NaNs leave, where operators choose.
  using Walk = std::function<void(const soac::Stm&, Expr from, Expr to, const Running&)>;
  void in_pieces(const Emitter&, Expr from, Expr to, const Running& into, const Walk& walk) const;
  void as_one(const Emitter&, Expr begin, Expr from, Expr to, const Running& into, const Walk& walk) const;

  /// Several walks side by side, each of fewer than 2^32 - 1 points beyond its `begin`.
  struct Taken {
    const LaterPoints& later;
    Expr begin;
    Running into;
  };
  using WalkAll = std::function<void(const std::vector<soac::Stm>&, const std::vector<Running>&)>;
  static void side_by_side(const Emitter&, const std::vector<Taken>&, const WalkAll& walk);

 private:
  static void take_ordered(const Emitter&, const std::vector<Taken>&, std::span<const Expr> befores,
                           const std::vector<soac::Stm>&, const std::vector<Running>&, const WalkAll& walk);

  soac::Stm stm_;
  std::optional<schedule::NarrowIndices> narrow_;
  std::optional<schedule::WithoutNans> ordered_;
};

}  // namespace fulgurite::walk
