#include "emit/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "base/match.h"
#include "base/text.h"
#include "emit/expression.h"
#include "emit/memory.h"
#include "emit/names.h"
#include "emit/uses.h"
#include "kernel/traverse.h"

namespace fulgurite::emit {
namespace {

using kernel::Block;
using kernel::Expr;
using kernel::Param;
using kernel::Stm;
using scalar::Op;

constexpr std::size_t longest_part = 44;  // what is longer and part of an expression gets a line of its own

template <class... Args>
std::string fill(std::string_view pattern, const Args&... args) {
  return fmt::format(fmt::runtime(pattern), args...);
}

class PhasePrinter {
 public:
  PhasePrinter(const kernel::Kernel& kernel, const Dialect& dialect)
      : kernel_(kernel), arena_(*kernel.arena), dialect_(dialect) {}

  std::string operator()(const kernel::Par& phase, std::size_t number, bool contract) {
    uses_ = uses_of(phase.body);
    line(fill(dialect_.phase, kernel_.name, number, is_in_order(phase.body) ? "_in_order" : ""));
    lines_ += fmt::format("{}\n", contract ? dialect_.contract : dialect_.no_contract);
    ++depth_;
    parameters();
    line(fill(dialect_.tasks, bind(phase.name)));
    block(phase.body);
    line(dialect_.end_tasks);
    if (streams_) line(call(dialect_, "stream_fence", Kind::boolean, 1, "") + ";");
    --depth_;
    line("}");
    return std::move(lines_);
  }

 private:
  static bool is_in_order(const Block& body) {
    bool found = false;
    kernel::for_each_stm(body, [&](const Stm& s) { found |= std::holds_alternative<kernel::InOrder>(s.op); });
    return found;
  }

  /// A node as text, and the mutable variables that it reads: it means what it says only until one of them
  /// changes.
  struct Value {
    Text text;
    std::vector<Var> variables;
  };
  /// A Let that is printed where it is used.
  struct Pending {
    Var name;
    Value value;
  };

  // Lines.

  void line(std::string_view text) {
    lines_.append(static_cast<std::size_t>(2 * depth_), ' ');
    lines_ += text;
    lines_ += '\n';
  }
  const scalar::VarInfo& info(Var v) const { return arena_.info(v); }
  std::string_view element_type(Var buffer) const {  // a boolean in memory is a byte
    Kind kind = info(buffer).type.kind;
    return dialect_.types[static_cast<std::size_t>(kind == Kind::boolean ? Kind::u8 : kind)];
  }

  void parameters() {
    int n_buffers = 0, n_scalars = 0;
    for (const Param& p : kernel_.params) {
      bool is_scalar = p.role == Param::Role::scalar;
      int number = is_scalar ? n_scalars++ : n_buffers++;
      if (!uses_.contains(p.name)) continue;
      std::string argument =
          is_scalar ? scalar_argument(info(p.name).type.kind, number) : fill(dialect_.buffer, number);
      std::string type =
          is_scalar ? spelling(dialect_, info(p.name).type) + " "
                    : fill(p.role == Param::Role::input ? dialect_.constant_pointer : dialect_.pointer,
                           element_type(p.name)) +
                          " ";
      line(type + bind(p.name) + " = " + argument + ";");
    }
  }
  std::string scalar_argument(Kind kind, int number) const {
    std::string slot = fill(dialect_.scalar, number);
    if (!scalar::is_float(kind)) return slot;
    Kind bits = kind == Kind::f32 ? Kind::u32 : Kind::u64;
    return fill(dialect_.from_bits, spelling(dialect_, {kind}),
                fmt::format("({}){}", spelling(dialect_, {bits}), slot));
  }

  // Names.

  std::string bind(Var v) {
    std::string name = names_.fresh(info(v).name);
    identifiers_[v] = name;
    return name;
  }
  const std::string& name(Var v) const { return identifiers_.at(v); }

  // Expressions of one statement. Its nodes are printed once, children first; shared and long ones get lines
  // in front of the statement.

