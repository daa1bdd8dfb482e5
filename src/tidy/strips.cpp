#include "tidy/strips.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "base/check.h"
#include "kernel/traverse.h"
#include "scalar/value.h"
#include "tidy/thread_forms.h"

namespace fulgurite::tidy {
namespace {

using namespace kernel;
using scalar::Op;

constexpr int fewest_lanes = 4, most_lanes = 64;

class Strips {
 public:
  Strips(Arena& arena, int vector_bytes) : arena_(arena), vector_bytes_(vector_bytes) {}

  Block operator()(const Block& body) {
    Block out;
    for (const Stm& s : body) statement(s, out);
    return out;
  }

 private:
  // A block of more threads than a GPU has is a loop over as many as it has (fold_blocks.h). Strips of all of
  // them come in the order in which those of the rounds do, and their indices have simpler forms.
  std::optional<Stm> unfolded(const For& rounds, std::uint32_t line) {
    const auto* par = rounds.body.size() == 1 ? std::get_if<Par>(&rounds.body[0].op) : nullptr;
    if (par == nullptr || par->level != Level::block || rounds.step != par->n || !rounds.step.is_constant() ||
        !rounds.end.is_constant() || rounds.begin != arena_.i64(0))
      return {};
    const auto n = static_cast<std::int64_t>(par->n.bits()),
               all = static_cast<std::int64_t>(rounds.end.bits());
    if (all % n != 0 || n % lanes_of(par->body) != 0) return {};
    const Expr instance = arena_.fresh({Kind::i64}, arena_.info(par->name).name);
    const Expr in_round = instance - arena_.name(rounds.name);
    Block body = substitute(arena_, par->body, {{par->name, in_round}});
    if (names_of(body).reads.contains(rounds.name)) return {};
    return Stm{Par{Level::block, instance.var(), rounds.end, std::move(body)}, line};
  }

  void statement(const Stm& s, Block& out) {
    if (std::holds_alternative<Sync>(s.op)) return;
    if (const auto* rounds = std::get_if<For>(&s.op))
      if (const auto all = unfolded(*rounds, s.line)) return statement(*all, out);
    if (const auto* array = std::get_if<Allocate>(&s.op); array && array->space == Space::shared)
      shared_.insert(array->buffer);
    const auto* par = std::get_if<Par>(&s.op);
    if (par == nullptr || par->level != Level::block) {
      Parts parts;
      parts.block = [&](const Block& b) { return (*this)(b); };
      out.push_back(map_children(s, parts));
      return;
    }
    const auto n = static_cast<std::int64_t>(par->n.bits());
    if (takes_turns(par->body)) return one_by_one(s, *par, out);
    const std::int64_t lanes = std::min<std::int64_t>(lanes_of(par->body), round_up(n));
    if (n == lanes) {
      out.push_back(
          {Par{par->level, par->name, par->n, by_lanes(par->body, arena_.name(par->name), lanes)}, s.line});
      return;
    }
    const std::int64_t whole = n / lanes * lanes;
    if (whole > 0) {
      Expr strip = arena_.fresh({Kind::i64}, "strip");
      Block body{strip_of(s, *par, strip, lanes, {})};
      out.push_back(
          {For{strip.var(), arena_.i64(0), arena_.i64(whole), arena_.i64(lanes), std::move(body)}, s.line});
    }
    if (whole < n) {
      const Block rest = whole > 0 ? refresh(arena_, par->body) : par->body;
      out.push_back(
          strip_of(s, {par->level, par->name, par->n, rest}, arena_.i64(whole), lanes, arena_.i64(n)));
    }
  }

  static std::int64_t round_up(std::int64_t n) {
    std::int64_t power = 1;
    while (power < n) power *= 2;
    return power;
  }

  // Par(lanes) of the instances from `first` on that are before `end`.
  Stm strip_of(const Stm& s, const Par& par, Expr first, std::int64_t lanes, Expr end) {
    Expr lane = arena_.fresh({Kind::i64}, "lane");
    Expr thread = arena_.fresh({Kind::i64}, arena_.info(par.name).name);
    // What the strip adds and what the lane adds: an index that goes with the lane is a vector of neighbours.
    const Form form = [&](Expr e, std::span<const scalar::Bits> v) -> Expr {
      if (e.kind() != Kind::i64 || static_cast<std::int64_t>(v.size()) < lanes) return {};
      std::vector<std::int64_t> of_lane;
      for (std::int64_t l = 0; l < lanes; ++l)
        of_lane.push_back(static_cast<std::int64_t>(v[static_cast<std::size_t>(l)] - v[0]));
      for (std::size_t t = 0; t < v.size(); ++t) {
        const std::size_t l = t % of_lane.size();
        if (static_cast<std::int64_t>(v[t] - v[t - l]) != of_lane[l]) return {};
      }
      const bool is_affine = std::ranges::adjacent_find(of_lane, [&](std::int64_t a, std::int64_t b) {
                               return b - a != of_lane[1];
                             }) == of_lane.end();
      const std::int64_t least = is_affine ? 0 : std::ranges::min(of_lane);
      std::vector<scalar::Bits> from_least;
      for (std::int64_t offset : of_lane) from_least.push_back(static_cast<scalar::Bits>(offset - least));
      const Expr by_lane = form_of(arena_, from_least, Kind::i64, lane);
      if (!by_lane) return {};
      Expr of_strip = scalar::substitute(arena_, e, {{par.name, first}});
      if (const Expr regular = of_first_lanes(v, lanes, first)) of_strip = regular;
      return of_strip + least + by_lane;
    };
    Block body = in_forms(arena_, par.body, par.name, static_cast<std::int64_t>(par.n.bits()), form);
    body = by_lanes(substitute(arena_, body, {{par.name, thread}}), lane, lanes);
    if (end) body = {{If{thread < end, std::move(body), {}}, s.line}};
    body.insert(body.begin(), {Let{thread.var(), first + lane}, s.line});
    return {Par{Level::block, lane.var(), arena_.i64(lanes), std::move(body)}, s.line};
  }

