// What compiled programs and arrays (compile.h, array.h, options.h) need that is not a template.
#include <fulgurite/compile.h>

#include <fmt/format.h>

#include <cstdlib>
#include <new>

#include "runtime/stats.h"
#include "trace/traced.h"

namespace fulgurite {

Engine default_engine() {
  const char* name = std::getenv("FULGURITE_ENGINE");
  if (name == nullptr || *name == 0) return Engine::cpu;
  constexpr std::pair<std::string_view, Engine> engines[] = {{"cpu", Engine::cpu},
                                                             {"interpreter", Engine::interpreter},
                                                             {"opencl", Engine::opencl},
                                                             {"cuda", Engine::cuda}};
  for (const auto& [known, engine] : engines)
    if (known == name) return engine;
  throw DeviceError(fmt::format(
      "FULGURITE_ENGINE is '{}': set it to cpu, interpreter, opencl or cuda, or not at all", name));
}

namespace detail {

Executable::~Executable() = default;

namespace {

// A program with the arrays that it captured as the last of its arguments.
class WithCaptures final : public Executable {
 public:
  WithCaptures(std::shared_ptr<const Executable> program, std::vector<Capture> captures)
      : program_(std::move(program)), captures_(std::move(captures)) {}

  void call(std::span<const ArgumentView> arguments, std::span<ResultValue> results) const override {
    std::vector<ArgumentView> all(arguments.begin(), arguments.end());
    for (const Capture& capture : captures_) all.emplace_back(capture.view).extents = capture.extents;
    program_->call(all, results);
  }

 private:
  std::shared_ptr<const Executable> program_;
  std::vector<Capture> captures_;
};

}  // namespace

std::shared_ptr<const Executable> instantiate(std::shared_ptr<const TracedProgram> traced,
                                              const Options& options) {
  runtime::counters.traces.add();
  if (traced->is_retrace()) runtime::counters.retraces.add();
  std::vector<Capture> captures = traced->captures();
  std::shared_ptr<const Executable> program = build(std::move(traced), options);
  if (captures.empty()) return program;
  return std::make_shared<WithCaptures>(std::move(program), std::move(captures));
}

std::int64_t element_count(std::span<const std::int64_t> extents) {
  constexpr std::int64_t most = std::int64_t{1} << 47;
  std::int64_t n = 1;
  for (std::int64_t extent : extents) {
    if (extent < 0)
      throw ShapeError(fmt::format("an array's extent is {}: extents are not negative", extent));
    if (extent != 0 && n > most / extent) throw ShapeError("an array has at most 2^47 elements");
    n *= extent;
  }
  return n;
}

void refuse_element_count(std::size_t given, std::span<const std::int64_t> extents) {
  throw ShapeError(fmt::format("{} elements for an array of shape [{}]", given, fmt::join(extents, ", ")));
}

void refuse_index(std::int64_t index, std::int64_t size) {
  throw IndexError(fmt::format("index {} is outside 0..{}", index, size - 1));
}

void count_copied(std::size_t bytes) noexcept {
  runtime::counters.bytes_copied.add(bytes);
}

std::shared_ptr<void> allocate_elements(std::size_t n, std::size_t size) {
  constexpr std::align_val_t cache_line{64};
  void* memory = ::operator new(n * size, cache_line, std::nothrow);
  if (memory == nullptr) throw OutOfMemory(fmt::format("no memory for {} elements of {} bytes", n, size));
  runtime::counters.bytes_allocated.add(n * size);
  return {memory, [](void* p) { ::operator delete(p, std::align_val_t{64}); }};
}

}  // namespace detail
}  // namespace fulgurite
