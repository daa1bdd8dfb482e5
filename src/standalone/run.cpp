// Runs a plan as plan/execute.cpp does, on the host's memory. The steps have been checked.
#include <sched.h>

#include <cstring>
#include <new>

#include "plan/step_code.h"
#include "scalar/evaluate.h"
#include "standalone/program.h"
#include "standalone/threads.h"

namespace fulgurite::scalar {

// check_steps() refuses such steps.
void undefined_op(Op, Kind) {
  __builtin_trap();
}

}  // namespace fulgurite::scalar

namespace fulgurite::standalone {

namespace {

using base::WordReader;
using plan::StepCode;
using scalar::Kind;

// Memory that arrays of this run are in.
struct Buffer {
  void* memory;
  std::size_t bytes;
  std::int32_t n_arrays;  // 0: none
  bool is_given;          // the caller's now
};
struct Array {
  void* data;
  std::int32_t buffer;  // -1: memory of the caller's, or none
  std::int32_t rank;
  std::int64_t extents[FG_MAX_RANK];
};

// What the threads of a phase read.
struct PhaseCall {
  runtime::cpu::PhaseFunction function;
  const runtime::cpu::KernelContext* context;
};

class Run {
 public:
  Run(const fg_program& program, fg_runtime_error* error)
      : plan_(program.plan),
        error_(error),
        slots_(static_cast<std::size_t>(plan_.n_slots)),
        arrays_(static_cast<std::size_t>(plan_.n_places)),
        buffers_(static_cast<std::size_t>(plan_.n_places)),
        launched_buffers_(plan_.most_buffers),
        launched_scalars_(plan_.most_scalars),
        launched_tasks_(plan_.most_tasks) {
    for (Array& array : arrays_) array.buffer = -1;
  }
  ~Run() {
    for (std::int32_t p = 0; p < plan_.n_places; ++p) release(p);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  fg_runtime_status call(const fg_value* arguments, fg_value* results) {
    if (slots_.is_null() || arrays_.is_null() || buffers_.is_null() || launched_buffers_.is_null() ||
        launched_scalars_.is_null() || launched_tasks_.is_null())
      return fail(error_, FG_OUT_OF_MEMORY, "no memory is left for a call");
    const std::size_t n_given = plan_.parameters.size() - plan_.n_captures;
    for (std::size_t i = 0; i < plan_.parameters.size(); ++i)
      bind(plan_.parameters[i], i < n_given ? arguments[i] : plan_.captures[i - n_given]);
    if (!steps(plan_.steps)) return status_;
    return give(results);
  }

 private:
  std::uint64_t& slot(std::uint32_t s) { return slots_[s]; }
  std::int64_t extent(std::uint32_t s) { return static_cast<std::int64_t>(slots_[s]); }
  Array& at(std::uint32_t p) { return arrays_[p]; }
  Buffer& buffer_of(const Array& array) { return buffers_[static_cast<std::size_t>(array.buffer)]; }

  template <class... Parts>
  bool stop(fg_runtime_status status, const Parts&... parts) {
    status_ = fail(error_, status, parts...);
    return false;
  }
  bool stop_at(std::uint32_t site, const std::int64_t* values, std::size_t n_values, std::int64_t position) {
    if (site == 0 || site > plan_.sites.size()) return stop(FG_FORMAT_ERROR, "a kernel failed at no line");
    status_ = fail_at(error_, plan_.sites[site - 1], values, n_values, position);
    return false;
  }

  // As values travel: integers extended, f32 in the low half.
  static std::uint64_t bits_of(fg_kind kind, const void* value) {
    std::uint64_t bits = 0;
    const std::size_t size = size_of(kind);
    std::memcpy(&bits, value, size);
    if (kind >= FG_I8 && kind <= FG_I64) {
      const auto shift = 64 - 8 * static_cast<int>(size);
      bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << shift) >> shift);
    }
    return bits;
  }

  void bind(const Value& parameter, const fg_value& argument) {
    if (parameter.type.rank == 0) {
      slots_[static_cast<std::size_t>(parameter.slot)] = bits_of(parameter.type.kind, argument.data);
      return;
    }
    Array& array = arrays_[static_cast<std::size_t>(parameter.place)];
    array.rank = parameter.type.rank;
    array.data = argument.data;
    for (std::int32_t axis = 0; axis < array.rank; ++axis) {
      array.extents[axis] = argument.extents[axis];
      slots_[static_cast<std::size_t>(parameter.slot + axis)] =
          static_cast<std::uint64_t>(argument.extents[axis]);
    }
  }

