// The steps of a plan, looked at once before they run.
#include "plan/step_code.h"
#include "scalar/expr.h"
#include "scalar/type.h"
#include "standalone/program.h"

namespace fulgurite::standalone {

namespace {

using base::WordReader;
using plan::StepCode;
using scalar::Kind;
using scalar::Op;

// The rows of scalar/op.def: the kinds that an operation takes, by its flags; none of operations of arrays
// and vectors.
bool has_value(Op op, Kind kind) {
  scalar::Rule rule;
  std::string_view flags;
  switch (op) {
#define FULGURITE_OP(name, arity, of_rule, of_flags, c, description) \
  case Op::name:                                                     \
    rule = scalar::Rule::of_rule;                                    \
    flags = of_flags;                                                \
    break;
#include "scalar/op.def"
    default: return false;
  }
  if (rule == scalar::Rule::leaf || rule == scalar::Rule::special || flags.find('v') != flags.npos)
    return false;
  if (op == Op::select) return true;  // its first operand is a boolean
  const char of_kind = kind == Kind::boolean ? 'B' : kind >= Kind::f32 ? 'F' : 'I';
  return flags.find(of_kind) != flags.npos;
}

class Check {
 public:
  explicit Check(Plan& plan) : plan_(plan) {}

  bool steps(WordReader words, int depth) {
    if (words.has_passed_the_end() || depth > plan::most_nested_steps) return false;
    while (words.n_left() > 0)
      if (!step(words, depth) || words.has_passed_the_end()) return false;
    return true;
  }

 private:
  static bool is_below(std::uint32_t n, std::size_t bound) { return n < bound; }
  bool slots(WordReader& words, int n = 1) {
    bool are_all = true;
    for (; n > 0; --n) are_all &= is_below(words.word(), static_cast<std::size_t>(plan_.n_slots));
    return are_all;
  }
  bool places(WordReader& words, int n = 1) {
    bool are_all = true;
    for (; n > 0; --n) are_all &= is_below(words.word(), static_cast<std::size_t>(plan_.n_places));
    return are_all;
  }
  static bool kind(WordReader& words) { return is_below(words.word(), scalar::n_kinds); }
  bool site(WordReader& words) { return is_below(words.word(), plan_.sites.size() + 1); }
  bool shape(WordReader& words) {
    WordReader list = words.section();
    const std::size_t n = list.n_left();
    return n >= 1 && n <= FG_MAX_RANK && slots(list, static_cast<int>(n));
  }
  // The length of the list of slots, or of places.
  bool list(WordReader& words, bool is_of_slots, std::size_t& most) {
    WordReader list = words.section();
    const std::size_t n = list.n_left();
    if (n > most) most = n;
    return is_of_slots ? slots(list, static_cast<int>(n)) : places(list, static_cast<int>(n));
  }

  bool compute(WordReader& words) {
    const std::uint32_t op = words.word(), operand = words.word(), result = words.word();
    if (op > 0xff || operand >= scalar::n_kinds || result >= scalar::n_kinds) return false;
    return has_value(static_cast<Op>(op), static_cast<Kind>(operand)) && slots(words, 4) && site(words);
  }
  bool launch(WordReader& words) {
    const std::uint32_t kernel = words.word();
    std::size_t n_tasks = 0;
    if (!is_below(kernel, plan_.kernels.size()) || !slots(words, 2) ||
        !list(words, false, plan_.most_buffers) || !list(words, true, plan_.most_scalars) ||
        !list(words, true, n_tasks))
      return false;
    if (n_tasks > plan_.most_tasks) plan_.most_tasks = n_tasks;
    return n_tasks == plan_.kernels[kernel].n_phases;
  }
  bool step(WordReader& words, int depth) {
    switch (static_cast<StepCode>(words.word())) {
      case StepCode::compute: return compute(words);
      case StepCode::constant: return slots(words) && (words.wide(), true);
      case StepCode::check: {
        std::size_t n = 0;
        const bool has_condition = slots(words);
        const std::uint32_t at = words.word();
        return has_condition && at >= 1 && at <= plan_.sites.size() && list(words, true, n);
      }
      case StepCode::allocate: return places(words) && kind(words) && site(words) && shape(words);
      case StepCode::share: return places(words, 2);
      case StepCode::reuse:
        return places(words, 2) && kind(words) && slots(words) &&
               is_below(words.word(), static_cast<std::size_t>(plan_.n_slots) + 2) && site(words) &&
               shape(words);
      case StepCode::copy_array: return places(words, 2) && kind(words) && slots(words);
      case StepCode::shrink: return places(words) && slots(words);
      case StepCode::release: return places(words);
      case StepCode::launch: return launch(words);
      case StepCode::fetch: return slots(words) && places(words) && kind(words);
      case StepCode::copy: return slots(words, 2);
      case StepCode::branch:
      case StepCode::loop:
        return slots(words) && steps(words.section(), depth + 1) && steps(words.section(), depth + 1);
      case StepCode::converge:
        return places(words) && steps(words.section(), depth + 1) && steps(words.section(), depth + 1);
      case StepCode::resident: return false;  // only plans for devices ask
    }
    return false;
  }

  Plan& plan_;
};

}  // namespace

bool check_steps(Plan& plan) {
  return Check(plan).steps(plan.steps, 0);
}

}  // namespace fulgurite::standalone
