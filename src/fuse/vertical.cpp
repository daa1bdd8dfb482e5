#include "fuse/vertical.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/match.h"
#include "fuse/collapse.h"
#include "fuse/decide.h"
#include "fuse/fuse.h"
#include "fuse/inline.h"
#include "fuse/past_updates.h"
#include "simplify/dead.h"
#include "soac/count.h"
#include "soac/outputs.h"
#include "soac/rename.h"
#include "soac/update.h"
#include "soac/walk.h"

namespace fulgurite::fuse {

using base::as;
using scalar::Arena;
using scalar::Expr;
using scalar::Var;
using soac::Event;
using soac::If;
using soac::Lambda;
using soac::Loop;
using soac::PassContext;
using soac::Program;
using soac::Role;
using soac::Soac;
using soac::Stm;

namespace {

class Fuser {
 public:
  Fuser(Program& program, PassContext& context)
      : arena_(*program.arena), context_(context), params_(program.params.begin(), program.params.end()) {
    for (std::size_t k = 0; k < context.log.size(); ++k)
      if (context.log[k].kind == Event::Kind::kept) kept_[context.log[k].what.value_or(Var{-1})] = k;
  }
  /// A body whose arrays can be in memory: the program, and the bodies of its loops and branches. Producers
  /// are taken last to first, so that each meets its consumers as they will be.
  void memory_scope(std::vector<Stm>& stms, std::vector<Expr>& results) {
    for (Stm& stm : stms) inside(stm);
    while (sweep(stms, results)) {
    }
    for (Stm& stm : stms) inside(stm);
  }

  /// Removes from the log entries about arrays that have a later entry.
  void keep_last_words() {
    std::size_t k = 0;
    std::erase_if(context_.log, [&](const Event&) { return out_of_date_.contains(k++); });
  }

 private:
  struct Body {
    std::vector<Stm>& stms;
    std::vector<Expr>& results;
    const Path& path;
    UseTable table;
  };

  /// True if another sweep may find more: a kept array may have become cheap.
  bool sweep(std::vector<Stm>& stms, std::vector<Expr>& results) {
    bool inlined = false, undecided = false;
    const Path no_path;
    Body body{stms, results, no_path, {stms, results}};
    for (std::size_t k = stms.size(); k-- > 0;) {
      const auto* soac = as<Soac>(stms[k].op);
      if (!soac || !is_map(*soac)) {
        if (!body.table.of(arrays_of(arena_, stms[k]), k).read.empty())
          keep(stms[k], std::string(why_in_memory(stms[k])));
        continue;
      }
      Uses uses = body.table.of(arrays_of(arena_, stms[k]), k);
      Decision decision = decide(body, k, uses);
      std::size_t at = k;
      if (decision.inlines && is_updated_before(body, k, uses)) {
        at = past_updates(body, k, uses);
        const bool is_parted = at == k && part_at_update(body, k, uses);
        undecided = undecided || is_parted;
        if (at != k || is_parted) uses = body.table.of(arrays_of(arena_, stms[at]), at);
        if (is_updated_before(body, at, uses))
          decision = {false, "an array that it reads is updated in place before its reader runs"};
      }
      if (decision.inlines && context_.spend()) {
        inline_everywhere(delayed(arena_, stms[at], uses.read), body, at, uses, decision.reason);
        reduce_to(body, at, uses.whole);
        inlined = true;
      } else {
        keep(stms[at], decision.inlines ? "the gas is spent" : decision.reason);
        undecided = undecided || (!decision.inlines && !uses.read.empty());
      }
    }
    for (std::size_t user = 0; user <= stms.size(); ++user) put_in_late(body, user);
    return inlined && undecided;
  }

