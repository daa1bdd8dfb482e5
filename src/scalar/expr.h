// Scalar expressions: interned, uniform, immutable nodes. Equal expressions of one arena are the same node,
// so equality is pointer equality and sharing is what makes common subexpressions cost nothing. Nodes are
// numbered in creation order: children precede parents, and commutative operands are sorted by that number,
// never by address (runs are repeatable).
//
// An arena also owns the names: a variable's type and shape never change once made, so every version of a
// program that passes produce shares one arena, and a variable means the same in all of them. One arena
// belongs to one compilation; threads never share one.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "scalar/type.h"

namespace fulgurite::scalar {

enum class Op : std::uint8_t {
#define FULGURITE_OP(name, ...) name,
#include "scalar/op.def"
};

/// Which operands an operation takes and what it gives: the head of op.def.
enum class Rule : std::uint8_t { same, compare, test, select, convert, shift, leaf, special };

/// A row of op.def.
struct OpInfo {
  std::string_view name;
  int arity;
  Rule rule;
  std::string_view flags, c, description;
  bool has(char flag) const { return flags.find(flag) != std::string_view::npos; }
};
const OpInfo& info(Op);
std::span<const OpInfo> all_ops();  // indexed by Op
std::optional<Op> op_named(std::string_view);

/// Whether the operation divides by its second operand: of integers, it fails where that is 0.
bool is_division(Op);

enum class Var : std::int32_t {};

/// A source position of the user's program: what a failing operation reports. 0 = cannot fail / unknown.
/// Indexes Program::sites.
using Site = std::uint32_t;

/// Axes of an array: bit k is axis k.
using Axes = std::uint32_t;
constexpr std::size_t most_axes = 32;
constexpr bool has(Axes axes, std::size_t axis) {
  return axis < most_axes && (axes >> axis & 1) != 0;
}

struct Node;
class Arena;

/// A handle to an interned node; default-constructed: absent.
class Expr {
 public:
  Expr() = default;
  explicit Expr(const Node* node) : node_(node) {}
  explicit operator bool() const { return node_ != nullptr; }
  Op op() const;
  Type type() const;
  Kind kind() const { return type().kind; }
  std::uint32_t id() const;  // creation number
  std::span<const Expr> args() const;
  Expr arg(std::size_t i) const { return args()[i]; }
  std::uint64_t bits() const;  // constant: the value's bits, zero-extended (see value.h)
  Var var() const;             // name: its variable
  Site site() const;           // div, rem, index: where a failure is reported; 0 if it cannot fail
  Axes inside() const;         // index with a site: the axes on which the index is proven to be inside
  bool is_constant() const { return op() == Op::constant; }
  bool is_constant(std::int64_t value) const;  // integer or boolean constant equal to value
  bool is_name() const { return op() == Op::name; }
  const Node* node() const { return node_; }
  Arena& arena() const;  // that it is a node of
  friend bool operator==(Expr, Expr) = default;

 private:
  const Node* node_ = nullptr;
};

struct Node {
  Arena* arena;
  Op op;
  Type type;
  std::uint32_t id;
  std::uint64_t payload;  // constant: bits; name: Var; fallible: Site, above it Axes
  std::vector<Expr> args;
  bool can_fail;  // it or a node below it carries a site
};

inline Op Expr::op() const {
  return node_->op;
}
inline Type Expr::type() const {
  return node_->type;
}
inline std::uint32_t Expr::id() const {
  return node_->id;
}
inline std::span<const Expr> Expr::args() const {
  return node_->args;
}
inline std::uint64_t Expr::bits() const {
  return node_->payload;
}
inline Arena& Expr::arena() const {
  return *node_->arena;
}
inline Var Expr::var() const {
  return static_cast<Var>(node_->payload);
}

/// What an arena knows of a variable. `shape` has one i64 expression for each axis.
struct VarInfo {
  Type type;
  std::vector<Expr> shape;
  std::string name;  // base name for printing; not unique
};

class Arena {
 public:
  Arena();
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Names.
  Expr fresh(Type scalar, std::string name);  // a scalar (or vector) variable
  // An array variable; its Expr has rank > 0.
  Expr fresh_array(Kind, std::vector<Expr> shape, std::string name);
  const VarInfo& info(Var) const;
  Expr name(Var) const;
  std::vector<Expr> names(std::span<const Var>) const;
  std::size_t n_vars() const;

  // Leaves.
  Expr constant(Kind, std::uint64_t bits);
  Expr i64(std::int64_t value);
  Expr boolean(bool value);
  Expr lane(Kind, int lanes);

  // Smart constructors: check operand types (FULGURITE_CHECK), fold constants, canonicalise, may return
  // another operation. Folding never changes a result's bits and never removes a possible failure that is
  // still reachable.
  // For all operations with one of the rules same, compare, test, select and shift.
  Expr apply(Op, std::span<const Expr> args, Site site = 0);
  Expr apply(Op op, std::initializer_list<Expr> args, Site site = 0) {
    return apply(op, std::span(args.begin(), args.size()), site);
  }
  Expr index(Expr array, std::span<const Expr> indices, Site site = 0, Axes inside = 0);

 private:
  friend class Interner;
  struct State;
  std::unique_ptr<State> state_;
};

/// The whole traversal of expressions: rebuilds `e` through the smart constructors with every node for which
/// `leaf` gives a value replaced by it. `leaf` is asked for each node before its children; an absent Expr
/// means "look inside". Memoised per call object: keep one Substitution for many roots that share nodes.
/// Works on vectors and index nodes alike.
class Substitution {
 public:
  Substitution(Arena& arena, std::function<Expr(Expr)> leaf) : arena_(arena), leaf_(std::move(leaf)) {}
  Expr operator()(Expr);

 private:
  Arena& arena_;
  std::function<Expr(Expr)> leaf_;
  std::unordered_map<const void*, Expr> memo_;
};
Expr substitute(Arena&, Expr, const std::unordered_map<Var, Expr>&);
Expr rebuild(Arena&, Expr node, std::span<const Expr> new_args);  // same operation, other operands

/// Calls `visit` once for every distinct node reachable from the roots, children before parents.
void for_each_node(std::span<const Expr> roots, const std::function<void(Expr)>& visit);
/// Calls `visit` for the nodes reachable from one root, but not for nodes in `seen` and what lies below them;
/// adds the visited nodes to `seen`.
void for_each_new_node(Expr root, std::unordered_set<Expr>& seen, const std::function<void(Expr)>& visit);
bool mentions(Expr, Var);
inline bool can_fail(Expr e) {
  return e.node()->can_fail;
}  // some node in it carries a site

/// `e` as base + coefficient * var with both free of `var` (i64, exact in wrapping arithmetic); nothing if it
/// is not affine.
struct Affine {
  Expr base, coefficient;
};
std::optional<Affine> affine_in(Arena&, Expr e, Var var);

}  // namespace fulgurite::scalar

template <>
struct std::hash<fulgurite::scalar::Expr> {
  std::size_t operator()(fulgurite::scalar::Expr e) const noexcept {
    return std::hash<const void*>()(e.node());  // for look-up only: never iterate in this order
  }
};
