// A project of an application that has programs emitted as C: it reads arguments from a file, calls each
// program in two ways, and writes the results to another file.
#pragma once

#include "application_of_emitted.h"

namespace fulgurite::emitted_programs {

// The C function that reads arguments, calls the program twice, in two ways, and writes the results.
class Consumer {
 public:
  explicit Consumer(const EmittedProgram& program)
      : program_(program),
        name_(program.program().name),
        given_(
            arguments_of(program, "{2}* {0} = take_array({0}_size, {1}, sizeof({2}));\n", "  free({});\n")),
        begin_(given_.begin),
        freed_(given_.freed) {
    results();
  }
  std::string text() const {
    return fmt::format(
        "static void call_{0}(void) {{\n"
        "{1}  fg_status status = FG_OK;\n"
        "  do {{\n{2}    status = {0}({3}{4}NULL);\n{5}  }} while (status == FG_CAPACITY);\n"
        "  expect(status == FG_OK, \"{0}\", \"refused\");\n"
        "  const int64_t bytes = {0}_workspace({6});\n"
        "  fg_error error;\n  const fg_call call = call_with(bytes, &error);\n{7}"
        "  expect({0}({3}{8}&call) == FG_OK, \"{0}\", error.text);\n"
        "  expect(bytes < 0 || n_blocks == 0, \"{0}\", \"took more than its workspace\");\n{9}"
        "  free(call.workspace);\n{10}}}\n",
        name_, begin_, prepared_, given_.passed, passed_, enlarged_, given_.sizes, prepared_again_,
        passed_again_, ended_, freed_);
  }

 private:
  void results() {
    const std::vector<detail::ToolValue>& all = program_.program().results;
    const unsigned n = all.back().position;
    std::string compared, given;
    for (std::size_t r = 0; r < all.size(); ++r) {
      const detail::ToolValue& v = all[r];
      const std::string type = type_of(v.kind), of = fmt::format("{}", v.position);
      if (v.rank == 0) {
        begin_ += fmt::format("  {0} r{1}, again{1};\n", type, r);
        passed_ += fmt::format("&r{}, ", r);
        passed_again_ += fmt::format("&again{}, ", r);
        compared += fmt::format(" && memcmp(&r{0}, &again{0}, sizeof r{0}) == 0", r);
        given += fmt::format("  give(&r{0}, sizeof r{0});\n", r);
        continue;
      }
      if (r == 0 || all[r - 1].position != v.position) {
        const EmittedName name =
            program_.results().empty()
                ? EmittedName(n == 1 ? "result" : fmt::format("result{}", v.position - 1))
                : program_.results()[v.position - 1];
        begin_ += fmt::format("  int64_t size{0}[{1}], room{0} = {2}_{3}_capacity({4});\n", of, v.rank, name_,
                              name.name, given_.sizes);
        prepared_ += fmt::format("    memset(size{0}, 0, sizeof size{0});\n", of);
        prepared_again_ += fmt::format("  int64_t size_again{}[{}];\n", of, v.rank);
        enlarged_ += fmt::format(
            "    if (status == FG_CAPACITY && product(size{0}, {1}) > room{0}) room{0} = product(size{0}, "
            "{1});\n",
            of, v.rank);
        compared += fmt::format(" && memcmp(size{0}, size_again{0}, sizeof size{0}) == 0", of);
      }
      begin_ += fmt::format("  {}* r{} = NULL;\n", type, r);
      prepared_ += fmt::format("    free(r{0});\n    r{0} = memory_of(room{1}, sizeof({2}));\n", r, of, type);
      prepared_again_ +=
          fmt::format("  {2}* const again{0} = memory_of(room{1}, sizeof({2}));\n", r, of, type);
      passed_ += fmt::format("r{}, ", r);
      passed_again_ += fmt::format("again{}, ", r);
      if (r + 1 == all.size() || all[r + 1].position != v.position) {
        passed_ += fmt::format("room{0}, size{0}, ", of);
        passed_again_ += fmt::format("room{0}, size_again{0}, ", of);
      }
      compared += fmt::format(" && memcmp(r{0}, again{0}, (size_t)product(size{1}, {2}) * sizeof({3})) == 0",
                              r, of, v.rank, type);
      given += fmt::format("  give_array(r{0}, size{1}, {2}, sizeof({3}));\n", r, of, v.rank, type);
      freed_ += fmt::format("  free(r{0});\n  free(again{0});\n", r);
    }
    ended_ = fmt::format("  expect({}, \"{}\", \"differs in its second call\");\n{}", compared.substr(4),
                         name_, given);
  }

  const EmittedProgram& program_;
  const std::string name_;
  const GivenArguments given_;
  std::string begin_, freed_, prepared_, passed_, enlarged_, prepared_again_, passed_again_, ended_;
};

inline constexpr const char* sanitized = "-fsanitize=address,undefined -fno-sanitize-recover=all";

class Project {
 public:
  Project(const std::vector<Case>& cases, std::vector<std::string> levels) {
    std::string includes, functions, choice;
    for (std::size_t k = 0; k < cases.size(); ++k) {
      const EmittedProgram& program = cases[k].program;
      const std::string& name = program.program().name;
      EmitOptions options;
      options.levels = {levels[k % levels.size()]};
      options.precision = cases[k].precision;
      for (const EmittedFile& file : emitted({program}, Target::c, options))
        folder_.write(file.name, file.text);
      includes += fmt::format("#include \"{}.h\"\n", name);
      functions += Consumer(program).text();
      choice += fmt::format("      case {}: call_{}(); break;\n", k, name);
    }
    folder_.write(
        "main.c",
        "#include \"consumer.h\"\n" + includes + functions +
            fmt::format(
                "int main(void) {{\n  given = fopen(\"given\", \"rb\");\n  wanted = fopen(\"wanted\", "
                "\"wb\");\n"
                "  int32_t program;\n  while (fread(&program, sizeof program, 1, given) == 1) {{\n"
                "    switch (program) {{\n{}    }}\n  }}\n  fclose(given);\n  return fclose(wanted);\n}}\n",
                choice));
    folder_.write("Makefile",
                  "consumer: $(patsubst %.c,%.o,$(wildcard *.c))\n\t$(CC) $(CFLAGS) $^ -lm -o $@\n");
  }

  // The results of all calls, in the order of `calls`.
  std::vector<std::byte> run(const std::string& compiler, const std::vector<std::byte>& calls,
                             const std::string& flags = sanitized, const std::string& runner = "") const {
    return folder_.results_of(
        calls,
        fmt::format(
            "cd {} && make -s -j 2 CC=\"{}\" CFLAGS=\"-Wall -Wextra -Werror -I. -I{} {}\" && {}./consumer",
            folder_.path(), compiler, FULGURITE_EMITTED_C, flags, runner));
  }

 private:
  ProjectFolder folder_;
};

}  // namespace fulgurite::emitted_programs