  void prepare(std::span<const Expr> roots) {
    values_.clear();
    std::unordered_map<std::uint32_t, int> uses;
    for (Expr root : roots) uses[root.id()] += 1;
    scalar::for_each_node(roots, [&](Expr e) {
      for (Expr arg : e.args()) uses[arg.id()] += 1;
    });
    scalar::for_each_node(roots, [&](Expr e) {
      Value value = render(e);
      bool is_root = std::ranges::find(roots, e) != roots.end();
      bool is_cheap = e.args().empty() || e.op() == Op::splat;  // to write again
      bool is_shared = uses[e.id()] > 1 && !is_cheap;
      if (is_shared || (!is_root && value.text.text.size() > longest_part))
        value = temporary(e.type(), value);
      values_.emplace(e.id(), std::move(value));
    });
  }
  void prepare(const Stm& s) {
    std::vector<Expr> roots;
    kernel::for_each_expr(s, [&](Expr e) { roots.push_back(e); });
    prepare(roots);
  }

  Value render(Expr e) {
    if (e.is_name()) return named(e.var());
    std::vector<Text> operands;
    Value value;
    for (Expr arg : e.args()) {
      const Value& operand = values_.at(arg.id());
      operands.push_back(operand.text);
      value.variables.insert(value.variables.end(), operand.variables.begin(), operand.variables.end());
    }
    value.text = combine(dialect_, e, operands);
    return value;
  }
  Value named(Var v) {
    auto pending = std::ranges::find(pending_, v, &Pending::name);
    if (pending != pending_.end()) {
      Value value = std::move(pending->value);
      pending_.erase(pending);
      return value;
    }
    if (auto alias = aliases_.find(v); alias != aliases_.end()) return {alias->second, {}};
    Value value{{name(v), Precedence::primary, info(v).type.lanes == 1}, {}};
    if (mutable_.contains(v)) value.variables.push_back(v);
    return value;
  }
  Value temporary(Type type, const Value& value) {
    if (value.text.is_scalar && type.kind != Kind::boolean) type.lanes = 1;
    std::string name = names_.fresh("t");
    line(fmt::format("{} {} = {};", spelling(dialect_, type), name, as_value(dialect_, value.text, type)));
    return {{name, Precedence::primary, type.lanes == 1}, {}};
  }

  const Text& text(Expr e) const { return values_.at(e.id()).text; }
  std::string initialiser(Expr e, Type type) const { return as_value(dialect_, text(e), type); }
  /// For operators of C that do not splat.
  std::string vector(Expr e) const {
    std::string value = initialiser(e, e.type());
    const bool is_bare = text(e).is_scalar && e.kind() != Kind::boolean;
    return is_bare ? fmt::format("({})({})", spelling(dialect_, e.type()), value) : value;
  }

  // Values that wait to be printed where they are used, before something changes what they read.

  void flush(std::invocable<Var> auto&& changes) {
    for (std::size_t i = 0; i < pending_.size();) {
      if (std::ranges::none_of(pending_[i].value.variables, changes)) {
        ++i;
        continue;
      }
      Pending p = std::move(pending_[i]);
      pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(i));
      define(p.name, p.value.text);
    }
  }
  void flush_all_that_vary() {
    flush([](Var) { return true; });
  }

  void define(Var v, const Text& value) {
    Type type = info(v).type;
    std::string text = as_value(dialect_, value, type);
    line(fmt::format("{} {} = {};", spelling(dialect_, type), bind(v), text));
  }

  // Statements.

  void block(const Block& statements) {
    ++depth_;
    std::vector<Pending> outer = std::exchange(pending_, {});
    block_ = &statements;
    for (const Stm& s : statements) {
      statement(s);
      block_ = &statements;
    }
    pending_ = std::move(outer);
    --depth_;
  }

