// Statements of a block's threads: who runs what, barriers, atomics, shuffles, shared arrays. Names are
// unique in a function, so that the body of a Par(block) whose instances are all threads needs no braces.
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

template <class Statement>
bool has(const Block& block) {
  bool found = false;
  kernel::for_each_stm(block, [&](const Stm& s) { found |= std::holds_alternative<Statement>(s.op); });
  return found;
}

/// The statements outside of Par(block), which all threads run alike.
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
  for (std::string_view word : dialect_.builtins)
    if (!word.empty()) names_.fresh(word);
  std::vector<std::string> all;
  for (const Param& p : kernel_.params) {
    const bool is_scalar = p.role == Param::Role::scalar;
    const Kind kind = in_memory(info(p.name).type.kind);
    all.push_back((is_scalar ? spelling(dialect_, {kind}) : pointer_type(p)) + " " + bind(p.name));
  }
  if (has<kernel::Fail>(kernel_.body)) {
    failure_ = names_.fresh("failure");
    all.push_back(fill(dialect_.failure, failure_));
  }
  return base::join(all, ", ", [](const std::string& p) { return p; });
}

void PhasePrinter::open_block(const kernel::Par& phase) {
  magnitudes_.set(phase.name, of_tasks);
  if (has<kernel::Par>(phase.body)) {
    thread_ = names_.fresh("tid");
    line(fill(dialect_.thread, thread_));
  }
  if (const std::int64_t bytes = kernel::shared_bytes(arena_, phase); bytes > 0) {
    shared_ = names_.fresh("shared");
    line(fill(bytes > dialect_.most_shared ? dialect_.shared_at_launch : dialect_.shared, shared_, bytes));
  }
  if (!dialect_.has_shuffles) exchange_through_memory(phase.body);
  if (n_threads_ == 1) return;
  for_each_of_task(phase.body, [&](const Stm& s) {
    const auto* atomic = base::as<Atomic>(s.op);
    if (!atomic || !atomic->name) return;
    const std::string value = names_.fresh("shared_" + info(*atomic->name).name);
    line(fill(dialect_.shared_value, spelling(dialect_, {in_memory(atomic->value.kind())}), value));
    shared_values_[*atomic->name] = value;
  });
}

// One array for the shuffles of each kind: barriers stand around what they do.
void PhasePrinter::exchange_through_memory(const Block& phase) {
  kernel::for_each_stm(phase, [&](const Stm& s) {
    const auto* shuffle = base::as<kernel::Shuffle>(s.op);
    if (!shuffle) return;
    const Kind kind = in_memory(shuffle->value.kind());
    const auto [exchanged, is_new] = exchanged_.try_emplace(kind);
    if (!is_new) return;
    const std::string type = spelling(dialect_, {kind});
    exchanged->second = names_.fresh("exchanged_" + type);
    line(fill(dialect_.shared_value, type, fmt::format("{}[{}]", exchanged->second, n_threads_)));
  });
}

void PhasePrinter::shared_array(const kernel::Allocate& x) {
  line(fill(dialect_.shared_array, element_type(x.buffer), bind(x.buffer), shared_, x.offset));
}

std::string PhasePrinter::guard() const {
  if (is_doubled_) return fmt::format("if ({} < {}) ", thread_, n_at_once_);
  const bool is_by_all = !dialect_.has_threads || n_at_once_ > 0 || n_threads_ == 1;
  return is_by_all ? std::string() : fmt::format("if ({} == 0) ", thread_);
}

// Threads with numbers from n on have nothing to do. Where there will be barriers, all must come by: there
// they do what the last one does, but change nothing.
void PhasePrinter::threads(const kernel::Par& x) {
  n_at_once_ = static_cast<std::int64_t>(x.n.bits());
  const bool has_idle = n_at_once_ < n_threads_;
  is_doubled_ = has_idle && !dialect_.has_shuffles && has<kernel::Shuffle>(x.body);
  magnitudes_.set(x.name, of_threads);
  if (is_doubled_)
    line(fmt::format("const {0} {1} = {2} < {3} ? {2} : {4};", spelling(dialect_, {Kind::i64}), bind(x.name),
                     thread_, n_at_once_, n_at_once_ - 1));
  else
    aliases_[x.name] = {thread_};
  if (has_idle && !is_doubled_) {
    line(fmt::format("if ({} < {}) {{", thread_, n_at_once_));
    block(x.body);
    line("}");
  } else {
    body(x.body);
  }
  n_at_once_ = 0;
  is_doubled_ = false;
}

void PhasePrinter::sync(const kernel::Sync& x) {
  line(x.level == kernel::Level::warp ? dialect_.warp_barrier : dialect_.block_barrier);
}

