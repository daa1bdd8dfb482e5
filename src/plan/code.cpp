#include "plan/code.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/match.h"
#include "plan/traverse.h"

namespace fulgurite::plan {

namespace {

// As the pool aligns its blocks.
constexpr std::size_t alignment = 64;

// Which arrays lie in a run's own memory, and where. An array lies there if its extents are constants and
// only launches, fetches and copies of elements use it, so that its memory is never another array's.
class OwnPlaces {
 public:
  OwnPlaces(const Plan& plan, bool is_host)
      : constants_(static_cast<std::size_t>(plan.n_slots)),
        n_assigned_(static_cast<std::size_t>(plan.n_slots)),
        bytes_(static_cast<std::size_t>(plan.n_places)),
        offsets_(static_cast<std::size_t>(plan.n_places)) {
    if (!is_host) return;
    const auto each = [&](const auto& visit) {
      for_each_step(plan.steps, [&](const Action& action) {
        base::match(action, [&](const auto& step) { visit(step); });
      });
    };
    for (const Param& param : plan.params) {
      for (std::int32_t d = 0; d < std::max(param.rank, 1); ++d) assign(param.slot + d);
      if (param.rank > 0) refuse(param.place);
    }
    for (const Result& result : plan.results)
      if (result.rank > 0) refuse(result.place);
    each([&](const auto& step) { assign(step); });
    each([&](const auto& step) { use(step); });
    std::size_t taken = 0;
    for (std::size_t p = 0; p < bytes_.size(); ++p) {
      if (bytes_[p] == 0 || bytes_[p] > own_bytes - taken) continue;
      offsets_[p] = taken;
      taken += bytes_[p];
    }
  }

  std::optional<std::size_t> offset(Place p) const { return offsets_.at(static_cast<std::size_t>(p)); }

 private:
  // An array that is refused keeps this number of bytes.
  static constexpr std::size_t too_many = own_bytes + 1;
  void refuse(Place p) { bytes_.at(static_cast<std::size_t>(p)) = too_many; }

  void assign(Slot s) { ++n_assigned_.at(static_cast<std::size_t>(s)); }
  void assign(const Constant& s) {
    assign(s.to);
    constants_.at(static_cast<std::size_t>(s.to)) = s.bits;
  }
  void assign(const Compute& s) { assign(s.to); }
  void assign(const Copy& s) { assign(s.to); }
  void assign(const Resident& s) { assign(s.to); }
  void assign(const Fetch& s) { assign(s.to); }
  void assign(const Reuse& s) { assign(s.fresh); }
  void assign(const auto&) {}

  void use(const Allocate& s) {
    std::size_t& bytes = bytes_.at(static_cast<std::size_t>(s.place));
    std::size_t needed = size_of(s.kind);
    for (const Slot extent : s.shape) {
      const auto slot = static_cast<std::size_t>(extent);
      const std::uint64_t n = n_assigned_.at(slot) == 1 ? constants_.at(slot).value_or(0) : 0;
      if (n == 0 || n > own_bytes) return refuse(s.place);
      needed = std::min(needed * n, too_many);
    }
    bytes = std::max(bytes, std::min((needed + alignment - 1) / alignment * alignment, too_many));
  }
  void use(const Share& s) { refuse(s.to), refuse(s.from); }
  void use(const Reuse& s) { refuse(s.to), refuse(s.from); }
  void use(const Shrink& s) { refuse(s.place); }
  void use(const Converge& s) { refuse(s.flags); }
  void use(const auto&) {}

  std::vector<std::optional<std::uint64_t>> constants_;  // of slots
  std::vector<int> n_assigned_;
  std::vector<std::size_t> bytes_;  // of places; 0: none is allocated
  std::vector<std::optional<std::size_t>> offsets_;
};

std::optional<Code> code_of(const Compute& s) {
  if (s.site != 0) return std::nullopt;
  if (s.op == Op::bit_and && s.operand == Kind::boolean) return Code::both;
  if (s.operand != Kind::i64) return std::nullopt;
  switch (s.op) {
#define FULGURITE_PLAN_CASE(name) \
  case Op::name: return Code::name;
    FULGURITE_PLAN_OPERATIONS(FULGURITE_PLAN_CASE)
#undef FULGURITE_PLAN_CASE
    default: return std::nullopt;
  }
}

class Resolver {
 public:
  Resolver(const Plan& plan, bool is_host) : own_(plan, is_host) {}

  Instructions instructions(const Steps& steps) {
    list(steps);
    return std::move(all_);
  }

 private:
  // The number of the list that the steps become.
  std::int32_t list(const Steps& steps) {
    const std::size_t number = all_.lists.size();
    all_.lists.emplace_back();
    std::vector<Instruction> list;
    for (const Step& step : steps)
      base::match(step.action, [&](const auto& s) {
        if (const std::optional<Instruction> made = instruction(s)) {
          list.push_back(*made);
          list.back().step = &step.action;
        }
      });
    all_.lists[number] = std::move(list);
    return static_cast<std::int32_t>(number);
  }

  std::optional<Instruction> instruction(const Compute& s) {
    return Instruction{code_of(s).value_or(Code::compute), s.to, s.a, s.b, s.c};
  }
  std::optional<Instruction> instruction(const Constant& s) {
    return Instruction{.code = Code::constant, .to = s.to, .bits = s.bits};
  }
  std::optional<Instruction> instruction(const Copy& s) { return Instruction{Code::copy, s.to, s.from}; }
  std::optional<Instruction> instruction(const Allocate& s) {
    if (const auto offset = own_.offset(s.place))
      return Instruction{.code = Code::place_own, .to = s.place, .bits = *offset};
    return Instruction{Code::allocate};
  }
  std::optional<Instruction> instruction(const Release& s) {
    if (own_.offset(s.place)) return std::nullopt;
    return Instruction{Code::release};
  }
  std::optional<Instruction> instruction(const Fetch& s) {
    const auto offset = own_.offset(s.from);
    if (offset && s.kind == Kind::i64)
      return Instruction{.code = Code::fetch_own, .to = s.to, .bits = *offset};
    return Instruction{Code::fetch};
  }
  std::optional<Instruction> instruction(const If& s) {
    return Instruction{Code::branch, 0, s.condition, list(s.then_steps), list(s.else_steps)};
  }
  std::optional<Instruction> instruction(const While& s) {
    return Instruction{Code::loop, 0, s.condition, list(s.head), list(s.body)};
  }
  std::optional<Instruction> instruction(const Converge& s) {
    return Instruction{Code::converge, 0, 0, list(s.head), list(s.body)};
  }
  std::optional<Instruction> instruction(const Check& s) { return Instruction{Code::check, 0, s.condition}; }
  std::optional<Instruction> instruction(const Share&) { return Instruction{Code::share}; }
  std::optional<Instruction> instruction(const Reuse&) { return Instruction{Code::reuse}; }
  std::optional<Instruction> instruction(const CopyArray&) { return Instruction{Code::copy_array}; }
  std::optional<Instruction> instruction(const Shrink&) { return Instruction{Code::shrink}; }
  std::optional<Instruction> instruction(const Launch&) { return Instruction{Code::launch}; }
  std::optional<Instruction> instruction(const Resident&) { return Instruction{Code::resident}; }

  const OwnPlaces own_;
  Instructions all_;
};

}  // namespace

Instructions instructions_of(const Plan& plan, bool is_host) {
  return Resolver(plan, is_host).instructions(plan.steps);
}

}  // namespace fulgurite::plan
