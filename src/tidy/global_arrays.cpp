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

class Places {
 public:
  explicit Places(Kernel& kernel) : kernel_(kernel), arena_(*kernel.arena) {}

  std::vector<Scratch> operator()() {
    for_each_stm(kernel_.body, [&](const Stm& s) {
      const auto* array = std::get_if<Allocate>(&s.op);
      if (array == nullptr || array->space != Space::global) return;
      FULGURITE_CHECK(array->offset >= 0, "'{}' has no place in global memory",
                      arena_.info(array->buffer).name);
      offset_[array->buffer] = array->offset;
      bytes_ = std::max(bytes_,
                        (array->offset + bytes_of(arena_, *array) + alignment - 1) / alignment * alignment);
    });
    if (offset_.empty()) return {};
    for (Stm& s : kernel_.body) {
      auto& phase = std::get<Par>(s.op);
      task_ = arena_.name(phase.name);
      phase.body = block(phase.body);
    }
    std::vector<Scratch> made;
    auto at = std::ranges::find(kernel_.params, Param::Role::scalar, &Param::role);
    for (const auto& [kind, name] : by_kind_) {
      at = kernel_.params.insert(at, {name, Param::Role::output}) + 1;
      made.push_back({name, per_task(kind)});
    }
    return made;
  }

 private:
  static constexpr std::int64_t alignment = 16;

  std::int64_t per_task(Kind kind) const { return bytes_ / static_cast<std::int64_t>(scalar::size_of(kind)); }

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
    access.index = arena_.add(arena_.add(arena_.mul(task_, arena_.i64(per_task(kind))), arena_.i64(first)),
                              access.index);
  }

  Kernel& kernel_;
  Arena& arena_;
  Expr task_;
  std::unordered_map<Var, std::int64_t> offset_;
  std::int64_t bytes_ = 0;  // of a task
  std::map<Kind, Var> by_kind_;
};

}  // namespace

std::vector<Scratch> place_global(Kernel& kernel) {
  return Places(kernel)();
}

}  // namespace fulgurite::tidy