// Outside of Par(block) one thread does it, and tells the others through shared memory.
void PhasePrinter::atomic(const Stm& s, const Atomic& x) {
  prepare(s);
  const Place at = place(x.at, 1);
  const std::string function =
      fmt::format("atomic_{}{}", kernel::name_of(x.what),
                  is_shared(x.at.buffer) ? dialect_.shared_suffix : std::string_view());
  std::string args = fmt::format("&{}[{}], {}", at.buffer, at.index, text(x.value).text);
  if (x.expected) args += ", " + text(x.expected).text;
  const bool only_reads = dialect_.has_acquiring_loads && x.acquire && !x.release &&
                          x.what == Atomic::What::add && x.value.is_constant(0) && at.kind == Kind::i32;
  const std::string operation =
      only_reads ? call(dialect_, "load_acquire", at.kind, 1, fmt::format("&{}[{}]", at.buffer, at.index))
                 : call(dialect_, function, in_memory(at.kind), 1, args);
  auto fenced = [&](const std::string& text) {
    if (x.release && !dialect_.fence.empty()) line(dialect_.fence);
    line(text);
    if (x.acquire && !only_reads && !dialect_.fence.empty()) line(dialect_.fence);
  };
  auto asked = [&](const std::string& to) {  // for the old value
    std::string condition = x.at.mask ? inside(text(x.at.mask), Precedence::equality) : std::string();
    if (is_doubled_)
      condition = fmt::format("({} < {}{})", thread_, n_at_once_, x.at.mask ? " && " + condition : "");
    return fmt::format("{} = {};", to,
                       condition.empty() ? operation : fmt::format("{} ? {} : 0", condition, operation));
  };
  const std::string unasked =
      at.mask.empty() ? operation + ";" : fmt::format("if ({}) {};", at.mask, operation);
  const bool is_by_all = guard().empty();
  if ((is_by_all || is_doubled_) && x.name)
    return fenced(asked(spelling(dialect_, info(*x.name).type) + " " + bind(*x.name)));
  if (is_by_all) return fenced(unasked);
  line(guard() + "{");
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

void PhasePrinter::shuffle(const Stm& s, const kernel::Shuffle& x) {
  prepare(s);
  const Type type = info(x.name).type;
  const std::string declared = spelling(dialect_, type) + " " + bind(x.name);
  if (!dialect_.has_shuffles) {
    const std::string& exchanged = exchanged_.at(in_memory(type.kind));
    line(fmt::format("{}[{}] = {};", exchanged, thread_, text(x.value).text));
    line(dialect_.block_barrier);
    line(fmt::format("{} = {}[({} & -{}) + ({} & {})];", declared, exchanged, thread_, x.width,
                     inside(text(x.from), Precedence::unary), x.width - 1));
    return line(dialect_.block_barrier);
  }
  // Which threads of the warp take part: threads with numbers below n.
  const std::int64_t rest = n_at_once_ % warp, whole = n_at_once_ - rest;
  const std::string all = "0xffffffffu", some = fmt::format("{:#x}u", (std::uint32_t{1} << rest) - 1);
  const std::string mask = rest == 0    ? all
                           : whole == 0 ? some
                                        : fmt::format("{} < {} ? {} : {}", thread_, whole, all, some);
  const std::string args =
      fmt::format("{}, {}, {}, {}", mask, text(x.value).text, text(x.from).text, x.width);
  line(fmt::format("{} = {};", declared, call(dialect_, "shuffle", type.kind, 1, args)));
}

std::string PhasePrinter::wide_type(Var buffer, std::size_t n) const {
  const auto kind = static_cast<std::size_t>(in_memory(info(buffer).type.kind));
  return fill(dialect_.wide, dialect_.types[kind], dialect_.wide_types[kind], n);
}

void PhasePrinter::wide_load(const Stm& s, const kernel::WideLoad& x) {
  prepare(s);
  const std::string type = wide_type(x.buffer, x.names.size()), all = names_.fresh("wide");
  line(fmt::format("const {0} {1} = *({2})&{3}[{4}];", type, all, fill(dialect_.constant_pointer, type),
                   name(x.buffer), text(x.index).text));
  for (std::size_t k = 0; k < x.names.size(); ++k) {
    if (!uses_.contains(x.names[k])) continue;
    const std::string declared = spelling(dialect_, info(x.names[k]).type) + " " + bind(x.names[k]);
    line(fmt::format("{} = {};", declared, fill(dialect_.wide_element, all, k)));
  }
}

void PhasePrinter::wide_store(const Stm& s, const kernel::WideStore& x) {
  prepare(s);
  const std::string type = wide_type(x.buffer, x.values.size()), all = names_.fresh("wide");
  line(fmt::format("{} {};", type, all));
  for (std::size_t k = 0; k < x.values.size(); ++k)
    line(fmt::format("{} = {};", fill(dialect_.wide_element, all, k),
                     initialiser(x.values[k], x.values[k].type())));
  line(fmt::format("*({})&{}[{}] = {};", fill(dialect_.pointer, type), name(x.buffer), text(x.index).text,
                   all));
}

void PhasePrinter::fail_of_thread(const Stm& s, const kernel::Fail& x) {
  prepare(s);
  const std::string args = fmt::format("{}, {}, {}, {}, {}", failure_, x.site, text(x.element).text,
                                       text(x.value).text, text(x.bound).text);
  if (!x.is_long()) {
    line(fmt::format("{}if ({}) {};", guard(), text(x.when).text,
                     call(dialect_, "fail", Kind::boolean, 1, args)));
    return;
  }
  line(fmt::format("{}if ({}) {{ {}{}; }}", guard(), text(x.when).text, more_values(x, 1),
                   call(dialect_, "fail_more", Kind::boolean, 1, args + more_arguments(x))));
}

}  // namespace fulgurite::emit