  // False: no array has such extents.
  bool bytes_of(fg_kind kind, const Array& array, std::uint32_t site, std::size_t& bytes) {
    bytes = size_of(kind);
    bool is_empty = false;
    for (std::int32_t axis = 0; axis < array.rank; ++axis) {
      if (array.extents[axis] < 0) return refuse_shape(site, array);
      is_empty |= array.extents[axis] == 0;
    }
    if (is_empty) bytes = 0;
    for (std::int32_t axis = 0; axis < array.rank && !is_empty; ++axis)
      if (__builtin_mul_overflow(bytes, static_cast<std::size_t>(array.extents[axis]), &bytes) ||
          bytes > std::size_t{1} << 62)
        return refuse(site, FG_OUT_OF_MEMORY, "an array exceeds every memory");
    return true;
  }
  bool refuse_shape(std::uint32_t site, const Array& array) {
    char shape[FG_MAX_RANK * sizeof "-9223372036854775808, "];
    Text text(shape, sizeof shape);
    for (std::int32_t axis = 0; axis < array.rank; ++axis)
      text << (axis > 0 ? ", " : "") << array.extents[axis];
    return refuse(site, FG_SHAPE_ERROR, "an array cannot have the shape [", std::string_view(shape),
                  "]: a size is negative");
  }
  // An array of the operation at the site is refused.
  template <class... Parts>
  bool refuse(std::uint32_t site, fg_runtime_status status, const Parts&... parts) {
    stop(status, parts...);
    if (error_ != nullptr && site != 0 && site <= plan_.sites.size()) {
      error_->line = plan_.sites[site - 1].line;
      Text(error_->file, sizeof error_->file) << plan_.sites[site - 1].file;
    }
    return false;
  }

  void release(std::int32_t p) {
    Array& array = arrays_[static_cast<std::size_t>(p)];
    if (array.buffer >= 0) {
      Buffer& buffer = buffer_of(array);
      if (--buffer.n_arrays == 0 && !buffer.is_given) release_array(buffer.memory, buffer.bytes);
    }
    array.buffer = -1;
    array.data = nullptr;
  }

  // Memory for the array of a place, which uses none. No more buffers are in use than places.
  bool allocate(std::int32_t p, fg_kind kind, std::uint32_t site) {
    Array& array = arrays_[static_cast<std::size_t>(p)];
    std::size_t bytes = 0;
    if (!bytes_of(kind, array, site, bytes)) return false;
    void* const memory = allocate_array(bytes);
    if (memory == nullptr)
      return refuse(site, FG_OUT_OF_MEMORY, "an array of ", static_cast<std::int64_t>(bytes),
                    " bytes was asked for, and there is no memory left for it");
    std::int32_t free = p;
    while (buffers_[static_cast<std::size_t>(free)].n_arrays > 0) free = (free + 1) % plan_.n_places;
    buffers_[static_cast<std::size_t>(free)] = {memory, bytes, 1, false};
    array.buffer = free;
    array.data = memory;
    return true;
  }
  void set_extents(Array& array, WordReader shape) {
    array.rank = static_cast<std::int32_t>(shape.n_left());
    for (std::int32_t axis = 0; axis < array.rank; ++axis) array.extents[axis] = extent(shape.word());
  }
  void share(std::uint32_t to, std::uint32_t from) {
    if (to == from) return;
    release(static_cast<std::int32_t>(to));
    at(to) = at(from);
    if (at(to).buffer >= 0) ++buffer_of(at(to)).n_arrays;
  }

  bool steps(WordReader words) {
    while (words.n_left() > 0)
      if (!step(words)) return false;
    return true;
  }

  bool step(WordReader& w) {
    switch (static_cast<StepCode>(w.word())) {
      case StepCode::compute: return compute(w);
      case StepCode::constant: {
        std::uint64_t& to = slot(w.word());
        to = w.wide();
        return true;
      }
      case StepCode::check: return check(w);
      case StepCode::allocate: {
        const std::uint32_t place = w.word();
        const auto kind = static_cast<fg_kind>(w.word());
        const std::uint32_t site = w.word();
        release(static_cast<std::int32_t>(place));
        set_extents(at(place), w.section());
        return allocate(static_cast<std::int32_t>(place), kind, site);
      }
      case StepCode::share: {
        const std::uint32_t to = w.word();
        share(to, w.word());
        return true;
      }
      case StepCode::reuse: return reuse(w);
      case StepCode::copy_array: return copy_array(w);
      case StepCode::shrink: {
        Array& array = at(w.word());
        array.extents[0] = extent(w.word());
        return true;
      }
      case StepCode::release: release(static_cast<std::int32_t>(w.word())); return true;
      case StepCode::launch: return launch(w);
      case StepCode::fetch: {
        std::uint64_t& to = slot(w.word());
        const Array& from = at(w.word());
        const auto kind = static_cast<fg_kind>(w.word());
        if (from.data == nullptr) return stop(FG_FORMAT_ERROR, "a program reads an array that is not there");
        to = bits_of(kind, from.data);
        return true;
      }
      case StepCode::copy: {
        std::uint64_t& to = slot(w.word());
        to = slot(w.word());
        return true;
      }
      case StepCode::branch: {
        const bool is_taken = slot(w.word()) != 0;
        const WordReader yes = w.section(), no = w.section();
        return steps(is_taken ? yes : no);
      }
      case StepCode::loop: {
        const std::uint32_t condition = w.word();
        const WordReader head = w.section(), body = w.section();
        for (;;) {
          if (!steps(head)) return false;
          if (slot(condition) == 0) return true;
          if (!steps(body)) return false;
        }
      }
      case StepCode::converge: return converge(w);
      case StepCode::resident: break;  // only plans for devices ask
    }
    return stop(FG_FORMAT_ERROR, "a program has an unknown step");
  }

