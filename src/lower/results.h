// The results of a combinator's launch: arrays, some of which begin as a copy of another and may take its
// memory, and scalars that come back. Shared by the schedules.
#pragma once

#include "lower/launches.h"
#include "soac/outputs.h"

namespace fulgurite::lower {

class Results {
 public:
  /// The results of the launch that `original` became. From here on stores by the code of `e` to arrays of
  /// the statement that `original` binds go to their memory.
  Results(Launches&, const Emitter& e, const soac::Stm& original, const schedule::Launch&);
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;

  /// The launch, with memory for the results and for `temporaries`, and the scalars that it gives.
  void launch(kernel::Block phases, std::span<const Expr> tasks, std::span<const Var> temporaries,
              LaunchNote note);

 private:
  Expr i64(std::int64_t value) { return arena_.i64(value); }
  bool is_original(Var name) const;
  void allocate(std::span<const Var> temporaries);

  Launches& launches_;
  scalar::Arena& arena_;
  Host& host_;
  const Emitter e_;
  const soac::Stm& original_;
  const schedule::Launch& launch_;
  const soac::Soac& op_;
  const soac::OutputView outputs_;
  std::vector<Var> arrays_, sorted_;
  Expr written_;
};

}  // namespace fulgurite::lower
