// Reductions of packed values. Where the operator of a reduction reads an unsigned component by its bit
// fields only, and these together are all of it, the fields are reduced in its place: each is a component of
// its own, which is taken apart once for each point and put together once at the end, not by each application
// of the operator. Lanes then hold one field each. If the operator uses only operations whose lowest bits do
// not depend on higher ones (sums, products), there are no masks either: bits above a field are dropped at
// the end.
#include <algorithm>
#include <map>
#include <optional>
#include <unordered_set>
#include <vector>

#include "base/match.h"
#include "scalar/value.h"
#include "scalar/width.h"
#include "simplify/simplify.h"
#include "soac/outputs.h"
#include "soac/rename.h"
#include "soac/walk.h"

namespace fulgurite::simplify {

using base::as;
using scalar::Arena;
using scalar::Expr;
using scalar::Kind;
using scalar::Op;
using scalar::Var;
using soac::Lambda;
using soac::Program;
using soac::Soac;
using soac::Stm;

namespace {

/// Bits `from` to `from` + `size` - 1.
struct Field {
  unsigned from, size;
  auto operator<=>(const Field&) const = default;
};

unsigned width_of(Kind kind) {
  return static_cast<unsigned>(scalar::bits_of(kind));
}

std::uint64_t low_bits(unsigned size) {
  return size >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << size) - 1;
}

/// e = other op constant, or constant op other if op commutes.
struct WithConstant {
  Expr other;
  std::uint64_t constant;
};
std::optional<WithConstant> with_constant(Expr e, Op op) {
  if (e.op() != op) return {};
  if (e.arg(1).is_constant()) return WithConstant{e.arg(0), e.arg(1).bits()};
  if (op == Op::bit_and && e.arg(0).is_constant()) return WithConstant{e.arg(1), e.arg(0).bits()};
  return {};
}

/// A shift by a constant within the width.
std::optional<WithConstant> shifted(Expr e, Op op) {
  const auto shift = with_constant(e, op);
  return shift && shift->constant < width_of(e.kind()) ? shift : std::nullopt;
}

/// n of e = other & (2^n - 1).
std::optional<unsigned> masked_to(Expr e) {
  const auto mask = with_constant(e, Op::bit_and);
  if (!mask) return {};
  for (unsigned size = 1; size < width_of(e.kind()); ++size)
    if (mask->constant == low_bits(size)) return size;
  return {};
}

/// The bits that e reads of a name: `name >> from & mask`, without the mask up to the top, without the shift
/// from the bottom.
struct Read {
  Var name;
  Field field;
};
std::optional<Read> read_of(Expr e) {
  const unsigned width = width_of(e.kind());
  const std::optional<unsigned> size = masked_to(e);
  const Expr inner = size ? with_constant(e, Op::bit_and)->other : e;
  const auto shift = shifted(inner, Op::shr);
  if (!shift && !size) return {};
  const Expr name = shift ? shift->other : inner;
  const unsigned from = shift ? static_cast<unsigned>(shift->constant) : 0;
  if (!name.is_name()) return {};
  return Read{name.var(), {from, std::min(size.value_or(width), width - from)}};
}

/// Whether no bit of the field can be set. Looks at most this many operations deep.
bool is_zero(Expr e, Field field, int depth = 12) {
  const unsigned width = width_of(e.kind());
  if (field.from >= width) return true;
  field.size = std::min(field.size, width - field.from);
  const std::uint64_t bits = low_bits(field.size) << field.from;
  if (e.is_constant()) return (e.bits() & bits) == 0;
  if (depth-- == 0) return false;
  if (const auto mask = with_constant(e, Op::bit_and))
    return (mask->constant & bits) == 0 || is_zero(mask->other, field, depth);
  if (e.op() == Op::bit_or) return is_zero(e.arg(0), field, depth) && is_zero(e.arg(1), field, depth);
  if (const auto left = shifted(e, Op::shl)) {
    const auto by = static_cast<unsigned>(left->constant);
    if (field.from + field.size <= by) return true;
    return by <= field.from && is_zero(left->other, {field.from - by, field.size}, depth);
  }
  if (const auto right = shifted(e, Op::shr))
    return is_zero(right->other, {field.from + static_cast<unsigned>(right->constant), field.size}, depth);
  return false;
}

class Splitter {
 public:
  explicit Splitter(Arena& arena) : arena_(arena) {}

