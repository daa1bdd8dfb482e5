#include "block/control.h"

#include <fulgurite/error.h>

#include <algorithm>

namespace fulgurite::detail::block {

void Control::loop(const Value& begin, const Value& end, const block::Body& body, const Here& where) {
  const Expr from = code_.lower(begin, where), to = code_.lower(end, where);
  builder().for_loop(from, to, code_.arena().i64(1), "i", [&](Expr i) {
    const Statements::Scope scope(code_, "loop", where);
    code_.tracer().adopt(i);
    const std::size_t n_barriers = n_barriers_;
    body(code_.tracer().value(i));
    code_.flush(where);
    end_round(n_barriers, where);
  });
}

void Control::barrier(kernel::Level level, const Here& where) {
  if (position_.is_in_instance())
    throw TraceError("one thread cannot wait for the others here: sync outside of par(), on whole arrays",
                     where);
  code_.flush(where);
  code_.at(where);
  builder().append(kernel::Sync{std::max(level, position_.nest()->level)});
  ++n_barriers_;
}

Values Control::cond(const Value& condition, const detail::Body& yes, const detail::Body& no,
                     const Here& where) {
  code_.flush(where);
  const Expr decides = builder().lower(code_.tracer().expr(condition, where));
  if (decides.is_constant()) {
    Values values = (decides.is_constant(1) ? yes : no)({});
    builder().lower(code_.scalars(values, where));
    return values;
  }
  const auto branch = [&](const detail::Body& body) {
    const Statements::Scope scope(code_, "cond", where);
    return code_.scalars(body({}), where);
  };
  return code_.given(
      builder().choose(decides, [&] { return branch(yes); }, [&] { return branch(no); }, "cond"));
}

Values Control::while_loop(const detail::Body& condition, const detail::Body& body,
                           std::span<const Value> initial, const Here& where) {
  const std::vector<Expr> variables = declare(initial, where);
  {
    const Statements::Scope scope(code_, "while_loop", where);
    const std::size_t n_barriers = n_barriers_;
    Values state;
    builder().while_loop(
        [&] {
          state = code_.given(builder().snapshots(variables));
          return builder().lower(code_.scalars(condition(state), where)).front();
        },
        [&] { end_round(n_barriers, variables, body(state), where); });
  }
  return code_.given(builder().snapshots(variables));
}

Values Control::iterate(const Value& trips, const detail::Body& body, std::span<const Value> initial,
                        const Here& where) {
  scalar::Arena& arena = code_.arena();
  const Expr times = max(code_.tracer().expr(trips, where), 0);
  const std::vector<Expr> variables = declare(initial, where);
  const auto round = [&](Expr i) {
    const Statements::Scope scope(code_, "iterate", where);
    const std::size_t n_barriers = n_barriers_;
    Values arguments = code_.given(builder().snapshots(variables));
    arguments.insert(arguments.begin(), code_.given(i));
    end_round(n_barriers, variables, body(arguments), where);
  };
  builder().for_loop(arena.i64(0), builder().lower(times), arena.i64(1), "i", round,
                     kernel::Enclosure::iteration);
  return code_.given(builder().snapshots(variables));
}

std::vector<Expr> Control::declare(std::span<const Value> initial, const Here& where) {
  std::vector<Expr> variables;
  for (Expr e : builder().lower(code_.scalars(initial, where)))
    variables.push_back(builder().declare(e, "state"));
  return variables;
}

// A barrier in the body stands between what is written and what is read in a round; the one at the end
// stands between that and what the next round writes.
void Control::end_round(std::size_t n_barriers, const Here& where) {
  if (position_.is_in_instance() || n_barriers == n_barriers_) return;
  const kernel::Block& body = builder().open_statements();
  if (body.empty() || !std::holds_alternative<kernel::Sync>(body.back().op))
    barrier(kernel::Level::block, where);
}

void Control::end_round(std::size_t n_barriers, const std::vector<Expr>& variables, const Values& next,
                        const Here& where) {
  const std::vector<Expr> values = builder().lower(code_.scalars(next, where));
  end_round(n_barriers, where);
  for (std::size_t k = 0; k < values.size(); ++k) builder().assign(variables[k], values[k]);
}

}  // namespace fulgurite::detail::block
