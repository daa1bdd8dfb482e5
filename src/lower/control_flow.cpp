#include "lower/control_flow.h"

#include <algorithm>

#include "base/match.h"
#include "lower/scalar_kernels.h"
#include "lower/storage.h"

namespace fulgurite::lower {

namespace {

class LoopLowering {
 public:
  LoopLowering(Launches& launches, const soac::Stm& s, const soac::Loop& op, const LowerBody& lower_body)
      : launches_(launches),
        host_(launches.host()),
        s_(s),
        op_(op),
        lower_body_(lower_body),
        state_(copies_of(launches, op.initial, s.names)) {}

  void run() const {
    if (op_.trips)
      repeat();
    else if (!converge())
      repeat_while();
    bind_names(launches_, s_.names, state_);
  }

 private:
  void repeat() const {
    const plan::Slot counter = host_.fresh_slot(), condition = host_.fresh_slot();
    host_.append(plan::Copy{counter, host_.slot(launches_.i64(0))});
    const plan::Slot trips = value_of(launches_, op_.trips), one = host_.slot(launches_.i64(1));
    host_.bind(op_.body.params[0], counter);
    plan::Steps head = host_.steps([&] {
      host_.append(plan::Compute{Op::lt, Kind::i64, Kind::boolean, condition, counter, trips, trips, 0});
    });
    plan::Steps body = host_.steps([&] {
      iteration();
      host_.append(plan::Compute{Op::add, Kind::i64, Kind::i64, counter, counter, one, one, 0});
    });
    host_.append(plan::While{std::move(head), condition, std::move(body)});
  }

  void repeat_while() const {
    const plan::Slot condition = host_.fresh_slot();
    plan::Steps head =
        head_before([&](Expr holds) { host_.append(plan::Copy{condition, value_of(launches_, holds)}); });
    plan::Steps body = host_.steps([&] { iteration(); });
    host_.append(plan::While{std::move(head), condition, std::move(body)});
  }

  // A loop whose condition the device makes, if nothing in it has to come to the host. What was lowered for
  // one that turns out to need that is dropped.
  bool converge() const {
    if (!launches_.device_scalars().needs(op_.condition.results[0]) || launches_.guard()) return false;
    Lowered& lowered = launches_.lowered();
    const std::size_t n_kernels = lowered.kernels.size(), n_notes = lowered.notes.size();
    plan::Steps all = host_.steps([&] {
      const Var flags = launches_.arena().fresh_array(Kind::i32, {launches_.i64(2)}, "goes_on").var();
      launches_.allocate(flags);
      launches_.set_guard(flags);
      plan::Steps head = head_before([&](Expr holds) { loop_condition(launches_, s_, holds, flags); });
      plan::Steps body = host_.steps([&] { iteration(); });
      launches_.set_guard({});
      host_.append(plan::Converge{std::move(head), host_.place(flags), std::move(body)});
    });
    const auto& loop = std::get<plan::Converge>(all.back().action);
    if (!runs_ahead(loop.head) || !runs_ahead(loop.body)) {
      lowered.kernels.resize(n_kernels);
      lowered.plan.kernels.resize(n_kernels);
      lowered.notes.resize(n_notes);
      return false;
    }
    for (plan::Step& step : all) host_.append(std::move(step.action));
    return true;
  }

  // The condition's statements, and what decides by its result.
  template <class Decide>
  plan::Steps head_before(Decide&& decide) const {
    return host_.steps([&] {
      bind_names(launches_, op_.condition.params, state_);
      lower_body_(op_.condition.body);
      decide(op_.condition.results[0]);
    });
  }

  void iteration() const {
    bind_names(launches_, std::span(op_.body.params).last(state_.size()), state_);
    lower_body_(op_.body.body);
    // All results are copied before any part of the state is overwritten.
    move_values(host_, state_, copies_of(launches_, op_.body.results, s_.names));
  }

  bool runs_ahead(const plan::Steps& steps) const {
    return std::ranges::all_of(steps, [&](const plan::Step& step) {
      if (const auto* branch = base::as<plan::If>(step.action))
        return runs_ahead(branch->then_steps) && runs_ahead(branch->else_steps);
      if (const auto* loop = base::as<plan::While>(step.action))
        return runs_ahead(loop->head) && runs_ahead(loop->body);
      if (const auto* launch = base::as<plan::Launch>(step.action))
        return launches_.lowered().kernels[static_cast<std::size_t>(launch->kernel)].guard.has_value();
      return !base::as<plan::Fetch>(step.action) && !base::as<plan::CopyArray>(step.action);
    });
  }

  Launches& launches_;
  Host& host_;
  const soac::Stm& s_;
  const soac::Loop& op_;
  const LowerBody& lower_body_;
  const std::vector<Storage> state_;
};

}  // namespace

void branch(Launches& launches, const soac::Stm& s, const soac::If& op, const LowerBody& lower_body) {
  if (!needs_plan(s)) return scalar_statement(launches, s);
  Host& host = launches.host();
  const plan::Slot condition = value_of(launches, op.condition);
  const std::vector<Storage> results = fresh_storage(launches, s.names);
  const auto steps = [&](const soac::Lambda& f) {
    return host.steps([&] {
      lower_body(f.body);
      assign_values(launches, results, f.results, s.names);
    });
  };
  plan::Steps yes = steps(op.then_branch), no = steps(op.else_branch);
  host.append(plan::If{condition, std::move(yes), std::move(no)});
  bind_names(launches, s.names, results);
}

void loop(Launches& launches, const soac::Stm& s, const soac::Loop& op, const LowerBody& lower_body) {
  if (!needs_plan(s)) return scalar_statement(launches, s);
  LoopLowering(launches, s, op, lower_body).run();
}

}  // namespace fulgurite::lower