  void statement(const Stm& s) {
    base::match(
        s.op, [&](const kernel::Let& x) { let(s, x); }, [&](const kernel::Declare& x) { declare(s, x); },
        [&](const kernel::Assign& x) { assign(s, x); }, [&](const kernel::Load& x) { load(s, x); },
        [&](const kernel::Store& x) { store(s, x); }, [&](const kernel::Prefetch& x) { prefetch(s, x); },
        [&](const kernel::Slide& x) { slide(s, x); }, [&](const kernel::Transpose& x) { transpose(s, x); },
        [&](const kernel::Shift&) { FULGURITE_CHECK(false, "a Shift is left in kernel '{}'", kernel_.name); },
        [&](const kernel::Pick& x) { pick(s, x); }, [&](const kernel::Pack& x) { pack(s, x); },
        [&](const kernel::Atomic&) { FULGURITE_CHECK(false, "an Atomic in kernel '{}'", kernel_.name); },
        [&](const kernel::Shuffle&) { FULGURITE_CHECK(false, "a Shuffle in kernel '{}'", kernel_.name); },
        [&](const kernel::For& x) { loop(s, x); }, [&](const kernel::While& x) { loop(x); },
        [&](const kernel::If& x) { branch(s, x); },
        [&](const kernel::Par&) { FULGURITE_CHECK(false, "a Par is left in kernel '{}'", kernel_.name); },
        [&](const kernel::InOrder& x) { in_order(s, x); }, [&](const kernel::Allocate& x) { allocate(s, x); },
        [&](const kernel::Sync&) { FULGURITE_CHECK(false, "a Sync is left in kernel '{}'", kernel_.name); },
        [&](const kernel::Fail& x) { fail(s, x); });
  }

  void let(const Stm& s, const kernel::Let& x) {
    auto use = uses_.find(x.name);
    if (use == uses_.end()) return;
    prepare(s);
    const Value& value = values_.at(x.value.id());
    bool is_leaf =
        value.text.precedence == Precedence::primary && x.value.args().empty() && value.variables.empty();
    bool keeps_type = value.text.is_scalar == (info(x.name).type.lanes == 1);
    if (is_leaf && keeps_type && !value.text.is_literal) {
      aliases_[x.name] = value.text;
    } else if (use->second.count == 1 && use->second.block == block_ &&
               value.text.text.size() <= longest_part) {
      pending_.push_back({x.name, value});
    } else {
      define(x.name, value.text);
    }
  }
  void declare(const Stm& s, const kernel::Declare& x) {
    prepare(s);
    define(x.name, text(x.value));
    mutable_.insert(x.name);
  }
  void assign(const Stm& s, const kernel::Assign& x) {
    prepare(s);
    flush([&](Var v) { return v == x.name; });
    Type type = info(x.name).type;
    std::string value = initialiser(x.value, type);
    if (x.mask) {
      Type mask{Kind::boolean, 0, type.lanes};
      value = call(dialect_, "select", type.kind, type.lanes,
                   fmt::format("{}, {}, {}", initialiser(x.mask, mask), value, name(x.name)));
    }
    line(fmt::format("{} = {};", name(x.name), value));
  }

  Place place(const kernel::Access& a, int lanes) const {
    Place p{name(a.buffer),
            info(a.buffer).type.kind,
            lanes,
            text(a.index).text,
            a.index.type().lanes > 1,
            false,
            {},
            {},
            {}};
    if (a.stride) {
      p.stride = text(a.stride).text;
      if (a.stride.is_constant()) p.constant_stride = static_cast<std::int64_t>(a.stride.bits());
    }
    const bool is_condition = lanes == 1;  // of C's conditional operator
    if (a.mask)
      p.mask = is_condition ? inside(text(a.mask), Precedence::bit_or) : initialiser(a.mask, a.mask.type());
    return p;
  }
  void load(const Stm& s, const kernel::Load& x) {
    prepare(s);
    Type type = info(x.name).type;
    Place from = place(x.from, type.lanes);
    const Expr index = x.from.index;
    if (from.index_by_lane && index.op() == Op::cast && index.arg(0).kind() == Kind::i32) {
      from.is_near = true;
      from.index = initialiser(index.arg(0), index.arg(0).type());
    }
    std::string value = load_text(dialect_, from);
    line(fmt::format("{} {} = {};", spelling(dialect_, type), bind(x.name), value));
  }
  void store(const Stm& s, const kernel::Store& x) {
    prepare(s);
    Type type = x.value.type();
    Place to = place(x.to, type.lanes);
    bool streaming = x.streaming && can_stream(to);
    streams_ = streams_ || streaming;
    line(store_text(dialect_, to, initialiser(x.value, type), streaming));
  }

