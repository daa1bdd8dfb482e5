#include "plan/execute.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fulgurite/array.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "plan/device_copies.h"
#include "plan/run_arrays.h"
#include "runtime/profile.h"
#include "runtime/stats.h"
#include "scalar/evaluate.h"
#include "scalar/value.h"

namespace fulgurite::plan {

namespace {

using runtime::Memory;

class Run {
 public:
  explicit Run(const Loaded& loaded)
      : loaded_(loaded),
        device_(*loaded.device),
        is_host_(loaded.is_host),
        reads_host_(loaded.reads_host),
        slots_(static_cast<std::size_t>(loaded.plan.n_slots)),
        arrays_(device_, is_host_, loaded.plan.n_places, loaded.sites) {}
  ~Run() {
    for (detail::DeviceCopies* copies : acquired_) copies->release(device_);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void bind(std::span<const detail::ArgumentView> arguments) {
    acquired_.reserve(arguments.size());  // nothing may fail between acquire() and push_back()
    for (std::size_t i = 0; i < arguments.size(); ++i) bind(loaded_.plan.params[i], arguments[i]);
    if (!loaded_.identity.empty()) device_.agree(call_text(arguments));
  }
  void steps(std::int32_t list) {
    for (const Instruction& i : loaded_.instructions.lists[static_cast<std::size_t>(list)]) run(i);
  }

  void wait() {
    if (!is_host_ && !reads_host_) runtime::counters.waits.add();
    if (auto failure = device_.wait()) fail(*failure);
  }

  // When an error is on its way: a kernel that was launched before and failed comes first, as it does where
  // the launch tells at once, and leaves nothing to the next run.
  void give_up() {
    std::optional<runtime::Failure> failure;
    try {
      failure = device_.give_up();
    } catch (const Error&) {  // of a device that is lost; the error on its way says why
    }
    if (failure) fail(*failure);
  }

  void give(const Result& from, detail::ResultValue& to) {
    to.kind = static_cast<std::uint8_t>(from.kind);
    to.rank = from.rank;
    if (from.rank == 0) {
      to.bits = slot(from.slot);
      return;
    }
    Array& array = at(from.place);
    std::copy_n(array.extents, array.rank, to.extents);
    // A parameter that is a result, or one result given twice: its memory is not ours to give away.
    const bool is_ours = array.buffer >= 0 && !arrays_.buffer_of(array).is_given;
    Memory memory = is_ours ? arrays_.buffer_of(array).memory : arrays_.copy_of(array, from.kind);
    if (is_ours) arrays_.buffer_of(array).is_given = true;
    if (!is_host_) {  // where it is until the host wants it
      to.data = detail::storage_on(device_, memory, array.bytes(from.kind));
      return;
    }
    auto give_back = [device = &device_, memory](const void*) { device->release(memory); };
    to.data = std::shared_ptr<const void>(memory.data, give_back);
  }

 private:
  std::uint64_t& slot(Slot s) { return slots_[static_cast<std::size_t>(s)]; }
  std::int64_t extent(Slot s) { return static_cast<std::int64_t>(slot(s)); }
  Array& at(Place p) { return arrays_[p]; }

  std::string call_text(std::span<const detail::ArgumentView> arguments) const {
    std::string text = fmt::format("a call of '{}' ({})", loaded_.plan.name,
                                   std::string_view(loaded_.identity).substr(0, 8));
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const Param& param = loaded_.plan.params[i];
      const std::span extents(arguments[i].extents, static_cast<std::size_t>(param.rank));
      text += fmt::format("{} component {}: {}", i == 0 ? "," : ";", i + 1, name_of(param.kind));
      text += param.rank == 0 ? fmt::format(" {:#x}", arguments[i].bits)
                              : fmt::format(" [{}]", fmt::join(extents, ", "));
    }
    return text;
  }

