// Branches, loops and barriers of a kernel that is being recorded.
#pragma once

#include "block/position.h"

namespace fulgurite::detail::block {

class Control final : private trace::Control {
 public:
  Control(Statements& code, const Position& position) : code_(code), position_(position) {
    code.tracer().set_control(this);
  }

  void loop(const Value& begin, const Value& end, const block::Body&, const Here&);
  void barrier(kernel::Level, const Here&);

 private:
  bool is_making() const override { return code_.is_making(); }
  // fg::cond, while_loop and iterate.
  Values cond(const Value& condition, const detail::Body& yes, const detail::Body& no, const Here&) override;
  Values while_loop(const detail::Body& condition, const detail::Body& body, std::span<const Value> initial,
                    const Here&) override;
  Values iterate(const Value& trips, const detail::Body& body, std::span<const Value> initial,
                 const Here&) override;

  /// The variables that a loop carries.
  std::vector<Expr> declare(std::span<const Value> initial, const Here&);
  /// Ends a loop's body. If the body has barriers, its threads wait for each other once more before the next
  /// round begins. `n_barriers`: how many had been made before the body.
  void end_round(std::size_t n_barriers, const Here&);
  /// Ends the body of a loop that carries variables: `next` are their values in the next round.
  void end_round(std::size_t n_barriers, const std::vector<Expr>& variables, const Values& next, const Here&);

  const kernel::Builder& builder() const { return code_.builder(); }

  Statements& code_;
  const Position& position_;
  std::size_t n_barriers_ = 0;
};

}  // namespace fulgurite::detail::block
