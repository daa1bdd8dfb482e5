#include "tidy/kept_runs.h"

#include <algorithm>
#include <unordered_map>

#include "base/match.h"
#include "kernel/traverse.h"

namespace fulgurite::tidy {

namespace {

using namespace kernel;
using base::as;

// The bytes that a loop keeps in the first cache, and the points of a run that make this worth it.
constexpr std::int64_t most_bytes = 16384, most_points = 64;

class KeptRuns {
 public:
  explicit KeptRuns(Arena& arena) : arena_(arena) {}

  Block block(const Block& body) {
    Block out;
    for (const Stm& s : body) {
      Stm kept = s;
      if (auto* loop = std::get_if<For>(&kept.op)) keep(*loop, out);
      Parts parts;
      parts.block = [&](const Block& inner) { return block(inner); };
      out.push_back(map_children(kept, parts));
    }
    return out;
  }

 private:
  using Definitions = std::unordered_map<Var, Expr>;

  /// A Transpose at a place of a block that reads the same whatever the outer loop's round is.
  struct Run {
    std::size_t place;
    Var tile;
    Expr base;  // of its index: what the loop over pieces does not change
  };

  void keep(For& loop, Block& before) {
    const Names changed = names_of(loop.body);
    Block body;
    for (Stm& s : loop.body) {
      auto* pieces = std::get_if<For>(&s.op);
      if (!pieces || !keep_pieces(loop, changed, *pieces, before, body)) body.push_back(std::move(s));
    }
    loop.body = std::move(body);
    keep_whole(loop, before);
  }

  // ---- runs of a length that is known

  void keep_whole(For& loop, Block& before) {
    const std::vector<Run> runs = runs_of(loop, names_of(loop.body), loop.body, nullptr);
    std::int64_t bytes = 0;
    for (const Run& run : runs) {
      const auto& t = std::get<Transpose>(loop.body[run.place].op);
      bytes += t.steps * bytes_of_vector(t);
    }
    if (runs.empty() || bytes > most_bytes) return;
    Block allocations, moved, rest;
    for (std::size_t place = 0; place < loop.body.size(); ++place) {
      Stm& s = loop.body[place];
      const auto is_of = [&](Var tile) { return std::ranges::find(runs, tile, &Run::tile) != runs.end(); };
      const auto* allocate = std::get_if<Allocate>(&s.op);
      const auto run = std::ranges::find(runs, place, &Run::place);
      if (allocate && is_of(allocate->buffer)) {
        allocations.push_back(std::move(s));
      } else if (run != runs.end()) {
        std::get<Transpose>(s.op).from.index = run->base;
        moved.push_back(std::move(s));
      } else {
        rest.push_back(std::move(s));
      }
    }
    loop.body = std::move(rest);
    for (Stm& s : allocations) before.push_back(std::move(s));
    before.push_back({If{bind(loop.begin < loop.end, "has_rounds", before), std::move(moved), {}}});
  }

  // ---- runs that are read piece by piece

  bool keep_pieces(const For& loop, const Names& changed, const For& pieces, Block& before, Block& body) {
    if (!pieces.begin.is_constant(0) || !pieces.step.is_constant() || is_changed(changed, pieces.end) ||
        mentions(pieces.end, loop.name))
      return false;
    const auto step = static_cast<std::int64_t>(pieces.step.bits());
    const std::vector<Run> runs = runs_of(loop, changed, pieces.body, &pieces);
    std::int64_t bytes = 0;
    for (const Run& run : runs) {
      const auto& t = std::get<Transpose>(pieces.body[run.place].op);
      bytes += bytes_of_vector(t);
      if (t.steps > step) return false;
    }
    if (runs.empty()) return false;
    const std::int64_t room = std::min(most_points, most_bytes / bytes) / step * step;
    if (room == 0) return false;
    const Expr has_rounds = loop.begin < loop.end;
    const Expr end =
        bind(select(has_rounds, min(pieces.end, arena_.i64(room)), arena_.i64(0)), "kept", before);
    std::unordered_map<Var, Var> kept;
    for (const Run& run : runs) {
      const auto& t = std::get<Transpose>(pieces.body[run.place].op);
      const Kind kind = arena_.info(run.tile).type.kind;
      const Expr size = arena_.i64(room * t.lanes);
      const Var memory = arena_.fresh_array(kind, {size}, arena_.info(t.from.buffer).name + "_kept").var();
      before.push_back({Allocate{memory, Space::thread, size}});
      kept.emplace(run.tile, memory);
    }
    before.push_back({copies(pieces, runs, kept, end)});
    body.push_back({from_memory(pieces, runs, kept, end)});
    // The rest of the run as before.
    For rest = pieces;
    rest.begin = end;
    for (Stm& s : refresh(arena_, {Stm{std::move(rest)}})) body.push_back(std::move(s));
    return true;
  }

