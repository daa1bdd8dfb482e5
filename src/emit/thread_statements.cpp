#include <algorithm>

#include "base/check.h"
#include "base/match.h"
#include "base/text.h"
#include "emit/phase_printer.h"
#include "kernel/print.h"
#include "kernel/resources.h"
#include "kernel/traverse.h"

namespace fulgurite::emit {

using kernel::Atomic;
using kernel::Param;

namespace {

constexpr int of_tasks = 31, of_threads = 11;  // bits of their numbers
constexpr std::int64_t warp = 32;

bool has_fail(const Block& block) {
  bool found = false;
  kernel::for_each_stm(block, [&](const Stm& s) { found |= std::holds_alternative<kernel::Fail>(s.op); });
  return found;
}

/// The statements that all threads run alike: those outside of Par(block).
void for_each_of_task(const Block& block, const std::function<void(const Stm&)>& visit) {
  kernel::Parts parts;
  parts.block = [&](const Block& inner) {
    for_each_of_task(inner, visit);
    return Block();
  };
  for (const Stm& s : block) {
    visit(s);
    if (!std::holds_alternative<kernel::Par>(s.op)) kernel::map_children(s, parts);
  }
}

Kind in_memory(Kind kind) {
  return kind == Kind::boolean ? Kind::u8 : kind;
}

}  // namespace

std::string PhasePrinter::parameter_list() {
  std::vector<std::string> all;
  for (const Param& p : kernel_.params) {
    const bool is_scalar = p.role == Param::Role::scalar;
    const Kind kind = in_memory(info(p.name).type.kind);
    all.push_back((is_scalar ? spelling(dialect_, {kind}) : pointer_type(p)) + " " + bind(p.name));
  }
  if (has_fail(kernel_.body)) {
    failure_ = names_.fresh("failure");
    all.push_back(fill(dialect_.failure, failure_));
  }
  return base::join(all, ", ", [](const std::string& p) { return p; });
}

void PhasePrinter::open_block(const kernel::Par& phase) {
  magnitudes_.set(phase.name, of_tasks);
  bool has_threads = false;
  kernel::for_each_stm(phase.body,
                       [&](const Stm& s) { has_threads |= std::holds_alternative<kernel::Par>(s.op); });
  if (has_threads) {
    thread_ = names_.fresh("tid");
    line(fill(dialect_.thread, thread_));
  }
  if (const std::int64_t bytes = kernel::shared_bytes(arena_, phase); bytes > 0) {
    shared_ = names_.fresh("shared");
    line(fill(dialect_.shared, shared_, bytes));
  }
  if (n_threads_ == 1) return;
  for_each_of_task(phase.body, [&](const Stm& s) {
    const auto* atomic = base::as<Atomic>(s.op);
    if (!atomic || !atomic->name) return;
    const std::string value = names_.fresh("shared_" + info(*atomic->name).name);
    line(fill(dialect_.shared_value, spelling(dialect_, {in_memory(atomic->value.kind())}), value));
    shared_values_[*atomic->name] = value;
  });
}

void PhasePrinter::shared_array(const kernel::Allocate& x) {
  line(fill(dialect_.shared_array, element_type(x.buffer), bind(x.buffer), shared_, x.offset));
}

std::string PhasePrinter::by_one_thread() const {
  const bool is_one = !dialect_.has_threads || n_at_once_ > 0 || n_threads_ == 1;
  return is_one ? std::string() : fmt::format("if ({} == 0) ", thread_);
}

// Threads with numbers from n on have nothing to do.
void PhasePrinter::threads(const kernel::Par& x) {
  n_at_once_ = static_cast<std::int64_t>(x.n.bits());
  aliases_[x.name] = {thread_};
  magnitudes_.set(x.name, of_threads);
  if (n_at_once_ < n_threads_) {
    line(fmt::format("if ({} < {}) {{", thread_, n_at_once_));
    block(x.body);
    line("}");
  } else {
    body(x.body);
  }
  n_at_once_ = 0;
}

void PhasePrinter::sync(const kernel::Sync& x) {
  line(x.level == kernel::Level::warp ? dialect_.warp_barrier : dialect_.block_barrier);
}

// Outside of Par(block) one thread does it, and tells the others through shared memory.
void PhasePrinter::atomic(const Stm& s, const Atomic& x) {
  prepare(s);
  const Place at = place(x.at, 1);
  const std::string stem = fmt::format("atomic_{}{}", kernel::name_of(x.what),
                                       is_shared(x.at.buffer) ? dialect_.shared_stem : std::string_view());
  std::string args = fmt::format("&{}[{}], {}", at.buffer, at.index, text(x.value).text);
  if (x.expected) args += ", " + text(x.expected).text;
  const std::string operation = call(dialect_, stem, in_memory(at.kind), 1, args);
  auto fenced = [&](const std::string& text) {
    if (x.release) line(dialect_.fence);
    line(text);
    if (x.acquire) line(dialect_.fence);
  };
  auto asked = [&](const std::string& to) {  // for the old value
    return fmt::format(
        "{} = {};", to,
        !x.at.mask ? operation
                   : fmt::format("{} ? {} : 0", inside(text(x.at.mask), Precedence::equality), operation));
  };
  const std::string unasked =
      at.mask.empty() ? operation + ";" : fmt::format("if ({}) {};", at.mask, operation);
  const bool is_one = by_one_thread().empty();
  if (is_one && x.name) return fenced(asked(spelling(dialect_, info(*x.name).type) + " " + bind(*x.name)));
  if (is_one) return fenced(unasked);
  line(by_one_thread() + "{");
  ++depth_;
  fenced(x.name ? asked(shared_values_.at(*x.name)) : unasked);
  --depth_;
  line("}");
  if (!x.name) return;
  line(dialect_.block_barrier);
  const std::string& value = shared_values_.at(*x.name);
  line(fmt::format("{} {} = {};", spelling(dialect_, info(*x.name).type), bind(*x.name), value));
  if (in_loop_) line(dialect_.block_barrier);  // before the next round's value
}

// The first argument tells which threads of the warp take part: those with numbers below n.
void PhasePrinter::shuffle(const Stm& s, const kernel::Shuffle& x) {
  FULGURITE_CHECK(dialect_.has_shuffles,
                  "a Shuffle is left in kernel '{}', and {} has none: let shared memory do it first",
                  kernel_.name, dialect_.name);
  prepare(s);
  const std::int64_t rest = n_at_once_ % warp, whole = n_at_once_ - rest;
  const std::string all = "0xffffffffu", some = fmt::format("{:#x}u", (std::uint32_t{1} << rest) - 1);
  const std::string mask = rest == 0    ? all
                           : whole == 0 ? some
                                        : fmt::format("{} < {} ? {} : {}", thread_, whole, all, some);
  const Type type = info(x.name).type;
  const std::string args =
      fmt::format("{}, {}, {}, {}", mask, text(x.value).text, text(x.from).text, x.width);
  line(fmt::format("{} {} = {};", spelling(dialect_, type), bind(x.name),
                   call(dialect_, "shuffle", type.kind, 1, args)));
}

void PhasePrinter::fail_of_thread(const Stm& s, const kernel::Fail& x) {
  prepare(s);
  const std::string args = fmt::format("{}, {}, {}, {}, {}", failure_, x.site, text(x.element).text,
                                       text(x.value).text, text(x.bound).text);
  line(fmt::format("{}if ({}) {};", by_one_thread(), text(x.when).text,
                   call(dialect_, "fail", Kind::boolean, 1, args)));
}

}  // namespace fulgurite::emit
