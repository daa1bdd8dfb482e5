// Checks that the result of fuse is what fuse promises.
#include <fmt/format.h>

#include <algorithm>

#include "base/match.h"
#include "fuse/decide.h"
#include "fuse/fuse.h"
#include "fuse/producer.h"
#include "simplify/dead.h"
#include "soac/count.h"
#include "soac/outputs.h"
#include "soac/update.h"
#include "soac/walk.h"

namespace fulgurite::fuse {

using base::as;
using scalar::Arena;
using scalar::Expr;
using scalar::Var;
using soac::Lambda;
using soac::Soac;
using soac::Stm;
using soac::Vars;

namespace {

class FusedCheck {
 public:
  FusedCheck(Arena& arena, const std::vector<Var>& params)
      : arena_(arena), params_(params.begin(), params.end()) {}

  /// `state`: the parameters of the scope, where it is the body of a loop.
  void memory_scope(const std::vector<Stm>& stms, const std::vector<Expr>& results,
                    const std::vector<Var>& state) {
    const UseTable table(stms, results);
    Vars own(state.begin(), state.end());
    for (std::size_t k = 0; k < stms.size(); ++k) {
      copies(stms, k, results, own);
      own.insert(stms[k].names.begin(), stms[k].names.end());
      const Stm& stm = stms[k];
      const auto* soac = as<Soac>(stm.op);
      if (!soac) {
        for (const auto& inner : soac::nested_in(stm))
          memory_scope(inner.lambda->body, inner.lambda->results, inner.lambda->params);
        continue;
      }
      inside_.clear();
      for (const auto& inner : soac::nested_in(stm)) soac::add_bound(*inner.lambda, inside_);
      for (const auto& inner : soac::nested_in(stm)) element_scope(*inner.lambda);
      array(stms, k, results, table, false);
    }
  }

  std::vector<std::string> complaints;

 private:
  void element_scope(const Lambda& lambda) {
    const UseTable table(lambda.body, lambda.results);
    for (std::size_t k = 0; k < lambda.body.size(); ++k) {
      array(lambda.body, k, lambda.results, table, true);
      for (const auto& inner : soac::nested_in(lambda.body[k])) element_scope(*inner.lambda);
    }
  }

  /// An array that the statement reads is updated in place before the last of its readers: there it would
  /// read another one.
  bool is_updated_before(const std::vector<Stm>& stms, std::size_t k, const Uses& uses) const {
    Vars read;
    soac::add_mentioned(stms[k], read);
    const std::size_t last = uses.read_by_results ? stms.size() - 1 : std::ranges::max(uses.readers);
    for (std::size_t j = k + 1; j <= last; ++j)
      for (Var array : soac::updated_arrays(arena_, stms[j]))
        if (read.contains(array) && !params_.contains(array)) return true;
    return false;
  }

  /// A map's arrays are in memory only where computing elements at each read would repeat work.
  void array(const std::vector<Stm>& stms, std::size_t k, const std::vector<Expr>& results,
             const UseTable& table, bool is_in_function) {
    const auto* soac = as<Soac>(stms[k].op);
    if (!soac || !is_map(*soac)) return;
    const Uses uses = table.of(arrays_of(arena_, stms[k]), k);
    if (uses.read.empty()) return;
    if (!has_known_size(arena_, uses.read, inside_))
      complain(stms[k], "has a size that its function computes, and is read there");
    else if (!is_updated_before(stms, k, uses) &&
             decide(arena_, stms, k, results, table, uses, is_in_function).inlines)
      complain(stms[k], "is in memory but could be part of what reads it");
  }

  /// A scatter copies an array of `own` only where that is read later, or where the scattered values need
  /// it as it was. Everything else that the statement computes could have been computed before.
  void copies(const std::vector<Stm>& stms, std::size_t k, const std::vector<Expr>& results,
              const Vars& own) {
    if (!as<Soac>(stms[k].op)) return;
    Vars later;
    soac::add_mentioned(results, later);
    for (std::size_t j = k + 1; j < stms.size(); ++j) soac::add_mentioned(stms[j], later);
    const std::vector<Var> updated = soac::updated_arrays(arena_, stms[k]);
    for (const soac::OutputView::Scattered& scattered : soac::view_of(stms[k]).scatters) {
      if (!scattered.to.combine.empty()) continue;
      Vars live(scattered.arrays.begin(), scattered.arrays.end());
      std::vector<Stm> alone{stms[k]};
      simplify::remove_dead(arena_, alone, live);
      for (const Stm& scatter : alone)
        for (Var array : soac::updated_arrays(arena_, scatter))
          if (own.contains(array) && !later.contains(array) &&
              std::ranges::find(updated, array) == updated.end())
            complain(stms[k], "copies an array that it would update in place if it computed nothing else");
    }
  }

  void complain(const Stm& stm, std::string_view what) {
    complaints.push_back(fmt::format("'{}' ({}, {}:{}) {}",
                                     stm.names.empty() ? "" : arena_.info(stm.names[0]).name, stm.origin,
                                     stm.where.file, stm.where.line, what));
  }

  Arena& arena_;
  const Vars params_;  // nothing updates them
  Vars inside_;        // bound in the functions of the statement of a memory scope that is walked
};

}  // namespace

std::vector<std::string> check_fused(const soac::Program& program) {
  FusedCheck check(*program.arena, program.params);
  check.memory_scope(program.body, program.results, {});
  return check.complaints;
}

}  // namespace fulgurite::fuse
