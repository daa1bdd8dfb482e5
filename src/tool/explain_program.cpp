// An explanation from what compiling a program found out.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include "base/match.h"
#include "scalar/print.h"
#include "soac/count.h"
#include "soac/walk.h"
#include "tool/explanation.h"
#include "tool/launches.h"

namespace fulgurite::tool {

using base::as;
using soac::Event;
using soac::Expr;
using soac::Stm;
using soac::Var;

namespace {

using Landing = std::unordered_map<Var, std::set<std::size_t>>;

Operation operation_of(const Stm& stm) {
  return {stm.origin, stm.where, {}};
}

void add_once(std::vector<Operation>& list, Operation operation) {
  if (std::find(list.begin(), list.end(), operation) == list.end()) list.push_back(std::move(operation));
}

// "while_loop at heat.cpp:12"
std::string named(const Stm& stm) {
  const std::string origin = stm.origin.empty() ? "a loop" : stm.origin, where = place(stm.where);
  return where.empty() ? origin : fmt::format("{} at {}", origin, where);
}

// Calls visit(stm, when) for the statements whose arrays are in memory: the program's, and statements of its
// loops and branches.
void for_each_in_memory(const std::vector<Stm>& stms, const std::string& when,
                        const std::function<void(const Stm&, const std::string&)>& visit) {
  for (const Stm& stm : stms) {
    visit(stm, when);
    if (as<soac::Soac>(stm.op)) continue;
    for (const auto& inner : soac::nested_in(stm))
      for_each_in_memory(
          inner.lambda->body,
          fmt::format("{} {}", inner.role == soac::Role::branch ? "in a branch of" : "in each iteration of",
                      named(stm)),
          visit);
  }
}

Var first_name(const Stm& stm) {
  return stm.names.empty() ? Var{-1} : stm.names[0];
}

// Checks and failing elements that are left, in the order of the program.
class Checks {
 public:
  Checks(const soac::Program& program, const SizeNames& sizes)
      : program_(program), sizes_(sizes), names_(*program.arena) {}

  std::vector<CheckReport> all() {
    statements(program_.body);
    expressions(program_.results);
    return std::move(checks_);
  }

 private:
  void statements(const std::vector<Stm>& stms) {
    for (const Stm& stm : stms) {
      if (const auto* check = as<soac::Check>(stm.op)) add(check->site, own_text(check->condition));
      expressions(soac::roots_of(stm));
      for (const auto& inner : soac::nested_in(stm)) {
        statements(inner.lambda->body);
        expressions(inner.lambda->results);
      }
    }
  }
  void expressions(const std::vector<Expr>& roots) {
    scalar::for_each_node(roots, [&](Expr e) {
      const bool fallible = e.op() == scalar::Op::index || scalar::is_division(e.op());
      if (fallible && e.site() != 0)
        add(e.site(), e.op() == scalar::Op::index ? "every index" : "every divisor");
    });
  }
  // Names as they are: a check of n == m tells two sizes apart that have one name elsewhere.
  std::string own_text(Expr e) {
    std::string text;
    scalar::print(text, e, [&](Expr part) {
      if (!part.is_name()) return std::string_view();
      const std::string* given = sizes_.given(part.var());
      return given ? std::string_view(*given) : names_(part.var());
    });
    return text;
  }
  void add(scalar::Site site, std::string what) {
    const soac::SiteInfo& info = program_.sites.at(site - 1);
    constexpr const char* errors[] = {"ShapeError", "IndexError", "ArithmeticError", "ShapeError"};
    CheckReport report{errors[static_cast<std::size_t>(info.error)], info.where, std::move(what)};
    const auto same = [&](const CheckReport& c) {
      return c.error == report.error && c.where == report.where && c.what == report.what;
    };
    if (std::none_of(checks_.begin(), checks_.end(), same)) checks_.push_back(std::move(report));
  }

