// The part of compiled programs and arrays (compile.h, array.h, options.h) that is not a template.
#include "callable.h"

#include <fulgurite/compile.h>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <stdexcept>

#include "base/debug.h"
#include "base/fork_gate.h"
#include "base/log.h"
#include "engines/engines.h"
#include "runtime/stats.h"
#include "scalar/type.h"
#include "soac/print.h"
#include "trace/traced.h"

namespace fulgurite {

Engine default_engine() {
  const char* name = std::getenv("FULGURITE_ENGINE");
  if (name == nullptr || *name == 0) return Engine::cpu;
  if (const engines::Row* row = engines::named(name)) return row->engine;
  throw DeviceError(
      fmt::format("FULGURITE_ENGINE is '{}': set it to {}, or not at all", name, engines::names()));
}

std::string default_policy() {
  const char* policy = std::getenv("FULGURITE_POLICY");
  return policy == nullptr ? "" : policy;
}

bool captures_are_checked() {
  return base::debugs("captures");
}

namespace detail {

Executable::~Executable() = default;

bool Executable::is_ready() const noexcept {
  return true;
}

void Executable::wait() const {}

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
  bool is_ready() const noexcept override { return program_->is_ready(); }
  void wait() const override { program_->wait(); }

 private:
  std::shared_ptr<const Executable> program_;
  std::vector<Capture> captures_;
};

}  // namespace

std::shared_ptr<const Executable> with_captures(std::shared_ptr<const Executable> program,
                                                std::vector<Capture> captures) {
  if (captures.empty()) return program;
  return std::make_shared<WithCaptures>(std::move(program), std::move(captures));
}

namespace {

// Runs `work` for a program, and gives errors about memory that name no line the one where it was compiled.
template <class Work>
auto placing_errors(std::string_view name, Here where, const char* activity, Work&& work) {
  const auto left_none = [&] {
    return OutOfMemory(
        fmt::format("no memory was left while '{}' was {}: free some, or raise this process's limit "
                    "(ulimit -v)",
                    name, activity),
        where);
  };
  try {
    return work();
  } catch (const OutOfMemory& error) {
    if (error.line() != 0) throw;
    throw OutOfMemory(fmt::format("'{}': {}", name, error.message()), where);
  } catch (const std::bad_alloc&) {
    throw left_none();
  } catch (const std::length_error&) {  // of a container: more than any memory
    throw left_none();
  }
}

}  // namespace

std::shared_ptr<const Executable> instantiate(std::shared_ptr<const TracedProgram> traced,
                                              const Options& options) {
  runtime::counters.traces.add();
  if (traced->is_retrace()) runtime::counters.retraces.add();
  std::vector<Capture> captures = traced->captures();
  return with_captures(build(std::move(traced), options), std::move(captures));
}

namespace {

void warn_of_retraces(const char* name, unsigned traces, Here where) {
  base::log(
      fmt::format("{}:{}: fulgurite: '{}' has been traced and compiled {} times, for ever new values of "
                  "its C++ parameters: make those Exp, which are arguments of one program",
                  where.file_name(), where.line(), name, traces));
}

// A program that knows where it was compiled.
class Placed final : public Executable {
 public:
  Placed(std::shared_ptr<const Executable> program, const char* name, Here where)
      : program_(std::move(program)), name_(name), where_(where) {}

  void call(std::span<const ArgumentView> arguments, std::span<ResultValue> results) const override {
    placing_errors(name_, where_, "called", [&] { program_->call(arguments, results); });
  }
  bool is_ready() const noexcept override { return program_->is_ready(); }
  void wait() const override {
    placing_errors(name_, where_, "compiled", [&] { program_->wait(); });
  }

 private:
  std::shared_ptr<const Executable> program_;
  const std::string name_;  // the user's may be gone
  const Here where_;
};

}  // namespace

std::shared_ptr<const Executable> placed(std::shared_ptr<const Executable> program, const char* name,
                                         Here where) {
  return std::make_shared<const Placed>(std::move(program), name, where);
}

namespace {

void warn_of_captures(const char* name, std::size_t bytes, Here where) {
  base::log(
      fmt::format("{}:{}: fulgurite: '{}' has captured C++ values ({} bytes), which are read when it is "
                  "traced: calls do not see what becomes of them later. Make what changes a parameter",
                  where.file_name(), where.line(), name, bytes));
}

bool are_equal(const Capture& a, const Capture& b) {
  if (a.view.kind != b.view.kind || a.view.rank != b.view.rank) return false;
  std::size_t bytes = scalar::size_of(static_cast<scalar::Kind>(a.view.kind));
  for (int k = 0; k < a.view.rank; ++k) {
    if (a.extents[k] != b.extents[k]) return false;
    bytes *= static_cast<std::size_t>(a.extents[k]);
  }
  return a.data == b.data || bytes == 0 || std::memcmp(a.data.get(), b.data.get(), bytes) == 0;
}

// Whether two traces of one function are the same program on the same captured arrays.
bool are_equal(const TracedProgram& a, const TracedProgram& b) {
  const auto equal = [](const Capture& x, const Capture& y) { return are_equal(x, y); };
  return soac::canonical(a.program()) == soac::canonical(b.program()) &&
         std::ranges::equal(a.captures(), b.captures(), equal);
}

// The variants form a list that only grows at its head: calls read it without a lock, unless captures are
// checked.
class VariantList final : public Variants {
 public:
  VariantList(Traceable f, const Options& options, Here where)
      : f_(std::move(f)), options_(options), where_(where) {
    if (options_.check_captures && f_.captured_bytes() > 0)
      warn_of_captures(options_.name, f_.captured_bytes(), where_);
    if (f_.constants() == nullptr) add(nullptr);
  }
  VariantList(const VariantList&) = delete;
  ~VariantList() override {
    for (const Variant* v = first_.load(); v != nullptr;) {
      if (v->constants != nullptr) f_.constants()->destroy(v->constants);
      delete std::exchange(v, v->next);
    }
  }

