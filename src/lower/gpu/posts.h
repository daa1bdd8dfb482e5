// What the threads of a block have posted, one point each: the number of a place (-1: none), and values. It
// goes to the places in the order of the points, which is that of the threads, although threads work side by
// side: those whose points have one place find each other in shared memory.
#pragma once

#include "lower/gpu/collective.h"

namespace fulgurite::lower::gpu {

/// The row-major number of a place of this shape (a class: of as many as there are), whose indices
/// stand first; -1 outside.
Expr place_of(Emitter&, std::span<const Expr> indices, std::span<const Expr> shape);

/// bins[task * size + i] = neutral, for all places of the scatter.
void fill_bins(Emitter&, const Block&, const soac::Scatter&, std::span<const Var> bins);

/// bins[task * size + place] = bins[task * size + place] op values, for each point. posted[0] has the places,
/// the others the values. A barrier stands before and behind.
void combine(Emitter&, const Block&, const soac::Scatter&, std::span<const Var> posted,
             std::span<const Var> bins);

/// arrays[table[place * tasks + task]++] = values, for each point: a place is a class.
void deal(Emitter&, const Block&, std::span<const Var> posted, Var table, std::span<const Var> arrays);

}  // namespace fulgurite::lower::gpu
