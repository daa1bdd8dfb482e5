#include "plan/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/check.h"
#include "base/match.h"

namespace fulgurite::plan {

namespace {

template <class T>
std::string list(const std::vector<T>& items) {
  return fmt::format("{} {}", items.size(), fmt::join(items, " "));
}

class Printer {
 public:
  std::string text;

  void steps(const Steps& all, int depth) {
    for (const Step& step : all) {
      text.append(static_cast<std::size_t>(2 * depth), ' ');
      action(step.action, depth);
    }
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
    text += '\n';
  }
  void action(const Action& a, int depth) {
    base::match(
        a,
        [&](const Compute& s) {
          line("compute {} {} {} {} {} {} {} {}", scalar::info(s.op).name, name_of(s.operand),
               name_of(s.result), s.to, s.a, s.b, s.c, s.site);
        },
        [&](const Constant& s) { line("constant {} {:#x}", s.to, s.bits); },
        [&](const Check& s) { line("check {} {} {}", s.condition, s.site, list(s.operands)); },
        [&](const Allocate& s) {
          line("allocate {} {} {} {}", s.place, name_of(s.kind), list(s.shape), s.site);
        },
        [&](const Share& s) { line("share {} {}", s.to, s.from); },
        [&](const Reuse& s) {
          line("reuse {} {} {} {} {} {} {}", s.to, s.from, name_of(s.kind), list(s.shape), s.fresh, s.taken(),
               s.site);
        },
        [&](const CopyArray& s) { line("copy_array {} {} {} {}", s.to, s.from, name_of(s.kind), s.fresh); },
        [&](const Shrink& s) { line("shrink {} {}", s.place, s.extent); },
        [&](const Release& s) { line("release {}", s.place); },
        [&](const Launch& s) {
          line("launch {} {} {} {} {} {}", s.kernel, list(s.buffers), list(s.scalars), list(s.tasks),
               s.bytes_read, s.bytes_written);
        },
        [&](const Fetch& s) { line("fetch {} {} {}", s.to, s.from, name_of(s.kind)); },
        [&](const Copy& s) { line("copy {} {}", s.to, s.from); },
        [&](const Resident& s) { line("resident {} {} {}", s.to, s.kernel, s.threads); },
        [&](const If& s) {
          line("if {}", s.condition);
          steps(s.then_steps, depth + 1);
          line("else");
          steps(s.else_steps, depth + 1);
          line("end");
        },
        [&](const While& s) {
          line("while");
          steps(s.head, depth + 1);
          line("do {}", s.condition);
          steps(s.body, depth + 1);
          line("end");
        },
        [&](const Converge& s) {
          line("converge");
          steps(s.head, depth + 1);
          line("do {}", s.flags);
          steps(s.body, depth + 1);
          line("end");
        });
  }
};

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  Plan plan() {
    Plan p;
    expect("plan");
    p.name = raw();
    p.n_slots = number<std::int32_t>();
    p.n_places = number<std::int32_t>();
    p.params.resize(count());
    for (Param& param : p.params) param = {kind(), number<std::int32_t>(), number<Slot>(), number<Place>()};
    p.results.resize(count());
    for (Result& result : p.results)
      result = {kind(), number<std::int32_t>(), number<Slot>(), number<Place>()};
    p.kernels.resize(count());
    for (KernelText& kernel : p.kernels) {
      kernel.name = word();
      kernel.n_phases = number<std::int32_t>();
      kernel.arguments = list();
      kernel.block_sizes = list();
      kernel.shared_bytes = list();
      kernel.can_fail = number<int>() != 0;
      kernel.footprints = list<std::int64_t>();
      kernel.where = number<Site>();
      kernel.operation = raw();
      kernel.source = raw();
    }
    p.steps = steps();
    FULGURITE_CHECK(end_ == "end", "the plan's text goes on after its end");
    return p;
  }

 private:
  std::string_view word() {
    std::size_t from = rest_.find_first_not_of(" \n");
    FULGURITE_CHECK(from != rest_.npos, "the plan's text ends too soon");
    std::size_t to = std::min(rest_.find_first_of(" \n", from), rest_.size());
    std::string_view found = rest_.substr(from, to - from);
    rest_.remove_prefix(to);
    return found;
  }
  void expect(std::string_view wanted) {
    FULGURITE_CHECK(word() == wanted, "the plan's text lacks '{}'", wanted);
  }
  template <class T>
  T number() {
    std::string_view text = word();
    int base = text.starts_with("0x") ? 16 : 10;
    if (base == 16) text.remove_prefix(2);
    T value{};
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    FULGURITE_CHECK(error == std::errc() && end == text.data() + text.size(),
                    "'{}' in a plan's text is no number", text);
    return value;
  }
  std::size_t count() {
    auto n = number<std::uint32_t>();
    FULGURITE_CHECK(n <= rest_.size(), "a count in a plan's text is too large");
    return n;
  }
  std::string raw() {  // length, one separator, bytes
    std::size_t n = count();
    FULGURITE_CHECK(n + 1 <= rest_.size(), "the plan's text ends too soon");
    std::string bytes(rest_.substr(1, n));
    rest_.remove_prefix(n + 1);
    return bytes;
  }
  template <class T = std::int32_t>
  std::vector<T> list() {
    std::vector<T> items(count());
    for (T& item : items) item = number<T>();
    return items;
  }
  Kind kind() {
    std::string_view name = word();
    auto found = scalar::kind_named(name);
    FULGURITE_CHECK(found, "'{}' in a plan's text is no element kind", name);
    return *found;
  }
  Op op() {
    std::string_view name = word();
    auto found = scalar::op_named(name);
    FULGURITE_CHECK(found, "'{}' in a plan's text is no operation", name);
    return *found;
  }

