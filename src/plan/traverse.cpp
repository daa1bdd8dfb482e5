#include "plan/traverse.h"

#include "base/match.h"

namespace fulgurite::plan {

void for_each_step(const Steps& steps, const std::function<void(const Action&)>& visit) {
  for (const Step& step : steps) {
    visit(step.action);
    if (const auto* branch = base::as<If>(step.action)) {
      for_each_step(branch->then_steps, visit);
      for_each_step(branch->else_steps, visit);
    } else if (const auto* loop = base::as<While>(step.action)) {
      for_each_step(loop->head, visit);
      for_each_step(loop->body, visit);
    } else if (const auto* guarded = base::as<Converge>(step.action)) {
      for_each_step(guarded->head, visit);
      for_each_step(guarded->body, visit);
    }
  }
}

}  // namespace fulgurite::plan
