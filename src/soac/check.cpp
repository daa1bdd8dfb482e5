#include "soac/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/check.h"
#include "base/match.h"
#include "scalar/print.h"
#include "soac/extents.h"
#include "soac/outputs.h"
#include "soac/sums.h"
#include "soac/walk.h"

namespace fulgurite::soac {

using base::match;
using scalar::Op;

namespace {

constexpr Type boolean{Kind::boolean, 0, 1};

class Checker {
 public:
  Checker(const Program& program, std::string_view pass)
      : program_(program), arena_(*program.arena), pass_(pass) {}

  void run() {
    for (Var p : program_.params) parameter(p);
    statements(program_.body);
    for (Expr e : program_.results) value(e);
  }

  /// Names that the statements, or shapes of what they bind, mention and the statements do not bind are taken
  /// for names of an enclosing scope.
  void run_in_scope(bool anywhere) {
    is_whole_ = false;
    is_anywhere_ = anywhere;
    Vars mentioned, bound;
    for (const Stm& stm : program_.body) {
      add_mentioned(stm, mentioned);
      add_bound(stm, bound);
    }
    for (Var name : bound) add_mentioned(arena_.info(name).shape, mentioned);
    for (Var name : mentioned)
      if (!bound.contains(name)) visible_.insert(name);
    statements(program_.body);
  }

 private:
  bool is_in_table(Site site) const { return is_anywhere_ || site <= program_.sites.size(); }
  [[noreturn]] void fail(const std::string& what) const {
    const std::string at = current_.empty() ? "" : fmt::format(", in the statement of '{}'", current_);
    throw InternalError(fmt::format("after {}: {}{}", pass_, what, at));
  }
  void require(bool condition, const char* what) const {
    if (!condition) fail(what);
  }
  std::string name(Var var) const { return arena_.info(var).name; }

  void parameter(Var var) {
    for (Expr extent : arena_.info(var).shape) {
      if (extent.is_constant() && extent.type() == Type{} && static_cast<std::int64_t>(extent.bits()) >= 0)
        continue;
      if (!extent.is_name())
        fail(fmt::format("an extent of parameter '{}' is neither a name nor a size", name(var)));
      bind(extent.var());
    }
    bind(var);
  }

  /// Makes a name visible in the open scope.
  void bind(Var var) {
    if (static_cast<std::size_t>(var) >= arena_.n_vars()) fail("a name is not of the program's arena");
    if (!ever_bound_.insert(var).second) fail(fmt::format("'{}' is bound twice", name(var)));
    if (arena_.info(var).type.lanes != 1) fail(fmt::format("'{}' is a vector", name(var)));
    visible_.insert(var);
    bound_.push_back(var);
  }
  void bind_with_shape(Var var) {
    if (static_cast<std::size_t>(var) >= arena_.n_vars()) fail("a name is not of the program's arena");
    for (Expr e : arena_.info(var).shape) extent(e, "an extent");
    bind(var);
  }

  struct Mark {
    std::size_t n_bound, n_known;
  };
  Mark open() const { return {bound_.size(), known_list_.size()}; }
  void close(Mark mark) {
    for (; bound_.size() > mark.n_bound; bound_.pop_back()) visible_.erase(bound_.back());
    for (; known_list_.size() > mark.n_known; known_list_.pop_back()) known_.erase(known_list_.back());
  }

  /// An expression that may be an array's name. An fma_sum is a value for a sum only.
  void value(Expr root, bool is_for_sum = false) {
    if (!root) fail("an expression is absent");
    if (info(root.op()).has('s') && !is_for_sum)
      fail(fmt::format("{} is not the operand of a sum of floats", info(root.op()).name));
    std::vector<Expr> stack{root};
    while (!stack.empty()) {
      const Expr e = stack.back();
      stack.pop_back();
      if (!known_.insert(e.node()).second) continue;
      known_list_.push_back(e.node());
      node(e);
      for (std::size_t i = 0; i < e.args().size(); ++i) {
        const bool is_array_of_index = e.op() == Op::index && i == 0;
        if (!is_array_of_index && e.arg(i).type().rank != 0)
          fail(fmt::format("array '{}' is an operand of {}", scalar::describe(arena_, e.arg(i)),
                           info(e.op()).name));
        if (info(e.arg(i).op()).has('s'))
          fail(fmt::format("{} is part of an expression", info(e.arg(i).op()).name));
        stack.push_back(e.arg(i));
      }
    }
  }
  void node(Expr e) const {
    if (info(e.op()).has('v') || e.type().lanes != 1)
      fail(fmt::format("{} is of the kernel IR", info(e.op()).name));
    if (e.is_name() && !visible_.contains(e.var()))
      fail(fmt::format("'{}' is used outside its scope", name(e.var())));
    if (e.is_name() && arena_.name(e.var()) != e)
      fail(fmt::format("'{}' is of another arena", name(e.var())));
    if (!is_in_table(e.site()))
      fail(fmt::format("site {} of {} is not in the table", e.site(), info(e.op()).name));
  }