  const Executable& find(const void* given) override {
    const Variant* known = known_for(given);
    if (known == nullptr) return add(given);
    if (known->traced != nullptr) check_captures(*known, given);
    return *known->program;
  }
  std::shared_ptr<const TracedProgram> traced(const void* given) const override {
    return trace(options_.name, f_, given, false, where_);
  }
  const Options& options() const override { return options_; }
  bool are_ready() const noexcept override {
    for (const Variant* v = first_.load(std::memory_order_acquire); v != nullptr; v = v->next)
      if (!v->program->is_ready()) return false;
    return true;
  }
  void wait() const override {
    for (const Variant* v = first_.load(std::memory_order_acquire); v != nullptr; v = v->next)
      v->program->wait();
  }

 private:
  struct Variant {
    void* constants = nullptr;
    std::shared_ptr<const Executable> program;
    const Variant* next = nullptr;
    std::shared_ptr<const TracedProgram> traced = nullptr;  // if captures are checked
  };

  // f itself may change what it captured by value: one thread at a time calls it.
  void check_captures(const Variant& known, const void* given) {
    const base::CompilingSection section;
    const std::lock_guard lock(adding_);
    if (!are_equal(*trace(options_.name, f_, given, true, where_), *known.traced))
      throw TraceError(
          fmt::format(
              "'{}', traced again, is another program than the one that was compiled: a C++ value that "
              "it captured, or "
              "otherwise reads, has changed since. Make that value a parameter (an Exp, or a C++ "
              "type to compile a program for each value), or compile the function again",
              options_.name),
          where_);
  }

  const Variant* known_for(const void* given) const {
    const Variant* v = first_.load(std::memory_order_acquire);
    const ConstantsType* type = f_.constants();
    while (v != nullptr && type != nullptr && !type->equal(v->constants, given)) v = v->next;
    return v;
  }

  const Executable& add(const void* given) {
    const base::CompilingSection section;
    const std::lock_guard lock(adding_);
    if (const Variant* known = known_for(given)) return *known->program;
    auto variant = std::make_unique<Variant>();
    variant->program = placing_errors(options_.name, where_, "compiled", [&] {
      auto traced = trace(options_.name, f_, given, n_variants_ > 0, where_);
      if (options_.check_captures) variant->traced = traced;
      auto program = instantiate(std::move(traced), options_);
      return placed(std::move(program), options_.name, where_);
    });
    if (f_.constants() != nullptr) variant->constants = f_.constants()->keep(given);
    if (++n_variants_ == 16) warn_of_retraces(options_.name, n_variants_, where_);
    variant->next = first_.load();
    first_.store(variant.get(), std::memory_order_release);
    return *variant.release()->program;
  }

  const Traceable f_;
  const Options options_;
  const Here where_;
  std::atomic<const Variant*> first_{nullptr};
  std::mutex adding_;
  unsigned n_variants_ = 0;
};

}  // namespace

Variants::~Variants() = default;

std::shared_ptr<Variants> make_variants(Traceable f, const Options& options, Here where) {
  return std::make_shared<VariantList>(std::move(f), options, where);
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

void refuse_index(std::int64_t index, std::int64_t size, const std::source_location& where) {
  const Where line{where.file_name(), where.line()};
  if (size == 0) throw IndexError(fmt::format("index {} is outside an empty array", index), line);
  throw IndexError(fmt::format("index {} is outside 0..{}", index, size - 1), line);
}

std::string no_such_axis(int axis, int rank) {
  if (rank == 1) return fmt::format("no axis {} in an array of 1 axes: it is 0, or -1", axis);
  return fmt::format(
      "no axis {} in an array of {} axes: they are 0, the outermost, to {}, or -1, the innermost, to -{}",
      axis, rank, rank - 1, rank);
}

void refuse_axis(int axis, int rank) {
  throw ShapeError(fmt::format("size: {}", no_such_axis(axis, rank)));
}

void count_copied(std::size_t bytes) noexcept {
  runtime::counters.bytes_copied.add(bytes);
}

std::shared_ptr<void> allocate_elements(std::size_t n, std::size_t size) {
  constexpr std::align_val_t cache_line{64};
  std::size_t bytes = 0;
  void* memory = nullptr;
  if (!__builtin_mul_overflow(n, size, &bytes) && bytes < PTRDIFF_MAX)
    memory = ::operator new(bytes, cache_line, std::nothrow);
  if (memory == nullptr) throw OutOfMemory(fmt::format("no memory for {} elements of {} bytes", n, size));
  runtime::counters.bytes_allocated.add(bytes);
  return {memory, [](void* p) { ::operator delete(p, std::align_val_t{64}); }};
}

}  // namespace detail
}  // namespace fulgurite
