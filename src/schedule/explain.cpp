#include "schedule/explain.h"

#include <fmt/format.h>

#include "base/match.h"
#include "base/text.h"
#include "schedule/words.h"

namespace fulgurite::schedule {

namespace {

using Text = std::function<std::string(Expr)>;

constexpr Word<Axis::Role> verbs[] = {
    {Axis::Role::free, "mapped"}, {Axis::Role::fold, "reduced"}, {Axis::Role::scan, "taken in order"}};
constexpr Word<Unit> takers[] = {
    {Unit::grid, "tasks of {}"},      {Unit::turn, "tasks of {}, which take turns"},
    {Unit::sequence, "pieces of {}"}, {Unit::lane, "{} lanes"},
    {Unit::thread, "{} threads"},     {Unit::registers, "{} neighbours together"}};

// Guards are 1 and 0: select(c, 1, 0), 1 - select(c, 1, 0), or whether an array is copied.
std::string condition(const Launch& launch, Expr guard, const Text& text) {
  for (const Copy& copy : launch.copies)
    if (copy.fresh == guard) return "the array does not have the memory of the one that it begins as";
  const bool is_other = guard.op() == scalar::Op::sub;
  const Expr choice = is_other ? guard.arg(1) : guard;
  if (choice.op() != scalar::Op::select) return text(guard) + " = 1";
  return is_other ? fmt::format("not ({})", text(choice.arg(0))) : text(choice.arg(0));
}

// Cuts of one unit are told together: "tasks of 16 by 128".
void add(const Nest& nest, const std::string& before, const Text& text, std::vector<std::string>& all) {
  const std::string points = base::join(nest.axes, " by ", [&](const Axis& a) { return text(a.extent); });
  std::string words =
      fmt::format("{}{} points are {}", before, points, word_of(verbs, nest.axes.back().role));
  for (std::size_t k = 0; k < nest.cuts.size();) {
    const Unit unit = nest.cuts[k].unit;
    std::string sizes = text(nest.cuts[k].size);
    while (++k < nest.cuts.size() && nest.cuts[k].unit == unit) sizes += " by " + text(nest.cuts[k].size);
    words += "; " + fmt::format(fmt::runtime(word_of(takers, unit)), sizes);
  }
  all.push_back(std::move(words));
  for (const Inner& inner : nest.inner) {
    const std::string up_to = inner.up_to > 0 ? fmt::format("up to {} of ", inner.up_to) : "";
    const std::string rows = inner.rows_up_to > 0 ? fmt::format(", rows of up to {}", inner.rows_up_to) : "";
    if (inner.number != 0)
      add(inner.nest, fmt::format("inner {}{}: {}", inner.number, rows, up_to), text, all);
  }
}

}  // namespace

std::vector<PhaseInWords> in_words(const Launch& launch, const scalar::NameOf& name_of) {
  const Text text = [&](Expr e) {
    std::string to;
    scalar::print(to, e, name_of);
    return to;
  };
  std::vector<PhaseInWords> all;
  for (const Phase& phase : launch.phases) {
    PhaseInWords& words = all.emplace_back(PhaseInWords{phase.name, "", {}, phase.why});
    if (phase.guard) words.where = condition(launch, phase.guard, text);
    if (const auto* nest = base::as<Nest>(phase.walk)) add(*nest, "", text, words.walk);
    if (const auto* each = base::as<Skeleton>(phase.walk))
      words.walk.push_back(fmt::format("{} by {} task{}", each->name, text(each->tasks),
                                       each->tasks.is_constant(1) ? "" : "s"));
  }
  return all;
}

}  // namespace fulgurite::schedule
