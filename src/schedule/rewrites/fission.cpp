#include "schedule/rewrites/fission.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "base/match.h"
#include "schedule/nest.h"
#include "schedule/rewrites/rewrite.h"
#include "schedule/rewrites/slice.h"
#include "soac/count.h"
#include "soac/outputs.h"
#include "soac/rename.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

namespace {

using base::as;
using scalar::Expr;
using scalar::Op;
using scalar::Var;
using soac::Lambda;
using soac::Stm;

std::int64_t n_nodes(std::span<const Expr> roots) {
  std::int64_t n = 0;
  scalar::for_each_node(roots, [&](Expr) { ++n; });
  return n;
}

bool elements_only(const soac::Soac& op) {
  return op.axes_behind == 0 &&
         std::ranges::all_of(op.body.results, [](Expr e) { return e.type().rank == 0; });
}
bool makes_elements(const soac::Soac& op) {
  return op.reductions.empty() && op.scatters.empty() && op.partitions.empty() && elements_only(op);
}

// A running value that begins anew where `flag` says so is a scan as well (Blelloch, "Prefix sums and their
// applications", 1990, section 1.5).
soac::Reduction beginning_anew(scalar::Arena& arena, const soac::Reduction& by) {
  const std::size_t k = by.op.results.size();
  std::vector<Expr> sides[2];
  soac::Reduction anew;
  for (std::vector<Expr>& side : sides) {
    side.push_back(arena.fresh({scalar::Kind::boolean}, "begins"));
    for (Expr result : by.op.results) side.push_back(arena.fresh(result.type(), "x"));
    for (Expr name : side) anew.op.params.push_back(name.var());
  }
  std::vector<Expr> arguments(sides[0].begin() + 1, sides[0].end());
  arguments.insert(arguments.end(), sides[1].begin() + 1, sides[1].end());
  soac::Applied joined = soac::apply(arena, by.op, arguments);
  anew.op.body = std::move(joined.body);
  const Expr begins = sides[1][0];
  anew.op.results.push_back(sides[0][0] | begins);
  for (std::size_t c = 0; c < k; ++c)
    anew.op.results.push_back(select(begins, sides[1][c + 1], joined.results[c]));
  if (!by.neutral.empty()) anew.neutral.push_back(arena.boolean(false));
  anew.neutral.insert(anew.neutral.end(), by.neutral.begin(), by.neutral.end());
  return anew;
}

// Makes the Scans of a row begin anew with each row.
void begin_anew(scalar::Arena& arena, soac::Soac& of_row) {
  Expr begins = arena.boolean(true);
  for (Var index : of_row.body.params) begins = begins & equal(arena.name(index), 0);
  std::vector<Stm> body;
  for (Stm& s : of_row.body.body) {
    auto* scan = std::get_if<soac::Scan>(&s.op);
    if (!scan) {
      body.push_back(std::move(s));
      continue;
    }
    const std::vector<Expr> neutral = scan->reduction.neutral;
    std::vector<Stm> first;
    if (!scan->inclusive)
      for (std::size_t c = 0; c < s.names.size(); ++c) {
        const scalar::VarInfo info = arena.info(s.names[c]);
        const Expr before = arena.fresh(info.type, info.name);
        first.push_back({{s.names[c]}, soac::Let{select(begins, neutral[c], before)}, s.where, s.origin});
        s.names[c] = before.var();
      }
    s.names.insert(s.names.begin(), arena.fresh({scalar::Kind::boolean}, "begins").var());
    scan->operands.insert(scan->operands.begin(), begins);
    scan->reduction = beginning_anew(arena, scan->reduction);
    body.push_back(std::move(s));
    std::ranges::move(first, std::back_inserter(body));
  }
  of_row.body.body = std::move(body);
}

class Fission {
 public:
  Fission(scalar::Arena& arena, const Stm& map, const BlocksPolicy& by)
      : arena_(arena), s_(map), op_(std::get<soac::Soac>(map.op)), by_(by) {
    for (const Stm& s : op_.body.body) add_alone(s);
    room_ = arena_.i64(0);
    bound_.insert(op_.body.params.begin(), op_.body.params.end());
    for (const Stm& s : body_) bound_.insert(s.names.begin(), s.names.end());
  }

  bool applies() {
    if (!soac::is_map(op_) || op_.axes_behind > 0 || body_.empty() || soac::may_fail(s_)) return false;
    bool has_scans = false;
    for (const Stm& s : body_) {
      const auto* inner = as<soac::Soac>(s.op);
      if (!inner || soac::mentions_any(inner->dims, bound_)) return false;
      for (Var name : s.names)
        if (soac::mentions_any(arena_.info(name).shape, bound_)) return false;
      if (has_scan(inner->body)) {
        if (!can_begin_anew(*inner)) return false;
        has_scans = true;
      }
    }
    return (body_.size() > 1 || has_scans) && find_arrays();
  }

  FissionParts operator()() {
    FissionParts made{{}, room_};
    for (const Stm& s : body_)
      if (!inlined_.contains(s.names[0])) add(made, at_all_points(s));
    if (auto scalars = results_of_scalars()) add(made, std::move(*scalars));
    return made;
  }

