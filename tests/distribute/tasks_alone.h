// A device that runs each task of a launch a second time in memory where only what its footprint says is as
// it should be: tests that what a task reads is there, that it stores nowhere else, and that stores which are
// certain happen. It is the processor, and says that it is several ranks.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/cpu/device.h"
#include "runtime/footprint.h"
#include "runtime/mpi/intervals.h"

namespace fulgurite::runtime::test {

class TasksAlone final : public Device {
 public:
  std::vector<std::string> faults;
  std::uint64_t n_tasks = 0;      // that ran twice
  std::uint64_t n_bounded = 0;    // of which every access was known
  std::uint64_t n_divisible = 0;  // phases of several tasks that may be shared by ranks
  std::uint64_t n_inspected = 0;  // arrays of which a task has marked what it reads
  std::uint64_t n_posted = 0;     // arrays of which a task has marked what it stores

  // Before each program.
  void begin() {
    faults.clear();
    work_ = 0;
  }

  Description describe() const override {
    Description all = cpu_.describe();
    all.is_host = false;
    all.reads_host = false;
    all.n_ranks = 3;
    return all;
  }
  Memory allocate(std::size_t bytes) override {
    const Memory memory = cpu_.allocate(bytes);
    if (bytes > 0) std::memset(memory.data, 0, bytes);
    bytes_[memory.data] = bytes;
    return memory;
  }
  void release(Memory memory) noexcept override {
    bytes_.erase(memory.data);
    cpu_.release(memory);
  }
  void upload(Memory to, const void* from, std::size_t bytes) override { cpu_.upload(to, from, bytes); }
  void download(void* to, Memory from, std::size_t bytes) override { cpu_.download(to, from, bytes); }
  void copy(Memory to, Memory from, std::size_t bytes) override { cpu_.copy(to, from, bytes); }
  std::shared_ptr<const Kernel> build(const KernelSource& source) override {
    return std::make_shared<Built>(cpu_.build(source), source);
  }
  std::optional<Failure> launch(const Kernel& kernel, const Launch& launch) override {
    return Launching(*this, static_cast<const Built&>(kernel), launch).run();
  }
  std::optional<Failure> wait() override { return std::nullopt; }

 private:
  struct Built final : Kernel {
    Built(std::shared_ptr<const Kernel> of_cpu, const KernelSource& source)
        : name(source.name),
          machine_code(std::move(of_cpu)),
          code(static_cast<const cpu::CpuKernel&>(*machine_code)),
          footprints(source.footprints.empty() ? Footprints() : Footprints::of_words(source.footprints)) {}
    std::string name;
    std::shared_ptr<const Kernel> machine_code;
    const cpu::CpuKernel& code;
    Footprints footprints;
  };

  using Bytes = std::vector<std::byte>;
  // The elements of an array of a launch that may be read, and that may be stored.
  struct Allowed {
    mpi::Intervals read, stored;
  };

  class Launching final : KnownElements {
   public:
    Launching(TasksAlone& device, const Built& kernel, const Launch& of)
        : device_(device), kernel_(kernel), of_(of), buffers_(of.buffers.begin(), of.buffers.end()) {
      const Footprints& all = kernel.footprints;
      for (const OwnArray& own : all.own) {
        const auto size = static_cast<std::size_t>(all.element_bytes[buffers_.size()]);
        const std::int64_t n =
            own.tasks_of >= 0
                ? of.n_tasks[static_cast<std::size_t>(own.tasks_of)]
                : (of.n_elements[static_cast<std::size_t>(own.elements_of)] + own.per - 1) / own.per;
        own_.push_back(device.allocate(static_cast<std::size_t>(n) * size));
        buffers_.push_back(own_.back().data);
      }
      for (std::size_t k = 0; k < buffers_.size(); ++k) {
        if (buffers_[k] == nullptr || !device.bytes_.contains(buffers_[k])) continue;
        arrays_.try_emplace(buffers_[k], static_cast<std::size_t>(all.element_bytes[k]));
      }
      launch_ = of;
      launch_.buffers = buffers_;
    }
    ~Launching() override {
      for (const Memory& memory : own_) device_.release(memory);
    }
    Launching(const Launching&) = delete;
    Launching& operator=(const Launching&) = delete;

