// A launch written by hand, for tests of what needs no decision: a sum of squares of n floats, and its
// partial results joined.
#pragma once

#include "schedule/nest.h"
#include "soac/parse.h"

namespace fulgurite::testing_schedule {

struct SmallLaunch {
  soac::Program program;
  schedule::Launch launch;
};

inline SmallLaunch sum_of_squares() {
  using namespace schedule;
  SmallLaunch made{soac::parse(R"(program (x: f32[n]) {
  s: f32 = redomap (i < n) { x[i] * x[i] } reduce add comm neutral 0f
  return s
})"),
                   {}};
  scalar::Arena& arena = *made.program.arena;
  const soac::Stm& whole = made.program.body[0];
  const Expr n = std::get<soac::Soac>(whole.op).dims[0];
  const Expr tasks = ceil_div(n, arena.i64(16384));
  const Expr total = arena.fresh_array(Kind::f32, {tasks}, "total");

  Phase main{"main", whole, Nest(), {}};
  Nest nest;
  nest.axes = {{Axis::Role::fold, 0, 1, n}};
  nest.cuts = {{0, arena.i64(16384), Unit::grid},
               {0, arena.i64(2048), Unit::sequence},
               {0, arena.i64(64), Unit::lane, Tail::apart, 16}};
  nest.combines = {{Combine::Part::reduction,
                    0,
                    {{Unit::lane, Join::chain, 32}, {Unit::grid, Join::partials}},
                    {total.var()}}};
  nest.traffic.streaming = 1 << 25;
  main.walk = nest;
  main.why = {"16384 elements make a task worth starting"};

  soac::Stm joined = whole;
  auto& over = std::get<soac::Soac>(joined.op);
  const Expr t = arena.fresh({Kind::i64}, "t");
  over.dims = {tasks};
  over.body = {{t.var()}, {}, {arena.index(total, std::span(&t, 1))}};
  Phase last{"last", joined, Skeleton{"join neighbours", {}, arena.i64(1)}, {}};
  made.launch.name = "reduce";
  made.launch.statement = whole;
  made.launch.memory = {total.var()};
  made.launch.scalars = {{whole.names[0], total.var()}};
  made.launch.touched = n * 4;
  made.launch.phases = {main, last};
  return made;
}

}  // namespace fulgurite::testing_schedule
