#include "kernel/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/match.h"
#include "base/text.h"
#include "kernel/traverse.h"
#include "scalar/print.h"

namespace fulgurite::kernel {
namespace {

// Expressions that nest more deeply are printed in parts, as the parser has a limit.
constexpr int deepest_printed = 200;

bool is_printed_in_place(Expr e) {
  return e.args().empty();
}

std::string_view name_of(Level level) {
  constexpr std::string_view names[] = {"grid", "block", "warp", "thread"};
  return names[static_cast<int>(level)];
}
std::string_view name_of(Space space) {
  constexpr std::string_view names[] = {"global", "shared", "thread"};
  return names[static_cast<int>(space)];
}

class Printer {
 public:
  Printer(const Arena& arena, bool canonical)
      : arena_(arena), canonical_(canonical), names_(arena, canonical) {}

  std::string kernel(const Kernel& k, std::string_view name) {
    text_ = fmt::format("kernel {}({})", name,
                        base::join(k.params, ", ", [&](const Param& p) { return param(p); }));
    if (k.guard) text_ += fmt::format(" guard {}", names_(*k.guard));
    text_ += '\n';
    block(k.body, 0);
    return std::move(text_);
  }

  std::string one(const Stm& s) {
    statement(s, 0);
    return std::move(text_);
  }

 private:
  std::string param(const Param& p) {
    Kind kind = arena_.info(p.name).type.kind;
    switch (p.role) {
      case Param::Role::scalar: return fmt::format("{}: {}", names_(p.name), scalar::name_of(kind));
      case Param::Role::input: return fmt::format("in {}: {}[]", names_(p.name), scalar::name_of(kind));
      case Param::Role::update: return fmt::format("inout {}: {}[]", names_(p.name), scalar::name_of(kind));
      case Param::Role::output: break;
    }
    return fmt::format("out {}: {}[]", names_(p.name), scalar::name_of(kind));
  }

  std::string expr(Expr e) {
    if (!e) return "nothing";
    std::string result;
    scalar::print(result, e, [&](Expr node) -> std::string_view {
      if (node.is_name()) return names_(node.var());
      auto part = parts_.find(node.id());
      return part == parts_.end() ? std::string_view() : std::string_view(part->second);
    });
    return result;
  }
  std::string typed(Var v) { return fmt::format("{}: {}", names_(v), to_string(arena_.info(v).type)); }
  std::string access(const Access& a) {
    std::string stride = a.stride ? ", " + expr(a.stride) : std::string();
    return fmt::format("{}[{}{}]", names_(a.buffer), expr(a.index), stride);
  }
  std::string when(Expr mask) { return mask ? " when " + expr(mask) : std::string(); }

  void line(int depth, std::string_view text) {
    text_.append(static_cast<std::size_t>(2 * depth), ' ');
    text_ += std::exchange(number_, {});
    text_ += text;
    text_ += '\n';
  }

  /// Names the parts of the statement's expressions that are used more than once, or are deep in it.
  void share(std::span<const Expr> roots, int depth) {
    parts_.clear();
    std::unordered_map<std::uint32_t, int> uses, height;
    auto use = [&](Expr e) { ++uses[e.id()]; };
    for (Expr root : roots) use(root);
    scalar::for_each_node(roots, [&](Expr e) {
      for (Expr arg : e.args()) use(arg);
    });
    scalar::for_each_node(roots, [&](Expr e) {
      int tallest = 0;
      for (Expr arg : e.args()) tallest = std::max(tallest, height[arg.id()] + 1);
      bool name_it = !is_printed_in_place(e) && (uses[e.id()] > 1 || tallest > deepest_printed);
      height[e.id()] = name_it ? 0 : tallest;
      if (!name_it) return;
      std::string value = expr(e);
      std::string name = names_.unique("s");
      line(depth, fmt::format("@{} = {}", name, value));
      parts_.emplace(e.id(), std::move(name));
    });
  }

  void block(const Block& statements, int depth) {
    for (const Stm& s : statements) statement(s, depth);
  }