    std::optional<Failure> run() {
      const std::vector<PhaseFootprint>& phases = kernel_.footprints.phases;
      if (phases.size() != kernel_.code.phases().size()) {
        device_.faults.push_back(fmt::format("{}: footprints of {} phases, and code of {}", kernel_.name,
                                             phases.size(), kernel_.code.phases().size()));
        return std::nullopt;
      }
      FailureRecord record;
      for (std::size_t p = 0; p < phases.size() && !record.any(); ++p) {
        const std::int64_t n =
            phases[p].tasks_of < 0 ? 1 : of_.n_tasks[static_cast<std::size_t>(phases[p].tasks_of)];
        if (!phases[p].is_divisible) {
          if (n > 0) alone(p, 0, n, record);
          continue;
        }
        if (n > 1) ++device_.n_divisible;
        if (p == 0 || !phases[p - 1].is_inspector) inspected_.clear();
        for (std::int64_t task = 0; task < n; ++task) alone(p, task, task + 1, record);
      }
      return record.any() ? record.lowest() : std::nullopt;
    }

   private:
    // Every other one is known, as ranks do not always have all elements.
    std::optional<Strided> at(std::int64_t buffer, Strided index) override {
      const auto k = static_cast<std::size_t>(buffer);
      const auto size = static_cast<std::int64_t>(kernel_.footprints.element_bytes[k]);
      const auto bytes = device_.bytes_.find(buffers_[k]);
      if (bytes == device_.bytes_.end() || (size != 4 && size != 8) || !index.is_bounded())
        return std::nullopt;
      const std::int64_t n = static_cast<std::int64_t>(bytes->second) / size;
      if (index.low < 0 || index.high >= n || knows_ % 3 == 0) return std::nullopt;
      std::optional<Strided> found;
      for (std::int64_t i = index.low; i <= index.high; ++i) {
        std::int64_t value = 0;
        std::int32_t narrow = 0;
        const auto* from = static_cast<const std::byte*>(buffers_[k]) + i * size;
        if (size == 4) {
          std::memcpy(&narrow, from, 4);
          value = narrow;
        } else {
          std::memcpy(&value, from, 8);
        }
        if (!found) found = Strided::point(value);
        if (value < found->low || value > found->high)
          found = {std::min(found->low, value), std::max(found->high, value), 1};
      }
      return found;
    }

    std::map<void*, Bytes> contents() const {
      std::map<void*, Bytes> all;
      for (const auto& [data, size] : arrays_) {
        const auto* from = static_cast<const std::byte*>(data);
        all[data] = Bytes(from, from + device_.bytes_.at(data));
      }
      return all;
    }
    static void put(const std::map<void*, Bytes>& all) {
      for (const auto& [data, bytes] : all)
        if (!bytes.empty()) std::memcpy(data, bytes.data(), bytes.size());
    }

    // The bytes that stand for elements which a task has marked.
    mpi::Intervals marked(const Marks& marks) const {
      const auto k = static_cast<std::size_t>(marks.buffer), m = static_cast<std::size_t>(marks.marks);
      const std::int64_t unit = std::int64_t{kernel_.footprints.element_bytes[k]} *
                                kernel_.footprints.own[m - of_.buffers.size()].per;
      mpi::Intervals all;
      const auto* set = static_cast<const std::byte*>(buffers_[m]);
      const std::size_t n = device_.bytes_.at(buffers_[m]);
      for (const void* at = std::memchr(set, 1, n); at != nullptr;) {
        const auto i = static_cast<std::size_t>(static_cast<const std::byte*>(at) - set);
        at = std::memchr(set + i + 1, 1, n - i - 1);
        all.add(mpi::Bytes{static_cast<std::int64_t>(i) * unit, static_cast<std::int64_t>(i + 1) * unit});
      }
      return all;
    }
    void clear_marks(const PhaseFootprint& phase) const {
      for (const Marks& marks : phase.marks) {
        void* data = buffers_[static_cast<std::size_t>(marks.marks)];
        if (const std::size_t bytes = device_.bytes_.at(data)) std::memset(data, 0, bytes);
      }
    }
    // Marks are the engine's own, and all that an inspector stores; a marked read is what it marked.
    void allow_marks(const PhaseFootprint& phase, std::map<void*, Allowed>& to) const {
      for (const Marks& marks : phase.marks) {
        void* data = buffers_[static_cast<std::size_t>(marks.marks)];
        Allowed& of = to[data];
        of.read = of.stored = mpi::Intervals(0, static_cast<std::int64_t>(device_.bytes_.at(data)));
      }
    }
    bool allow_as_inspected(const Touched& t, std::int64_t task, std::map<void*, Allowed>& to) const {
      if (!t.is_marked || t.stores) return false;
      const auto found = inspected_.find({t.buffer, task});
      if (found == inspected_.end()) return false;
      const auto known = device_.bytes_.find(buffers_[static_cast<std::size_t>(t.buffer)]);
      if (known == device_.bytes_.end()) return true;
      const mpi::Intervals all(0, static_cast<std::int64_t>(known->second));
      to[known->first].read.add(found->second & all);
      return true;
    }
    // What an inspector has marked is what its task may read; what is stored where only marks say is marked.
    std::optional<std::size_t> note_marks(std::size_t p, std::int64_t task,
                                          const std::map<void*, Bytes>& before) {
      const PhaseFootprint& phase = kernel_.footprints.phases[p];
      for (const Marks& marks : phase.marks) {
        const auto k = static_cast<std::size_t>(marks.buffer);
        const mpi::Intervals now = marked(marks);
        if (phase.is_inspector) {
          inspected_[{marks.buffer, task}] = now;
          ++device_.n_inspected;
          continue;
        }
        const auto old = before.find(buffers_[k]);
        if (old == before.end()) continue;
        const mpi::Intervals others = mpi::Intervals(0, static_cast<std::int64_t>(old->second.size())) - now;
        const auto* data = static_cast<const std::byte*>(buffers_[k]);
        for (const mpi::Bytes& b : others.all())
          if (std::memcmp(data + b.begin, old->second.data() + b.begin,
                          static_cast<std::size_t>(b.end - b.begin)) != 0)
            return k;
        device_.n_posted += now.empty() ? 0u : 1u;
      }
      return std::nullopt;
    }

