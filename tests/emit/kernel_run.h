// Runs a kernel twice for comparison: statement by statement on scalar::evaluate, and as the text that emit
// prints, compiled in this process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "base/match.h"
#include "emit/printer.h"
#include "kernel/ir.h"
#include "runtime/cpu/compiler.h"
#include "runtime/cpu/kernel.h"
#include "scalar/value.h"

namespace fulgurite::test {

using kernel::Expr;
using kernel::Kind;
using kernel::Var;
using scalar::Bits;
using scalar::Op;

using Bytes = std::vector<std::byte>;

struct Report {
  std::int32_t site;
  std::int64_t element, value, bound;
  friend auto operator<=>(const Report&, const Report&) = default;
};

/// What a launch gets and leaves: an entry of `buffers` for each buffer parameter, of `scalars` for
/// each scalar one.
struct Launch {
  std::vector<Bytes> buffers;
  std::vector<Bits> scalars;
  std::vector<Report> reports;
};

inline Bits load_element(const Bytes& buffer, Kind kind, std::int64_t index) {
  const std::size_t size = scalar::size_of(kind);
  if (index < 0 || static_cast<std::size_t>(index) >= buffer.size() / size) throw std::out_of_range("load");
  Bits bits = 0;
  std::memcpy(&bits, buffer.data() + static_cast<std::size_t>(index) * size, size);
  if (kind == Kind::boolean) return bits != 0;
  return scalar::evaluate(Op::bitcast, kind, kind, bits);
}
inline void store_element(Bytes& buffer, Kind kind, std::int64_t index, Bits bits) {
  const std::size_t size = scalar::size_of(kind);
  if (index < 0 || static_cast<std::size_t>(index) >= buffer.size() / size) throw std::out_of_range("store");
  std::memcpy(buffer.data() + static_cast<std::size_t>(index) * size, &bits, size);
}

class Interpreter {
 public:
  using Lanes = std::vector<Bits>;

  Interpreter(const kernel::Kernel& kernel, Launch& launch) : kernel_(kernel), launch_(launch) {
    std::size_t n_buffers = 0, n_scalars = 0;
    for (const kernel::Param& p : kernel.params) {
      if (p.role == kernel::Param::Role::scalar)
        values_[p.name] = {launch.scalars.at(n_scalars++)};
      else
        buffers_[p.name] = &launch.buffers.at(n_buffers++);
    }
  }

  void run() {
    for (const kernel::Stm& s : kernel_.body) {
      const auto& phase = std::get<kernel::Par>(s.op);
      for (std::int64_t task = 0, n = integer(phase.n); task < n; ++task) {
        values_[phase.name] = {static_cast<Bits>(task)};
        block(phase.body);
      }
    }
  }

 private:
  Lanes value(Expr e) {
    const auto lanes = static_cast<std::size_t>(e.type().lanes);
    switch (e.op()) {
      case Op::constant: return {e.bits()};
      case Op::name: return values_.at(e.var());
      case Op::splat: return Lanes(lanes, value(e.arg(0))[0]);
      case Op::lane: {
        Lanes result(lanes);
        for (std::size_t l = 0; l < lanes; ++l) result[l] = l;
        return result;
      }
      case Op::any:
      case Op::all: {
        std::size_t n = 0;
        const Lanes mask = value(e.arg(0));
        for (Bits b : mask) n += b;
        return {e.op() == Op::any ? n > 0 : n == mask.size()};
      }
      default: break;
    }
    std::vector<Lanes> args;
    for (Expr arg : e.args()) args.push_back(value(arg));
    args.resize(3, Lanes(lanes));
    Lanes result(lanes);
    for (std::size_t l = 0; l < lanes; ++l)
      result[l] = scalar::evaluate(e.op(), e.arg(0).kind(), e.kind(), args[0][l], args[1][l], args[2][l]);
    return result;
  }
  std::int64_t integer(Expr e) { return static_cast<std::int64_t>(value(e)[0]); }
  bool truth(Expr e) { return value(e)[0] != 0; }
  Lanes mask(Expr e, std::size_t lanes) { return e ? value(e) : Lanes(lanes, 1); }
  Lanes spread(Expr e, std::size_t lanes) {
    const Lanes v = value(e);
    return v.size() == lanes ? v : Lanes(lanes, v[0]);
  }

  Kind kind(Var v) const { return kernel_.arena->info(v).type.kind; }
  /// Calls f(lane, element) for the lanes that are on.
  template <class F>
  void each(const kernel::Access& a, std::size_t lanes, F&& f) {
    const Lanes on = mask(a.mask, lanes), index = value(a.index);
    for (std::size_t l = 0; l < lanes; ++l) {
      const std::int64_t stride = a.stride && index.size() == 1 ? integer(a.stride) : 0;
      const Bits element = index.size() == lanes ? index[l] : index[0] + l * static_cast<Bits>(stride);
      if (on[l]) f(l, static_cast<std::int64_t>(element));
    }
  }

