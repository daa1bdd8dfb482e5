// What the phases around the main one compute, for lanes and for blocks alike: contents before points are
// stored, the partial results of tasks joined, what each task goes on from. Each is a legal Soac over names
// of the program and memory of the launch. How it is walked differs: the caller adds a nest or a skeleton.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "schedule/ir.h"
#include "schedule/surroundings.h"

namespace fulgurite::schedule {

/// What arrays hold before the points of a statement store to them: phase "fill".
struct Filling {
  struct Part {
    soac::Stm computes;
    /// 1 where the arrays have to be filled, 0 where they have the memory of what they begin as.
    Expr guard;
  };
  std::vector<Part> parts;
  std::vector<Copy> copies;
};
/// For the scatters without an operator. An array that begins as another one, element by element, is a copy
/// that can be spared, unless something else of the statement reads that array and it is not updated in
/// place.
Filling fill(const Surroundings&, const soac::Stm&, std::span<const InPlace>);
/// fill() part by part: `add` gets what it computes, and the copy that it makes, if it is one.
using AddFilling = std::function<void(soac::Stm computes, const std::optional<Copy>&)>;
void fill(const Surroundings&, const soac::Stm&, std::span<const InPlace>, const AddFilling& add);
/// A map that computes the initial contents of one scatter.
soac::Stm contents(const soac::Stm&, std::size_t scatter);

/// The partial results of `n` tasks reduced: phase "last". Component k of reduction g of task t is element t
/// of partials[g][k]; a reduction without partial results is left out. Binds what the statement binds.
soac::Stm last(scalar::Arena&, const soac::Stm&, Expr n, std::span<const std::vector<Var>> partials);

/// A scatter with an operator: for each place its initial value and what the `n` tasks have for it, in order:
/// phase "places". `bins`: for each component the array with the bins of all tasks; the bin of a task for a
/// place is number bin(task, place) there. Makes the arrays of the scatter that `is_made` says.
soac::Stm places(scalar::Arena&, const soac::Stm&, std::size_t scatter, Expr n, std::span<const Var> bins,
                 const std::function<Expr(Expr task, Expr place)>& bin,
                 const std::function<bool(Var)>& is_made);

/// The operands of some Scans of the body reduced, and the points of some partitions counted by class: phase
/// "fold". Binds fresh names: one for each component of each Scan, then two for each partition. `goes_on`:
/// the tasks know what the Scans have before them, and the statement has all of them.
soac::Stm fold(scalar::Arena&, const soac::Stm&, std::span<const soac::Stm* const> scans,
               std::span<const std::size_t> partitions, bool goes_on = false);

/// What each of `n` tasks goes on from: phase "carry". carries[s][k][t] is what Scan s, component k, has
/// before task t: initial op partials[s][k][0] op ... op partials[s][k][t - 1]. Walks may write the carries
/// over the partial results; then the statement binds fresh names.
soac::Stm carry(scalar::Arena&, const soac::Stm&, Expr n, std::span<const soac::Stm* const> scans,
                std::span<const std::vector<Var>> partials, std::span<const std::vector<Var>> carries);

/// Running sums of counts: phase "count". sums[i] = counts[0] + ... + counts[i - 1], for i < n.
soac::Stm count(scalar::Arena&, const soac::Stm& original, Expr n, Var counts, Var sums);

/// Fresh arrays of the same kinds and shapes, for statements whose results take the place of others.
std::vector<std::vector<Var>> fresh_like(scalar::Arena&, std::span<const std::vector<Var>>);

}  // namespace fulgurite::schedule
