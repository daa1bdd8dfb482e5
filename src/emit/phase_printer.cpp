#include "emit/phase_printer.h"

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "base/match.h"
#include "kernel/resources.h"
#include "kernel/traverse.h"

namespace fulgurite::emit {
namespace {

using kernel::Param;
using scalar::Op;

constexpr std::size_t longest_part = 44;  // what is longer and part of an expression gets a line of its own

bool is_in_order(const Block& body) {
  bool found = false;
  kernel::for_each_stm(body, [&](const Stm& s) { found |= std::holds_alternative<kernel::InOrder>(s.op); });
  return found;
}

/// Number of the first line of the user's that a statement is of; 0: there is none.
std::uint32_t first_user_line(const Block& body) {
  std::uint32_t first = 0;
  kernel::for_each_stm(body, [&](const Stm& s) { first = first == 0 ? s.line : first; });
  return first;
}

/// The index of the elements that the statement touches; absent: it touches none.
Expr index_of(const Stm& s) {
  if (const auto* load = base::as<kernel::Load>(s.op)) return load->from.index;
  if (const auto* store = base::as<kernel::Store>(s.op)) return store->to.index;
  if (const auto* load = base::as<kernel::WideLoad>(s.op)) return load->index;
  if (const auto* store = base::as<kernel::WideStore>(s.op)) return store->index;
  const auto* atomic = base::as<kernel::Atomic>(s.op);
  return atomic ? atomic->at.index : Expr();
}

/// The sums and products that an index consists of.
void find_sums(Expr index, std::unordered_set<std::uint32_t>& found) {
  const bool is_sum = index.op() == Op::add || index.op() == Op::sub || index.op() == Op::mul;
  if (!is_sum || !found.insert(index.id()).second) return;
  for (Expr term : index.args()) find_sums(term, found);
}

}  // namespace

std::string PhasePrinter::operator()(const kernel::Par& phase, std::size_t number) {
  uses_ = uses_of(phase.body);
  magnitudes_.begin(kernel_);
  begin_user_line(first_user_line(phase.body));
  if (dialect_.has_threads) n_threads_ = kernel::block_size(phase);
  std::string parameters = dialect_.has_threads ? parameter_list() : std::string();
  const std::string_view order = is_in_order(phase.body) ? "_in_order" : "";
  line(fill(dialect_.phase, kernel_.name, number, order, n_threads_, parameters));
  ++depth_;
  if (!dialect_.has_threads) fetch_parameters();
  const bool is_named = !dialect_.has_threads || uses_.contains(phase.name);
  if (is_named) line(fill(dialect_.tasks, bind(phase.name)));
  FULGURITE_CHECK(dialect_.has_threads || !kernel_.guard, "kernel '{}' has a guard, which only devices read",
                  kernel_.name);
  if (dialect_.has_threads) {
    open_block(phase);
    const bool is_wrapped = kernel_.guard && !dialect_.end_guard.empty();
    if (kernel_.guard) line(fill(dialect_.guard, identifiers_.at(*kernel_.guard)));
    if (is_wrapped) ++depth_;
    body(phase.body);
    if (is_wrapped) --depth_;
    if (is_wrapped) line(dialect_.end_guard);
  } else {
    block(phase.body);
    line(dialect_.end_tasks);
  }
  if (streams_) line(call(dialect_, "stream_fence", Kind::boolean, 1, "") + ";");
  --depth_;
  line("}");
  return std::move(lines_);
}

// Lines.

void PhasePrinter::begin_user_line(std::uint32_t number) {
  if (dialect_.user_line.empty() || number == 0) return;
  const kernel::Location& where = kernel_.lines.at(number - 1);
  std::string file;
  for (const char letter : where.file) {
    if (letter == '"' || letter == '\\') file += '\\';
    file += letter;
  }
  user_line_ = fill(dialect_.user_line, where.line, file) + "\n";
}

void PhasePrinter::line(std::string_view text) {
  lines_ += user_line_;
  lines_.append(static_cast<std::size_t>(2 * depth_), ' ');
  lines_ += text;
  lines_ += '\n';
}
std::string_view PhasePrinter::element_type(Var buffer) const {  // a boolean in memory is a byte
  Kind kind = info(buffer).type.kind;
  return dialect_.types[static_cast<std::size_t>(kind == Kind::boolean ? Kind::u8 : kind)];
}

std::string PhasePrinter::pointer_type(const Param& p) const {
  return fill(p.role == Param::Role::input ? dialect_.constant_pointer : dialect_.pointer,
              element_type(p.name));
}

void PhasePrinter::fetch_parameters() {
  int n_buffers = 0, n_scalars = 0;
  for (const Param& p : kernel_.params) {
    bool is_scalar = p.role == Param::Role::scalar;
    int number = is_scalar ? n_scalars++ : n_buffers++;
    if (!uses_.contains(p.name)) continue;
    std::string argument =
        is_scalar ? scalar_argument(info(p.name).type.kind, number) : fill(dialect_.buffer, number);
    std::string type = is_scalar ? spelling(dialect_, info(p.name).type) : pointer_type(p);
    line(type + " " + bind(p.name) + " = " + argument + ";");
  }
}
std::string PhasePrinter::scalar_argument(Kind kind, int number) const {
  std::string slot = fill(dialect_.scalar, number);
  if (!scalar::is_float(kind)) return slot;
  Kind bits = kind == Kind::f32 ? Kind::u32 : Kind::u64;
  return fill(dialect_.from_bits, spelling(dialect_, {kind}),
              fmt::format("({}){}", spelling(dialect_, {bits}), slot));
}

std::string PhasePrinter::bind(Var v) {
  std::string name = names_.fresh(info(v).name);
  identifiers_[v] = name;
  return name;
}

void PhasePrinter::prepare(std::span<const Expr> roots) {
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
    if (is_shared || (!is_root && value.text.text.size() > longest_part)) value = temporary(e.type(), value);
    values_.emplace(e.id(), std::move(value));
  });
}
void PhasePrinter::prepare(const Stm& s) {
  std::vector<Expr> roots;
  kernel::for_each_expr(s, [&](Expr e) { roots.push_back(e); });
  if (const Expr index = index_of(s); index && !dialect_.wraps) find_sums(index, sums_);
  prepare(roots);
  sums_.clear();
}

