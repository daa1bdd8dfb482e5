// What lifetime_slow_test.cpp runs as processes of their own: compiling where a process begins, forks, runs
// out of stack or memory, and ends.
#include <fulgurite/fulgurite.h>
#include <fulgurite/kernel.h>

#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace fg = fulgurite;
using fg::Exp, fg::Mat, fg::Vec;

namespace {

// Another program for each k, so that none is in a cache of this process.
float sum_of_products(int k) {
  const auto f = [](Vec<float> x, int times) {
    auto y = x;
    for (int i = 0; i < times; ++i) y = y * 2.0f + 1.0f;
    return fg::sum(y);
  };
  return fg::run(f, std::vector<float>(4, 0.0f), k);  // 4 * (2^k - 1)
}

bool is_right(int k) {
  return sum_of_products(k) == 4 * (static_cast<float>(1 << k) - 1);
}

// 0: right; 3: an error, which is printed.
int attempt(int k) {
  try {
    if (is_right(k)) return 0;
    std::puts("wrong");
    return 1;
  } catch (const fg::Error& error) {
    std::printf("%s\n", error.what());
    return 3;
  }
}

void check(bool right, const char* what) {
  if (right) return;
  std::printf("wrong: %s\n", what);
  std::fflush(stdout);
  std::_Exit(1);
}

// Constructed before the library has made anything, so destroyed after all that the library destroys.
struct AtExit {
  bool compiles = false;
  ~AtExit() {
    if (compiles) check(attempt(5) == 0 && attempt(3) == 0, "compiled in a destructor");
  }
};
AtExit at_exit;

int static_destructor() {
  at_exit.compiles = true;
  std::atexit([] { check(attempt(6) == 0, "compiled by atexit"); });
  return 0;
}

int static_destructor_after_use() {
  check(attempt(3) == 0, "compiled in main");
  return static_destructor();
}

int detached_thread() {
  for (int t = 0; t < 3; ++t)
    std::thread([t] {
      for (int k = 0; k < 20; ++k) attempt((k + 7 * t) % 20);
    }).detach();
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  return 0;
}

void programs_of_many_kinds(fg::Engine engine) {
  const fg::Options options{.engine = engine};
  const fg::Array<float> x({3, 1, 2, 5, 4});
  const fg::Array<float, 2> m({1, 2, 3, 4}, {2, 2});
  const auto sorted = fg::compile([](Vec<float> v) { return fg::sort(v); }, options)(x);
  check(sorted.to_vector() == std::vector<float>{1, 2, 3, 4, 5}, "sort");
  const auto scanned = fg::compile(
      [](Vec<float> v) { return fg::scan([](Exp<float> a, Exp<float> b) { return a + b; }, v); }, options)(x);
  check(scanned.to_vector() == std::vector<float>{3, 4, 6, 11, 15}, "scan");
  const auto kept = fg::compile(
      [](Vec<float> v) { return fg::filter([](Exp<float> e) { return e > 2.5f; }, v); }, options)(x);
  check(kept.to_vector() == std::vector<float>{3, 5, 4}, "filter");
  const auto rows = fg::compile(
      [](Mat<float> a) {
        return fg::map([](Vec<float> row) { return fg::sum(fg::sort(row * row)); }, fg::rows(a));
      },
      options)(m);
  check(rows.to_vector() == std::vector<float>{5, 25}, "rows");
  const auto looped = fg::compile(
      [](Vec<float> v) { return fg::iterate(3, [](Exp<fg::i64>, Vec<float> s) { return s + 1.0f; }, v); },
      options)(x);
  check(looped.to_vector() == std::vector<float>{6, 4, 5, 8, 7}, "iterate");
}

// Kernels whose tasks keep more on the stack than there is.
void programs_with_large_tasks() {
  const fg::Array<float> x({3, 1, 2});
  const auto several = [](Vec<float> v) {
    return std::tuple{fg::scan(fg::plus, 0.0f, v), fg::filter([](Exp<float> e) { return e > 1.5f; }, v)};
  };
  const auto [scanned, kept] = fg::compile(several)(x);
  check(scanned.to_vector() == std::vector<float>{3, 4, 6} && kept.to_vector() == std::vector<float>{3, 2},
        "a scan and a filter");
  namespace k = fg::kernel;
  constexpr int n = 1 << 15;
  const auto turned = k::kernel("turned", k::block<int>(n),
                                [](k::Pull<int> a) { return k::sync(k::reverse(k::sync(k::reverse(a)))); });
  const std::vector<int> ones(n, 1);
  check(k::execute(fg::cpu(), turned, ones).to_vector() == ones, "a kernel of a large block");
  const auto own = k::kernel("own", k::block<int>(32), [](k::Pull<int> a) {
    return k::Push<int>(32, [a](const k::Push<int>::Write& write) {
      k::par(32, [&](k::Index i) {
        const auto mine = k::sync(k::Push<int, k::Level::thread>(4000, [&](const auto& put) {
          k::loop(0, 4000, [&](k::Index j) { put(j, a[i] + fg::cast<int>(j)); });
        }));
        write(i, mine[fg::cast<fg::i64>(a[i] * 3999)]);
      });
    });
  });
  check(k::execute(fg::cpu(), own, std::vector<int>(32, 1)).to_vector() == std::vector<int>(32, 4000),
        "a kernel whose threads have arrays");
}

int small_stack() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, std::size_t{128} << 10);
  pthread_t thread;
  const auto work = [](void*) -> void* {
    try {
      check(attempt(9) == 0, "compiled on a small stack");
      for (const fg::Engine engine : {fg::Engine::cpu, fg::Engine::interpreter, fg::Engine::emulator})
        programs_of_many_kinds(engine);
      programs_with_large_tasks();
    } catch (const fg::Error& error) {
      check(false, error.what());
    }
    return nullptr;
  };
  check(pthread_create(&thread, &attributes, work, nullptr) == 0, "a thread");
  pthread_join(thread, nullptr);
  return 0;
}

