// What a plan does with its scalar slots: who writes them, who needs them, of what kind they are.
#pragma once

#include <optional>
#include <vector>

#include "plan/plan.h"

namespace fulgurite::ahead {

using plan::Slot;
using scalar::Kind;

class SlotFacts {
 public:
  explicit SlotFacts(const plan::Plan&);

  /// Something but statistics needs the value.
  bool is_needed(Slot s) const { return at(s).is_needed; }
  /// Written more than once, or inside a branch or loop and needed after it.
  bool is_variable(Slot s) const { return at(s).is_variable; }
  /// How many of the steps that are printed use it.
  int n_uses(Slot s) const { return at(s).n_uses; }
  Kind kind(Slot s) const { return at(s).kind.value_or(at(s).wanted.value_or(Kind::i64)); }
  std::size_t n_slots() const { return slots_.size(); }

 private:
  struct Fact {
    bool is_needed = false, is_variable = false;
    int n_writes = 0, n_uses = 0, block = -1;
    std::optional<Kind> kind, wanted;  // as it is written, as it is used
  };
  struct Event {
    Slot slot;
    bool is_write;
    std::optional<Kind> kind;
    int block;
    Slot only_for;  // the slot for which alone the step is there; -1: it has to be
  };
  void find(const plan::Steps&, int block);
  int inside(int block);
  void mark_needed();
  void count();
  void find_kinds();

  const Fact& at(Slot s) const { return slots_[static_cast<std::size_t>(s)]; }
  Fact& at(Slot s) { return slots_[static_cast<std::size_t>(s)]; }

  std::vector<Fact> slots_;
  std::vector<Event> events_;
  std::vector<std::pair<Slot, Slot>> copies_;  // to, from
  std::vector<int> outer_;                     // of each block the block around it
};

/// The kind of operand i of a Compute, and how many there are.
Kind kind_of_operand(const plan::Compute&, int i);
int n_operands(const plan::Compute&);
Slot operand(const plan::Compute&, int i);

}  // namespace fulgurite::ahead
