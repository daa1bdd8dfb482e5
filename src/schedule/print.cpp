#include "schedule/print.h"

#include <fmt/format.h>

#include "base/match.h"
#include "scalar/lex.h"
#include "schedule/words.h"
#include "soac/print.h"

namespace fulgurite::schedule {

namespace {

class Printer {
 public:
  Printer(scalar::Arena& arena, scalar::Names& names)
      : arena_(arena), names_(names), name_of_variable_([this](Expr e) -> std::string_view {
          return e.is_name() ? names_(e.var()) : std::string_view();
        }) {}

  std::string operator()(const Launch& launch) {
    line(0, "launch " + launch.name);
    if (launch.vector_lanes != 0) line(0, fmt::format("vectors of {}", launch.vector_lanes));
    comment(0, launch.statement);
    if (launch.touched) line(0, "touched " + text(launch.touched));
    for (Var array : launch.memory) line(0, "memory " + binder(array));
    for (const Copy& copy : launch.copies)
      line(0, fmt::format("copy {} from {} fresh {}", name(copy.array), name(copy.from), text(copy.fresh)));
    for (const InPlace& each : launch.in_place)
      line(0, fmt::format("update {} of {}{}", name(each.array), name(each.from),
                          each.where ? " where " + text(each.where) : ""));
    for (const Reshaped& each : launch.reshaped)
      line(0, fmt::format("reshaped {} of {}", name(each.array), name(each.of)));
    for (const Landing& landing : launch.scalars)
      line(0, fmt::format("result {} = {}", name(landing.scalar), name(landing.array)));
    for (const Resident& each : launch.residents)
      line(0, fmt::format("resident {} threads {}", name(each.name), each.threads));
    for (const Given& each : launch.given)
      line(0, fmt::format("given {} = {} at {}", name(each.name), name(each.array), text(each.at)));
    for (const Computed& each : launch.computed) line(0, "computed " + name(each.array));
    for (const Phase& each : launch.phases) phase(each);
    return std::move(text_);
  }

 private:
  void line(int depth, const std::string& what) {
    text_.append(2 * static_cast<std::size_t>(depth), ' ');
    text_ += what;
    text_ += '\n';
  }
  void comment(int depth, const soac::Stm& stm) {
    const std::string computed = soac::print(arena_, stm, names_, {.locations = false});
    for (std::size_t at = 0; at < computed.size();) {
      const std::size_t end = std::min(computed.find('\n', at), computed.size());
      line(depth, "# " + computed.substr(at, end - at));
      at = end + 1;
    }
  }

  std::string name(Var var) { return std::string(names_(var)); }
  std::string text(Expr e) {
    std::string to;
    scalar::print(to, e, name_of_variable_);
    return to;
  }
  std::string list(const std::vector<Var>& arrays) {
    std::string text;
    for (Var array : arrays) text += (text.empty() ? " (" : ", ") + name(array);
    return text.empty() ? text : text + ")";
  }
  std::string binder(Var array) {
    const scalar::VarInfo& info = arena_.info(array);
    std::string shape;
    for (Expr extent : info.shape) shape += (shape.empty() ? "" : ", ") + text(extent);
    return fmt::format("{}: {}[{}]", name(array), scalar::name_of(info.type.kind), shape);
  }

  void phase(const Phase& phase) {
    line(0, "phase " + scalar::quoted(phase.name));
    comment(1, phase.computes);
    if (phase.guard) line(1, "guard " + text(phase.guard));
    if (phase.at_least_one) line(1, "at_least_one");
    if (phase.in_phase_before) line(1, "in_phase_before");
    for (const Constant& each : phase.constants)
      line(1, fmt::format("constant {} = {}", name(each.name), each.value));
    base::match(
        phase.walk, [&](const Nest& each) { nest(1, each); }, [&](const Skeleton& each) { skeleton(each); });
    for (const std::string& reason : phase.why) line(1, "why " + scalar::quoted(reason));
  }

  void skeleton(const Skeleton& skeleton) {
    std::string numbers;
    for (const Skeleton::Number& number : skeleton.numbers)
      numbers += fmt::format(" {} {}", scalar::quoted(number.name), number.value);
    line(1, fmt::format("skeleton {}{} tasks {}{}", scalar::quoted(skeleton.name), list(skeleton.memory),
                        text(skeleton.tasks), numbers));
  }

