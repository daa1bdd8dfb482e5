// From a kernel as it was recorded to what runs.
#include <fmt/format.h>
#include <fulgurite/error.h>

#include "block/block_kernel.h"
#include "block/position.h"
#include "kernel/check.h"
#include "kernel/resources.h"
#include "kernel/traverse.h"
#include "tidy/global_arrays.h"
#include "tidy/passes.h"

namespace fulgurite::detail::block {
namespace {

constexpr std::int64_t most_shared_bytes = 1 << 20;  // of which a CPU's stack has several

// The statements that `keeps` keeps, which may change them.
kernel::Block kept(const kernel::Block& body, const std::function<bool(kernel::Stm&)>& keeps) {
  kernel::Parts parts;
  parts.block = [&](const kernel::Block& inner) { return kept(inner, keeps); };
  kernel::Block out;
  for (const kernel::Stm& s : body)
    if (kernel::Stm changed = kernel::map_children(s, parts); keeps(changed))
      out.push_back(std::move(changed));
  return out;
}

// The marks of what the emulator is to find stand in a copy only.
void separate(Kernel& made, const kernel::Expectations& expected) {
  if (expected.empty()) return;
  made.expecting = {made.ir, expected};
  made.expecting->ir.body = kept(made.ir.body, [](kernel::Stm& s) {
    if (auto* array = std::get_if<kernel::Allocate>(&s.op); array && array->space == kernel::Space::global)
      array->space = kernel::Space::shared;  // of which there is enough
    return true;
  });
  made.ir.body = kept(made.ir.body, [&](kernel::Stm& s) {
    const auto* let = std::get_if<kernel::Let>(&s.op);
    return let == nullptr || !expected.contains(let->name);
  });
}

// A lane that is one of several takes part in the exchanges of each.
void require_lanes(const kernel::Kernel& ir, std::int64_t threads, const Here& where) {
  if (threads % lanes_of_warp == 0) return;
  kernel::for_each_stm(ir.body, [&](const kernel::Stm& s) {
    const auto* par = std::get_if<kernel::Par>(&s.op);
    if (par == nullptr || par->level != kernel::Level::block ||
        static_cast<std::int64_t>(par->n.bits()) <= threads)
      return;
    kernel::for_each_stm(par->body, [&](const kernel::Stm& inner) {
      if (std::holds_alternative<kernel::Shuffle>(inner.op))
        throw ShapeError(fmt::format("the lanes of kernel '{}' exchange values, which needs whole warps: "
                                     "{} threads are no multiple of {}",
                                     ir.name, threads, lanes_of_warp),
                         where);
    });
  });
}

void require_shared(const kernel::Kernel& ir, const Here& where) {
  if (const std::int64_t bytes = kernel::shared_bytes(ir); bytes > most_shared_bytes)
    throw ShapeError(
        fmt::format(
            "the threads of a block of kernel '{}' share {} bytes, and no device has more than {}: use "
            "smaller blocks or arrays",
            ir.name, bytes, most_shared_bytes),
        where);
}

// The kernel's memory of its own is what a launch allocates, like a result.
void place_global(Kernel& made) {
  scalar::Arena& arena = *made.ir.arena;
  kernel::Kernel placed = tidy::run(tidy::Route::placed, made.ir, {});
  for (const tidy::Scratch& scratch : tidy::scratch_of(made.ir, placed)) {
    const auto kind = static_cast<detail::Kind>(arena.info(scratch.name).type.kind);
    made.outputs.push_back({.components = {kind}, .is_scratch = true});
    made.shapes.push_back({made.n_blocks * scratch.per_task});
  }
  made.ir = std::move(placed);
}

}  // namespace

void prepare(Kernel& made, const kernel::Expectations& expected, std::optional<std::int64_t> threads,
             const Here& where) {
  separate(made, expected);
  kernel::check(made.ir, kernel::Stage::threads, "record");
  const kernel::PassOptions stated{.threads = threads};
  made.ir = tidy::run(tidy::Route::recorded, std::move(made.ir), stated);
  if (threads) require_lanes(made.ir, *threads, where);
  made.ir = tidy::run(tidy::Route::folded, std::move(made.ir), stated);
  if (made.expecting) made.expecting->ir = tidy::run(tidy::Route::folded, std::move(made.expecting->ir), {});
  place_global(made);
  require_shared(made.ir, where);
  made.contracted = tidy::run(tidy::Route::contracted, made.ir, stated);
}

}  // namespace fulgurite::detail::block
