// What faults_slow_test.cpp runs while something that it needs is refused: threads, room on a disk, file
// descriptors, or the time to end.
#include <fulgurite/fulgurite.h>
#include <fulgurite/npy.h>

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace fg = fulgurite;
using fg::Exp, fg::Mat, fg::Vec;

namespace {
std::atomic<int> n_threads_left{1 << 20};
}  // namespace

// The library's threads are made by this one: the system's takes its name from the program, which exports it.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                              void* argument) noexcept {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  return n_threads_left-- > 0 ? create(thread, attributes, start, argument) : EAGAIN;
}

namespace {

void check(bool right, const char* what) {
  if (right) return;
  std::printf("wrong: %s\n", what);
  std::fflush(stdout);
  std::_Exit(1);
}

/// Another program for each k.
bool is_right(int k, fg::Engine engine = fg::Engine::cpu) {
  const auto f = fg::compile(
      [](Vec<float> x, int n) {
        const auto y = x * 2.0f + static_cast<float>(n);
        return std::tuple{fg::sort(y), fg::scan(fg::plus, 0.0f, y),
                          fg::filter([](Exp<float> e) { return e > 2.0f; }, x)};
      },
      {.engine = engine});
  const fg::Array<float> x({3, 1, 2});
  const auto [sorted, scanned, kept] = f(x, k);
  const auto add = static_cast<float>(k);
  return sorted.to_vector() == std::vector<float>{2 + add, 4 + add, 6 + add} &&
         scanned.to_vector() == std::vector<float>{6 + add, 8 + 2 * add, 12 + 3 * add} &&
         kept.to_vector() == std::vector<float>{3};
}

/// Has enough elements for all threads to take part.
void large() {
  const std::vector<float> x(2'000'000, 0.5f);
  const auto f =
      fg::compile([](Vec<float> v) { return std::tuple{fg::sum(v * 2.0f), fg::scan(fg::plus, 0.0f, v)}; });
  const auto [sum, scanned] = f(x);
  check(sum == 2'000'000 && scanned.at(1'999'999) == 1'000'000, "a large array");
}

int run() {
  try {
    check(is_right(999), "a result");  // of a program that compile_for_ever() does not compile
    return 0;
  } catch (const fg::Error& error) {
    std::printf("%s\n", error.what());
    return 3;
  }
}

int without_threads(int n) {
  n_threads_left = n;
  for (const fg::Engine engine : {fg::Engine::cpu, fg::Engine::interpreter, fg::Engine::emulator})
    check(is_right(1, engine) && is_right(2, engine), "without threads");
  large();
  return 0;
}

int write(const std::string& path) {
  const fg::Array<float> x(std::vector<float>(100'000, 1.0f));
  try {
    fg::write_npy(path, x);
    return 0;
  } catch (const fg::FormatError& error) {
    std::printf("%s\n", error.what());
    return 3;
  }
}

/// Until it is killed: `seed` makes the programs others than those of other processes.
int compile_for_ever(int seed) {
  for (int k = 0;; ++k) check(is_right(1000 * seed + k % 20), "compiled for ever");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "", word = argc > 2 ? argv[2] : "";
  if (what == "run") return run();
  if (what == "without_threads") return without_threads(std::atoi(word.c_str()));
  if (what == "write") return write(word);
  if (what == "compile_for_ever") return compile_for_ever(std::atoi(word.c_str()));
  std::puts("no such test");
  return 2;
}
