// Statements that kernels have after vectorise only, or that CPUs alone have a use for.
#include <algorithm>
#include <utility>

#include "emit/phase_printer.h"

namespace fulgurite::emit {

using scalar::Op;

namespace {

/// Lanes as the name of a function says them: 0to63 or 63to0, 0to62by2, 5 (one), 5n3 (three times the same),
/// runs joined by "_".
std::string lane_list(std::span<const std::int32_t> lanes) {
  std::string text;
  for (std::size_t begin = 0; begin < lanes.size();) {
    const std::int32_t first = lanes[begin];
    std::size_t end = begin + 1;
    const std::int32_t step = end < lanes.size() ? lanes[end] - first : 0;
    while (end < lanes.size() && lanes[end] - lanes[end - 1] == step) ++end;
    const std::size_t n = end - begin;
    if (!text.empty()) text += "_";
    text += std::to_string(first);
    if (n > 1 && step == 0) text += fmt::format("n{}", n);
    if (n > 1 && step != 0) text += fmt::format("to{}", lanes[end - 1]);
    if (n > 1 && step != 0 && step != 1 && step != -1) text += fmt::format("by{}", step < 0 ? -step : step);
    begin = end;
  }
  return text;
}

}  // namespace

void PhasePrinter::prefetch(const Stm& s, const kernel::Prefetch& x) {
  prepare(s);
  std::string ahead = fmt::format("{} * {}", inside(text(x.per_task), Precedence::product), dialect_.at_once);
  line(call(dialect_, "prefetch", info(x.buffer).type.kind, x.n,
            fmt::format("{}, {} + {}, {}", name(x.buffer), inside(text(x.index), Precedence::sum), ahead,
                        text(x.end).text)) +
       ";");
}
void PhasePrinter::permute(const Stm& s, const kernel::Permute& x) {
  prepare(s);
  Type type = info(x.name).type;
  if (!dialect_.has_vector_operators) {
    const std::string value = call(dialect_, "permute_" + lane_list(x.lanes), type.kind, x.low.type().lanes,
                                   vector(x.low) + ", " + vector(x.high));
    line(fmt::format("{} {} = {};", spelling(dialect_, type), bind(x.name), value));
    return;
  }
  std::string lanes;
  for (int l = 0; l < type.lanes; ++l) {
    const bool starts_line = l > 0 && l % 16 == 0;
    if (l > 0)
      lanes += starts_line ? ",\n" + std::string(static_cast<std::size_t>(2 * depth_ + 4), ' ') : ", ";
    lanes += std::to_string(x.lanes[static_cast<std::size_t>(l)]);
  }
  std::string value = fill(dialect_.shuffle, vector(x.low), vector(x.high), lanes);
  line(fmt::format("{} {} = {};", spelling(dialect_, type), bind(x.name), value));
}

void PhasePrinter::pick(const Stm& s, const kernel::Pick& x) {
  prepare(s);
  const Type type = info(x.name).type;
  std::string value = text(x.value).text;
  if (!text(x.value).is_scalar)
    value = dialect_.has_vector_operators
                ? fmt::format("{}[{}]", inside(text(x.value), Precedence::primary), x.from)
                : call(dialect_, fmt::format("pick_{}", x.from), type.kind, x.value.type().lanes, value);
  line(fmt::format("{} {} = {};", spelling(dialect_, type), bind(x.name), value));
}
void PhasePrinter::pack(const Stm& s, const kernel::Pack& x) {
  prepare(s);
  flush([&](Var v) { return v == x.next; });
  const int lanes = x.keep ? x.keep.type().lanes : x.values.empty() ? 1 : x.values[0].type().lanes;
  const Type mask{Kind::boolean, 0, static_cast<std::uint16_t>(lanes)};
  std::string keep = x.keep ? initialiser(x.keep, mask) : as_value(dialect_, {"1"}, mask);
  if (!x.buffers.empty()) {
    std::string name = names_.fresh("keep");
    line(fmt::format("{} {} = {};", spelling(dialect_, mask), name, keep));
    keep = std::move(name);
  }
  for (std::size_t k = 0; k < x.buffers.size(); ++k)
    line(call(dialect_, "pack", info(x.buffers[k]).type.kind, lanes,
              fmt::format("&{}[{}], {}, {}", name(x.buffers[k]), name(x.next), vector(x.values[k]), keep)) +
         ";");
  line(fmt::format("{} += {};", name(x.next), call(dialect_, "count", Kind::boolean, lanes, keep)));
}

// One call for each group of lanes and of as many steps as a piece of 16 bytes has.
void PhasePrinter::transpose(const Stm& s, const kernel::Transpose& x) {
  constexpr int piece_bytes = 16, line_bytes = 64;
  prepare(s);
  Kind kind = info(x.tile).type.kind;
  if (kind == Kind::boolean) kind = Kind::u8;  // as in memory
  const auto bytes = static_cast<int>(size_of(kind));
  const int steps = std::min({x.steps, x.width, piece_bytes / bytes});
  const std::string index = inside(text(x.from.index), Precedence::sum);
  const std::string stride = inside(text(x.from.stride), Precedence::product);
  auto plus = [](const std::string& offset) { return " + " + offset; };
  for (int group = 0; group < x.lanes; group += x.width) {
    const std::string runs = fmt::format("&{}[{}{}", name(x.from.buffer), index,
                                         group == 0 ? "" : plus(fmt::format("{} * {}", group, stride)));
    if (x.ahead > 0)
      line(call(dialect_, "fetch_runs", kind, x.width,
                fmt::format("{}], {}, {}, {}", runs, stride, line_bytes / bytes, x.ahead)) +
           ";");
    for (int step = 0; step < x.steps; step += steps)
      line(call(dialect_, fmt::format("transpose_{}", steps), kind, x.width,
                fmt::format("&{}[{}], {}{}], {}, {}", name(x.tile), step * x.lanes + group, runs,
                            step == 0 ? "" : plus(std::to_string(step)), stride, x.lanes)) +
           ";");
  }
}

void PhasePrinter::in_order(const Stm& s, const kernel::InOrder& x) {
  prepare(s);
  Value task = values_.at(x.task.id());
  std::string turn = fmt::format("&{}[0], {}", name(x.turn), task.text.text);
  flush_all_that_vary();
  line(call(dialect_, "await_turn", Kind::i64, 1, fmt::format("{}, {}", dialect_.context, turn)) + ";");
  line("{");
  block(x.body);
  line("}");
  line(call(dialect_, "pass_turn", Kind::i64, 1, turn) + ";");
}
}  // namespace fulgurite::emit
