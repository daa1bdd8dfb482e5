#include "ahead/cuda_target.h"

#include <fmt/format.h>

#include <algorithm>

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

namespace fulgurite::ahead {
namespace {

// As in prelude/host/fulgurite_cuda_run.h: a workspace begins anywhere, and so many records of failures.
constexpr std::int64_t alignment = 256, failure_bytes = 32 * 160;

std::string space_of(const Program& program) {
  return program.name + "_kernels";
}

// Bytes that blocks of the phase share, where a launch has to ask for them; else 0.
std::int32_t shared_at_launch(const plan::KernelText& facts, std::size_t phase) {
  const std::int32_t bytes = facts.shared_bytes.empty() ? 0 : facts.shared_bytes[phase];
  return bytes > emit::cuda_in_a_file.most_shared ? bytes : 0;
}

// As many blocks as run at once on the current device.
std::string resident_text(const Program& program, const plan::Resident& s) {
  const auto number = static_cast<std::size_t>(s.kernel);
  const KernelText& kernel = program.kernels[number];
  const plan::KernelText& facts = program.plan.kernels[number];
  std::string phases;
  for (std::size_t phase = 0; phase < kernel.entries.size(); ++phase)
    phases += fmt::format("{}{{(const void*){}::{}, {}, {}}}", phase == 0 ? "" : ", ", space_of(program),
                          kernel.entries[phase], facts.block_sizes[phase], shared_at_launch(facts, phase));
  return fmt::format("fg_resident({{{}}}, {})", phases, s.threads);
}

class CudaSteps final : public HostSteps {
 public:
  using HostSteps::HostSteps;

 private:
  void launch(const plan::Launch& s) override {
    const KernelText& kernel = program_.kernels[static_cast<std::size_t>(s.kernel)];
    const plan::KernelText& facts = program_.plan.kernels[static_cast<std::size_t>(s.kernel)];
    std::string arguments;
    std::size_t buffer = 0, scalar = 0;
    for (const std::int32_t bytes : facts.arguments)
      if (bytes == 0) {
        arguments += ", " + pointer(s.buffers[buffer++]);
      } else {
        arguments += ", " + slots_.text(s.scalars[scalar], kernel.scalars[scalar]);
        ++scalar;
      }
    if (facts.can_fail) {
      arguments += ", record";
      line("{");
      ++depth_;
      line("fg_failure* record = nullptr;");
      line("FG_TRY(fg_record(run, &failures, sites, &record));");
    }
    for (std::size_t phase = 0; phase < s.tasks.size(); ++phase) {
      const std::string function = space_of(program_) + "::" + kernel.entries[phase];
      const std::int32_t shared = shared_at_launch(facts, phase);
      if (shared > 0) line(fmt::format("FG_TRY(fg_share_more(run, (const void*){}, {}));", function, shared));
      line(fmt::format("FG_TRY(fg_launch(run, {}, {}, {}, {}{}));", function,
                       slots_.text(s.tasks[phase], Kind::i64), facts.block_sizes[phase], shared, arguments));
    }
    if (facts.can_fail) {
      --depth_;
      line("}");
    }
  }

  void fetch(const plan::Fetch& s) override {
    const std::string name = names_.fresh("fetched");
    line(fmt::format("{} {} = 0;", s.kind == Kind::boolean ? "u8" : type(s.kind), name));
    line(fmt::format("FG_TRY({});", fetch_call(pointer(s.from), name)));
    if (kernels_fail(program_)) line(collected);
    fetched(s, s.kind == Kind::boolean ? name + " != 0" : name);
  }

  std::string fetch_call(const std::string& from, const std::string& to) const override {
    return fmt::format("fg_fetch(run, {0}, &{1}, sizeof {1})", from, to);
  }

  std::string copied(const std::string& to, const std::string& from, const std::string& bytes) override {
    return fmt::format("FG_TRY(fg_copy(run, {}, {}, {}));", to, from, bytes);
  }

  std::string resident(const plan::Resident& s) override { return resident_text(program_, s); }

  void make_room(std::size_t result) override {
    line(fmt::format("  FG_TRY(fg_reserve(run, size, {}));", name_of(result)));
  }
  void end() override {
    if (kernels_fail(program_)) line(collected);
  }
  void deliver(const plan::Result& result, const Wanted& wanted) override {
    line(fmt::format("FG_TRY(fg_deliver(run, {}, {}));", array(result.place), wanted.size));
  }

  std::string name_of(std::size_t result) const { return wanted_.at(result).size; }

