// Reading a delayed array: `index(p, e...)` becomes the body of p at e. The copied statements stand in the
// function that reads, right before the statement that needs them, once for every distinct list of indices; a
// read inside an inner function whose indices are axes of an outer one, and surely inside the array, is done
// in the outer one. An index that might be outside the array gets the Check that the read would have made.
#pragma once

#include "fuse/producer.h"
#include "fuse/repeats.h"
#include "fuse/use_table.h"

namespace fulgurite::fuse {

/// The loops around a piece of program, outermost first.
using Path = std::vector<Axis>;

struct Reads {
  int evaluations = 0;  // of the producer, for each point of the path; of two branches the greater
  // How many different lists of indices there are; where the producer gives arrays, not as many as
  // evaluations.
  int distinct = 0;
  int copies = 0;        // of the producer's function, counting both branches
  bool repeats = false;  // some element may be computed more than once
  // One Soac is around the reads, and each index is one of its axes, forwards or backwards from somewhere, or
  // the same at all points: where these axes are split, what the producer asks of its indices is known.
  bool at_offsets = true;
  bool any() const { return evaluations > 0; }
};

/// How the statements, and the expressions after them, read the producer, if its reads were inlined.
Reads reads_in(scalar::Arena&, const Producer&, const soac::Stm&, const Path& = {});
Reads reads_in(scalar::Arena&, const Producer&, const std::vector<scalar::Expr>& roots, const Path& = {});

/// The facts of reads at the top of a Soac's function, or, with `function` absent, among expressions.
Reads reads_in(scalar::Arena&, const Producer&, const std::vector<scalar::Expr>& reads,
               const soac::Soac* function, const Path& = {});

/// The values of these reads of a producer whose body is nothing but expressions.
std::vector<Replacement> values_of(scalar::Arena&, const Producer&, const std::vector<scalar::Expr>& reads,
                                   const soac::Soac* function, const Path&);
/// Puts values in the place of reads at the top of a Soac's function, or among expressions. A value may hold
/// reads that come later in the list.
void put_in(scalar::Arena&, const std::vector<Replacement>&, soac::Soac& function, const Path&);
void put_in(scalar::Arena&, const std::vector<Replacement>&, std::vector<scalar::Expr>& roots, const Path&);

/// Inlines every read in the statement, or the expressions; statements that they need are appended to
/// `before`. Gives the first names of the statements that changed: this one, and statements inside it.
std::vector<scalar::Var> inline_reads(scalar::Arena&, const Producer&, soac::Stm&,
                                      std::vector<soac::Stm>& before, const Path& = {});
void inline_reads(scalar::Arena&, const Producer&, std::vector<scalar::Expr>& roots,
                  std::vector<soac::Stm>& before, const Path& = {});

}  // namespace fulgurite::fuse
