#include "plan/execute.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fulgurite/array.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "base/match.h"
#include "plan/device_copies.h"
#include "runtime/profile.h"
#include "runtime/stats.h"
#include "scalar/value.h"

namespace fulgurite::plan {

namespace {

using runtime::Memory;

// n things of type T, on the stack while they are few. Scalars start out uninitialised: a plan writes a slot
// before it reads it.
template <class T, std::size_t n_inline>
class Scratch {
 public:
  explicit Scratch(std::size_t n)
      : heap_(n > n_inline ? std::make_unique<std::byte[]>(n * sizeof(T)) : nullptr),
        data_(reinterpret_cast<T*>(heap_ ? heap_.get() : inline_)) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= alignof(std::max_align_t));
    std::uninitialized_default_construct_n(data_, n);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  T& operator[](std::size_t i) { return data_[i]; }
  T* data() { return data_; }

 private:
  alignas(T) std::byte inline_[n_inline * sizeof(T)];
  std::unique_ptr<std::byte[]> heap_;
  T* data_;
};

// Memory that arrays of this run are in.
struct Buffer {
  Memory memory;
  std::int32_t n_arrays = 0;  // 0: none
  bool is_given = false;      // the caller's now
};

struct Array {
  void* data = nullptr;
  std::int32_t buffer = -1;  // -1: memory of the caller's, or none
  std::int32_t rank = 0;
  std::int64_t extents[detail::max_rank];  // of the first `rank` axes
};

class Run {
 public:
  explicit Run(const Loaded& loaded)
      : loaded_(loaded),
        device_(*loaded.device),
        is_host_(loaded.is_host),
        reads_host_(loaded.reads_host),
        slots_(static_cast<std::size_t>(loaded.plan.n_slots)),
        arrays_(static_cast<std::size_t>(loaded.plan.n_places)),
        buffers_(static_cast<std::size_t>(loaded.plan.n_places)) {}
  ~Run() {
    parks_ = false;  // keeping memory for later may itself need memory
    n_loops_ = 0;
    for (Place p = 0; p < loaded_.plan.n_places; ++p) release(p);
    for (const Memory& memory : parked_) device_.release(memory);
    for (detail::DeviceCopies* copies : acquired_) copies->release(device_);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void bind(std::span<const detail::ArgumentView> arguments) {
    acquired_.reserve(arguments.size());  // nothing may fail between acquire() and push_back()
    for (std::size_t i = 0; i < arguments.size(); ++i) bind(loaded_.plan.params[i], arguments[i]);
    if (!loaded_.identity.empty()) device_.agree(call_text(arguments));
  }
  void steps(const Steps& all) {
    for (const Step& step : all) base::match(step.action, [&](const auto& action) { run(action); });
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
    const bool is_ours = array.buffer >= 0 && !buffer_of(array).is_given;
    Memory memory = is_ours ? buffer_of(array).memory : copy_of(array, from.kind);
    if (is_ours) buffer_of(array).is_given = true;
    if (!is_host_) {  // where it is until the host wants it
      to.data = detail::storage_on(device_, memory, bytes_of(from.kind, array));
      return;
    }
    auto give_back = [device = &device_, memory](const void*) { device->release(memory); };
    to.data = std::shared_ptr<const void>(memory.data, give_back);
  }

 private:
  std::uint64_t& slot(Slot s) { return slots_[static_cast<std::size_t>(s)]; }
  std::int64_t extent(Slot s) { return static_cast<std::int64_t>(slot(s)); }
  Array& at(Place p) { return arrays_[static_cast<std::size_t>(p)]; }
  Buffer& buffer_of(const Array& array) { return buffers_[static_cast<std::size_t>(array.buffer)]; }

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
      array.data = copies.acquire(device_, bytes_of(param.kind, array)).data;
      acquired_.push_back(&copies);
      return;
    }
    allocate(param.place, param.kind);
    const Memory& memory = buffer_of(array).memory;
    const runtime::Span span(runtime::Activity::transfer, "upload", memory.bytes);
    device_.upload(memory, argument.data, memory.bytes);
  }

  Memory memory_of(std::size_t bytes) {
    const auto parked = std::ranges::find(parked_, bytes, &Memory::bytes);
    if (parked != parked_.end()) {
      const Memory memory = *parked;
      parked_.erase(parked);
      return memory;
    }
    return is_host_ ? device_.allocate(bytes) : detail::allocate_on(device_, bytes);
  }

  // What a host's loops release is little more often than not, and wanted again in the next iteration.
  bool is_wanted_again(const Memory& memory) const {
    return is_host_ && n_loops_ > 0 && memory.bytes <= small_bytes && parked_.size() < most_small;
  }