  void nest(int depth, const Nest& nest) {
    for (const Axis& axis : nest.axes)
      line(depth, fmt::format("axis {} {} {} extent {}{}{}{}{}", name_of(axis.role), axis.first, axis.count,
                              text(axis.extent), axis.by_number ? " by_number" : "",
                              axis.of == 0 ? "" : fmt::format(" of {}", axis.of),
                              axis.segments ? " segments " + text(axis.segments) : "",
                              axis.mirrored ? " mirrored" : ""));
    for (const Cut& cut : nest.cuts)
      line(depth, fmt::format("cut {} by {} {} {}{}", cut.axis, text(cut.size), name_of(cut.unit),
                              name_of(cut.tail), cut.rest == 0 ? "" : fmt::format(" {}", cut.rest)) +
                      (cut.left_out == 0 ? "" : fmt::format(" left_out {}", cut.left_out)) +
                      (cut.alone == 2 ? "" : fmt::format(" alone {}", cut.alone)));
    for (const Split& split : nest.splits) line(depth, "split " + text(split.condition));
    for (const Stage& each : nest.stages) stage(depth, each);
    for (const Combine& each : nest.combines) combine(depth, each);
    for (const Classes& each : nest.classes) classes(depth, each);
    if (nest.traffic != Traffic()) traffic(depth, nest.traffic);
    for (const Inner& inner : nest.inner) {
      line(depth, fmt::format("inner {} {}{}{}{{", inner.number,
                              inner.up_to == 0 ? "" : fmt::format("up_to {} ", inner.up_to),
                              inner.rows_up_to == 0 ? "" : fmt::format("rows_up_to {} ", inner.rows_up_to),
                              inner.at_least_one ? "at_least_one " : ""));
      this->nest(depth + 1, inner.nest);
      line(depth, "}");
    }
  }

  void stage(int depth, const Stage& stage) {
    std::string what;
    if (stage.read) what += " of " + text(stage.read);
    for (const Around& axis : stage.around) what += fmt::format(" around {} {}", axis.low, axis.high);
    if (stage.crosswise) what += " crosswise";
    if (stage.computed) what += " computed";
    line(depth, fmt::format("stage {} at {} {} {}{}", name(stage.array), stage.at, name_of(stage.space),
                            stage.size, what));
  }

  void combine(int depth, const Combine& combine) {
    std::string levels;
    for (const Combine::Level& level : combine.levels) {
      levels += fmt::format("{} {} {}", levels.empty() ? "" : ",", name_of(level.unit), name_of(level.how));
      if (level.n != 0) levels += fmt::format(" {}", level.n);
      if (level.room != 0) levels += fmt::format(" room {}", level.room);
      if (level.condition) levels += fmt::format(" if ({})", text(level.condition));
    }
    std::string ends;
    for (const Combine::End& end : combine.ends)
      ends += fmt::format(" end {} {} at {}", end.component, name(end.array), text(end.at));
    line(depth, fmt::format("combine {} {}{}{}{}", name_of(combine.part), combine.which, levels,
                            list(combine.memory), ends));
  }
  void classes(int depth, const Classes& classes) {
    std::string scans;
    for (std::size_t scan : classes.scans) scans += fmt::format(" {}", scan);
    line(depth, fmt::format("classes {} kept {} scans{}", name(classes.offsets), name(classes.kept), scans));
  }

  void traffic(int depth, const Traffic& traffic) {
    std::string what;
    const auto number = [&](std::string_view word, std::int64_t n) {
      if (n != 0) what += fmt::format(" {} {}", word, n);
    };
    number("streaming", traffic.streaming);
    if (traffic.touch) what += " touch";
    number("ahead", traffic.ahead);
    number("portion", traffic.portion);
    line(depth, "traffic" + what);
  }

  scalar::Arena& arena_;
  scalar::Names& names_;
  const scalar::NameOf name_of_variable_;
  std::string text_;
};

}  // namespace

std::string print(scalar::Arena& arena, const Launch& launch, scalar::Names& names) {
  return Printer(arena, names)(launch);
}

std::string print(scalar::Arena& arena, const Launch& launch) {
  scalar::Names names(arena);
  return print(arena, launch, names);
}

std::string_view name_of(Axis::Role role) {
  return word_of(roles, role);
}
std::string_view name_of(Unit unit) {
  return word_of(units, unit);
}
std::string_view name_of(Tail tail) {
  return word_of(tails, tail);
}
std::string_view name_of(Join how) {
  return word_of(joins, how);
}
std::string_view name_of(Combine::Part part) {
  return word_of(kinds_of_output, part);
}
std::string_view name_of(kernel::Space space) {
  return word_of(spaces, space);
}

}  // namespace fulgurite::schedule
