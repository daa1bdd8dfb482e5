#include "tidy/transpose.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

#include "base/match.h"
#include "kernel/traverse.h"

namespace fulgurite::tidy {

namespace {

using namespace kernel;

constexpr std::int64_t most_steps = 16, piece_bytes = 16, row_bytes = 32;
// Statements of a round that is unrolled, and of all rounds that loops of any length take together.
constexpr std::size_t most_unrolled = 100, most_repeated = 160;

class Runs {
 public:
  Runs(Arena& arena, std::int32_t width, std::int64_t ahead) : arena_(arena), width_(width), ahead_(ahead) {}

  Block block(const Block& body) {
    Block out;
    for (const Stm& s : body) {
      Parts parts;
      parts.block = [&](const Block& inner) { return block(inner); };
      Stm mapped = map_children(s, parts);
      if (const auto* let = std::get_if<Let>(&s.op); let && let->value.op() == scalar::Op::select)
        selected_.emplace(let->name, let->value);
      const auto* loop = std::get_if<For>(&mapped.op);
      if (!loop || (!transpose(*loop, out) && !take_together(*loop, out))) out.push_back(std::move(mapped));
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
    if (statements_in(loop.body) > most_unrolled) {
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
      unroll(loop.name, body, first, first + at_once, out);
    }
    return true;
  }

  static std::size_t statements_in(const Block& body) {
    std::size_t n = 0;
    for_each_stm(body, [&](const Stm&) { ++n; });
    return n;
  }
  void unroll(Var name, const Block& body, std::int64_t first, std::int64_t end, Block& out) {
    for (std::int64_t round = first; round < end; ++round)
      for (Stm& s : refresh(arena_, substitute(arena_, body, {{name, arena_.i64(round)}})))
        out.push_back(std::move(s));
  }

  // ---- loops of any number of rounds

  // The loop with some rounds together, whose loads transpose() finds and whose stores wait until all of them
  // are known, and with the rest one by one.
  bool take_together(const For& original, Block& out) {
    if (width_ < 2 || !original.begin.is_constant(0) || !original.step.is_constant(1) ||
        original.end.is_constant())
      return false;
    const For loop{original.name, original.begin, original.end, original.step, body_of_round(original)};
    const std::vector<Run> loads = runs_of(loop, 2), stores = stored_runs_of(loop);
    if (loads.empty() && stores.empty()) return false;
    std::int64_t n = most_steps;
    for (const Run& run : loads) n = std::min(n, elements_in(run, piece_bytes));
    for (const Run& run : stores) n = std::min(n, elements_in(run, row_bytes));
    if (n < 2 || statements_in(loop.body) * static_cast<std::size_t>(n) > most_repeated) return false;
    Expr whole = loop.end / n * n;
    for (const Run& run : stores) whole = select(arena_.i64(n) <= run.first.stride, whole, arena_.i64(0));
    const Expr end = arena_.fresh({Kind::i64}, "whole"), begin = arena_.fresh({Kind::i64}, "first");
    const Expr round = arena_.fresh({Kind::i64}, "round");
    For rounds{round.var(), arena_.i64(0), arena_.i64(n), arena_.i64(1), loop.body};
    Block together, afterwards;
    for (const Run& run : stores) store_later(run, n, round, begin, rounds.body, together, afterwards);
    rounds.body = refresh(arena_, substitute(arena_, rounds.body, {{loop.name, begin + round}}));
    if (!transpose(rounds, together)) unroll(rounds.name, rounds.body, 0, n, together);
    for (Stm& s : afterwards) together.push_back(std::move(s));
    out.push_back({Let{end.var(), whole}});
    out.push_back({For{begin.var(), arena_.i64(0), end, arena_.i64(n), std::move(together)}});
    For rest = original;
    rest.begin = end;
    out.push_back({std::move(rest)});
    return true;
  }

  // What holds whenever there are rounds is known in them; inner loops of one round are no loops.
  Block body_of_round(const For& loop) {
    Block body = loop.body;
    Expr end = loop.end;
    if (const auto found = end.is_name() ? selected_.find(end.var()) : selected_.end();
        found != selected_.end())
      end = found->second;
    if (end.op() == scalar::Op::select && end.arg(0).is_name() && end.arg(2).is_constant(0))
      body = substitute(arena_, body, {{end.arg(0).var(), arena_.boolean(true)}});
    Block out;
    add_flat(body, out);
    for (Stm& s : out)
      if (auto* load = std::get_if<Load>(&s.op);
          load && load->from.mask && Expr(all(load->from.mask)).is_constant(1))
        load->from.mask = {};
    return out;
  }
  void add_flat(const Block& body, Block& out) {
    for (const Stm& s : body) {
      const auto* loop = std::get_if<For>(&s.op);
      if (loop && loop->begin.is_constant(0) && loop->end.is_constant(1) && loop->step.is_constant(1))
        add_flat(substitute(arena_, loop->body, {{loop->name, loop->begin}}), out);
      else
        out.push_back(s);
    }
  }

  std::int64_t elements_in(const Run& run, std::int64_t bytes) const {
    return std::min(most_steps, bytes / static_cast<std::int64_t>(size_of(run.type.kind)));
  }

  // Runs of memory that nothing else in the loop reads or stores.
  std::vector<Run> stored_runs_of(const For& loop) {
    std::vector<Run> runs;
    const Names names = names_of(loop.body);
    const std::unordered_map<Var, Expr> definitions = definitions_in(loop.body);
    for (std::size_t place = 0; place < loop.body.size(); ++place) {
      const auto* store = std::get_if<Store>(&loop.body[place].op);
      if (!store || store->to.mask || store->streaming || store->to.index.type().lanes > 1) continue;
      const Type type = store->value.type();
      const Expr stride = store->to.stride;
      if (type.lanes < 4 || type.lanes > most_steps || !stride || stride.is_constant(1) ||
          is_changed(names, stride) || mentions(stride, loop.name) || names.reads.contains(store->to.buffer))
        continue;
      std::size_t n_stores = 0;
      for_each_stm(loop.body,
                   [&](const Stm& s) { n_stores += names_of({s}).stores.contains(store->to.buffer); });
      const auto index =
          scalar::affine_in(arena_, scalar::substitute(arena_, store->to.index, definitions), loop.name);
      if (n_stores != 1 || !index || !index->coefficient.is_constant(1) || is_changed(names, index->base))
        continue;
      runs.push_back({place, type, {store->to.buffer, index->base, stride, {}}, false});
    }
    return runs;
  }

  // Round k stores vector k of a tile, of which each lane's run is stored after the rounds.
  void store_later(const Run& run, std::int64_t n, Expr round, Expr begin, Block& body, Block& before,
                   Block& afterwards) {
    const std::int64_t lanes = run.type.lanes;
    const Expr size = arena_.i64(n * lanes);
    const auto tile = [&](const char* name, Block& block) {
      const Var made =
          arena_.fresh_array(run.type.kind, {size}, arena_.info(run.first.buffer).name + name).var();
      block.push_back({Allocate{made, Space::thread, size}});
      return made;
    };
    const Var columns = tile("_columns", before), rows = tile("_rows", afterwards);
    std::get<Store>(body[run.place].op).to = {columns, round * lanes, arena_.i64(1), {}};
    const auto width = static_cast<std::int32_t>(n);
    afterwards.push_back({Transpose{rows,
                                    {columns, arena_.i64(0), arena_.i64(lanes), {}},
                                    width,
                                    std::min(width, width_),
                                    static_cast<std::int32_t>(lanes),
                                    0}});
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      const Expr row = arena_.fresh({run.type.kind, 0, static_cast<std::uint16_t>(n)}, "row");
      afterwards.push_back({Load{row.var(), {rows, arena_.i64(lane * n), arena_.i64(1), {}}}});
      const Expr index = run.first.index + begin + run.first.stride * lane;
      afterwards.push_back({Store{{run.first.buffer, index, arena_.i64(1), {}}, row}});
    }
  }