  void give_back(const Memory& memory) {
    if (parks_ || is_wanted_again(memory))
      parked_.push_back(memory);
    else
      device_.release(memory);
  }

  Memory copy_of(const Array& array, Kind kind) {
    Memory copy = memory_of(bytes_of(kind, array));
    const runtime::Span span(runtime::Activity::transfer, "copy", copy.bytes, copy.bytes);
    device_.copy(copy, {array.data, copy.bytes}, copy.bytes);
    return copy;
  }

  static std::int64_t elements_of(const Array& array) {
    return std::accumulate(array.extents, array.extents + array.rank, std::int64_t{1}, std::multiplies<>());
  }
  static std::size_t bytes_of(Kind kind, const Array& array) {
    std::size_t bytes = size_of(kind);
    std::span extents(array.extents, static_cast<std::size_t>(array.rank));
    for (std::int64_t n : extents)
      if (n < 0)
        throw ShapeError(fmt::format("an array cannot have the extent {}: sizes are zero or positive", n));
    if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return 0;
    for (std::int64_t n : extents)
      if (__builtin_mul_overflow(bytes, static_cast<std::size_t>(n), &bytes) ||
          bytes > (std::size_t{1} << 62))
        throw OutOfMemory(
            fmt::format("an array of {} with an extent of {} exceeds every memory", name_of(kind), n));
    return bytes;
  }

  void release(Place p) {
    Array& array = at(p);
    if (array.buffer >= 0) {
      Buffer& buffer = buffer_of(array);
      if (buffer.n_arrays == 1 && !buffer.is_given)
        give_back(buffer.memory);  // may fail: changes nothing then
      --buffer.n_arrays;
    }
    array.buffer = -1;
    array.data = nullptr;
  }

  // Memory for the array of a place, whose extents are known. No more buffers are in use than places, and
  // this place uses none.
  void allocate(Place p, Kind kind) {
    Array& array = at(p);
    std::int32_t free = p;
    while (buffers_[static_cast<std::size_t>(free)].n_arrays > 0) free = (free + 1) % loaded_.plan.n_places;
    buffers_[static_cast<std::size_t>(free)] = {memory_of(bytes_of(kind, array)), 1, false};
    array.buffer = free;
    array.data = buffer_of(array).memory.data;
  }

  // Allocates for the statement at the site, which an error names.
  void allocate(Place p, Kind kind, Site site) {
    try {
      allocate(p, kind);
    } catch (const OutOfMemory& error) {
      if (site == 0 || error.line() != 0) throw;
      throw OutOfMemory(error.message(), loaded_.sites.at(site - 1).where);
    }
  }

  void set_extents(Array& array, const std::vector<Slot>& shape) {
    array.rank = static_cast<std::int32_t>(shape.size());
    for (std::size_t d = 0; d < shape.size(); ++d) array.extents[d] = extent(shape[d]);
  }

  void share(Place to, Place from) {
    if (to == from) return;
    release(to);
    at(to) = at(from);
    if (at(to).buffer >= 0) ++buffer_of(at(to)).n_arrays;
  }

  void run(const Compute& s) {
    std::uint64_t b = slot(s.b);
    if (s.site != 0 && b == 0) refuse(s.site, {});
    slot(s.to) = scalar::evaluate(s.op, s.operand, s.result, slot(s.a), b, slot(s.c));
  }
  void run(const Constant& s) { slot(s.to) = s.bits; }
  void run(const Copy& s) { slot(s.to) = slot(s.from); }
  void run(const Resident& s) {
    slot(s.to) = static_cast<std::uint64_t>(device_.resident_blocks(kernel(s.kernel), s.threads));
  }
  void run(const Check& s) {
    if (slot(s.condition)) return;
    std::vector<std::int64_t> values;
    for (Slot operand : s.operands) values.push_back(extent(operand));
    refuse(s.site, values);
  }
  // What the host finds, unless a kernel before it has failed.
  [[noreturn]] void refuse(Site site, std::span<const std::int64_t> values) {
    wait();
    raise(loaded_.sites.at(site - 1), values);
  }

