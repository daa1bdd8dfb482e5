// What a random program gives on the interpreter, after passes, and on engines; and smaller numbers of which
// the same is wrong.
#pragma once

#include <chrono>
#include <sstream>

#include "../pipeline/engine_run.h"
#include "constructs.h"
#include "random_program.h"
#include "soac/check.h"
#include "soac/interpret.h"
#include "soac/print.h"
#include "soac/walk.h"

namespace fulgurite::programs {

struct Outcome {
  std::vector<soac::Value> results;
  std::string error;  // its kind; empty: none
  std::string message;
};

/// A size that the library says no bound is known for (docs/guide/nesting.md). Where it knew one, and made
/// room for some elements, the bound is wrong if it does not hold.
inline bool is_refused(const Outcome& outcome) {
  return (outcome.message.find("no bound is known for") != std::string::npos &&
          outcome.message.find("there is room for 0:") != std::string::npos) ||
         outcome.message.find("irregular nested array:") != std::string::npos;
}

template <class F>
Outcome outcome_of(F&& f) {
  try {
    return {f(), "", ""};
  } catch (const Error& e) {
    return {{}, e.kind(), e.what()};
  } catch (const std::exception& e) {
    return {{}, "std::exception", e.what()};
  }
}

inline Outcome interpreted(const soac::Program& program, std::span<const soac::Value> args,
                           std::uint64_t most_points = 1 << 22) {
  soac::InterpretOptions options;
  options.max_bytes = 1 << 26;
  options.max_points = most_points;
  return outcome_of([&] { return soac::interpret(program, args, options); });
}

/// Whether the code takes minima or maxima of floats, which give either of two zeros (docs/semantics.md,
/// zero_min_max).
inline bool has_float_extrema(const std::vector<soac::Stm>& body, const std::vector<soac::Expr>& results) {
  const auto is_extremum = [](soac::Expr e) {
    return scalar::is_float(e.kind()) && (e.op() == scalar::Op::min || e.op() == scalar::Op::max);
  };
  const auto has = [&](const std::vector<soac::Expr>& roots) {
    bool found = false;
    scalar::for_each_node(roots, [&](soac::Expr e) { found |= is_extremum(e); });
    return found;
  };
  return has(results) || std::ranges::any_of(body, [&](const soac::Stm& s) {
           return has(soac::roots_of(s)) || std::ranges::any_of(soac::nested_in(s), [](const auto& inner) {
                    return has_float_extrema(inner.lambda->body, inner.lambda->results);
                  });
         });
}

/// Without the signs of zeros.
inline Outcome unsigned_zeros(Outcome outcome) {
  for (soac::Value& value : outcome.results)
    for (std::size_t i = 0; scalar::is_float(value.kind) && i < value.size(); ++i)
      if (scalar::evaluate(scalar::Op::eq, value.kind, scalar::Kind::boolean, value.at(i), 0) != 0)
        value.set(i, 0);
  return outcome;
}

/// What is wrong with an outcome where another was expected; empty: nothing. A program that fails may do so
/// later, or not at all, on an engine (docs/semantics.md, unread_elements).
inline std::string difference(const Outcome& expected, const Outcome& got) {
  const bool is_users_error =
      got.error == "ShapeError" || got.error == "IndexError" || got.error == "ArithmeticError";
  if (!got.error.empty() && !is_users_error) return "fails: " + got.message;
  if (is_refused(got) || !expected.error.empty()) return "";
  if (!got.error.empty()) return "fails only there: " + got.message;
  if (expected.results.size() != got.results.size()) return "another number of results";
  for (std::size_t i = 0; i < got.results.size(); ++i)
    if (!soac::same(expected.results[i], got.results[i]))
      return "result " + std::to_string(i) + " is " + ::testing::PrintToString(got.results[i]) +
             " and should be " + ::testing::PrintToString(expected.results[i]);
  return "";
}

/// Counts of what a campaign met.
struct Tally {
  Table constructs;  // of the programs that ran
  std::size_t drawn = 0, not_traced = 0, runs = 0, results = 0, failed = 0, refused = 0;
  std::pair<double, std::uint64_t> slowest{0, 0};  // seconds, number
};
inline std::ostream& operator<<(std::ostream& out, const Tally& t) {
  return out << t.drawn << " programs drawn, " << t.not_traced
             << " with shapes that do not fit while traced, " << t.runs << " runs with " << t.results
             << " results, " << t.failed << " of which fail on the interpreter, " << t.refused
             << " with sizes that are refused; the slowest is program " << t.slowest.second << " with "
             << t.slowest.first << " s";
}

/// What is wrong with the program under its precision and its policy; empty: nothing.
using Test = std::function<std::string(const soac::Program&, const Runs&, const Options&, Tally&)>;

/// What draws numbers, and a program of them, or none.
struct Generator {
  Numbers (*numbers)(std::mt19937_64&);
  std::optional<Drawn> (*program)(const Numbers&);
  const char* name;                  // the beginning of kept programs'
  bool has_every_construct = false;  // enough of its programs have every construct
};
inline const Generator any_program{[](std::mt19937_64& random) { return draw_numbers(random); }, draw_program,
                                   "", true};

inline std::string tested(const Numbers& numbers, const Test& test, Tally& tally,
                          const Generator& generator = any_program) {
  ++tally.drawn;
  std::optional<Drawn> drawn;
  try {
    drawn = generator.program(numbers);
  } catch (const std::exception& e) {
    return std::string("tracing fails: ") + e.what();
  }
  if (!drawn) {
    ++tally.not_traced;
    return "";
  }
  if (parameter("show", 0) != 0) std::cout << drawn->text << std::flush;
  try {
    Options options;
    options.precision = drawn->precision;
    options.policy = drawn->policy;
    return test(drawn->program(), drawn->arguments, options, tally);
  } catch (const std::exception& e) {
    return std::string("fails: ") + e.what();
  }
}

/// Fewer and smaller numbers with which the test fails as well, found within the time.
inline Numbers shrunk(Numbers numbers, const Test& test, std::chrono::seconds most,
                      const Generator& generator = any_program) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + most;
  Tally tally;
  const auto still_fails = [&](const Numbers& smaller) {
    return Clock::now() < end && !tested(smaller, test, tally, generator).empty();
  };
  for (bool changed = true; changed && Clock::now() < end;) {
    changed = false;
    for (std::size_t k = numbers.size(); k-- > 1;) {
      Numbers smaller = numbers;
      smaller.erase(smaller.begin() + static_cast<std::ptrdiff_t>(k));
      if (still_fails(smaller)) numbers = smaller, changed = true;
    }
    for (std::size_t k = numbers.size(); k-- > 0;) {
      for (std::size_t length = numbers[k].size(); length > 0; length = length / 2) {
        Numbers smaller = numbers;
        if (smaller[k].size() < length) continue;
        smaller[k].resize(smaller[k].size() - length);
        if (still_fails(smaller)) numbers = smaller, changed = true, length = numbers[k].size() + 1;
      }
      for (std::size_t length = 8; length > 0; length /= 2)
        for (std::size_t at = 0; at + length <= numbers[k].size(); ++at) {
          Numbers smaller = numbers;
          const auto first = smaller[k].begin() + static_cast<std::ptrdiff_t>(at);
          smaller[k].erase(first, first + static_cast<std::ptrdiff_t>(length));
          if (still_fails(smaller)) numbers = smaller, changed = true;
        }
      for (std::size_t at = 0; at < numbers[k].size(); ++at)
        for (const int to : {0, 1, numbers[k][at] / 2}) {
          if (to >= numbers[k][at]) continue;
          Numbers smaller = numbers;
          smaller[k][at] = static_cast<std::uint8_t>(to);
          if (!still_fails(smaller)) continue;
          numbers = smaller, changed = true;
          break;
        }
    }
  }
  return numbers;
}

