#include "distribute/inspect.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/match.h"
#include "distribute/footprints.h"
#include "distribute/places.h"
#include "kernel/traverse.h"
#include "tidy/dead.h"

namespace fulgurite::distribute {
namespace {

using namespace kernel;

// A line of memory, of which reads ask for all.
constexpr std::int32_t line_bytes = 64;
std::int32_t elements_a_line(const Arena& arena, Var array) {
  return line_bytes / static_cast<std::int32_t>(scalar::size_of(arena.info(array).type.kind));
}
// An inspector for elements, one for places of places, and one more.
constexpr int most_inspectors = 3;

bool is_single(const Par& par) {
  return par.n.is_constant(1);
}

std::set<Var> arrays_of(const Kernel& kernel) {
  std::set<Var> arrays;
  for (const Param& p : kernel.params)
    if (p.role != Param::Role::scalar) arrays.insert(p.name);
  return arrays;
}

// Whether tasks only compute: no order among them, no operation on memory that others see but loads and
// stores of an element.
bool only_computes(const Par& par, const std::set<Var>& arrays) {
  bool all = true;
  for_each_stm(par.body, [&](const Stm& s) {
    all &= !std::holds_alternative<InOrder>(s.op) && !std::holds_alternative<Atomic>(s.op) &&
           !std::holds_alternative<WideStore>(s.op);
    if (const auto* pack = base::as<Pack>(s.op))
      all &= std::ranges::none_of(pack->buffers, [&](Var buffer) { return arrays.contains(buffer); });
  });
  return all;
}

using MarksOf = std::map<Var, Var>;  // of an array

Stm mark(Arena& arena, const Access& of, Var marks, Expr at) {
  return {Store{{marks, at, of.stride, of.mask}, arena.constant(Kind::u8, 1)}};
}

// The phase with a mark for each store to these arrays.
Block with_marked_stores(Arena& arena, const Block& body, const MarksOf& arrays) {
  Parts parts;
  parts.block = [&](const Block& inner) { return with_marked_stores(arena, inner, arrays); };
  Block to;
  for (const Stm& s : body) {
    to.push_back(map_children(s, parts));
    const auto* store = base::as<Store>(s.op);
    if (store == nullptr) continue;
    if (const auto found = arrays.find(store->to.buffer); found != arrays.end())
      to.push_back(mark(arena, store->to, found->second, store->to.index));
  }
  return to;
}

// Whether a block reads any of these arrays.
bool reads_any(const Block& body, const std::set<Var>& arrays) {
  bool any = false;
  for_each_stm(body, [&](const Stm& s) {
    const auto* load = base::as<Load>(s.op);
    any |= load != nullptr && arrays.contains(load->from.buffer);
  });
  return any;
}

// What of the phase decides where it does what `replace` makes of its statements; that, and nothing else of
// what others see, is done.
template <class Replace>
Block slice(const Kernel& kernel, const Par& phase, const std::set<Var>& arrays, const Replace& replace) {
  const std::function<Block(const Block&)> cut = [&](const Block& body) {
    Parts parts;
    parts.block = cut;
    Block to;
    for (const Stm& s : body) {
      if (const std::optional<Stm> instead = replace(s)) to.push_back(*instead);
      if (std::holds_alternative<Fail>(s.op) || std::holds_alternative<Prefetch>(s.op)) continue;
      if (const auto* store = base::as<Store>(s.op); store != nullptr && arrays.contains(store->to.buffer))
        continue;
      to.push_back(map_children(s, parts));
    }
    return to;
  };
  Kernel only = kernel;
  only.body = {{Par{phase.level, phase.name, phase.n, cut(phase.body)}}};
  return std::get<Par>(tidy::remove_dead.run(std::move(only), {}).body.front().op).body;
}

// The reads of one phase whose places the data say, and inspectors for them.
class Reads {
 public:
  Reads(const Kernel& kernel, const Par& par, const std::set<const void*>& said)
      : kernel_(kernel), par_(par), stored_(names_of(par.body).stores), arrays_(arrays_of(kernel)) {
    for_each_stm(par.body, [&](const Stm& s) {
      const auto* load = base::as<Load>(s.op);
      if (load == nullptr || !said.contains(load)) return;
      left_[load->from.buffer].insert(load->name);
      array_of_[load->name] = load->from.buffer;
    });
  }

  // The arrays that the next inspector can mark: what their places depend on is there by then.
  std::vector<Var> next() {
    std::vector<Var> found;
    for (const auto& [array, loads] : left_)
      if (can_be_marked(inspector({{array, array}}))) found.push_back(array);
    for (const Var array : found) {
      left_.erase(array);
      inspected_.push_back(array);
    }
    return found;
  }
  const std::vector<Var>& inspected() const { return inspected_; }

  // Marks these arrays' reads, and does nothing else.
  Block inspector(const MarksOf& arrays) const {
    Arena& arena = *kernel_.arena;
    return slice(kernel_, par_, arrays_, [&](const Stm& s) -> std::optional<Stm> {
      const auto* load = base::as<Load>(s.op);
      if (load == nullptr || !array_of_.contains(load->name)) return std::nullopt;
      const auto found = arrays.find(load->from.buffer);
      if (found == arrays.end()) return std::nullopt;
      const int shift = std::countr_zero(static_cast<std::uint32_t>(elements_a_line(arena, found->first)));
      const Expr line = arena.apply(scalar::Op::shr, {load->from.index, arena.i64(shift)});
      return mark(arena, load->from, found->second, line);
    });
  }

