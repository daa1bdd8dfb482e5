#include "tidy/thread_forms.h"

#include <bit>
#include <unordered_map>
#include <unordered_set>

#include "kernel/traverse.h"
#include "tidy/values.h"

namespace fulgurite::tidy {
namespace {

using namespace kernel;
using scalar::Bits;
using scalar::Op;

// A run of bits that keep their distances: bits of `mask` move up by `shift` (down, if negative).
struct Move {
  std::uint64_t mask;
  int shift;
};

Expr moved(Expr t, const Move& move, std::uint64_t all) {
  Expr part = t;
  const bool is_top =
      (move.mask & (move.mask + (move.mask & -move.mask))) == 0 && (all & ~move.mask) < move.mask;
  if (move.shift < 0 && is_top && (move.mask & -move.mask) == std::uint64_t{1} << -move.shift)
    return t >> -move.shift;
  if (move.mask != all) part = t & static_cast<std::int64_t>(is_top ? -(move.mask & -move.mask) : move.mask);
  if (move.shift > 0) return part * (std::int64_t{1} << move.shift);
  return move.shift < 0 ? part >> -move.shift : part;
}

// Every bit of the number goes to one place, or nowhere, and some places are flipped.
Expr bit_form(Arena& arena, std::span<const Bits> v, Expr t) {
  const auto n = v.size();
  const int bits = std::bit_width(n - 1);
  const std::uint64_t flips = v[0], all = (std::uint64_t{1} << bits) - 1;
  std::vector<Move> moves;
  std::vector<std::uint64_t> column(static_cast<std::size_t>(bits));
  std::uint64_t taken = 0;
  for (int b = 0; b < bits; ++b) {
    const std::uint64_t to = v[std::size_t{1} << b] ^ flips;
    column[static_cast<std::size_t>(b)] = to;
    if (to == 0) continue;
    if (!std::has_single_bit(to) || (taken & to) != 0) return {};
    taken |= to;
    const int shift = std::countr_zero(to) - b;
    if (!moves.empty() && moves.back().shift == shift)
      moves.back().mask |= std::uint64_t{1} << b;
    else
      moves.push_back({std::uint64_t{1} << b, shift});
  }
  for (std::size_t i = 1; i < n; ++i)  // without its lowest bit the number is known to go where it should
    if (v[i] != (v[i & (i - 1)] ^ column[static_cast<std::size_t>(std::countr_zero(i))])) return {};
  if (moves.size() > 4) return {};
  Expr sum = arena.i64(0);
  const bool is_inserted = moves.size() == 2 && moves[0].shift == 0 && moves[1].shift > 0 &&
                           (moves[0].mask | moves[1].mask) == all && (moves[0].mask & 1) != 0;
  if (is_inserted) {  // t + (t & -8): the upper bits once more, and more often
    const auto upper = static_cast<std::int64_t>(-(moves[1].mask & -moves[1].mask));
    sum = t + (t & upper) * ((std::int64_t{1} << moves[1].shift) - 1);
  } else {
    for (const Move& move : moves) sum = sum + moved(t, move, all);
  }
  if (flips == 0) return sum;
  const auto constant = arena.i64(static_cast<std::int64_t>(flips));
  return (flips & taken) == 0 ? sum + constant : arena.apply(Op::bit_xor, {sum, constant});
}

Expr condition_form(Arena& arena, std::span<const Bits> v, Expr t) {
  std::size_t first = 1;
  while (first < v.size() && v[first] == v[0]) ++first;
  if (first == v.size()) return arena.boolean(v[0] != 0);
  bool is_split = true, is_bit = std::has_single_bit(first);
  for (std::size_t i = 0; i < v.size(); ++i) {
    is_split &= (v[i] == v[0]) == (i < first);
    is_bit &= (v[i] == v[0]) == ((i & first) == 0);
  }
  const Expr bound = arena.i64(static_cast<std::int64_t>(first));
  if (is_split) return v[0] != 0 ? t < bound : bound <= t;
  if (!is_bit) return {};
  const Expr bit = t & bound;
  return v[0] != 0 ? equal(bit, 0) : differs(bit, 0);
}

// One Par(block).
class Forms {
 public:
  /// `are_of_thread`: the forms are functions of t again, so that forms of what has one are found, and a part
  /// of an index that has a name is printed as that name.
  Forms(Arena& arena, Var t, std::int64_t n, const Form& form, bool are_of_thread)
      : arena_(arena), values_(n, t), form_(form), are_of_thread_(are_of_thread) {
    if (n == 1) definitions_[t] = arena.i64(0);
  }

  Block block(const Block& body) {
    scopes_.emplace_back();
    Block out;
    for (const Stm& s : body) statement(s, out);
    scopes_.pop_back();
    return out;
  }

 private:
  void statement(const Stm& s, Block& out) {
    if (const auto* let = std::get_if<Let>(&s.op)) {
      const Expr value = in_form(let->value);
      if (is_index(value.type()) && is_pure(value)) {  // printed where it is used
        definitions_[let->name] =
            are_of_thread_ ? value : scalar::substitute(arena_, let->value, definitions_);
        return;
      }
      out.push_back({Let{let->name, named(value, s, out)}, s.line});
      return;
    }
    if (const auto* declare = std::get_if<Declare>(&s.op)) mutable_.insert(declare->name);
    if (const auto* loop = std::get_if<While>(&s.op)) {  // the head's names are known in the body
      While changed{{}, {}, {}};
      scopes_.emplace_back();
      for (const Stm& h : loop->head) statement(h, changed.head);
      changed.condition = in_form(loop->condition);
      changed.body = block(loop->body);
      scopes_.pop_back();
      out.push_back({std::move(changed), s.line});
      return;
    }
    Parts parts;
    parts.expr = [&](Expr e) { return named(in_form(e), s, out); };
    parts.block = [&](const Block& b) { return block(b); };
    Stm changed = map_children(s, parts);
    if (auto* branch = std::get_if<If>(&changed.op); branch && branch->condition.is_constant()) {
      Block& taken = branch->condition.is_constant(1) ? branch->then_branch : branch->else_branch;
      out.insert(out.end(), taken.begin(), taken.end());
      return;
    }
    if (auto* load = std::get_if<Load>(&changed.op)) decide(load->from);
    if (auto* store = std::get_if<Store>(&changed.op)) decide(store->to);
    if (auto* atomic = std::get_if<Atomic>(&changed.op)) decide(atomic->at);
    out.push_back(std::move(changed));
  }

