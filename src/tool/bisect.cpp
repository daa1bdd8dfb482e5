#include "tool/bisect.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

#include <algorithm>
#include <cmath>

#include "kernel/print.h"
#include "marshal.h"
#include "pipeline.h"
#include "scalar/value.h"
#include "soac/check.h"
#include "soac/print.h"
#include "tool/literal.h"
#include "trace/traced.h"

namespace fulgurite::tool {

namespace {

bool agree(scalar::Kind kind, scalar::Bits a, scalar::Bits b, double tolerance) {
  if (a == b) return true;
  if (!scalar::is_float(kind)) return false;
  const auto value = [&](scalar::Bits bits) {
    return scalar::from_bits<double>(scalar::evaluate(scalar::Op::cast, kind, scalar::Kind::f64, bits));
  };
  const double x = value(a), y = value(b);
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
  return x == y || std::fabs(x - y) <= tolerance * std::max(std::fabs(x), std::fabs(y));
}

constexpr std::int64_t enough = std::int64_t{1} << 40;

// What came of a run with limited gas; Log says what the gas was spent on.
template <class Log>
struct Trial {
  std::int64_t spent = 0;
  std::string difference;
  Log log;
};

// The first unit of gas that makes a trial wrong, and the trials with and without it. Unit 0: the trial is
// wrong without any gas.
template <class Log>
struct Turn {
  std::int64_t gas;
  Trial<Log> right, wrong;
};

template <class Log>
std::optional<Turn<Log>> first_wrong(const std::function<Trial<Log>(std::int64_t gas)>& attempt) {
  Trial<Log> right = attempt(0);
  if (!right.difference.empty()) return Turn<Log>{0, right, right};
  Trial<Log> wrong = attempt(enough);
  if (wrong.difference.empty()) return {};
  std::int64_t low = 0, high = wrong.spent;
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    Trial<Log> trial = attempt(middle);
    if (trial.difference.empty()) {
      low = middle;
      right = std::move(trial);
    } else {
      high = middle;
      wrong = std::move(trial);
    }
  }
  return Turn<Log>{high, std::move(right), std::move(wrong)};
}

std::string difference_of_run(const Outcome& expected, const std::function<Outcome()>& run,
                              double tolerance) {
  try {
    return difference(expected, run(), tolerance);
  } catch (const std::exception& e) {
    return fmt::format("it fails: {}", e.what());
  }
}

struct Rewrites {
  soac::Program program;  // after them
  std::vector<soac::Event> events;
};

bool is_rewrite(const soac::Event& e) {
  return e.kind == soac::Event::Kind::fused || e.kind == soac::Event::Kind::merged;
}

// The rewrite that only the longer log has.
std::optional<soac::Event> new_event(const std::vector<soac::Event>& less,
                                     const std::vector<soac::Event>& more) {
  for (const soac::Event& e : more)
    if (is_rewrite(e) && std::count(less.begin(), less.end(), e) < std::count(more.begin(), more.end(), e))
      return e;
  return {};
}

}  // namespace

std::string difference(const Outcome& expected, const Outcome& got, double tolerance) {
  for (std::size_t r = 0; r < expected.size(); ++r) {
    const soac::Value &a = expected[r], &b = got.at(r);
    if (a.shape != b.shape)
      return fmt::format("result {} has the shape [{}] instead of [{}]", r + 1, fmt::join(b.shape, ", "),
                         fmt::join(a.shape, ", "));
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!agree(a.kind, a.at(i), b.at(i), tolerance))
        return fmt::format("element {} of result {} is {} instead of {}", i, r + 1,
                           print_literal(b.kind, b.at(i)), print_literal(a.kind, a.at(i)));
  }
  return "";
}

std::optional<Culprit> bisect(const soac::Program& traced, std::span<const soac::Pass* const> passes,
                              const Outcome& expected, const Runner& run, double tolerance) {
  const auto turn = first_wrong<Rewrites>([&](std::int64_t gas) {
    soac::PassContext context;
    context.gas = gas;
    soac::Program program = traced;
    for (const soac::Pass* pass : passes) {
      program = pass->run(std::move(program), context);
      soac::check(program, pass->name);
    }
    std::string difference = difference_of_run(expected, [&] { return run(program); }, tolerance);
    return Trial<Rewrites>{
        gas - *context.gas, std::move(difference), {std::move(program), std::move(context.log)}};
  });
  if (!turn) return {};
  const Rewrites &before = turn->right.log, &after = turn->wrong.log;
  if (turn->gas == 0) return Culprit{0, {}, turn->wrong.difference, traced, after.program};
  return Culprit{turn->gas, new_event(before.events, after.events), turn->wrong.difference, before.program,
                 after.program};
}

std::optional<KernelCulprit> bisect_kernels(const Outcome& expected, const KernelRunner& run,
                                            double tolerance) {
  using Applications = std::vector<kernel::Application>;
  const auto turn = first_wrong<Applications>([&](std::int64_t gas) {
    kernel::PassContext context{.gas = gas};
    std::string difference = difference_of_run(expected, [&] { return run(context); }, tolerance);
    return Trial<Applications>{gas - *context.gas, std::move(difference), std::move(context.log)};
  });
  if (!turn) return {};
  KernelCulprit culprit{turn->gas, {}, turn->wrong.difference};
  // A pass whose result the checker refuses has left no application: the difference names it.
  const Applications& applications = turn->wrong.log;
  if (culprit.gas > 0 && static_cast<std::int64_t>(applications.size()) == culprit.gas)
    culprit.application = applications.back();
  return culprit;
}