  void run(const Allocate& s) {
    release(s.place);
    set_extents(at(s.place), s.shape);
    allocate(s.place, s.kind, s.site);
  }
  void run(const Share& s) { share(s.to, s.from); }
  void run(const Reuse& s) {
    const Array& from = at(s.from);
    const bool reuse = s.is_last && from.buffer >= 0 && buffer_of(from).n_arrays == 1;
    slot(s.fresh) = reuse ? 0 : 1;
    if (reuse) {
      share(s.to, s.from);
    } else {
      release(s.to);
      set_extents(at(s.to), s.shape);
      allocate(s.to, s.kind, s.site);
    }
  }
  void run(const CopyArray& s) {
    if (slot(s.fresh) == 0) return;
    const std::size_t bytes = bytes_of(s.kind, at(s.from));
    const runtime::Span span(runtime::Activity::transfer, "copy", bytes, bytes);
    device_.copy({at(s.to).data, bytes}, {at(s.from).data, bytes}, bytes);
  }
  void run(const Shrink& s) { at(s.place).extents[0] = extent(s.extent); }
  void run(const Release& s) { release(s.place); }

  // Waits for one that is being compiled.
  const runtime::Kernel& kernel(std::int32_t number) const {
    const auto n = static_cast<std::size_t>(number);
    return loaded_.later ? (*loaded_.later)[n] : *loaded_.kernels[n];
  }

  void run(const Launch& s) {
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

  void run(const Fetch& s) {
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

  void run(const If& s) { steps(slot(s.condition) ? s.then_steps : s.else_steps); }
  void run(const While& s) {
    ++n_loops_;
    for (;;) {
      steps(s.head);
      if (!slot(s.condition)) break;
      steps(s.body);
    }
    --n_loops_;
  }

  // What the host knows where a condition has been launched.
  struct Moment {
    std::vector<std::uint64_t> slots;
    std::vector<Array> arrays;
    std::vector<Buffer> buffers;
  };
  Moment now() {
    const auto n_slots = static_cast<std::size_t>(loaded_.plan.n_slots),
               n_places = static_cast<std::size_t>(loaded_.plan.n_places);
    return {{slots_.data(), slots_.data() + n_slots},
            {arrays_.data(), arrays_.data() + n_places},
            {buffers_.data(), buffers_.data() + n_places}};
  }

  // As if nothing had been launched since.
  void go_back_to(const Moment& then) {
    parked_.reserve(parked_.size() + then.buffers.size());  // no memory may be in both lists if this fails
    for (std::size_t b = 0; b < then.buffers.size(); ++b)
      if (buffers_[b].n_arrays > 0) parked_.push_back(buffers_[b].memory);
    for (const Buffer& buffer : then.buffers)
      if (buffer.n_arrays > 0)
        std::erase_if(parked_, [&](const Memory& memory) { return memory.data == buffer.memory.data; });
    std::ranges::copy(then.slots, slots_.data());
    std::ranges::copy(then.arrays, arrays_.data());
    std::ranges::copy(then.buffers, buffers_.data());
  }

  // After the last iteration launches change nothing, so that the arrays are as they were in the moment when
  // its condition was launched, if no memory of theirs was used by others: what is released meanwhile is kept
  // for these iterations.
  void run(const Converge& s) {
    parks_ = true;
    for (std::size_t ahead = 1;; ahead = std::min(2 * ahead, most_ahead)) {
      std::int32_t flags[2] = {1, 0};  // goes on, iterations so far
      const Memory memory{at(s.flags).data, sizeof flags};
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
          steps(s.head);
          moments.push_back(now());
          if (runtime::is_profiling.load(std::memory_order_relaxed))
            ask();  // a trace has no launch for nothing
          if (flags[0] != 0) steps(s.body);
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
    parks_ = false;
    for (const Memory& memory : std::exchange(parked_, {})) device_.release(memory);
  }

  const Loaded& loaded_;
  runtime::Device& device_;
  const bool is_host_, reads_host_;
  Scratch<std::uint64_t, 96> slots_;
  Scratch<Array, 24> arrays_;
  Scratch<Buffer, 24> buffers_;
  std::vector<detail::DeviceCopies*> acquired_;  // arguments' copies that this run reads
  static constexpr std::size_t small_bytes = 4096, most_small = 32;
  int n_loops_ = 0;  // on the way
  bool has_failed_ = false, parks_ = false;
  std::vector<Memory> parked_;  // released, and kept
};

}  // namespace

void execute(const Loaded& loaded, std::span<const detail::ArgumentView> arguments,
             std::span<detail::ResultValue> results) {
  FULGURITE_CHECK(
      arguments.size() == loaded.plan.params.size() && results.size() == loaded.plan.results.size(),
      "program '{}' takes {} components and gives {}", loaded.plan.name, loaded.plan.params.size(),
      loaded.plan.results.size());
  Run run(loaded);
  try {
    run.bind(arguments);
    run.steps(loaded.plan.steps);
    run.wait();
  } catch (...) {
    run.give_up();
    throw;
  }
  for (std::size_t i = 0; i < results.size(); ++i) run.give(loaded.plan.results[i], results[i]);
}

}  // namespace fulgurite::plan
