#include "tool/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/match.h"
#include "base/text.h"
#include "scalar/value.h"
#include "trace/traced.h"

namespace fulgurite::tool {

using scalar::Op;
using soac::Expr;
using soac::Var;

Formula::Formula(std::int64_t constant) {
  if (constant != 0) terms_[{}] = constant;
}

Formula Formula::variable(std::string name, double share) {
  Formula result;
  if (share != 1) result.shares_[name] = share;
  result.terms_[{std::move(name)}] = 1;
  return result;
}

Formula operator+(Formula a, const Formula& b) {
  for (const auto& [product, coefficient] : b.terms_)
    if ((a.terms_[product] += coefficient) == 0) a.terms_.erase(product);
  a.shares_.insert(b.shares_.begin(), b.shares_.end());
  return a;
}

Formula operator-(Formula a, const Formula& b) {
  return std::move(a) + Formula(-1) * b;
}

Formula operator*(const Formula& a, const Formula& b) {
  Formula result;
  result.shares_ = a.shares_;
  result.shares_.insert(b.shares_.begin(), b.shares_.end());
  for (const auto& [product_a, coefficient_a] : a.terms_)
    for (const auto& [product_b, coefficient_b] : b.terms_) {
      std::vector<std::string> product;
      std::merge(product_a.begin(), product_a.end(), product_b.begin(), product_b.end(),
                 std::back_inserter(product));
      if ((result.terms_[product] += coefficient_a * coefficient_b) == 0) result.terms_.erase(product);
    }
  return result;
}

double Formula::at(double size) const {
  double sum = 0;
  for (const auto& [product, coefficient] : terms_) {
    double value = static_cast<double>(coefficient) * std::pow(size, static_cast<double>(product.size()));
    for (const std::string& variable : product)
      if (const auto share = shares_.find(variable); share != shares_.end()) value *= share->second;
    sum += value;
  }
  return sum;
}

std::optional<double> Formula::with(const std::map<std::string, double>& sizes) const {
  double sum = 0;
  for (const auto& [product, coefficient] : terms_) {
    double value = static_cast<double>(coefficient);
    for (const std::string& variable : product) {
      const auto size = sizes.find(variable);
      if (size == sizes.end()) return std::nullopt;
      value *= size->second;
    }
    sum += value;
  }
  return sum;
}

std::string Formula::text() const {
  if (terms_.empty()) return "0";
  // Large products first, the constant last.
  std::vector<std::pair<std::vector<std::string>, std::int64_t>> terms(terms_.begin(), terms_.end());
  std::stable_sort(terms.begin(), terms.end(),
                   [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  std::string text;
  for (const auto& [product, coefficient] : terms) {
    const std::int64_t magnitude = std::abs(coefficient);
    if (!text.empty() || coefficient < 0) text += text.empty() ? "-" : coefficient < 0 ? " - " : " + ";
    if (product.empty() || magnitude != 1) text += fmt::format("{}", magnitude);
    text += base::join(product, "*", [](const std::string& name) { return name; });
  }
  return text;
}

SizeNames::SizeNames(const soac::Program& program, const std::vector<std::string>& given)
    : program_(program), names_(*program.arena) {
  for (const soac::Stm& stm : program.body) {
    const auto* check = base::as<soac::Check>(stm.op);
    if (!check) continue;
    std::vector<Expr> conditions{check->condition};
    while (!conditions.empty()) {
      const Expr e = conditions.back();
      conditions.pop_back();
      if (e.op() == Op::bit_and) conditions.insert(conditions.end(), e.args().begin(), e.args().end());
      if (e.op() != Op::eq || !e.arg(0).is_name() || !e.arg(1).is_name()) continue;
      const Var a = representative(e.arg(0).var()), b = representative(e.arg(1).var());
      if (a != b) equal_to_[std::max(a, b)] = std::min(a, b);
    }
  }
  take_given(given);
  std::vector<std::string> taken;
  for (Var param : program.params) taken.emplace_back(name(param));
  std::vector<std::string> letters;
  for (const char* letter : {"n", "m", "k", "l", "p", "q", "r", "s"})
    if (std::find(taken.begin(), taken.end(), letter) == taken.end()) letters.emplace_back(letter);
  std::size_t next = 0;
  for (Var param : program.params)
    for (Expr extent : program.arena->info(param).shape) {
      if (!extent.is_name()) continue;
      std::string& name = chosen_[representative(extent.var())];
      if (name.empty()) name = next < letters.size() ? letters[next++] : std::string(names_(extent.var()));
    }
}

// Components of one argument share its name; each takes the next of the names after the first dot.
void SizeNames::take_given(const std::vector<std::string>& given) {
  std::unordered_map<std::string, std::vector<std::string>> parts_of;
  for (std::size_t k = 0; k < given.size(); ++k)
    if (!given[k].empty())
      parts_of[detail::parameter_name(static_cast<unsigned>(k + 1))] = base::split(given[k], '.');
  std::unordered_map<std::string, std::size_t> component;
  for (Var param : program_.params) {
    const scalar::VarInfo& info = program_.arena->info(param);
    const auto found = parts_of.find(info.name);
    if (found == parts_of.end()) continue;
    const std::vector<std::string>& parts = found->second;
    const std::size_t k = component[info.name]++;
    std::string name = parts[0];
    if (k + 1 < parts.size())
      name += "." + parts[k + 1];
    else if (k > 0)
      name += fmt::format("_{}", k);
    for (Expr extent : info.shape)
      if (extent.is_name()) {
        const std::string& own = program_.arena->info(extent.var()).name;
        given_[extent.var()] = own.substr(0, own.find('_') + 1) + name;
      }
    chosen_[representative(param)] = name;
    given_[param] = std::move(name);
  }
}

const std::string* SizeNames::given(Var v) const {
  const auto found = given_.find(v);
  return found == given_.end() ? nullptr : &found->second;
}

Var SizeNames::representative(Var v) const {
  for (auto found = equal_to_.find(v); found != equal_to_.end(); found = equal_to_.find(v)) v = found->second;
  return v;
}

std::string_view SizeNames::name(Var v) {
  const Var same = representative(v);
  const auto found = chosen_.find(same);
  return found != chosen_.end() ? std::string_view(found->second) : names_(same);
}

std::string SizeNames::text(Expr e) {
  std::string text;
  scalar::print(text, e, naming());
  return text;
}

scalar::NameOf SizeNames::naming() {
  return [this](Expr part) { return part.is_name() ? name(part.var()) : std::string_view(); };
}

namespace {

// f(...), to the bracket's end.
bool is_call(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_'))
    ++at;
  if (at == 0 || at == text.size() || text[at] != '(') return false;
  int depth = 0;
  for (; at + 1 < text.size(); ++at) {
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (depth == 0) return false;
  }
  return text.back() == ')';
}

// The size of an expression that reads no array, relative to sizes that are all equally large.
double share_of(Expr root) {
  constexpr std::int64_t large = 1 << 20;
  bool reads = false;
  scalar::for_each_node(std::span(&root, 1), [&](Expr e) { reads |= e.op() == Op::index; });
  if (reads) return 1;
  const auto value =
      static_cast<std::int64_t>(scalar::value_of(root, [](Var) { return static_cast<scalar::Bits>(large); }));
  return static_cast<double>(value) / static_cast<double>(large);
}

}  // namespace

Formula SizeNames::formula(Expr e) {
  switch (e.op()) {
    case Op::constant: return Formula(static_cast<std::int64_t>(e.bits()));
    case Op::add: return formula(e.arg(0)) + formula(e.arg(1));
    case Op::sub: return formula(e.arg(0)) - formula(e.arg(1));
    case Op::mul: return formula(e.arg(0)) * formula(e.arg(1));
    case Op::name: return Formula::variable(std::string(name(e.var())));
    default: {
      const std::string whole = text(e);
      return Formula::variable(is_call(whole) ? whole : "(" + whole + ")", share_of(e));
    }
  }
}

std::string SizeNames::type(Var v) {
  const scalar::VarInfo& info = program_.arena->info(v);
  const std::string kind(name_of(info.type.kind));
  if (info.type.rank == 0) return kind;
  return kind + "[" + base::join(info.shape, ", ", [&](Expr extent) { return formula(extent).text(); }) + "]";
}

Formula SizeNames::bytes(Var array) {
  const scalar::VarInfo& info = program_.arena->info(array);
  Formula bytes(static_cast<std::int64_t>(size_of(info.type.kind)));
  for (Expr extent : info.shape) bytes = bytes * formula(extent);
  return bytes;
}

}  // namespace fulgurite::tool