  // Up to a word that closes the list, which is left in end_.
  Steps steps() {
    Steps all;
    for (;;) {
      std::string_view verb = word();
      if (verb == "else" || verb == "do" || verb == "end") {
        end_ = verb;
        return all;
      }
      all.push_back({action(verb)});
    }
  }

  Action action(std::string_view verb) {  // members are read in order: braces evaluate left to right
    if (verb == "compute")
      return Compute{op(),           kind(),         kind(),         number<Slot>(),
                     number<Slot>(), number<Slot>(), number<Slot>(), number<Site>()};
    if (verb == "constant") return Constant{number<Slot>(), number<std::uint64_t>()};
    if (verb == "check") return Check{number<Slot>(), number<Site>(), list()};
    if (verb == "allocate") return Allocate{number<Place>(), kind(), list(), number<Site>()};
    if (verb == "share") return Share{number<Place>(), number<Place>()};
    if (verb == "reuse") {
      Reuse step{number<Place>(), number<Place>(), kind(), list(), number<Slot>()};
      step.set_taken(number<std::int32_t>());
      step.site = number<Site>();
      return step;
    }
    if (verb == "copy_array") return CopyArray{number<Place>(), number<Place>(), kind(), number<Slot>()};
    if (verb == "shrink") return Shrink{number<Place>(), number<Slot>()};
    if (verb == "release") return Release{number<Place>()};
    if (verb == "launch")
      return Launch{number<std::int32_t>(), list(), list(), list(), number<Slot>(), number<Slot>()};
    if (verb == "fetch") return Fetch{number<Slot>(), number<Place>(), kind()};
    if (verb == "copy") return Copy{number<Slot>(), number<Slot>()};
    if (verb == "resident") return Resident{number<Slot>(), number<std::int32_t>(), number<std::int32_t>()};
    if (verb == "if") {
      If branch{number<Slot>(), {}, {}};
      branch.then_steps = steps();
      FULGURITE_CHECK(end_ == "else", "an 'if' in a plan's text lacks its 'else'");
      branch.else_steps = steps();
      return branch;
    }
    if (verb == "converge") {
      Converge loop;
      loop_steps(loop.head, loop.flags, loop.body);
      return loop;
    }
    FULGURITE_CHECK(verb == "while", "'{}' in a plan's text is no step", verb);
    While loop;
    loop_steps(loop.head, loop.condition, loop.body);
    return loop;
  }

  void loop_steps(Steps& head, std::int32_t& tested, Steps& body) {
    head = steps();
    FULGURITE_CHECK(end_ == "do", "a loop in a plan's text lacks its 'do'");
    tested = number<std::int32_t>();
    body = steps();
  }

  std::string_view rest_, end_;
};

}  // namespace

std::string print(const Plan& plan, bool with_sources) {
  Printer printer;
  std::string& text = printer.text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "plan {} {} {} {}\n", plan.name.size(), plan.name, plan.n_slots, plan.n_places);
  fmt::format_to(out, "{}\n", plan.params.size());
  for (const Param& p : plan.params)
    fmt::format_to(out, "  {} {} {} {}\n", name_of(p.kind), p.rank, p.slot, p.place);
  fmt::format_to(out, "{}\n", plan.results.size());
  for (const Result& r : plan.results)
    fmt::format_to(out, "  {} {} {} {}\n", name_of(r.kind), r.rank, r.slot, r.place);
  fmt::format_to(out, "{}\n", plan.kernels.size());
  for (const KernelText& k : plan.kernels) {
    std::string_view source = with_sources ? std::string_view(k.source) : std::string_view();
    const std::string more = with_sources ? fmt::format("{} {} {} {} ", list(k.footprints), k.where,
                                                        k.operation.size(), k.operation)
                                          : "";
    fmt::format_to(out, "  {} {} {} {} {} {} {}{} {}\n", k.name, k.n_phases, list(k.arguments),
                   list(k.block_sizes), list(k.shared_bytes), k.can_fail ? 1 : 0, more, source.size(),
                   source);
  }
  printer.steps(plan.steps, 1);
  text += "end\n";
  return std::move(text);
}

Plan parse(std::string_view text) {
  return Parser(text).plan();
}

}  // namespace fulgurite::plan