std::optional<RewriteCulprit> bisect_rewrites(scalar::Arena& arena, const Outcome& expected,
                                              const RewriteRunner& run, double tolerance) {
  using Applications = std::vector<RewriteCulprit>;
  const auto turn = first_wrong<Applications>([&](std::int64_t gas) {
    Applications kept;
    scalar::Names names(arena);
    const auto keeps = [&](const schedule::Rewrite& rewrite, const soac::Stm& before,
                           const soac::Stm& after) {
      if (static_cast<std::int64_t>(kept.size()) == gas) return false;
      kept.push_back({static_cast<std::int64_t>(kept.size()) + 1, &rewrite, "",
                      soac::print(arena, before, names), soac::print(arena, after, names)});
      return true;
    };
    std::string difference = difference_of_run(expected, [&] { return run(keeps); }, tolerance);
    return Trial<Applications>{static_cast<std::int64_t>(kept.size()), std::move(difference),
                               std::move(kept)};
  });
  if (!turn) return {};
  RewriteCulprit culprit;
  if (turn->gas > 0) culprit = turn->wrong.log.back();
  culprit.difference = turn->wrong.difference;
  return culprit;
}

namespace {

// Prints the rewrite that makes the outcome wrong; false if no rewrite does.
bool print_rewrite_culprit(scalar::Arena& arena, const Outcome& expected, const RewriteRunner& run,
                           double tolerance) {
  const auto culprit = bisect_rewrites(arena, expected, run, tolerance);
  if (!culprit || culprit->gas == 0) return false;
  fmt::print("Rewrite {} for a schedule makes the difference: {} ({})\n\nbefore it:\n{}\nafter it:\n{}\n",
             culprit->gas, culprit->rewrite->name, culprit->rewrite->description, culprit->before,
             culprit->after);
  return true;
}

// The engine runs the program wrong: is a kernel pass to blame? Prints it if so.
bool print_kernel_culprit(const Outcome& expected, const KernelRunner& run, double tolerance) {
  const auto culprit = bisect_kernels(expected, run, tolerance);
  if (!culprit || culprit->gas == 0) return false;
  if (!culprit->application) {
    fmt::print("Application {} of a kernel pass is refused: {}\n", culprit->gas, culprit->difference);
    return true;
  }
  const kernel::Application& application = *culprit->application;
  fmt::print(
      "Application {} of a kernel pass makes the difference: {}, on kernel '{}'\n\nbefore it:\n{}\n"
      "after it:\n{}",
      culprit->gas, application.pass->name, application.before.name, kernel::print(application.before),
      kernel::print(application.after));
  return true;
}

void print_culprit(const Culprit& culprit, bool is_of_engine) {
  if (culprit.gas == 0) {
    fmt::print("It does so before any rewrite is made: the fault is in {}. The program:\n{}",
               is_of_engine
                   ? "lowering, a kernel pass that no kernel can do without or the printing of kernels"
                   : "a pass that spends no gas",
               soac::print(culprit.after));
    return;
  }
  fmt::print("Rewrite {} makes the difference{}{}\n\nbefore it:\n{}\nafter it:\n{}", culprit.gas,
             culprit.rewrite ? ": " : "", culprit.rewrite ? soac::to_string(*culprit.rewrite) : "",
             soac::print(culprit.before), soac::print(culprit.after));
}

}  // namespace

bool bisect(const detail::ToolProgram& program, const std::vector<std::string>& arguments,
            const Options& options, double tolerance) {
  const Given given = read_arguments(program, arguments, Engine::cpu);
  const auto traced = trace(program, given.constants);
  Outcome values;
  for (const detail::ArgumentView& view : given.views) values.push_back(value_of(view));
  for (const detail::Capture& capture : traced->captures()) values.push_back(value_of(capture.view));

  const Outcome expected = soac::interpret(traced->program(), values);
  const Runner interpreter = [&](const soac::Program& p) { return soac::interpret(p, values); };
  const auto outcome_of = [&](const soac::Program& p, const plan::Loaded& loaded) {
    std::vector<detail::ArgumentView> views;
    for (const soac::Value& v : values) views.push_back(view_of(v));
    std::vector<detail::ResultValue> results(p.results.size());
    plan::execute(loaded, views, results);
    Outcome outcome;
    for (const detail::ResultValue& r : results) outcome.push_back(value_of(r));
    return outcome;
  };
  const auto on_engine = [&](const soac::Program& p, kernel::PassContext& context) {
    return outcome_of(p, pipeline::load_optimised(p, options, context));
  };
  const Runner engine = [&](const soac::Program& p) {
    kernel::PassContext unlimited;
    return on_engine(p, unlimited);
  };
  const std::pair<const char*, const Runner*> runners[] = {{"the interpreter", &interpreter},
                                                           {"cpu", &engine}};
  for (const auto& [name, runner] : runners) {
    const auto culprit =
        bisect(traced->program(), pipeline::passes(options.precision), expected, *runner, tolerance);
    if (!culprit) {
      fmt::print("{}: the optimised program gives what the traced one gives\n", name);
      continue;
    }
    fmt::print("{}: {}\n", name, culprit->difference);
    const bool is_of_engine = runner == &engine;
    const KernelRunner kernels = [&](kernel::PassContext& context) {
      return on_engine(culprit->after, context);
    };
    const RewriteRunner rewrites = [&](const schedule::KeepsRewrite& keeps) {
      return outcome_of(culprit->after, pipeline::load_rewritten(culprit->after, options, keeps));
    };
    if (!is_of_engine || (!print_rewrite_culprit(*culprit->after.arena, expected, rewrites, tolerance) &&
                          !print_kernel_culprit(expected, kernels, tolerance)))
      print_culprit(*culprit, is_of_engine);
    return false;
  }
  return true;
}

}  // namespace fulgurite::tool