  // Transposes all pieces and keeps their vectors.
  For copies(const For& pieces, const std::vector<Run>& runs, const std::unordered_map<Var, Var>& kept,
             Expr end) {
    const Expr from = arena_.fresh({Kind::i64}, arena_.info(pieces.name).name);
    Block body;
    for (const Run& run : runs) {
      Transpose t = std::get<Transpose>(pieces.body[run.place].op);
      Type type{arena_.info(run.tile).type.kind};
      type.lanes = static_cast<decltype(type.lanes)>(t.lanes);
      const Expr size = arena_.i64(std::int64_t{t.steps} * t.lanes);
      t.tile = arena_.fresh_array(type.kind, {size}, arena_.info(t.from.buffer).name + "_tile").var();
      t.from.index = run.base + from;
      body.push_back({Allocate{t.tile, Space::thread, size}});
      body.push_back({t});
      for (std::int64_t k = 0; k < t.steps; ++k) {
        const Expr value = arena_.fresh(type, "piece");
        body.push_back({Load{value.var(), {t.tile, arena_.i64(k * t.lanes), arena_.i64(1), {}}}});
        const Expr place = (from + k) * std::int64_t{t.lanes};
        body.push_back({Store{{kept.at(run.tile), place, arena_.i64(1), {}}, value}});
      }
    }
    return {from.var(), arena_.i64(0), end, pieces.step, std::move(body)};
  }

  // The same loop over the pieces whose vectors are kept.
  For from_memory(const For& pieces, const std::vector<Run>& runs, const std::unordered_map<Var, Var>& kept,
                  Expr end) {
    std::unordered_map<Var, std::int64_t> lanes;
    Block body;
    for (std::size_t place = 0; place < pieces.body.size(); ++place) {
      const Stm& s = pieces.body[place];
      const auto* allocate = std::get_if<Allocate>(&s.op);
      if (std::ranges::find(runs, place, &Run::place) != runs.end()) {
        const auto& t = std::get<Transpose>(s.op);
        lanes.emplace(t.tile, t.lanes);
      } else if (!allocate || !kept.contains(allocate->buffer)) {
        body.push_back(s);
      }
    }
    const std::function<Block(const Block&)> moved = [&](const Block& block) {
      Block out;
      for (const Stm& s : block) {
        Parts inner;
        inner.block = moved;
        Stm mapped = map_children(s, inner);
        if (auto* load = std::get_if<Load>(&mapped.op))
          if (const auto found = kept.find(load->from.buffer); found != kept.end()) {
            load->from.index = arena_.name(pieces.name) * lanes.at(found->first) + load->from.index;
            load->from.buffer = found->second;
          }
        out.push_back(std::move(mapped));
      }
      return out;
    };
    return {pieces.name, pieces.begin, end, pieces.step, moved(body)};
  }

  // ---- which

  // The runs that Transposes of a block in the loop read to memory of the block; the index of each is base +
  // the number of its piece.
  std::vector<Run> runs_of(const For& loop, const Names& changed, const Block& block, const For* pieces) {
    std::vector<Run> runs;
    Definitions definitions;
    std::set<Var> own;
    for (std::size_t place = 0; place < block.size(); ++place) {
      const Stm& s = block[place];
      if (const auto* allocate = std::get_if<Allocate>(&s.op)) own.insert(allocate->buffer);
      if (const auto* let = std::get_if<Let>(&s.op); let && let->value.type() == Type{Kind::i64})
        definitions[let->name] = scalar::substitute(arena_, let->value, definitions);
      const auto* t = std::get_if<Transpose>(&s.op);
      if (!t || !own.contains(t->tile) || changed.stores.contains(t->from.buffer)) continue;
      Expr base = scalar::substitute(arena_, t->from.index, definitions);
      if (pieces) {
        const auto index = scalar::affine_in(arena_, base, pieces->name);
        if (!index || !index->coefficient.is_constant(1)) continue;
        base = index->base;
      }
      const auto varies = [&](Expr e) { return is_changed(changed, e) || mentions(e, loop.name); };
      if (!varies(base) && !varies(t->from.stride)) runs.push_back({place, t->tile, base});
    }
    // Several pieces of one memory, or other stores to it, would have to stay in their order.
    const auto is_filled_once = [&](const Run& run) {
      int n = 0;
      for_each_stm(block, [&](const Stm& s) {
        const auto* other = std::get_if<Transpose>(&s.op);
        const auto* store = std::get_if<Store>(&s.op);
        n += (other && other->tile == run.tile) || (store && store->to.buffer == run.tile);
      });
      return n == 1;
    };
    std::erase_if(runs, [&](const Run& run) { return !is_filled_once(run); });
    return runs;
  }

  std::int64_t bytes_of_vector(const Transpose& t) const {
    return t.lanes * static_cast<std::int64_t>(size_of(arena_.info(t.tile).type.kind));
  }

  Expr bind(Expr value, const char* name, Block& block) {
    if (value.is_constant() || value.is_name()) return value;
    const Expr bound = arena_.fresh(value.type(), name);
    block.push_back({Let{bound.var(), value}});
    return bound;
  }

  Arena& arena_;
};

}  // namespace

const kernel::Pass keep_runs{
    .name = "keep_runs",
    .description = "runs that a loop transposes anew in each of its rounds are transposed before it",
    .run = kernel::on_body<[](Arena& arena, const Block& body) { return KeptRuns(arena).block(body); }>,
    .is_optional = true};

}  // namespace fulgurite::tidy