  void prefetch(const Stm& s, const kernel::Prefetch& x) {
    prepare(s);
    std::string ahead =
        fmt::format("{} * {}", inside(text(x.per_task), Precedence::product), dialect_.at_once);
    line(call(dialect_, "prefetch", info(x.buffer).type.kind, x.n,
              fmt::format("{}, {} + {}, {}", name(x.buffer), inside(text(x.index), Precedence::sum), ahead,
                          text(x.end).text)) +
         ";");
  }
  void slide(const Stm& s, const kernel::Slide& x) {
    prepare(s);
    Type type = info(x.name).type;
    std::string lanes;
    for (int l = 0; l < type.lanes; ++l) {
      const bool starts_line = l > 0 && l % 16 == 0;
      if (l > 0)
        lanes += starts_line ? ",\n" + std::string(static_cast<std::size_t>(2 * depth_ + 4), ' ') : ", ";
      lanes += std::to_string(x.from + l < type.lanes ? x.from + l : type.lanes + x.from + l - x.apart);
    }
    std::string value = fill(dialect_.shuffle, vector(x.low), vector(x.high), lanes);
    line(fmt::format("{} {} = {};", spelling(dialect_, type), bind(x.name), value));
  }

  void pick(const Stm& s, const kernel::Pick& x) {
    prepare(s);
    const Type type = info(x.name).type;
    std::string value = text(x.value).text;
    if (!text(x.value).is_scalar)
      value = fmt::format("{}[{}]", inside(text(x.value), Precedence::primary), x.from);
    line(fmt::format("{} {} = {};", spelling(dialect_, type), bind(x.name), value));
  }
  void pack(const Stm& s, const kernel::Pack& x) {
    prepare(s);
    flush([&](Var v) { return v == x.next; });
    const int lanes = x.keep ? x.keep.type().lanes : x.values.empty() ? 1 : x.values[0].type().lanes;
    const Type mask{Kind::boolean, 0, static_cast<std::uint16_t>(lanes)};
    std::string keep = x.keep ? initialiser(x.keep, mask) : as_value(dialect_, {"1"}, mask);
    if (!x.buffers.empty()) {
      std::string name = names_.fresh("keep");
      line(fmt::format("{} {} = {};", spelling(dialect_, mask), name, keep));
      keep = std::move(name);
    }
    for (std::size_t k = 0; k < x.buffers.size(); ++k)
      line(call(dialect_, "pack", info(x.buffers[k]).type.kind, lanes,
                fmt::format("&{}[{}], {}, {}", name(x.buffers[k]), name(x.next), vector(x.values[k]), keep)) +
           ";");
    line(fmt::format("{} += {};", name(x.next), call(dialect_, "count", Kind::boolean, lanes, keep)));
  }

  // One call for each group of as many lanes as there are steps.
  void transpose(const Stm& s, const kernel::Transpose& x) {
    prepare(s);
    Kind kind = info(x.tile).type.kind;
    if (kind == Kind::boolean) kind = Kind::u8;  // as in memory
    const std::string index = inside(text(x.from.index), Precedence::sum);
    const std::string stride = inside(text(x.from.stride), Precedence::product);
    for (int group = 0; group < x.lanes; group += x.steps) {
      const std::string offset = group == 0 ? std::string() : fmt::format(" + {} * {}", group, stride);
      const std::string args = fmt::format("&{}[{}], &{}[{}{}], {}, {}, {}", name(x.tile), group,
                                           name(x.from.buffer), index, offset, stride, x.lanes, x.ahead);
      line(call(dialect_, "transpose", kind, x.steps, args) + ";");
    }
  }

