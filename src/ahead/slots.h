// The scalars of a plan as expressions and local variables of the host's language. A slot that is written
// once is the expression that computes it where that is short or used once, else a constant of its own; a
// slot that loops or branches write is a variable. What nothing but statistics needs is not printed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ahead/slot_facts.h"
#include "emit/dialect.h"
#include "emit/expression.h"
#include "emit/magnitude.h"
#include "emit/names.h"

namespace fulgurite::ahead {

using scalar::Expr;

class Slots {
 public:
  /// Whether values that are used often get names of their own.
  enum class Locals : bool { none, often_used };
  /// `names` gives local names.
  Slots(const plan::Plan&, const emit::Dialect&, emit::Names& names, Locals = Locals::often_used);

  /// A scalar parameter, or an extent of an array, under the name that it has.
  void set_parameter(Slot, const std::string& name, bool is_extent);

  /// Declarations of the variables, for the function's beginning.
  std::vector<std::string> declarations() const;

  /// The line that the step becomes; empty: none.
  std::string compute(const plan::Compute&);
  std::string constant(const plan::Constant&);
  std::string copy(const plan::Copy&);
  /// The line that gives the slot a value that comes from elsewhere.
  std::string assign(Slot, const std::string& value);

  /// The value as an expression of this kind.
  std::string text(Slot, Kind, emit::Precedence at_least = emit::Precedence::conditional);
  /// Its 64 bits, as an i64.
  std::string bits(Slot);
  /// The value, if it is a constant.
  std::optional<std::uint64_t> known(Slot) const;

  const SlotFacts& facts() const { return facts_; }

 private:
  Expr& expr(Slot s) { return exprs_[static_cast<std::size_t>(s)]; }
  Expr value(Slot, Kind);
  Expr bits_of(Expr);
  Expr of_bits(Expr, Kind);
  emit::Text print(Expr);
  Expr named(Kind, const std::string& name, bool is_variable);
  std::string define(Slot, Expr);

  const emit::Dialect& dialect_;
  emit::Names& names_;
  SlotFacts facts_;
  const Locals which_;
  scalar::Arena arena_;
  emit::Magnitudes magnitudes_;
  std::map<std::string, Expr> extents_;                  // of parameters, by their names
  std::vector<Expr> exprs_;                              // by slot
  std::vector<std::optional<std::uint64_t>> constants_;  // by slot
  struct Local {
    std::string name;
    bool is_variable;
  };
  std::vector<Local> locals_;  // by Var
};

}  // namespace fulgurite::ahead
