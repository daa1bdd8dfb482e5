// How often programs have each construct of the array IR: a row for every alternative of its sum types, every
// operation and kind of scalars, and every case that their fields tell apart.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/match.h"
#include "scalar/expr.h"
#include "soac/walk.h"

namespace fulgurite::programs {

using Table = std::map<std::string, std::size_t>;

namespace inside {

class Counter {
 public:
  Counter(const soac::Program& program, Table& table) : arena_(*program.arena), table_(table) {
    for (soac::Var v : program.params) variable(v);
    body(program.body);
    exprs(program.results);
  }

  void note(const std::string& row) { ++table_[row]; }

 private:
  using Kind = scalar::Kind;
  using Op = scalar::Op;

  static std::string some(std::size_t n) { return n == 0 ? "no" : n == 1 ? "one" : n == 2 ? "two" : "more"; }

  void variable(soac::Var v) {
    const scalar::VarInfo& info = arena_.info(v);
    note(std::string(info.type.rank == 0 ? "scalar " : "array ") +
         std::string(scalar::name_of(info.type.kind)));
    if (info.type.rank > 0) note("array of rank " + std::to_string(info.type.rank));
  }
  void exprs(const std::vector<soac::Expr>& roots) {
    scalar::for_each_node(roots, [&](soac::Expr e) {
      note("operation " + std::string(scalar::info(e.op()).name));
      if (e.op() == Op::index) note(e.site() == 0 ? "index that is inside" : "index that may be outside");
      if (scalar::is_division(e.op()))
        if (!scalar::is_float(e.kind()))
          note(e.site() == 0 ? "divisor that is not 0" : "divisor that may be 0");
    });
  }
  void lambda(const soac::Lambda& f) {
    for (soac::Var v : f.params) variable(v);
    body(f.body);
    exprs(f.results);
  }
  void reduction(const soac::Reduction& r, const std::string& what) {
    note(what + (r.commutative ? " that is commutative" : " that is not commutative"));
    note(what + (r.neutral.empty() ? " without neutral element" : " with neutral element"));
    note(what + (r.initial.empty() ? " without initial value" : " with initial value"));
    note(what + (r.op.results.size() == 1 ? " of scalars" : " of tuples"));
    if (!r.op.body.empty()) note(what + " with statements in its operator");
    lambda(r.op);
  }

  void statement(const soac::Stm& stm) {
    for (soac::Var v : stm.names) variable(v);
    if (!stm.origin.empty()) note("from " + stm.origin);
    base::match(
        stm.op, [&](const soac::Soac& s) { soac(s); }, [&](const soac::Scan& s) { scan(s); },
        [&](const soac::Sort& s) {
          note("Sort");
          note("Sort of " + some(s.arrays.size()) + " arrays");
          if (s.segments) note("Sort of segments");
          exprs(s.arrays);
          lambda(s.key);
        },
        [&](const soac::If& i) {
          note("If");
          exprs({i.condition});
          gives_arrays("If", i.then_branch.results);
          lambda(i.then_branch);
          lambda(i.else_branch);
        },
        [&](const soac::Loop& l) {
          const std::string what = l.trips ? "Loop with trips" : "Loop while";
          note(what);
          gives_arrays(what, l.body.results);
          exprs(l.initial);
          if (l.trips) exprs({l.trips});
          if (!l.trips) lambda(l.condition);
          lambda(l.body);
        },
        [&](const soac::Check& c) {
          note("Check");
          exprs({c.condition});
          exprs(c.operands);
        },
        [&](const soac::Call& c) {
          note("Call");
          exprs(c.arrays);
          exprs(c.scalars);
        },
        [&](const soac::Let& l) {
          note("Let");
          exprs({l.value});
        });
  }
  void gives_arrays(const std::string& what, const std::vector<soac::Expr>& results) {
    std::size_t n = 0;
    for (soac::Expr e : results) n += e.type().rank > 0;
    note(what + " with " + some(n) + " arrays");
  }
  void soac(const soac::Soac& s) {
    note("Soac");
    note("Soac of rank " + std::to_string(s.dims.size()));
    if (depth_ > 0) note("Soac in a function of elements");
    if (s.outer_axes > 0) note("Soac that was nested");
    if (s.axes_behind > 0) note("Soac with axes behind those of its results");
    if (s.reductions.size() > 1) note("Soac with several reductions");
    exprs(s.dims);
    for (const soac::Reduction& r : s.reductions) reduction(r, "Reduction");
    for (const soac::Scatter& scatter : s.scatters) {
      const std::string what = scatter.combine.empty() ? "Scatter" : "Scatter that combines";
      note(what + " to rank " + std::to_string(scatter.shape.size()));
      if (scatter.goes_on) note("Scatter that goes on");
      note(what + (scatter.initial.results.size() == 1 ? " of scalars" : " of tuples"));
      if (scatter.combine.empty())
        note(scatter.of_equal == soac::OfEqual::last ? "Scatter where the last stays"
                                                     : "Scatter where any stays");
      exprs(scatter.shape);
      lambda(scatter.initial);
      for (const soac::Reduction& r : scatter.combine) reduction(r, "combining Reduction");
    }
    for (const soac::Partition& p : s.partitions) {
      note(p.classes.is_constant(1) ? "Partition of one class" : "Partition of classes");
      note("Partition of " + some(p.n_values) + " values");
      exprs({p.classes});
    }
    for (soac::Expr e : s.body.results)
      note(e.type().rank > 0 ? "result of each point that is an array" : "result of each point");
    ++depth_;
    lambda(s.body);
    --depth_;
  }
  void scan(const soac::Scan& s) {
    note(s.inclusive ? "Scan, inclusive" : "Scan, exclusive");
    reduction(s.reduction, "scanning Reduction");
    exprs(s.operands);
  }
  void body(const std::vector<soac::Stm>& stms) {
    for (const soac::Stm& stm : stms) statement(stm);
  }

