// Programs emitted for OpenCL, as applications use them: a project in C of its own, built by GCC and by
// Clang, whose results on PoCL are those of the interpreter.
#include <fulgurite/fulgurite.h>

#include "../runtime/pocl.h"
#include "application_of_emitted.h"

namespace fulgurite {
namespace {

using namespace emitted_programs;

// The C function that reads arguments, calls the program twice, and writes the results.
class Consumer {
 public:
  explicit Consumer(const EmittedProgram& program)
      : program_(program),
        name_(program.program().name),
        given_(arguments_of(program, "cl_mem {0} = take_buffer({0}_size, {1}, sizeof({2}));\n",
                            "  release({});\n")),
        begin_(given_.begin),
        freed_(given_.freed) {
    results();
  }
  std::string text() const {
    return fmt::format(
        "static {0}_opencl* program_{0};\n"
        "static void call_{0}(void) {{\n"
        "  fg_error error = {{FG_OK, 0, \"\", \"\"}};\n  fg_cl_call call;\n"
        "  memset(&call, 0, sizeof call);\n  call.error = &error;\n"
        "  if (program_{0} == NULL) program_{0} = {0}_create(context, device, &error);\n"
        "  expect(program_{0} != NULL, \"{0}\", error.text);\n"
        "{1}  fg_status status = FG_OK;\n"
        "  do {{\n{2}    status = {0}(program_{0}, queue, {3}{4}&call);\n{5}  }} while (status == "
        "FG_CAPACITY);\n"
        "  expect(status == FG_OK, \"{0}\", error.text);\n"
        "  n_buffers = 0;\n{6}"
        "  expect({0}(program_{0}, queue, {3}{7}NULL) == FG_OK, \"{0}\", \"refused\");\n"
        "  expect({0}_workspace({8}) < 0 || n_buffers == 0, \"{0}\", \"took memory again\");\n{9}{10}}}\n",
        name_, begin_, prepared_, given_.passed, passed_, enlarged_, prepared_again_, passed_again_,
        given_.sizes, ended_, freed_);
  }

 private:
  void results() {
    const std::vector<detail::ToolValue>& all = program_.program().results;
    const unsigned n = all.back().position;
    for (std::size_t r = 0; r < all.size(); ++r) {
      const detail::ToolValue& v = all[r];
      const std::string type = type_of(v.kind), of = fmt::format("{}", v.position);
      if (v.rank == 0) {
        begin_ += fmt::format("  {0} r{1} = 0, again{1} = 0;\n", type, r);
        passed_ += fmt::format("&r{}, ", r);
        passed_again_ += fmt::format("&again{}, ", r);
        ended_ += fmt::format(
            "  expect(memcmp(&r{0}, &again{0}, sizeof r{0}) == 0, \"{1}\", \"differs in its second call\");\n"
            "  give(&r{0}, sizeof r{0});\n",
            r, name_);
        continue;
      }
      if (r == 0 || all[r - 1].position != v.position) {
        const std::string name = n == 1 ? "result" : fmt::format("result{}", v.position - 1);
        begin_ += fmt::format(
            "  int64_t size{0}[{1}], size_again{0}[{1}], room{0} = {2}_{3}_capacity({4});\n"
            "  if (room{0} < 0) room{0} = 0;\n",
            of, v.rank, name_, name, given_.sizes);
        prepared_ += fmt::format("    memset(size{0}, 0, sizeof size{0});\n", of);
        enlarged_ += fmt::format(
            "    if (status == FG_CAPACITY && product(size{0}, {1}) > room{0}) room{0} = product(size{0}, "
            "{1});\n",
            of, v.rank);
      }
      begin_ += fmt::format("  cl_mem r{} = NULL;\n", r);
      prepared_ +=
          fmt::format("    release(r{0});\n    r{0} = buffer_of(room{1}, sizeof({2}));\n", r, of, type);
      prepared_again_ +=
          fmt::format("  cl_mem const again{0} = buffer_of(room{1}, sizeof({2}));\n", r, of, type);
      passed_ += fmt::format("r{}, ", r);
      passed_again_ += fmt::format("again{}, ", r);
      if (r + 1 == all.size() || all[r + 1].position != v.position) {
        passed_ += fmt::format("room{0}, size{0}, ", of);
        passed_again_ += fmt::format("room{0}, size_again{0}, ", of);
      }
      ended_ += fmt::format(
          "  expect(memcmp(size{1}, size_again{1}, sizeof size{1}) == 0, \"{4}\", \"differs in its second "
          "call\");\n"
          "  give_buffers(r{0}, again{0}, size{1}, {2}, sizeof({3}), \"{4}\");\n",
          r, of, v.rank, type, name_);
      freed_ += fmt::format("  release(r{0});\n  release(again{0});\n", r);
    }
  }

