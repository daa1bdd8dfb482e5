#include "tidy/permutes.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "kernel/traverse.h"
#include "tidy/values.h"

namespace fulgurite::tidy {
namespace {

using namespace kernel;
using scalar::Op;

// The elements that lanes touch: base + offsets[l].
struct Run {
  Expr base;
  std::vector<std::int64_t> offsets;
};

class Permuting {
 public:
  explicit Permuting(Arena& arena) : arena_(arena) {}

  Block operator()(const Block& body) {
    Block block;
    for (const Stm& s : body) {
      Parts parts;
      parts.block = [&](const Block& inner) { return Permuting(*this)(inner); };
      if (const auto* variable = std::get_if<Declare>(&s.op)) mutable_.insert(variable->name);
      if (const auto* let = std::get_if<Let>(&s.op); let && let->value.kind() == Kind::i64) define(*let);
      block.push_back(map_children(s, parts));
    }
    return stores(loads(block));
  }

 private:
  void define(const Let& let) {
    const Expr value = scalar::substitute(arena_, let.value, definitions_);
    bool stays = true;
    scalar::for_each_node(std::span(&value, 1),
                          [&](Expr e) { stays &= !e.is_name() || !mutable_.contains(e.var()); });
    if (stays) definitions_[let.name] = value;
  }

  // Splits an index by lanes into a part that all lanes have in common, and what each lane adds.
  std::optional<Run> run_of(const Access& a, int lanes) {
    if (lanes < 2 || a.mask) return {};
    Run run{arena_.i64(0), std::vector<std::int64_t>(static_cast<std::size_t>(lanes), 0)};
    if (a.index.type().lanes == 1) {
      if (!a.stride || !a.stride.is_constant() || a.stride.is_constant(1) || a.stride.is_constant(-1))
        return {};
      run.base = scalar::substitute(arena_, a.index, definitions_);
      for (std::size_t l = 0; l < run.offsets.size(); ++l)
        run.offsets[l] = static_cast<std::int64_t>(l * a.stride.bits());
    } else if (!split(scalar::substitute(arena_, a.index, definitions_), 1, run)) {
      return {};
    }
    const auto [least, most] = std::ranges::minmax(run.offsets);
    if (scalar::to_bits(most) - scalar::to_bits(least) >= 2U * run.offsets.size()) return {};
    for (std::int64_t& offset : run.offsets) offset -= least;
    run.base = run.base + least;
    return run;
  }

  bool split(Expr e, std::int64_t factor, Run& run) {
    if (e.op() == Op::add || e.op() == Op::sub)
      return split(e.arg(0), factor, run) && split(e.arg(1), e.op() == Op::add ? factor : -factor, run);
    if (e.op() == Op::splat) {
      run.base = run.base + e.arg(0) * factor;
      return true;
    }
    Values by_lanes(e.type().lanes, [](Expr node) { return node.op() == Op::lane; });
    const auto* values = by_lanes.of(e);
    if (values == nullptr) return false;
    for (std::size_t l = 0; l < values->size(); ++l)
      run.offsets[l] =
          static_cast<std::int64_t>(scalar::to_bits(run.offsets[l]) + scalar::to_bits(factor) * (*values)[l]);
    return true;
  }

  // Accesses to one run of 2 * lanes elements.
  struct Member {
    std::size_t at;  // statement of the block
    Run run;
  };
  struct Group {
    Var buffer;
    Type type;
    Expr base;
    std::vector<Member> members;
  };

  // Joins accesses whose bases are as far apart as the run's halves may be.
  void place(std::vector<Group>& groups, std::size_t open, Var buffer, Type type, Member member) {
    for (std::size_t g = open; g < groups.size(); ++g) {
      Group& group = groups[g];
      if (group.buffer != buffer || group.type != type) continue;
      const Expr apart = member.run.base - group.base;
      if (!apart.is_constant()) continue;
      const auto distance = static_cast<std::int64_t>(apart.bits());
      if (distance <= -2 * type.lanes || 2 * type.lanes <= distance) continue;
      if (distance < 0) {
        group.base = member.run.base;
        for (Member& m : group.members)
          for (std::int64_t& offset : m.run.offsets) offset -= distance;
      } else {
        for (std::int64_t& offset : member.run.offsets) offset += distance;
      }
      group.members.push_back(std::move(member));
      return;
    }
    groups.push_back({buffer, type, member.run.base, {std::move(member)}});
  }

