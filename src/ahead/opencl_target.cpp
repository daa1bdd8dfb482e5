#include "ahead/opencl_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "ahead/c_target.h"
#include "ahead/host_steps.h"
#include "ahead/sections.h"
#include "ahead/signature.h"
#include "ahead/sizes.h"
#include "ahead/structs.h"
#include "ahead/tables.h"
#include "base/text.h"
#include "emit/gpu_prelude.h"
#include "emit/host_prelude.h"
#include "emit/prelude.h"
#include "scalar/value.h"

namespace fulgurite::ahead {
namespace {

constexpr const char* handle = "cl_mem";

// The phases of all kernels that differ: what a launch needs to know of each.
class Phases {
 public:
  explicit Phases(const Program& program) {
    for (std::size_t k = 0; k < program.kernels.size(); ++k) {
      const KernelText& kernel = program.kernels[k];
      if (!first_.try_emplace(kernel.name, n_).second) continue;
      const plan::KernelText& facts = program.plan.kernels[k];
      std::string arguments;
      for (const std::int32_t bytes : facts.arguments) arguments += bytes == 0 ? "a" : std::to_string(bytes);
      if (facts.can_fail) arguments += "f";
      for (std::size_t phase = 0; phase < kernel.entries.size(); ++phase, ++n_)
        table_ += fmt::format("  {{\"{}\", {}, \"{}\"}},\n", kernel.entries[phase], facts.block_sizes[phase],
                              arguments);
    }
  }
  int first_of(const KernelText& kernel) const { return first_.at(kernel.name); }
  int size() const { return n_; }
  std::string text() const {
    return "static const fg_phase phases[] = {\n" + table_ + "  {0, 0, 0},\n};\n\n";
  }

 private:
  std::map<std::string, int> first_;
  std::string table_;
  int n_ = 0;
};

class OpenClSteps final : public HostSteps {
 public:
  OpenClSteps(const Program& program, emit::Names& names, const Phases& phases)
      : HostSteps(program, emit::host, names), phases_(phases) {}

 private:
  void launch(const plan::Launch& s) override {
    const KernelText& kernel = program_.kernels[static_cast<std::size_t>(s.kernel)];
    line("{");
    ++depth_;
    if (!s.buffers.empty())
      line(fmt::format("const cl_mem buffers[] = {{{}}};",
                       base::join(s.buffers, ", ", [&](plan::Place p) { return pointer(p); })));
    if (!s.scalars.empty())
      line(fmt::format("const i64 scalars[] = {{{}}};",
                       base::join(s.scalars, ", ", [&](Slot x) { return slots_.bits(x); })));
    const bool fails = program_.plan.kernels[static_cast<std::size_t>(s.kernel)].can_fail;
    if (fails) {
      line("cl_mem record = 0;");
      line("FG_TRY(fg_record(run, &record));");
    }
    for (std::size_t phase = 0; phase < s.tasks.size(); ++phase)
      line(fmt::format("FG_TRY(fg_launch(run, {}, {}, {}, {}, {}));  // {}",
                       phases_.first_of(kernel) + static_cast<int>(phase),
                       s.buffers.empty() ? "0" : "buffers", s.scalars.empty() ? "0" : "scalars",
                       fails ? "&record" : "0", slots_.text(s.tasks[phase], Kind::i64),
                       kernel.entries[phase]));
    --depth_;
    line("}");
  }

  void fetch(const plan::Fetch& s) override {
    const std::string name = names_.fresh("fetched");
    line(fmt::format("{} {} = 0;", s.kind == Kind::boolean ? "u8" : type(s.kind), name));
    line(fmt::format("FG_TRY({});", fetch_call(pointer(s.from), name)));
    fetched(s, s.kind == Kind::boolean ? name + " != 0" : name);
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
    return fmt::format("FG_TRY(fg_copy(run, {}, {}, {}));", to, from, bytes);
  }

