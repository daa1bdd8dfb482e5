// Kernels of threads that use all there is: every operation of op.def on every kind that it allows, every
// atomic operation, every shuffle.
#pragma once

#include <algorithm>

#include "kernel/check.h"
#include "kernel/ir.h"
#include "scalar/value.h"

namespace fulgurite::test {

using scalar::Expr;
using scalar::Kind;
using scalar::Op;

inline bool allows(const scalar::OpInfo& row, Kind kind) {
  return row.has(kind == Kind::boolean ? 'B' : scalar::is_float(kind) ? 'F' : 'I');
}

/// A kernel under construction: one phase of one block, whose threads run `body`.
class ThreadKernel {
 public:
  explicit ThreadKernel(std::string name, int n_threads, std::int64_t n_tasks = 1)
      : kernel_{std::move(name), std::make_shared<scalar::Arena>(), {}, {}} {
    t_ = arena().fresh({Kind::i64}, "t");
    n_threads_ = n_threads;
    n_tasks_ = n_tasks;
    task_ = arena().fresh({Kind::i64}, "task");
    i_ = task_ * n_threads + t_;
  }

  scalar::Arena& arena() { return *kernel_.arena; }
  Expr buffer(Kind kind, kernel::Param::Role role, const std::string& name) {
    Expr b = arena().fresh_array(kind, {arena().i64(0)}, name);
    kernel_.params.push_back({b.var(), role});
    return b;
  }
  Expr load(Kind kind, const std::string& name) {
    Expr from = buffer(kind, kernel::Param::Role::input, name + "s"), v = arena().fresh({kind}, name);
    body.push_back({kernel::Load{v.var(), {from.var(), i_, arena().i64(1), {}}}});
    return v;
  }
  void store(Expr value, const std::string& name) {
    Expr to = buffer(value.kind(), kernel::Param::Role::output, name);
    body.push_back({kernel::Store{{to.var(), i_, arena().i64(1), {}}, value}});
  }
  Expr t() const { return t_; }

  kernel::Kernel finish() {
    kernel::Block task = std::move(before);
    task.push_back({kernel::Par{kernel::Level::block, t_.var(), arena().i64(n_threads_), std::move(body)}});
    kernel_.body.push_back(
        {kernel::Par{kernel::Level::grid, task_.var(), arena().i64(n_tasks_), std::move(task)}});
    kernel::check(kernel_, kernel::Stage::threads, "test");
    return kernel_;
  }

  kernel::Block before, body;  // of the task, of each thread

