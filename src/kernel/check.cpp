#include "kernel/check.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "base/check.h"
#include "base/match.h"
#include "kernel/print.h"
#include "kernel/traverse.h"

namespace fulgurite::kernel {
namespace {

enum class Binding : std::uint8_t { value, variable, buffer, input };

class Checker {
 public:
  Checker(const Kernel& kernel, Stage stage, std::string_view pass)
      : kernel_(kernel), stage_(stage), pass_(pass) {}

  void operator()() {
    require(kernel_.arena != nullptr, "the kernel has no arena");
    scopes_.emplace_back();
    for (const Param& p : kernel_.params) parameter(p);
    if (const auto guard = kernel_.guard) {
      const auto param = std::ranges::find(kernel_.params, *guard, &Param::name);
      require(param != kernel_.params.end() && param->role != Param::Role::scalar &&
                  info(*guard).type.kind == Kind::i32,
              "the guard is no parameter, or no buffer of i32");
    }
    require(!kernel_.body.empty(), "the kernel has no phases");
    for (const Stm& s : kernel_.body) {
      at_ = &s;
      const Par* phase = base::as<Par>(s.op);
      require(phase && phase->level == Level::grid, "only Par(grid) stands at the top");
      par(*phase);
    }
  }

 private:
  struct Known {
    Binding binding;
    int depth;  // of the Par nesting
  };

  template <class... Args>
  void require(bool holds, fmt::format_string<Args...> message, Args&&... args) const {
    if (holds) return;
    std::string text = fmt::format(message, std::forward<Args>(args)...);
    std::string where = at_ ? "\n" + print(*kernel_.arena, *at_) : std::string();
    base::check_failed("kernel::check",
                       fmt::format("after {}, kernel '{}' is wrong: {}{}", pass_, kernel_.name, text, where));
  }

  const scalar::VarInfo& info(Var v) const {
    if (static_cast<std::size_t>(v) >= kernel_.arena->n_vars())  // the statement cannot be printed
      base::check_failed("kernel::check",
                         fmt::format("after {}, kernel '{}' is wrong: variable {} is of another arena", pass_,
                                     kernel_.name, static_cast<int>(v)));
    return kernel_.arena->info(v);
  }
  const std::string& name(Var v) const { return info(v).name; }

  // Scopes.

  void bind(Var v, Binding binding) {
    require(!find(v), "'{}' is bound again", name(v));
    const Type& type = info(v).type;
    bool is_buffer = binding == Binding::buffer || binding == Binding::input;
    require(type.rank == (is_buffer ? 1 : 0), "'{}' of type {} cannot be bound so", name(v), to_string(type));
    require(stage_ == Stage::vectors || type.lanes == 1, "'{}' has lanes before vectorise", name(v));
    scopes_.back().emplace(v, Known{binding, depth_});
  }
  std::optional<Known> find(Var v) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      if (auto found = scope->find(v); found != scope->end()) return found->second;
    return {};
  }
  Known known(Var v) const {
    std::optional<Known> found = find(v);
    require(found.has_value(), "'{}' is not in scope", name(v));
    return *found;
  }
  Known buffer(Var v) const {
    Known found = known(v);
    require(found.binding == Binding::buffer || found.binding == Binding::input, "'{}' is not a buffer",
            name(v));
    return found;
  }

  // Expressions. Nodes that were seen in a scope are not looked at again there: expressions share.

  void expression(Expr e, std::string_view what) {
    require(static_cast<bool>(e), "{} is absent", what);
    scalar::for_each_node(std::span(&e, 1), [&](Expr node) {
      require(!scalar::info(node.op()).has('s'), "{} is of the array IR", scalar::info(node.op()).name);
      require(node.site() == 0, "{} can fail", what);
      require(stage_ == Stage::vectors || node.type().lanes == 1, "{} has lanes before vectorise", what);
      if (!node.is_name()) return;
      require(node.type().rank == 0, "{} names the buffer '{}'", what, name(node.var()));
      known(node.var());
    });
  }
  void typed(Expr e, Type type, std::string_view what) {
    expression(e, what);
    require(e.type() == type, "{} is {}, not {}", what, to_string(e.type()), to_string(type));
  }
  void integer(Expr e, std::string_view what) { typed(e, {Kind::i64}, what); }
  void by_lanes(Expr e, Kind kind, int lanes, std::string_view what) {
    if (e && e.type().lanes == 1)
      typed(e, {kind}, what);
    else
      typed(e, {kind, 0, static_cast<std::uint16_t>(lanes)}, what);
  }
  void mask(Expr e, int lanes) {
    if (e) typed(e, {Kind::boolean, 0, static_cast<std::uint16_t>(lanes)}, "the mask");
  }

