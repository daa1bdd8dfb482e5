#include "tool/launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/match.h"
#include "kernel/resources.h"
#include "kernel/traverse.h"
#include "soac/equal_sizes.h"
#include "soac/walk.h"
#include "tool/footprint.h"
#include "tool/samples.h"
#include "tool/traffic.h"
#include "tool/versions.h"

namespace fulgurite::tool {

using base::as;
using soac::Expr;
using soac::Stm;
using soac::Var;

namespace {

const plan::Reuse* find_reuse(const plan::Steps& steps, plan::Place place) {
  for (const plan::Step& step : steps) {
    const auto in = [&](const plan::Steps& inner) { return find_reuse(inner, place); };
    if (const auto* reuse = as<plan::Reuse>(step.action); reuse && reuse->to == place) return reuse;
    const plan::Reuse* found = nullptr;
    if (const auto* branch = as<plan::If>(step.action)) {
      found = in(branch->then_steps);
      if (!found) found = in(branch->else_steps);
    } else if (const auto* loop = as<plan::While>(step.action)) {
      found = in(loop->head);
      if (!found) found = in(loop->body);
    } else if (const auto* guarded = as<plan::Converge>(step.action)) {
      found = in(guarded->head);
      if (!found) found = in(guarded->body);
    }
    if (found) return found;
  }
  return nullptr;
}

// The statement that reads the array after the one that makes `made`, where both are in one body; its line.
std::string reader_behind(const std::vector<Stm>& body, Var array, Var made) {
  bool is_behind = false;
  for (const Stm& s : body) {
    if (is_behind) {
      soac::Vars mentioned;
      soac::add_mentioned(s, mentioned);
      if (mentioned.contains(array)) return place(s.where);
    }
    is_behind |= std::ranges::find(s.names, made) != s.names.end();
    for (const auto& inner : soac::nested_in(s))
      if (std::string found = reader_behind(inner.lambda->body, array, made); !found.empty()) return found;
  }
  return "";
}

// How a note that the statement is a sequential loop begins, as Emitter::note_sequential has it.
std::string loop_note(const Stm& s) {
  return fmt::format("{}:{}: {} runs as a sequential loop: it ", s.where.file, s.where.line, s.origin);
}

// Kernels of the kernel language: what their blocks are and have. What they do with memory depends on the
// arguments: fulgurite::kernel::explain() says it.
std::string as_written(const kernel::Kernel& kernel) {
  int n_block = 0, n_warp = 0;
  kernel::for_each_stm(kernel.body, [&](const kernel::Stm& s) {
    if (const auto* sync = as<kernel::Sync>(s.op)) ++(sync->level == kernel::Level::warp ? n_warp : n_block);
  });
  return fmt::format(
      "as written: blocks of {} threads, {} bytes of shared memory, {} barriers and {} of a warp",
      kernel::block_sizes(kernel)[0], kernel::shared_bytes(kernel), n_block, n_warp);
}

class Telling {
 public:
  Telling(const pipeline::Report& report, SizeNames& sizes, const std::unordered_map<Var, std::string>& when)
      : report_(report),
        program_(report.optimised),
        sizes_(sizes),
        when_(when),
        traffic_of_(program_, report.lowered) {
    find_calls(program_.body);
  }

  LaunchReport operator()(const lower::LaunchNote& note) {
    const plan::KernelText& kernel = report_.lowered.plan.kernels[static_cast<std::size_t>(note.kernel)];
    LaunchReport launch;
    launch.kernel = kernel.name;
    launch.operation = {note.origin, note.where, {}};
    launch.n_phases = kernel.n_phases;
    launch.schedule = schedule_of(note);
    if (!note.names.empty()) {
      if (const auto found = when_.find(note.names[0]); found != when_.end())
        launch.when = found->second;
      else if (note.origin.ends_with(", by digits"))
        launch.when = "for each byte of the key, where rows do not fit";
      else
        launch.when =
            note.origin.find(',') == note.origin.npos ? "for each byte of the key" : "where there are rows";
    }
    launch.sequential = note.sequential;
    if (note.launch) leave_out_walked(*note.launch, launch.sequential);
    if (note.source) {
      add_loops(note.source->stm, launch.sequential);
      add_traffic(traffic_of_(note), launch);
      launch.computes_elements = note.launch != nullptr;
      // A sort reads its results again where it moves digits.
      launch.reads_at_most |= note.launch && note.launch->name == "sort_rows";
    } else {
      launch.bytes_read = sizes_.formula(note.bytes_read);
      launch.bytes_written = sizes_.formula(note.bytes_written);
    }
    return launch;
  }