 private:
  kernel::Kernel kernel_;
  Expr task_, t_, i_;  // of the block, of the thread, of the thread among all
  int n_threads_;
  std::int64_t n_tasks_;
};

/// One store for each operation, to a buffer of its name.
inline kernel::Kernel every_operation(Kind kind, std::int64_t n = 32) {
  ThreadKernel k("operations", 32, n / 32);
  scalar::Arena& arena = k.arena();
  const Expr operands[] = {k.load(kind, "a"), k.load(kind, "b"), k.load(kind, "c")};
  const Expr condition = k.load(Kind::boolean, "condition");
  for (const scalar::OpInfo& row : scalar::all_ops()) {
    const Op op = *scalar::op_named(row.name);
    if (row.rule == scalar::Rule::leaf || row.rule == scalar::Rule::special || row.has('s') ||
        !allows(row, kind))
      continue;
    const std::string name = "r_" + std::string(row.name);
    if (row.rule == scalar::Rule::convert) {
      for (int number = 0; number < scalar::n_kinds; ++number) {
        const Kind to = static_cast<Kind>(number);
        const bool is_same_size = scalar::size_of(to) == scalar::size_of(kind) && to != Kind::boolean;
        const std::string full = name + "_" + std::string(scalar::name_of(to));
        if (to == kind) continue;
        if (op == Op::cast) k.store(cast(operands[0], to), full);
        if (op == Op::bitcast && is_same_size) k.store(bitcast(operands[0], to), full);
      }
    } else if (row.rule == scalar::Rule::select) {
      k.store(arena.apply(op, {condition, operands[0], operands[1]}), name);
    } else {
      k.store(arena.apply(op, std::span(operands).first(static_cast<std::size_t>(row.arity))), name);
    }
  }
  if (scalar::is_float(kind)) {  // literals that are spelled by their bits
    const std::uint64_t nan = kind == Kind::f32 ? 0x7fc00001 : 0x7ff8000000000001;
    k.store(arena.constant(kind, nan), "r_nan");
    k.store(arena.constant(kind, scalar::lowest(kind)), "r_infinity");
  }
  return k.finish();
}

/// Atomics of each kind on global and on shared memory, with and without a result.
inline kernel::Kernel every_atomic(const std::vector<Kind>& kinds) {
  using What = kernel::Atomic::What;
  ThreadKernel k("atomics", 64);
  scalar::Arena& arena = k.arena();
  std::int64_t offset = 0;
  for (Kind kind : kinds) {
    const std::string name(scalar::name_of(kind));
    const Expr global = k.buffer(kind, kernel::Param::Role::output, "g_" + name);
    const Expr shared = arena.fresh_array(kind, {arena.i64(0)}, "s_" + name);
    k.before.push_back({kernel::Allocate{shared.var(), kernel::Space::shared, arena.i64(4), offset}});
    offset += 32;
    const Expr v = k.load(kind, "v_" + name);
    for (What what : {What::add, What::min, What::max, What::bit_and, What::bit_or, What::bit_xor,
                      What::exchange, What::compare_exchange}) {
      const bool is_bitwise = what == What::bit_and || what == What::bit_or || what == What::bit_xor;
      if ((is_bitwise && scalar::is_float(kind)) || (what == What::add && kind == Kind::boolean)) continue;
      for (Expr buffer : {global, shared}) {
        const Expr expected = what == What::compare_exchange ? v : Expr();
        const Expr old = arena.fresh({kind}, "old_" + name);
        const kernel::Access at{buffer.var(), k.t() % 4, {}, {}};
        k.body.push_back({kernel::Atomic{old.var(), what, at, v, expected, true, true}});
        k.body.push_back({kernel::Atomic{{}, what, at, old, expected}});
      }
    }
  }
  return k.finish();
}

/// Accesses of 16 bytes of each kind.
inline kernel::Kernel every_wide(const std::vector<Kind>& kinds) {
  ThreadKernel k("wide", 32);
  for (Kind kind : kinds) {
    const std::size_t n = kernel::wide_bytes / scalar::size_of(kind);
    const std::string name(scalar::name_of(kind));
    const Expr from = k.buffer(kind, kernel::Param::Role::input, "x_" + name);
    const Expr to = k.buffer(kind, kernel::Param::Role::output, "y_" + name);
    const Expr at = k.t() * static_cast<std::int64_t>(n);
    kernel::WideLoad load{{}, from.var(), at};
    kernel::WideStore store{to.var(), at, {}};
    for (std::size_t i = 0; i < n; ++i) {
      const Expr v = k.arena().fresh({kind}, "v_" + name);
      load.names.push_back(v.var());
      store.values.insert(store.values.begin(), v);
    }
    k.body.push_back({std::move(load)});
    k.body.push_back({std::move(store)});
  }
  return k.finish();
}

/// Shuffles of each kind, in a block of one warp and a half.
inline kernel::Kernel every_shuffle(const std::vector<Kind>& kinds) {
  ThreadKernel k("shuffles", 48);
  for (Kind kind : kinds) {
    const std::string name(scalar::name_of(kind));
    const Expr v = k.load(kind, "v_" + name), other = k.arena().fresh({kind}, "other_" + name);
    k.body.push_back({kernel::Shuffle{other.var(), v, k.t() + 1, 8}});
    k.store(other, "r_" + name);
  }
  return k.finish();
}

}  // namespace fulgurite::test