  // Statements.

  void parameter(const Param& p) {
    switch (p.role) {
      case Param::Role::scalar:
        bind(p.name, Binding::value);
        require(info(p.name).type.lanes == 1, "parameter '{}' has lanes", name(p.name));
        break;
      case Param::Role::input: bind(p.name, Binding::input); break;
      case Param::Role::output:
      case Param::Role::update: bind(p.name, Binding::buffer); break;
    }
  }

  void block(const Block& statements) {
    for (const Stm& s : statements) {
      at_ = &s;
      require(s.line <= kernel_.lines.size() || kernel_.lines.empty(), "there is no line {}", s.line);
      base::match(
          s.op, [&](const Let& x) { let(x); }, [&](const Declare& x) { declare(x); },
          [&](const Assign& x) { assign(x); }, [&](const Load& x) { load(x); },
          [&](const Store& x) { store(x); }, [&](const WideLoad& x) { wide_load(x); },
          [&](const WideStore& x) { wide_store(x); }, [&](const Prefetch& x) { prefetch(x); },
          [&](const Permute& x) { permute(x); }, [&](const Transpose& x) { transpose(x); },
          [&](const Shift& x) { shift(x); }, [&](const Pick& x) { pick(x); }, [&](const Pack& x) { pack(x); },
          [&](const Atomic& x) { atomic(x); }, [&](const Shuffle& x) { shuffle(x); },
          [&](const For& x) { loop(x); }, [&](const While& x) { loop(x); }, [&](const If& x) { branch(x); },
          [&](const Par& x) { inner(x); }, [&](const InOrder& x) { in_order(x); },
          [&](const Allocate& x) { allocate(x); }, [&](const Sync& x) { sync(x); },
          [&](const Fail& x) { fail(x); });
    }
  }
  void scope(const Block& statements) {
    scopes_.emplace_back();
    block(statements);
    scopes_.pop_back();
  }
  void scope_with(Var index, const Block& statements) {
    require(info(index).type == Type{Kind::i64}, "'{}' counts and is {}", name(index),
            to_string(info(index).type));
    scopes_.emplace_back();
    bind(index, Binding::value);
    block(statements);
    scopes_.pop_back();
  }

