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

/// Why a statement's arrays cannot be index functions; empty for a map, whose arrays can.
std::string_view why_in_memory(const soac::Stm&);

/// Whether memory for the arrays can be set aside before a function runs: no extent mentions what is bound in
/// it.
bool has_known_size(const scalar::Arena&, const std::vector<scalar::Var>& arrays, const soac::Vars& inside);

/// Whether a statement from `from` + 1 to `to` may update in place an array that statement `from` reads: what
/// reads the old array had better not come later. `kept`: arrays that nothing updates.
bool is_updated_before(scalar::Arena&, const soac::Vars& kept, const std::vector<soac::Stm>&,
                       std::size_t from, std::size_t to);

struct Decision {
  bool inlines = false;
  std::string reason;
};
/// For a map, in a body whose arrays can be in memory.
Decision decide(scalar::Arena&, const std::vector<soac::Stm>&, std::size_t producer,
                const std::vector<scalar::Expr>& results, const Uses&);

}  // namespace fulgurite::fuse
