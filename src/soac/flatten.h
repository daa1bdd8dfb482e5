// Programs in the form that the interpreter runs: every function a list of instructions over numbered slots,
// each node of its expressions evaluated once, just before the first statement that needs it. What nothing
// needs is left out, so that it cannot fail: statements none of whose names are read, and single results of
// statements. Checks outside functions that mention only arguments come before everything else.
#pragma once

#include <unordered_map>
#include <variant>
#include <vector>

#include "scalar/value.h"
#include "soac/ir.h"

namespace fulgurite::soac {

using Slot = std::int32_t;

/// to = op(a, b, c). index: element of array number a, with `c` indices in index_slots from b.
struct Instruction {
  scalar::Op op;
  Kind operand, result;
  Slot to, a = 0, b = 0, c = 0;
  Site site = 0;
};

/// A scalar's slot or an array's number.
struct Ref {
  bool is_array = false;
  Slot number = 0;
};

struct FlatStatement;
struct Segment {
  std::vector<Instruction> instructions;
  std::vector<FlatStatement> statement;  // at most one, after the instructions
};
using Code = std::vector<Segment>;

/// A component whose operand is an fma_sum of a and b.
struct FlatProduct {
  std::size_t component;
  Kind kind;
  Slot a, b;
};
struct FlatReduction {
  std::vector<Slot> operands, left, right, results, neutral, initial, to;
  std::vector<FlatProduct> products;
  Code op;
};
struct FlatOutput {
  Ref element;
  Slot array;
  Kind kind;
  std::vector<Slot> shape;  // of the whole array
};
struct FlatScatter {
  std::vector<Slot> shape, params, contents, place, values, arrays;
  std::vector<Kind> kinds;
  Code initial;
  std::vector<FlatReduction> combine;  // none or one; only its operator
  bool goes_on = false;
};
struct FlatPartition {
  Slot classes, element_class = 0, total, offsets;
  std::vector<Slot> values, arrays;
  std::vector<Kind> kinds;
};
struct FlatSoac {
  std::vector<Slot> dims, params;
  std::size_t outer_axes = 0, axes_behind = 0;
  Code body;
  std::vector<Slot> scans;  // the numbers of the Scans in the body
  std::vector<FlatReduction> reductions;
  std::vector<FlatScatter> scatters;
  std::vector<FlatPartition> partitions;
  std::vector<FlatOutput> outputs;
};
struct FlatScan {
  Slot number;  // among all Scans of the program
  FlatReduction reduction;
  bool inclusive;
  std::optional<Slot> segments;
};
struct FlatSort {
  std::vector<Slot> arrays, params, to;
  Code key;
  Slot key_result = 0;
  std::optional<Slot> segments;
};
struct FlatIf {
  Slot condition;
  Code branches[2];  // then, else
  std::vector<Ref> results[2], to;
};
struct FlatLoop {
  std::vector<Ref> initial, condition_params, params, results, to;
  bool counted = false;
  Slot trips = 0, counter = 0;
  Code condition;
  Slot condition_result = 0;
  Code body;
};
struct FlatCheck {
  Slot condition;
  Site site;
  std::vector<Slot> operands;
};
struct FlatCall {
  const Call* call;
  std::vector<Slot> arrays, former, scalars;  // former: -1 where there is none
  struct Result {
    Slot array;
    Kind kind;
    std::vector<Slot> shape;
  };
  std::vector<Result> results;
};
struct FlatLet {
  Slot from, to;
};
struct FlatStatement {
  std::variant<FlatSoac, FlatScan, FlatSort, FlatIf, FlatLoop, FlatCheck, FlatCall, FlatLet> op;
  Location where;
};

struct FlatProgram {
  struct Param {
    Ref to;
    std::vector<Slot> extents;
  };
  std::vector<Param> params;
  Code code;
  std::vector<Ref> results;
  std::vector<Slot> index_slots;
  std::vector<std::pair<Slot, scalar::Bits>> constants;
  std::size_t n_slots = 0, n_arrays = 0, n_scans = 0;
};

FlatProgram flatten(const Program&);

}  // namespace fulgurite::soac