inline std::string text_of(const Numbers& numbers) {
  std::ostringstream out;
  for (const auto& of_statement : numbers) {
    for (const int number : of_statement) out << number << ' ';
    out << "; ";
  }
  return out.str();
}
inline Numbers numbers_of(const std::string& text) {
  Numbers numbers;
  std::istringstream in(text);
  std::vector<std::uint8_t> of_statement;
  for (std::string word; in >> word;) {
    if (word == ";")
      numbers.push_back(std::exchange(of_statement, {}));
    else
      of_statement.push_back(static_cast<std::uint8_t>(std::stoi(word)));
  }
  return numbers;
}

inline std::string story(const Numbers& numbers, const std::string& what,
                         const Generator& generator = any_program) {
  std::ostringstream out;
  out << what << "\nnumbers " << text_of(numbers) << "\n";
  const std::optional<Drawn> drawn = generator.program(numbers);
  if (!drawn) return out.str();
  out << drawn->text << (drawn->precision == Precision::strict ? "with Precision::strict\n" : "")
      << (drawn->policy.empty() ? "" : "with the policy " + drawn->policy + "\n")
      << soac::print(drawn->program());
  for (const auto& args : drawn->arguments) out << "of " << ::testing::PrintToString(args) << "\n";
  return out.str();
}

}  // namespace fulgurite::programs