  // ---- loops of a constant number of rounds

  std::unordered_map<Var, Expr> definitions_in(const Block& body) {
    std::unordered_map<Var, Expr> definitions;
    for (const Stm& s : body)
      if (const auto* let = std::get_if<Let>(&s.op); let && let->value.type() == Type{Kind::i64})
        definitions[let->name] = scalar::substitute(arena_, let->value, definitions);
    return definitions;
  }

  std::vector<Run> runs_of(const For& loop, std::int64_t rounds) {
    std::vector<Run> runs;
    const Names names = names_of(loop.body);
    const std::unordered_map<Var, Expr> definitions = definitions_in(loop.body);
    for (std::size_t place = 0; place < loop.body.size(); ++place) {
      const auto* load = std::get_if<Load>(&loop.body[place].op);
      if (!load || load->from.mask || load->from.index.type().lanes > 1) continue;
      const Type type = arena_.info(load->name).type;
      if (type.lanes < 2 || !is_long(load->from.stride, rounds) || is_changed(names, load->from.stride) ||
          mentions(load->from.stride, loop.name) || names.stores.contains(load->from.buffer))
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
  // Names of choices, which the ends of loops are.
  std::unordered_map<Var, Expr> selected_;
};

}  // namespace

const kernel::Pass transpose_runs{
    .name = "transpose_runs",
    .description = "runs of memory that lanes read side by side are loaded by vectors and transposed",
    .run = kernel::on_body<[](Arena& arena, const Block& body, const PassOptions& options) {
      return Runs(arena, options.transposed_lanes, options.ahead).block(body);
    }>,
    .is_optional = true};

}  // namespace fulgurite::tidy
