// Nodes, names and leaves of an arena. Smart constructors of operations: fold.cpp.
#include "scalar/formula.h"

#include <algorithm>

#include "base/check.h"
#include "scalar/intern.h"
#include "scalar/value.h"

namespace fulgurite::scalar {
namespace {

std::uint64_t mix(std::uint64_t h, std::uint64_t x) {
  h = (h ^ x) * 0x9e3779b97f4a7c15u;
  return h ^ (h >> 32);
}

std::uint64_t hash(Op op, Type type, std::uint64_t payload, std::span<const Expr> args) {
  std::uint64_t h = mix(static_cast<std::uint64_t>(op) << 40 | static_cast<std::uint64_t>(type.kind) << 32 |
                            static_cast<std::uint64_t>(type.rank) << 16 | type.lanes,
                        payload);
  for (Expr a : args) h = mix(h, a.id());
  return h;
}

bool is_fallible(Op op) {
  return info(op).has('!');
}

}  // namespace

bool Expr::is_constant(std::int64_t value) const {
  if (op() != Op::constant || is_float(kind())) return false;
  return bits() == static_cast<Bits>(value) && (value >= 0 || is_signed(kind()));
}

Site Expr::site() const {
  return is_fallible(op()) ? static_cast<Site>(node_->payload) : 0;
}

Axes Expr::inside() const {
  return op() == Op::index ? static_cast<Axes>(node_->payload >> 32) : 0;
}

Expr number_beside(Expr other, std::int64_t number) {
  // The constant of an i64 keeps its low bits.
  const Bits bits = evaluate(Op::cast, Kind::i64, other.kind(), static_cast<Bits>(number));
  return splat(other.arena().constant(other.kind(), bits), other.type().lanes);
}

Expr Interner::intern(Op op, Type type, std::uint64_t payload, std::span<const Expr> args) {
  if (state_.table.size() < 2 * (state_.nodes.size() + 1)) grow();
  const std::size_t mask = state_.table.size() - 1;
  std::size_t slot = hash(op, type, payload, args) & mask;
  for (; const Node* node = state_.table[slot]; slot = (slot + 1) & mask)
    if (node->op == op && node->type == type && node->payload == payload &&
        std::equal(args.begin(), args.end(), node->args.begin(), node->args.end()))
      return Expr(node);
  bool fails = is_fallible(op) && payload != 0;
  for (Expr a : args) fails = fails || can_fail(a);
  state_.nodes.push_back({&arena_,
                          op,
                          type,
                          static_cast<std::uint32_t>(state_.nodes.size()),
                          payload,
                          {args.begin(), args.end()},
                          fails});
  state_.table[slot] = &state_.nodes.back();
  return Expr(&state_.nodes.back());
}

void Interner::grow() {
  std::vector<const Node*> larger(std::max<std::size_t>(256, 2 * state_.table.size()));
  const std::size_t mask = larger.size() - 1;
  for (const Node* node : state_.table) {
    if (!node) continue;
    std::size_t slot = hash(node->op, node->type, node->payload, node->args) & mask;
    while (larger[slot]) slot = (slot + 1) & mask;
    larger[slot] = node;
  }
  state_.table = std::move(larger);
}

Arena::Arena() : state_(std::make_unique<State>()) {}
Arena::~Arena() = default;

Expr Arena::fresh(Type type, std::string name) {
  FULGURITE_CHECK(type.rank == 0 && type.lanes >= 1, "'{}' is not a scalar: {}", name, to_string(type));
  const auto number = state_->vars.size();
  state_->vars.push_back({type, {}, std::move(name)});
  state_->names.push_back(Interner(*this).intern(Op::name, type, number, {}));
  return state_->names.back();
}

Expr Arena::fresh_array(Kind kind, std::vector<Expr> shape, std::string name) {
  FULGURITE_CHECK(!shape.empty() && shape.size() < 256, "array '{}' of rank {}", name, shape.size());
  for (Expr extent : shape)
    FULGURITE_CHECK(extent && extent.type() == Type{}, "an extent of '{}' is not an i64 scalar", name);
  const Type type{kind, static_cast<std::uint8_t>(shape.size()), 1};
  const auto number = state_->vars.size();
  state_->vars.push_back({type, std::move(shape), std::move(name)});
  state_->names.push_back(Interner(*this).intern(Op::name, type, number, {}));
  return state_->names.back();
}

const VarInfo& Arena::info(Var var) const {
  FULGURITE_CHECK(static_cast<std::size_t>(var) < state_->vars.size(), "variable {} is of another arena",
                  static_cast<int>(var));
  return state_->vars[static_cast<std::size_t>(var)];
}

Expr Arena::name(Var var) const {
  FULGURITE_CHECK(static_cast<std::size_t>(var) < state_->names.size(), "variable {} is of another arena",
                  static_cast<int>(var));
  return state_->names[static_cast<std::size_t>(var)];
}

std::vector<Expr> Arena::names(std::span<const Var> vars) const {
  std::vector<Expr> names;
  for (Var var : vars) names.push_back(name(var));
  return names;
}

std::size_t Arena::n_vars() const {
  return state_->vars.size();
}

Expr Arena::constant(Kind kind, std::uint64_t bits) {
  return Interner(*this).intern(Op::constant, {kind, 0, 1}, evaluate(Op::bitcast, kind, kind, bits), {});
}
Expr Arena::i64(std::int64_t value) {
  return constant(Kind::i64, static_cast<Bits>(value));
}
Expr Arena::boolean(bool value) {
  return constant(Kind::boolean, value);
}

Expr Arena::lane(Kind kind, int lanes) {
  FULGURITE_CHECK(is_integer(kind) && lanes > 1 && lanes < 65536, "lane numbers {}x{}", name_of(kind), lanes);
  return Interner(*this).intern(Op::lane, {kind, 0, static_cast<std::uint16_t>(lanes)}, 0, {});
}

}  // namespace fulgurite::scalar
