#include "schedule/rewrites/segments_in_turn.h"

#include <algorithm>
#include <unordered_map>

#include "base/match.h"
#include "schedule/rewrites/rewrite.h"
#include "schedule/rewrites/rounding.h"
#include "schedule/rewrites/slice.h"
#include "schedule/rewrites/versions.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

using scalar::Arena, scalar::Expr, scalar::Var;
using soac::Scan, soac::Soac, soac::Stm;

namespace {

bool has_no_loops(const Stm& s) {
  return !base::as<Soac>(s.op) && !base::as<soac::Loop>(s.op) &&
         std::ranges::all_of(soac::nested_in(s), [](const auto& inner) {
           return std::ranges::all_of(inner.lambda->body, has_no_loops);
         });
}

// Whether points may be walked by vectors that begin anew with each segment. Sums that round may not: the
// accumulators of many short segments would take more additions in a row than float_sum_error allows.
bool suits_segments(const Soac& op) {
  return op.dims.size() == 1 && !makes_arrays(op) && commutes(op) && !any_rounds(op) && !has_bins(op) &&
         std::ranges::all_of(op.scatters, &soac::Scatter::stores_in_any_order) &&
         std::ranges::all_of(op.partitions,
                             [](const soac::Partition& p) { return p.classes.is_constant(1); }) &&
         std::ranges::all_of(op.body.body, has_no_loops);
}

// The statement's only Scan, if it is one of segments.
Scan* scan_to_replace(Soac& op) {
  const std::vector<const Stm*> scans = scans_of(op.body);
  if (scans.size() != 1 || !suits_segments(op)) return nullptr;
  auto& scan = std::get<Scan>(op.body.body[static_cast<std::size_t>(scans[0] - op.body.body.data())].op);
  return scan.segments ? &scan : nullptr;
}

/// How many statements, and functions of Ifs and Loops, mention each name.
class Mentions {
 public:
  explicit Mentions(const soac::Program& program) {
    add(program.body);
    add(program.results);
  }
  bool are_once(std::span<const Var> names) const {
    return std::ranges::all_of(names, [&](Var name) {
      const auto found = counts_.find(name);
      return found != counts_.end() && found->second == 1;
    });
  }

 private:
  void add(const std::vector<Stm>& body) {
    for (const Stm& s : body) {
      soac::Vars mentioned;
      if (base::as<Soac>(s.op)) {
        soac::add_mentioned(s, mentioned);
      } else {
        soac::add_mentioned(soac::roots_of(s), mentioned);
        for (const auto& inner : soac::nested_in(s)) add(inner.lambda->body), add(inner.lambda->results);
      }
      add(mentioned);
    }
  }
  void add(std::span<const Expr> roots) {
    soac::Vars mentioned;
    soac::add_mentioned(roots, mentioned);
    add(mentioned);
  }
  void add(const soac::Vars& mentioned) {
    for (Var name : mentioned) ++counts_[name];
  }

  std::unordered_map<Var, int> counts_;
};

// Takes the statement that makes what the scan scans, and nothing else, out of the statements before it.
std::vector<Stm> take_scanned(const Mentions& mentions, const Scan& scan, std::vector<Stm>& before) {
  soac::Vars scanned;
  soac::add_mentioned(scan.operands, scanned);
  const auto makes = [&](const Stm& s) {
    return base::as<Soac>(s.op) && !s.names.empty() && mentions.are_once(s.names) && !soac::may_fail(s) &&
           std::ranges::all_of(s.names, [&](Var name) { return scanned.contains(name); });
  };
  const auto found = std::ranges::find_if(before, makes);
  if (found == before.end()) return {};
  std::vector<Stm> taken{std::move(*found)};
  before.erase(found);
  return taken;
}

// Appends the statement in two versions, of which the mean length of the segments chooses one.
void add(Arena& arena, const Mentions& mentions, const LanesPolicy& by, Stm s, std::vector<Stm>& all) {
  Stm in_turn = s;
  Scan* scan = scan_to_replace(std::get<Soac>(in_turn.op));
  if (!scan) return all.push_back(std::move(s));
  const Expr points = std::get<Soac>(s.op).dims[0];
  const Expr segments = arena.info(scan->segments.var()).shape[0] - 1;
  std::vector<Stm> scanned = take_scanned(mentions, *scan, all);
  scan->operands.clear();
  in_turn = made_by(rewrite::in_turn, arena, std::move(in_turn));
  const Expr are_long = segments * by.segment_points <= points;
  if (are_long.is_constant(1)) return all.push_back(std::move(in_turn));
  scanned.push_back(s);
  all.push_back(one_of(arena, s, are_long, {std::move(in_turn)}, std::move(scanned)));
}

}  // namespace

const Stm* scan_of_segments(const soac::Lambda& f) {
  const auto found = std::ranges::find_if(f.body, [](const Stm& s) {
    const auto* scan = base::as<Scan>(s.op);
    return scan && scan->operands.empty();
  });
  return found == f.body.end() ? nullptr : &*found;
}

soac::Program walk_segments_in_turn(soac::Program program, const LanesPolicy& by) {
  Arena& arena = *program.arena;
  const Mentions mentions(program);
  return rewrite_soacs(std::move(program), [&](Stm s, bool, std::vector<Stm>& all) {
    add(arena, mentions, by, std::move(s), all);
  });
}

}  // namespace fulgurite::schedule