  // An array of a thread becomes one of the lanes, whose elements of one number are neighbours.
  Block by_lanes(const Block& body, Expr lane, std::int64_t lanes) {
    std::unordered_set<Var> own;
    for_each_stm(body, [&](const Stm& s) {
      if (const auto* array = std::get_if<Allocate>(&s.op)) own.insert(array->buffer);
    });
    return own.empty() || lanes == 1 ? body : by_lanes(body, own, lane, arena_.i64(lanes));
  }
  Block by_lanes(const Block& body, const std::unordered_set<Var>& own, Expr lane, Expr lanes) {
    const auto place = [&](Access& access) {
      if (own.contains(access.buffer)) access.index = access.index * lanes + lane;
    };
    Parts parts;
    parts.block = [&](const Block& inner) { return by_lanes(inner, own, lane, lanes); };
    Block out;
    for (const Stm& s : body) {
      Stm changed = map_children(s, parts);
      if (auto* array = std::get_if<Allocate>(&changed.op)) array->n = array->n * lanes;
      if (auto* load = std::get_if<Load>(&changed.op)) place(load->from);
      if (auto* store = std::get_if<Store>(&changed.op)) place(store->to);
      out.push_back(std::move(changed));
    }
    return out;
  }

  // The function for the first lanes of strips, if each strip adds as much.
  Expr of_first_lanes(std::span<const scalar::Bits> v, std::int64_t lanes, Expr first) {
    const auto step = static_cast<std::size_t>(lanes);
    if (v.size() <= step) return {};
    const auto each = static_cast<std::int64_t>(v[step] - v[0]);
    if (each % lanes != 0) return {};
    for (std::size_t t = step; t < v.size(); t += step)
      if (static_cast<std::int64_t>(v[t] - v[t - step]) != each) return {};
    return first * (each / lanes) + static_cast<std::int64_t>(v[0]);
  }

  std::int64_t lanes_of(const Block& body) const {
    std::size_t widest = 1;
    const auto meet = [&](Var buffer) { widest = std::max(widest, size_of(arena_.info(buffer).type.kind)); };
    for_each_stm(body, [&](const Stm& s) {
      if (const auto* load = std::get_if<Load>(&s.op)) meet(load->from.buffer);
      if (const auto* store = std::get_if<Store>(&s.op)) meet(store->to.buffer);
    });
    return std::clamp<std::int64_t>(vector_bytes_ / static_cast<std::int64_t>(widest), fewest_lanes,
                                    most_lanes);
  }

  static bool takes_turns(const Block& body) {
    bool found = false;
    for_each_stm(body, [&](const Stm& s) { found |= std::holds_alternative<Atomic>(s.op); });
    return found;
  }

  void one_by_one(const Stm& s, const Par& par, Block& out) {
    Parts parts;
    parts.block = [&](const Block& b) {
      Block changed;
      for (const Stm& inner : b) plain(map_children(inner, parts), changed);
      return changed;
    };
    out.push_back({For{par.name, arena_.i64(0), par.n, arena_.i64(1), parts.block(par.body)}, s.line});
  }

  // The block's own memory needs no atomic operation.
  void plain(Stm s, Block& out) {
    const auto* op = std::get_if<Atomic>(&s.op);
    if (op == nullptr || !shared_.contains(op->at.buffer)) {
      out.push_back(std::move(s));
      return;
    }
    const Type type{arena_.info(op->at.buffer).type.kind};
    const Expr old = op->name ? arena_.name(*op->name) : arena_.fresh(type, "old");
    Expr mask = op->at.mask;
    if (op->what == Atomic::What::compare_exchange) {
      const Expr is_expected = equal(old, op->expected);
      mask = mask ? mask & is_expected : is_expected;
    }
    out.push_back({Load{old.var(), op->at}, s.line});
    out.push_back(
        {Store{{op->at.buffer, op->at.index, op->at.stride, mask}, made_of(*op, old), false}, s.line});
  }
  Expr made_of(const Atomic& op, Expr old) {
    using What = Atomic::What;
    switch (op.what) {
      case What::add: return old + op.value;
      case What::min: return min(old, op.value);
      case What::max: return max(old, op.value);
      case What::bit_and: return old & op.value;
      case What::bit_or: return old | op.value;
      case What::bit_xor: return arena_.apply(Op::bit_xor, {old, op.value});
      case What::exchange:
      case What::compare_exchange: return op.value;
    }
    FULGURITE_CHECK(false, "an unknown atomic operation");
    return {};
  }

  Arena& arena_;
  const int vector_bytes_;
  std::unordered_set<Var> shared_;
};

}  // namespace

const kernel::Pass strips{
    .name = "strips",
    .description = "each Par(block) becomes a loop over strips of as many instances as a vector has lanes",
    .run = kernel::on_body<[](Arena& arena, const Block& body, const PassOptions& options) {
      return Strips(arena, options.vector_bytes)(body);
    }>};

}  // namespace fulgurite::tidy