  static constexpr const char* collected = "FG_TRY(fg_collect(run, &failures, sites));";
};

std::string array_type(const Value& value, std::size_t component) {
  const std::string of = c_type(value.kinds[component]);
  if (value.rank == 1) return "gpu_array<" + of + ">";
  if (value.rank == 2) return "gpu_matrix<" + of + ">";
  return fmt::format("gpu_nd<{}, {}>", of, value.rank);
}

// The declarations of parameters and results, without the call.
std::vector<std::string> cuda_declarations(const Program& program) {
  std::vector<std::string> all;
  for (const Value& value : program.parameters)
    for (std::size_t c = 0; c < value.kinds.size(); ++c)
      all.push_back(
          (value.rank == 0 ? c_type(value.kinds[c]) + " " : "const " + array_type(value, c) + "& ") +
          component_name(value, c));
  for (const Value& value : program.results)
    for (std::size_t c = 0; c < value.kinds.size(); ++c)
      all.push_back((value.rank == 0 ? c_type(value.kinds[c]) : array_type(value, c)) + "& " +
                    component_name(value, c));
  return all;
}

// The names after the types.
std::vector<std::string> names_in(const std::vector<std::string>& declarations) {
  std::vector<std::string> all;
  for (const std::string& declaration : declarations)
    all.push_back(declaration.substr(declaration.rfind(' ') + 1));
  return all;
}

std::string with(std::vector<std::string> parameters, const std::string& last) {
  parameters.push_back(last);
  return base::join(parameters, ", ", [](const std::string& p) { return p; });
}

void bind_arrays(HostSteps& steps, const Program& program) {
  std::size_t p = 0, r = 0;
  for (const Value& value : program.parameters)
    for (std::size_t c = 0; c < value.kinds.size(); ++c, ++p) {
      const std::string name = component_name(value, c);
      if (value.rank == 0)
        steps.set_scalar(p, name);
      else
        steps.set_array(p, name + ".data()", extent_names(value));
    }
  for (std::size_t k = 0; k < program.captured.size(); ++k, ++p) {
    std::vector<std::string> extents;
    for (const std::int64_t n : program.captured[k].extents) extents.push_back(std::to_string(n));
    steps.set_array(p, fmt::format("fg_captured{}", k), extents);
  }
  for (const Value& value : program.results)
    for (std::size_t c = 0; c < value.kinds.size(); ++c, ++r) {
      const std::string name = component_name(value, c);
      if (value.rank == 0)
        steps.set_result(r, name);
      else
        steps.set_result(r, name + ".data()", name + ".capacity()", name);
    }
}

// What a function does before the steps: looks at its arguments, and names what the steps need.
std::string begin_text(const Program& program, const HostSteps& steps, const std::string& body) {
  std::string text = "  const gpu_call* const call = &how;\n";
  for (const Value& value : program.parameters) {
    if (value.rank == 0) continue;
    for (std::size_t c = 0; c < value.kinds.size(); ++c) {
      text += fmt::format("  FG_TRY(fg_check_array(call, {}));\n", component_name(value, c));
      if (c > 0)
        text += fmt::format("  FG_TRY(fg_check_component(call, {}, {}));\n", component_name(value, 0),
                            component_name(value, c));
    }
    const std::vector<std::string> extents = extent_names(value);
    for (std::size_t k = 0; k < extents.size(); ++k)
      if (mentions(body, extents[k]))
        text += fmt::format("  const i64 {} = {}.size({});\n", extents[k], component_name(value, 0), k);
  }
  if (mentions(body, "run"))
    text += fmt::format(
        "  fg_block blocks[{}] = {{}};\n  fg_run one_call(call, blocks);\n  fg_run* const run = &one_call;\n",
        2 * steps.n_arrays() + 4);
  if (kernels_fail(program)) text += "  fg_failures failures;\n";
  for (std::size_t k = 0; k < program.captured.size(); ++k)
    if (const std::string name = fmt::format("fg_captured{}", k); mentions(body, name))
      text += fmt::format(
          "  void* {0} = nullptr;\n  FG_TRY(fg_cuda(call, cudaGetSymbolAddress(&{0}, {1}::{0})));\n", name,
          space_of(program));
  if (steps.n_arrays() > 0) text += fmt::format("  fg_array arrays[{}] = {{}};\n", steps.n_arrays());
  return text;
}

std::string host_text(const Program& program, HostSteps& steps) {
  bind_arrays(steps, program);
  const std::string body = steps.body();
  std::string text;
  if (steps.can_fail() || kernels_fail(program)) text += sites_text(program);
  text += "}  // namespace\n\n";
  text += fmt::format("fg_status {}({}) {{\n{}{}}}\n", program.name,
                      with(cuda_declarations(program), "const gpu_call& how"),
                      begin_text(program, steps, body), body);
  text += capacity_functions(program);
  return text + "\nint64_t " + function_text(program.name + "_workspace", size_declarations(program), false) +
         " {\n" +
         workspace_text(program, alignment + (kernels_fail(program) ? failure_bytes : 0),
                        [&](const plan::Resident& s) { return resident_text(program, s); }) +
         "}\n";
}

std::string cuda_source(const Program& program) {
  emit::Names names;
  for (const std::string& taken : names_in(cuda_declarations(program))) names.fresh(taken);
  for (const std::string& taken : size_arguments(program)) names.fresh(taken);
  for (const std::string& taken : cuda_words()) names.fresh(taken);
  CudaSteps steps(program, emit::host, names);
  const std::string host = host_text(program, steps);
  const std::string kernels = captured_text(program, "static __device__ const") + kernels_text(program);

  std::string text = fmt::format(
      "// {0}: kernels, and the function that launches them.\n#include \"{1}.cuh\"\n\n"
      "#include <cmath>\n\n#include \"fulgurite_cuda_run.h\"\n"
      "#if FULGURITE_CUDA_RUN_VERSION != 1\n#error \"{1}.cu needs version 1 of "
      "fulgurite_cuda_run.h: emit both again\"\n#endif\n\n",
      in_comment(program.name), program.name);
  text += "namespace " + space_of(program) + " {\n\n" + emit::cuda_prelude(kernels) + "\n" + kernels;
  text +=
      "}  // namespace " + space_of(program) + "\n\n#undef FG_INLINE\n#undef FG_GLOBAL\n#undef FG_SHARED\n\n";
  text += "using namespace fulgurite_run_1;\nnamespace {\n\n";
  const std::string room = room_function(host, "elements == 0 ? 256 : (elements * bytes + 255) / 256 * 256");
  text += emit::host_prelude(room + host) + room + "\n";
  return text + host;
}

std::string cuda_header(const Program& program, bool waits) {
  const std::vector<std::string> parameters = cuda_declarations(program);
  const std::string passed = with(names_in(parameters), "call");
  std::string text = fmt::format(
      "/* {0}\n"
      "   Arrays are dense and row-major, in the device's memory; results must not overlap with arguments. "
      "Results that own their "
      "memory get as much as\n   they need. {1} */\n"
      "#ifndef {2}_CUH\n#define {2}_CUH\n\n#include \"fulgurite_cuda.h\"\n"
      "#if FULGURITE_CUDA_VERSION != 1\n#error \"{3}.cuh needs version 1 of fulgurite_cuda.h: emit both "
      "again\"\n"
      "#endif\n\n",
      in_comment(program.description),
      waits ? "Returns when the results are there." : "Returns before the stream has computed the results.",
      guard_of(program), program.name);
  text += "/* Returns FG_OK, or what went wrong. */\n";
  text += fmt::format("fg_status {}({});\n\n", program.name, with(parameters, "const gpu_call& call"));
  text += "/* Throws gpu_error. */\n";
  text += fmt::format(
      "inline void {0}({1}) {{\n"
      "  fg_error fg_what = {{}};\n"
      "  gpu_call call;\n"
      "  call.stream = stream;\n"
      "  call.error = &fg_what;\n"
      "  fg_what.status = {0}({2});\n"
      "  if (fg_what.status != FG_OK) throw gpu_error(fg_what);\n"
      "}}\n",
      program.name, with(parameters, "cudaStream_t stream = nullptr"), passed);
  text += structs_text(program);
  text += capacity_declarations(program);
  text +=
      "\n/* Bytes of workspace with which a call takes no other memory; -1: nobody knows before. "
      "*/\nint64_t " +
      function_text(program.name + "_workspace", size_declarations(program), false) + ";\n";
  return text + "\n#endif\n";
}

}  // namespace

std::vector<std::string> cuda_words() {
  return {"call",   "how",  "run",    "one_call", "arrays", "sites",
          "values", "size", "record", "failures", "stream", "blocks"};
}

std::vector<File> cuda_files(const Program& program) {
  const std::string source = cuda_source(program);
  const std::string function = source.substr(source.find("\nfg_status " + program.name + "("));
  const bool waits = mentions(function, "fg_fetch") || mentions(function, "fg_collect");
  return {{program.name + ".cuh", cuda_header(program, waits)}, {program.name + ".cu", source}};
}

std::vector<File> cuda_common_headers() {
  std::string run(emit::prelude("host/fulgurite_cuda_run.h"));
  constexpr std::string_view mark = "//! failures.c\n";
  run.replace(run.find(mark), mark.size(), sections_of(emit::prelude("host/failures.c")));
  return {c_common_header(),
          {"fulgurite_cuda.h", std::string(emit::prelude("host/fulgurite_cuda.h"))},
          {"fulgurite_cuda_run.h", run}};
}

}  // namespace fulgurite::ahead