 private:
  void find_calls(const std::vector<Stm>& body) {
    for (const Stm& s : body) {
      if (const auto* call = as<soac::Call>(s.op); call && !s.names.empty())
        called_[s.names[0]] = call->kernel.get();
      for (const auto& inner : soac::nested_in(s)) find_calls(inner.lambda->body);
    }
  }

  std::vector<schedule::PhaseInWords> schedule_of(const lower::LaunchNote& note) const {
    if (note.launch) return schedule::in_words(*note.launch, sizes_.naming());
    const std::string walk =
        note.converges
            ? fmt::format(
                  "the loop ends on the device: up to {} iterations are launched before the host asks",
                  plan::most_ahead)
        : note.names.empty() ? "scalars: one task"
                             : as_written(*called_.at(note.names[0]));
    return {{"main", "", {walk}}};
  }

  // Reductions that are loops only where a version for large arrays does not run.
  static void leave_out_walked(const schedule::Launch& launch, std::vector<std::string>& notes) {
    for (const Stm* s : reductions_along_axes(launch))
      std::erase_if(notes,
                    [begin = loop_note(*s)](const std::string& note) { return note.starts_with(begin); });
  }

  // Loops and sorts that each point, or the one task that there is, runs by itself.
  void add_loops(const Stm& s, std::vector<std::string>& notes) const {
    for (const auto& inner : soac::nested_in(s))
      for (const Stm& stm : inner.lambda->body) {
        const bool is_loop = as<soac::Loop>(stm.op) != nullptr, sorts = as<soac::Sort>(stm.op) != nullptr;
        if ((is_loop || sorts) && !stm.origin.empty()) {
          std::string note = loop_note(stm) + (is_loop ? "goes on from what the iteration before has made"
                                                       : "sorts inside of another combinator");
          if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
        }
        add_loops(stm, notes);
      }
  }

  void add_traffic(const Traffic& traffic, LaunchReport& launch) {
    if (traffic.operations) launch.operations = sizes_.formula(*traffic.operations);
    for (const Traffic::Array& a : traffic.arrays) {
      launch.bytes_read = launch.bytes_read + sizes_.formula(a.read);
      launch.bytes_written = launch.bytes_written + sizes_.formula(a.written);
      launch.reads_at_most |= a.reads_at_most && !a.read.is_constant(0);
      launch.writes_at_most |= a.writes_at_most && !a.written.is_constant(0);
      if (a.read.is_constant(0)) continue;
      Formula times = sizes_.formula(a.passes);
      if (a.times) times = times * sizes_.formula(a.times);
      if (a.often || times != Formula(1)) launch.passes.push_back({name(a.array), times, a.often});
    }
    for (const Traffic::Own& own : traffic.own) add_own(own, launch.own);
    for (const Traffic::Copy& copy : traffic.copies) {
      launch.copies.push_back(told(copy));
      if (!launch.copies.back().is_made) continue;
      launch.bytes_read = launch.bytes_read + sizes_.formula(copy.bytes);
      launch.bytes_written = launch.bytes_written + sizes_.formula(copy.bytes);
    }
  }

  // Adds those with one name: the components of one thing.
  void add_own(const Traffic::Own& own, std::vector<PrivateReport>& all) {
    const std::string& name = program_.arena->info(own.array).name;
    auto found = std::ranges::find(all, name, &PrivateReport::name);
    if (found == all.end()) found = all.insert(all.end(), {name, {}, {}});
    found->bytes = found->bytes + sizes_.formula(own.bytes);
    found->moved = found->moved + sizes_.formula(own.read) + sizes_.formula(own.written);
  }

