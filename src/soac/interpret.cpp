#include "soac/interpret.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>

#include "base/check.h"
#include "base/match.h"
#include "kernel/emulate.h"
#include "soac/flatten.h"

namespace fulgurite::soac {

using base::match;
using scalar::Bits, scalar::Op;

namespace {

Where place(const Location& where) {
  return {where.file, where.line};
}

using Array = std::shared_ptr<const Value>;

class Interpreter {
 public:
  Interpreter(const Program& program, InterpretOptions options)
      : program_(program),
        options_(options),
        flat_(flatten(program)),
        slots_(flat_.n_slots),
        arrays_(flat_.n_arrays),
        running_(flat_.n_scans) {
    for (const auto& [slot, bits] : flat_.constants) at(slot) = bits;
  }

  std::vector<Value> run(std::span<const Value> args) {
    bind_arguments(args);
    run(flat_.code);
    std::vector<Value> results;
    for (std::size_t i = 0; i < flat_.results.size(); ++i) {
      const Ref r = flat_.results[i];
      results.push_back(r.is_array ? *array(r.number)
                                   : Value::scalar(program_.results[i].kind(), at(r.number)));
    }
    return results;
  }

 private:
  Bits& at(Slot slot) { return slots_[static_cast<std::size_t>(slot)]; }
  std::int64_t integer(Slot slot) { return static_cast<std::int64_t>(at(slot)); }
  Array& array(Slot number) { return arrays_[static_cast<std::size_t>(number)]; }

  void bind_arguments(std::span<const Value> args) {
    if (args.size() != flat_.params.size())
      throw ShapeError(
          fmt::format("'{}' takes {} arguments, not {}", program_.name, flat_.params.size(), args.size()));
    for (std::size_t i = 0; i < args.size(); ++i) {
      const scalar::VarInfo& info = program_.arena->info(program_.params[i]);
      const Value& arg = args[i];
      if (!is_for(info, arg))
        throw ShapeError(fmt::format("argument {} of '{}' should be {} but is {}", i + 1, program_.name,
                                     scalar::to_string(info.type), shape_text(arg.kind, arg.shape)));
      if (arg.bytes.size() != bytes_of(arg.kind, arg.shape, {}))
        throw ShapeError(fmt::format("argument {} of '{}' has {} bytes, which is not {}", i + 1,
                                     program_.name, arg.bytes.size(), shape_text(arg.kind, arg.shape)));
      const FlatProgram::Param& param = flat_.params[i];
      for (std::size_t d = 0; d < arg.shape.size(); ++d)
        at(param.extents[d]) = static_cast<Bits>(arg.shape[d]);
      // The caller's bytes outlive the run: no copy.
      if (param.to.is_array)
        array(param.to.number) = Array(&arg, [](const Value*) {});
      else
        at(param.to.number) = arg.at(0);
    }
  }