  void block(const kernel::Block& b) {
    for (const kernel::Stm& s : b) base::match(s.op, [&](const auto& x) { run(x); });
  }
  void run(const kernel::Let& s) { values_[s.name] = value(s.value); }
  void run(const kernel::Declare& s) { values_[s.name] = value(s.value); }
  void run(const kernel::Assign& s) {
    const Lanes v = value(s.value), on = mask(s.mask, v.size());
    Lanes& target = values_.at(s.name);
    for (std::size_t l = 0; l < v.size(); ++l)
      if (on[l]) target[l] = v[l];
  }
  void run(const kernel::Load& s) {
    Lanes v(kernel_.arena->info(s.name).type.lanes);
    each(s.from, v.size(), [&](std::size_t l, std::int64_t i) {
      v[l] = load_element(*buffers_.at(s.from.buffer), kind(s.name), i);
    });
    values_[s.name] = v;
  }
  void run(const kernel::Store& s) {
    const Lanes v = value(s.value);
    each(s.to, v.size(), [&](std::size_t l, std::int64_t i) {
      store_element(*buffers_.at(s.to.buffer), s.value.kind(), i, v[l]);
    });
  }
  void run(const kernel::Permute& s) {
    Lanes both = value(s.low), v;
    const Lanes high = value(s.high);
    both.insert(both.end(), high.begin(), high.end());
    for (std::int32_t lane : s.lanes) v.push_back(both[static_cast<std::size_t>(lane)]);
    values_[s.name] = v;
  }
  void run(const kernel::Prefetch&) {}
  void run(const kernel::Pick& s) { values_[s.name] = {value(s.value)[static_cast<std::size_t>(s.from)]}; }
  void run(const kernel::Pack& s) {
    std::vector<Lanes> values;
    for (Expr e : s.values) values.push_back(value(e));
    Bits& next = values_.at(s.next)[0];
    const Lanes keep = mask(s.keep, values.empty() ? 1 : values[0].size());
    for (std::size_t l = 0; l < keep.size(); ++l) {
      if (!keep[l]) continue;
      for (std::size_t k = 0; k < values.size(); ++k)
        store_element(*buffers_.at(s.buffers[k]), kind(s.buffers[k]), static_cast<std::int64_t>(next),
                      values[k][l]);
      ++next;
    }
  }
  void run(const kernel::InOrder& s) {
    Bytes& turn = *buffers_.at(s.turn);
    if (load_element(turn, Kind::i64, 0) != value(s.task)[0]) throw std::logic_error("not its turn");
    block(s.body);
    store_element(turn, Kind::i64, 0, value(s.task)[0] + 1);
  }
  void run(const kernel::Transpose& s) {
    const std::int64_t index = integer(s.from.index), stride = integer(s.from.stride);
    for (std::int64_t step = 0; step < s.steps; ++step)
      for (std::int64_t l = 0; l < s.lanes; ++l)
        store_element(*buffers_.at(s.tile), kind(s.tile), step * s.lanes + l,
                      load_element(*buffers_.at(s.from.buffer), kind(s.tile), index + step + l * stride));
  }
  void run(const kernel::Shift&) { FULGURITE_CHECK(false, "a Shift is before vectorise"); }
  void run(const kernel::For& s) {
    const std::int64_t end = integer(s.end), step = integer(s.step);
    for (std::int64_t i = integer(s.begin); i < end; i += step) {
      values_[s.name] = {static_cast<Bits>(i)};
      block(s.body);
    }
  }
  void run(const kernel::While& s) {
    for (block(s.head); truth(s.condition); block(s.head)) block(s.body);
  }
  void run(const kernel::If& s) { block(truth(s.condition) ? s.then_branch : s.else_branch); }
  void run(const kernel::Allocate& s) {
    Bytes& memory = owned_[s.buffer];
    memory.assign(static_cast<std::size_t>(integer(s.n)) * scalar::size_of(kind(s.buffer)), std::byte{});
    buffers_[s.buffer] = &memory;
  }
  void run(const kernel::Fail& s) {
    const Lanes on = value(s.when), v = spread(s.value, on.size()), b = spread(s.bound, on.size());
    for (std::size_t l = 0; l < on.size(); ++l)
      if (on[l])
        launch_.reports.push_back({static_cast<std::int32_t>(s.site),
                                   integer(s.element) + static_cast<std::int64_t>(l) * integer(s.stride),
                                   static_cast<std::int64_t>(v[l]), static_cast<std::int64_t>(b[l])});
  }
  void run(const kernel::Par&) { throw std::logic_error("Par inside a task"); }
  void run(const kernel::Sync&) { throw std::logic_error("Sync inside a task"); }
  void run(const kernel::Atomic&) { throw std::logic_error("Atomic inside a task"); }
  void run(const kernel::WideLoad&) { throw std::logic_error("WideLoad inside a task"); }
  void run(const kernel::WideStore&) { throw std::logic_error("WideStore inside a task"); }
  void run(const kernel::Shuffle&) { throw std::logic_error("Shuffle inside a task"); }

