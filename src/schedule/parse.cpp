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

// The tokens of the text, with the names of the launch.
class Reader {
 public:
  Reader(scalar::Arena& arena, std::string_view text, const Launch& original, std::string file)
      : arena_(arena),
        variables_(names_in(arena, original)),
        lexer_(text, std::move(file)),
        lookup_([this](std::string_view name) {
          const auto found = variables_.find(std::string(name));
          return found == variables_.end() ? Expr() : arena_.name(found->second);
        }) {}

  bool accept(std::string_view word) { return lexer_.accept(word); }
  void expect(std::string_view word) { lexer_.expect(word); }
  bool is_at(scalar::Token::Kind kind) const { return lexer_.peek().kind == kind; }
  [[noreturn]] void fail(const std::string& what) const { lexer_.fail(what); }

  std::string name() { return lexer_.name(); }
  std::string text() { return lexer_.text(); }
  Kind kind() { return scalar::parse_kind(lexer_); }
  Expr expr() { return scalar::parse(lexer_, arena_, lookup_); }
  Var variable() {
    const Expr name = lookup_(lexer_.peek().spelling);
    if (!name) fail("a name that the launch does not have");
    lexer_.next();
    return name.var();
  }
  std::size_t index() { return static_cast<std::size_t>(lexer_.natural()); }
  std::int64_t number() { return static_cast<std::int64_t>(lexer_.natural()); }
  std::int64_t signed_number() { return accept("-") ? -number() : number(); }

  // The word has to come before the value.
  Expr expr_after(std::string_view word) { return expect(word), expr(); }
  Var variable_after(std::string_view word) { return expect(word), variable(); }
  std::size_t index_after(std::string_view word) { return expect(word), index(); }
  std::int64_t number_after(std::string_view word) { return expect(word), number(); }
  // Absent, or 0, unless the word comes next.
  Expr expr_if(std::string_view word) { return accept(word) ? expr() : Expr(); }
  std::int64_t number_if(std::string_view word) { return accept(word) ? number() : 0; }
  std::int64_t number_if_any() { return is_at(scalar::Token::Kind::number) ? number() : 0; }

  std::vector<Var> list() {
    std::vector<Var> arrays;
    if (!accept("(")) return arrays;
    do arrays.push_back(variable());
    while (accept(","));
    expect(")");
    return arrays;
  }

  template <class Table>
  auto word(const Table& table, std::string_view what) {
    for (const auto& [value, word] : table)
      if (accept(word)) return value;
    std::string known;
    for (const auto& [value, word] : table) known += fmt::format("{}{}", known.empty() ? "" : ", ", word);
    fail(fmt::format("expected {}: {}", what, known));
  }

 private:
  scalar::Arena& arena_;
  const std::unordered_map<std::string, Var> variables_;
  scalar::Lexer lexer_;
  const scalar::Lookup lookup_;
};

Axis axis(Reader& in) {
  return {in.word(roles, "what the axis is"),
          in.index(),
          in.index(),
          in.expr_after("extent"),
          in.accept("by_number"),
          in.accept("of") ? in.index() : 0,
          in.expr_if("segments"),
          in.accept("mirrored")};
}

Cut cut(Reader& in) {
  return {in.index(),
          in.expr_after("by"),
          in.word(units, "who takes the pieces"),
          in.word(tails, "what happens to the last piece"),
          in.number_if_any(),
          in.number_if("left_out"),
          in.accept("alone") ? in.number() : 2};
}

Stage stage(Reader& in) {
  Stage stage{in.variable(), in.index_after("at"), in.word(spaces, "a kind of memory"), in.number(),
              in.expr_if("of")};
  while (in.accept("around")) stage.around.push_back({in.signed_number(), in.signed_number()});
  stage.crosswise = in.accept("crosswise");
  stage.computed = in.accept("computed");
  return stage;
}

Combine combine(Reader& in) {
  Combine combine{in.word(kinds_of_output, "a kind of output"), in.index()};
  do {
    Combine::Level level{in.word(units, "whose pieces are joined"), in.word(joins, "how they are joined"),
                         in.number_if_any(), in.number_if("room")};
    if (in.accept("if")) {
      level.condition = in.expr_after("(");
      in.expect(")");
    }
    combine.levels.push_back(level);
  } while (in.accept(","));
  combine.memory = in.list();
  while (in.accept("end")) combine.ends.push_back({in.index(), in.variable(), in.expr_after("at")});
  return combine;
}

