// The table of an arena's nodes: the only place where nodes are made. Internal to src/scalar.
#pragma once

#include <deque>

#include "scalar/expr.h"

namespace fulgurite::scalar {

struct Arena::State {
  std::deque<Node> nodes;          // in creation order; addresses stay valid
  std::vector<const Node*> table;  // open addressing, a power of two, at most half full
  std::deque<VarInfo> vars;        // indexed by Var; references stay valid
  std::vector<Expr> names;         // indexed by Var
};

class Interner {
 public:
  explicit Interner(Arena& arena) : arena_(arena), state_(*arena.state_) {}

  /// The node of these fields: the one there is, or a new one. Folds nothing.
  Expr intern(Op, Type, std::uint64_t payload, std::span<const Expr> args);
  Expr intern(Op op, Type type, std::initializer_list<Expr> args) {
    return intern(op, type, 0, std::span(args.begin(), args.size()));
  }

  Arena& arena() { return arena_; }

 private:
  void grow();

  Arena& arena_;
  Arena::State& state_;
};

/// What is wrong with an operation on these operands; empty: nothing. For the operations that Arena::apply
/// makes.
std::string misuse(Op, std::span<const Expr> args, Site);
Type result_type(Op, std::span<const Expr> args);

/// The integer operation of exactly these operands, in the canonical form of sums (linear.cpp), if `op` is
/// part of one.
std::optional<Expr> fold_linear(Interner&, Op, std::span<const Expr> args);
/// a == b of i64 operands decided, or with what is equal on both sides removed.
std::optional<Expr> fold_linear_equality(Interner&, Op, Expr a, Expr b);

}  // namespace fulgurite::scalar