  const soac::Arena& arena_;
  Table& table_;
  int depth_ = 0;
};

}  // namespace inside

inline void count_constructs(const soac::Program& program, Table& table) {
  inside::Counter(program, table);
}

/// The rows that random programs as they are traced must have. Others, as sums of products and kernel
/// operations, come from passes.
inline std::vector<std::string> constructs_of_traces() {
  std::vector<std::string> rows = {
      "Check",
      "Call",
      "Let",
      "Sort",
      "Sort of one arrays",
      "Sort of two arrays",
      "Sort of more arrays",
      "Sort of segments",
      "If",
      "If with no arrays",
      "If with one arrays",
      "If with more arrays",
      "index that is inside",
      "index that may be outside",
      "divisor that may be 0",
      "divisor that is not 0",
      "Scan, inclusive",
      "Scan, exclusive",
      "Soac",
      "Soac of rank 1",
      "Soac of rank 2",
      "Soac of rank 3",
      "Soac in a function of elements",
      "array of rank 1",
      "array of rank 2",
      "array of rank 3",
      "Scatter where the last stays",
      "Scatter where any stays",
      "Partition of one class",
      "Partition of classes",
      "Partition of one values",
      "Partition of two values",
      "Partition of more values",
      "result of each point",
      "result of each point that is an array",
  };
  for (const char* loop : {"Loop with trips", "Loop while"})
    for (const char* n : {"no", "one", "two", "more"})
      rows.push_back(std::string(loop) + " with " + n + " arrays");
  for (const char* scatter : {"Scatter", "Scatter that combines"})
    for (const char* of : {" to rank 1", " to rank 2", " to rank 3", " of scalars", " of tuples"})
      rows.push_back(std::string(scatter) + of);
  for (const char* of : {"Reduction", "scanning Reduction"})
    for (const char* how : {" that is commutative", " that is not commutative", " without neutral element",
                            " with neutral element", " without initial value", " with initial value",
                            " of scalars", " of tuples", " with statements in its operator"})
      rows.push_back(std::string(of) + how);
  for (const char* how : {" that is commutative", " that is not commutative", " of scalars", " of tuples"})
    rows.push_back(std::string("combining Reduction") + how);
  for (int kind = 0; kind <= static_cast<int>(scalar::Kind::f64); ++kind) {
    rows.push_back("scalar " + std::string(scalar::name_of(static_cast<scalar::Kind>(kind))));
    rows.push_back("array " + std::string(scalar::name_of(static_cast<scalar::Kind>(kind))));
  }
  for (const scalar::OpInfo& op : scalar::all_ops()) {
    if (!op.has('v') && !op.has('s') && op.name != "fast_fma")
      rows.push_back("operation " + std::string(op.name));
  }
  for (const char* origin : {"map",
                             "generate",
                             "iota",
                             "replicate",
                             "slice",
                             "take",
                             "drop",
                             "reverse",
                             "rotate",
                             "transpose",
                             "reshape",
                             "concat",
                             "gather",
                             "backpermute",
                             "scatter",
                             "with",
                             "reduce",
                             "reduce_comm",
                             "fold",
                             "sum",
                             "product",
                             "min",
                             "max",
                             "all",
                             "any",
                             "count",
                             "argmin",
                             "argmax",
                             "scan",
                             "exclusive_scan",
                             "scan_right",
                             "exclusive_scan_right",
                             "scan_with_total",
                             "scan_right_with_total",
                             "segmented_reduce",
                             "segmented_fold",
                             "segmented_scan",
                             "segmented_exclusive_scan",
                             "segmented_scan_right",
                             "segmented_exclusive_scan_right",
                             "segmented_scan_with_totals",
                             "segmented_scan_right_with_totals",
                             "flags",
                             "lengths",
                             "offsets",
                             "histogram",
                             "permute",
                             "filter",
                             "partition",
                             "sort",
                             "argsort",
                             "sort_by_key",
                             "stencil",
                             "cond",
                             "iterate",
                             "while_loop"})
    rows.push_back("from " + std::string(origin));
  return rows;
}

/// The rows that passes must add.
inline std::vector<std::string> constructs_of_passes() {
  return {"Soac that was nested", "Soac with several reductions", "Scatter that goes on",
          "operation fast_fma", "operation fma_sum"};
}

/// Those of the rows that are missing.
inline std::vector<std::string> missing(const Table& table, std::vector<std::string> rows) {
  std::erase_if(rows, [&](const std::string& row) { return table.contains(row); });
  return rows;
}

}  // namespace fulgurite::programs
