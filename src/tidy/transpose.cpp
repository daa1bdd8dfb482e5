#include "tidy/transpose.h"

#include <cstdlib>
#include <unordered_map>

#include "base/match.h"
#include "kernel/traverse.h"

namespace fulgurite::tidy {

namespace {

using namespace kernel;

class Runs {
 public:
  Runs(Arena& arena, std::int64_t ahead) : arena_(arena), ahead_(ahead) {}

  Block block(const Block& body) {
    Block out;
    for (const Stm& s : body) {
      Parts parts;
      parts.block = [&](const Block& inner) { return block(inner); };
      Stm mapped = map_children(s, parts);
      if (auto* loop = std::get_if<For>(&mapped.op)) transpose(*loop, out);
      out.push_back(std::move(mapped));
    }
    return out;
  }

 private:
  // The loads of the loop's rounds from transposed tiles, which are appended to what stands in front of it.
  void transpose(For& loop, Block& before) {
    if (!loop.begin.is_constant(0) || !loop.end.is_constant() || !loop.step.is_constant(1)) return;
    const auto steps = static_cast<std::int64_t>(loop.end.bits());
    if (steps < 2 || steps > 16 || (steps & (steps - 1)) != 0) return;
    const Names names = names_of(loop.body);
    std::unordered_map<Var, Expr> definitions;
    for (Stm& s : loop.body) {
      if (const auto* let = std::get_if<Let>(&s.op); let && let->value.type() == Type{Kind::i64})
        definitions[let->name] = scalar::substitute(arena_, let->value, definitions);
      auto* load = std::get_if<Load>(&s.op);
      if (!load || load->from.mask || load->from.index.type().lanes > 1) continue;
      const Type type = arena_.info(load->name).type;
      if (type.lanes < steps || !is_long(load->from.stride, steps) ||
          mentions_any(load->from.stride, names.binds) || mentions_any(load->from.stride, names.assigns) ||
          names.stores.contains(load->from.buffer))
        continue;
      const auto place =
          scalar::affine_in(arena_, scalar::substitute(arena_, load->from.index, definitions), loop.name);
      if (!place || mentions_any(place->base, names.binds) || mentions_any(place->base, names.assigns))
        continue;
      const bool is_backwards = place->coefficient.is_constant(-1);
      if (!is_backwards && !place->coefficient.is_constant(1)) continue;
      const Expr last = arena_.i64(steps - 1), round = arena_.name(loop.name);
      const Expr size = arena_.i64(steps * type.lanes), lanes = arena_.i64(type.lanes);
      const Var tile =
          arena_.fresh_array(type.kind, {size}, arena_.info(load->from.buffer).name + "_tile").var();
      before.push_back({Allocate{tile, Space::thread, size}});
      before.push_back({Transpose{tile,
                                  {load->from.buffer,
                                   is_backwards ? arena_.sub(place->base, last) : place->base,
                                   load->from.stride,
                                   {}},
                                  type.lanes,
                                  static_cast<std::int32_t>(steps),
                                  ahead_}});
      const Expr row = is_backwards ? arena_.sub(last, round) : round;
      load->from = {tile, arena_.mul(row, lanes), arena_.i64(1), {}};
    }
  }

  // Runs that do not overlap, as far as is known.
  static bool is_long(Expr stride, std::int64_t steps) {
    return stride && (!stride.is_constant() || std::abs(static_cast<std::int64_t>(stride.bits())) >= steps);
  }

  bool mentions_any(Expr e, const std::set<Var>& names) const {
    bool found = false;
    scalar::for_each_node(std::span(&e, 1),
                          [&](Expr node) { found |= node.is_name() && names.contains(node.var()); });
    return found;
  }

  Arena& arena_;
  std::int64_t ahead_;
};

}  // namespace

Kernel transpose_runs(Kernel kernel, std::int64_t ahead) {
  kernel.body = Runs(*kernel.arena, ahead).block(kernel.body);
  return kernel;
}

}  // namespace fulgurite::tidy