  void bind(const Param& param, const detail::ArgumentView& argument) {
    if (param.rank == 0) {
      slot(param.slot) = argument.bits;
      return;
    }
    Array& array = at(param.place);
    array.rank = param.rank;
    for (std::int32_t d = 0; d < param.rank; ++d) {
      array.extents[d] = argument.extents[d];
      slot(param.slot + d) = static_cast<std::uint64_t>(argument.extents[d]);
    }
    if (!param.is_read) return;
    if (is_host_) {
      array.data = const_cast<void*>(argument.on_host());  // kernels never write a parameter
      return;
    }
    if (reads_host_ && argument.at_hand() != nullptr) {
      array.data = const_cast<void*>(argument.at_hand());
      return;
    }
    if (argument.storage != nullptr) {
      detail::DeviceCopies& copies = argument.storage->copies();
      array.data = copies.acquire(device_, array.bytes(param.kind)).data;
      acquired_.push_back(&copies);
      return;
    }
    arrays_.allocate(param.place, param.kind);
    const Memory& memory = arrays_.buffer_of(array).memory;
    const runtime::Span span(runtime::Activity::transfer, "upload", memory.bytes);
    device_.upload(memory, argument.data, memory.bytes);
  }

  static std::int64_t elements_of(const Array& array) {
    return std::accumulate(array.extents, array.extents + array.rank, std::int64_t{1}, std::multiplies<>());
  }
  void set_extents(Array& array, const std::vector<Slot>& shape) {
    array.rank = static_cast<std::int32_t>(shape.size());
    for (std::size_t d = 0; d < shape.size(); ++d) array.extents[d] = extent(shape[d]);
  }

  // The action of an instruction's step.
  template <class Action>
  static const Action& step_of(const Instruction& i) {
    return *std::get_if<Action>(i.step);
  }
  // Part of the loop over a list; what takes longer than a call is a function of its own.
  [[gnu::always_inline]] inline void run(const Instruction& i) {
    switch (i.code) {
#define FULGURITE_PLAN_CASE(name)                                                                           \
  case Code::name:                                                                                          \
    slot(i.to) =                                                                                            \
        scalar::evaluate_as<std::int64_t>(Op::name, Kind::i64, Kind::i64, slot(i.a), slot(i.b), slot(i.c)); \
    return;
      FULGURITE_PLAN_OPERATIONS(FULGURITE_PLAN_CASE)
#undef FULGURITE_PLAN_CASE
      case Code::both: slot(i.to) = slot(i.a) & slot(i.b); return;
      case Code::compute: return run(step_of<Compute>(i));
      case Code::constant: slot(i.to) = i.bits; return;
      case Code::copy: slot(i.to) = slot(i.a); return;
      case Code::place_own: {
        Array& array = at(i.to);
        set_extents(array, step_of<Allocate>(i).shape);
        array.data = arrays_.own(i.bits);
        return;
      }
      case Code::fetch_own: {
        const runtime::Span span(runtime::Activity::transfer, "download", sizeof slot(i.to));
        std::memcpy(&slot(i.to), arrays_.own(i.bits), sizeof slot(i.to));
        runtime::counters.bytes_copied.add(sizeof slot(i.to));
        return;
      }
      case Code::branch: return steps(slot(i.a) != 0 ? i.b : i.c);
      case Code::loop: return loop(i);
      case Code::converge: return converge(i);
      case Code::check:
        if (slot(i.a) == 0) refuse(step_of<Check>(i));
        return;
      case Code::allocate: return run(step_of<Allocate>(i));
      case Code::share: return run(step_of<Share>(i));
      case Code::reuse: return run(step_of<Reuse>(i));
      case Code::copy_array: return run(step_of<CopyArray>(i));
      case Code::shrink: return run(step_of<Shrink>(i));
      case Code::release: return arrays_.release(step_of<Release>(i).place);
      case Code::launch: return run(step_of<Launch>(i));
      case Code::fetch: return run(step_of<Fetch>(i));
      case Code::resident: return run(step_of<Resident>(i));
    }
  }
  [[gnu::noinline]] void run(const Compute& s) {
    const std::uint64_t b = slot(s.b);
    if (s.site != 0 && b == 0) refuse(s.site, {});
    slot(s.to) = scalar::evaluate(s.op, s.operand, s.result, slot(s.a), b, slot(s.c));
  }
  [[gnu::noinline]] void run(const Resident& s) {
    slot(s.to) = static_cast<std::uint64_t>(device_.resident_blocks(kernel(s.kernel), s.threads));
  }
  [[noreturn, gnu::noinline]] void refuse(const Check& s) {
    std::vector<std::int64_t> values;
    for (Slot operand : s.operands) values.push_back(extent(operand));
    refuse(s.site, values);
  }
  // What the host finds, unless a kernel before it has failed.
  [[noreturn]] void refuse(Site site, std::span<const std::int64_t> values) {
    wait();
    raise(loaded_.sites.at(site - 1), values);
  }

