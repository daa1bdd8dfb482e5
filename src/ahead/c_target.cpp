#include "ahead/c_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ahead/host_steps.h"
#include "ahead/sections.h"
#include "ahead/signature.h"
#include "ahead/sizes.h"
#include "ahead/structs.h"
#include "ahead/tables.h"
#include "base/text.h"
#include "emit/host_prelude.h"
#include "emit/portable_prelude.h"
#include "emit/prelude.h"
#include "scalar/value.h"

namespace fulgurite::ahead {
namespace {

class CSteps final : public HostSteps {
 public:
  using HostSteps::HostSteps;

 private:
  void launch(const plan::Launch& s) override {
    const KernelText& kernel = program_.kernels[static_cast<std::size_t>(s.kernel)];
    line("{");
    ++depth_;
    if (!s.buffers.empty())
      line(fmt::format("void* const buffers[] = {{{}}};",
                       base::join(s.buffers, ", ", [&](plan::Place p) { return data(p); })));
    if (!s.scalars.empty())
      line(fmt::format("const i64 scalars[] = {{{}}};",
                       base::join(s.scalars, ", ", [&](Slot x) { return slots_.bits(x); })));
    const bool fails = kernel.phases.find("fg_fail") != std::string::npos;
    if (fails) line("struct fg_failure failure = {0};");
    line(fmt::format("fg_context context = {{{}, {}, {}, {}, fg_yield, 1, {}}};",
                     s.buffers.empty() ? "0" : "buffers", s.scalars.empty() ? "0" : "scalars",
                     fails ? "&failure" : "0", fails ? "fg_report" : "0", fails ? "fg_report_more" : "0"));
    for (std::size_t phase = 0; phase < s.tasks.size(); ++phase) {
      line(fmt::format("fg_launch_phase(call, &context, {}, {});", kernel.entries[phase],
                       slots_.text(s.tasks[phase], Kind::i64)));
      if (fails) line("if (failure.any) return fg_failed(call, sites, &failure);");
    }
    --depth_;
    line("}");
  }

  void fetch(const plan::Fetch& s) override {
    if (s.kind == Kind::boolean)
      fetched(s, fmt::format("((u8*){})[0] != 0", data(s.from)));
    else
      fetched(s, fmt::format("(({}*){})[0]", type(s.kind), data(s.from)));
  }

  std::string fetch_call(const std::string& from, const std::string& to) const override {
    return fmt::format("fg_fetch(run, {0}, &{1}, sizeof {1})", from, to);
  }

  void deliver(const plan::Result& result, const Wanted& wanted) override {
    line(fmt::format("FG_TRY(fg_deliver(run, {}, sizeof({}), {}, {}, {}, {}));", array(result.place),
                     result.kind == Kind::boolean ? "u8" : type(result.kind), result.rank, wanted.pointer,
                     wanted.capacity, wanted.size));
  }