  void scalar_of(Expr e, Type type, const char* what) {
    value(e);
    if (e.type() != type)
      fail(fmt::format("{} is {} but should be {}", what, to_string(e.type()), to_string(type)));
  }
  void extent(Expr e, const char* what) {
    scalar_of(e, Type{}, what);
    if (is_anywhere_ || is_extent_(e)) return;
    fail(fmt::format("{} may fail, reads an element or computes with floats: {}; a Let has to bind it", what,
                     scalar::describe(arena_, e)));
  }
  void same_types(const std::vector<Type>& given, const std::vector<Type>& needed, const char* what) const {
    if (given.size() != needed.size())
      fail(fmt::format("{}: {} given, {} needed", what, given.size(), needed.size()));
    for (std::size_t i = 0; i < given.size(); ++i)
      if (given[i] != needed[i])
        fail(fmt::format("{}: number {} is {} but should be {}", what, i, to_string(given[i]),
                         to_string(needed[i])));
  }
  std::vector<Type> types(const std::vector<Var>& vars) const {
    std::vector<Type> list;
    for (Var v : vars) list.push_back(arena_.info(v).type);
    return list;
  }
  std::vector<Type> types(const std::vector<Expr>& exprs) {
    std::vector<Type> list;
    for (Expr e : exprs) {
      value(e);
      list.push_back(e.type());
    }
    return list;
  }

  void statements(const std::vector<Stm>& body) {
    const std::string outer = current_;
    const bool scans_are_here = std::exchange(scans_are_fine_, false);
    Vars running;  // names whose values depend on a Scan of this body
    for (const Stm& stm : body) {
      if (!stm.names.empty())
        current_ = static_cast<std::size_t>(stm.names[0]) < arena_.n_vars() ? name(stm.names[0]) : "?";
      const std::vector<Type> results = match(
          stm.op, [&](const Soac& s) { return soac(s); },
          [&](const Scan& s) { return scan(s, scans_are_here); }, [&](const Sort& s) { return sort(s); },
          [&](const If& i) { return branches(i); }, [&](const Loop& l) { return loop(l); },
          [&](const Check& c) { return check(c); }, [&](const Call& c) { return call(c, stm.names); },
          [&](const Let& l) { return let(l); });
      add_running(stm, running);
      for (Var v : stm.names) bind_with_shape(v);
      const std::vector<Type> given = types(stm.names);
      same_types(given, is_whole_ ? results : flat_as(given, results), "names of the statement");
    }
    current_ = outer;
  }

  void add_running(const Stm& stm, Vars& running) const {
    const auto* scan = base::as<Scan>(stm.op);
    if (!scan && running.empty()) return;
    Vars mentioned;
    if (scan) {
      add_mentioned(scan->reduction.op, mentioned);
      add_mentioned(scan->reduction.neutral, mentioned);
      add_mentioned(scan->reduction.initial, mentioned);
    } else {
      add_mentioned(stm, mentioned);
    }
    const bool depends = std::ranges::any_of(mentioned, [&](Var v) { return running.contains(v); });
    if (scan && depends) fail("a Scan's operator or start depends on another Scan of its body");
    if (scan || depends) running.insert(stm.names.begin(), stm.names.end());
  }

  /// Types of the results, within the function's scope.
  std::vector<Type> function(const Lambda& lambda) {
    const Mark mark = open();
    for (Var p : lambda.params) bind_with_shape(p);
    statements(lambda.body);
    std::vector<Type> results = types(lambda.results);
    close(mark);
    return results;
  }