  const kernel::Kernel& kernel_;
  Launch& launch_;
  std::unordered_map<Var, Lanes> values_;
  std::unordered_map<Var, Bytes*> buffers_;
  std::unordered_map<Var, Bytes> owned_;
};

/// Accesses out of the bounds of a parameter's buffer throw std::out_of_range.
inline void interpret(const kernel::Kernel& kernel, Launch& launch) {
  Interpreter(kernel, launch).run();
}

/// The number of tasks of a phase, from the scalars of the launch.
inline std::int64_t tasks(const kernel::Kernel& kernel, std::size_t phase, const Launch& launch) {
  kernel::Kernel counter = kernel;
  const auto& par = std::get<kernel::Par>(kernel.body[phase].op);
  kernel::Expr buffer = counter.arena->fresh_array(Kind::i64, {counter.arena->i64(0)}, "count");
  counter.params.push_back({buffer.var(), kernel::Param::Role::output});
  kernel::Var once = counter.arena->fresh({Kind::i64}, "once").var();
  const kernel::Access to{buffer.var(), counter.arena->i64(0), {}, {}};
  counter.body = {
      {kernel::Par{kernel::Level::grid, once, counter.arena->i64(1), {{kernel::Store{to, par.n}}}}}};
  Launch count = launch;
  count.buffers.emplace_back(sizeof(std::int64_t));
  interpret(counter, count);
  return static_cast<std::int64_t>(load_element(count.buffers.back(), Kind::i64, 0));
}

class CompiledKernel {
 public:
  explicit CompiledKernel(const kernel::Kernel& kernel, const std::string& cpu = "native",
                          const emit::Dialect& dialect = emit::c)
      : kernel_(kernel), module_(runtime::cpu::compile(kernel.name, emit::print(kernel, dialect), {cpu})) {}

  /// Phase by phase, each in two ranges of tasks.
  void run(Launch& launch) const {
    // Vectors are loaded from, and streamed to, memory as our allocator aligns it.
    std::vector<Aligned> memory;
    std::vector<void*> addresses;
    for (const Bytes& b : launch.buffers) addresses.push_back(memory.emplace_back(b).data());
    current_reports() = &launch.reports;
    const runtime::cpu::KernelContext context{addresses.data(),
                                              reinterpret_cast<const std::int64_t*>(launch.scalars.data()),
                                              nullptr,
                                              report,
                                              [] {},
                                              1};
    for (std::size_t phase = 0; phase < kernel_.body.size(); ++phase) {
      const std::string name = kernel_.name + "_p" + std::to_string(phase);
      void* found = module_.find(name);
      if (!found) found = module_.find(name + "_in_order");
      const auto function = reinterpret_cast<runtime::cpu::PhaseFunction>(found);
      if (!function) throw std::runtime_error("no function " + name);
      const std::int64_t n = tasks(kernel_, phase, launch);
      function(&context, 0, n / 2);
      function(&context, n / 2, n);
    }
    for (std::size_t i = 0; i < memory.size(); ++i) launch.buffers[i] = memory[i].bytes();
  }

 private:
  class Aligned {
   public:
    explicit Aligned(const Bytes& bytes) : room_(bytes.size() + 64), size_(bytes.size()) {
      if (size_ > 0) std::memcpy(data(), bytes.data(), size_);
    }
    void* data() { return room_.data() + (64 - reinterpret_cast<std::uintptr_t>(room_.data()) % 64) % 64; }
    Bytes bytes() {
      const auto* first = static_cast<const std::byte*>(data());
      return {first, first + size_};
    }

   private:
    std::vector<std::byte> room_;
    std::size_t size_;
  };

  static std::vector<Report>*& current_reports() {
    thread_local std::vector<Report>* reports = nullptr;
    return reports;
  }
  static void report(fg_failure*, std::int32_t site, std::int64_t element, std::int64_t value,
                     std::int64_t bound) {
    current_reports()->push_back({site, element, value, bound});
  }

  const kernel::Kernel& kernel_;
  runtime::cpu::Module module_;
};

}  // namespace fulgurite::test
