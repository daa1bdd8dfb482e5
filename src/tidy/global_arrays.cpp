#include "tidy/global_arrays.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/check.h"
#include "kernel/resources.h"
#include "kernel/traverse.h"

namespace fulgurite::tidy {
namespace {

using namespace kernel;

constexpr std::int64_t scratch_alignment = 16;

// Up to where the arrays of a task in global memory reach.
std::int64_t bytes_of_task(const Kernel& kernel) {
  std::int64_t bytes = 0;
  for_each_stm(kernel.body, [&](const Stm& s) {
    const auto* array = std::get_if<Allocate>(&s.op);
    if (array == nullptr || array->space != Space::global) return;
    const std::int64_t end = array->offset + bytes_of(*kernel.arena, *array);
    bytes = std::max(bytes, (end + scratch_alignment - 1) / scratch_alignment * scratch_alignment);
  });
  return bytes;
}

std::int64_t elements(std::int64_t bytes, Kind kind) {
  return bytes / static_cast<std::int64_t>(scalar::size_of(kind));
}

class Places {
 public:
  explicit Places(Kernel& kernel) : kernel_(kernel), arena_(*kernel.arena), bytes_(bytes_of_task(kernel)) {}

  void operator()() {
    for_each_stm(kernel_.body, [&](const Stm& s) {
      const auto* array = std::get_if<Allocate>(&s.op);
      if (array == nullptr || array->space != Space::global) return;
      FULGURITE_CHECK(array->offset >= 0, "'{}' has no place in global memory",
                      arena_.info(array->buffer).name);
      offset_[array->buffer] = array->offset;
    });
    if (offset_.empty()) return;
    for (Stm& s : kernel_.body) {
      auto& phase = std::get<Par>(s.op);
      task_ = arena_.name(phase.name);
      phase.body = block(phase.body);
    }
    auto at = std::ranges::find(kernel_.params, Param::Role::scalar, &Param::role);
    for (const auto& [kind, name] : by_kind_) at = kernel_.params.insert(at, {name, Param::Role::output}) + 1;
  }

 private:
  Block block(const Block& body) {
    Parts parts;
    parts.block = [&](const Block& inner) { return block(inner); };
    Block out;
    for (const Stm& s : body) {
      if (const auto* array = std::get_if<Allocate>(&s.op); array && array->space == Space::global) continue;
      Stm changed = map_children(s, parts);
      if (auto* load = std::get_if<Load>(&changed.op)) place(load->from);
      if (auto* store = std::get_if<Store>(&changed.op)) place(store->to);
      if (auto* atomic = std::get_if<Atomic>(&changed.op)) place(atomic->at);
      out.push_back(std::move(changed));
    }
    return out;
  }

  void place(Access& access) {
    const auto found = offset_.find(access.buffer);
    if (found == offset_.end()) return;
    const Kind kind = arena_.info(access.buffer).type.kind;
    const std::int64_t first = found->second / static_cast<std::int64_t>(scalar::size_of(kind));
    auto [scratch, is_new] = by_kind_.try_emplace(kind);
    if (is_new) scratch->second = arena_.fresh_array(kind, {arena_.i64(0)}, "scratch").var();
    access.buffer = scratch->second;
    access.index = task_ * elements(bytes_, kind) + first + access.index;
  }

  Kernel& kernel_;
  Arena& arena_;
  Expr task_;
  std::unordered_map<Var, std::int64_t> offset_;
  const std::int64_t bytes_;  // of a task
  std::map<Kind, Var> by_kind_;
};

Kernel run_place_global(Kernel kernel, const PassOptions&) {
  Places{kernel}();
  return kernel;
}

}  // namespace

const kernel::Pass place_global{
    .name = "place_global",
    .description = "arrays of a block in global memory become each task's slices of parameters",
    .run = run_place_global};

std::vector<Scratch> scratch_of(const Kernel& before, const Kernel& after) {
  const std::int64_t bytes = bytes_of_task(before);
  std::vector<Scratch> scratch;
  for (const Param& p : after.params)
    if (std::ranges::find(before.params, p) == before.params.end())
      scratch.push_back({p.name, elements(bytes, after.arena->info(p.name).type.kind)});
  return scratch;
}

}  // namespace fulgurite::tidy
