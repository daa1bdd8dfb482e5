#include "ahead/slot_facts.h"

#include <algorithm>

#include "base/match.h"

namespace fulgurite::ahead {

using scalar::Op;

Kind kind_of_operand(const plan::Compute& s, int i) {
  if (s.op == Op::select) return i == 0 ? Kind::boolean : s.result;
  return s.operand;
}
int n_operands(const plan::Compute& s) {
  return scalar::info(s.op).arity;
}
Slot operand(const plan::Compute& s, int i) {
  return i == 0 ? s.a : i == 1 ? s.b : s.c;
}

SlotFacts::SlotFacts(const plan::Plan& plan) : slots_(static_cast<std::size_t>(plan.n_slots)), outer_{-1} {
  for (const plan::Param& param : plan.params)
    for (int k = 0; k < std::max(1, param.rank); ++k) {
      at(param.slot + k).kind = param.rank == 0 ? param.kind : Kind::i64;
      at(param.slot + k).block = 0;
      at(param.slot + k).n_writes = 1;  // components of one array may have the extents' slots in common
    }
  find(plan.steps, 0);
  for (const plan::Result& result : plan.results)
    if (result.rank == 0) events_.push_back({result.slot, false, result.kind, 0, -1});
  find_kinds();
  mark_needed();
  count();
}

int SlotFacts::inside(int block) {
  outer_.push_back(block);
  return static_cast<int>(outer_.size()) - 1;
}

void SlotFacts::find(const plan::Steps& steps, int block) {
  Slot only_for = -1;
  const auto use = [&](Slot s, std::optional<Kind> kind) {
    events_.push_back({s, false, kind, block, only_for});
  };
  const auto write = [&](Slot s, std::optional<Kind> kind) {
    events_.push_back({s, true, kind, block, only_for});
  };
  const auto use_all = [&](const std::vector<Slot>& all, std::optional<Kind> kind) {
    for (const Slot s : all) use(s, kind);
  };
  for (const plan::Step& step : steps) {
    only_for = -1;
    base::match(
        step.action,
        [&](const plan::Compute& s) {
          if (s.site == 0) only_for = s.to;
          for (int i = 0; i < n_operands(s); ++i) use(operand(s, i), kind_of_operand(s, i));
          write(s.to, s.result);
        },
        [&](const plan::Constant& s) {
          only_for = s.to;
          write(s.to, std::nullopt);
        },
        [&](const plan::Check& s) {
          use(s.condition, Kind::boolean);
          use_all(s.operands, Kind::i64);
        },
        [&](const plan::Allocate& s) { use_all(s.shape, Kind::i64); }, [&](const plan::Share&) {},
        [&](const plan::Reuse& s) {
          use_all(s.shape, Kind::i64);
          if (s.where != plan::Reuse::always) use(s.where, Kind::boolean);
          write(s.fresh, Kind::i64);
        },
        [&](const plan::CopyArray& s) { use(s.fresh, Kind::i64); },
        [&](const plan::Shrink& s) { use(s.extent, Kind::i64); }, [&](const plan::Release&) {},
        [&](const plan::Launch& s) {
          use_all(s.scalars, std::nullopt);
          use_all(s.tasks, Kind::i64);
        },
        [&](const plan::Fetch& s) { write(s.to, s.kind); },
        [&](const plan::Resident& s) {
          only_for = s.to;
          write(s.to, Kind::i64);
        },
        [&](const plan::Copy& s) {
          only_for = s.to;
          copies_.emplace_back(s.to, s.from);
          use(s.from, std::nullopt);
          write(s.to, std::nullopt);
        },
        [&](const plan::If& s) {
          use(s.condition, Kind::boolean);
          find(s.then_steps, inside(block));
          find(s.else_steps, inside(block));
        },
        [&](const plan::While& s) {  // the body sees what the head binds
          const int head = inside(block);
          find(s.head, head);
          events_.push_back({s.condition, false, Kind::boolean, head, -1});
          find(s.body, inside(head));
        },
        [&](const plan::Converge& s) {
          const int head = inside(block);
          find(s.head, head);
          find(s.body, inside(head));
        });
  }
}

void SlotFacts::find_kinds() {
  for (const Event& e : events_) {
    std::optional<Kind>& known = e.is_write ? at(e.slot).kind : at(e.slot).wanted;
    if (e.kind && !known) known = e.kind;
  }
  for (bool changes = true; changes;) {
    changes = false;
    for (const auto& [to, from] : copies_) {
      if (!at(to).kind && at(from).kind) at(to).kind = at(from).kind, changes = true;
      if (!at(from).wanted && at(to).wanted) at(from).wanted = at(to).wanted, changes = true;
    }
  }
}

void SlotFacts::mark_needed() {
  for (bool changes = true; changes;) {
    changes = false;
    for (const Event& e : events_) {
      if (e.is_write || (e.only_for >= 0 && !at(e.only_for).is_needed)) continue;
      changes = changes || !at(e.slot).is_needed;
      at(e.slot).is_needed = true;
    }
  }
}

void SlotFacts::count() {
  const auto is_printed = [&](const Event& e) { return e.only_for < 0 || at(e.only_for).is_needed; };
  for (const Event& e : events_) {
    if (!e.is_write || !is_printed(e)) continue;
    Fact& fact = at(e.slot);
    fact.is_variable = ++fact.n_writes > 1;
    fact.block = e.block;
  }
  for (const Event& e : events_) {
    if (e.is_write || !is_printed(e)) continue;
    Fact& fact = at(e.slot);
    ++fact.n_uses;
    int block = e.block;
    while (block >= 0 && block != fact.block) block = outer_[static_cast<std::size_t>(block)];
    fact.is_variable = fact.is_variable || block < 0;
  }
}

}  // namespace fulgurite::ahead
