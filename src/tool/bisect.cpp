#include "tool/bisect.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

#include <algorithm>
#include <cmath>

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

struct Trial {
  soac::Program program;
  std::vector<soac::Event> log;
  std::int64_t spent = 0;
  std::string difference;
};

constexpr std::int64_t enough = std::int64_t{1} << 40;

class Bisection {
 public:
  Bisection(const soac::Program& traced, std::span<const soac::Pass* const> passes, const Outcome& expected,
            const Runner& run, double tolerance)
      : traced_(traced), passes_(passes), expected_(expected), run_(run), tolerance_(tolerance) {}

  std::optional<Culprit> find() const {
    Trial right = attempt(0);
    if (!right.difference.empty()) return Culprit{0, {}, right.difference, traced_, right.program};
    Trial wrong = attempt(enough);
    if (wrong.difference.empty()) return {};
    std::int64_t low = 0, high = wrong.spent;
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      Trial trial = attempt(middle);
      if (trial.difference.empty()) {
        low = middle;
        right = std::move(trial);
      } else {
        high = middle;
        wrong = std::move(trial);
      }
    }
    return Culprit{high, new_event(right.log, wrong.log), wrong.difference, right.program, wrong.program};
  }

 private:
  Trial attempt(std::int64_t gas) const {
    Trial trial;
    soac::PassContext context;
    context.gas = gas;
    trial.program = traced_;
    for (const soac::Pass* pass : passes_) {
      trial.program = pass->run(std::move(trial.program), context);
      soac::check(trial.program, pass->name);
    }
    trial.spent = gas - *context.gas;
    trial.log = std::move(context.log);
    try {
      trial.difference = difference(expected_, run_(trial.program), tolerance_);
    } catch (const std::exception& e) {
      trial.difference = fmt::format("it fails: {}", e.what());
    }
    return trial;
  }

  static bool is_rewrite(const soac::Event& e) {
    return e.kind == soac::Event::Kind::fused || e.kind == soac::Event::Kind::merged;
  }

  /// The rewrite that only the longer log has.
  static std::optional<soac::Event> new_event(const std::vector<soac::Event>& less,
                                              const std::vector<soac::Event>& more) {
    for (const soac::Event& e : more)
      if (is_rewrite(e) && std::count(less.begin(), less.end(), e) < std::count(more.begin(), more.end(), e))
        return e;
    return {};
  }

  const soac::Program& traced_;
  const std::span<const soac::Pass* const> passes_;
  const Outcome& expected_;
  const Runner& run_;
  const double tolerance_;
};

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
  return Bisection(traced, passes, expected, run, tolerance).find();
}

bool bisect(const detail::ToolProgram& program, const std::vector<std::string>& arguments,
            const Options& options, double tolerance) {
  const Given given = read_arguments(program, arguments);
  const auto traced = trace(program, given.constants);
  Outcome values;
  for (const detail::ArgumentView& view : given.views) values.push_back(value_of(view));
  for (const detail::Capture& capture : traced->captures()) values.push_back(value_of(capture.view));

  const Outcome expected = soac::interpret(traced->program(), values);
  const Runner interpreter = [&](const soac::Program& p) { return soac::interpret(p, values); };
  const Runner engine = [&](const soac::Program& p) {
    const plan::Loaded loaded = pipeline::load_optimised(p, options);
    std::vector<detail::ArgumentView> views;
    for (const soac::Value& v : values) views.push_back(view_of(v));
    std::vector<detail::ResultValue> results(p.results.size());
    plan::execute(loaded, views, results);
    Outcome outcome;
    for (const detail::ResultValue& r : results) outcome.push_back(value_of(r));
    return outcome;
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
    if (culprit->gas == 0) {
      fmt::print("It does so before any rewrite is made: the fault is in {}. The program:\n{}",
                 runner == &engine ? "lowering, a kernel pass or the printing of kernels"
                                   : "a pass that spends no gas",
                 soac::print(culprit->after));
      return false;
    }
    fmt::print("Rewrite {} makes the difference{}{}\n\nbefore it:\n{}\nafter it:\n{}", culprit->gas,
               culprit->rewrite ? ": " : "", culprit->rewrite ? soac::to_string(*culprit->rewrite) : "",
               soac::print(culprit->before), soac::print(culprit->after));
    return false;
  }
  return true;
}

}  // namespace fulgurite::tool