  std::uint64_t bytes_of(Kind kind, std::span<const std::int64_t> shape, const Location& where) const {
    std::uint64_t bytes = scalar::size_of(kind);
    for (std::int64_t extent : shape)
      if (extent < 0)
        throw ShapeError(
            fmt::format("an array cannot have the shape [{}]: a size is negative", fmt::join(shape, ", ")),
            place(where));
    if (std::ranges::find(shape, 0) != shape.end()) return 0;
    for (std::int64_t extent : shape)
      if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extent), &bytes)) bytes = UINT64_MAX;
    return bytes;
  }

  std::shared_ptr<Value> allocate(Kind kind, std::vector<std::int64_t> shape, const Location& where) {
    const std::uint64_t bytes = bytes_of(kind, shape, where);
    auto refuse = [&] {
      throw OutOfMemory(fmt::format("no memory for {}: {} bytes beside {} in use", shape_text(kind, shape),
                                    bytes, *in_use_),
                        place(where));
    };
    if (bytes > options_.max_bytes - std::min(*in_use_, options_.max_bytes)) refuse();
    try {
      auto value = std::make_unique<Value>();
      value->kind = kind;
      value->bytes.resize(bytes);
      value->shape = std::move(shape);
      *in_use_ += bytes;
      return {value.release(), [in_use = in_use_, bytes](Value* v) {
                *in_use -= bytes;
                delete v;
              }};
    } catch (const std::bad_alloc&) {
      refuse();
    }
    return {};
  }

  void run(const Code& code) {
    for (const Segment& segment : code) {
      for (const Instruction& i : segment.instructions)
        at(i.to) = i.op == Op::index ? element(i) : compute(i);
      for (const FlatStatement& s : segment.statement) {
        const Location& where = s.where;
        match(
            s.op, [&](const FlatSoac& soac) { run(soac, where); }, [&](const FlatScan& scan) { run(scan); },
            [&](const FlatSort& sort) { run(sort, where); }, [&](const FlatIf& branch) { run(branch); },
            [&](const FlatLoop& loop) { run(loop); }, [&](const FlatCheck& check) { run(check); },
            [&](const FlatCall& call) { run(call, where); },
            [&](const FlatLet& l) { at(l.to) = at(l.from); });
      }
    }
  }

  Bits compute(const Instruction& i) {
    const Bits a = at(i.a), b = at(i.b), c = at(i.c);
    if (b == 0 && scalar::is_integer(i.operand) && scalar::is_division(i.op)) {
      FULGURITE_CHECK(i.site != 0, "a divisor that was known not to be 0 is 0");
      raise(program_.sites[i.site - 1], std::array<std::int64_t, 2>{static_cast<std::int64_t>(a), 0},
            element_);
    }
    return scalar::evaluate(i.op, i.operand, i.result, a, b, c);
  }

  Bits element(const Instruction& i) {
    const Value& from = *array(i.a);
    std::uint64_t flat = 0;
    for (Slot d = 0; d < i.c; ++d) {
      const std::int64_t index = integer(flat_.index_slots[static_cast<std::size_t>(i.b + d)]);
      const std::int64_t extent = from.shape[static_cast<std::size_t>(d)];
      if (index < 0 || index >= extent) {
        FULGURITE_CHECK(i.site != 0, "index {} that was known to be in range is outside 0..{}", index,
                        extent - 1);
        raise(program_.sites[i.site - 1], std::array<std::int64_t, 2>{index, extent}, element_);
      }
      flat = flat * static_cast<std::uint64_t>(extent) + static_cast<std::uint64_t>(index);
    }
    return load(i.result, from.bytes.data() + flat * scalar::size_of(i.result));
  }

  // Runs the kernel as a GPU would, and proves it sound.
  void run(const FlatCall& call, const Location& where) {
    std::vector<kernel::BufferArgument> buffers;
    for (Slot number : call.arrays) {
      const std::vector<std::byte>& bytes = array(number)->bytes;
      buffers.push_back({{const_cast<std::byte*>(bytes.data()), bytes.size()}});
    }
    std::vector<std::shared_ptr<Value>> made;
    for (std::size_t r = 0; r < call.results.size(); ++r) {
      const FlatCall::Result& result = call.results[r];
      std::vector<std::int64_t> shape;
      for (Slot extent : result.shape) shape.push_back(integer(extent));
      made.push_back(allocate(result.kind, std::move(shape), where));
      const bool has_contents = call.former[r] >= 0;
      if (has_contents) made[r]->bytes = array(call.former[r])->bytes;
      buffers.push_back({made[r]->bytes, has_contents});
    }
    std::vector<Bits> scalars;
    for (Slot s : call.scalars) scalars.push_back(at(s));
    const kernel::Emulation emulation = kernel::emulate(*call.call->kernel, buffers, scalars);
    kernel::require_sound(*call.call->kernel, emulation);
    if (const auto& failed = emulation.failure) {
      raise(program_.sites[call.call->sites[failed->site - 1] - 1],
            std::array<std::int64_t, 2>{failed->value, failed->bound}, failed->element);
    }
    for (std::size_t r = 0; r < made.size(); ++r) array(call.results[r].array) = std::move(made[r]);
  }

  void run(const FlatCheck& check) {
    if (at(check.condition)) return;
    std::vector<std::int64_t> values;
    for (Slot s : check.operands) values.push_back(integer(s));
    raise(program_.sites[check.site - 1], values, element_);
  }

  void run(const FlatIf& branch) {
    const int taken = at(branch.condition) ? 0 : 1;
    run(branch.branches[taken]);
    move(branch.results[taken], branch.to);
  }

  /// All at once: a loop's body may give its state in another order.
  void move(const std::vector<Ref>& from, const std::vector<Ref>& to) {
    std::vector<Bits> scalars;
    std::vector<Array> arrays;
    for (Ref r : from) r.is_array ? arrays.push_back(array(r.number)) : scalars.push_back(at(r.number));
    std::size_t n_scalars = 0, n_arrays = 0;
    for (Ref r : to)
      if (r.is_array)
        array(r.number) = std::move(arrays[n_arrays++]);
      else
        at(r.number) = scalars[n_scalars++];
  }

  void run(const FlatLoop& loop) {
    const std::int64_t trips = loop.counted ? integer(loop.trips) : 0;
    move(loop.initial, loop.to);
    for (std::int64_t k = 0; !loop.counted || k < trips; ++k) {
      if (!loop.counted) {
        move(loop.to, loop.condition_params);
        run(loop.condition);
        if (!at(loop.condition_result)) break;
      } else {
        at(loop.counter) = static_cast<Bits>(k);
      }
      move(loop.to, loop.params);
      run(loop.body);
      move(loop.results, loop.to);
    }
  }

  /// The running value of a reduction: a tree of partial results whose leaves are the elements in their
  /// order. Its height is the logarithm of their number, which is what bounds the rounding error of sums
  /// (docs/semantics.md).
  struct Tree {
    const FlatReduction* reduction;
    bool in_order = false;                  // beside a scan: one level, whose result is the scan's last
    std::vector<std::vector<Bits>> levels;  // level l: the result of 2^l elements, or empty
    std::vector<Bits> value;
  };

  /// value = op(left, value)
  void combine(const FlatReduction& r, const std::vector<Bits>& left, std::vector<Bits>& value) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      at(r.left[i]) = left[i];
      at(r.right[i]) = value[i];
    }
    run(r.op);
    for (std::size_t i = 0; i < value.size(); ++i) value[i] = at(r.results[i]);
  }

  /// The element's products joined to what is on its left; the first element's are rounded by themselves.
  std::vector<Bits> with_products(const FlatReduction& r, const std::vector<Bits>& left) {
    std::vector<Bits> sums;
    for (const FlatProduct& p : r.products)
      sums.push_back(scalar::evaluate(Op::fast_fma, p.kind, p.kind, at(p.a), at(p.b), left[p.component]));
    return sums;
  }

  void push(Tree& tree) {
    const FlatReduction& r = *tree.reduction;
    tree.value.resize(r.operands.size());
    for (std::size_t i = 0; i < r.operands.size(); ++i) tree.value[i] = at(r.operands[i]);
    std::size_t level = 0;
    for (; level < tree.levels.size() && !tree.levels[level].empty(); ++level) {
      std::vector<Bits> sums;
      if (level == 0) sums = with_products(r, tree.levels[0]);
      combine(r, tree.levels[level], tree.value);
      for (std::size_t p = 0; p < sums.size(); ++p) tree.value[r.products[p].component] = sums[p];
      tree.levels[level].clear();
    }
    if (tree.in_order) level = 0;
    if (level == tree.levels.size()) tree.levels.emplace_back();
    tree.levels[level] = tree.value;
  }

  void finish(Tree& tree, const Location& where) {
    const FlatReduction& r = *tree.reduction;
    std::vector<Bits> value;
    auto join = [&](const std::vector<Bits>& left) {
      if (value.empty())
        value = left;
      else
        combine(r, left, value);
    };
    for (const auto& partial : tree.levels)
      if (!partial.empty()) join(partial);
    if (!r.neutral.empty()) join(values_of(r.neutral));
    if (!r.initial.empty()) join(values_of(r.initial));
    if (value.empty())
      throw ShapeError("a reduction without a neutral element needs at least one element", place(where));
    for (std::size_t i = 0; i < value.size(); ++i) at(r.to[i]) = value[i];
  }

  /// The operator's parameters from two lists, its results to the first.
  void fold(const FlatReduction& r, std::vector<Bits>& running, const std::vector<Bits>& next) {
    for (std::size_t i = 0; i < running.size(); ++i) {
      at(r.left[i]) = running[i];
      at(r.right[i]) = next[i];
    }
    run(r.op);
    for (std::size_t i = 0; i < running.size(); ++i) running[i] = at(r.results[i]);
  }

  std::vector<Bits> values_of(const std::vector<Slot>& slots) {
    std::vector<Bits> list;
    for (Slot s : slots) list.push_back(at(s));
    return list;
  }

  void run(const FlatScan& scan) {
    std::vector<Bits>& running = running_[static_cast<std::size_t>(scan.number)];
    const FlatReduction& r = scan.reduction;
    if (r.operands.empty()) {  // the offsets tell the value, from the number of the point
      running.resize(1);
      return void(at(r.to[0]) = segment_of(*array(*scan.segments), running[0]++));
    }
    const std::vector<Bits> next = values_of(r.operands);
    if (running.empty()) running = values_of(r.initial.empty() ? r.neutral : r.initial);
    std::vector<Bits> value = running;
    if (running.empty())
      running = next;
    else
      fold(r, running, next);
    if (scan.inclusive) value = running;
    for (std::size_t i = 0; i < value.size(); ++i) at(r.to[i]) = value[i];
  }

  void run(const FlatSort& sort, const Location& where) {
    std::vector<std::pair<Bits, Bits>> keys(array(sort.arrays[0])->size());  // the segment, then the key
    for (std::size_t i = 0; i < keys.size() && sort.segments; ++i)
      keys[i].first = segment_of(*array(*sort.segments), i);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      for (std::size_t k = 0; k < sort.arrays.size(); ++k) at(sort.params[k]) = array(sort.arrays[k])->at(i);
      run(sort.key);
      keys[i].second = at(sort.key_result);
    }
    std::vector<std::size_t> order(keys.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return keys[i]; });
    for (std::size_t k = 0; k < sort.arrays.size(); ++k) {
      const Value& before = *array(sort.arrays[k]);
      auto made = allocate(before.kind, before.shape, where);
      for (std::size_t i = 0; i < keys.size(); ++i) made->set(i, before.at(order[i]));
      array(sort.to[k]) = std::move(made);
    }
  }

  /// Calls each(n) for the points of a space, in order, with their indices in `params`.
  template <class F>
  void points(const std::vector<std::int64_t>& dims, const std::vector<Slot>& params, std::size_t outer_axes,
              const Location& where, F&& each) {
    const std::uint64_t n_points = bytes_of(Kind::i8, dims, where);
    if (n_points > points_left_) throw OutOfMemory("more points than were allowed", place(where));
    points_left_ -= n_points;
    std::uint64_t n_inner = 1;  // points of one position
    for (std::size_t d = outer_axes; n_points > 0 && outer_axes > 0 && d < dims.size(); ++d)
      n_inner *= static_cast<std::uint64_t>(dims[d]);
    std::vector<std::int64_t> point(dims.size(), 0);
    const bool outermost = !inside_;
    inside_ = true;
    for (std::uint64_t n = 0; n < n_points; ++n) {
      if (outermost) element_ = static_cast<std::int64_t>(n / n_inner);
      for (std::size_t d = 0; d < dims.size(); ++d) at(params[d]) = static_cast<Bits>(point[d]);
      each(n);
      for (std::size_t d = dims.size(); d-- > 0 && ++point[d] == dims[d];) point[d] = 0;
    }
    if (outermost) inside_ = false, element_ = 0;
  }

  std::vector<std::int64_t> extents(const std::vector<Slot>& slots) {
    std::vector<std::int64_t> list;
    for (Slot s : slots) list.push_back(integer(s));
    return list;
  }

  using Arrays = std::vector<std::shared_ptr<Value>>;

  Arrays contents(const FlatScatter& scatter, const Location& where) {
    const std::vector<std::int64_t> shape = extents(scatter.shape);
    Arrays arrays;
    for (Kind kind : scatter.kinds) arrays.push_back(allocate(kind, shape, where));
    points(shape, scatter.params, 0, where, [&](std::uint64_t n) {
      run(scatter.initial);
      for (std::size_t k = 0; k < arrays.size(); ++k) arrays[k]->set(n, at(scatter.contents[k]));
    });
    return arrays;
  }

  void put(const FlatScatter& scatter, const Arrays& arrays) {
    std::size_t n = 0;
    const std::vector<std::int64_t>& shape = arrays[0]->shape;
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const std::int64_t index = integer(scatter.place[d]);
      if (index < 0 || index >= shape[d]) return;
      n = n * static_cast<std::size_t>(shape[d]) + static_cast<std::size_t>(index);
    }
    std::vector<Bits> value = values_of(scatter.values);
    for (const FlatReduction& r : scatter.combine) {
      std::vector<Bits> before;
      for (const auto& array : arrays) before.push_back(array->at(n));
      fold(r, before, value);
      value = before;
    }
    for (std::size_t k = 0; k < arrays.size(); ++k) arrays[k]->set(n, value[k]);
  }

  /// For each class the values of its points.
  using Classes = std::vector<std::vector<std::vector<Bits>>>;

  void finish(const FlatPartition& partition, const Classes& classes, const Location& where) {
    std::int64_t total = 0;
    auto offsets = allocate(Kind::i64, {static_cast<std::int64_t>(classes.size()) + 1}, where);
    for (std::size_t c = 0; c < classes.size(); ++c) {
      offsets->set(c, static_cast<Bits>(total));
      total += static_cast<std::int64_t>(classes[c].size());
    }
    offsets->set(classes.size(), static_cast<Bits>(total));
    for (std::size_t k = 0; k < partition.arrays.size(); ++k) {
      auto values = allocate(partition.kinds[k], {total}, where);
      std::size_t n = 0;
      for (const auto& points : classes)
        for (const std::vector<Bits>& point : points) values->set(n++, point[k]);
      array(partition.arrays[k]) = std::move(values);
    }
    at(partition.total) = static_cast<Bits>(total);
    array(partition.offsets) = std::move(offsets);
  }

  void run(const FlatSoac& soac, const Location& where) {
    const std::vector<std::int64_t> dims = extents(soac.dims);
    bytes_of(Kind::i8, dims, where);
    Arrays outputs;
    for (const FlatOutput& output : soac.outputs) {
      std::vector<std::int64_t> shape = extents(output.shape);
      const auto behind = static_cast<std::ptrdiff_t>(soac.axes_behind);
      FULGURITE_CHECK(std::equal(dims.begin(), dims.end() - behind, shape.begin()) &&
                          std::equal(dims.end() - behind, dims.end(), shape.end() - behind),
                      "an array of shape {} from a space of shape {}", shape_text(output.kind, shape),
                      shape_text(Kind::i64, dims));
      outputs.push_back(allocate(output.kind, std::move(shape), where));
    }
    std::vector<Arrays> scattered;
    for (auto& s : soac.scatters) scattered.push_back(s.goes_on ? scattered.back() : contents(s, where));
    std::vector<Classes> sorted;
    for (const FlatPartition& partition : soac.partitions)
      sorted.emplace_back(static_cast<std::size_t>(std::max<std::int64_t>(integer(partition.classes), 0)));
    std::vector<Tree> trees;
    for (const FlatReduction& r : soac.reductions) trees.push_back({&r, !soac.scans.empty(), {}, {}});
    for (Slot scan : soac.scans) running_[static_cast<std::size_t>(scan)].clear();
    points(dims, soac.params, soac.outer_axes, where, [&](std::uint64_t n) {
      run(soac.body);
      for (Tree& tree : trees) push(tree);
      for (std::size_t i = 0; i < scattered.size(); ++i) put(soac.scatters[i], scattered[i]);
      for (std::size_t i = 0; i < sorted.size(); ++i) {
        const std::uint64_t c = at(soac.partitions[i].element_class);
        if (c < sorted[i].size()) sorted[i][c].push_back(values_of(soac.partitions[i].values));
      }
      for (std::size_t i = 0; i < outputs.size(); ++i) put(soac, i, *outputs[i], n, dims);
    });
    for (Tree& tree : trees) finish(tree, where);
    for (std::size_t i = 0; i < scattered.size(); ++i)
      for (std::size_t k = 0; k < scattered[i].size(); ++k)
        array(soac.scatters[i].arrays[k]) = std::move(scattered[i][k]);
    for (std::size_t i = 0; i < sorted.size(); ++i) finish(soac.partitions[i], sorted[i], where);
    for (std::size_t i = 0; i < outputs.size(); ++i) array(soac.outputs[i].array) = std::move(outputs[i]);
  }

  void put(const FlatSoac& soac, std::size_t number, Value& whole, std::uint64_t n,
           const std::vector<std::int64_t>& dims) {
    const FlatOutput& output = soac.outputs[number];
    if (!output.element.is_array) return whole.set(n, at(output.element.number));
    const Value& row = *array(output.element.number);
    const std::span own = std::span(whole.shape).subspan(dims.size() - soac.axes_behind, row.shape.size());
    FULGURITE_CHECK(std::ranges::equal(row.shape, own), "a row of shape {} in an array of shape {}",
                    shape_text(row.kind, row.shape), shape_text(whole.kind, whole.shape));
    whole.set_row(row, n, std::span(dims).last(soac.axes_behind));
  }

  const Program& program_;
  const InterpretOptions options_;
  std::uint64_t points_left_ = options_.max_points;
  const FlatProgram flat_;
  std::shared_ptr<std::uint64_t> in_use_ = std::make_shared<std::uint64_t>(0);
  std::vector<Bits> slots_;
  std::vector<Array> arrays_;
  // The running values of each Scan in the space that is walked; empty before its start.
  std::vector<std::vector<Bits>> running_;
  bool inside_ = false;       // some Soac is running
  std::int64_t element_ = 0;  // of the outermost Soac
};

}  // namespace

std::vector<Value> interpret(const Program& program, std::span<const Value> args, InterpretOptions options) {
  return Interpreter(program, options).run(args);
}

}  // namespace fulgurite::soac