  /// How many vectors the run is, if every element of it is some lane's (`once`: of one lane only); else 0.
  static int vectors(const Group& group, bool once) {
    std::int64_t last = 0;
    for (const Member& m : group.members) last = std::max(last, std::ranges::max(m.run.offsets));
    const int n = last < group.type.lanes ? 1 : 2;
    std::vector<int> times(static_cast<std::size_t>(n) * group.type.lanes, 0);
    for (const Member& m : group.members)
      for (std::int64_t offset : m.run.offsets) {
        if (offset >= static_cast<std::int64_t>(times.size())) return 0;
        ++times[static_cast<std::size_t>(offset)];
      }
    return std::ranges::all_of(times, [&](int t) { return once ? t == 1 : t >= 1; }) ? n : 0;
  }

  Access half(const Group& group, int number) {
    return {group.buffer, group.base + number * group.type.lanes, arena_.i64(1), {}};
  }

  Block loads(const Block& block) {
    std::vector<Group> groups;
    std::size_t open = 0;  // groups before this one are closed: memory has changed since
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (const auto* load = std::get_if<Load>(&block[i].op)) {
        const Type type = arena_.info(load->name).type;
        if (auto run = run_of(load->from, type.lanes); run && type.kind != Kind::boolean)
          place(groups, open, load->from.buffer, type, {i, std::move(*run)});
      } else if (!std::holds_alternative<Let>(block[i].op)) {
        open = groups.size();
      }
    }
    std::unordered_map<std::size_t, Block> instead;
    for (const Group& group : groups) {
      const int n = vectors(group, false);
      if (n == 0) continue;
      Expr halves[2];
      Block& first = instead[group.members.front().at];
      for (int h = 0; h < n; ++h) {
        halves[h] = arena_.fresh(group.type, arena_.info(group.buffer).name);
        first.push_back({Load{halves[h].var(), half(group, h)}, block[group.members.front().at].line});
      }
      for (const Member& m : group.members) {
        const std::vector<std::int32_t> lanes(m.run.offsets.begin(), m.run.offsets.end());
        const Var name = std::get<Load>(block[m.at].op).name;
        instead[m.at].push_back({Permute{name, halves[0], halves[n - 1], lanes}, block[m.at].line});
      }
    }
    return replaced(block, instead);
  }

  Block stores(const Block& block) {
    std::vector<Group> groups;
    std::size_t open = 0;
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (const auto* store = std::get_if<Store>(&block[i].op)) {
        const Type type = store->value.type();
        auto run = run_of(store->to, type.lanes);
        if (run && type.kind != Kind::boolean && !store->streaming)
          place(groups, open, store->to.buffer, type, {i, std::move(*run)});
        else
          open = groups.size();
      } else if (!std::holds_alternative<Let>(block[i].op)) {
        open = groups.size();
      }
    }
    std::unordered_map<std::size_t, Block> instead;
    for (const Group& group : groups) {
      const int n = vectors(group, true);
      if (n == 0 || static_cast<int>(group.members.size()) != n) continue;
      const auto lanes = static_cast<std::int32_t>(group.type.lanes);
      std::vector<std::int32_t> from(static_cast<std::size_t>(n * lanes));
      for (std::int32_t m = 0; m < n; ++m) {
        const Run& run = group.members[static_cast<std::size_t>(m)].run;
        for (std::int32_t l = 0; l < lanes; ++l)
          from[static_cast<std::size_t>(run.offsets[static_cast<std::size_t>(l)])] = m * lanes + l;
      }
      const Stm &first = block[group.members.front().at], &last = block[group.members.back().at];
      instead[group.members.front().at];  // goes to where the last one is
      Block& all = instead[group.members.back().at];
      for (int h = 0; h < n; ++h) {
        const Expr value = arena_.fresh(group.type, "in_order");
        const auto begin = from.begin() + h * lanes;
        all.push_back({Permute{value.var(),
                               std::get<Store>(first.op).value,
                               std::get<Store>(last.op).value,
                               {begin, begin + lanes}},
                       last.line});
        all.push_back({Store{half(group, h), value, false}, last.line});
      }
    }
    return replaced(block, instead);
  }

  static Block replaced(const Block& block, const std::unordered_map<std::size_t, Block>& instead) {
    Block out;
    for (std::size_t i = 0; i < block.size(); ++i) {
      const auto found = instead.find(i);
      if (found == instead.end())
        out.push_back(block[i]);
      else
        out.insert(out.end(), found->second.begin(), found->second.end());
    }
    return out;
  }

  Arena& arena_;
  std::unordered_map<Var, Expr> definitions_;
  std::unordered_set<Var> mutable_;
};

}  // namespace

const kernel::Pass permutes{
    .name = "permutes",
    .description = "lanes that touch a short run in another order use vectors and a permutation",
    .run = kernel::on_body<[](Arena& arena, const Block& body) { return Permuting(arena)(body); }>,
    .is_optional = true};

}  // namespace fulgurite::tidy