  /// The arrays that a map reads and a later statement updates in place.
  std::vector<Var> updated_by(Body& body, std::size_t update, const Stm& map) {
    soac::Vars read;
    soac::add_mentioned(map, read);
    if (!may_update(body.stms[update], read)) return {};
    put_in_late(body, update);
    std::vector<Var> updated = soac::updated_arrays(arena_, body.stms[update]);
    std::erase_if(updated, [&](Var array) { return !read.contains(array) || params_.contains(array); });
    return updated;
  }
  /// An array that a map reads is updated in place before its last reader has read it.
  bool is_updated_before(Body& body, std::size_t map, const Uses& uses) {
    if (uses.readers.empty()) return false;
    const std::size_t last = uses.readers.back();
    for (std::size_t k = map + 1; k <= last; ++k) {
      if (updated_by(body, k, body.stms[map]).empty()) continue;
      if (k < last) return true;
      const Producer producer = delayed(arena_, body.stms[map], uses.read);
      if (!keeps_updates(arena_, producer, body.stms[last], body.path)) return true;
    }
    return false;
  }
  /// Parts a map whose readers stand before and after an update that replaces nothing that it reads: a copy
  /// for those after the update stands right after it, and reads what the array becomes.
  bool part_at_update(Body& body, std::size_t map, const Uses& uses) {
    if (!uses.whole.empty() || uses.read_by_results) return false;
    const Producer producer = delayed(arena_, body.stms[map], uses.read);
    std::size_t update = map + 1;
    std::vector<Var> updated;
    for (; update < uses.readers.back(); ++update)
      if (updated = updated_by(body, update, body.stms[map]); !updated.empty()) break;
    if (updated.empty() || update < uses.readers.front()) return false;
    if (!keeps_updates(arena_, producer, body.stms[update], body.path)) return false;
    const std::optional<Stm> after = past_update(arena_, body.stms[map], body.stms[update], updated);
    if (!after) return false;
    Stm copy = soac::Renaming(arena_, soac::Renaming::Binders::fresh)(*after);
    soac::Renaming rename(arena_, soac::Renaming::Binders::keep);
    for (std::size_t n = 0; n < copy.names.size(); ++n)
      rename.bind(after->names[n], arena_.name(copy.names[n]));
    for (const std::size_t reader : uses.readers) {
      if (reader <= update) continue;
      put_in_late(body, reader);
      body.stms[reader] = rename(std::move(body.stms[reader]));
      body.table.changed(body.stms, reader);
    }
    body.stms.insert(body.stms.begin() + static_cast<std::ptrdiff_t>(update) + 1, std::move(copy));
    body.table.inserted(body.stms, update + 1, 1);
    return true;
  }
  /// Moves a map to its first reader, after updates that replace nothing that it reads. Its number then.
  std::size_t past_updates(Body& body, std::size_t map, const Uses& uses) {
    std::optional<Stm> moved = body.stms[map];
    const std::size_t first = uses.readers.front();
    for (std::size_t k = map + 1; k < first; ++k) {
      const std::vector<Var> updated = updated_by(body, k, *moved);
      if (!updated.empty()) moved = past_update(arena_, *moved, body.stms[k], updated);
      if (!moved) return map;
    }
    if (first == map + 1) return map;
    body.stms.erase(body.stms.begin() + static_cast<std::ptrdiff_t>(map));
    body.table.erased(map);
    body.stms.insert(body.stms.begin() + static_cast<std::ptrdiff_t>(first) - 1, *std::move(moved));
    body.table.inserted(body.stms, first - 1, 1);
    return first - 1;
  }

  /// The last word on an array counts: after a merge it is asked again.
  void keep(const Stm& stm, const std::string& reason) {
    const auto [last, is_new] = kept_.try_emplace(first_name(stm), context_.log.size());
    if (!is_new) out_of_date_.insert(std::exchange(last->second, context_.log.size()));
    context_.log.push_back(event_of(Event::Kind::kept, stm, reason));
  }

  /// Whether nothing has changed in the statement's functions since they were fused. Without this question
  /// each level of a nest would fuse the levels inside it twice.
  bool is_settled(const Stm& stm) const { return settled_.contains(first_name(stm)); }
  void settle(const Stm& stm) {
    if (!stm.names.empty()) settled_.insert(stm.names[0]);
  }
  static Var first_name(const Stm& stm) { return stm.names.empty() ? Var{-1} : stm.names[0]; }

  /// The functions inside a statement of a memory scope.
  void inside(Stm& stm) {
    if (is_settled(stm)) return;
    inside_unsettled(stm);
    settle(stm);
  }

  void inside_unsettled(Stm& stm) {
    if (auto* soac = as<Soac>(stm.op)) {
      inside_.clear();
      for (const auto& inner : soac::nested_in(stm)) soac::add_bound(*inner.lambda, inside_);
      per_element(*soac, {});
      if (collapse(stm))
        context_.log.push_back(event_of(Event::Kind::collapsed, stm, "its function is nothing but a map"));
      return;
    }
    for (auto& inner : soac::nested_in(stm)) memory_scope(inner.lambda->body, inner.lambda->results);
  }

  void per_element(Soac& soac, Path path) {
    for (soac::Reduction& r : soac.reductions) element_scope(r.op, path);
    for (soac::Scatter& scatter : soac.scatters) {
      Path places = path;
      for (std::size_t axis = 0; axis < scatter.shape.size(); ++axis)
        places.push_back({scatter.initial.params[axis], scatter.shape[axis]});
      element_scope(scatter.initial, places);
      for (soac::Reduction& r : scatter.combine) element_scope(r.op, path);
    }
    for (std::size_t axis = 0; axis < soac.dims.size(); ++axis)
      path.push_back({soac.body.params[axis], soac.dims[axis]});
    expand_results(soac.body);
    element_scope(soac.body, path);
  }