  bool compute(WordReader& w) {
    const auto op = static_cast<scalar::Op>(w.word());
    const auto operand = static_cast<Kind>(w.word()), result = static_cast<Kind>(w.word());
    std::uint64_t& to = slot(w.word());
    const std::uint64_t a = slot(w.word()), b = slot(w.word()), c = slot(w.word());
    const std::uint32_t site = w.word();
    if (site != 0 && b == 0) return stop_at(site, nullptr, 0, 0);
    to = scalar::evaluate_scalar(op, operand, result, a, b, c);
    return true;
  }
  bool check(WordReader& w) {
    const bool holds = slot(w.word()) != 0;
    const std::uint32_t site = w.word();
    WordReader operands = w.section();
    if (holds) return true;
    std::int64_t values[16];
    std::size_t n = 0;
    while (operands.n_left() > 0 && n < 16) values[n++] = extent(operands.word());
    return stop_at(site, values, n, 0);
  }
  bool reuse(WordReader& w) {
    const std::uint32_t to = w.word(), from = w.word();
    const auto kind = static_cast<fg_kind>(w.word());
    std::uint64_t& fresh = slot(w.word());
    const std::uint32_t taken = w.word(), site = w.word();
    const WordReader shape = w.section();
    const Array& array = at(from);
    const bool reuse = taken != 0 && array.buffer >= 0 && buffer_of(array).n_arrays == 1 &&
                       (taken == 1 || slot(taken - 2) != 0);
    fresh = reuse ? 0 : 1;
    if (reuse) {
      share(to, from);
      return true;
    }
    release(static_cast<std::int32_t>(to));
    set_extents(at(to), shape);
    return allocate(static_cast<std::int32_t>(to), kind, site);
  }
  bool copy_array(WordReader& w) {
    const Array &to = at(w.word()), &from = at(w.word());
    const auto kind = static_cast<fg_kind>(w.word());
    std::size_t bytes = 0;
    if (slot(w.word()) == 0) return true;
    if (!bytes_of(kind, from, 0, bytes)) return false;
    if (bytes != 0) std::memcpy(to.data, from.data, bytes);
    return true;
  }

  // Launches are done when they return, so that each iteration knows whether it is the last.
  bool converge(WordReader& w) {
    const std::uint32_t flags = w.word();
    const WordReader head = w.section(), body = w.section();
    const std::int32_t goes_on[2] = {1, 0};
    std::int32_t first = 1;
    if (at(flags).data == nullptr) return stop(FG_FORMAT_ERROR, "a program reads an array that is not there");
    std::memcpy(at(flags).data, goes_on, sizeof goes_on);
    for (;;) {
      if (!steps(head)) return false;
      std::memcpy(&first, at(flags).data, sizeof first);
      if (first == 0) return true;
      if (!steps(body)) return false;
    }
  }

  bool launch(WordReader& w) {
    const Kernel& kernel = plan_.kernels[w.word()];
    w.wide();  // bytes read and written
    std::size_t n_buffers = 0, n_scalars = 0, n_tasks = 0;
    for (WordReader list = w.section(); list.n_left() > 0;)
      launched_buffers_[n_buffers++] = at(list.word()).data;
    for (WordReader list = w.section(); list.n_left() > 0;)
      launched_scalars_[n_scalars++] = extent(list.word());
    for (WordReader list = w.section(); list.n_left() > 0;) launched_tasks_[n_tasks++] = extent(list.word());
    runtime::FailureRecord record;
    Launched launched{kernel, launched_buffers_.data(), launched_scalars_.data(), launched_tasks_.data(),
                      record};
    // Four times as much, since where there is no other thread a quarter has to be enough.
    if (!run_with_stack(4 * kernel.stack_bytes, &run_phases, &launched))
      return stop(FG_SYSTEM_ERROR, "no thread was to be had for a kernel that needs a large stack");
    if (!record.any()) return true;
    const runtime::Failure failure = *record.lowest();
    const auto values = failure.values();
    const auto site = static_cast<std::uint32_t>(failure.site);
    const bool is_check = site >= 1 && site <= plan_.sites.size() && plan_.sites[site - 1].error == 0;
    return stop_at(site, values.data(), is_check ? values.size() : 2, failure.position());
  }

