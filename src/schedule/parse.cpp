#include "schedule/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "scalar/parse.h"
#include "schedule/print.h"
#include "schedule/words.h"

namespace fulgurite::schedule {

namespace {

// The variables of a launch by the names that it is printed with.
std::unordered_map<std::string, Var> names_in(scalar::Arena& arena, const Launch& launch) {
  scalar::Names names(arena);
  print(arena, launch, names);
  std::unordered_map<std::string, Var> variables;
  for (std::size_t v = 0; v < arena.n_vars(); ++v)
    if (names.has(static_cast<Var>(v))) variables.emplace(names(static_cast<Var>(v)), static_cast<Var>(v));
  return variables;
}

class Parser {
 public:
  Parser(scalar::Arena& arena, std::string_view text, const Launch& original, std::string file)
      : arena_(arena),
        original_(original),
        variables_(names_in(arena, original)),
        lexer_(text, std::move(file)),
        lookup_([this](std::string_view name) {
          const auto found = variables_.find(std::string(name));
          return found == variables_.end() ? Expr() : arena_.name(found->second);
        }) {}

  Launch operator()() {
    Launch launch;
    launch.statement = original_.statement;
    lexer_.expect("launch");
    launch.name = lexer_.name();
    if (lexer_.accept("vectors")) {
      lexer_.expect("of");
      launch.vector_lanes = number();
    }
    if (lexer_.accept("touched")) launch.touched = expr();
    while (lexer_.accept("memory")) launch.memory.push_back(memory());
    while (lexer_.accept("copy")) launch.copies.push_back(copy());
    while (lexer_.accept("result")) launch.scalars.push_back(landing());
    while (lexer_.accept("resident")) launch.residents.push_back(resident());
    while (lexer_.accept("given")) launch.given.push_back(given());
    while (lexer_.accept("computed")) launch.computed.push_back(computed());
    if (lexer_.accept("task")) launch.task = variable();
    while (lexer_.accept("phase")) launch.phases.push_back(phase());
    if (lexer_.peek().kind != scalar::Token::Kind::end)
      lexer_.fail("expected a phase or the end of the text");
    return launch;
  }

 private:
  Expr expr() { return scalar::parse(lexer_, arena_, lookup_); }
  Var variable() {
    const Expr name = lookup_(lexer_.peek().spelling);
    if (!name) lexer_.fail("a name that the launch does not have");
    lexer_.next();
    return name.var();
  }
  std::int64_t signed_number() {
    const bool is_negative = lexer_.accept("-");
    return is_negative ? -number() : number();
  }
  std::int64_t number() { return static_cast<std::int64_t>(lexer_.natural()); }
  std::size_t index() { return static_cast<std::size_t>(lexer_.natural()); }
  bool at_number() const { return lexer_.peek().kind == scalar::Token::Kind::number; }

  std::vector<Var> list() {
    std::vector<Var> arrays;
    if (!lexer_.accept("(")) return arrays;
    do arrays.push_back(variable());
    while (lexer_.accept(","));
    lexer_.expect(")");
    return arrays;
  }

  template <class Table>
  auto word(const Table& table, std::string_view what) {
    for (const auto& [value, word] : table)
      if (lexer_.accept(word)) return value;
    std::string known;
    for (const auto& [value, word] : table) known += fmt::format("{}{}", known.empty() ? "" : ", ", word);
    lexer_.fail(fmt::format("expected {}: {}", what, known));
  }

  // The shape stands in the arena; the text repeats it for readers.
  Var memory() {
    const Var array = variable();
    lexer_.expect(":");
    scalar::parse_kind(lexer_);
    lexer_.expect("[");
    do expr();
    while (lexer_.accept(","));
    lexer_.expect("]");
    return array;
  }
  Copy copy() {
    Copy copy;
    copy.array = variable();
    lexer_.expect("from");
    copy.from = variable();
    lexer_.expect("fresh");
    copy.fresh = expr();
    return copy;
  }
  Landing landing() {
    Landing landing;
    landing.scalar = variable();
    lexer_.expect("=");
    landing.array = variable();
    return landing;
  }

  Resident resident() {
    Resident resident;
    resident.name = variable();
    lexer_.expect("threads");
    resident.threads = number();
    return resident;
  }
  Given given() {
    Given given;
    given.name = variable();
    lexer_.expect("=");
    given.array = variable();
    lexer_.expect("at");
    given.at = expr();
    return given;
  }
  Computed computed() {
    const Var array = variable();
    const auto same = std::ranges::find(original_.computed, array, &Computed::array);
    if (same == original_.computed.end()) lexer_.fail("an array that the launch does not compute");
    return *same;
  }