// 0 if the child ended with 0 in time.
int outcome_of(pid_t child) {
  int status = 0;
  for (int waited = 0; waited < 6000; ++waited) {
    if (waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  std::puts("a child hangs");
  return 129;
}

int fork_while_compiling() {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&stop, t] {
      for (int k = t; !stop; k = (k + 2) % 20) check(attempt(k) == 0, "compiled beside fork");
    });
  int result = 0;
  for (int i = 0; i < 8 && result == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3 + 5 * i));
    const pid_t child = fork();
    if (child == 0) {
      int outcome = attempt(i);
      if (outcome == 0) outcome = attempt(10 + i);
      std::fflush(stdout);
      std::_Exit(outcome);
    }
    result = outcome_of(child);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  return result;
}

// A child of a process whose threads call compiled programs, which takes and gives back memory.
int fork_while_running() {
  const auto f = fg::compile([](Vec<float> x) { return fg::sort(x * 2.0f); });
  const fg::Array<float> x(std::vector<float>(1000, 1.0f));
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      while (!stop) f(x);
    });
  int result = 0;
  for (int i = 0; i < 40 && result == 0; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      for (int call = 0; call < 20; ++call) check(f(x)[999] == 2.0f, "called in a child");
      std::_Exit(i % 10 == 0 ? attempt(5) : 0);
    }
    result = outcome_of(child);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  return result;
}

// A child of a process whose threads make their first calls. Each round is a new process, in which nothing
// has been made by first use; fork() waits while its threads compile, so it meets their first runs.
int fork_at_first_call() {
  const auto f = fg::compile([](Vec<float> x) { return fg::sort(x * 2.0f); });
  const std::vector<float> ones(1000, 1.0f);
  const auto is_right_here = [&] { return f(ones).to_vector() == std::vector<float>(1000, 2.0f); };
  int result = 0;
  for (int round = 0; round < 60 && result == 0; ++round) {
    const pid_t parent = fork();
    if (parent == 0) {
      std::vector<std::thread> threads;
      for (int t = 0; t < 4; ++t) threads.emplace_back([&] { check(is_right_here(), "called beside fork"); });
      std::this_thread::sleep_for(std::chrono::microseconds(10 * round));
      const pid_t child = fork();
      if (child == 0) {
        check(is_right_here(), "called in a child");
        std::_Exit(0);
      }
      const int outcome = outcome_of(child);
      for (std::thread& thread : threads) thread.join();
      std::fflush(stdout);
      std::_Exit(outcome);
    }
    result = outcome_of(parent);
  }
  return result;
}