  static void decide(Access& access) {
    if (access.mask && access.mask.is_constant(1)) access.mask = {};
  }
  static bool is_index(Type type) { return type == Type{Kind::i64} || type == Type{Kind::boolean}; }
  bool is_pure(Expr root) {  // of names that do not change
    bool pure = true;
    scalar::for_each_node(std::span(&root, 1),
                          [&](Expr e) { pure &= !e.is_name() || !mutable_.contains(e.var()); });
    return pure;
  }

  /// An index that is used again gets a name.
  Expr named(Expr e, const Stm& s, Block& out) {
    if (e.args().empty() || e.type() != Type{Kind::i64} || !is_pure(e)) return e;
    const auto known = [&](Expr part) {
      for (const auto& scope : scopes_)
        if (auto found = scope.find(part); found != scope.end()) return found->second;
      return Expr();
    };
    if (const Expr name = known(e)) return name;
    const Expr name = arena_.fresh(e.type(), "at");
    out.push_back({Let{name.var(), are_of_thread_ ? scalar::Substitution(arena_, known)(e) : e}, s.line});
    scopes_.back().emplace(e, name);
    return name;
  }

  Expr in_form(Expr root) {
    const Expr expanded = scalar::substitute(arena_, root, definitions_);
    return scalar::Substitution(arena_, [&](Expr e) -> Expr {
      if (!is_index(e.type()) || e.args().empty()) return {};
      if (Expr form = own_form(e)) return form;
      return e.op() == Op::add || e.op() == Op::sub ? sum_form(e) : Expr();
    })(expanded);
  }

  Expr own_form(Expr e) {
    const auto* values = values_.if_dependent(e);
    return values != nullptr ? form_(e, *values) : Expr();
  }

  // A value that depends on the thread alone is one function of its number.
  Expr sum_form(Expr e) {
    Expr own = arena_.i64(0), rest = arena_.i64(0);
    split(e, arena_.i64(1), own, rest);
    if (rest == e || own.is_constant()) return {};
    const Expr form = own_form(own);
    return form ? in_form_of_parts(rest) + form : Expr();
  }
  void split(Expr e, Expr factor, Expr& own, Expr& rest) {
    if (e.op() == Op::add || e.op() == Op::sub) {
      split(e.arg(0), factor, own, rest);
      split(e.arg(1), e.op() == Op::add ? factor : 0 - factor, own, rest);
      return;
    }
    Expr& to = values_.if_dependent(e) != nullptr ? own : rest;
    to = to + e * factor;
  }
  Expr in_form_of_parts(Expr rest) {
    if (rest.args().empty() || rest.op() == Op::add || rest.op() == Op::sub) {
      std::vector<Expr> args;
      for (Expr arg : rest.args()) args.push_back(in_form(arg));
      return rest.args().empty() ? rest : scalar::rebuild(arena_, rest, args);
    }
    return in_form(rest);
  }

  Arena& arena_;
  Values values_;
  const Form& form_;
  const bool are_of_thread_;
  std::unordered_map<Var, Expr> definitions_;
  std::unordered_set<Var> mutable_;
  std::vector<std::unordered_map<Expr, Expr>> scopes_;
};

}  // namespace

Expr form_of(Arena& arena, std::span<const Bits> v, Kind kind, Expr t) {
  if (v.empty()) return {};
  if (kind == Kind::boolean) return condition_form(arena, v, t);
  const Bits step = v.size() > 1 ? v[1] - v[0] : 0;
  std::size_t affine = 0;  // that many of them
  while (affine < v.size() && v[affine] == v[0] + step * affine) ++affine;
  if (affine == v.size()) return t * static_cast<std::int64_t>(step) + static_cast<std::int64_t>(v[0]);
  return bit_form(arena, v, t);
}

Block in_forms(Arena& arena, const Block& body, Var t, std::int64_t n, const Form& form) {
  return Forms(arena, t, n, form, false).block(body);
}

namespace {

Block in_thread_forms(Arena& arena, const Block& body) {
  Parts parts;
  parts.block = [&](const Block& inner) { return in_thread_forms(arena, inner); };
  Block out;
  for (const Stm& s : body) {
    const auto* par = std::get_if<Par>(&s.op);
    if (!par || par->level != Level::block || !par->n.is_constant()) {
      out.push_back(map_children(s, parts));
      continue;
    }
    const Form form = [&](Expr e, std::span<const Bits> values) {
      return form_of(arena, values, e.kind(), arena.name(par->name));
    };
    const auto n = static_cast<std::int64_t>(par->n.bits());
    Block inner = Forms(arena, par->name, n, form, true).block(par->body);
    out.push_back({Par{par->level, par->name, par->n, std::move(inner)}, s.line});
  }
  return out;
}

}  // namespace

const kernel::Pass thread_forms{
    .name = "thread_forms",
    .description =
        "equal functions of a thread's number are written alike; conditions of all threads are decided",
    .run = kernel::on_body<in_thread_forms>,
    .is_optional = true};

}  // namespace fulgurite::tidy