  void inside_element(Stm& stm, const Path& path) {
    if (is_settled(stm)) return;
    inside_unsettled_element(stm, path);
    settle(stm);
  }

  void inside_unsettled_element(Stm& stm, const Path& path) {
    if (auto* soac = as<Soac>(stm.op)) {
      per_element(*soac, path);
      if (collapse(stm))
        context_.log.push_back(event_of(Event::Kind::collapsed, stm, "its function is nothing but a map"));
      return;
    }
    for (auto& inner : soac::nested_in(stm)) {
      Path longer = path;
      if (const auto* loop = as<Loop>(stm.op); loop && loop->trips && inner.role == Role::iteration)
        longer.push_back({loop->body.params[0], loop->trips});
      element_scope(*inner.lambda, longer);
    }
  }

  /// A body that runs for each element. Arrays may stay, in scratch memory of a task, where computing their
  /// elements at each read would repeat work; not those whose size the function computes, for which there is
  /// no memory to set aside.
  void element_scope(Lambda& lambda, const Path& path) {
    for (Stm& stm : lambda.body) inside_element(stm, path);
    bool changed = false;
    Body body{lambda.body, lambda.results, path, {lambda.body, lambda.results}};
    for (std::size_t k = lambda.body.size(); k-- > 0;) {
      const std::vector<Var> arrays = arrays_of(arena_, lambda.body[k]);
      for (Uses uses = body.table.of(arrays, k); !uses.read.empty(); uses = body.table.of(arrays, k)) {
        const Stm& stm = lambda.body[k];
        const std::optional<std::string> reason = why_inlined(body, k, uses);
        if (!reason) break;
        changed = true;
        inline_everywhere(
            as<Soac>(stm.op) ? delayed(arena_, stm, uses.read) : delayed_branches(arena_, stm, uses.read[0]),
            body, k, uses, *reason);
      }
    }
    if (!changed) return;
    for (std::size_t user = 0; user <= lambda.body.size(); ++user) put_in_late(body, user);
    simplify::remove_dead(arena_, lambda);
    for (Stm& stm : lambda.body) inside_element(stm, path);
  }

  std::optional<std::string> why_inlined(Body& body, std::size_t k, const Uses& uses) {
    const Stm& stm = body.stms[k];
    if (const auto* branches = as<If>(stm.op))
      return is_delayable(stm, *branches, uses.read[0])
                 ? std::optional<std::string>("a branch's array is read element by element")
                 : std::nullopt;
    const auto* soac = as<Soac>(stm.op);
    if (!soac || !is_map(*soac)) return {};
    if (!has_known_size(arena_, uses.read, inside_))
      return "inside a function there is no memory for its size";
    Decision decision = decide(body, k, uses);
    if (!decision.inlines) return {};
    return std::move(decision.reason);
  }

  /// Elements of the array can be computed one by one: in both branches it is a map's, or from outside.
  static bool is_delayable(const Stm& stm, const If& branches, Var array) {
    const auto k =
        static_cast<std::size_t>(std::find(stm.names.begin(), stm.names.end(), array) - stm.names.begin());
    auto is_fine = [&](const Lambda& branch) {
      const Var v = branch.results[k].var();
      if (soac::calls_kernel(branch)) return false;
      for (const Stm& s : branch.body)
        if (std::find(s.names.begin(), s.names.end(), v) != s.names.end())
          return as<Soac>(s.op) && is_map(*as<Soac>(s.op));
      return true;
    };
    return is_fine(branches.then_branch) && is_fine(branches.else_branch);
  }

  /// Array results of a mapped function come from maps in its body: others become the map that reads them.
  void expand_results(Lambda& lambda) {
    for (Expr& result : lambda.results) {
      if (result.type().rank == 0 || is_mapped_in(lambda, result.var())) continue;
      const scalar::VarInfo info = arena_.info(result.var());
      Soac copy;
      copy.dims = info.shape;
      std::vector<Expr> indices;
      for (std::size_t axis = 0; axis < info.shape.size(); ++axis) {
        indices.push_back(arena_.fresh(scalar::Type{}, "i"));
        copy.body.params.push_back(indices.back().var());
      }
      copy.body.results.push_back(arena_.index(result, indices));
      result = arena_.fresh_array(info.type.kind, info.shape, info.name);
      lambda.body.push_back({{result.var()}, std::move(copy), {}, "copy"});
    }
  }