  [[gnu::noinline]] void run(const Allocate& s) {
    arrays_.release(s.place);
    set_extents(at(s.place), s.shape);
    arrays_.allocate(s.place, s.kind, s.site);
  }
  void run(const Share& s) { arrays_.share(s.to, s.from); }
  [[gnu::noinline]] void run(const Reuse& s) {
    const Array& from = at(s.from);
    const bool reuse = s.is_last && from.buffer >= 0 && arrays_.buffer_of(from).n_arrays == 1 &&
                       (s.where == Reuse::always || slot(s.where) != 0);
    slot(s.fresh) = reuse ? 0 : 1;
    if (reuse) {
      arrays_.share(s.to, s.from);
    } else {
      arrays_.release(s.to);
      set_extents(at(s.to), s.shape);
      arrays_.allocate(s.to, s.kind, s.site);
    }
  }
  [[gnu::noinline]] void run(const CopyArray& s) {
    if (slot(s.fresh) == 0) return;
    const std::size_t bytes = at(s.from).bytes(s.kind);
    const runtime::Span span(runtime::Activity::transfer, "copy", bytes, bytes);
    device_.copy({at(s.to).data, bytes}, {at(s.from).data, bytes}, bytes);
  }
  void run(const Shrink& s) { at(s.place).extents[0] = extent(s.extent); }

  // Waits for one that is being compiled.
  const runtime::Kernel& kernel(std::int32_t number) const {
    const auto n = static_cast<std::size_t>(number);
    return loaded_.later ? (*loaded_.later)[n] : *loaded_.kernels[n];
  }

  [[gnu::noinline]] void run(const Launch& s) {
    Scratch<void*, 16> buffers(s.buffers.size());
    Scratch<std::int64_t, 24> scalars(s.scalars.size());
    Scratch<std::int64_t, 4> tasks(s.tasks.size());
    for (std::size_t i = 0; i < s.buffers.size(); ++i) buffers[i] = at(s.buffers[i]).data;
    for (std::size_t i = 0; i < s.scalars.size(); ++i) scalars[i] = extent(s.scalars[i]);
    for (std::size_t i = 0; i < s.tasks.size(); ++i) tasks[i] = extent(s.tasks[i]);
    runtime::Launch launch{{buffers.data(), s.buffers.size()},
                           {scalars.data(), s.scalars.size()},
                           {tasks.data(), s.tasks.size()},
                           slot(s.bytes_read),
                           slot(s.bytes_written)};
    std::vector<std::int64_t> n_elements;
    if (!loaded_.identity.empty())
      for (const auto place : s.buffers) n_elements.push_back(elements_of(at(place)));
    launch.n_elements = n_elements;
    const runtime::Kernel& launched = kernel(s.kernel);
    const std::string& name = loaded_.plan.kernels[static_cast<std::size_t>(s.kernel)].name;
    runtime::Span span(runtime::Activity::kernel, name, launch.bytes_read, launch.bytes_written);
    if (span.is_on()) describe(s.kernel, span);
    if (auto failure = device_.launch(launched, launch)) fail(*failure);
    if (span.is_on() && loaded_.identity.empty())
      wait();  // it lasts as long as the kernel, not as its launch
  }

  void describe(std::int32_t number, runtime::Span& span) const {
    const KernelText& text = loaded_.plan.kernels[static_cast<std::size_t>(number)];
    const Where where = where_of(loaded_, text);
    span.set_origin(loaded_.plan.name, text.operation, where.file, where.line);
  }

  [[noreturn]] void fail(const runtime::Failure& f) {
    has_failed_ = true;
    const SiteText& site = loaded_.sites.at(static_cast<std::size_t>(f.site) - 1);
    const auto values = f.values();
    const bool is_check = site.error == SiteText::Error::shape;  // others have two values
    raise(site, std::span(values).first(is_check ? values.size() : 2), f.position());
  }