  void let(const Let& s) {
    typed(s.value, info(s.name).type, "the value");
    bind(s.name, Binding::value);
  }
  void declare(const Declare& s) {
    typed(s.value, info(s.name).type, "the value");
    bind(s.name, Binding::variable);
  }
  void assign(const Assign& s) {
    Known target = known(s.name);
    require(target.binding == Binding::variable, "'{}' is not a variable", name(s.name));
    require(target.depth == depth_, "'{}' belongs to the statements around a Par and is assigned to inside",
            name(s.name));
    typed(s.value, info(s.name).type, "the value");
    mask(s.mask, info(s.name).type.lanes);
  }
  void access(const Access& a, int lanes) {
    by_lanes(a.index, Kind::i64, lanes, "the index");
    if (a.stride || (lanes > 1 && a.index.type().lanes == 1)) integer(a.stride, "the stride");
    mask(a.mask, lanes);
  }
  void load(const Load& s) {
    buffer(s.from.buffer);
    const Type& type = info(s.name).type;
    Kind kind = info(s.from.buffer).type.kind;
    require(type.kind == kind, "'{}' is {} and '{}' holds {}", name(s.name), to_string(type),
            name(s.from.buffer), name_of(kind));
    access(s.from, type.lanes);
    if (s.touched) typed(s.touched, {Kind::boolean}, "the condition");
    bind(s.name, Binding::value);
  }
  void store(const Store& s) {
    require(buffer(s.to.buffer).binding != Binding::input, "the input '{}' is stored to", name(s.to.buffer));
    expression(s.value, "the value");
    Kind kind = info(s.to.buffer).type.kind;
    require(s.value.kind() == kind, "the value is {} and '{}' holds {}", to_string(s.value.type()),
            name(s.to.buffer), name_of(kind));
    access(s.to, s.value.type().lanes);
  }
  void wide(Var v, Expr index, std::size_t n) {
    require(stage_ == Stage::threads && depth_ == 2, "a wide access is not in a Par(block)");
    require(n > 1 && (n & (n - 1)) == 0 && n * scalar::size_of(info(v).type.kind) <= wide_bytes,
            "a wide access to {} elements of '{}'", n, name(v));
    integer(index, "the index");
  }
  void wide_load(const WideLoad& s) {
    buffer(s.buffer);
    wide(s.buffer, s.index, s.names.size());
    for (Var v : s.names) {
      require(info(v).type == Type{info(s.buffer).type.kind}, "'{}' is {} and '{}' holds {}", name(v),
              to_string(info(v).type), name(s.buffer), name_of(info(s.buffer).type.kind));
      bind(v, Binding::value);
    }
  }
  void wide_store(const WideStore& s) {
    require(buffer(s.buffer).binding != Binding::input, "the input '{}' is stored to", name(s.buffer));
    wide(s.buffer, s.index, s.values.size());
    for (Expr value : s.values) typed(value, {info(s.buffer).type.kind}, "the value");
  }
  void prefetch(const Prefetch& s) {
    buffer(s.buffer);
    integer(s.index, "the index");
    integer(s.per_task, "the distance");
    integer(s.end, "the end");
    require(s.n > 0, "{} elements", s.n);
  }
  void permute(const Permute& s) {
    const Type& type = info(s.name).type;
    require(stage_ == Stage::vectors, "a Permute before vectorise");
    typed(s.low, type, "the lower vector");
    typed(s.high, type, "the higher vector");
    require(s.lanes.size() == type.lanes, "{} lanes of {}", s.lanes.size(), to_string(type));
    for (std::int32_t lane : s.lanes)
      require(0 <= lane && lane < 2 * type.lanes, "no element {} of two vectors", lane);
    bind(s.name, Binding::value);
  }
  void transpose(const Transpose& s) {
    require(stage_ == Stage::vectors, "a Transpose before vectorise");
    require(buffer(s.tile).binding != Binding::input, "the input '{}' is stored to", name(s.tile));
    buffer(s.from.buffer);
    require(info(s.tile).type.kind == info(s.from.buffer).type.kind, "'{}' does not hold what '{}' does",
            name(s.tile), name(s.from.buffer));
    auto is_power = [](std::int32_t n) { return n > 1 && n <= 64 && (n & (n - 1)) == 0; };
    require(
        is_power(s.lanes) && is_power(s.width) && is_power(s.steps) && s.width <= s.lanes && s.steps <= 16,
        "a Transpose of {} lanes by {}, {} steps", s.lanes, s.width, s.steps);
    require(s.ahead >= 0, "a Transpose looks {} ahead", s.ahead);
    integer(s.from.index, "the index");
    integer(s.from.stride, "the stride");
    require(!s.from.mask, "a Transpose has a mask");
  }
  void shift(const Shift& s) {
    require(stage_ == Stage::threads && depth_ == 2, "Shift is not in a Par(block)");
    typed(s.value, info(s.name).type, "the value");
    typed(s.fill, info(s.name).type, "the fill");
    require(s.by > 0, "a Shift by {}", s.by);
    bind(s.name, Binding::value);
  }
  void pick(const Pick& s) {
    const Type& type = info(s.name).type;
    require(stage_ == Stage::vectors || depth_ == 2, "Pick is not in a Par(block)");
    expression(s.value, "the value");
    require(s.value.kind() == type.kind && type.lanes == 1, "'{}' is {} and the value {}", name(s.name),
            to_string(type), to_string(s.value.type()));
    require(s.from >= 0 && (stage_ == Stage::threads || s.from < s.value.type().lanes), "no lane {}", s.from);
    bind(s.name, Binding::value);
  }
  void pack(const Pack& s) {
    require(known(s.next).binding == Binding::variable && info(s.next).type == Type{Kind::i64},
            "'{}' is not an i64 variable", name(s.next));
    require(stage_ == Stage::vectors || depth_ == 1 || known(s.next).depth == 1,
            "'{}' belongs to one instance", name(s.next));
    require(s.buffers.size() == s.values.size(), "{} values for {} buffers", s.values.size(),
            s.buffers.size());
    int lanes = s.keep ? s.keep.type().lanes : s.values.empty() ? 1 : s.values[0].type().lanes;
    mask(s.keep, lanes);
    for (std::size_t k = 0; k < s.buffers.size(); ++k) {
      require(buffer(s.buffers[k]).binding != Binding::input, "the input '{}' is stored to",
              name(s.buffers[k]));
      typed(s.values[k], {info(s.buffers[k]).type.kind, 0, static_cast<std::uint16_t>(lanes)}, "the value");
    }
  }
  void atomic(const Atomic& s) {
    require(buffer(s.at.buffer).binding != Binding::input, "the input '{}' is stored to", name(s.at.buffer));
    const Kind kind = info(s.at.buffer).type.kind;
    const int lanes = s.value.type().lanes;
    typed(s.value, {kind, 0, static_cast<std::uint16_t>(lanes)}, "the value");
    access(s.at, lanes);
    require((s.what == Atomic::What::compare_exchange) == static_cast<bool>(s.expected),
            "only compare_exchange expects a value");
    if (s.expected) typed(s.expected, s.value.type(), "the expected value");
    const bool is_bitwise =
        s.what == Atomic::What::bit_and || s.what == Atomic::What::bit_or || s.what == Atomic::What::bit_xor;
    require(!is_bitwise || !scalar::is_float(kind), "bits of a {}", name_of(kind));
    if (!s.name) return;
    require(info(*s.name).type == s.value.type(), "'{}' is {} and the element {}", name(*s.name),
            to_string(info(*s.name).type), to_string(s.value.type()));
    bind(*s.name, Binding::value);
  }
  void shuffle(const Shuffle& s) {
    require(stage_ == Stage::threads && depth_ == 2, "Shuffle is not in a Par(block)");
    typed(s.value, info(s.name).type, "the value");
    integer(s.from, "the instance");
    require(s.width > 1 && s.width <= 32 && (s.width & (s.width - 1)) == 0, "a Shuffle of width {}", s.width);
    bind(s.name, Binding::value);
  }
  void loop(const For& s) {
    integer(s.begin, "the begin");
    integer(s.end, "the end");
    integer(s.step, "the step");
    require(!s.step.is_constant() || static_cast<std::int64_t>(s.step.bits()) > 0,
            "the step is not positive");
    scope_with(s.name, s.body);
  }
  void loop(const While& s) {
    const Stm* here = at_;
    scopes_.emplace_back();
    block(s.head);
    at_ = here;
    typed(s.condition, {Kind::boolean}, "the condition");
    scope(s.body);
    scopes_.pop_back();
  }
  void branch(const If& s) {
    typed(s.condition, {Kind::boolean}, "the condition");
    scope(s.then_branch);
    scope(s.else_branch);
  }
  void inner(const Par& s) {
    require(s.level == Level::block, "Par of a grid or a level without loops of its own is inside a task");
    require(stage_ == Stage::threads, "a Par(block) is left");
    require(depth_ == 1, "Par(block) is inside Par(block)");
    require(s.n && s.n.is_constant() && static_cast<std::int64_t>(s.n.bits()) > 0,
            "Par(block) is not over a positive constant");
    par(s);
  }
  void in_order(const InOrder& s) {
    require(depth_ == 1, "an InOrder is in Par(block)");
    require(buffer(s.turn).binding != Binding::input && info(s.turn).type.kind == Kind::i64,
            "'{}' does not hold whose turn it is", name(s.turn));
    integer(s.task, "the task");
    scope(s.body);
  }
  void par(const Par& s) {
    integer(s.n, "the number of instances");
    ++depth_;
    scope_with(s.name, s.body);
    --depth_;
  }
  void allocate(const Allocate& s) {
    require(s.space != Space::global || stage_ == Stage::threads, "a kernel allocates global memory");
    require(s.space == Space::thread || depth_ == 1, "shared memory is allocated by one thread");
    integer(s.n, "the size");
    require(s.n.is_constant() && static_cast<std::int64_t>(s.n.bits()) > 0,
            "the size is not a positive constant");
    require(s.offset >= -1 && (s.offset == -1 || s.space != Space::thread), "an offset of {}", s.offset);
    bind(s.buffer, Binding::buffer);
  }
  void sync(const Sync& s) {
    require(stage_ == Stage::threads, "a Sync is left");
    require((s.level == Level::block || s.level == Level::warp) && depth_ == 1,
            "Sync is not between the Par(block) of a task");
  }
  void fail(const Fail& s) {
    expression(s.when, "the condition");
    require(s.when.kind() == Kind::boolean, "the condition is {}", to_string(s.when.type()));
    integer(s.element, "the element");
    integer(s.stride, "the stride");
    by_lanes(s.value, Kind::i64, s.when.type().lanes, "the value");
    by_lanes(s.bound, Kind::i64, s.when.type().lanes, "the bound");
    require(s.more.size() <= Fail::most_more, "{} more values, at most {} are quoted", s.more.size(),
            Fail::most_more);
    for (Expr e : s.more) by_lanes(e, Kind::i64, s.when.type().lanes, "a value that is quoted");
    if (s.group) integer(s.group, "the group");
  }

  const Kernel& kernel_;
  Stage stage_;
  std::string_view pass_;
  std::vector<std::unordered_map<Var, Known>> scopes_;
  const Stm* at_ = nullptr;
  int depth_ = 0;
};

}  // namespace

void check(const Kernel& kernel, Stage stage, std::string_view pass) {
  Checker(kernel, stage, pass)();
}

}  // namespace fulgurite::kernel