  void scope(std::vector<Stm>& stms, std::vector<Expr>& results) {
    soac::Renaming renaming(arena_, soac::Renaming::Binders::keep);
    for (Stm& stm : stms) {
      if (!renaming.empty()) stm = renaming(stm);
      for (auto& inner : soac::nested_in(stm)) scope(inner.lambda->body, inner.lambda->results);
      if (as<Soac>(stm.op)) split(stm, renaming);
    }
    renaming.in_place(results);
  }

 private:
  /// The fields of component `j` of the operator's operands, from the bottom to the top; one: it stays whole.
  std::vector<Field> fields_of(const Lambda& op, std::size_t j) const {
    const Kind kind = arena_.info(op.params[j]).type.kind;
    const std::vector<Field> whole{{0, width_of(kind)}};
    if (kind != Kind::u32 && kind != Kind::u64) return whole;
    const Var left = op.params[j], right = op.params[j + op.results.size()];
    auto is_operand = [&](Expr e) { return e.is_name() && (e.var() == left || e.var() == right); };

    // A shift of which nothing is used but what a mask leaves is no reading of its own.
    bool fine = std::none_of(op.results.begin(), op.results.end(), is_operand);
    std::unordered_set<Expr> used_whole(op.results.begin(), op.results.end());
    std::vector<Expr> reads;
    scalar::for_each_node(op.results, [&](Expr e) {
      const auto read = read_of(e);
      if (read && (read->name == left || read->name == right)) reads.push_back(e);
      for (Expr operand : e.args()) {
        if (is_operand(operand)) fine = fine && read.has_value();
        if (!masked_to(e)) used_whole.insert(operand);
      }
    });
    std::vector<Field> fields;
    for (Expr e : reads)
      if (masked_to(e) || used_whole.contains(e)) fields.push_back(read_of(e)->field);
    std::sort(fields.begin(), fields.end());
    fields.erase(std::unique(fields.begin(), fields.end()), fields.end());
    unsigned next = 0;
    for (Field f : fields) {
      fine = fine && f.from == next;
      next = f.from + f.size;
    }
    return fine && next == width_of(kind) ? fields : whole;
  }

  /// The field of e as a number.
  Expr field(Expr e, Field f) {
    const unsigned width = width_of(e.kind());
    if (f.size == width) return e;
    return low(e, f) & arena_.constant(e.kind(), low_bits(f.size));
  }

  /// A number whose lowest bits are the field of e.
  Expr low(Expr e, Field f) {
    const std::uint64_t bits = low_bits(f.size) << f.from;
    if (const auto mask = with_constant(e, Op::bit_and); mask && (mask->constant & bits) == bits)
      return low(mask->other, f);
    if (e.op() == Op::bit_or && is_zero(e.arg(0), f)) return low(e.arg(1), f);
    if (e.op() == Op::bit_or && is_zero(e.arg(1), f)) return low(e.arg(0), f);
    if (const auto left = shifted(e, Op::shl); left && left->constant <= f.from)
      return low(left->other, {f.from - static_cast<unsigned>(left->constant), f.size});
    return f.from == 0 ? e : e >> arena_.constant(e.kind(), f.from);
  }

  using Fields = std::vector<std::vector<Field>>;  // of each component

  /// With `above` the bits above a field may be anything.
  std::vector<Expr> apart(const std::vector<Expr>& values, const Fields& fields, bool above) {
    std::vector<Expr> parts;
    for (std::size_t j = 0; j < values.size(); ++j)
      for (Field f : fields[j]) parts.push_back(above ? low(values[j], f) : field(values[j], f));
    return parts;
  }