 private:
  void add(FissionParts& made, Stm s) const {
    made.statements.push_back(made_by(rewrite::fission, arena_, std::move(s)));
  }

  // What a reduction maps besides is a map before it, which its operands read.
  void add_alone(const Stm& s) {
    const auto* op = as<soac::Soac>(s.op);
    if (!op || op->reductions.empty() || !op->scatters.empty() || !op->partitions.empty()) {
      body_.push_back(s);
      return;
    }
    soac::Outputs outputs = soac::outputs_of(s);
    if (outputs.mapped.empty() || !elements_only(*op) || has_scan(op->body)) {
      body_.push_back(s);
      return;
    }
    const std::vector<Expr> point = arena_.names(op->body.params);
    soac::Outputs mapped;
    mapped.mapped = std::exchange(outputs.mapped, {});
    for (soac::Outputs::Reduced& r : outputs.reductions)
      for (Expr& operand : r.operands)
        for (const soac::Mapped& m : mapped.mapped)
          if (operand == m.result) operand = arena_.index(arena_.name(m.array), point);
    body_.push_back(with(s, std::move(mapped)));
    body_.push_back(with(s, std::move(outputs)));
  }

  Stm with(const Stm& s, soac::Outputs outputs) const {
    Stm part = soac::with_outputs(s, std::move(outputs));
    Lambda& body = std::get<soac::Soac>(part.op).body;
    body = slice(arena_, body, body.results);
    return part;
  }

  // Its operators are the same for all rows.
  bool can_begin_anew(const soac::Soac& inner) const {
    if (!makes_elements(inner)) return false;
    return std::ranges::all_of(scans_of(inner.body), [&](const Stm* s) {
      const auto& scan = std::get<soac::Scan>(s->op);
      soac::Vars mentioned;
      soac::add_mentioned(scan.reduction.op, mentioned);
      soac::add_mentioned(scan.reduction.neutral, mentioned);
      return scan.reduction.initial.empty() && (scan.inclusive || !scan.reduction.neutral.empty()) &&
             std::ranges::none_of(mentioned, [&](Var name) { return bound_.contains(name); });
    });
  }

  // Arrays for what the statements bind: arrays that the map makes from it, or others.
  bool find_arrays() {
    for (const Stm& s : body_)
      for (Var name : s.names) arrays_.emplace(name, Expr());
    for (std::size_t k = 0; k < s_.names.size(); ++k) {
      const Expr result = op_.body.results[k];
      if (result.type().rank == 0) continue;
      const auto found = arrays_.find(result.var());
      if (found == arrays_.end() || found->second) return false;
      found->second = arena_.name(s_.names[k]);
    }
    if (!std::ranges::all_of(body_, [&](const Stm& s) { return only_reads(s); })) return false;
    for (const Stm& s : body_)
      if (can_be_inlined(s))
        for (Var name : s.names) inlined_.insert(name);
    for (auto& [name, array] : arrays_) {
      if (array || inlined_.contains(name)) continue;
      const scalar::VarInfo info = arena_.info(name);
      std::vector<Expr> shape = op_.dims;
      shape.insert(shape.end(), info.shape.begin(), info.shape.end());
      if (info.type.rank > 0) room_ = room_ + product(arena_, shape);
      array = arena_.fresh_array(info.type.kind, std::move(shape), info.name);
    }
    return true;
  }

  // Whether it reads elements of the rows only.
  bool only_reads(const Stm& s) const {
    bool reads = true;
    soac::for_each_root(s, [&](Expr root) {
      reads &= !root.is_name() || root.type().rank == 0 || !arrays_.contains(root.var());
    });
    return reads;
  }

  // A map of elements that the combinators after it read at points of their own.
  bool can_be_inlined(const Stm& s) const {
    const auto& op = std::get<soac::Soac>(s.op);
    if (!makes_elements(op) || !op.body.body.empty() || n_nodes(op.body.results) > by_.fission_operations)
      return false;
    const auto is_result = [&](Expr e) { return e.type().rank > 0 && e.var() == s.names[0]; };
    if (s.names.size() > 1 || std::ranges::any_of(op_.body.results, is_result)) return false;
    return std::ranges::all_of(body_, [&](const Stm& reader) {
      for (const auto& inner : soac::nested_in(reader))
        for (const Stm& deeper : inner.lambda->body) {
          soac::Vars mentioned;
          soac::add_mentioned(deeper, mentioned);
          if (mentioned.contains(s.names[0]) && !as<soac::Scan>(deeper.op)) return false;
        }
      return true;
    });
  }

