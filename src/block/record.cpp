// From a function of pull and push arrays to kernel IR: arguments as reads of the block's part of an array,
// results as stores to it.
#include <fmt/format.h>
#include <fulgurite/error.h>

#include <algorithm>

#include "block/launch_grid.h"
#include "emit/names.h"
#include "kernel/resources.h"

namespace fulgurite::detail::block {
namespace {

using Function = std::function<std::vector<Result>(std::span<const Argument>)>;

void require_name(const std::string& name, Here where) {
  if (!emit::is_legal(name))
    throw TraceError(
        fmt::format("'{}' cannot be the name of a kernel: it is a function's name in C, CUDA and OpenCL, "
                    "letters, digits and '_', and no word that one of them has taken",
                    name),
        where);
}

// How many threads a block has that are stated so.
std::int64_t count_threads(const ThreadShape& threads, Here where) {
  using kernel::most_threads;
  const auto [x, y, is_matrix] = threads;
  const bool fits = 1 <= x && x <= most_threads;
  if (!is_matrix && !fits)
    throw ShapeError(fmt::format("a block of {} threads: it has 1 to {}", x, most_threads), where);
  if (is_matrix && (!fits || y < 1 || y > most_threads / x))
    throw ShapeError(fmt::format("a block of {} times {} threads: it has 1 to {}", x, y, most_threads),
                     where);
  return is_matrix ? x * y : x;
}

// The results of the kernel: their shapes, and the code that stores their elements.
class Results {
 public:
  Results(Recorder& recorder, const Inputs& inputs)
      : recorder_(recorder), code_(recorder.code), inputs_(inputs) {}

  void write(const Result& result) {
    Kernel& made = *recorder_.made;
    made.outputs.push_back(result.output);
    count_blocks(result);
    const Expr end = end_of(result);
    const std::vector<Expr> shape = shape_of(result, end);
    const Expr size = trace::product(code_.arena(), shape);
    inputs_.require_known(size, "the size of a result");
    made.shapes.push_back(shape);
    const std::vector<Expr> arrays = arrays_of(result, size);
    for (Expr array : arrays) params_.push_back({array.var(), kernel::Param::Role::output});
    if (!result.change) return store(result, arrays, end);
    result.change([&](Value index, Value value) {  // blocks meet in this array
      const Value exists = recorder_.exists(size, index);
      return recorder_.atomic(result.operation, arrays.front().var(), index, value, exists, recorder_.where);
    });
  }

  void require_all() const {
    const Kernel& made = *recorder_.made;
    if (!made.n_blocks)
      throw ShapeError(
          fmt::format("nothing says how many blocks kernel '{}' has: give it an argument block<T>(n), or "
                      "return tiled() or update()",
                      made.ir.name),
          recorder_.where);
    for (std::size_t k = 0; k < made.inputs.size(); ++k) {
      const auto updates = std::ranges::count(made.outputs, static_cast<int>(k), &Output::updates);
      if (made.inputs[k].is_updated && updates != 1)
        throw TraceError(fmt::format("argument {} of kernel '{}' is updated, so one of its results is "
                                     "update() of it: there are {}",
                                     k + 1, made.ir.name, updates),
                         recorder_.where);
    }
  }

  /// The arrays that the results are.
  const std::vector<kernel::Param>& params() const { return params_; }

 private:
  void count_blocks(const Result& result) {
    const Kernel& made = *recorder_.made;
    if (result.tiling)
      block::count_blocks(recorder_, inputs_, code_.tracer().expr(result.tiling->blocks, recorder_.where),
                          fmt::format("result {}", made.outputs.size()));
    else if (!made.n_blocks)
      throw TraceError(fmt::format("result {} of kernel '{}' is of a block, and nothing before it says how "
                                   "many blocks there are: return tiled() of it",
                                   made.outputs.size(), made.ir.name),
                       recorder_.where);
  }