PhasePrinter::Value PhasePrinter::render(Expr e) {
  if (e.is_name()) return named(e.var());
  std::vector<Text> operands;
  Value value;
  for (Expr arg : e.args()) {
    const Value& operand = values_.at(arg.id());
    operands.push_back(operand.text);
    value.variables.insert(value.variables.end(), operand.variables.begin(), operand.variables.end());
  }
  value.text = combine(dialect_, e, operands, known(e));
  return value;
}
Known PhasePrinter::known(Expr e) {
  Known known;
  known.fits = !dialect_.wraps && (sums_.contains(e.id()) || magnitudes_.fits(e));
  known.number = numbers_.operand_of(e);
  return known;
}
PhasePrinter::Value PhasePrinter::named(Var v) {
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
PhasePrinter::Value PhasePrinter::temporary(Type type, const Value& value) {
  if (value.text.is_scalar && type.kind != Kind::boolean) type.lanes = 1;
  std::string name = names_.fresh("t");
  line(fmt::format("{} {} = {};", spelling(dialect_, type), name, as_value(dialect_, value.text, type)));
  return {{name, Precedence::primary, type.lanes == 1}, {}};
}

/// For operators of C that do not splat.
std::string PhasePrinter::vector(Expr e) const {
  std::string value = initialiser(e, e.type());
  const bool is_bare = text(e).is_scalar && e.kind() != Kind::boolean && dialect_.has_vector_operators;
  return is_bare ? fmt::format("({})({})", spelling(dialect_, e.type()), value) : value;
}

void PhasePrinter::flush(const std::function<bool(Var)>& changes) {
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
void PhasePrinter::flush_all_that_vary() {
  flush([](Var) { return true; });
}

void PhasePrinter::define(Var v, const Text& value) {
  Type type = info(v).type;
  std::string text = as_value(dialect_, value, type);
  line(fmt::format("{} {} = {};", spelling(dialect_, type), bind(v), text));
}

void PhasePrinter::body(const Block& statements) {
  std::vector<Pending> outer = std::exchange(pending_, {});
  block_ = &statements;
  for (const Stm& s : statements) {
    statement(s);
    block_ = &statements;
  }
  pending_ = std::move(outer);
}
void PhasePrinter::block(const Block& statements) {
  ++depth_;
  const auto outer_rooms = rooms_;  // arrays made further in are not known after it
  body(statements);
  rooms_ = outer_rooms;
  --depth_;
}

void PhasePrinter::statement(const Stm& s) {
  auto for_vectors = [&](std::string_view what, auto&& print) {
    dialect_.has_threads ? refuse(what) : print();
  };
  auto for_threads = [&](std::string_view what, auto&& print) {
    dialect_.has_threads ? print() : refuse(what);
  };
  begin_user_line(s.line);
  base::match(
      s.op, [&](const kernel::Let& x) { let(s, x); }, [&](const kernel::Declare& x) { declare(s, x); },
      [&](const kernel::Assign& x) { assign(s, x); }, [&](const kernel::Load& x) { load(s, x); },
      [&](const kernel::Store& x) { store(s, x); },
      [&](const kernel::WideLoad& x) { for_threads("a wide load", [&] { wide_load(s, x); }); },
      [&](const kernel::WideStore& x) { for_threads("a wide store", [&] { wide_store(s, x); }); },
      [&](const kernel::Prefetch& x) {  // a GPU hides the time that memory takes otherwise
        if (!dialect_.has_threads) prefetch(s, x);
      },
      [&](const kernel::Permute& x) { for_vectors("a Permute", [&] { permute(s, x); }); },
      [&](const kernel::Transpose& x) { for_vectors("a Transpose", [&] { transpose(s, x); }); },
      [&](const kernel::Shift&) { refuse("a Shift"); },
      [&](const kernel::Pick& x) { for_vectors("a Pick", [&] { pick(s, x); }); },
      [&](const kernel::Pack& x) { for_vectors("a Pack", [&] { pack(s, x); }); },
      [&](const kernel::Atomic& x) { atomic(s, x); },
      [&](const kernel::Shuffle& x) { for_threads("a Shuffle", [&] { shuffle(s, x); }); },
      [&](const kernel::For& x) { loop(s, x); }, [&](const kernel::While& x) { loop(x); },
      [&](const kernel::If& x) { branch(s, x); },
      [&](const kernel::Par& x) { for_threads("a Par", [&] { threads(x); }); },
      [&](const kernel::InOrder& x) { for_vectors("an InOrder", [&] { in_order(s, x); }); },
      [&](const kernel::Allocate& x) { allocate(s, x); },
      [&](const kernel::Sync& x) { for_threads("a Sync", [&] { sync(x); }); },
      [&](const kernel::Fail& x) { fail(s, x); });
}

void PhasePrinter::refuse(std::string_view statement) const {
  FULGURITE_CHECK(false, "{} is left in kernel '{}', which is to be printed as {}", statement, kernel_.name,
                  dialect_.name);
}

void PhasePrinter::let(const Stm& s, const kernel::Let& x) {
  auto use = uses_.find(x.name);
  if (use == uses_.end()) return;
  prepare(s);
  magnitudes_.set(x.name, magnitudes_.bits_of(x.value));
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
void PhasePrinter::declare(const Stm& s, const kernel::Declare& x) {
  prepare(s);
  define(x.name, text(x.value));
  mutable_.insert(x.name);
}
void PhasePrinter::assign(const Stm& s, const kernel::Assign& x) {
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

Place PhasePrinter::place(const kernel::Access& a, int lanes) const {
  Place p{name(a.buffer),
          info(a.buffer).type.kind,
          lanes,
          initialiser(a.index, a.index.type()),
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
void PhasePrinter::load(const Stm& s, const kernel::Load& x) {
  prepare(s);
  Type type = info(x.name).type;
  Place from = place(x.from, type.lanes);
  if (dialect_.has_threads && x.from.mask) from.mask = inside(text(x.from.mask), Precedence::equality);
  const Expr index = x.from.index;
  if (from.index_by_lane && index.op() == Op::cast && index.arg(0).kind() == Kind::i32) {
    from.is_near = true;
    from.index = initialiser(index.arg(0), index.arg(0).type());
  }
  if (x.touched && !dialect_.has_threads && is_run(from))
    line(fmt::format("if ({}) {{ {} }}", text(x.touched).text, touch_text(from)));
  std::string value = load_text(dialect_, from);
  line(fmt::format("{} {} = {};", spelling(dialect_, type), bind(x.name), value));
}
void PhasePrinter::store(const Stm& s, const kernel::Store& x) {
  prepare(s);
  Type type = x.value.type();
  Place to = place(x.to, type.lanes);
  bool streaming = x.streaming && is_run(to);
  streams_ = streams_ || streaming;
  const std::string who = is_of_thread(x.to.buffer) ? std::string() : guard();
  line(who + store_text(dialect_, to, initialiser(x.value, type), streaming));
}

void PhasePrinter::loop(const Stm& s, const kernel::For& x) {
  prepare(s);
  auto once = [&](Expr e) {  // evaluated before the loop, not in every round
    Value value = values_.at(e.id());
    return inside(value.variables.empty() ? value.text : temporary(e.type(), value).text, Precedence::shift);
  };
  std::string begin = text(x.begin).text, end = once(x.end), step = once(x.step);
  flush_all_that_vary();
  std::string i = bind(x.name);
  magnitudes_.set_counter(x);
  const bool outer_loop = std::exchange(in_loop_, true);
  std::string type = spelling(dialect_, info(x.name).type);
  line(fmt::format("for ({} {} = {}; {} < {}; {}) {{", type, i, begin, i, end,
                   step == "1" ? "++" + i : i + " += " + step));
  block(x.body);
  line("}");
  in_loop_ = outer_loop;
}
// for (;;) { head  if (!condition) break;  body }, or while (condition) { body } where nothing is left of
// the head
void PhasePrinter::loop(const kernel::While& x) {
  flush_all_that_vary();
  const bool outer_loop = std::exchange(in_loop_, true);
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
  in_loop_ = outer_loop;
}
void PhasePrinter::branch(const Stm& s, const kernel::If& x) {
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
void PhasePrinter::allocate(const Stm& s, const kernel::Allocate& x) {
  if (x.space == kernel::Space::global) refuse("an array in global memory");
  spaces_[x.buffer] = x.space;
  if (dialect_.has_threads && x.space == kernel::Space::shared) return shared_array(x);
  prepare(s);
  const std::string_view type = element_type(x.buffer);
  const std::string name = bind(x.buffer);
  if (x.space == kernel::Space::shared && x.offset >= 0) {
    // Arrays that a layout has put in one place are one, so that few lie in the cache; arrays of another type
    // would be another object in C.
    const auto [earlier, is_first] = rooms_.try_emplace({type, x.offset}, Room{name, x.n.bits()});
    if (!is_first && x.n.bits() <= earlier->second.n) {
      line(fmt::format("{} const {} = {};", fill(dialect_.pointer, type), name, earlier->second.name));
      return;
    }
  }
  line(fill(dialect_.array, type, name, text(x.n).text) + ";");
}
void PhasePrinter::fail(const Stm& s, const kernel::Fail& x) {
  if (dialect_.has_threads) return fail_of_thread(s, x);
  prepare(s);
  int lanes = x.when.type().lanes;
  Text when = text(x.when);
  if (lanes > 1 && !when.is_scalar && when.precedence != Precedence::primary)
    when = temporary(x.when.type(), values_.at(x.when.id())).text;
  std::string test =
      lanes > 1 && !when.is_scalar ? call(dialect_, "any", Kind::boolean, lanes, when.text) : when.text;
  std::string mask = as_value(dialect_, when, {Kind::boolean, 0, static_cast<std::uint16_t>(lanes)});
  const Type values{Kind::i64, 0, static_cast<std::uint16_t>(lanes)};
  std::string args = fmt::format(
      "{}, {}, {}, {}, {}, {}, {}", dialect_.context, x.site, mask, text(x.element).text, text(x.stride).text,
      as_value(dialect_, text(x.value), values), as_value(dialect_, text(x.bound), values));
  if (!x.is_long()) {
    line(fmt::format("if ({}) {};", test, call(dialect_, "fail", Kind::boolean, lanes, args)));
    return;
  }
  line(fmt::format("if ({}) {{ {}{}; }}", test, more_values(x, lanes),
                   call(dialect_, "fail_more", Kind::boolean, lanes, args + more_arguments(x))));
}

// An array of the values that a failure has besides the usual two, and the arguments that pass it on. The
// array is never empty, which C would refuse.
std::string PhasePrinter::more_values(const kernel::Fail& x, int lanes) {
  const scalar::Type type{Kind::i64, 0, static_cast<std::uint16_t>(lanes)};
  std::string values;
  for (Expr e : x.more) values += (values.empty() ? "" : ", ") + as_value(dialect_, text(e), type);
  return fmt::format("{} const fg_more[] = {{{}}}; ", spelling(dialect_, type),
                     x.more.empty() ? as_value(dialect_, text(x.value), type) : values);
}
std::string PhasePrinter::more_arguments(const kernel::Fail& x) {
  return fmt::format(", {}, {}, fg_more", x.group ? text(x.group).text : std::string("0"), x.more.size());
}

}  // namespace fulgurite::emit