  const soac::Program& program_;
  const SizeNames& sizes_;
  scalar::Names names_;
  std::vector<CheckReport> checks_;
};

// When the launches run that make what statements bind first.
std::unordered_map<Var, std::string> when_of(const pipeline::Report& report) {
  std::unordered_map<Var, std::string> result;
  for_each_in_memory(report.optimised.body, "",
                     [&](const Stm& stm, const std::string& when) { result[first_name(stm)] = when; });
  return result;
}

void add_inner(const Stm& stm, std::vector<Operation>& list) {
  for (const auto& inner : soac::nested_in(stm))
    for (const Stm& s : inner.lambda->body) {
      if (!as<soac::Check>(s.op)) add_once(list, {s.origin, s.where, "for each element"});
      add_inner(s, list);
    }
}

// What was fused goes to the launches in which it ended.
void distribute(const pipeline::Report& report, Explanation& e) {
  const Landing landing = launches_of(report);
  for (const Event& event : report.events) {
    const Operation operation{event.origin, event.where, event.reason};
    if (event.kind == Event::Kind::removed) add_once(e.removed, operation);
    if (event.kind == Event::Kind::hoisted) add_once(e.hoisted, operation);
    if (event.kind != Event::Kind::fused && event.kind != Event::Kind::merged) continue;
    const auto found = landing.find(event.into ? *event.into : event.what.value_or(Var{-1}));
    if (found == landing.end()) continue;
    for (std::size_t launch : found->second) add_once(e.launches[launch].fused, operation);
  }
  for_each_in_memory(report.optimised.body, "", [&](const Stm& stm, const std::string&) {
    for (const auto& [array, reader] : report.lowered.in_windows) {
      const auto launches = landing.find(reader);
      if (array != first_name(stm) || launches == landing.end()) continue;
      for (std::size_t launch : launches->second)
        add_once(e.launches[launch].fused,
                 {stm.origin, stm.where, "blocks compute what they read around their points"});
    }
    const auto found = landing.find(first_name(stm));
    if (!as<soac::Soac>(stm.op) || found == landing.end()) return;
    for (std::size_t launch : found->second) add_inner(stm, e.launches[launch].fused);
  });
  for (LaunchReport& launch : e.launches)
    std::stable_sort(launch.fused.begin(), launch.fused.end(), [](const Operation& a, const Operation& b) {
      return a.where.file == b.where.file && a.where.line < b.where.line;
    });
}

std::vector<ArrayReport> arrays(const pipeline::Report& report, SizeNames& sizes) {
  const soac::Program& program = report.optimised;
  std::vector<ArrayReport> result;
  for_each_in_memory(program.body, "", [&](const Stm& stm, const std::string&) {
    if (!as<soac::Soac>(stm.op) && !as<soac::Sort>(stm.op) && !as<soac::Call>(stm.op)) return;
    for (Var name : stm.names) {
      const bool is_in_memory =
          std::ranges::find(report.lowered.in_windows, name, &std::pair<Var, Var>::first) ==
          report.lowered.in_windows.end();
      if (program.arena->info(name).type.rank == 0 || !is_in_memory) continue;
      ArrayReport array{sizes.type(name), false, operation_of(stm), sizes.bytes(name)};
      const Expr e = program.arena->name(name);
      array.is_result = std::find(program.results.begin(), program.results.end(), e) != program.results.end();
      for (const Event& event : report.events)
        if (event.kind == Event::Kind::kept && event.what == name) array.made_by.reason = event.reason;
      result.push_back(std::move(array));
      if (!as<soac::Sort>(stm.op)) continue;
      ArrayReport between = result.back();
      between.is_result = false;
      between.made_by.reason = "the elements between two passes of a sort";
      result.push_back(std::move(between));
    }
  });
  return result;
}

void add_least_bytes(const pipeline::Report& report, SizeNames& sizes, Explanation& e) {
  const soac::Program& program = report.optimised;
  for (Expr needed : needed_of_params(report))
    if (needed) e.least_read = e.least_read + sizes.formula(needed);
  std::vector<Expr> written;
  for (Expr result : program.results) {
    const bool is_new =
        result.type().rank > 0 && std::find(written.begin(), written.end(), result) == written.end() &&
        std::find(program.params.begin(), program.params.end(), result.var()) == program.params.end();
    if (!is_new) continue;
    written.push_back(result);
    e.least_written = e.least_written + sizes.bytes(result.var());
  }
}

// Where sizes turn out to be equal, statements bind new variables of simpler shapes. They are found by what
// stays: the operation, its line, the name, and the order of the program.
class Renamed {
 public:
  explicit Renamed(const pipeline::Report& report) : arena_(*report.traced.arena) {
    std::set<Var> moved, traced;
    for (const Event& event : report.events)
      if (event.what && event.into) moved.insert(*event.what);
    for_each_name(report.traced, [&](const Stm& stm, Var name) {
      traced.insert(name);
      if (!moved.contains(name)) before_[key(stm, name)].push_back(name);
    });
    for_each_name(report.optimised, [&](const Stm& stm, Var name) {
      if (traced.contains(name))
        std::erase(before_[key(stm, name)], name);
      else
        after_[key(stm, name)].push_back(name);
    });
  }