    void allow(const Touched& t, std::map<void*, Allowed>& to) const {
      const auto k = static_cast<std::size_t>(t.buffer);
      const auto known = device_.bytes_.find(buffers_[k]);
      if (known == device_.bytes_.end()) return;
      const auto size = static_cast<std::int64_t>(kernel_.footprints.element_bytes[k]);
      const std::int64_t n = static_cast<std::int64_t>(known->second) / size;
      Allowed& of = to[buffers_[k]];
      const auto run = [&](std::int64_t low, std::int64_t high) {
        low = std::clamp<std::int64_t>(low, 0, n);
        high = std::clamp<std::int64_t>(high, -1, n - 1);
        if (low > high) return;
        if (t.stores) of.stored.add(mpi::Bytes{low * size, (high + 1) * size});
        if (!t.stores || !t.is_certain) of.read.add(mpi::Bytes{low * size, (high + 1) * size});
      };
      if (!t.has_gaps() || t.low == INT64_MIN || t.high == INT64_MAX) return run(t.low, t.high);
      for (std::int64_t low = t.low; low <= t.high; low += t.stride) run(low, low + t.run - 1);
    }

    // What is not allowed to be read is other elements of the array, or zeros.
    std::map<void*, Bytes> spoilt(const std::map<void*, Bytes>& of, const std::map<void*, Allowed>& allowed) {
      std::map<void*, Bytes> all;
      for (const auto& [data, bytes] : of) {
        const std::size_t size = arrays_.at(data), n = bytes.size();
        Bytes& to = all[data];
        to.resize(n);
        const std::size_t away = (n / size / 2 + 1) * size;
        spoils_by_zeros_ = !spoils_by_zeros_;
        if (spoils_by_zeros_ && n > size)
          std::rotate_copy(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(away % n), bytes.end(),
                           to.begin());
        const auto found = allowed.find(data);
        if (found == allowed.end()) continue;
        for (const mpi::Bytes& b : found->second.read.all())
          std::copy(bytes.begin() + b.begin, bytes.begin() + b.end, to.begin() + b.begin);
      }
      return all;
    }

    // If there are many tasks, or large arrays, only some of the tasks run twice.
    bool has_time() {
      std::size_t bytes = 0;
      for (const auto& [data, size] : arrays_) bytes += device_.bytes_.at(data);
      if (device_.work_ < most_work) {
        device_.work_ += 6 * bytes + 10'000;
        return true;
      }
      return knows_ % 97 == 0 && bytes < 100'000;
    }

