#include "table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <map>
#include <regex>
#include <sstream>
#include <unordered_map>

#include "../machines.h"
#include "base/hash.h"
#include "emit/printer.h"
#include "engines/engines.h"
#include "kernel/print.h"
#include "numbered_names.h"
#include "plan/text.h"
#include "replayed.h"
#include "runtime/cpu/compiler.h"
#include "runtime/host.h"
#include "soac/parse.h"
#include "soac/print.h"
#include "tidy/passes.h"

namespace fulgurite::testing_replay {
namespace {

using testing_pipeline::Machine, testing_pipeline::processor, testing_pipeline::accelerator;

std::vector<Machine> machines() {
  return {{"x86-64-v2", Engine::cpu, processor(16)},
          {"x86-64-v3", Engine::cpu, processor(32)},
          {"x86-64-v4", Engine::cpu, processor(64)},
          {"opencl", Engine::opencl, accelerator("opencl", false)},
          {"cuda", Engine::cuda, accelerator("cuda", true)},
          {"emulator", Engine::emulator, accelerator("emulator", true)}};
}

/// That of the name, or, if it is empty, all.
std::vector<Machine> processors(std::string_view name) {
  std::vector<Machine> all = machines();
  std::erase_if(
      all, [&](const Machine& m) { return m.engine != Engine::cpu || (!name.empty() && name != m.name); });
  return all;
}

/// What a program is compiled to for one machine. What it refuses has its message in place of kernels.
struct Compiled {
  std::vector<kernel::Kernel> kernels;
  std::string plan, refusal;
};

std::string text_of(const kernel::Kernel& kernel, Engine engine) {
  const emit::Dialect* dialect = engines::row(engine).dialect;
  return dialect ? emit::print_phases(kernel, *dialect) : kernel::print(kernel);
}

/// As kernel IR, and in the engine's language if that is another one.
std::string digested_text(const kernel::Kernel& kernel, Engine engine) {
  const std::string canonical = kernel::canonical(kernel);
  return engines::row(engine).dialect ? canonical + with_numbered_names(text_of(kernel, engine)) : canonical;
}

/// With kernels by their numbers: their names are no part of it.
std::string plan_text(plan::Plan plan) {
  for (std::size_t k = 0; k < plan.kernels.size(); ++k) plan.kernels[k].name = fmt::format("kernel{}", k);
  return plan::print(plan, false);
}

Compiled compiled(const std::function<Compiled()>& compile) {
  try {
    return compile();
  } catch (const std::exception& error) {
    return {.kernels = {}, .plan = "", .refusal = error.what()};
  }
}

Compiled compiled(const ArrayProgram& program, const Machine& machine, const char* policy = "") {
  return compiled([&] {
    Options options{.engine = machine.engine, .policy = policy};
    options.precision = program.precision;
    options.checks = program.checks;
    lower::Lowered lowered = pipeline::compile(program.program, options, machine.device).lowered;
    return Compiled{std::move(lowered.kernels), plan_text(std::move(lowered.plan)), ""};
  });
}

Compiled compiled(const RecordedKernel& recorded, const Machine& machine) {
  return compiled([&] {
    const bool runs_blocks = engines::row(machine.engine).runs_blocks;
    const kernel::PassOptions options{.vector_bytes = machine.device.vector_bytes};
    kernel::Kernel kernel = tidy::run(tidy::Route::contracted, recorded.kernel, options);
    const tidy::Route to_text = runs_blocks ? tidy::Route::user_on_gpu : tidy::Route::user_on_cpu;
    return Compiled{{tidy::run(to_text, std::move(kernel), options)}, "", ""};
  });
}

std::string digested_text(const Compiled& compiled, Engine engine) {
  std::string text = compiled.refusal;
  for (const kernel::Kernel& kernel : compiled.kernels) text += digested_text(kernel, engine);
  return text;
}

std::string short_digest(std::string_view text) {
  return base::digest(text).hex().substr(0, 8);
}

using Visit = std::function<void(const std::string& name, const std::function<Compiled()>& compile)>;

/// Visits each program with the function that compiles it for the machine. Names that several have get
/// numbers.
void for_each_program(const Machine& machine, const Visit& visit, const char* policy = "") {
  std::map<std::string, int> uses;
  const auto each = [&](const auto& programs, const auto&... numbers) {
    for (const auto& program : programs) {
      std::string name = program.name;
      std::ranges::replace(name, ' ', '_');
      if (const int use = ++uses[name]; use > 1) name += fmt::format(".{}", use);
      visit(name, [&] { return compiled(program, machine, numbers...); });
    }
  };
  each(programs_of_files(), policy);
  each(traced_programs(), policy);
  each(recorded_kernels());
}

/// As it is read from its text.
ArrayProgram read_back(ArrayProgram p) {
  p.program = soac::parse(soac::print(p.program));
  return p;
}
/// Read from a text in which names are numbers in the order of the text, and nothing says where a statement
/// comes from. Messages of errors stay.
ArrayProgram without_names(ArrayProgram p) {
  const std::string named = soac::print(p.program);
  const std::size_t sites = named.rfind("\nsites {\n");
  p.program = soac::parse(soac::canonical(p.program) + (sites == named.npos ? "" : named.substr(sites + 1)));
  return p;
}

}  // namespace

std::vector<std::string> columns() {
  std::vector<std::string> names;
  for (const Machine& machine : machines()) names.emplace_back(machine.name);
  names.emplace_back("plan");
  return names;
}

Table digests(std::string_view machine, std::size_t every) {
  Table table;
  std::vector<std::string> plans;
  const std::vector<Machine> all = machines();
  for (std::size_t column = 0; column < all.size(); ++column) {
    if (!machine.empty() && machine != all[column].name) continue;
    std::size_t row = 0;
    bool is_taken = false;
    for_each_program(all[column], [&](const std::string& name, const std::function<Compiled()>& compile) {
      // Variants of a program have its expressions, whose order is that in which they were made: the program
      // comes first.
      if (!name.ends_with("strict") && !name.ends_with("unchecked")) is_taken = (row + column) % every == 0;
      if (row == table.size()) {
        table.push_back({name, std::vector<std::string>(all.size() + 1, "-")});
        plans.emplace_back();
      }
      if (is_taken) {
        const Compiled compiled = compile();
        table[row].digests[column] = short_digest(digested_text(compiled, all[column].engine));
        plans[row] += compiled.plan;
      }
      ++row;
    });
  }
  for (std::size_t row = 0; row < table.size() && machine.empty(); ++row)
    table[row].digests.back() = short_digest(plans[row]);
  return table;
}

std::vector<Growth> growths(std::string_view of) {
  std::vector<Growth> all;
  for (const Machine& machine : processors(of)) {
    const auto sizes_of = [&](const char* policy, const auto& visit) {
      const auto sizes_of_program = [&](const std::string& name, const std::function<Compiled()>& compile) {
        const Compiled found = compile();
        for (std::size_t k = 0; k < found.kernels.size(); ++k)
          visit(name, k, text_of(found.kernels[k], machine.engine).size());
      };
      for_each_program(machine, sizes_of_program, policy);
    };
    std::map<std::pair<std::string, std::size_t>, std::size_t> unsplit;
    sizes_of("splits=0 row_splits=0",
             [&](const std::string& name, std::size_t k, std::size_t size) { unsplit[{name, k}] = size; });
    sizes_of("", [&](const std::string& name, std::size_t k, std::size_t size) {
      const auto before = unsplit.find({name, k});
      if (before != unsplit.end() && before->second < size)
        all.push_back({name, machine.name, size, before->second});
    });
  }
  std::ranges::sort(all, std::ranges::greater(), &Growth::factor);
  return all;
}

std::vector<std::string> changed_without_names(std::string_view of) {
  std::vector<std::string> changed;
  for (const Machine& machine : processors(of)) {
    // As kernel IR, for the printer breaks long lines, whose length is that of names, too; without the
    // numbers of messages, which those share that stand on one line. Refusals quote names.
    const auto text_of_program = [&](const ArrayProgram& program) {
      const Compiled found = compiled(program, machine);
      std::string text = found.refusal.empty() ? "" : "refused";
      for (const kernel::Kernel& kernel : found.kernels) text += kernel::canonical(kernel);
      return std::regex_replace(text, std::regex("@[0-9]+"), "@");
    };
    const auto each = [&](const std::vector<ArrayProgram>& programs) {
      for (const ArrayProgram& program : programs)
        if (text_of_program(read_back(program)) != text_of_program(without_names(program)))
          changed.push_back(program.name + ": " + machine.name);
    };
    each(programs_of_files());
    each(traced_programs());
  }
  return changed;
}

double milliseconds_of_compiling(const char* policy) {
  const auto now = [] {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
  };
  (void)runtime::cpu::compile("first", "void first(void) {}\n", {});
  const Machine machine{"this", Engine::cpu, processor(runtime::host().vector_bytes)};
  double total = 0;
  for (const ArrayProgram& program : traced_programs()) {
    if (program.precision != Precision::fast || program.checks != Checks::on) continue;
    const double start = now();
    const auto report =
        pipeline::compile(program.program, {.engine = Engine::cpu, .policy = policy}, machine.device);
    for (const auto& kernel : report.lowered.plan.kernels)
      (void)runtime::cpu::compile(kernel.name, kernel.source, {});
    total += now() - start;
  }
  return total;
}

std::string texts(std::string_view name) {
  std::string text;
  for (const Machine& machine : machines())
    for_each_program(machine, [&](const std::string& found, const std::function<Compiled()>& compile) {
      if (found != name) return;
      const Compiled compiled = compile();
      text += fmt::format("---- {}\n{}", machine.name, compiled.refusal);
      for (const kernel::Kernel& kernel : compiled.kernels) text += text_of(kernel, machine.engine) + "\n";
      text += fmt::format("---- {} plan\n{}\n", machine.name, compiled.plan);
    });
  return text;
}

std::string print(const Table& table) {
  std::string text = fmt::format("# program {}\n", fmt::join(columns(), " "));
  for (const Row& row : table) text += fmt::format("{} {}\n", row.name, fmt::join(row.digests, " "));
  return text;
}

Table parse(std::string_view text) {
  Table table;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    Row row;
    words >> row.name;
    for (std::string word; words >> word;) row.digests.push_back(word);
    table.push_back(std::move(row));
  }
  return table;
}

std::vector<std::string> differences(const Table& expected, const Table& found) {
  std::vector<std::string> lines;
  std::unordered_map<std::string_view, const Row*> rows;
  for (const Row& row : expected) rows.emplace(row.name, &row);
  const std::vector<std::string> names = columns();
  for (const Row& row : found) {
    const auto known = rows.find(row.name);
    if (known == rows.end()) {
      lines.push_back(row.name + ": is new");
      continue;
    }
    std::string changed;
    const std::vector<std::string>& before = known->second->digests;
    for (std::size_t k = 0; k < names.size(); ++k)
      if (row.digests[k] != "-" && (k >= before.size() || before[k] != row.digests[k]))
        changed += " " + names[k];
    if (!changed.empty()) lines.push_back(row.name + ":" + changed);
    rows.erase(known);
  }
  for (const Row& row : expected)
    if (rows.contains(row.name)) lines.push_back(row.name + ": is gone");
  return lines;
}

}  // namespace fulgurite::testing_replay