  Phase phase() {
    const std::string name = lexer_.text();
    const auto same = std::ranges::find(original_.phases, name, &Phase::name);
    if (same == original_.phases.end()) lexer_.fail(fmt::format("the launch has no phase '{}'", name));
    Phase phase{name, same->computes, Nest(), {}};
    if (lexer_.accept("guard")) phase.guard = expr();
    phase.at_least_one = lexer_.accept("at_least_one");
    phase.in_phase_before = lexer_.accept("in_phase_before");
    if (lexer_.accept("skeleton"))
      phase.walk = skeleton();
    else
      phase.walk = nest();
    while (lexer_.accept("why")) phase.why.push_back(lexer_.text());
    return phase;
  }

  Skeleton skeleton() {
    Skeleton skeleton;
    skeleton.name = lexer_.text();
    skeleton.memory = list();
    lexer_.expect("tasks");
    skeleton.tasks = expr();
    while (lexer_.peek().kind == scalar::Token::Kind::text) {
      const std::string name = lexer_.text();
      skeleton.numbers.push_back({name, number()});
    }
    return skeleton;
  }

  Nest nest() {
    Nest nest;
    while (lexer_.accept("axis")) nest.axes.push_back(axis());
    while (lexer_.accept("cut")) nest.cuts.push_back(cut());
    while (lexer_.accept("split")) nest.splits.push_back({expr()});
    while (lexer_.accept("stage")) nest.stages.push_back(stage());
    while (lexer_.accept("combine")) nest.combines.push_back(combine());
    while (lexer_.accept("classes")) nest.classes.push_back(classes());
    if (lexer_.accept("traffic")) nest.traffic = traffic();
    while (lexer_.accept("inner")) {
      Inner inner;
      inner.number = index();
      if (lexer_.accept("up_to")) inner.up_to = number();
      inner.at_least_one = lexer_.accept("at_least_one");
      lexer_.expect("{");
      inner.nest = this->nest();
      nest.inner.push_back(std::move(inner));
      lexer_.expect("}");
    }
    return nest;
  }

  Axis axis() {
    Axis axis;
    axis.role = word(roles, "what the axis is");
    axis.first = index();
    axis.count = index();
    lexer_.expect("extent");
    axis.extent = expr();
    axis.by_number = lexer_.accept("by_number");
    return axis;
  }
  Cut cut() {
    Cut cut;
    cut.axis = index();
    lexer_.expect("by");
    cut.size = expr();
    cut.unit = word(units, "who takes the pieces");
    cut.tail = word(tails, "what happens to the last piece");
    if (at_number()) cut.rest = number();
    if (lexer_.accept("left_out")) cut.left_out = number();
    return cut;
  }
  Stage stage() {
    Stage stage;
    stage.array = variable();
    lexer_.expect("at");
    stage.at = index();
    stage.space = word(spaces, "a kind of memory");
    stage.size = number();
    if (lexer_.accept("of")) stage.read = expr();
    while (lexer_.accept("around")) {
      const std::int64_t low = signed_number();
      stage.around.push_back({low, signed_number()});
    }
    stage.crosswise = lexer_.accept("crosswise");
    stage.computed = lexer_.accept("computed");
    return stage;
  }
  Combine combine() {
    Combine combine;
    combine.part = word(kinds_of_output, "a kind of output");
    combine.which = index();
    do {
      Combine::Level level;
      level.unit = word(units, "whose pieces are joined");
      level.how = word(joins, "how they are joined");
      if (at_number()) level.n = number();
      if (lexer_.accept("room")) level.room = number();
      if (lexer_.accept("if")) {
        lexer_.expect("(");
        level.condition = expr();
        lexer_.expect(")");
      }
      combine.levels.push_back(level);
    } while (lexer_.accept(","));
    combine.memory = list();
    while (lexer_.accept("end")) {
      Combine::End end;
      end.component = index();
      end.array = variable();
      lexer_.expect("at");
      end.at = expr();
      combine.ends.push_back(end);
    }
    return combine;
  }
  Classes classes() {
    Classes classes;
    classes.offsets = variable();
    lexer_.expect("kept");
    classes.kept = variable();
    lexer_.expect("scans");
    while (at_number()) classes.scans.push_back(index());
    return classes;
  }
  Traffic traffic() {
    Traffic traffic;
    if (lexer_.accept("streaming")) traffic.streaming = number();
    traffic.touch = lexer_.accept("touch");
    if (lexer_.accept("ahead")) traffic.ahead = number();
    if (lexer_.accept("portion")) traffic.portion = number();
    return traffic;
  }

  scalar::Arena& arena_;
  const Launch& original_;
  const std::unordered_map<std::string, Var> variables_;
  scalar::Lexer lexer_;
  const scalar::Lookup lookup_;
};

}  // namespace

Launch parse(scalar::Arena& arena, std::string_view text, const Launch& original, std::string file) {
  return Parser(arena, text, original, std::move(file))();
}

}  // namespace fulgurite::schedule