  /// The lowest `size` bits of e depend on no others of the operator's parameters.
  static bool keeps_low_bits(Expr e, unsigned size, const std::map<Var, unsigned>& size_of) {
    bool keeps = true;
    scalar::for_each_node({&e, 1}, [&](Expr node) {
      switch (node.op()) {
        case Op::constant:
        case Op::add:
        case Op::sub:
        case Op::mul:
        case Op::bit_and:
        case Op::bit_or:
        case Op::bit_xor: break;
        case Op::name: keeps = keeps && size_of.contains(node.var()) && size <= size_of.at(node.var()); break;
        default: keeps = false;
      }
    });
    return keeps;
  }

  Lambda operator_on(const Lambda& op, const Fields& fields, bool& above) {
    std::map<std::pair<Var, Field>, Expr> parts;
    std::map<Var, unsigned> size_of;
    Lambda split;
    for (std::size_t p = 0; p < op.params.size(); ++p) {
      const auto& of_p = fields[p % op.results.size()];
      for (Field f : of_p) {
        const scalar::VarInfo& old = arena_.info(op.params[p]);
        const Expr part = of_p.size() == 1 ? arena_.name(op.params[p]) : arena_.fresh(old.type, old.name);
        split.params.push_back(part.var());
        size_of.emplace(part.var(), f.size);
        if (of_p.size() > 1) parts.emplace(std::pair(op.params[p], f), part);
      }
    }
    scalar::Substitution substitute(arena_, [&](Expr e) {
      const auto read = read_of(e);
      const auto found = read ? parts.find({read->name, read->field}) : parts.end();
      return found == parts.end() ? Expr() : found->second;
    });
    split.results = apart(op.results, fields, true);
    for (Expr& e : split.results) e = substitute(e);
    above = true;
    for (std::size_t k = 0; k < split.results.size(); ++k)
      above = above && keeps_low_bits(split.results[k], size_of.at(split.params[k]), size_of);
    if (above) return split;
    split.results = apart(op.results, fields, false);
    for (Expr& e : split.results) e = substitute(e);
    return split;
  }

  void split(Stm& stm, soac::Renaming& renaming) {
    soac::Outputs outputs = soac::outputs_of(stm);
    bool changed = false;
    for (soac::Outputs::Reduced& r : outputs.reductions)
      if (split(r, renaming)) changed = true;
    if (changed) stm = soac::with_outputs(std::move(stm), std::move(outputs));
  }

  /// Whether there was something to take apart.
  bool split(soac::Outputs::Reduced& r, soac::Renaming& renaming) {
    soac::Reduction& by = r.by;
    Fields fields;
    for (std::size_t j = 0; j < by.op.results.size(); ++j) fields.push_back(fields_of(by.op, j));
    const bool any = by.op.body.empty() &&
                     std::any_of(fields.begin(), fields.end(), [](const auto& f) { return f.size() > 1; });
    if (!any) return false;
    bool above = false;
    by.op = operator_on(by.op, fields, above);
    by.neutral = apart(by.neutral, fields, false);
    by.initial = apart(by.initial, fields, false);
    r.operands = apart(r.operands, fields, above);
    std::vector<Var> names;
    for (std::size_t j = 0; j < r.names.size(); ++j) {
      const Var whole = r.names[j];
      if (fields[j].size() == 1) {
        names.push_back(whole);
        continue;
      }
      const scalar::VarInfo& old = arena_.info(whole);
      Expr together;
      for (Field f : fields[j]) {
        const Expr of_field = arena_.fresh(old.type, old.name);
        names.push_back(of_field.var());
        const Expr value = above ? field(of_field, {0, f.size}) : of_field;
        const Expr placed = value << arena_.constant(old.type.kind, f.from);
        together = together ? together | placed : placed;
      }
      renaming.bind(whole, together);
    }
    r.names = std::move(names);
    return true;
  }

  Arena& arena_;
};

Program run_fields(Program program, soac::PassContext&) {
  Splitter(*program.arena).scope(program.body, program.results);
  return program;
}

}  // namespace

const soac::Pass fields{"fields", "reductions of packed values reduce their bit fields", run_fields};

}  // namespace fulgurite::simplify
