#include "tidy/transpose.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

#include "base/match.h"
#include "kernel/traverse.h"

namespace fulgurite::tidy {

namespace {

using namespace kernel;

constexpr std::int64_t most_steps = 16, piece_bytes = 16;
constexpr std::size_t most_unrolled = 100;  // statements of a round

class Runs {
 public:
  Runs(Arena& arena, std::int32_t width, std::int64_t ahead) : arena_(arena), width_(width), ahead_(ahead) {}

  Block block(const Block& body) {
    Block out;
    for (const Stm& s : body) {
      Parts parts;
      parts.block = [&](const Block& inner) { return block(inner); };
      Stm mapped = map_children(s, parts);
      const auto* loop = std::get_if<For>(&mapped.op);
      if (!loop || !transpose(*loop, out)) out.push_back(std::move(mapped));
    }
    return out;
  }

 private:
  struct Run {
    std::size_t place;  // of the load in the loop's body
    Type type;
    Access first;  // what the first round reads
    bool is_backwards;
  };

  // The loop with its rounds' loads from transposed tiles, if there are such loads.
  bool transpose(const For& loop, Block& out) {
    if (!loop.begin.is_constant(0) || !loop.end.is_constant() || !loop.step.is_constant(1)) return false;
    const auto rounds = static_cast<std::int64_t>(loop.end.bits());
    if (width_ < 2 || rounds < 2 || rounds > most_steps || (rounds & (rounds - 1)) != 0) return false;
    const std::vector<Run> runs = runs_of(loop, rounds);
    if (runs.empty()) return false;
    std::size_t statements = 0;
    for_each_stm(loop.body, [&](const Stm&) { ++statements; });
    if (statements > most_unrolled) {
      Block body = loop.body;
      from_tiles(runs, 0, rounds, arena_.name(loop.name), body, out);
      out.push_back({For{loop.name, loop.begin, loop.end, loop.step, std::move(body)}});
      return true;
    }
    std::int64_t at_once = 1;
    for (const Run& run : runs)
      at_once = std::max(at_once,
                         std::min(rounds, piece_bytes / static_cast<std::int64_t>(size_of(run.type.kind))));
    for (std::int64_t first = 0; first < rounds; first += at_once) {
      Block body = loop.body;
      from_tiles(runs, first, at_once, arena_.name(loop.name), body, out);
      for (std::int64_t round = first; round < first + at_once; ++round)
        for (Stm& s : refresh(arena_, substitute(arena_, body, {{loop.name, arena_.i64(round)}})))
          out.push_back(std::move(s));
    }
    return true;
  }

  std::vector<Run> runs_of(const For& loop, std::int64_t rounds) {
    std::vector<Run> runs;
    const Names names = names_of(loop.body);
    std::unordered_map<Var, Expr> definitions;
    for (std::size_t place = 0; place < loop.body.size(); ++place) {
      const Stm& s = loop.body[place];
      if (const auto* let = std::get_if<Let>(&s.op); let && let->value.type() == Type{Kind::i64})
        definitions[let->name] = scalar::substitute(arena_, let->value, definitions);
      const auto* load = std::get_if<Load>(&s.op);
      if (!load || load->from.mask || load->from.index.type().lanes > 1) continue;
      const Type type = arena_.info(load->name).type;
      if (type.lanes < 2 || !is_long(load->from.stride, rounds) || is_changed(names, load->from.stride) ||
          names.stores.contains(load->from.buffer))
        continue;
      const auto index =
          scalar::affine_in(arena_, scalar::substitute(arena_, load->from.index, definitions), loop.name);
      if (!index || is_changed(names, index->base)) continue;
      const bool is_backwards = index->coefficient.is_constant(-1);
      if (!is_backwards && !index->coefficient.is_constant(1)) continue;
      runs.push_back({place, type, {load->from.buffer, index->base, load->from.stride, {}}, is_backwards});
    }
    return runs;
  }

  // Tiles of what the rounds [first, first + n) read, and the body that loads from them.
  void from_tiles(const std::vector<Run>& runs, std::int64_t first, std::int64_t n, Expr round, Block& body,
                  Block& before) {
    const Expr begin = arena_.i64(first), last = arena_.i64(first + n - 1);
    for (const Run& run : runs) {
      const Expr size = arena_.i64(n * run.type.lanes), lanes = arena_.i64(run.type.lanes);
      const Var tile =
          arena_.fresh_array(run.type.kind, {size}, arena_.info(run.first.buffer).name + "_tile").var();
      Access from = run.first;
      from.index = run.is_backwards ? from.index - last : from.index + begin;
      before.push_back({Allocate{tile, Space::thread, size}});
      before.push_back({Transpose{tile, from, run.type.lanes, std::min<std::int32_t>(run.type.lanes, width_),
                                  static_cast<std::int32_t>(n), first == 0 ? ahead_ : 0}});
      const Expr row = run.is_backwards ? last - round : round - begin;
      std::get<Load>(body[run.place].op).from = {tile, row * lanes, arena_.i64(1), {}};
    }
  }

  // Runs that do not overlap, as far as is known.
  static bool is_long(Expr stride, std::int64_t rounds) {
    return stride && (!stride.is_constant() || std::abs(static_cast<std::int64_t>(stride.bits())) >= rounds);
  }

  Arena& arena_;
  std::int32_t width_;
  std::int64_t ahead_;
};

Kernel run_transpose_runs(Kernel kernel, const PassOptions& options) {
  kernel.body = Runs(*kernel.arena, options.transposed_lanes, options.ahead).block(kernel.body);
  return kernel;
}

}  // namespace

const kernel::Pass transpose_runs{
    .name = "transpose_runs",
    .description = "runs of memory that lanes read side by side are loaded by vectors and transposed",
    .run = run_transpose_runs,
    .is_optional = true};

}  // namespace fulgurite::tidy