  std::string copied(const std::string& to, const std::string& from, const std::string& bytes) override {
    return fmt::format("memcpy({}, {}, (size_t){});", to, from, bytes);
  }
};

std::string level_file(const Level& level) {
  const Program& program = level.program;
  emit::Names names;
  for (const std::string& taken : arguments(program)) names.fresh(taken);
  for (const char* taken : {"call", "run", "arrays", "sites", "status", "near", "values", "size", "buffers",
                            "scalars", "failure"})
    names.fresh(taken);
  CSteps steps(program, emit::host, names);
  bind(steps, program);
  const std::string body = steps.body();

  std::vector<std::string> inner = declarations(program);
  inner.insert(inner.begin(), {"const fg_call* call", "fg_run* run", "fg_array* arrays"});
  std::string host = captured_text(program, "static const");
  if (steps.can_fail()) host += sites_text(program);
  host +=
      "static fg_status " + function_text(program.name + "_steps", inner, false) + " {\n" + body + "}\n\n";
  const std::string name = program.name + "_" + std::string(name_of(level.kind));
  std::vector<std::string> outer = declarations(program);
  host += "fg_status " + function_text(name, outer, true) + ";\n";
  host += "fg_status " + function_text(name, outer, true) + " {\n";
  const std::size_t n = std::max<std::size_t>(1, steps.n_arrays());
  std::vector<std::string> passed = arguments(program);
  passed.insert(passed.begin(), {"call", "&run", "arrays"});
  host += fmt::format(
      "  unsigned char near[4096] __attribute__((aligned(64)));\n"
      "  fg_run run;\n"
      "  fg_array arrays[{0}];\n"
      "  fg_begin(&run, call, near, sizeof near);\n"
      "  memset(arrays, 0, sizeof arrays);\n"
      "  const fg_status status = {1};\n"
      "  for (int k = 0; k < {0}; ++k) fg_release(&run, &arrays[k]);\n"
      "  return status;\n"
      "}}\n",
      n, function_text(program.name + "_steps", passed, false));

  const std::string kernels = kernels_text(program);
  std::string text =
      fmt::format("// {}: {}\n#include \"{}.h\"\n\n", in_comment(program.name),
                  level.cpu.empty() ? "for any processor" : "for processors of " + level.cpu, program.name);
  if (!level.cpu.empty()) text += "#if defined __x86_64__\n";
  text +=
      "#include <math.h>\n#include <stdlib.h>\n#include <string.h>\n#include <sched.h>\n#ifdef "
      "_OPENMP\n#include <omp.h>\n#endif\n\n";
  text += emit::portable_prelude(kernels + "fg_context", level.kind) + "\n" + kernels;
  text += fmt::format("#define FG_MOST_AXES {}\ntypedef fg_call fg_caller;\n", steps.most_axes());
  const std::string used = run_time_for(host, "host/c.c");
  text += emit::host_prelude(host + used) + "\n" + used + "\n" + host + std::string(emit::portable_end);
  if (!level.cpu.empty()) text += "#endif\n";
  return text;
}

std::string header(const Program& program) {
  const std::string guard = guard_of(program) + "_H";
  std::string text = fmt::format(
      "/* {0}\n"
      "   Arrays are dense and row-major; results must not overlap with arguments. Returns FG_OK, or what "
      "went wrong. */\n"
      "#ifndef {1}\n#define {1}\n\n#include \"fulgurite_c.h\"\n"
      "#if FULGURITE_C_VERSION != 1\n#error \"{2}.h needs version 1 of fulgurite_c.h: emit both again\"\n"
      "#endif\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n",
      in_comment(program.description), guard, program.name);
  text += "fg_status " + function_text(program.name, declarations(program), true) + ";\n";
  text += structs_text(program);
  text += capacity_declarations(program);
  text += "\n/* Bytes of workspace with which a call takes no other memory; -1: nobody knows before. */\n";
  text += "int64_t " + function_text(program.name + "_workspace", size_declarations(program), false) + ";\n";
  return text + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

// Levels differ in what their kernels need beside the arrays of the program.
std::string workspaces(const std::vector<Level>& levels) {
  const Program& program = levels.front().program;
  std::vector<std::string> different;
  for (const Level& level : levels) {
    const std::string text = workspace_text(level.program);
    if (std::ranges::find(different, text) == different.end()) different.push_back(text);
  }
  std::string functions = "\n", most;
  const std::string passed =
      base::join(size_arguments(program), ", ", [](const std::string& name) { return name; });
  functions += room_function(base::join(different, "", [](const std::string& text) { return text; }),
                             "64 + (elements * bytes + 63) / 64 * 64");
  const std::string name = program.name + "_workspace";
  if (different.size() == 1)
    return functions + "int64_t " + function_text(name, size_declarations(program), false) + " {\n" +
           different[0] + "}\n";
  for (std::size_t k = 0; k < different.size(); ++k) {
    const std::string one = fmt::format("fg_workspace_{}", k);
    functions += "static i64 " + function_text(one, size_declarations(program), false) + " {\n" +
                 different[k] + "}\n\n";
    most += k == 0 ? fmt::format("  i64 most = {}({});\n", one, passed)
                   : fmt::format("  if (most < {0}({1})) most = {0}({1});\n", one, passed);
  }
  return functions + "int64_t " + function_text(name, size_declarations(program), false) + " {\n" + most +
         "  return most;\n}\n";
}

std::string dispatcher(const std::vector<Level>& levels) {
  const Program& program = levels.front().program;
  std::string text = fmt::format(
      "// {}: takes the best code that the processor has.\n#include \"{}.h\"\n\n#include <math.h>\n"
      "#include <string.h>\n\n",
      in_comment(program.name), program.name);
  const std::vector<std::string> parameters = declarations(program);
  std::string choose;
  for (const Level& level : levels) {
    const std::string name = program.name + "_" + std::string(name_of(level.kind));
    text += "fg_status " + function_text(name, parameters, true) + ";\n";
    std::vector<std::string> passed = arguments(program);
    passed.push_back("call");
    const std::string call = function_text(name, passed, false);
    const bool is_last = &level == &levels.back();
    choose += is_last ? fmt::format("  return {};\n", call)
                      : fmt::format("  if (__builtin_cpu_supports(\"{}\")) return {};\n", level.cpu, call);
  }
  // Only the last level's code may be for any processor.
  if (levels.size() > 1 && levels.back().cpu.empty()) {
    const std::size_t last = choose.rfind("  return ");
    choose = "#if defined __x86_64__\n" + choose.substr(0, last) + "#endif\n" + choose.substr(last);
  }
  const std::string functions = capacity_functions(program) + workspaces(levels);
  text += "\n" + emit::host_prelude(functions) + "\n";
  text += "fg_status " + function_text(program.name, parameters, true) + " {\n";
  text += extents_refused(program);
  return text + choose + "}\n" + functions;
}

}  // namespace

std::vector<File> c_files(const std::vector<Level>& levels) {
  const Program& program = levels.front().program;
  std::vector<File> files{{program.name + ".h", header(program)}, {program.name + ".c", dispatcher(levels)}};
  for (const Level& level : levels)
    files.push_back({program.name + "_" + std::string(name_of(level.kind)) + ".c", level_file(level)});
  return files;
}

File c_common_header() {
  return {"fulgurite_c.h", std::string(emit::prelude("host/fulgurite_c.h"))};
}

}  // namespace fulgurite::ahead
