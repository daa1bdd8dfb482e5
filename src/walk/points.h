// The points of a Soac: a walk over its space calls point() for each, wherever the loops are, and keeps what
// goes from one to the next.
#pragma once

#include "soac/outputs.h"
#include "walk/emitter.h"

namespace fulgurite::walk {

/// What a walk over the points of a Soac keeps from one point to the next, in mutable variables of scalar
/// code or of a lane, and where a partition's points go.
struct Running {
  using Groups = std::vector<std::vector<Expr>>;
  /// The place of the next point of each class: in variables (or, in what a walk starts with, values), or
  /// table[class] in memory. `packs`: places after it may be overwritten, so lanes can go together.
  struct Cursor {
    std::vector<Expr> next;
    Destination table;
    bool packs = false;
  };
  Groups reductions;  // the accumulators of each reduction
  Groups scans;       // the accumulators of each Scan of the body, in order
  int lanes = 0;      // instances that are neighbouring points and scan together; 0: one point by itself
  std::vector<Cursor> partitions;
  /// Brings a point's values to the elements of a scatter's arrays; absent: they are stored or joined.
  using Elements = std::span<const std::pair<Var, Expr>>;
  using Update = std::function<void(const Emitter&, std::size_t scatter, Expr number, Elements elements,
                                    std::span<const Expr> values)>;
  Update update = {};
  // For each Scan, its values within the point's run; `scans` are totals of the runs before (scan_runs.h).
  Groups within = {};
};

/// One point of a Soac's space: lowers the body at `indices` (point number `number`), joins the reductions'
/// operands to the accumulators, stores the mapped results at their destinations, and the values of scatters
/// and partitions at the destinations of their arrays.
void point(const Emitter&, const soac::Stm&, std::span<const Expr> indices, Expr number, const Running&);

/// What a map or a scatter leaves of scalars of a point, given as `results` of its body: stores those that
/// are mapped at their destinations, and values of scatters at places in theirs.
void leave_results(const Emitter&, const soac::Stm&, std::span<const Expr> results, Expr number);

/// Where the elements of a point's array go: into the array that the Soac maps.
Destination row_of(const Emitter&, const soac::Soac&, const soac::Mapped& row, std::span<const Expr> indices,
                   Expr number);

/// Variables that hold the neutral elements of the reductions.
Running::Groups start(const Emitter&, const soac::Soac&);
/// Shared memory for n values of each component of the reductions.
std::vector<Var> shared_values(const Emitter&, std::span<const soac::Reduction>, std::int64_t n);
/// Element `at` of the buffers becomes what the groups' variables hold, and the other way round.
void save(const Emitter&, const Running::Groups&, std::span<const Var> buffers, Expr at,
          std::string_view name = "acc");
Running::Groups restore(const Emitter&, std::span<const soac::Reduction>, std::span<const Var> buffers,
                        Expr at);
/// accumulators = op(accumulators, operands)
void join(const Emitter&, const soac::Reduction&, const std::vector<Expr>& accumulators,
          std::span<const Expr> operands);
/// Joins the accumulators of all reductions with what other variables hold, or with element `at` of the
/// buffers of their components.
void join(const Emitter&, std::span<const soac::Reduction>, const Running::Groups& accumulators,
          const Running::Groups& others, std::string_view name = "part");
void join(const Emitter&, std::span<const soac::Reduction>, const Running::Groups& accumulators,
          std::span<const Var> buffers, Expr at, std::string_view name = "part");
/// What join() adds to accumulators: the expressions lowered, each fma_sum an fma_sum of lowered factors.
std::vector<Expr> operands(const Emitter&, std::span<const Expr>);
/// buffer[t] = op(buffer[t], buffer[t + width]), for the buffers of the reductions' components.
void join_halves(const Emitter&, const soac::Soac&, std::span<const Var> buffers, Expr t, Expr width);
/// Joins initial values from the left to the totals of all components and binds the reductions' names to
/// the results.
void finish(const Emitter&, const soac::Stm&, std::span<const Expr> totals);

}  // namespace fulgurite::walk