  // `s` may mention what stands for the map's indices, `point`, and reads elements of arrays of all points.
  template <class T>
  void read_arrays(T& s, std::span<const Expr> point) {
    scalar::Substitution* self = nullptr;
    scalar::Substitution substitute(arena_, [&](Expr e) -> Expr {
      if (e.is_name() && e.type().rank == 0) {
        for (std::size_t d = 0; d < point.size(); ++d)
          if (e.var() == op_.body.params[d]) return point[d];
        const auto array = arrays_.find(e.var());
        return array == arrays_.end() ? Expr() : arena_.index(array->second, point);
      }
      if (e.op() != Op::index || !e.arg(0).is_name() || !arrays_.contains(e.arg(0).var())) return {};
      const Var row = e.arg(0).var();
      if (inlined_.contains(row)) return (*self)(element_of(row, e.args().subspan(1)));
      std::vector<Expr> indices(point.begin(), point.end());
      for (Expr index : e.args().subspan(1)) indices.push_back((*self)(index));
      return arena_.index(arrays_.at(row), indices);
    });
    self = &substitute;
    soac::substitute_in(s, substitute);
  }

  Expr element_of(Var row, std::span<const Expr> indices) {
    const auto maker = std::ranges::find_if(body_, [&](const Stm& s) { return s.names[0] == row; });
    const Lambda& f = std::get<soac::Soac>(maker->op).body;
    std::unordered_map<Var, Expr> given;
    for (std::size_t d = 0; d < indices.size(); ++d) given.emplace(f.params[d], indices[d]);
    return scalar::substitute(arena_, f.results[0], given);
  }

  std::vector<Expr> fresh_point() {
    std::vector<Expr> point;
    for (Var index : op_.body.params) point.push_back(arena_.fresh({}, arena_.info(index).name));
    return point;
  }

  Stm at_all_points(const Stm& s) {
    const std::vector<Expr> point = fresh_point();
    const Lambda alone{op_.body.params, {s}, arena_.names(s.names)};
    soac::Applied applied = soac::apply(arena_, alone, point);
    Stm inner = std::move(applied.body[0]);
    read_arrays(inner, point);
    Stm all{{}, soac::Soac{op_.dims, {}}, s.where, s.origin};
    for (Var name : s.names) all.names.push_back(arrays_.at(name).var());
    auto& op = std::get<soac::Soac>(all.op);
    for (Expr index : point) op.body.params.push_back(index.var());
    auto& of_row = std::get<soac::Soac>(inner.op);
    if (!makes_elements(of_row)) {
      op.body.body = {std::move(inner)};
      op.body.results = std::move(applied.results);
      return all;
    }
    if (has_scan(of_row.body)) begin_anew(arena_, of_row);
    op.dims.insert(op.dims.end(), of_row.dims.begin(), of_row.dims.end());
    std::ranges::copy(of_row.body.params, std::back_inserter(op.body.params));
    op.body.body = std::move(of_row.body.body);
    op.body.results = std::move(of_row.body.results);
    return all;
  }

  // What the map makes of scalars.
  std::optional<Stm> results_of_scalars() {
    const std::vector<Expr> point = fresh_point();
    Lambda f{{}, {}, {}};
    Stm map{{}, soac::Soac{op_.dims, {}}, s_.where, s_.origin};
    for (Expr index : point) f.params.push_back(index.var());
    for (std::size_t k = 0; k < s_.names.size(); ++k)
      if (op_.body.results[k].type().rank == 0) {
        map.names.push_back(s_.names[k]);
        f.results.push_back(op_.body.results[k]);
      }
    if (map.names.empty()) return {};
    read_arrays(f, point);
    std::get<soac::Soac>(map.op).body = std::move(f);
    return map;
  }

  scalar::Arena& arena_;
  const Stm& s_;
  const soac::Soac& op_;
  const BlocksPolicy& by_;
  std::vector<Stm> body_;                 // statements of the function, reductions apart from what is mapped
  soac::Vars bound_;                      // in the map's function
  std::unordered_map<Var, Expr> arrays_;  // of what the function's statements bind, at all points
  Expr room_;                             // of the rows among them
  soac::Vars inlined_;                    // rows that are computed where they are read
};

// if (pays) { its parts } else { the map }
void add_divided(scalar::Arena& arena, Stm s, const BlocksPolicy& by, std::vector<Stm>& all) {
  const soac::Lambda& f = std::get<soac::Soac>(s.op).body;
  const auto* first = f.body.empty() ? nullptr : as<soac::Soac>(f.body[0].op);
  const Expr are_long = first ? by.short_row <= product(arena, first->dims) : arena.boolean(false);
  auto parts = are_long.is_constant(0) ? std::nullopt : fission(arena, s, by);
  const Expr pays = parts ? are_long & (parts->room <= by.fission_room) : arena.boolean(false);
  if (pays.is_constant(0)) return all.push_back(std::move(s));
  if (pays.is_constant()) {
    std::ranges::move(parts->statements, std::back_inserter(all));
    return;
  }
  all.push_back(one_of(arena, s, pays, std::move(parts->statements), {s}));
}

}  // namespace

std::optional<FissionParts> fission(scalar::Arena& arena, const Stm& map, const BlocksPolicy& by) {
  Fission divided(arena, map, by);
  if (!divided.applies()) return {};
  return divided();
}

soac::Program fission(soac::Program program, const BlocksPolicy& by) {
  scalar::Arena& arena = *program.arena;
  return rewrite_soacs(std::move(program), [&](Stm s, bool, std::vector<Stm>& all) {
    add_divided(arena, std::move(s), by, all);
  });
}

}  // namespace fulgurite::schedule