  void add_to(Landing& landing) const {
    for (const auto& [key, names] : after_) {
      const auto before = before_.find(key);
      if (before == before_.end() || before->second.size() != names.size()) continue;
      for (std::size_t k = 0; k < names.size(); ++k)
        if (const auto found = landing.find(names[k]); found != landing.end())
          landing.emplace(before->second[k], std::set(found->second));
    }
  }

 private:
  using Key = std::tuple<std::string, std::string, unsigned, std::string>;

  static void for_each_name(const soac::Program& program, const std::function<void(const Stm&, Var)>& visit) {
    for_each_in_memory(program.body, "", [&](const Stm& stm, const std::string&) {
      for (Var name : stm.names) visit(stm, name);
    });
  }
  Key key(const Stm& stm, Var name) const {
    return {stm.origin, stm.where.file, stm.where.line, arena_.info(name).name};
  }

  const scalar::Arena& arena_;
  std::map<Key, std::vector<Var>> before_, after_;
};

}  // namespace

std::unordered_map<Var, std::set<std::size_t>> launches_of(const pipeline::Report& report) {
  Landing landing;
  for (std::size_t k = 0; k < report.lowered.notes.size(); ++k)
    for (Var name : report.lowered.notes[k].names) landing[name].insert(k);
  // What is inside a Soac runs where it runs; a loop or branch is all its launches.
  for_each_in_memory(report.optimised.body, "", [&](const Stm& stm, const std::string&) {
    soac::Vars bound;
    soac::add_bound(stm, bound);
    std::set<std::size_t> all;
    for (Var name : bound)
      if (auto found = landing.find(name); found != landing.end())
        all.insert(found->second.begin(), found->second.end());
    if (all.empty()) return;
    if (as<soac::Soac>(stm.op))
      for (Var name : bound) landing[name] = all;
    else
      for (Var name : stm.names) landing[name] = all;
  });
  Renamed(report).add_to(landing);
  // Events come in the order in which they happened: the last say where things stayed.
  for (auto event = report.events.rbegin(); event != report.events.rend(); ++event) {
    const bool moved = event->kind == Event::Kind::fused || event->kind == Event::Kind::merged;
    if (!moved || !event->what || !event->into) continue;
    if (auto found = landing.find(*event->into); found != landing.end()) {
      const std::set<std::size_t> there = found->second;
      landing[*event->what].insert(there.begin(), there.end());
    }
  }
  return landing;
}

Explanation explanation_of(const pipeline::Report& report, const std::vector<std::string>& parameters) {
  SizeNames sizes(report.traced, parameters);
  Explanation e;
  e.name = report.traced.name;
  e.policy = changed_numbers(report.policy);
  for (Var param : report.traced.params)
    e.parameters.push_back(fmt::format("{}: {}", sizes.name(param), sizes.type(param)));
  for (Expr result : report.traced.results)
    e.results.push_back(result.type().rank > 0 ? sizes.type(result.var())
                                               : std::string(name_of(result.kind())));
  const soac::Counts counts = soac::count(report.traced);
  e.n_operations = counts.soac + counts.sort;
  e.launches = launches_told(report, sizes, when_of(report));
  distribute(report, e);
  e.arrays = arrays(report, sizes);
  e.checks = Checks(report.optimised, sizes).all();
  for (const LaunchReport& launch : e.launches) {
    e.bytes_read = e.bytes_read + launch.bytes_read;
    e.bytes_written = e.bytes_written + launch.bytes_written;
    for (const PrivateReport& own : launch.own) e.own_moved = e.own_moved + own.moved;
  }
  add_least_bytes(report, sizes, e);
  return e;
}

}  // namespace fulgurite::tool
