#include "scalar/print.h"

#include <fmt/format.h>

#include <cmath>
#include <deque>
#include <limits>

#include "base/check.h"

namespace fulgurite::scalar {
namespace {

/// Binding strength of the infix operations, as in C. 0: not infix.
struct Written {
  std::string_view spelling;
  int strength;
};
Written infix(Op op) {
  switch (op) {
    case Op::bit_or: return {" | ", 1};
    case Op::bit_xor: return {" ^ ", 2};
    case Op::bit_and: return {" & ", 3};
    case Op::eq: return {" == ", 4};
    case Op::ne: return {" != ", 4};
    case Op::lt: return {" < ", 4};
    case Op::le: return {" <= ", 4};
    case Op::shl: return {" << ", 5};
    case Op::shr: return {" >> ", 5};
    case Op::add: return {" + ", 6};
    case Op::sub: return {" - ", 6};
    case Op::mul: return {" * ", 7};
    case Op::div: return {" /", 7};
    case Op::rem: return {" %", 7};
    default: return {"", 0};
  }
}
constexpr int prefix_strength = 8;

template <class T>
std::string print_float(std::string_view kind, T value, Bits bits) {
  if (std::isinf(value)) return fmt::format("{}:{}inf", kind, value < 0 ? "-" : "");
  if (std::isnan(value)) {
    const bool usual = bits == to_bits(std::numeric_limits<T>::quiet_NaN());
    return usual ? fmt::format("{}:nan", kind) : fmt::format("{}:{:#x}", kind, bits);
  }
  std::string text = fmt::format("{}", value);
  if (kind == "f32") return text + "f";
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

class Printer {
 public:
  Printer(std::string& to, const NameOf& name, std::size_t limit) : to_(to), name_(name), limit_(limit) {}

  /// An explicit stack of what is still to be written, the next on top.
  void print(Expr root) {
    push(root, 0);
    while (!stack_.empty()) {
      if (to_.size() > limit_) {
        to_ += "...";
        return;
      }
      const Item item = stack_.back();
      stack_.pop_back();
      if (item.e)
        node(item.e, item.strength);
      else
        to_ += item.text;
    }
  }

 private:
  struct Item {
    Expr e;
    int strength = 0;       // parentheses are needed around a weaker operation
    std::string_view text;  // if e is absent
  };
  void push(Expr e, int strength) { stack_.push_back({e, strength, {}}); }
  void push(std::string_view text) { stack_.push_back({{}, 0, text}); }

  void node(Expr e, int strength) {
    if (const std::string_view name = name_(e); !name.empty()) {
      to_ += name;
      return;
    }
    switch (e.op()) {
      case Op::constant: to_ += print_constant(e.kind(), e.bits()); return;
      case Op::name: FULGURITE_CHECK(false, "a variable without a name"); return;
      case Op::index:
        if (e.site() != 0) push(site_text(e.site(), e.inside()));
        list("[", e.args().subspan(1), "]");
        push(e.arg(0), prefix_strength);
        return;
      case Op::neg:
      case Op::bit_not:
        to_ += e.op() == Op::neg ? "-" : e.kind() == Kind::boolean ? "!" : "~";
        // -(5) is not the literal -5.
        if (e.arg(0).is_constant()) {
          to_ += "(";
          push(")");
        }
        push(e.arg(0), prefix_strength);
        return;
      case Op::cast: call(name_of(e.kind()), e.args()); return;
      case Op::bitcast:
        to_ += fmt::format("bitcast({}, ", name_of(e.kind()));
        push(")");
        push(e.arg(0), 0);
        return;
      case Op::lane: to_ += fmt::format("lane({}, {})", name_of(e.kind()), e.type().lanes); return;
      case Op::splat:
        to_ += "splat(";
        push(kept_.emplace_back(fmt::format(", {})", e.type().lanes)));
        push(e.arg(0), 0);
        return;
      default: break;
    }
    const Written operation = infix(e.op());
    if (operation.strength == 0) {
      if (e.site() != 0) push(site_text(e.site()));
      call(info(e.op()).name, e.args());
      return;
    }
    const bool parentheses = operation.strength < strength;
    if (parentheses) {
      to_ += "(";
      push(")");
    }
    const int left = operation.strength + (operation.strength == 4 ? 1 : 0);  // comparisons do not chain
    Expr right = e.arg(1);
    if (e.op() == Op::add && right.is_constant() && is_integer(e.kind()) && is_signed(e.kind()) &&
        static_cast<std::int64_t>(right.bits()) < 0 && right.bits() != lowest(e.kind()) &&
        name_(right).empty()) {
      push(kept_.emplace_back(" - " + print_constant(e.kind(), 0 - right.bits())));
    } else if (e.op() == Op::sub && right.is_constant() && is_integer(e.kind()) && name_(right).empty()) {
      push(kept_.emplace_back(" - (" + print_constant(e.kind(), right.bits()) + ")"));
    } else {
      push(right, operation.strength + 1);
      if (e.op() == Op::div || e.op() == Op::rem) {
        push(" ");
        if (e.site() != 0) push(site_text(e.site()));
      }
      push(operation.spelling);
    }
    push(e.arg(0), left);
  }

  void call(std::string_view function, std::span<const Expr> args) {
    to_ += function;
    list("(", args, ")");
  }
  void list(std::string_view open, std::span<const Expr> args, std::string_view close) {
    push(close);
    for (std::size_t i = args.size(); i-- > 0;) {
      push(args[i], 0);
      if (i > 0) push(", ");
    }
    push(open);
  }
  std::string_view site_text(Site site, Axes inside = 0) {
    std::string& text = kept_.emplace_back(fmt::format("@{}", site));
    for (int axis = 0; inside >> axis != 0; ++axis)
      if (inside >> axis & 1) text += fmt::format("~{}", axis);
    return text;
  }

  std::string& to_;
  const NameOf& name_;
  const std::size_t limit_;
  std::vector<Item> stack_;
  std::deque<std::string> kept_;  // texts that the stack refers to
};

bool is_identifier_part(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

std::string print_constant(Kind kind, Bits bits) {
  switch (kind) {
    case Kind::boolean: return bits & 1 ? "true" : "false";
    case Kind::i64: return fmt::format("{}", static_cast<std::int64_t>(bits));
    case Kind::f32: return print_float("f32", from_bits<float>(bits), bits);
    case Kind::f64: return print_float("f64", from_bits<double>(bits), bits);
    default:
      return is_signed(kind) ? fmt::format("{}{}", static_cast<std::int64_t>(bits), name_of(kind))
                             : fmt::format("{}{}", bits, name_of(kind));
  }
}

void print(std::string& to, Expr e, const NameOf& name) {
  Printer(to, name, to.max_size()).print(e);
}

std::string_view Names::operator()(Var var) {
  auto found = names_.find(var);
  if (found == names_.end()) {
    std::string name = canonical_ ? fmt::format("v{}", names_.size()) : unique(arena_.info(var).name);
    found = names_.emplace(var, std::move(name)).first;
  }
  return found->second;
}

std::string Names::unique(std::string_view base) {
  // Words of the texts, which a name must not be. Never destroyed: programs may compile at exit.
  static const auto& words = *new std::unordered_set<std::string_view>{
      "program", "sites",   "return",  "let",    "check",      "site",     "map",    "redomap", "reduce",
      "comm",    "neutral", "initial", "if",     "else",       "loop",     "for",    "while",   "do",
      "true",    "false",   "kernel",  "par",    "store",      "load",     "sync",   "shared",  "global",
      "grid",    "block",   "warp",    "thread", "fail",       "var",      "alloc",  "when",    "in",
      "out",     "step",    "shape",   "index",  "arithmetic", "argument", "memory", "scatter", "partition",
      "combine", "outer",   "behind",  "former", "scalars"};
  std::string name;
  for (char c : base) name += is_identifier_part(c) ? c : '_';
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) name = "x" + name;
  if (words.contains(name) || op_named(name) || kind_named(name)) name += "_";
  if (used_.insert(name).second) return name;
  for (int& number = next_[name];;) {
    std::string numbered = fmt::format("{}_{}", name, ++number);
    if (used_.insert(numbered).second) return numbered;
  }
}

std::string describe(const Arena& arena, Expr e) {
  if (!e) return "nothing";
  std::string text;
  const NameOf name = [&](Expr node) {
    return node.is_name() ? std::string_view(arena.info(node.var()).name) : std::string_view();
  };
  Printer(text, name, 200).print(e);
  return text;
}

}  // namespace fulgurite::scalar
