#include "specialised.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/fork_gate.h"
#include "base/stack.h"
#include "engines/engines.h"
#include "keys.h"
#include "pipeline.h"
#include "simplify/specialise.h"
#include "soac/parse.h"
#include "soac/print.h"

namespace fulgurite::pipeline {

ShortAxes::ShortAxes(const soac::Program& program, Specialising worth) : worth_(worth) {
  if (worth.longest_axis == 0) return;
  std::unordered_set<soac::Var> met;  // components of one argument have the same extents
  for (std::size_t k = 0; k < program.params.size(); ++k) {
    const std::vector<soac::Expr>& shape = program.arena->info(program.params[k]).shape;
    if (shape.size() < 2) continue;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      if (axes_.size() < most_axes && shape[axis].is_name() && met.insert(shape[axis].var()).second)
        axes_.push_back({k, axis});
  }
}

std::uint64_t ShortAxes::key(std::span<const detail::ArgumentView> arguments) const {
  std::uint64_t key = 0;
  for (std::size_t a = 0; a < axes_.size(); ++a) {
    const std::int64_t extent = arguments[axes_[a].argument].extents[axes_[a].axis];
    if (extent <= worth_.longest_axis) key |= static_cast<std::uint64_t>(extent) << (a * bits);
  }
  if (key == 0) return 0;
  const bool is_worth_it = std::ranges::any_of(arguments, [&](const detail::ArgumentView& argument) {
    std::int64_t n = argument.rank == 0 ? 0 : 1;
    for (int d = 0; d < argument.rank; ++d) n *= argument.extents[d];
    return n >= worth_.least_elements;
  });
  return is_worth_it ? key : 0;
}

// In an arena of its own: the numbers of expressions, and so the order of terms, do not depend on whether the
// general program was compiled or found.
soac::Program ShortAxes::specialised(const soac::Program& program, std::uint64_t key) const {
  const soac::Program copy = soac::parse(soac::print(program));
  const std::vector<soac::Expr> names = extents(copy);
  std::unordered_map<soac::Var, std::int64_t> lengths;
  for (std::size_t a = 0; a < names.size(); ++a)
    if (const std::uint64_t length = key >> (a * bits) & ((1 << bits) - 1))
      lengths.emplace(names[a].var(), static_cast<std::int64_t>(length));
  return simplify::specialise(copy, lengths);
}

std::vector<soac::Expr> ShortAxes::extents(const soac::Program& program) const {
  std::vector<soac::Expr> all;
  for (const Axis& a : axes_) all.push_back(program.arena->info(program.params[a.argument]).shape[a.axis]);
  return all;
}

namespace {

// The specialised programs form a list that only grows at its head: calls read it without a lock.
class WithSpecialised final : public detail::Executable {
 public:
  using Program = std::shared_ptr<const detail::Executable>;

  WithSpecialised(Program general, soac::Program traced, ShortAxes axes, Options options)
      : general_(std::move(general)),
        traced_(std::move(traced)),
        axes_(std::move(axes)),
        options_(std::move(options)) {}
  WithSpecialised(const WithSpecialised&) = delete;
  ~WithSpecialised() override {
    for (const Specialised* s = first_.load(); s != nullptr;) delete std::exchange(s, s->next);
  }

  void call(std::span<const detail::ArgumentView> arguments,
            std::span<detail::ResultValue> results) const override {
    const std::uint64_t key = axes_.key(arguments);
    const detail::Executable* program = key == 0 ? general_.get() : known(key);
    (program != nullptr ? *program : add(key)).call(arguments, results);
  }
  bool is_ready() const noexcept override {
    if (!general_->is_ready()) return false;
    for (const Specialised* s = first_.load(std::memory_order_acquire); s != nullptr; s = s->next)
      if (!s->program->is_ready()) return false;
    return true;
  }
  void wait() const override {
    general_->wait();
    for (const Specialised* s = first_.load(std::memory_order_acquire); s != nullptr; s = s->next)
      s->program->wait();
  }

 private:
  struct Specialised {
    std::uint64_t key;
    Program program;
    const Specialised* next;
  };

  const detail::Executable* known(std::uint64_t key) const {
    const Specialised* s = first_.load(std::memory_order_acquire);
    while (s != nullptr && s->key != key) s = s->next;
    return s == nullptr ? nullptr : s->program.get();
  }

  const detail::Executable& add(std::uint64_t key) const {
    const base::CompilingSection section;
    const std::lock_guard lock(adding_);
    if (const detail::Executable* program = known(key)) return *program;
    Program program = base::with_stack(
        base::deep_stack, [&] { return executable_of(load(axes_.specialised(traced_, key), options_)); });
    auto made = std::make_unique<const Specialised>(Specialised{key, std::move(program), first_.load()});
    first_.store(made.get(), std::memory_order_release);
    return *made.release()->program;
  }

  const Program general_;
  const soac::Program traced_;
  const ShortAxes axes_;
  const Options options_;
  mutable std::atomic<const Specialised*> first_{nullptr};
  mutable std::mutex adding_;
};

}  // namespace

Specialising specialising(const Options& options) {
  const schedule::Policy policy = policy_of(options);
  if (engines::row(options.engine).runs_blocks)
    return {policy.blocks.block_short_axis, policy.blocks.block_short_axis_elements};
  return {policy.lanes.short_axis, policy.lanes.short_axis_elements};
}

std::shared_ptr<const detail::Executable> with_specialised(plan::Loaded loaded, const soac::Program& traced,
                                                           const Options& options) {
  const bool is_bundled = loaded.is_bundled;
  auto general = executable_of(std::move(loaded));
  if (is_bundled) return general;
  ShortAxes axes(traced, specialising(options));
  if (axes.empty()) return general;
  return std::make_shared<const WithSpecialised>(std::move(general), traced, std::move(axes), options);
}

soac::Program program_of_call(const soac::Program& traced, std::span<const detail::ArgumentView> arguments,
                              const Options& options) {
  const ShortAxes axes(traced, specialising(options));
  const std::uint64_t key = axes.key(arguments);
  return key == 0 ? traced : axes.specialised(traced, key);
}

}  // namespace fulgurite::pipeline