  // A result ends where an argument does that has blocks as large, of which the last may be short.
  Expr end_of(const Result& result) const {
    if (result.tiling || result.change) return {};
    for (const Inputs::Given& given : inputs_.given())
      if (!given.input.fill.empty() && given.input.block == result.output.block) return given.size;
    return {};
  }

  std::vector<Expr> shape_of(const Result& result, Expr end) {
    if (result.shape.empty()) return {size_of(result, end)};
    return code_.tracer().exprs(result.shape, recorder_.where);
  }

  // How many elements the result has, if its shape does not say it.
  Expr size_of(const Result& result, Expr end) {
    if (result.output.updates >= 0) return inputs_[result.output.updates].size;
    if (result.tiling || result.change) return code_.tracer().expr(result.size, recorder_.where);
    return end ? end : recorder_.made->n_blocks * result.output.block;
  }

  std::vector<Expr> arrays_of(const Result& result, Expr size) {
    if (result.output.updates >= 0) return inputs_[result.output.updates].components;
    std::vector<Expr> arrays;
    for (detail::Kind kind : result.output.components)
      arrays.push_back(code_.tracer().fresh_array(trace::kind_of(kind), {size},
                                                  fmt::format("result{}", params_.size() + arrays.size())));
    return arrays;
  }

  void store(const Result& result, const std::vector<Expr>& arrays, Expr end) {
    const Here& where = recorder_.where;
    result.run([&](Value index, std::span<const Value> components) {
      const Expr place = result.tiling ? code_.tracer().expr(result.tiling->place(index), where)
                                       : recorder_.in_array(result.output.block, index);
      const Expr at = code_.lower(code_.tracer().value(place), where);
      const std::vector<Expr> values = code_.lower(components, where);
      Expr mask;
      if (end) mask = code_.lower(code_.tracer().value(place < end), where);
      for (std::size_t k = 0; k < arrays.size(); ++k)
        code_.builder().store_plain(arrays[k].var(), at, values[k], mask);
    });
  }

  Recorder& recorder_;
  Statements& code_;
  const Inputs& inputs_;
  std::vector<kernel::Param> params_;
};

// The kernel's statements and parameters, its results' shapes, and what a launch expects.
void record_function(Recorder& recorder, const Function& f) {
  Statements& code = recorder.code;
  Kernel& made = *recorder.made;
  const Inputs inputs(recorder);
  const Expr n_blocks = code.tracer().fresh(scalar::Kind::i64, "n_blocks");
  Results results(recorder, inputs);
  made.ir.body = code.builder().block([&] {
    code.builder().par(kernel::Level::grid, n_blocks, "bid", [&](Expr bid) {
      const Statements::Scope scope(code, "the kernel", recorder.where);
      recorder.launch.block_number = code.tracer().adopt(bid);
      count_blocks(recorder, inputs);
      for (const Result& result : f(inputs.for_function())) results.write(result);
    });
  });
  results.require_all();
  for (const Requirement& r : recorder.launch.requirements) made.requirements.push_back(r);
  for (const Requirement& r : made.requirements) {
    inputs.require_known(r.condition, "what a launch expects");
    for (Expr quoted : r.operands) inputs.require_known(quoted, "what a launch expects");
  }
  made.ir.params = inputs.params(results.params());
  made.ir.params.push_back({n_blocks.var(), kernel::Param::Role::scalar});
  soac::Program traced = code.tracer().finish({});
  made.ir.arena = std::move(traced.arena);
  made.sites = std::move(traced.sites);
  made.ir.lines = code.lines();
}

}  // namespace

std::shared_ptr<const Kernel> record(std::string name, std::vector<Input> inputs, const Function& f,
                                     std::optional<ThreadShape> stated, Here where) {
  require_name(name, where);
  Recorder recorder(name, where);
  std::optional<std::int64_t> threads;
  if (stated) {
    threads = count_threads(*stated, where);
    recorder.launch.thread_shape = *stated;
  }
  recorder.made->inputs = std::move(inputs);
  record_function(recorder, f);
  prepare(*recorder.made, recorder.expectations, threads, where);
  return recorder.made;
}

}  // namespace fulgurite::detail::block
