// What allocations_test.cpp runs: a program is compiled and called while the n-th allocation fails, for one n
// after the other.
//   allocation_program ENGINE PROGRAM MODE one|all FIRST STEP SECONDS
// PROGRAM: map, filter, loop or sort; MODE: what fails is
//   first      what a process does first, each n in a child of its own
//   compile    to trace, compile and call a program that is new each time
//   compiler   the same, and the allocations of the compiler count too, which is loaded
//   call       to call a program that is compiled
// Each ends in OutOfMemory or std::bad_alloc, or succeeds, and the next attempt, without a failure, succeeds.
#include "failing_memory.h"

#include <fulgurite/fulgurite.h>

#include <sys/wait.h>

#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fg = fulgurite;
using failing_memory::Refused;
using fg::Exp, fg::Vec, fg::i64;

namespace {

using Clock = std::chrono::steady_clock;
fg::Engine engine = fg::Engine::cpu;

const fg::Array<float>& input() {
  static const fg::Array<float> x({3, 1, 2, 5, 4});
  return x;
}

using Values = std::vector<float>;
constexpr float scale = 0.5f;
constexpr float most = 1 << 17;  // of k

/// f is another program for each k.
struct Map {
  static auto f(Vec<float> x, int k) {
    const auto y = x * scale + static_cast<float>(k);
    return std::tuple{y, fg::sum(y)};
  }
  static bool is_right(const auto& result, int k) {
    const auto& [y, sum] = result;
    const auto offset = static_cast<float>(k);
    return y.to_vector() == Values{1.5f + offset, 0.5f + offset, 1 + offset, 2.5f + offset, 2 + offset} &&
           sum == 7.5f + 5 * offset;
  }
};
struct Filter {
  static Vec<float> f(Vec<float> x, int k) {
    const auto limit = 2.0f + static_cast<float>(k) / most;
    return fg::filter([=](Exp<float> e) { return e > limit; }, x);
  }
  static bool is_right(const auto& result, int) { return result.to_vector() == Values{3, 5, 4}; }
};
/// A program with arrays whose sizes only the data say, so that it ends on the host.
struct Loop {
  static Vec<float> f(Vec<float> x, int k) {
    const auto limit = 0.5f - static_cast<float>(k) / most;
    return fg::iterate(
        2,
        [=](Exp<i64>, Vec<float> s) {
          const auto kept = fg::filter([=](Exp<float> e) { return e > limit; }, s);
          return fg::scan(fg::plus, 0.0f, kept);
        },
        x);
  }
  static bool is_right(const auto& result, int) { return result.to_vector() == Values{3, 7, 13, 24, 39}; }
};
struct Sort {
  static auto f(Vec<float> x, int k) {
    const auto y = fg::sort(x * scale + static_cast<float>(k));
    return std::tuple{y, fg::cond(x.size() > 3, [&] { return fg::max(y); }, [&] { return fg::min(y); })};
  }
  static bool is_right(const auto& result, int k) {
    const auto& [y, chosen] = result;
    const auto offset = static_cast<float>(k);
    return y.to_vector() == Values{0.5f + offset, 1 + offset, 1.5f + offset, 2 + offset, 2.5f + offset} &&
           chosen == 2.5f + offset;
  }
};

enum class End { right, wrong, no_memory };

template <class Work>
End attempt(const Work& work) {
  try {
    if (work()) return End::right;
    std::puts("a wrong result");
    return End::wrong;
  } catch (const fg::OutOfMemory&) {
    return End::no_memory;
  } catch (const std::bad_alloc&) {
    return End::no_memory;
  } catch (const std::exception& error) {
    failing_memory::stop_refusing();
    std::printf("another error: %s\n", error.what());
    return End::wrong;
  }
}

/// Nothing if n is more than the work allocates; else whether it went as it should.
template <class Work>
std::optional<bool> with_failure(Refused which, std::int64_t n, const Work& work) {
  failing_memory::refuse(which, n);
  const End end = attempt(work);
  const bool was_refused = failing_memory::stop_refusing();
  if (end == End::wrong) return false;
  if (end == End::no_memory && !was_refused) {
    std::puts("no memory, though none was refused");
    return false;
  }
  if (attempt(work) != End::right) {
    std::puts("the next attempt fails");
    return false;
  }
  if (!was_refused) return std::nullopt;
  return true;
}

template <class Program>
bool runs(int k) {
  return Program::is_right(fg::compile(Program::f, {.engine = engine})(input(), k), k);
}

/// In a child, which ends with 0: right; 1: wrong; 2: n is more than it allocates.
template <class Program>
std::optional<bool> in_child(Refused which, std::int64_t n) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    const auto right = with_failure(which, n, [] { return runs<Program>(3); });
    std::fflush(stdout);
    _exit(!right ? 2 : *right ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status)) std::printf("ended by signal %d\n", WTERMSIG(status));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 2) return std::nullopt;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Calls keep nothing: what is alive afterwards is what was before.
template <class Call>
std::optional<bool> called(const Call& call, Refused which, std::int64_t n) {
  static std::int64_t alive = -1;
  const auto right = with_failure(which, n, call);
  const std::int64_t now = failing_memory::n_alive;
  if (alive >= 0 && now > alive && engine != fg::Engine::opencl) {  // whose driver keeps what it likes
    std::printf("%lld allocations are not given back\n", static_cast<long long>(now - alive));
    return false;
  }
  alive = now;
  return right;
}

struct Request {
  std::string_view mode;
  Refused which;
  std::int64_t first, step;
  double seconds;
};

template <class Program>
int sweep(const Request& request) {
  const auto [mode, which, first, step, seconds] = request;
  const bool in_children = mode == "first";
  failing_memory::everybody_counts = mode == "compiler";
  const auto compiled = fg::compile(Program::f, {.engine = engine});
  const auto call = [&] { return Program::is_right(compiled(input(), 1), 1); };
  // What only the first calls of a process allocate.
  if (!in_children && (attempt(call) != End::right || attempt(call) != End::right)) return 1;
  int n_tried = 0;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  for (std::int64_t n = first;; n += step, ++n_tried) {
    const bool is_late = n_tried > 0 && Clock::now() > end;
    const auto right = is_late          ? std::nullopt
                       : in_children    ? in_child<Program>(which, n)
                       : mode == "call" ? called(call, which, n)
                                        // Another program each time, and the same in the second attempt.
                                        : with_failure(which, n, [&] { return runs<Program>(2 + n_tried); });
    if (right == false) {
      std::printf("where allocation %lld fails\n", static_cast<long long>(n));
      return 1;
    }
    if (right) continue;
    std::printf("tried %d, %s %lld\n", n_tried, is_late ? "and was late at" : "all of",
                static_cast<long long>(n));
    return n_tried == 0;
  }
}

fg::Engine engine_named(std::string_view name) {
  return name == "cpu"        ? fg::Engine::cpu
         : name == "opencl"   ? fg::Engine::opencl
         : name == "emulator" ? fg::Engine::emulator
                              : fg::Engine::interpreter;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 8) return 2;
  const std::string_view program = argv[2];
  const Request request{argv[3], std::string_view(argv[4]) == "all" ? Refused::all : Refused::one,
                        std::atoll(argv[5]), std::atoll(argv[6]), std::atof(argv[7])};
  engine = engine_named(argv[1]);
  failing_memory::find_code();
  input();
  return program == "map"      ? sweep<Map>(request)
         : program == "filter" ? sweep<Filter>(request)
         : program == "loop"   ? sweep<Loop>(request)
         : program == "sort"   ? sweep<Sort>(request)
                               : 2;
}