 private:
  bool can_be_marked(const Block& inspector) const {
    bool all = reads_any(inspector, arrays_) || spreads(inspector);  // or else no data say the places
    for_each_stm(inspector, [&](const Stm& s) {
      if (const auto* load = base::as<Load>(s.op); load != nullptr && arrays_.contains(load->from.buffer)) {
        const auto said = array_of_.find(load->name);
        const bool is_there =
            said == array_of_.end() || std::ranges::find(inspected_, said->second) != inspected_.end();
        all &= is_there && !stored_.contains(load->from.buffer);
      }
    });
    return all;
  }

  const Kernel& kernel_;
  const Par& par_;
  const std::set<Var> stored_;
  const std::set<Var> arrays_;
  std::map<Var, std::set<Var>> left_;  // loads of arrays
  std::map<Var, Var> array_of_;        // of a load
  std::vector<Var> inspected_;
};

class Inspecting {
 public:
  explicit Inspecting(Distributed from) : to_(std::move(from)) {}

  Distributed run() {
    const Block phases = std::exchange(to_.kernel.body, {});
    const std::vector<std::int32_t> tasks_of = std::exchange(to_.tasks_of, {});
    to_.marks.clear();
    for (std::size_t p = 0; p < phases.size(); ++p) {
      const Par& par = std::get<Par>(phases[p].op);
      if (only_computes(par, arrays_of(to_.kernel)))
        append_marked(par, tasks_of[p]);
      else
        append(par, tasks_of[p], {});
    }
    return std::move(to_);
  }

 private:
  void append(Par par, std::int32_t tasks_of, PhaseMarks marks) {
    to_.kernel.body.push_back({std::move(par)});
    to_.tasks_of.push_back(tasks_of);
    to_.marks.push_back(std::move(marks));
  }

  void append_marked(const Par& par, std::int32_t tasks_of) {
    const std::set<const void*> said = said_by_data(to_.kernel, par);
    Reads reads(to_.kernel, par, said);
    for (int k = 0; k < most_inspectors; ++k) {
      const std::vector<Var> before = reads.inspected();
      const std::vector<Var> arrays = reads.next();
      if (arrays.empty()) break;
      append_inspector(par, tasks_of, reads, arrays, before);
    }

    PhaseMarks marks{false, {}, reads.inspected()};
    MarksOf stored;
    if (!is_single(par))
      for (const Var array : stored_where_data_say(par, said)) stored.emplace(array, Var{});
    for (auto& [array, its_marks] : stored) {
      its_marks = marks_of(array, 1);
      marks.marks.push_back({array, its_marks});
    }
    Par with = par;
    if (!stored.empty()) with.body = with_marked_stores(arena(), par.body, stored);
    append(std::move(with), tasks_of, std::move(marks));
  }

  std::set<Var> stored_where_data_say(const Par& par, const std::set<const void*>& said) const {
    const std::set<Var> arrays = arrays_of(to_.kernel);
    std::set<Var> found;
    for_each_stm(par.body, [&](const Stm& s) {
      const auto* store = base::as<Store>(s.op);
      if (store == nullptr || !said.contains(store) || found.contains(store->to.buffer)) return;
      const Block where = slice(to_.kernel, par, arrays, [&](const Stm& other) -> std::optional<Stm> {
        const bool is_it = base::as<Store>(other.op) == store;
        return is_it ? std::optional(mark(*to_.kernel.arena, store->to, store->to.buffer, store->to.index))
                     : std::nullopt;
      });
      if (reads_any(where, arrays)) found.insert(store->to.buffer);
    });
    return found;
  }

  void append_inspector(const Par& par, std::int32_t tasks_of, const Reads& reads,
                        const std::vector<Var>& arrays, const std::vector<Var>& before) {
    PhaseMarks marks{true, {}, before};
    MarksOf marks_by_array;
    for (const Var array : arrays) {
      marks_by_array[array] = marks_of(array, elements_a_line(arena(), array));
      marks.marks.push_back({array, marks_by_array[array]});
    }
    Par inspector = par;
    inspector.body = reads.inspector(marks_by_array);
    append(std::get<Par>(refresh(arena(), {{std::move(inspector)}}).front().op), tasks_of, std::move(marks));
  }

  Var marks_of(Var array, std::int32_t per) {
    std::int32_t number = 0;
    for (const Param& p : to_.kernel.params) {
      if (p.name == array) break;
      ++number;
    }
    return to_.add_own(Kind::u8, arena().info(array).name + "_marks", {.elements_of = number, .per = per});
  }
  Arena& arena() { return *to_.kernel.arena; }

  Distributed to_;
};

}  // namespace

Distributed inspect(Distributed from) {
  return Inspecting(std::move(from)).run();
}

}  // namespace fulgurite::distribute