  static bool is_mapped_in(const Lambda& lambda, Var v) {
    return std::any_of(lambda.body.begin(), lambda.body.end(),
                       [&](const Stm& stm) { return static_cast<bool>(soac::mapped_result(stm, v)); });
  }

  Decision decide(Body& body, std::size_t k, const Uses& uses) {
    // Asked how it reads the array, a reader must be as it will be.
    const auto look = [&](std::size_t reader) {
      if (!body.table.late_reads(uses.read, reader)) put_in_late(body, reader);
    };
    std::ranges::for_each(uses.readers, look);
    if (uses.read_by_results) look(body.stms.size());
    return fuse::decide(arena_, body.stms, k, body.results, body.table, uses, !body.path.empty());
  }

  void inline_everywhere(const Producer& producer, Body& body, std::size_t k, const Uses& uses,
                         const std::string& reason) {
    std::vector<Stm>& stms = body.stms;
    if (uses.read_by_results) {
      context_.log.push_back(event_of(Event::Kind::fused, stms[k], reason));
      inline_in(producer, body, stms.size());
    }
    for (auto reader = uses.readers.rbegin(); reader != uses.readers.rend(); ++reader) {
      context_.log.push_back(event_of(Event::Kind::fused, stms[k], stms[*reader], reason));
      inline_in(producer, body, *reader);
    }
  }

  /// In the statement of this number, or in the results.
  void inline_in(const Producer& producer, Body& body, std::size_t user) {
    std::vector<Stm>& stms = body.stms;
    const bool in_results = user == stms.size();
    if (!in_results) settled_.erase(first_name(stms[user]));
    if (producer.at.body.empty()) {
      if (const auto reads = body.table.late_reads(producer.names, user)) {
        const Soac* function = in_results ? nullptr : &std::get<Soac>(stms[user].op);
        body.table.replace_late(user, producer.names,
                                values_of(arena_, producer, *reads, function, body.path));
        return;
      }
    }
    put_in_late(body, user);
    std::vector<Stm> before;
    if (in_results) {
      inline_reads(arena_, producer, body.results, before, body.path);
      body.table.results_changed(body.results);
    } else {
      for (const Var changed : inline_reads(arena_, producer, stms[user], before, body.path))
        settled_.erase(changed);
      body.table.changed(stms, user);
    }
    stms.insert(stms.begin() + static_cast<std::ptrdiff_t>(user), std::make_move_iterator(before.begin()),
                std::make_move_iterator(before.end()));
    body.table.inserted(stms, user, before.size());
  }

  /// Puts in the values that are noted for the statement of this number, or for the results.
  void put_in_late(Body& body, std::size_t user) {
    const std::vector<Replacement> late = body.table.take_late(user);
    if (late.empty()) return;
    if (user == body.stms.size()) {
      put_in(arena_, late, body.results, body.path);
      body.table.results_changed(body.results);
      return;
    }
    auto& soac = std::get<Soac>(body.stms[user].op);
    put_in(arena_, late, soac, body.path);
    for (const Stm& stm : soac.body.body) settled_.erase(first_name(stm));
    body.table.changed(body.stms, user);
  }

  /// Leaves of a map only the given results; nothing of it if there are none.
  void reduce_to(Body& body, std::size_t k, const std::vector<Var>& names) {
    if (names.empty()) {
      body.stms.erase(body.stms.begin() + static_cast<std::ptrdiff_t>(k));
      body.table.erased(k);
      return;
    }
    Stm& stm = body.stms[k];
    Producer rest = delayed(arena_, stm, names);
    stm.names = names;
    std::get<Soac>(stm.op).body = std::move(rest.at);
    body.table.changed(body.stms, k);
  }

  Arena& arena_;
  PassContext& context_;
  const soac::Vars params_;  // arrays of the caller, which nothing updates in place
  soac::Vars inside_;        // bound in the functions of the statement of a memory scope that is walked
  soac::Vars settled_;       // first names of settled statements
  // Events in the log about kept arrays: the last ones by the statement's first name, and others.
  std::unordered_map<Var, std::size_t> kept_;
  std::unordered_set<std::size_t> out_of_date_;
};

Program run_fuse(Program program, PassContext& context) {
  fuse_vertically(program, context);
  return program;
}

}  // namespace

void fuse_vertically(Program& program, PassContext& context) {
  // Dead statements must not be fused: their failures would become failures of live ones.
  simplify::remove_dead(program);
  Fuser fuser(program, context);
  fuser.memory_scope(program.body, program.results);
  fuser.keep_last_words();
}

const soac::Pass fuse{
    "fuse", "arrays become index functions inside their consumers; perfect nests become one Soac", run_fuse};

}  // namespace fulgurite::fuse
