#include "plan/words.h"

#include "base/match.h"
#include "plan/step_code.h"

namespace fulgurite::plan {

namespace {

template <StepCode code, class Step>
constexpr bool is_code_of =
    std::is_same_v<std::variant_alternative_t<static_cast<std::size_t>(code), Action>, Step>;
static_assert(is_code_of<StepCode::compute, Compute> && is_code_of<StepCode::reuse, Reuse> &&
              is_code_of<StepCode::launch, Launch> && is_code_of<StepCode::resident, Resident>);
static_assert(std::variant_size_v<Action> == static_cast<std::size_t>(StepCode::resident) + 1);

class Writer {
 public:
  explicit Writer(base::WordWriter& to) : to_(to) {}

  void steps(const Steps& all) {
    to_.section([&] {
      for (const Step& step : all) {
        to_.word(static_cast<std::uint32_t>(step.action.index()));
        base::match(step.action, [&](const auto& action) { write(action); });
      }
    });
  }

 private:
  template <class... Ns>
  void numbers(Ns... ns) {
    (to_.number(static_cast<std::int64_t>(ns)), ...);
  }
  void list(const std::vector<std::int32_t>& items) {
    to_.section([&] {
      for (const std::int32_t item : items) to_.number(item);
    });
  }

  void write(const Compute& s) { numbers(s.op, s.operand, s.result, s.to, s.a, s.b, s.c, s.site); }
  void write(const Constant& s) {
    numbers(s.to);
    to_.wide(s.bits);
  }
  void write(const Check& s) {
    numbers(s.condition, s.site);
    list(s.operands);
  }
  void write(const Allocate& s) {
    numbers(s.place, s.kind, s.site);
    list(s.shape);
  }
  void write(const Share& s) { numbers(s.to, s.from); }
  void write(const Reuse& s) {
    numbers(s.to, s.from, s.kind, s.fresh, s.taken(), s.site);
    list(s.shape);
  }
  void write(const CopyArray& s) { numbers(s.to, s.from, s.kind, s.fresh); }
  void write(const Shrink& s) { numbers(s.place, s.extent); }
  void write(const Release& s) { numbers(s.place); }
  void write(const Launch& s) {
    numbers(s.kernel, s.bytes_read, s.bytes_written);
    list(s.buffers);
    list(s.scalars);
    list(s.tasks);
  }
  void write(const Fetch& s) { numbers(s.to, s.from, s.kind); }
  void write(const Copy& s) { numbers(s.to, s.from); }
  void write(const If& s) {
    numbers(s.condition);
    steps(s.then_steps);
    steps(s.else_steps);
  }
  void write(const While& s) {
    numbers(s.condition);
    steps(s.head);
    steps(s.body);
  }
  void write(const Converge& s) {
    numbers(s.flags);
    steps(s.head);
    steps(s.body);
  }
  void write(const Resident& s) { numbers(s.to, s.kernel, s.threads); }

  base::WordWriter& to_;
};

struct NoSteps {};  // thrown where words are none

class Reader {
 public:
  explicit Reader(const Bounds& bounds) : bounds_(bounds) {}

  Steps steps(base::WordReader words, int depth) {
    if (depth > most_nested_steps) refuse();
    Steps all;
    while (words.n_left() > 0) {
      all.push_back({action(static_cast<StepCode>(words.word()), words, depth)});
      if (words.has_passed_the_end()) refuse();
    }
    if (!words.is_done()) refuse();
    return all;
  }

 private:
  [[noreturn]] static void refuse() { throw NoSteps(); }

  static std::int32_t below(std::int32_t n, std::int32_t bound) {
    if (n < 0 || n >= bound) refuse();
    return n;
  }
  Slot slot(base::WordReader& words) const { return below(words.number(), bounds_.n_slots); }
  Place place(base::WordReader& words) const { return below(words.number(), bounds_.n_places); }
  static Kind kind(base::WordReader& words) {
    return static_cast<Kind>(below(words.number(), scalar::n_kinds));
  }
  static Op op(base::WordReader& words) {
    return static_cast<Op>(below(words.number(), static_cast<std::int32_t>(scalar::all_ops().size())));
  }
  Site site(base::WordReader& words) const {
    const Site s = words.word();
    if (s > bounds_.n_sites) refuse();
    return s;
  }
  std::vector<std::int32_t> list(base::WordReader& words, std::int32_t bound) const {
    std::vector<std::int32_t> items;
    for (base::WordReader list = words.section(); list.n_left() > 0;)
      items.push_back(below(list.number(), bound));
    return items;
  }
  std::vector<Slot> shape(base::WordReader& words) const {
    std::vector<Slot> slots = list(words, bounds_.n_slots);
    if (slots.empty() || slots.size() > most_axes) refuse();
    return slots;
  }

  Action action(StepCode code, base::WordReader& w, int depth) {  // braces evaluate left to right
    switch (code) {
      case StepCode::compute:
        return Compute{op(w), kind(w), kind(w), slot(w), slot(w), slot(w), slot(w), site(w)};
      case StepCode::constant: return Constant{slot(w), w.wide()};
      case StepCode::check: {
        Check step{slot(w), site(w), list(w, bounds_.n_slots)};
        if (step.site == 0) refuse();
        return step;
      }
      case StepCode::allocate: {
        Allocate step{place(w), kind(w), {}, site(w)};
        step.shape = shape(w);
        return step;
      }
      case StepCode::share: return Share{place(w), place(w)};
      case StepCode::reuse: {
        Reuse step{place(w), place(w), kind(w), {}, slot(w)};
        step.set_taken(below(w.number(), bounds_.n_slots + 2));
        step.site = site(w);
        step.shape = shape(w);
        return step;
      }
      case StepCode::copy_array: return CopyArray{place(w), place(w), kind(w), slot(w)};
      case StepCode::shrink: return Shrink{place(w), slot(w)};
      case StepCode::release: return Release{place(w)};
      case StepCode::launch: {
        Launch step{below(w.number(), bounds_.n_kernels), {}, {}, {}, slot(w), slot(w)};
        step.buffers = list(w, bounds_.n_places);
        step.scalars = list(w, bounds_.n_slots);
        step.tasks = list(w, bounds_.n_slots);
        return step;
      }
      case StepCode::fetch: return Fetch{slot(w), place(w), kind(w)};
      case StepCode::copy: return Copy{slot(w), slot(w)};
      case StepCode::branch: return If{slot(w), steps(w.section(), depth + 1), steps(w.section(), depth + 1)};
      case StepCode::loop: {
        const Slot condition = slot(w);
        Steps head = steps(w.section(), depth + 1);
        return While{std::move(head), condition, steps(w.section(), depth + 1)};
      }
      case StepCode::converge: {
        const Place flags = place(w);
        Steps head = steps(w.section(), depth + 1);
        return Converge{std::move(head), flags, steps(w.section(), depth + 1)};
      }
      case StepCode::resident: {
        Resident step{slot(w), below(w.number(), bounds_.n_kernels), w.number()};
        if (step.threads < 1) refuse();
        return step;
      }
    }
    refuse();
  }

  static constexpr std::size_t most_axes = 8;
  const Bounds& bounds_;
};

}  // namespace

void write_steps(const Steps& steps, base::WordWriter& to) {
  Writer(to).steps(steps);
}

std::optional<Steps> read_steps(base::WordReader words, const Bounds& bounds) {
  try {
    return Reader(bounds).steps(words, 0);
  } catch (const NoSteps&) {
    return std::nullopt;
  }
}

}  // namespace fulgurite::plan
