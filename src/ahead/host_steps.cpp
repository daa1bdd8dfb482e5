#include "ahead/host_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "base/match.h"
#include "base/text.h"

namespace fulgurite::ahead {

using emit::Precedence;
using plan::Place;

HostSteps::HostSteps(const Program& program, const emit::Dialect& dialect, emit::Names& names)
    : program_(program), dialect_(dialect), names_(names), slots_(program.plan, dialect, names) {
  for (const plan::Result& result : program.plan.results)
    if (result.rank > 0) ++n_results_[result.place];
  for (const KernelText& kernel : program.kernels)
    can_fail_ = can_fail_ || kernel.phases.find("fg_fail") != std::string::npos;
}

void HostSteps::set_scalar(std::size_t param, const std::string& name) {
  slots_.set_parameter(program_.plan.params[param].slot, name, false);
}

void HostSteps::set_array(std::size_t param, const std::string& pointer,
                          const std::vector<std::string>& extents) {
  const plan::Param& p = program_.plan.params[param];
  for (std::size_t k = 0; k < extents.size(); ++k)
    slots_.set_parameter(p.slot + static_cast<Slot>(k), extents[k], true);
  given_[p.place] = {pointer, extents};
}

void HostSteps::set_result(std::size_t result, const std::string& pointer, const std::string& capacity,
                           const std::string& size) {
  wanted_[result] = {pointer, capacity, size};
}

// As the first kernel calls it that writes it.
void HostSteps::want_names(const plan::Steps& steps) {
  for (const plan::Step& step : steps)
    base::match(
        step.action,
        [&](const plan::Launch& s) {
          const std::vector<std::string>& buffers =
              program_.kernels[static_cast<std::size_t>(s.kernel)].buffers;
          for (std::size_t k = 0; k < s.buffers.size(); ++k)
            if (!buffers[k].empty()) wanted_names_.try_emplace(s.buffers[k], buffers[k]);
        },
        [&](const plan::If& s) {
          want_names(s.then_steps);
          want_names(s.else_steps);
        },
        [&](const plan::While& s) {
          want_names(s.head);
          want_names(s.body);
        },
        [&](const plan::Converge& s) {
          want_names(s.head);
          want_names(s.body);
        },
        [](const auto&) {});
}

// Places that are only read are the caller's; all others, and places that share memory, are arrays.
void HostSteps::name_places(const plan::Steps& steps) {
  const auto name = [&](Place p, const char* usual) {
    if (number_.contains(p)) return;
    const auto wanted = wanted_names_.find(p);
    number_[p] = names_.fresh(wanted == wanted_names_.end() ? usual : wanted->second);
  };
  for (const plan::Step& step : steps)
    base::match(
        step.action,
        [&](const plan::Allocate& s) {
          name(s.place, "array");
          ++n_allocations_[s.place];
        },
        [&](const plan::Share& s) {
          name(s.to, "array");
          name(s.from, "array");
        },
        [&](const plan::Reuse& s) {
          name(s.to, "array");
          name(s.from, "array");
          ++n_allocations_[s.to];
        },
        [&](const plan::Shrink& s) { name(s.place, "array"); },
        [&](const plan::If& s) {
          name_places(s.then_steps);
          name_places(s.else_steps);
        },
        [&](const plan::While& s) {
          name_places(s.head);
          name_places(s.body);
        },
        [&](const plan::Converge& s) {
          name_places(s.head);
          name_places(s.body);
        },
        [](const auto&) {});
}

std::string HostSteps::body() {
  want_names(program_.plan.steps);
  name_places(program_.plan.steps);
  for (const plan::Result& result : program_.plan.results)
    if (result.rank > 0 && !number_.contains(result.place)) number_[result.place] = names_.fresh("array");
  std::size_t n = 0;
  for (auto& [place, name] : number_) line(fmt::format("fg_array* const {} = &arrays[{}];", name, n++));
  for (const std::string& declaration : slots_.declarations()) line(declaration);
  for (const auto& [place, name] : number_) {
    const auto given = given_.find(place);
    if (given == given_.end()) continue;
    most_axes_ = std::max(most_axes_, static_cast<int>(given->second.extents.size()));
    line(fmt::format("{}->data = (void*){};", name, given->second.pointer));
    for (std::size_t k = 0; k < given->second.extents.size(); ++k)
      line(fmt::format("{}->size[{}] = {};", name, k, given->second.extents[k]));
  }
  steps(program_.plan.steps);
  end();
  for (std::size_t r = 0; r < program_.plan.results.size(); ++r) {
    const plan::Result& result = program_.plan.results[r];
    if (result.rank > 0)
      deliver(result, wanted_.at(r));
    else
      line(fmt::format("{} = {};", wanted_.at(r).pointer, slots_.text(result.slot, result.kind)));
  }
  line("return FG_OK;");
  return text_;
}

std::string HostSteps::resident(const plan::Resident&) {
  FULGURITE_CHECK(false, "program '{}' asks how many blocks run at once, which its target does not tell",
                  program_.name);
}

void HostSteps::line(const std::string& text) {
  text_ += std::string(static_cast<std::size_t>(2 * depth_), ' ') + text + "\n";
}

void HostSteps::steps(const plan::Steps& all) {
  for (const plan::Step& s : all) base::match(s.action, [&](const auto& action) { step(action); });
}

std::string HostSteps::array(Place p) const {
  return number_.at(p);
}

std::string HostSteps::data(Place p) const {
  const auto own = number_.find(p);
  return (own == number_.end() ? "(void*)" : "") + pointer(p);
}

std::string HostSteps::pointer(Place p) const {
  const auto own = number_.find(p);
  return own == number_.end() ? given_.at(p).pointer : own->second + "->data";
}

std::string HostSteps::shape_text(const std::vector<Slot>& shape) {
  return base::join(shape, ", ", [&](Slot s) { return slots_.text(s, Kind::i64); });
}

void HostSteps::step(const plan::Compute& s) {
  if (s.site != 0) {
    can_fail_ = true;
    line(fmt::format("if ({} == 0) return fg_fail(call, &sites[{}], 0, 0, 0);",
                     slots_.text(s.b, s.operand, Precedence::relation), s.site - 1));
  }
  if (const std::string text = slots_.compute(s); !text.empty()) line(text);
}
void HostSteps::step(const plan::Constant& s) {
  if (const std::string text = slots_.constant(s); !text.empty()) line(text);
}
void HostSteps::step(const plan::Copy& s) {
  if (const std::string text = slots_.copy(s); !text.empty()) line(text);
}

void HostSteps::step(const plan::Check& s) {
  if (slots_.known(s.condition) == 1u) return;
  can_fail_ = true;
  const std::string condition = slots_.text(s.condition, Kind::boolean, Precedence::unary);
  if (s.operands.empty()) {
    line(fmt::format("if (!{}) return fg_fail(call, &sites[{}], 0, 0, 0);", condition, s.site - 1));
    return;
  }
  line(fmt::format("if (!{}) {{", condition));
  line(fmt::format("  const i64 values[] = {{{}}};", shape_text(s.operands)));
  line(fmt::format("  return fg_fail(call, &sites[{}], 0, {}, values);", s.site - 1, s.operands.size()));
  line("}");
}

// In the caller's memory where this is the only time that the result is made.
void HostSteps::allocate(Place place, Kind kind, const std::vector<Slot>& shape, scalar::Site site,
                         bool may_be_result) {
  most_axes_ = std::max(most_axes_, static_cast<int>(shape.size()));
  std::string where = "0, 0";
  std::optional<std::size_t> result;
  if (may_be_result && n_loops_ == 0 && n_allocations_[place] == 1 && n_results_[place] == 1)
    for (const auto& [r, wanted] : wanted_)
      if (program_.plan.results[r].place == place) {
        where = wanted.pointer + ", " + wanted.capacity;
        result = r;
      }
  line("{");
  line(fmt::format("  const i64 size[] = {{{}}};", shape_text(shape)));
  if (result) make_room(*result);
  std::string made = fmt::format("fg_allocate(run, {}, sizeof({}), {}, size, {})", array(place),
                                 kind == Kind::boolean ? "u8" : type(kind), shape.size(), where);
  if (site != 0) {
    can_fail_ = true;
    made = fmt::format("fg_made({}, call, &sites[{}])", made, site - 1);
  }
  line(fmt::format("  FG_TRY({});", made));
  line("}");
}

void HostSteps::step(const plan::Allocate& s) {
  allocate(s.place, s.kind, s.shape, s.site, true);
}
void HostSteps::step(const plan::Share& s) {
  line(fmt::format("fg_share(run, {}, {});", array(s.to), array(s.from)));
}

void HostSteps::step(const plan::Reuse& s) {
  if (!s.is_last) {
    if (const std::string text = slots_.assign(s.fresh, "1"); !text.empty()) line(text);
    allocate(s.to, s.kind, s.shape, s.site, true);
    return;
  }
  // The slot says so to launches that copy.
  std::string is_taken = fmt::format("fg_is_alone({})", array(s.from));
  if (s.where != plan::Reuse::always)
    is_taken = fmt::format("({} && {})", slots_.text(s.where, Kind::boolean, Precedence::relation), is_taken);
  const std::string text = slots_.assign(s.fresh, is_taken + " ? 0 : 1");
  if (!text.empty()) line(text);
  const std::string test =
      text.empty() ? is_taken : slots_.text(s.fresh, Kind::i64, Precedence::relation) + " == 0";
  line(fmt::format("if ({}) {{", test));
  line(fmt::format("  fg_share(run, {}, {});", array(s.to), array(s.from)));
  line("} else {");
  ++depth_;
  allocate(s.to, s.kind, s.shape, s.site, false);
  --depth_;
  line("}");
}

void HostSteps::step(const plan::CopyArray& s) {
  const std::string bytes = fmt::format("{}->bytes", array(s.to));
  const auto fresh = slots_.known(s.fresh);
  const std::string copy = copied(data(s.to), data(s.from), bytes);
  if (fresh)
    line(copy);
  else
    line(fmt::format("if ({} != 0) {}", slots_.text(s.fresh, Kind::i64, Precedence::relation), copy));
}

void HostSteps::step(const plan::Shrink& s) {
  line(fmt::format("{}->size[0] = {};", array(s.place), slots_.text(s.extent, Kind::i64)));
}
void HostSteps::step(const plan::Release& s) {
  if (number_.contains(s.place)) line(fmt::format("fg_release(run, {});", array(s.place)));
}
void HostSteps::fetched(const plan::Fetch& s, const std::string& value) {
  if (const std::string text = slots_.assign(s.to, value); !text.empty()) line(text);
}

void HostSteps::step(const plan::If& s) {
  line(fmt::format("if ({}) {{", slots_.text(s.condition, Kind::boolean)));
  ++depth_;
  steps(s.then_steps);
  --depth_;
  if (!s.else_steps.empty()) {
    line("} else {");
    ++depth_;
    steps(s.else_steps);
    --depth_;
  }
  line("}");
}

void HostSteps::step(const plan::While& s) {
  ++n_loops_;
  line("for (;;) {");
  ++depth_;
  steps(s.head);
  line(fmt::format("if (!{}) break;", slots_.text(s.condition, Kind::boolean, Precedence::unary)));
  steps(s.body);
  --depth_;
  line("}");
  --n_loops_;
}

// The condition is asked for in each iteration.
void HostSteps::step(const plan::Converge& s) {
  ++n_loops_;
  const std::string flag = names_.fresh("goes_on");
  line(fmt::format("FG_TRY(fg_set_flags(run, {}));", array(s.flags)));
  line("for (;;) {");
  ++depth_;
  steps(s.head);
  line(fmt::format("i32 {} = 0;", flag));
  line(fmt::format("FG_TRY({});", fetch_call(data(s.flags), flag)));
  line(fmt::format("if (!{}) break;", flag));
  steps(s.body);
  --depth_;
  line("}");
  --n_loops_;
}

}  // namespace fulgurite::ahead