  void loop(const Stm& s, const kernel::For& x) {
    prepare(s);
    auto once = [&](Expr e) {  // evaluated before the loop, not in every round
      Value value = values_.at(e.id());
      return inside(value.variables.empty() ? value.text : temporary(e.type(), value).text,
                    Precedence::shift);
    };
    std::string begin = text(x.begin).text, end = once(x.end), step = once(x.step);
    flush_all_that_vary();
    std::string i = bind(x.name);
    std::string type = spelling(dialect_, info(x.name).type);
    line(fmt::format("for ({} {} = {}; {} < {}; {}) {{", type, i, begin, i, end,
                     step == "1" ? "++" + i : i + " += " + step));
    block(x.body);
    line("}");
  }
  // for (;;) { head  if (!condition) break;  body }, or while (condition) { body } where nothing is left of
  // the head
  void loop(const kernel::While& x) {
    flush_all_that_vary();
    std::string before = std::exchange(lines_, {});
    ++depth_;
    std::vector<Pending> outer = std::exchange(pending_, {});
    block_ = &x.head;
    for (const Stm& s : x.head) {
      statement(s);
      block_ = &x.head;
    }
    prepare(std::span(&x.condition, 1));
    Text condition = text(x.condition);
    std::string head = std::exchange(lines_, std::move(before));
    --depth_;
    if (head.empty()) {
      line(fmt::format("while ({}) {{", condition.text));
    } else {
      line("for (;;) {");
      lines_ += head;
      line(fmt::format("  if (!{}) break;", inside(condition, Precedence::unary)));
    }
    pending_ = {};
    block(x.body);
    line("}");
    pending_ = std::move(outer);
  }
  void branch(const Stm& s, const kernel::If& x) {
    prepare(s);
    std::string condition = text(x.condition).text;
    flush_all_that_vary();
    line(fmt::format("if ({}) {{", condition));
    block(x.then_branch);
    if (!x.else_branch.empty()) {
      line("} else {");
      block(x.else_branch);
    }
    line("}");
  }
  void in_order(const Stm& s, const kernel::InOrder& x) {
    prepare(s);
    Value task = values_.at(x.task.id());
    std::string turn = fmt::format("&{}[0], {}", name(x.turn), task.text.text);
    flush_all_that_vary();
    line(call(dialect_, "await_turn", Kind::i64, 1, fmt::format("{}, {}", dialect_.context, turn)) + ";");
    line("{");
    block(x.body);
    line("}");
    line(call(dialect_, "pass_turn", Kind::i64, 1, turn) + ";");
  }
  void allocate(const Stm& s, const kernel::Allocate& x) {
    prepare(s);
    line(fill(dialect_.array, element_type(x.buffer), bind(x.buffer), text(x.n).text) + ";");
  }
  void fail(const Stm& s, const kernel::Fail& x) {
    prepare(s);
    int lanes = x.when.type().lanes;
    Text when = text(x.when);
    if (lanes > 1 && !when.is_scalar && when.precedence != Precedence::primary)
      when = temporary(x.when.type(), values_.at(x.when.id())).text;
    std::string test =
        lanes > 1 && !when.is_scalar ? call(dialect_, "any", Kind::boolean, lanes, when.text) : when.text;
    std::string mask = as_value(dialect_, when, {Kind::boolean, 0, static_cast<std::uint16_t>(lanes)});
    std::string args =
        fmt::format("{}, {}, {}, {}, {}, {}, {}", dialect_.context, x.site, mask, text(x.element).text,
                    text(x.stride).text, text(x.value).text, text(x.bound).text);
    line(fmt::format("if ({}) {};", test, call(dialect_, "fail", Kind::boolean, lanes, args)));
  }

  const kernel::Kernel& kernel_;
  const scalar::Arena& arena_;
  const Dialect& dialect_;
  Names names_;
  std::unordered_map<Var, Use> uses_;
  std::unordered_map<Var, std::string> identifiers_;
  std::unordered_map<Var, Text> aliases_;  // names of other names
  std::unordered_set<Var> mutable_;
  std::unordered_map<std::uint32_t, Value> values_;  // of the statement at hand, by node number
  std::vector<Pending> pending_;                     // of the block at hand
  const Block* block_ = nullptr;
  std::string lines_;
  int depth_ = 0;
  bool streams_ = false;
};

}  // namespace

std::string print_phases(const kernel::Kernel& kernel, const Dialect& dialect, bool contract) {
  std::string phases;
  std::size_t number = 0;
  for (const Stm& s : kernel.body) {
    const auto* phase = base::as<kernel::Par>(s.op);
    FULGURITE_CHECK(phase && phase->level == kernel::Level::grid,
                    "kernel '{}' has more than phases at its top", kernel.name);
    if (!phases.empty()) phases += '\n';
    phases += PhasePrinter(kernel, dialect)(*phase, number++, contract);
  }
  return phases;
}

std::string print(const kernel::Kernel& kernel, const Dialect& dialect, bool contract) {
  std::string phases = print_phases(kernel, dialect, contract);
  return dialect.prelude(phases) + "\n" + phases;
}

}  // namespace fulgurite::emit
