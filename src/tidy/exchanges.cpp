#include "tidy/exchanges.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/check.h"
#include "kernel/traverse.h"

namespace fulgurite::tidy {
namespace {

using namespace kernel;
using scalar::Op;

bool has_shuffle(const Block& block) {
  bool found = false;
  for_each_stm(block, [&](const Stm& s) { found |= std::holds_alternative<Shuffle>(s.op); });
  return found;
}

class Exchanges {
 public:
  explicit Exchanges(Arena& arena) : arena_(arena) {}

  Block operator()(const Block& body) {
    Block out;
    for (const Stm& s : body) {
      const auto* par = std::get_if<Par>(&s.op);
      if (par != nullptr && par->level == Level::block) {
        taken_apart(*par, s.line, out);
        continue;
      }
      Parts parts;
      parts.block = [&](const Block& inner) { return (*this)(inner); };
      out.push_back(map_children(s, parts));
    }
    return out;
  }

 private:
  void taken_apart(const Par& par, std::uint32_t line, Block& out) {
    const auto at =
        std::ranges::find_if(par.body, [](const Stm& s) { return std::holds_alternative<Shuffle>(s.op); });
    if (at == par.body.end()) {
      FULGURITE_CHECK(!has_shuffle(par.body),
                      "a Shuffle in a branch or loop of an instance is not taken apart");
      out.push_back({par, line});
      return;
    }
    const auto& shuffle = std::get<Shuffle>(at->op);
    Block before(par.body.begin(), at), behind(at + 1, par.body.end());
    FULGURITE_CHECK(!has_shuffle(before), "a Shuffle in a branch or loop of an instance is not taken apart");
    const Expr t = arena_.name(par.name), next = arena_.fresh({Kind::i64}, arena_.info(par.name).name);
    std::unordered_map<Var, Expr> renamed{{par.name, next}};

    Block taken = kept(before, shuffle.from, behind, par, out, renamed);
    const Var exchanged = array(arena_.info(shuffle.name).type.kind, par, "exchanged", line, out);
    before.push_back({Store{{exchanged, t, arena_.i64(1), {}}, shuffle.value, false}, at->line});
    const Expr width = arena_.i64(shuffle.width);
    const Expr first = next & (0 - width);
    const Expr lane = scalar::substitute(arena_, shuffle.from, renamed) & (width - 1);
    taken.push_back({Load{shuffle.name, {exchanged, first + lane, arena_.i64(1), {}}}, at->line});
    behind = substitute(arena_, behind, renamed);
    taken.insert(taken.end(), behind.begin(), behind.end());
    out.push_back({Par{par.level, par.name, par.n, std::move(before)}, line});
    taken_apart({par.level, next.var(), par.n, std::move(taken)}, line, out);
  }

  /// What is made before the shuffle and needed after it: `before` ends by storing it, and what is
  /// given back fetches it. `renamed` has the new names.
  Block kept(Block& before, Expr from, const Block& behind, const Par& par, Block& out,
             std::unordered_map<Var, Expr>& renamed) {
    std::unordered_set<Var> needed;
    const auto need = [&](Expr e) {
      scalar::for_each_node(std::span(&e, 1), [&](Expr node) {
        if (node.is_name()) needed.insert(node.var());
      });
    };
    need(from);
    const Names names = names_of(behind);
    needed.insert(names.reads.begin(), names.reads.end());
    needed.insert(names.assigns.begin(), names.assigns.end());

    std::unordered_set<Var> varies;  // what is made here and cannot be computed again
    for (const Stm& s : before)
      for (Var v : names_of({s}).binds)
        if (const auto* let = std::get_if<Let>(&s.op); let == nullptr || !is_number(let->value, varies))
          varies.insert(v);
    for (auto s = before.rbegin(); s != before.rend(); ++s)
      if (const auto* let = std::get_if<Let>(&s->op);
          let != nullptr && needed.contains(let->name) && !varies.contains(let->name))
        need(let->value);

    Block taken, stores;
    for (const Stm& s : before) {
      if (const auto* let = std::get_if<Let>(&s.op); let != nullptr && !varies.contains(let->name)) {
        if (!needed.contains(let->name)) continue;
        const Expr again = arena_.fresh(let->value.type(), arena_.info(let->name).name);
        taken.push_back({Let{again.var(), scalar::substitute(arena_, let->value, renamed)}, s.line});
        renamed.emplace(let->name, again);
        continue;
      }
      const auto made = name_of(s);
      if (!made || !needed.contains(*made)) continue;
      FULGURITE_CHECK(!std::holds_alternative<Allocate>(s.op),
                      "an array of one thread is kept over a Shuffle");
      const scalar::VarInfo info = arena_.info(*made);
      const Var place = array(info.type.kind, par, "kept", s.line, out);
      stores.push_back(
          {Store{{place, arena_.name(par.name), arena_.i64(1), {}}, arena_.name(*made), false}, s.line});
      Expr fetched = arena_.fresh(info.type, info.name);
      taken.push_back({Load{fetched.var(), {place, renamed.at(par.name), arena_.i64(1), {}}}, s.line});
      if (std::holds_alternative<Declare>(s.op)) {
        const Expr variable = arena_.fresh(info.type, info.name);
        taken.push_back({Declare{variable.var(), fetched}, s.line});
        fetched = variable;
      }
      renamed.emplace(*made, fetched);
    }
    before.insert(before.end(), stores.begin(), stores.end());
    return taken;
  }

  /// Integers and conditions of names that do not vary.
  static bool is_number(Expr root, const std::unordered_set<Var>& varies) {
    bool is = root.type() == Type{Kind::i64} || root.type() == Type{Kind::boolean};
    scalar::for_each_node(std::span(&root, 1),
                          [&](Expr e) { is &= !e.is_name() || !varies.contains(e.var()); });
    return is;
  }

  /// The name that the statement makes for later ones.
  static std::optional<Var> name_of(const Stm& s) {
    std::optional<Var> made;
    Parts parts;
    parts.block = [](const Block&) { return Block(); };
    parts.var = [&](Var v, Use use) {
      if (use == Use::binds) made = v;
      return v;
    };
    if (!std::holds_alternative<For>(s.op)) map_children(s, parts);
    return made;
  }

  Var array(Kind kind, const Par& par, const char* name, std::uint32_t line, Block& out) {
    const Expr made = arena_.fresh_array(kind, {par.n}, name);
    out.push_back({Allocate{made.var(), Space::shared, par.n}, line});
    return made.var();
  }

  Arena& arena_;
};

}  // namespace

const kernel::Pass exchanges{
    .name = "exchanges",
    .description = "a Par ends where its instances exchange values; what they exchange goes through arrays",
    .run = kernel::on_body<[](Arena& arena, const Block& body) { return Exchanges(arena)(body); }>};

}  // namespace fulgurite::tidy