// Compiles with this many KiB of address space more than there are in use.
int limited(const char* kibibytes) {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t limit =
      pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (std::strtoul(kibibytes, nullptr, 10) << 10);
  const rlimit both{limit, limit};
  check(setrlimit(RLIMIT_AS, &both) == 0, "a limit");
  const int first = attempt(4), second = attempt(4);
  return first == 0 ? second : first;
}

// Twice: a plug-in that could not be loaded is tried again, and the error is the same.
int run() {
  const int first = attempt(4);
  return attempt(4) == first ? first : 1;
}

// A program of several kernels, some of which have phases.
auto compile_several(bool in_background, float factor = 2.0f) {
  return fg::compile(
      [factor](Vec<float> x) {
        const auto sorted = fg::sort(x * factor);
        return std::tuple{sorted, fg::sum(fg::scan(fg::plus, 0.0f, sorted))};
      },
      {.background = in_background});
}
void check_several(const auto& f, float factor = 2.0f) {
  const auto [sorted, sum] = f(std::vector<float>{3.0f, 1.0f, 2.0f});
  check(sorted.to_vector() == std::vector<float>{factor, 2 * factor, 3 * factor} && sum == 10 * factor,
        "several kernels");
}

int several() {
  try {
    check_several(compile_several(false));
    return 0;
  } catch (const fg::Error& error) {
    std::printf("%s\n", error.what());
    return 3;
  }
}

// Where there is no compiler: not compile() says so, but wait() and each call.
int several_in_background() {
  const auto f = compile_several(true);
  int n_errors = 0;
  const auto is_error = [&](auto&& work) {
    try {
      work();
    } catch (const fg::CompileError& error) {
      if (++n_errors == 1) std::printf("%s\n", error.what());
    }
  };
  is_error([&] { f.wait(); });
  for (int call = 0; call < 3; ++call) is_error([&] { check_several(f); });
  check(n_errors == 0 || n_errors == 4, "the same each time");
  check(f.ready(), "nothing compiles any more");
  return n_errors == 0 ? 0 : 3;
}

std::size_t threads_of_this_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

// When the kernels are in the cache.
int background_without_threads() {
  const auto before = threads_of_this_process();
  const auto f = compile_several(true);
  check(f.ready(), "found kernels are there at once");
  check(threads_of_this_process() == before, "found kernels need no thread");
  check_several(f);
  return 0;
}

// Returns at once, from main or by exit().
int exit_while_compiling(bool by_exit) {
  for (int k = 0; k < 4; ++k) compile_several(true, static_cast<float>(k + 3));
  static const auto kept = compile_several(true, 8.0f);
  if (by_exit) std::exit(0);
  return 0;
}

// Children compile what no thread of the parent had begun, and find the rest.
int fork_beside_background() {
  int result = 0;
  for (int round = 0; round < 6 && result == 0; ++round) {
    const float factor = static_cast<float>(round + 3);
    const auto f = compile_several(true, factor);
    std::this_thread::sleep_for(std::chrono::milliseconds(4 * round));
    const pid_t child = fork();
    if (child == 0) {
      check(f.ready(), "nobody compiles in a child");
      check_several(f, factor);
      check_several(compile_several(true, factor + 100), factor + 100);
      std::exit(0);  // waits for threads of its own only
    }
    check_several(f, factor);
    result = outcome_of(child);
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "run") return run();
  if (what == "several") return several();
  if (what == "several_in_background") return several_in_background();
  if (what == "background_without_threads") return background_without_threads();
  if (what == "end_while_compiling") return exit_while_compiling(false);
  if (what == "exit_while_compiling") return exit_while_compiling(true);
  if (what == "fork_beside_background") return fork_beside_background();
  if (what == "static_destructor") return static_destructor();
  if (what == "static_destructor_after_use") return static_destructor_after_use();
  if (what == "detached_thread") return detached_thread();
  if (what == "small_stack") return small_stack();
  if (what == "fork_while_compiling") return fork_while_compiling();
  if (what == "fork_while_running") return fork_while_running();
  if (what == "fork_at_first_call") return fork_at_first_call();
  if (what == "limited" && argc > 2) return limited(argv[2]);
  std::puts("no such test");
  return 2;
}