  std::vector<Type> soac(const Soac& s) {
    require(!s.dims.empty() && s.dims.size() < 256, "a Soac needs 1 to 255 axes");
    require(s.outer_axes < s.dims.size(), "a Soac has more outer axes than axes");
    require(s.axes_behind <= s.dims.size(), "a Soac has more axes behind its results than axes");
    for (Expr e : s.dims)
      if (is_in_soac_)
        scalar_of(e, Type{}, "an extent of the iteration space");
      else
        extent(e, "an extent of the iteration space");
    same_types(types(s.body.params), std::vector<Type>(s.dims.size(), Type{}), "parameters of the body");
    const bool scans_were_fine = std::exchange(scans_are_fine_, true);
    const bool was_in_soac = std::exchange(is_in_soac_, true);
    const OutputView outputs = view_of(s);
    points(s.body, outputs);
    scans_are_fine_ = scans_were_fine;
    std::vector<Type> results;
    const auto add = [&](const std::vector<Type>& more) {
      results.insert(results.end(), more.begin(), more.end());
    };
    for (const OutputView::Reduced& r : outputs.reductions) add(reduced(r));
    for (std::size_t g = 0; g < outputs.scatters.size(); ++g) {
      add(scatter(outputs.scatters[g]));
      if (outputs.scatters[g].to.goes_on)
        follows(g > 0 ? &outputs.scatters[g - 1].to : nullptr, outputs.scatters[g].to);
    }
    for (std::size_t g = 0; g < s.partitions.size(); ++g)
      add(partition(outputs.partitions[g], s.partitions[g].n_values));
    for (const Mapped& m : outputs.mapped) {
      require(m.result.type().rank + s.dims.size() < 256, "a mapped result of more than 255 axes");
      results.push_back(array_of(m.result.type(), m.result.type().rank + s.dims.size()));
    }
    is_in_soac_ = was_in_soac;
    return results;
  }

  /// Checks the results of a Soac's body, within its scope.
  void points(const Lambda& body, const OutputView& outputs) {
    const Mark mark = open();
    for (Var p : body.params) bind_with_shape(p);
    statements(body.body);
    for (const OutputView::Reduced& r : outputs.reductions)
      for (std::size_t k = 0; k < r.operands.size(); ++k) value(r.operands[k], takes_products(r.by, k));
    for (const OutputView::Scattered& scattered : outputs.scatters) {
      for (Expr e : scattered.place) value(e);
      for (Expr e : scattered.values) value(e);
    }
    for (const OutputView::Partitioned& p : outputs.partitions) {
      if (p.point_class) value(p.point_class);
      for (Expr e : p.values) value(e);
    }
    for (const Mapped& m : outputs.mapped) value(m.result);
    close(mark);
  }

  /// Types of operands, `n` of which are needed.
  std::vector<Type> operands(std::span<const Expr> given, std::size_t n, const char* what) const {
    if (given.size() < n) fail(fmt::format("the body gives too few {}", what));
    std::vector<Type> list;
    for (Expr e : given) {
      if (e.type().rank > 0) fail(fmt::format("an array among the {}", what));
      list.push_back(e.type());
    }
    return list;
  }

  std::vector<Type> reduced(const OutputView::Reduced& r) {
    std::vector<Type> given = operands(r.operands, r.by.op.results.size(), "operands of reductions");
    reduction(r.by, given);
    return given;
  }

  void follows(const Scatter* before, const Scatter& scatter) {
    require(before != nullptr && before->shape == scatter.shape &&
                before->initial.results.size() == scatter.initial.results.size(),
            "a scatter that goes on from none, or from one of other arrays");
    require(before->combine.empty() && scatter.combine.empty(), "a scatter with an operator that goes on");
    require(before->stores_in_any_order() && scatter.stores_in_any_order(),
            "a scatter that goes on where the last of several values stays");
  }