    void alone(std::size_t p, std::int64_t first, std::int64_t last, FailureRecord& record) {
      ++knows_;
      const PhaseFootprint& phase = kernel_.footprints.phases[p];
      clear_marks(phase);
      if (!has_time()) {
        if (const std::optional<Failure> failure = run_tasks(p, first, last)) record.report(*failure);
        return;
      }
      std::map<void*, Allowed> allowed;
      bool is_bounded = true;
      for (std::int64_t task = first; task < last; ++task)
        for (const Touched& t : touched(phase, task, of_.scalars, *this)) {
          if (!allow_as_inspected(t, task, allowed)) allow(t, allowed);
          is_bounded &= t.low != INT64_MIN && t.high != INT64_MAX;
        }
      allow_marks(phase, allowed);
      ++device_.n_tasks;
      device_.n_bounded += is_bounded ? 1 : 0;

      const std::map<void*, Bytes> before = contents();
      const std::optional<Failure> failure = run_tasks(p, first, last);
      const std::map<void*, Bytes> after = contents();
      const std::optional<std::size_t> unmarked = note_marks(p, first, before);
      const std::map<void*, Bytes> other_before = spoilt(before, allowed);
      put(other_before);
      const std::optional<Failure> other_failure = run_tasks(p, first, last);
      const std::map<void*, Bytes> other_after = contents();
      put(after);

      const auto fault = [&](void* data, std::size_t byte, const char* what) {
        std::string numbers;
        for (std::size_t k = 0; k < buffers_.size(); ++k)
          if (buffers_[k] == data) numbers += fmt::format(" {}", k);
        device_.faults.push_back(fmt::format("{}, phase {}, tasks {} to {}, buffers{}, element {} of {}: {}",
                                             kernel_.name, p, first, last, numbers, byte / arrays_.at(data),
                                             before.at(data).size() / arrays_.at(data), what));
      };
      if (unmarked) fault(buffers_[*unmarked], 0, "some are stored and not marked");
      if (failure) record.report(*failure);
      if (failure.has_value() != other_failure.has_value()) {
        device_.faults.push_back(
            fmt::format("{}, phase {}, tasks {} to {}: fails only once", kernel_.name, p, first, last));
        return;
      }
      if (failure && !kernel_.footprints.phases[p].can_fail)
        device_.faults.push_back(fmt::format("{}, phase {}: fails, and cannot", kernel_.name, p));
      for (const auto& [data, bytes] : before) {
        const auto found = allowed.find(data);
        const mpi::Intervals stored = found == allowed.end() ? mpi::Intervals() : found->second.stored;
        const mpi::Intervals all(0, static_cast<std::int64_t>(bytes.size()));
        const Bytes& now = after.at(data);
        const mpi::Intervals others = all - stored;
        for (const mpi::Bytes& b : others.all()) {
          std::optional<std::size_t> at = first_difference(bytes, now, b);
          if (!at) at = first_difference(other_before.at(data), other_after.at(data), b);
          if (at) return fault(data, *at, "is stored, and the footprint does not say so");
        }
        if (failure) continue;
        for (const mpi::Bytes& b : stored.all())
          if (const std::optional<std::size_t> at = first_difference(now, other_after.at(data), b))
            return fault(
                data, *at,
                "depends on what the footprint does not say to be read, or is not certain to be stored");
      }
    }

    static std::optional<std::size_t> first_difference(const Bytes& a, const Bytes& b, const mpi::Bytes& in) {
      const auto begin = static_cast<std::size_t>(in.begin), n = static_cast<std::size_t>(in.end - in.begin);
      if (std::memcmp(a.data() + begin, b.data() + begin, n) == 0) return std::nullopt;
      std::size_t at = begin;
      while (a[at] == b[at]) ++at;
      return at;
    }

    std::optional<Failure> run_tasks(std::size_t p, std::int64_t first, std::int64_t last) {
      cpu::Running running(kernel_.code, launch_);
      running.run(p, first, last);
      return running.failure();
    }

    TasksAlone& device_;
    const Built& kernel_;
    const Launch& of_;
    Launch launch_{};
    std::vector<void*> buffers_;
    std::vector<Memory> own_;
    std::map<void*, std::size_t> arrays_;  // and the bytes of an element
    std::map<std::pair<std::int32_t, std::int64_t>, mpi::Intervals> inspected_;  // of a buffer and a task
    std::uint64_t knows_ = 0;
    bool spoils_by_zeros_ = false;
  };

  static constexpr std::uint64_t most_work = 200'000'000;  // bytes that are moved or compared
  cpu::CpuDevice cpu_;
  std::map<void*, std::size_t> bytes_;
  std::uint64_t work_ = 0;
};

}  // namespace fulgurite::runtime::test
