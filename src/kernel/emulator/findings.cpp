// Findings, once for each pair of statements, and as sentences.
#include <fmt/format.h>
#include <fulgurite/error.h>

#include <algorithm>
#include <tuple>

#include "kernel/emulator/machine.h"
#include "kernel/print.h"

namespace fulgurite::kernel::emulator {
namespace {

std::string_view buffer_name(const Kernel& kernel, const Program& program, std::int32_t buffer) {
  if (buffer < 0) return {};
  return kernel.arena->info(program.buffers[static_cast<std::size_t>(buffer)].name).name;
}

}  // namespace

Act Machine::act(const Stamp& s, std::int32_t buffer) const {
  const Step& step = program_.steps[s.step];
  // Where another array has the same bytes, the statement says which array it accesses.
  const std::int32_t of = step.code == Code::pack || step.buffer < 0 ? buffer : step.buffer;
  return {step.stm->line,
          std::string(buffer_name(kernel_, program_, of)),
          std::int64_t{s.task} - first_serial_,
          s.thread == whole_task ? -1 : static_cast<std::int64_t>(s.thread),
          step.code == Code::store || step.code == Code::pack || step.code == Code::atomic,
          step.code == Code::atomic};
}

/// Among findings of the same statements, the one with the lowest task and element stays.
void Machine::report(Finding f, std::uint32_t step, std::uint32_t other_step) {
  const auto place = [](std::uint32_t line, std::uint32_t of) {
    return line != 0 ? std::uint64_t{line} : (std::uint64_t{1} << 32) + of;
  };
  const Key key{f.fault, f.act.buffer, place(f.act.line, step),
                f.other ? place(f.other->line, other_step) : 0};
  const auto found = findings_.find(key);
  if (found == findings_.end()) {
    if (findings_.size() < options_.most_findings)
      findings_.emplace(key, Found{std::move(f), step, other_step});
    return;
  }
  const auto where_of = [](const Finding& x) { return std::tie(x.act.task, x.element, x.act.thread); };
  if (where_of(f) < where_of(found->second.finding)) found->second = {std::move(f), step, other_step};
}

/// A load that races with a store may come before it: that nothing is written yet is the same fault. Nor is
/// it a fault of its own in a launch that failed, which stores nothing where it could not compute the value.
std::vector<Finding> Machine::findings() const {
  std::vector<Finding> result;
  for (const auto& [key, found] : findings_) {
    const auto races = [&](const auto& other) {
      const Found& race = other.second;
      return race.finding.fault == Fault::race && (race.step == found.step || race.other_step == found.step);
    };
    if (found.finding.fault == Fault::uninitialised &&
        (result_.failure || std::any_of(findings_.begin(), findings_.end(), races)))
      continue;
    result.push_back(found.finding);
  }
  return result;
}

void Machine::report_race(std::int32_t buffer, std::size_t at, const Stamp& now, const Stamp& other) {
  const Buffer& b = program_.buffers[static_cast<std::size_t>(buffer)];
  Finding f{Fault::race, act(now, buffer), act(other, buffer), b.space};
  const Stamp *first = &now, *second = &other;
  // The plain write comes first, else the atomic; of two writes the one that stands first.
  const auto rank = [&](const Act& a, const Stamp& s) {
    return std::tuple(!a.writes, a.is_atomic, s.step, s.thread);
  };
  if (rank(*f.other, other) < rank(f.act, now)) {
    std::swap(f.act, *f.other);
    std::swap(first, second);
  }
  const std::int32_t of =
      first == &now || program_.steps[first->step].buffer < 0 ? buffer : program_.steps[first->step].buffer;
  const Buffer& named = program_.buffers[static_cast<std::size_t>(of)];
  const auto begin = static_cast<std::size_t>(named.space == Space::global ? 0 : named.place);
  f.element = (static_cast<std::int64_t>(at) - static_cast<std::int64_t>(begin)) /
              static_cast<std::int64_t>(scalar::size_of(named.kind));
  f.n = accessed(How::read, of).n;
  report(std::move(f), first->step, second->step);
}

void Machine::report_access(Fault fault, How how, std::int32_t buffer, std::int64_t index, unsigned lane,
                            const Stamp* other) {
  const Stamp now = task_->order.stamp(unit_->thread(lane), unit_->step);
  Finding f{fault, act(now, buffer), {}, Space::thread, index, 0};
  f.act.writes = how != How::read;
  if (buffer >= 0) {
    f.space = program_.buffers[static_cast<std::size_t>(buffer)].space;
    f.n = accessed(how, buffer).n;
  } else {
    f.n = program_.pars[static_cast<std::size_t>(step_->par)].n;
  }
  if (other && other->task != 0) f.other = act(*other, buffer);
  report(std::move(f), unit_->step, other ? other->step : 0);
}

}  // namespace fulgurite::kernel::emulator