  std::vector<Type> scatter(const OutputView::Scattered& output) {
    const Scatter& scatter = output.to;
    for (Expr e : scatter.shape) extent(e, "an extent of a scattered array");
    const std::vector<Type> place(scatter.shape.size(), Type{});
    require(!place.empty() && place.size() < 256, "a scattered array needs 1 to 255 axes");
    same_types(types(scatter.initial.params), place, "parameters of a scatter's contents");
    const std::vector<Type> contents = function(scatter.initial);
    require(!is_whole_ || !contents.empty(), "a scatter of nothing");
    same_types(operands(output.place, place.size(), "places of a scatter"), place, "places of a scatter");
    same_types(operands(output.values, contents.size(), "values of a scatter"), contents,
               "values of a scatter");
    require(scatter.combine.size() <= 1, "a scatter with two operators");
    require(scatter.combine.empty() || scatter.of_equal == OfEqual::last,
            "a scatter with an operator that leaves values out");
    for (const Reduction& r : scatter.combine) {
      require(r.initial.empty(), "a scatter's operator with an initial value");
      reduction(r, contents);
    }
    std::vector<Type> arrays;
    for (Type t : contents) arrays.push_back(array_of(t, place.size()));
    return arrays;
  }

  std::vector<Type> partition(const OutputView::Partitioned& p, std::size_t n_values) {
    scalar_of(p.classes, Type{}, "the number of classes");
    const std::span<const Expr> point_class(&p.point_class, p.point_class ? 1 : 0);
    same_types(operands(point_class, 1, "classes of a partition"), {Type{}}, "the class of a partition");
    std::vector<Type> results{Type{}, array_of(Type{}, 1)};
    for (Type t : operands(p.values, n_values, "values of a partition")) results.push_back(array_of(t, 1));
    return results;
  }

  /// This is called before the operator is checked.
  static bool takes_products(const Reduction& r, std::size_t k) {
    return r.op.params.size() == 2 * r.op.results.size() && r.op.results[k] && is_sum_of_floats(r, k);
  }

  static Type array_of(Type element, std::size_t rank) {
    element.rank = static_cast<std::uint8_t>(rank);
    return element;
  }

  void reduction(const Reduction& r, const std::vector<Type>& operands) {
    require(!operands.empty(), "a reduction of nothing");
    std::vector<Type> both = operands;
    both.insert(both.end(), operands.begin(), operands.end());
    same_types(types(r.op.params), both, "parameters of a reduction's operator");
    same_types(function(r.op), operands, "results of a reduction's operator");
    if (!r.neutral.empty()) same_types(types(r.neutral), operands, "neutral elements");
    if (!r.initial.empty()) same_types(types(r.initial), operands, "initial values");
  }

  std::vector<Type> scan(const Scan& s, bool is_fine) {
    require(is_fine, "a Scan outside a Soac's own body");
    std::vector<Type> operands = types(s.operands);
    for (Type t : operands) require(t.rank == 0, "an operand of a scan is an array");
    if (s.segments) {
      same_types(types(std::vector{s.segments}), {{Kind::i64, 1, 1}}, "a scan's segments");
      if (operands.empty()) operands = {{Kind::i64, 0, 1}};
    }
    reduction(s.reduction, operands);
    require(s.inclusive || !s.reduction.neutral.empty() || !s.reduction.initial.empty(),
            "an exclusive scan without a first element");
    return operands;
  }

  std::vector<Type> sort(const Sort& s) {
    const std::vector<Type> arrays = types(s.arrays);
    require(!arrays.empty(), "a sort of nothing");
    std::vector<Type> elements;
    for (Type t : arrays) {
      require(t.rank == 1, "a sorted array is not of rank 1");
      elements.push_back({t.kind, 0, 1});
    }
    same_types(types(s.key.params), elements, "parameters of a sort's key");
    require(s.key.body.empty(), "a sort's key is not one expression");
    const std::vector<Type> keys = function(s.key);
    require(keys.size() == 1 && keys[0].rank == 0 && scalar::is_integer(keys[0].kind) &&
                !scalar::is_signed(keys[0].kind),
            "a sort's key is not one unsigned integer");
    require(!scalar::can_fail(s.key.results[0]), "a sort's key can fail");
    if (s.segments) same_types(types(std::vector{s.segments}), {{Kind::i64, 1, 1}}, "a sort's segments");
    return arrays;
  }

  std::vector<Type> branches(const If& i) {
    scalar_of(i.condition, boolean, "the condition of an If");
    require(i.then_branch.params.empty() && i.else_branch.params.empty(), "a branch has parameters");
    std::vector<Type> results = function(i.then_branch);
    same_types(function(i.else_branch), results, "results of the else branch");
    return results;
  }