  const EmittedProgram& program_;
  const std::string name_;
  const GivenArguments given_;
  std::string begin_, freed_, prepared_, passed_, enlarged_, prepared_again_, passed_again_, ended_;
};

class Project {
 public:
  explicit Project(const std::vector<Case>& cases) {
    runtime::test::prepare_pocl();
    std::vector<EmittedProgram> programs;
    std::string includes, functions, choice, end;
    for (std::size_t k = 0; k < cases.size(); ++k) {
      programs.push_back(cases[k].program);
      const std::string name = cases[k].program.program().name;
      includes += fmt::format("#include \"{}.h\"\n", name);
      functions += Consumer(cases[k].program).text();
      choice += fmt::format("      case {}: call_{}(); break;\n", k, name);
      end += fmt::format("  {0}_destroy(program_{0});\n", name);
    }
    for (const EmittedFile& file : emitted(programs, Target::opencl)) folder_.write(file.name, file.text);
    folder_.write(
        "main.c",
        "#include \"consumer.h\"\n" + includes + functions +
            fmt::format(
                "int main(void) {{\n  open_device();\n  given = fopen(\"given\", \"rb\");\n  wanted = "
                "fopen(\"wanted\", \"wb\");\n"
                "  int32_t program;\n  while (fread(&program, sizeof program, 1, given) == 1) {{\n"
                "    switch (program) {{\n{}    }}\n  }}\n{}  close_device();\n  fclose(given);\n"
                "  expect(n_buffers_of_all > 0, \"OpenCL\", \"no buffers were counted\");\n"
                "  return fclose(wanted);\n}}\n",
                choice, end));
    folder_.write(
        "Makefile",
        "consumer: $(patsubst %.c,%.o,$(wildcard *.c))\n\t$(CC) $(CFLAGS) $^ -lm -l:libOpenCL.so.1 -o $@\n"
        "main.o: main.c\n\t$(CC) $(CFLAGS) -c $< -o $@\n"
        "%.o: %.c\n\t$(CC) $(CFLAGS) -DclCreateBuffer=counted_buffer -c $< -o $@\n");
  }

  void build(const std::string& compiler) const {
    ProjectFolder::expect_runs(fmt::format(
        "cd {} && rm -f *.o && make -s -j 2 CC=\"{}\" CFLAGS=\"-Wall -Wextra -Werror -I. -I{} -I{} "
        "-isystem {}\"",
        folder_.path(), compiler, FULGURITE_EMITTED_OPENCL, FULGURITE_EMITTED_C, FULGURITE_OPENCL_HEADERS));
  }
  // The kernels are OpenCL C 1.2 without a warning; phases of a kernel have the same parameters.
  void check_kernels() const {
    ProjectFolder::expect_runs(fmt::format(
        "cd {} && ls *.cl | xargs -P 2 -n 4 clang-19 -x cl -cl-std=CL1.2 -fsyntax-only -Wall -Wextra "
        "-Wno-unused-parameter "
        "-Werror -Xclang -finclude-default-header",
        folder_.path()));
  }
  // The results of all calls, in the order of `calls`.
  std::vector<std::byte> run(const std::vector<std::byte>& calls) const {
    return folder_.results_of(calls,
                              fmt::format("cd {} && ASAN_OPTIONS=detect_leaks=0 ./consumer", folder_.path()));
  }

 private:
  ProjectFolder folder_;
};

void expect_agreement_on_pocl(const std::vector<Case>& all, const std::vector<std::string>& compilers) {
  const Calls calls = calls_of(all, OfLarge::engine, 100'000);
  const Project project(all);
  project.check_kernels();
  for (const std::string& compiler : compilers) project.build(compiler);
  expect_agreement("PoCL", project.run(calls.arguments), calls);
}

std::vector<Case> cases_of_tiles() {
  std::vector<Case> all = cases();
  for (Case& c : all)
    if (c.program.program().name == "swapped") c.largest = std::int64_t{128} * 781;  // whole tiles
  return all;
}

// Plans with each kind of step.
TEST(EmittedOpenCl, SlowAgreesOnPocl) {
  std::vector<Case> some;
  for (Case& c : cases_of_tiles())
    if (const std::string& name = c.program.program().name;
        name == "sieve" || name == "relaxed" || name == "swapped" || name == "looked_up" || name == "power_3")
      some.push_back(std::move(c));
  expect_agreement_on_pocl(some, {"gcc -std=c11 -O0"});
}
TEST(EmittedOpenCl, LargeAgreesOnPoclByGccAndClang) {
  expect_agreement_on_pocl(
      cases_of_tiles(),
      {"gcc -std=c11 -O0", "clang-19 -std=c11 -O0 -fsanitize=address,undefined -fno-sanitize-recover=all"});
}

}  // namespace
}  // namespace fulgurite