  struct Launched {
    const Kernel& kernel;
    void* const* buffers;
    const std::int64_t* scalars;
    const std::int64_t* tasks;
    runtime::FailureRecord& record;
  };
  // After a phase that reported a failure the later ones do not run: they would read what it did not write.
  static void run_phases(void* argument) {
    const Launched& launched = *static_cast<const Launched*>(argument);
    runtime::cpu::KernelContext context{launched.buffers,
                                        launched.scalars,
                                        launched.record.handle(),
                                        &runtime::FailureRecord::report_from_kernel,
                                        [] { sched_yield(); },
                                        1,
                                        &runtime::FailureRecord::report_more_from_kernel};
    for (std::size_t i = 0; i < launched.kernel.n_phases && !launched.record.any(); ++i) {
      const Phase& phase = launched.kernel.phases[i];
      PhaseCall call{phase.function, &context};
      context.at_once = launched.tasks[i] > 1 ? n_threads() : 1;
      run_tasks(
          launched.tasks[i], phase.is_in_order,
          [](void* shared, std::int64_t first, std::int64_t last) {
            const auto* c = static_cast<const PhaseCall*>(shared);
            c->function(c->context, first, last);
          },
          &call);
    }
  }

  fg_runtime_status give(fg_value* results) {
    Several<fg_value> made(plan_.results.size());
    if (made.is_null()) return fail(error_, FG_OUT_OF_MEMORY, "no memory is left for the results");
    for (std::size_t i = 0; i < made.size(); ++i)
      if (!give(plan_.results[i], results[i], made[i])) {
        for (std::size_t k = 0; k < i; ++k)
          if (made[k].data != results[k].data) fg_value_free(&made[k]);
        return status_;
      }
    for (std::size_t i = 0; i < made.size(); ++i) results[i] = made[i];
    return FG_RUNTIME_OK;
  }
  // Where the caller's memory is too small, or there is none, an array of this run is handed over, unless
  // that is the caller's, or given already.
  bool give(const Value& from, const fg_value& wanted, fg_value& to) {
    to.kind = from.type.kind;
    to.rank = from.type.rank;
    std::size_t bytes = size_of(from.type.kind);
    const void* data = nullptr;
    Array* array = nullptr;
    if (from.type.rank == 0) {
      data = &slots_[static_cast<std::size_t>(from.slot)];
    } else {
      array = &arrays_[static_cast<std::size_t>(from.place)];
      data = array->data;
      std::memcpy(to.extents, array->extents, sizeof to.extents);
      if (!bytes_of(from.type.kind, *array, 0, bytes)) return false;
    }
    if (wanted.data != nullptr && wanted.capacity >= bytes && wanted.capacity > 0) {
      if (bytes != 0) std::memcpy(wanted.data, data, bytes);
      to.data = wanted.data;
      to.capacity = wanted.capacity;
      return true;
    }
    if (array != nullptr && array->buffer >= 0 && !buffer_of(*array).is_given) {
      buffer_of(*array).is_given = true;
      to.data = array->data;
      return true;
    }
    to.data = allocate_array(bytes);
    if (to.data == nullptr) return stop(FG_OUT_OF_MEMORY, "no memory is left for a result");
    if (bytes != 0) std::memcpy(to.data, data, bytes);
    return true;
  }

  const Plan& plan_;
  fg_runtime_error* const error_;
  fg_runtime_status status_ = FG_RUNTIME_OK;
  Several<std::uint64_t> slots_;
  Several<Array> arrays_;
  Several<Buffer> buffers_;
  Several<void*> launched_buffers_;
  Several<std::int64_t> launched_scalars_, launched_tasks_;
};

}  // namespace

fg_runtime_status run(const fg_program& program, const fg_value* arguments, fg_value* results,
                      fg_runtime_error* error) {
  return Run(program, error).call(arguments, results);
}

}  // namespace fulgurite::standalone

void fg_value_free(fg_value* value) {
  if (value == nullptr || value->data == nullptr || value->capacity != 0) return;
  std::size_t bytes = fulgurite::standalone::size_of(value->kind);
  for (int axis = 0; axis < value->rank; ++axis) bytes *= static_cast<std::size_t>(value->extents[axis]);
  fulgurite::standalone::release_array(value->data, bytes);
  value->data = nullptr;
}
