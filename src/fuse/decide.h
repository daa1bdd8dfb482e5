// Whether an array that a Soac makes is better computed where it is read than kept in memory. The rule never
// repeats work that is dearer than a load (simplify/cost.h has the numbers).
#pragma once

#include <string>
#include <vector>

#include "soac/walk.h"

namespace fulgurite::fuse {

/// Who uses the arrays of one statement, in the statements after it and in the results of the same body.
struct Uses {
  std::vector<scalar::Var> read;     // arrays of which elements are read
  std::vector<scalar::Var> whole;    // arrays needed in memory: results, state of loops
  std::vector<std::size_t> readers;  // statements that read elements
  bool read_by_results = false;      // the expressions after the last statement do
};

/// The arrays that each statement of a body, and its results, mention. Kept up to date by who changes the
/// body.
class UseTable {
 public:
  UseTable(const std::vector<soac::Stm>&, const std::vector<scalar::Expr>& results);

  Uses of(const std::vector<scalar::Var>& arrays, std::size_t producer) const;
  void changed(const std::vector<soac::Stm>&, std::size_t at);
  void inserted(const std::vector<soac::Stm>&, std::size_t at, std::size_t count);
  void erased(std::size_t at);
  void results_changed(const std::vector<scalar::Expr>&);

 private:
  struct Mentions {
    soac::Vars read, whole;
  };
  static Mentions mentions_of(const soac::Stm&);
  static Mentions mentions_of(const std::vector<scalar::Expr>& roots);

  std::vector<Mentions> statements_;
  Mentions results_;
};

struct Decision {
  bool inlines = false;
  std::string reason;
};
/// For a Soac without reductions, in a body whose arrays can be in memory.
Decision decide(scalar::Arena&, const std::vector<soac::Stm>&, std::size_t producer,
                const std::vector<scalar::Expr>& results, const Uses&);

}  // namespace fulgurite::fuse