namespace fulgurite::kernel {
namespace {

std::string place_of(const Kernel& kernel, std::uint32_t line) {
  if (line == 0) return fmt::format("kernel '{}'", kernel.name);
  if (line > kernel.lines.size()) return fmt::format("line {} of kernel '{}'", line, kernel.name);
  const Location& at = kernel.lines[line - 1];
  return fmt::format("{}:{}", at.file, at.line);
}

/// " (line 10)", in the terms of place_of.
std::string also_at(const Kernel& kernel, const Act& first, const Act& act) {
  if (act.line == 0 || act.line == first.line) return {};
  if (act.line > kernel.lines.size()) return fmt::format(" (line {})", act.line);
  const Location& at = kernel.lines[act.line - 1];
  const bool is_same_file = first.line > 0 && kernel.lines[first.line - 1].file == at.file;
  return is_same_file ? fmt::format(" (line {})", at.line) : fmt::format(" ({}:{})", at.file, at.line);
}

std::string who(const Act& a) {
  return a.thread < 0 ? "the task itself" : fmt::format("thread {}", a.thread);
}
std::string who_of_task(const Act& a) {
  return a.thread < 0 ? fmt::format("task {} itself", a.task)
                      : fmt::format("thread {} of task {}", a.thread, a.task);
}
std::string_view does(const Act& a) {
  return a.is_atomic ? "updates" : a.writes ? "writes" : "reads";
}
std::string_view space_name(Space s) {
  return s == Space::global ? "global" : s == Space::shared ? "shared" : "thread";
}
std::string element_of(const Finding& f) {
  return fmt::format("{} '{}'[{}]", space_name(f.space), f.act.buffer, f.element);
}

std::string race(const Kernel& kernel, const Finding& f) {
  const Act& other = *f.other;
  const bool is_one_task = f.act.task == other.task;
  const auto name = is_one_task ? who : who_of_task;
  const std::string by_name =
      other.buffer == f.act.buffer ? "" : fmt::format(" '{}' in the same bytes", other.buffer);
  std::string advice;
  if (f.act.is_atomic != other.is_atomic)
    advice = "one of them is atomic and the other is not: make both atomic, or put a barrier between them";
  else if (f.act.line == other.line && f.act.writes && other.writes)
    advice = "threads write one element in one statement: let one of them write, or use an atomic";
  else if (is_one_task)
    advice = "no barrier is between them: put a sync between the two";
  else
    advice =
        "tasks are not ordered: write in one phase and read in the next, or release what is written with an "
        "atomic that the reader acquires";
  return fmt::format("data race on {}: {} {}, {} {}{}{}, and {}", element_of(f), name(f.act), does(f.act),
                     name(other), does(other), by_name, also_at(kernel, f.act, other), advice);
}

std::string uninitialised(const Kernel& kernel, const Finding& f) {
  const std::string reader = fmt::format("{} reads {}", who_of_task(f.act), element_of(f));
  if (!f.other) return reader + ", which nothing has written: store to it first";
  if (f.other->buffer == f.act.buffer)
    return fmt::format("{}, which was written{} before the array began anew: store to it first", reader,
                       also_at(kernel, f.act, *f.other));
  return fmt::format(
      "{}, which '{}' has overwritten{}: both are in use at a time, so give them other offsets", reader,
      f.other->buffer, also_at(kernel, f.act, *f.other));
}

std::string divergence(const Kernel& kernel, const Finding& f) {
  const std::string others =
      f.other ? fmt::format(", others wait{}", also_at(kernel, f.act, *f.other)) : std::string();
  return fmt::format(
      "{} of {} threads come here, thread {} of task {} among them{}: all must, so take it out of branches "
      "and "
      "loops that differ between threads",
      f.element, f.n, f.act.thread, f.act.task, others);
}

}  // namespace

void require_sound(const Kernel& kernel, const Emulation& emulation) {
  if (emulation.findings.empty()) return;
  const Finding& first = emulation.findings.front();
  const Location where = first.act.line == 0 || first.act.line > kernel.lines.size()
                             ? Location()
                             : kernel.lines[first.act.line - 1];
  throw KernelError(message(kernel, first), {where.file, where.line});
}

std::string message(const Kernel& kernel, const Finding& f) {
  const auto text = [&]() -> std::string {
    switch (f.fault) {
      case Fault::race: return race(kernel, f);
      case Fault::out_of_bounds:
        if (f.act.buffer.empty())
          return fmt::format(
              "{} takes the value of thread {}, and there are {}: let the width of the shuffle "
              "divide their number",
              who_of_task(f.act), f.element, f.n);
        return fmt::format("{} {} {}, which has {} elements: correct the index, or mask the access",
                           who_of_task(f.act), does(f.act), element_of(f), f.n);
      case Fault::uninitialised: return uninitialised(kernel, f);
      case Fault::late_read:
        return fmt::format(
            "{} reads {} after {} updated it{}, and wants what it was before: load it before the first store",
            who_of_task(f.act), element_of(f), who_of_task(*f.other), also_at(kernel, f.act, *f.other));
      case Fault::divergence: return divergence(kernel, f);
      case Fault::shared_limit:
        return fmt::format(
            "with '{}' the threads of a block share {} bytes, and the device has {}: use smaller blocks or "
            "arrays",
            f.act.buffer, f.element, f.n);
      case Fault::unexpected:
        return fmt::format("{} reads element {} of a pull array, which has {} elements: correct the index",
                           who_of_task(f.act), f.element, f.n);
      case Fault::unwritten:
        return fmt::format(
            "nothing writes '{}'[{}], which has {} elements: push all elements of a result, and see "
            "that its tiles are all of it",
            f.act.buffer, f.element, f.n);
      case Fault::endless:
        return fmt::format("{} does not come to an end ({} rounds): see that what it waits for happens",
                           who_of_task(f.act), f.element);
    }
    return {};
  };
  return fmt::format("{}: {}", place_of(kernel, f.act.line), text());
}

}  // namespace fulgurite::kernel
