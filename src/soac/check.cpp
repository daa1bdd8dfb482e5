#include "soac/check.h"

#include <fmt/format.h>

#include <unordered_set>

#include "base/check.h"
#include "base/match.h"
#include "scalar/print.h"
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

 private:
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
      if (!extent.is_name()) fail(fmt::format("an extent of parameter '{}' is not a name", name(var)));
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
    for (Expr extent : arena_.info(var).shape) scalar_of(extent, Type{}, "an extent");
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

  /// An expression that may be an array's name.
  void value(Expr root) {
    if (!root) fail("an expression is absent");
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
    if (e.site() > program_.sites.size())
      fail(fmt::format("site {} of {} is not in the table", e.site(), info(e.op()).name));
  }

  void scalar_of(Expr e, Type type, const char* what) {
    value(e);
    if (e.type() != type)
      fail(fmt::format("{} is {} but should be {}", what, to_string(e.type()), to_string(type)));
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
    for (const Stm& stm : body) {
      if (!stm.names.empty())
        current_ = static_cast<std::size_t>(stm.names[0]) < arena_.n_vars() ? name(stm.names[0]) : "?";
      const std::vector<Type> results = match(
          stm.op, [&](const Soac& s) { return soac(s); }, [&](const If& i) { return branches(i); },
          [&](const Loop& l) { return loop(l); }, [&](const Check& c) { return check(c); });
      for (Var v : stm.names) bind_with_shape(v);
      same_types(types(stm.names), results, "names of the statement");
    }
    current_ = outer;
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
    for (Expr extent : s.dims) scalar_of(extent, Type{}, "an extent of the iteration space");
    same_types(types(s.body.params), std::vector<Type>(s.dims.size(), Type{}), "parameters of the body");
    std::vector<Type> results = function(s.body);
    std::size_t n_operands = 0;
    for (const Reduction& r : s.reductions) {
      const std::size_t k = r.op.results.size();
      require(k > 0, "a reduction of nothing");
      if (n_operands + k > results.size()) fail("the body gives too few operands for the reductions");
      const std::vector<Type> operands(results.begin() + static_cast<std::ptrdiff_t>(n_operands),
                                       results.begin() + static_cast<std::ptrdiff_t>(n_operands + k));
      for (Type t : operands) require(t.rank == 0, "an operand of a reduction is an array");
      std::vector<Type> both = operands;
      both.insert(both.end(), operands.begin(), operands.end());
      same_types(types(r.op.params), both, "parameters of a reduction's operator");
      same_types(function(r.op), operands, "results of a reduction's operator");
      if (!r.neutral.empty()) same_types(types(r.neutral), operands, "neutral elements");
      if (!r.initial.empty()) same_types(types(r.initial), operands, "initial values");
      n_operands += k;
    }
    for (std::size_t i = n_operands; i < results.size(); ++i) {
      require(results[i].rank + s.dims.size() < 256, "a mapped result of more than 255 axes");
      results[i].rank = static_cast<std::uint8_t>(results[i].rank + s.dims.size());
    }
    return results;
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
    if (c.site == 0 || c.site > program_.sites.size())
      fail(fmt::format("site {} of a Check is not in the table", c.site));
    return {};
  }

  const Program& program_;
  const Arena& arena_;
  const std::string pass_;
  std::string current_;  // first name of the statement that is checked
  std::unordered_set<Var> ever_bound_, visible_;
  std::vector<Var> bound_;                         // visible, in order of binding
  std::unordered_set<const scalar::Node*> known_;  // checked, and in scope as long as their scope is open
  std::vector<const scalar::Node*> known_list_;
};

}  // namespace

void check(const Program& program, std::string_view after_pass) {
  FULGURITE_CHECK(program.arena != nullptr, "after {}: a program without an arena", after_pass);
  Checker(program, after_pass).run();
}

}  // namespace fulgurite::soac
