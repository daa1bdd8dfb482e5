// Between which values an integer lies, and the interval of an operation's result. An interval has constants
// on both sides, and on either side possibly an expression, which says more than a constant can: `n - 1` for
// an index below n. Where an operation may wrap around there is no expression, or one that gives the end of
// the kind's range in that case.
#pragma once

#include <span>

#include "scalar/formula.h"

namespace fulgurite::soac {

__extension__ using Wide = __int128;  // holds every value of every integer kind, and their sums

/// least <= value <= most; and `low` <= value <= `high`, i64 expressions that may be absent.
struct Interval {
  Wide least = 0, most = 0;
  scalar::Expr low = {}, high = {};
};

class Intervals {
 public:
  explicit Intervals(scalar::Arena& arena) : arena_(arena) {}

  /// Every value of the kind. It has no expressions if the kind has more than 16 bits, as that would be no
  /// bound to allocate memory by.
  Interval any(scalar::Kind);
  Interval exactly(std::int64_t);
  /// Constants on both sides, and expressions for them where they are small enough for a size.
  Interval between(Wide least, Wide most);
  /// The values of both, and the values that are in both.
  Interval hull(const Interval&, const Interval&);
  Interval meet(const Interval&, const Interval&);

  Interval add(scalar::Kind, const Interval&, const Interval&);
  Interval sub(scalar::Kind, const Interval&, const Interval&);
  Interval mul(scalar::Kind, const Interval&, const Interval&);
  /// The values of an integer operation on operands in these intervals.
  Interval apply(scalar::Expr operation, std::span<const Interval> operands);

 private:
  struct Corner {  // a value of the left operand and one of the right
    scalar::Expr a, b;
  };
  template <class Ends>
  Interval wrapped(scalar::Kind, Wide least, Wide most, bool has_low, bool has_high, Ends&&);
  Interval products(scalar::Kind, Wide least, Wide most, std::span<const Corner> lows,
                    std::span<const Corner> highs);
  Interval square(scalar::Kind, const Interval&);
  Interval quotient(scalar::Kind, const Interval&, const Interval&);
  Interval quotient_up(scalar::Kind, const Interval&, const Interval&);
  Interval remainder(const Interval&, const Interval&);
  Interval magnitude(scalar::Kind, const Interval&);
  Interval bits(scalar::Op, scalar::Kind, const Interval&, const Interval&);
  Interval shifted(scalar::Op, scalar::Kind, const Interval&, const Interval&);
  Interval converted(scalar::Kind, const Interval&);
  Interval finish(Interval);
  scalar::Expr least_of(scalar::Expr, scalar::Expr);
  scalar::Expr most_of(scalar::Expr, scalar::Expr);
  scalar::Expr negative(scalar::Expr);

  scalar::Arena& arena_;
};

}  // namespace fulgurite::soac
