#include "schedule/check_stages.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/match.h"
#include "schedule/blocks/windows.h"
#include "soac/count.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

namespace {

bool has_node(std::span<const Expr> roots, Expr part) {
  bool found = false;
  scalar::for_each_node(roots, [&](Expr e) { found = found || e == part; });
  return found;
}

std::vector<Expr> roots_of(const soac::Soac& op) {
  std::vector<Expr> roots;
  soac::for_each_root(op.body, [&](Expr root) { roots.push_back(root); });
  return roots;
}

bool mentions_array(Expr e, Var array) {
  return std::ranges::any_of(e.args(), [&](Expr x) { return x.is_name() && x.var() == array; });
}

class StageChecker {
 public:
  StageChecker(scalar::Arena& arena, const Launch& launch, const Nest& nest, const soac::Soac& op)
      : arena_(arena), launch_(launch), nest_(nest), op_(op), roots_(roots_of(op)) {}

  std::vector<std::string> operator()() {
    for (const Stage& stage : nest_.stages) {
      require(!stage.read || has_node(roots_, stage.read), "stages what its points do not read");
      window(stage);
    }
    for (const Computed& each : launch_.computed) computed(each);
    return std::move(faults_);
  }

 private:
  void require(bool holds, std::string_view otherwise) {
    if (!holds) faults_.emplace_back(otherwise);
  }

  void window(const Stage& stage) {
    std::int64_t around = 1;
    for (const Around& axis : stage.around) {
      require(axis.low <= 0 && 0 <= axis.high, "has a window that leaves out the read that it is around");
      around *= axis.high - axis.low + 1;
    }
    require(around <= stage.size, "has no room for what it stages");
  }

  // Elements of the window are computed whether a point reads them or not.
  void computed(const Computed& each) {
    const auto reads_it = [&](Expr e) { return mentions_array(e, each.array); };
    std::vector<Expr> uses;
    scalar::for_each_node(roots_, [&](Expr e) {
      if (reads_it(e)) uses.push_back(e);
    });
    if (uses.empty()) return;
    require(!soac::may_fail(each.element), "computes elements that may fail before they are read");
    std::vector<Expr> served;
    for (const Window& window : windows_of(arena_, op_, nest_.stages))
      for (const Window::Read& read : window.reads) served.push_back(read.element);
    require(std::ranges::all_of(uses, [&](Expr e) { return std::ranges::find(served, e) != served.end(); }),
            "reads an array that is nowhere in memory outside of its stage");
  }

  scalar::Arena& arena_;
  const Launch& launch_;
  const Nest& nest_;
  const soac::Soac& op_;
  const std::vector<Expr> roots_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> faults_of_stages(scalar::Arena& arena, const Launch& launch, const Nest& nest,
                                          const soac::Soac& op) {
  if (nest.stages.empty() && launch.computed.empty()) return {};
  return StageChecker(arena, launch, nest, op)();
}

bool reads(const soac::Soac& op, Expr part) {
  return has_node(roots_of(op), part);
}

bool always_reads(const soac::Soac& op, Expr part) {
  if (has_node(op.body.results, part)) return true;
  return std::ranges::any_of(op.body.body, [&](const soac::Stm& s) {
    const auto* let = base::as<soac::Let>(s.op);
    return let && has_node(std::span(&let->value, 1), part);
  });
}

}  // namespace fulgurite::schedule