  std::vector<Type> loop(const Loop& l) {
    const std::vector<Type> state = types(l.initial);
    std::vector<Type> params = state;
    if (l.trips) {
      scalar_of(l.trips, Type{}, "the number of trips");
      require(l.condition == Lambda(), "a Loop has both trips and a condition");
      params.insert(params.begin(), Type{});
    } else {
      same_types(types(l.condition.params), state, "parameters of the condition");
      same_types(function(l.condition), {boolean}, "results of the condition");
    }
    same_types(types(l.body.params), params, "parameters of the loop's body");
    same_types(function(l.body), state, "results of the loop's body");
    return state;
  }

  std::vector<Type> check(const Check& c) {
    scalar_of(c.condition, boolean, "the condition of a Check");
    for (Expr e : c.operands) scalar_of(e, Type{}, "an operand of a Check");
    if (c.site == 0 || !is_in_table(c.site))
      fail(fmt::format("site {} of a Check is not in the table", c.site));
    return {};
  }

  std::vector<Type> let(const Let& l) {
    const std::vector<Type> value = types(std::vector{l.value});
    require(value[0].rank == 0, "a Let of an array");
    return value;
  }

  // Arrays that a launch keeps for itself may have the elements of several axes in one, row by row.
  static std::vector<Type> flat_as(const std::vector<Type>& given, std::vector<Type> needed) {
    for (std::size_t i = 0; i < std::min(given.size(), needed.size()); ++i)
      if (given[i].rank == 1 && needed[i].rank > 1) needed[i].rank = 1;
    return needed;
  }
  // Kernels take arrays of any rank as arrays of one axis, row by row.
  static std::vector<Type> with_ranks_of(const std::vector<Type>& given, std::vector<Type> needed) {
    for (std::size_t i = 0; i < std::min(given.size(), needed.size()); ++i)
      if (given[i].rank > 0) needed[i].rank = given[i].rank;
    return needed;
  }
  std::vector<Type> call(const Call& c, const std::vector<Var>& names) {
    using Role = kernel::Param::Role;
    require(!is_in_soac_, "a Call in the function of a Soac");
    require(c.kernel != nullptr, "a Call of nothing");
    std::vector<Type> arrays, results, scalars;
    for (const kernel::Param& p : c.kernel->params) {
      const Type type = c.kernel->arena->info(p.name).type;
      (p.role == Role::input ? arrays : p.role == Role::output ? results : scalars).push_back(type);
    }
    const std::vector<Type> given = types(c.arrays);
    same_types(given, with_ranks_of(given, arrays), "arrays of a Call");
    results = with_ranks_of(types(names), results);
    same_types(types(c.scalars), scalars, "scalars of a Call");
    require(c.former.size() == results.size(), "a Call without as many former arrays as results");
    for (std::size_t r = 0; r < results.size(); ++r)
      if (c.former[r]) same_types(types(std::vector{c.former[r]}), {results[r]}, "a former array of a Call");
    for (Site site : c.sites) require(site != 0 && is_in_table(site), "a Call's site is not in the table");
    return results;
  }

  const Program& program_;
  const Arena& arena_;
  const std::string pass_;
  std::string current_;          // first name of the statement that is checked
  bool is_whole_ = true;         // else statements in a scope
  bool is_anywhere_ = false;     // which may be that of a function, in another program
  bool scans_are_fine_ = false;  // in the statements that come next
  bool is_in_soac_ = false;
  std::unordered_set<Var> ever_bound_, visible_;
  Extents is_extent_;
  std::vector<Var> bound_;                         // visible, in order of binding
  std::unordered_set<const scalar::Node*> known_;  // checked, and in scope as long as their scope is open
  std::vector<const scalar::Node*> known_list_;
};

}  // namespace

void check(const Program& program, std::string_view after_pass) {
  FULGURITE_CHECK(program.arena != nullptr, "after {}: a program without an arena", after_pass);
  Checker(program, after_pass).run();
}

void check_in_scope(const Program& program, std::string_view after_pass) {
  FULGURITE_CHECK(program.arena != nullptr, "after {}: statements without an arena", after_pass);
  Checker(program, after_pass).run_in_scope(false);
}

void check_anywhere(const Program& program, std::string_view after_pass) {
  FULGURITE_CHECK(program.arena != nullptr, "after {}: statements without an arena", after_pass);
  Checker(program, after_pass).run_in_scope(true);
}

}  // namespace fulgurite::soac
