#include "ahead/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ahead/sections.h"
#include "ahead/signature.h"
#include "ahead/slots.h"
#include "base/match.h"
#include "emit/host_prelude.h"

namespace fulgurite::ahead {
namespace {

using plan::Place;

// The sizes with which arrays are made, as expressions of what the caller knows. Loops are looked at until
// nothing new is found: what comes into their state may come out of it.
class Sizes {
 public:
  explicit Sizes(const Program& program, const ResidentText& resident = {})
      : slots_(program.plan, emit::host, names_, Slots::Locals::none), resident_(resident) {
    for (const std::string& name : size_arguments(program)) names_.fresh(name);
    std::size_t p = 0;
    for (const Value& value : program.parameters)
      for (std::size_t c = 0; c < value.kinds.size(); ++c, ++p) {
        const plan::Param& param = program.plan.params[p];
        if (value.rank == 0) {
          slots_.set_parameter(param.slot, component_name(value, c), false);
          known_.insert(param.slot);
        } else {
          give(param, extent_names(value));
        }
      }
    for (const Captured& array : program.captured) {
      std::vector<std::string> extents;
      for (const std::int64_t n : array.extents) extents.push_back(fmt::format("(i64){}", n));
      give(program.plan.params[p++], extents);
    }
    look(program.plan.steps, false);
  }

  /// Absent: unknown.
  std::optional<std::set<std::string>> elements(Place place) const {
    const auto found = sizes_.find(place);
    if (found == sizes_.end() || found->second.contains(unknown)) return std::nullopt;
    return found->second;
  }
  /// Bytes of each array that is made. Arrays in loops count twice, for the old and the new state.
  std::optional<std::vector<std::string>> bytes() const {
    std::vector<std::string> all;
    for (const auto& [key, text] : made_) {
      if (text == unknown) return std::nullopt;
      all.push_back(text);
    }
    return all;
  }
  /// Statements that define what the text names.
  std::string definitions(const std::string& text) const {
    std::string all;
    for (const auto& [name, definition] : definitions_)
      if (mentions(text, name)) all += definition;
    return all;
  }

 private:
  static constexpr const char* unknown = "?";

  void give(const plan::Param& param, const std::vector<std::string>& extents) {
    std::string product;
    for (std::size_t k = 0; k < extents.size(); ++k) {
      slots_.set_parameter(param.slot + static_cast<Slot>(k), extents[k], true);
      known_.insert(param.slot + static_cast<Slot>(k));
      product += (k == 0 ? "" : " * ") + extents[k];
    }
    sizes_[param.place] = {product};
  }

  bool is_known(Slot s) const { return known_.contains(s) && !slots_.facts().is_variable(s); }

  std::string product(const std::vector<Slot>& shape) {
    std::string text;
    for (const Slot s : shape) {
      if (!is_known(s)) return unknown;
      const std::string extent = slots_.text(s, Kind::i64, emit::Precedence::product);
      text += (text.empty() ? "" : " * ") + extent;
    }
    return text.empty() ? "1" : text;
  }

  void make(const plan::Step& step, Place place, Kind kind, const std::vector<Slot>& shape, bool in_loop) {
    const std::string n = product(shape);
    add(place, {n});
    made_[&step] =
        n == unknown ? n : fmt::format("{}fg_room({}, {})", in_loop ? "2 * " : "", n, scalar::size_of(kind));
  }
  void add(Place place, const std::set<std::string>& sizes) {
    std::set<std::string>& all = sizes_[place];
    const std::size_t before = all.size();
    all.insert(sizes.begin(), sizes.end());
    changes_ = changes_ || all.size() != before;
  }

  void look(const plan::Steps& steps, bool in_loop) {
    for (const plan::Step& step : steps)
      base::match(
          step.action,
          [&](const plan::Compute& s) {
            if (slots_.facts().is_variable(s.to) || known_.contains(s.to)) return;
            for (int i = 0; i < n_operands(s); ++i)
              if (!is_known(operand(s, i))) return;
            (void)slots_.compute(s);
            known_.insert(s.to);
          },
          [&](const plan::Constant& s) {
            if (slots_.facts().is_variable(s.to)) return;
            (void)slots_.constant(s);
            known_.insert(s.to);
          },
          [&](const plan::Copy& s) {
            if (slots_.facts().is_variable(s.to) || known_.contains(s.to) || !is_known(s.from)) return;
            (void)slots_.copy(s);
            known_.insert(s.to);
          },
          [&](const plan::Resident& s) {
            if (!resident_ || slots_.facts().is_variable(s.to) || known_.contains(s.to)) return;
            const std::string name = names_.fresh("resident");
            definitions_.emplace_back(name, fmt::format("  const i64 {} = {};\n", name, resident_(s)));
            slots_.set_parameter(s.to, name, false);
            known_.insert(s.to);
          },
          [&](const plan::Allocate& s) { make(step, s.place, s.kind, s.shape, in_loop); },
          [&](const plan::Reuse& s) { make(step, s.to, s.kind, s.shape, in_loop); },
          [&](const plan::Share& s) { add(s.to, sizes_[s.from]); },
          [&](const plan::If& s) {
            look(s.then_steps, in_loop);
            look(s.else_steps, in_loop);
          },
          [&](const plan::While& s) { look_often(s.head, s.body); },
          [&](const plan::Converge& s) { look_often(s.head, s.body); }, [](const auto&) {});
  }
  void look_often(const plan::Steps& head, const plan::Steps& body) {
    for (changes_ = true; changes_;) {
      changes_ = false;
      look(head, true);
      look(body, true);
    }
    changes_ = true;  // around an outer loop once more
    changes_ = false;
  }

  emit::Names names_;
  Slots slots_;
  const ResidentText resident_;
  std::vector<std::pair<std::string, std::string>> definitions_;  // names and statements
  std::set<Slot> known_;
  std::map<Place, std::set<std::string>> sizes_;
  std::map<const plan::Step*, std::string> made_;
  bool changes_ = false;
};

// The statements after the ones that name what they do not use.
std::string with_unused(const Program& program, const std::string& text) {
  return unused_text(size_arguments(program), text) + text;
}

}  // namespace

std::string capacity_text(const Program& program, std::size_t result) {
  const Sizes sizes(program);
  const auto all = sizes.elements(program.plan.results[result].place);
  if (!all || all->empty()) return with_unused(program, "  return -1;\n");
  if (all->size() == 1) return with_unused(program, fmt::format("  return {};\n", *all->begin()));
  std::string text = "  i64 most = 0;\n";
  for (const std::string& n : *all) text += fmt::format("  if (most < {0}) most = {0};\n", n);
  return with_unused(program, text + "  return most;\n");
}

std::string workspace_text(const Program& program, std::int64_t others, const ResidentText& resident) {
  const Sizes sizes(program, resident);
  const auto all = sizes.bytes();
  if (!all) return with_unused(program, "  return -1;\n");
  std::string sum = others == 0 && !all->empty() ? std::string() : std::to_string(others);
  for (const std::string& bytes : *all) sum += (sum.empty() ? "" : " + ") + bytes;
  return with_unused(program, sizes.definitions(sum) + fmt::format("  return {};\n", sum));
}

}  // namespace fulgurite::ahead