  [[gnu::noinline]] void run(const Fetch& s) {
    wait();
    std::uint64_t bits = 0;
    Array& array = at(s.from);
    const runtime::Span span(runtime::Activity::transfer, "download", size_of(s.kind));
    device_.download(&bits, {array.data, size_of(s.kind)}, size_of(s.kind));
    if (is_signed(s.kind) && is_integer(s.kind)) {  // a value travels sign-extended
      int shift = 64 - 8 * static_cast<int>(size_of(s.kind));
      bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << shift) >> shift);
    }
    slot(s.to) = bits;
  }

  [[gnu::noinline]] void loop(const Instruction& i) {
    arrays_.enter_loop();
    for (;;) {
      steps(i.b);
      if (slot(i.a) == 0) break;
      steps(i.c);
    }
    arrays_.leave_loop();
  }

  struct Moment {
    std::vector<std::uint64_t> slots;
    RunArrays::Moment arrays;
  };
  Moment now() { return {{slots_.data(), slots_.data() + loaded_.plan.n_slots}, arrays_.now()}; }
  void go_back_to(const Moment& then) {
    arrays_.go_back_to(then.arrays);
    std::ranges::copy(then.slots, slots_.data());
  }

  // After the last iteration launches change nothing, so that the arrays are as they were in the moment when
  // its condition was launched, if no memory of theirs was used by others: what is released meanwhile is kept
  // for these iterations.
  [[gnu::noinline]] void converge(const Instruction& i) {
    const Place place = step_of<Converge>(i).flags;
    arrays_.begin_parking();
    for (std::size_t ahead = 1;; ahead = std::min(2 * ahead, most_ahead)) {
      std::int32_t flags[2] = {1, 0};  // goes on, iterations so far
      const Memory memory{at(place).data, sizeof flags};
      {
        const runtime::Span span(runtime::Activity::transfer, "upload", sizeof flags);
        device_.upload(memory, flags, sizeof flags);
      }
      const auto ask = [&] {
        wait();
        const runtime::Span span(runtime::Activity::transfer, "download", sizeof flags);
        device_.download(flags, memory, sizeof flags);
      };
      std::vector<Moment> moments;
      std::exception_ptr error;
      try {
        while (moments.size() < ahead && flags[0] != 0) {
          steps(i.b);
          moments.push_back(now());
          if (runtime::is_profiling.load(std::memory_order_relaxed))
            ask();  // a trace has no launch for nothing
          if (flags[0] != 0) steps(i.c);
        }
      } catch (...) {  // of an iteration that may not be, unless it is a kernel's
        if (has_failed_) throw;
        error = std::current_exception();
      }
      ask();
      if (flags[0] == 0) {
        go_back_to(moments.at(static_cast<std::size_t>(flags[1])));
        break;
      }
      if (error) std::rethrow_exception(error);
      FULGURITE_CHECK(static_cast<std::size_t>(flags[1]) == moments.size(),
                      "of {} conditions that went on {} ran", moments.size(), flags[1]);
    }
    arrays_.end_parking();
  }

  const Loaded& loaded_;
  runtime::Device& device_;
  const bool is_host_, reads_host_;
  Scratch<std::uint64_t, 96> slots_;
  RunArrays arrays_;
  std::vector<detail::DeviceCopies*> acquired_;  // arguments' copies that this run reads
  bool has_failed_ = false;
};

}  // namespace

Loaded without_kernels(Plan plan, runtime::Device& device, const runtime::Description& description) {
  Loaded loaded;
  loaded.plan = std::move(plan);
  loaded.instructions = instructions_of(loaded.plan, description.is_host);
  loaded.device = &device;
  loaded.is_host = description.is_host;
  loaded.reads_host = description.reads_host;
  return loaded;
}

void execute(const Loaded& loaded, std::span<const detail::ArgumentView> arguments,
             std::span<detail::ResultValue> results) {
  FULGURITE_CHECK(
      arguments.size() == loaded.plan.params.size() && results.size() == loaded.plan.results.size(),
      "program '{}' takes {} components and gives {}", loaded.plan.name, loaded.plan.params.size(),
      loaded.plan.results.size());
  Run run(loaded);
  try {
    run.bind(arguments);
    run.steps(0);
    run.wait();
  } catch (...) {
    run.give_up();
    throw;
  }
  for (std::size_t i = 0; i < results.size(); ++i) run.give(loaded.plan.results[i], results[i]);
}

}  // namespace fulgurite::plan
