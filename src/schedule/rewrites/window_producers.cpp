#include "schedule/rewrites/window_producers.h"

#include <algorithm>

#include "base/match.h"
#include "schedule/blocks/crosswise.h"
#include "schedule/blocks/windows.h"
#include "schedule/rewrites/slice.h"
#include "soac/count.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

namespace {

using scalar::Expr;
using scalar::Op;
using scalar::Var;

// Worth more than reading the elements from memory again and again.
bool is_expensive(const soac::Lambda& f) {
  if (!f.body.empty()) return true;
  bool found = false;
  scalar::for_each_node(f.results, [&](Expr e) {
    const bool divides = e.op() == Op::sqrt || (e.op() == Op::div && is_float(e.kind()));
    found = found || divides || scalar::info(e.op()).has('$');
  });
  return found;
}

class Search {
 public:
  Search(const soac::Program& program, const Surroundings& around) : around_(around) {
    body(program.body, program.results);
  }

  WindowProducers found() { return std::move(found_); }

 private:
  using Mentions = std::unordered_map<Var, int>;

  void body(const std::vector<soac::Stm>& stms, const std::vector<Expr>& results) {
    const Mentions mentions = mentions_in(stms, results);
    for (std::size_t k = stms.size(); k-- > 0;) {
      if (const auto* reader = base::as<soac::Soac>(stms[k].op)) {
        if (!stms[k].names.empty() && !found_.contains(stms[k].names[0])) into(stms, k, *reader, mentions);
      } else {
        for (const auto& inner : soac::nested_in(stms[k])) body(inner.lambda->body, inner.lambda->results);
      }
    }
  }

  // In how many of the statements each name stands; in the results counts as one.
  static Mentions mentions_in(const std::vector<soac::Stm>& stms, const std::vector<Expr>& results) {
    Mentions mentions;
    soac::Vars mentioned;
    soac::add_mentioned(results, mentioned);
    for (Var v : mentioned) ++mentions[v];
    for (const soac::Stm& s : stms) {
      mentioned.clear();
      soac::add_mentioned(s, mentioned);
      for (Var v : mentioned) ++mentions[v];
    }
    return mentions;
  }

  // The maps right before a reader, from which nothing that updates memory keeps them apart.
  void into(const std::vector<soac::Stm>& stms, std::size_t at, const soac::Soac& reader,
            const Mentions& mentions) {
    if (!is_walked_as_it_is(reader)) return;
    const Windows windows = choose_windows(around_, reader);
    if (windows.all.empty()) return;
    for (std::size_t k = at; k-- > 0;) {
      const auto* map = base::as<soac::Soac>(stms[k].op);
      if (!map && !base::as<soac::Check>(stms[k].op) && !base::as<soac::Let>(stms[k].op)) return;
      if (!map) continue;
      if (!map->scatters.empty()) return;
      const auto is_only_mention = [&](Var array) {
        const auto found = mentions.find(array);
        return found != mentions.end() && found->second == 1;
      };
      if (is_producer(*map) && is_only_mention(stms[k].names[0]) &&
          reads_by_one_window(stms[at], windows, stms[k].names[0]))
        found_.emplace(stms[k].names[0], WindowProducer{map->body, stms[at].names[0]});
    }
  }

  // Whether lowering will take the statement as it is, and walk it by windows.
  bool is_walked_as_it_is(const soac::Soac& op) const {
    const bool has_neutrals = std::ranges::all_of(
        op.reductions, [](const soac::Reduction& r) { return !r.neutral.empty() && r.initial.empty(); });
    return has_neutrals && crosswise_reads(around_, op).reads.empty();
  }

  // Whether the Soac makes one array, whose elements can be computed anywhere, or not at all.
  static bool is_producer(const soac::Soac& op) {
    if (!is_map(op) || op.body.results.size() != 1 || op.body.results[0].type().rank > 0) return false;
    return !soac::may_fail(op.body) && !schedule::makes_arrays(op) && is_expensive(op.body);
  }

  static bool reads_by_one_window(const soac::Stm& reader, const Windows& windows, Var array) {
    const auto is_of_array = [&](const Window& w) { return w.array == array; };
    if (std::ranges::count_if(windows.all, is_of_array) != 1) return false;
    const Window& window = *std::ranges::find_if(windows.all, is_of_array);
    bool all = true;
    const auto look = [&](Expr e) {
      const auto args = e.args();
      if (std::ranges::none_of(args, [&](Expr x) { return x.is_name() && x.var() == array; })) return;
      all = all && std::ranges::find(window.reads, e, &Window::Read::element) != window.reads.end();
    };
    std::vector<Expr> roots;
    soac::for_each_root(reader, [&](Expr e) { roots.push_back(e); });
    scalar::for_each_node(roots, look);
    return all && std::ranges::none_of(roots, [&](Expr e) { return e.is_name() && e.var() == array; });
  }

  const Surroundings& around_;
  WindowProducers found_;
};

}  // namespace

WindowProducers window_producers(const soac::Program& program, const Device& device, const Policy& policy) {
  const soac::EqualSizes sizes(program);
  // What arrays windows hold depends on reads alone.
  const auto unknown = [](std::span<const Expr>) { return false; };
  const Surroundings around{*program.arena, sizes, unknown, [](Var) { return true; }, device, policy};
  return Search(program, around).found();
}

}  // namespace fulgurite::schedule