Classes classes(Reader& in) {
  Classes classes{in.variable(), in.variable_after("kept")};
  in.expect("scans");
  while (in.is_at(scalar::Token::Kind::number)) classes.scans.push_back(in.index());
  return classes;
}

Nest nest(Reader& in) {
  Nest walk;
  while (in.accept("axis")) walk.axes.push_back(axis(in));
  while (in.accept("cut")) walk.cuts.push_back(cut(in));
  while (in.accept("split")) walk.splits.push_back({in.expr()});
  while (in.accept("stage")) walk.stages.push_back(stage(in));
  while (in.accept("combine")) walk.combines.push_back(combine(in));
  while (in.accept("classes")) walk.classes.push_back(classes(in));
  if (in.accept("traffic"))
    walk.traffic = {in.number_if("streaming"), in.accept("touch"), in.number_if("ahead"),
                    in.number_if("portion")};
  while (in.accept("inner")) {
    Inner inner;
    inner.number = in.index();
    inner.up_to = in.number_if("up_to");
    inner.rows_up_to = in.number_if("rows_up_to");
    inner.at_least_one = in.accept("at_least_one");
    in.expect("{");
    inner.nest = nest(in);
    in.expect("}");
    walk.inner.push_back(std::move(inner));
  }
  return walk;
}

Skeleton skeleton(Reader& in) {
  Skeleton skeleton;
  skeleton.name = in.text();
  skeleton.memory = in.list();
  skeleton.tasks = in.expr_after("tasks");
  while (in.is_at(scalar::Token::Kind::text)) skeleton.numbers.push_back({in.text(), in.number()});
  return skeleton;
}

Phase phase(Reader& in, const Launch& original) {
  const std::string name = in.text();
  const auto same = std::ranges::find(original.phases, name, &Phase::name);
  if (same == original.phases.end()) in.fail(fmt::format("the launch has no phase '{}'", name));
  Phase phase{name, same->computes, Nest(), in.expr_if("guard")};
  phase.at_least_one = in.accept("at_least_one");
  phase.in_phase_before = in.accept("in_phase_before");
  while (in.accept("constant")) phase.constants.push_back({in.variable(), in.number_after("=")});
  if (in.accept("skeleton"))
    phase.walk = skeleton(in);
  else
    phase.walk = nest(in);
  while (in.accept("why")) phase.why.push_back(in.text());
  return phase;
}

// The shape stands in the arena; the text repeats it for readers.
Var memory(Reader& in) {
  const Var array = in.variable();
  in.expect(":");
  in.kind();
  in.expect("[");
  do in.expr();
  while (in.accept(","));
  in.expect("]");
  return array;
}

Computed computed(Reader& in, const Launch& original) {
  const Var array = in.variable();
  const auto same = std::ranges::find(original.computed, array, &Computed::array);
  if (same == original.computed.end()) in.fail("an array that the launch does not compute");
  return *same;
}

Launch launch(Reader& in, const Launch& original) {
  Launch launch;
  launch.statement = original.statement;
  in.expect("launch");
  launch.name = in.name();
  if (in.accept("vectors")) launch.vector_lanes = in.number_after("of");
  launch.touched = in.expr_if("touched");
  while (in.accept("memory")) launch.memory.push_back(memory(in));
  while (in.accept("copy"))
    launch.copies.push_back({in.variable(), in.variable_after("from"), in.expr_after("fresh")});
  while (in.accept("update"))
    launch.in_place.push_back({in.variable(), in.variable_after("of"), in.expr_if("where")});
  while (in.accept("reshaped")) launch.reshaped.push_back({in.variable(), in.variable_after("of")});
  while (in.accept("result")) launch.scalars.push_back({in.variable(), in.variable_after("=")});
  while (in.accept("resident")) launch.residents.push_back({in.variable(), in.number_after("threads")});
  while (in.accept("given"))
    launch.given.push_back({in.variable(), in.variable_after("="), in.expr_after("at")});
  while (in.accept("computed")) launch.computed.push_back(computed(in, original));
  while (in.accept("phase")) launch.phases.push_back(phase(in, original));
  if (!in.is_at(scalar::Token::Kind::end)) in.fail("expected a phase or the end of the text");
  return launch;
}

}  // namespace

Launch parse(scalar::Arena& arena, std::string_view text, const Launch& original, std::string file) {
  Reader in(arena, text, original, std::move(file));
  return launch(in, original);
}

}  // namespace fulgurite::schedule
