// The one traversal of the kernel IR. map_children knows every part of every statement; whatever else walks
// or rewrites kernels is built from it, so that a new statement is added to the walks of all passes in one
// place.
#pragma once

#include <functional>
#include <set>
#include <unordered_map>

#include "kernel/ir.h"

namespace fulgurite::kernel {

/// What a statement does with a variable that it names outside expressions.
enum class Use : std::uint8_t { binds, assigns, loads, stores };

/// What becomes of the parts of a statement; an empty function leaves its parts as they are.
struct Parts {
  std::function<Expr(Expr)> expr;  // asked for present expressions only
  std::function<Var(Var, Use)> var;
  std::function<Block(const Block&)> block;
};

/// The statement with its immediate parts replaced, in the order in which they are evaluated (a name is bound
/// after its value and before the body).
Stm map_children(const Stm&, const Parts&);

/// Every statement of the block and of the blocks in it, outer ones first.
void for_each_stm(const Block&, const std::function<void(const Stm&)>& visit);

/// Every expression that the statement itself holds, but not in the blocks in it.
void for_each_expr(const Stm&, const std::function<void(Expr)>& visit);

/// The variables that a block mentions, blocks in it included. `reads` are the variables of expressions and
/// the buffers loaded from.
struct Names {
  std::set<Var> reads, assigns, stores, binds;
};
Names names_of(const Block&);
/// Whether the block binds or assigns a variable that the expression mentions.
bool is_changed(const Names& of_block, Expr);

/// The block with variables replaced in expressions; variables that are assigned to, and buffers, must be
/// replaced by names. What the block binds is not renamed.
Block substitute(Arena&, const Block&, const std::unordered_map<Var, Expr>&);

/// A copy of the block in which everything that it binds has a new name.
Block refresh(Arena&, const Block&);

}  // namespace fulgurite::kernel