  CopyReport told(const Traffic::Copy& copy) {
    CopyReport report{name(copy.array), name(copy.from), sizes_.formula(copy.bytes), true, {}};
    const plan::Reuse* reuse = find_reuse(report_.lowered.plan.steps, copy.place);
    const auto is = [&](Expr e) { return e == program_.arena->name(copy.from); };
    if (std::ranges::find(program_.params, copy.from) != program_.params.end()) {
      report.reason = "an argument stays as the caller has it";
    } else if (reuse && reuse->is_last) {
      report.is_made = false;
      report.reason = "unless an argument, a result or another name has that memory as well";
      if (reuse->where != plan::Reuse::always) report.reason += ", or points read what others replace";
    } else if (std::string line = reader_behind(program_.body, copy.from, copy.array); !line.empty()) {
      report.reason = fmt::format("{} reads it later", line);
    } else if (std::ranges::any_of(program_.results, is)) {
      report.reason = "it is a result itself";
    } else {
      report.reason = "it is read later";
    }
    return report;
  }

  std::string name(Var array) { return std::string(sizes_.name(array)); }

  const pipeline::Report& report_;
  const soac::Program& program_;
  SizeNames& sizes_;
  const std::unordered_map<Var, std::string>& when_;
  const TrafficOfLaunches traffic_of_;
  std::unordered_map<Var, const kernel::Kernel*> called_;
};

// Calls visit(stm, repeats) for the statements that are launches, by what they read.
void for_each_reader(const std::vector<Stm>& body, bool repeats,
                     const std::function<void(const Stm&, bool)>& visit) {
  for (const Stm& s : body) {
    if (as<soac::Loop>(s.op) || as<soac::If>(s.op)) {
      for (Expr root : soac::roots_of(s)) visit({{}, soac::Let{root}, s.where, s.origin}, true);
      for (const auto& inner : soac::nested_in(s)) {
        for_each_reader(inner.lambda->body, true, visit);
        for (Expr result : inner.lambda->results) visit({{}, soac::Let{result}, s.where, s.origin}, true);
      }
    } else {
      visit(s, repeats);
    }
  }
}

}  // namespace

std::vector<LaunchReport> launches_told(const pipeline::Report& report, SizeNames& sizes,
                                        const std::unordered_map<Var, std::string>& when) {
  Telling tell(report, sizes, when);
  std::vector<LaunchReport> all;
  for (const lower::LaunchNote& note : report.lowered.notes) all.push_back(tell(note));
  return all;
}

std::vector<Expr> needed_of_params(const pipeline::Report& report) {
  const soac::Program& program = report.optimised;
  scalar::Arena& arena = *program.arena;
  const soac::EqualSizes sizes(program);
  std::vector<Expr> most(program.params.size());
  const auto add = [&](const Stm& s, bool repeats) {
    soac::Vars mentioned;
    soac::add_mentioned(s, mentioned);
    std::optional<Footprints> footprints;
    for (std::size_t k = 0; k < program.params.size(); ++k) {
      const Var param = program.params[k];
      if (arena.info(param).type.rank == 0 || !mentioned.contains(param)) continue;
      Expr needed = arena.i64(1);
      for (Expr extent : arena.info(param).shape) needed = needed * sizes.canonical(extent);
      if (!repeats) {
        if (!footprints) footprints.emplace(arena, sizes, s);
        if (const auto part = footprints->of(param)) needed = smaller(part->elements, needed);
      }
      most[k] = most[k] ? larger(most[k], needed) : needed;
    }
  };
  for_each_reader(program.body, false, add);
  for (Expr result : program.results)
    if (result.type().rank == 0) add({{}, soac::Let{result}, {}, {}}, false);
  for (std::size_t k = 0; k < most.size(); ++k)
    if (most[k]) {
      const auto bytes = static_cast<std::int64_t>(size_of(arena.info(program.params[k]).type.kind));
      most[k] = most[k] * bytes;
    }
  return most;
}

}  // namespace fulgurite::tool