  const Phases& phases_;
};

std::string object(const Program& program) {
  return program.name + "_opencl";
}

std::vector<std::string> outer_declarations(const Program& program) {
  std::vector<std::string> all = declarations(program, handle);
  all.insert(all.begin(), {object(program) + "* opencl", "cl_command_queue queue"});
  all.emplace_back("const fg_cl_call* call");
  return all;
}

// A statement for each of the caller's arrays: whether it is as large as it has to be.
std::string rooms(const Program& program) {
  std::string text;
  const auto check = [&](const Value& value, const std::vector<std::string>& extents) {
    text += fmt::format("  {{\n    const i64 size[] = {{{}}};\n",
                        base::join(extents, ", ", [](const std::string& extent) { return extent; }));
    for (std::size_t c = 0; c < value.kinds.size(); ++c)
      text += fmt::format("    if (status == FG_OK) status = fg_has_room(&run, {}, {}, {}, size);\n",
                          component_name(value, c), scalar::size_of(value.kinds[c]), extents.size());
    text += "  }\n";
  };
  for (const Value& value : program.parameters)
    if (value.rank > 0) check(value, extent_names(value));
  for (const Value& value : program.results)
    if (value.rank > 0) check(value, {value.name + "_capacity"});
  return text;
}

std::string create_text(const Program& program) {
  std::string text = fmt::format(
      "struct {0} {{\n  fg_opencl opencl;\n}};\n\n"
      "{0}* {1}_create(cl_context context, cl_device_id device, fg_error* error) {{\n"
      "  {0}* const made = ({0}*)calloc(1, sizeof *made);\n"
      "  if (made == 0) {{\n"
      "    fg_refused(error, CL_OUT_OF_HOST_MEMORY, \"making the program\");\n"
      "    return 0;\n"
      "  }}\n"
      "  fg_opencl* const opencl = &made->opencl;\n"
      "  fg_status status = fg_build(opencl, context, device, fg_source, phases, error);\n",
      object(program), program.name);
  if (kernels_fail(program))
    text += "  if (status == FG_OK) status = fg_make_records(opencl, device, error);\n";
  for (std::size_t k = 0; k < program.captured.size(); ++k)
    text += fmt::format(
        "  if (status == FG_OK) status = fg_hold(opencl, {0}, fg_elements{0}, sizeof fg_elements{0}, "
        "error);\n",
        k);
  return text + fmt::format(
                    "  if (status == FG_OK) return made;\n"
                    "  {1}_destroy(made);\n"
                    "  return 0;\n"
                    "}}\n\n"
                    "void {1}_destroy({0}* opencl) {{\n"
                    "  if (opencl == 0) return;\n"
                    "  fg_destroy(&opencl->opencl);\n"
                    "  free(opencl);\n"
                    "}}\n\n",
                    object(program), program.name);
}

std::string steps_text(const Program& program, const std::string& body) {
  std::vector<std::string> inner = declarations(program, handle);
  inner.insert(inner.begin(), {"const fg_cl_call* call", "fg_run* run", "fg_array* arrays"});
  std::string text = "static fg_status " + function_text(program.name + "_steps", inner, false) + " {\n";
  std::vector<std::string> all = arguments(program);
  all.insert(all.begin(), {"call", "run", "arrays"});
  std::string begin;
  for (std::size_t k = 0; k < program.captured.size(); ++k)
    if (const std::string name = fmt::format("fg_captured{}", k); mentions(body, name))
      begin += fmt::format("  const cl_mem {} = run->opencl->captured[{}];\n", name, k);
  begin += body;
  return text + unused_text(all, begin) + begin + "}\n\n";
}

std::string call_text(const Program& program, std::size_t n_arrays) {
  std::vector<std::string> passed = arguments(program);
  passed.insert(passed.begin(), {"call", "&run", "arrays"});
  return "fg_status " + function_text(program.name, outer_declarations(program), false) + " {\n" +
         extents_refused(program) +
         fmt::format(
             "  fg_array arrays[{0}];\n"
             "  fg_run run;\n"
             "  memset(arrays, 0, sizeof arrays);\n"
             "  fg_status status = fg_begin(&run, call, &opencl->opencl, {1}, queue);\n"
             "  if (status != FG_OK) return status;\n"
             "{2}"
             "  if (status == FG_OK) status = {3};\n"
             "  return fg_end(&run, arrays, {0}, status);\n"
             "}}\n",
             n_arrays, kernels_fail(program) ? "sites" : "0", rooms(program),
             function_text(program.name + "_steps", passed, false));
}

// A literal with the escapes that a reader expects.
std::string readable(std::string literal) {
  for (const auto& [from, to] : {std::pair("\\012\"", "\\n\""), std::pair(" \\077 ", " ? ")})
    for (std::size_t at = 0; (at = literal.find(from, at)) != literal.npos;)
      literal.replace(at, std::strlen(from), to);
  return literal;
}

std::string source_text(std::string_view kernels) {
  std::string text = "static const char fg_source[] =\n";
  while (!kernels.empty()) {
    const std::size_t end = std::min(kernels.find('\n'), kernels.size() - 1) + 1;
    text += "    " + readable(quoted(kernels.substr(0, end))) + "\n";
    kernels.remove_prefix(end);
  }
  text.back() = ';';
  return text + "\n\n";
}

std::string host_file(const Program& program, const std::string& kernels) {
  emit::Names names;
  for (const std::string& taken : arguments(program)) names.fresh(taken);
  for (const char* taken : {"call", "run", "arrays", "sites", "status", "values", "size", "buffers",
                            "scalars", "record", "opencl", "queue", "phases"})
    names.fresh(taken);
  const Phases phases(program);
  OpenClSteps steps(program, names, phases);
  bind(steps, program);
  const std::string body = steps.body();

  std::string host = captured_text(program, "static const", "fg_elements") + phases.text();
  if (steps.can_fail() || kernels_fail(program)) host += sites_text(program);
  const std::size_t n_arrays = std::max<std::size_t>(1, steps.n_arrays());
  host += create_text(program) + steps_text(program, body) + call_text(program, n_arrays) +
          capacity_functions(program);
  const std::string workspace = workspace_text(program, 0);
  host += "\n" + room_function(workspace, "elements * bytes") + "int64_t " +
          function_text(program.name + "_workspace", size_declarations(program), false) + " {\n" + workspace +
          "}\n";

  const std::string wait = kernels_fail(program) ? "fg_collect" : "fg_finish";
  std::string text = fmt::format(
      "// {0}: the host's part; its kernels are those of {1}.cl.\n#include \"{1}.h\"\n\n#include <math.h>\n"
      "#include <stdlib.h>\n#include <string.h>\n\n"
      "#define FG_MOST_AXES {2}\n#define FG_N_KERNELS {3}\n#define FG_N_CAPTURED {4}\n"
      "#define FG_N_BLOCKS {5}\n#define fg_wait {6}\ntypedef fg_cl_call fg_caller;\n\n",
      in_comment(program.name), program.name, steps.most_axes(), std::max(1, phases.size()),
      std::max<std::size_t>(1, program.captured.size()), n_arrays + 1, wait);
  const std::string used = run_time_for(host + " " + wait, "host/opencl.c");
  return text + emit::host_prelude(host + used) + "\n" + used + "\n" + source_text(kernels) + host;
}

std::string opencl_header(const Program& program) {
  std::string text = fmt::format(
      "/* {0}\n"
      "   Arrays are dense and row-major, in buffers of the context that {1}_create was given; results must "
      "not "
      "overlap with arguments.\n"
      "   The queue runs what it is given in order. Returns when the results are there: FG_OK, or what went "
      "wrong. Calls with one {2}\n"
      "   must not overlap in time: make one for each thread. It keeps memory for intermediate arrays, so "
      "that later calls on\n   arrays of the same sizes allocate none. */\n"
      "#ifndef {3}\n#define {3}\n\n#include \"fulgurite_opencl.h\"\n"
      "#if FULGURITE_OPENCL_VERSION != 1\n#error \"{1}.h needs version 1 of fulgurite_opencl.h: emit both "
      "again\"\n"
      "#endif\n\n#ifdef __cplusplus\nextern \"C\" "
      "{{\n#endif\n\n"
      "typedef struct {2} {2};\n\n"
      "/* Compiles the kernels for a device of the context. NULL: the error says why, where one is given. "
      "*/\n"
      "{2}* {1}_create(cl_context context, cl_device_id device, fg_error* error);\n"
      "void {1}_destroy({2}* opencl);\n\n",
      in_comment(program.description), program.name, object(program), guard_of(program) + "_H");
  text += "fg_status " + function_text(program.name, outer_declarations(program), false) + ";\n";
  text += structs_text(program);
  text += capacity_declarations(program);
  text +=
      "\n/* Bytes of the device's memory that intermediate arrays take at most; -1: nobody knows before. "
      "*/\n";
  text += "int64_t " + function_text(program.name + "_workspace", size_declarations(program), false) + ";\n";
  return text + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

}  // namespace

std::vector<std::string> opencl_words() {
  return {"opencl", "queue", "phases", "record"};
}

std::vector<File> opencl_files(const Program& program) {
  const std::string kernels = kernels_text(program);
  const std::string text = fmt::format("// {}: kernels in OpenCL C 1.2.\n", in_comment(program.name)) +
                           emit::opencl_prelude(kernels) + "\n" + kernels;
  return {{program.name + ".h", opencl_header(program)},
          {program.name + ".c", host_file(program, text)},
          {program.name + ".cl", text}};
}

std::vector<File> opencl_common_headers() {
  return {c_common_header(), {"fulgurite_opencl.h", std::string(emit::prelude("host/fulgurite_opencl.h"))}};
}

}  // namespace fulgurite::ahead