  void statement(const Stm& s, int depth) {
    std::vector<Expr> roots;
    if (!base::as<While>(s.op)) for_each_expr(s, [&](Expr e) { roots.push_back(e); });
    share(roots, depth);
    if (s.line != 0 && !canonical_) number_ = fmt::format("{}: ", s.line);
    base::match(
        s.op, [&](const Let& x) { line(depth, let("let", x.name, x.value)); },
        [&](const Declare& x) { line(depth, let("var", x.name, x.value)); },
        [&](const Assign& x) {
          line(depth, fmt::format("{} = {}{}", names_(x.name), expr(x.value), when(x.mask)));
        },
        [&](const Load& x) {
          std::string from = access(x.from) + when(x.from.mask);
          if (x.touched) from += " touched " + expr(x.touched);
          line(depth, fmt::format("load {} = {}", typed(x.name), from));
        },
        [&](const Store& x) {
          line(depth, fmt::format("store {}{} = {}{}", x.streaming ? "streaming " : "", access(x.to),
                                  expr(x.value), when(x.to.mask)));
        },
        [&](const WideLoad& x) {
          const std::string from = fmt::format("{}[{}]", names_(x.buffer), expr(x.index));
          line(depth, fmt::format("wide load {} = {}",
                                  base::join(x.names, ", ", [&](Var v) { return names_(v); }), from));
        },
        [&](const WideStore& x) {
          const std::string to = fmt::format("{}[{}]", names_(x.buffer), expr(x.index));
          line(depth, fmt::format("wide store {} = {}", to,
                                  base::join(x.values, ", ", [&](Expr e) { return expr(e); })));
        },
        [&](const Prefetch& x) {
          std::string index = expr(x.index), per_task = expr(x.per_task);
          line(depth, fmt::format("prefetch {}[{}] by {} per {} end {}", names_(x.buffer), index, x.n,
                                  per_task, expr(x.end)));
        },
        [&](const Permute& x) {
          const std::string low = expr(x.low), high = expr(x.high);
          line(depth, fmt::format("permute {} = {}, {} lanes {}", names_(x.name), low, high,
                                  fmt::join(x.lanes, " ")));
        },
        [&](const Transpose& x) {
          line(depth, fmt::format("transpose {} = {} lanes {} by {} steps {} ahead {}", names_(x.tile),
                                  access(x.from), x.lanes, x.width, x.steps, x.ahead));
        },
        [&](const Shift& x) {
          line(depth,
               fmt::format("shift {} = {} by {} fill {}", names_(x.name), expr(x.value), x.by, expr(x.fill)));
        },
        [&](const Pick& x) {
          line(depth, fmt::format("pick {} = {} from {}", names_(x.name), expr(x.value), x.from));
        },
        [&](const Pack& x) {
          std::size_t next = 0;
          std::string to = base::join(x.buffers, ", ", [&](Var buffer) {
            return fmt::format("{}[] = {}", names_(buffer), expr(x.values[next++]));
          });
          line(depth, fmt::format("pack {}({}){}", names_(x.next), to, when(x.keep)));
        },
        [&](const Atomic& x) { line(depth, atomic(x)); },
        [&](const Shuffle& x) {
          std::string value = expr(x.value);
          line(depth,
               fmt::format("shuffle {} = {} from {} width {}", names_(x.name), value, expr(x.from), x.width));
        },
        [&](const For& x) {
          std::string range = fmt::format("{} : {} step {}", expr(x.begin), expr(x.end), expr(x.step));
          line(depth, fmt::format("for {} in {} {{", names_(x.name), range));
          block(x.body, depth + 1);
          line(depth, "}");
        },
        [&](const While& x) {
          line(depth, "loop {");
          block(x.head, depth + 1);
          share(std::span(&x.condition, 1), depth + 1);
          line(depth, fmt::format("}} while {} {{", expr(x.condition)));
          block(x.body, depth + 1);
          line(depth, "}");
        },
        [&](const If& x) {
          line(depth, fmt::format("if {} {{", expr(x.condition)));
          block(x.then_branch, depth + 1);
          if (!x.else_branch.empty()) {
            line(depth, "} else {");
            block(x.else_branch, depth + 1);
          }
          line(depth, "}");
        },
        [&](const Par& x) {
          std::string n = expr(x.n);
          line(depth, fmt::format("par {} {} < {} {{", name_of(x.level), names_(x.name), n));
          block(x.body, depth + 1);
          line(depth, "}");
        },
        [&](const InOrder& x) {
          line(depth, fmt::format("inorder {}, {} {{", names_(x.turn), expr(x.task)));
          block(x.body, depth + 1);
          line(depth, "}");
        },
        [&](const Allocate& x) {
          std::string_view kind = scalar::name_of(arena_.info(x.buffer).type.kind);
          const std::string at = x.offset < 0 ? std::string() : fmt::format(" at {}", x.offset);
          line(depth,
               fmt::format("alloc {} {}: {}[{}]{}", name_of(x.space), names_(x.buffer), kind, expr(x.n), at));
        },
        [&](const Sync& x) { line(depth, fmt::format("sync {}", name_of(x.level))); },
        [&](const Fail& x) {
          std::string more;
          for (Expr e : x.more) more += ", " + expr(e);
          const std::string group = x.group ? fmt::format(" per {}", expr(x.group)) : std::string();
          line(depth, fmt::format("fail @{}({}, {}, {}, {}{}){} when {}", x.site, expr(x.element),
                                  expr(x.stride), expr(x.value), expr(x.bound), more, group, expr(x.when)));
        });
  }
  std::string atomic(const Atomic& x) {
    const std::string old = x.name ? fmt::format("{} = ", names_(*x.name)) : std::string();
    const std::string at = access(x.at), value = expr(x.value);
    const std::string expects = x.expected ? " expects " + expr(x.expected) : std::string();
    return fmt::format("atomic {}{} {} by {}{}{}{}{}", old, name_of(x.what), at, value, expects,
                       x.acquire ? " acquire" : "", x.release ? " release" : "", when(x.at.mask));
  }
  std::string let(std::string_view keyword, Var name, Expr value) {
    std::string text = expr(value);
    return fmt::format("{} {} = {}", keyword, names_(name), text);
  }

  const Arena& arena_;
  const bool canonical_;
  scalar::Names names_;
  std::string text_;
  std::string number_;  // of the statement's line, which stands before its first line of text
  std::unordered_map<std::uint32_t, std::string> parts_;  // of the statement at hand, by node number
};

}  // namespace

std::string_view name_of(Atomic::What what) {
  constexpr std::string_view names[] = {"add",    "min",     "max",      "bit_and",
                                        "bit_or", "bit_xor", "exchange", "compare_exchange"};
  return names[static_cast<int>(what)];
}

std::string print(const Kernel& k) {
  return Printer(*k.arena, false).kernel(k, k.name);
}
std::string canonical(const Kernel& k) {
  return Printer(*k.arena, true).kernel(k, "k");
}
std::string print(const Arena& arena, const Stm& s) {
  return Printer(arena, false).one(s);
}

}  // namespace fulgurite::kernel
