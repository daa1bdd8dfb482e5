// From a function of pull and push arrays to kernel IR: arguments as reads of the block's part of an array,
// results as stores to it.
#include <fmt/format.h>
#include <fulgurite/error.h>

#include <cctype>

#include "block/block_kernel.h"
#include "block/recorder.h"
#include "emit/names.h"
#include "kernel/check.h"
#include "tidy/barriers.h"
#include "tidy/dead.h"
#include "tidy/forward.h"
#include "tidy/shared_layout.h"
#include "tidy/thread_forms.h"

namespace fulgurite::detail::block {
namespace {

using fulgurite::block::Recorder;
using kernel::Param;
using scalar::Expr;

void require_name(const std::string& name, Here where) {
  if (!emit::is_legal(name))
    throw TraceError(
        fmt::format("'{}' cannot be the name of a kernel: it is a function's name in C, CUDA and OpenCL, "
                    "letters, digits and '_', and no word that one of them has taken",
                    name),
        where);
}

class Recording {
 public:
  Recording(const std::string& name, std::vector<Input> inputs, Here where) : recorder_(name), where_(where) {
    made_->inputs = std::move(inputs);
    made_->ir.name = name;
  }

  std::shared_ptr<const Kernel> operator()(
      const std::function<std::vector<Result>(std::span<const Argument>)>& f) {
    std::vector<Param> arrays, scalars, extents;
    parameters(arrays, scalars, extents);
    const Expr n_blocks = tracer().fresh(scalar::Kind::i64, "n_blocks");
    std::vector<Param> outputs;
    made_->ir.body = emitter().block([&] {
      emitter().par(kernel::Level::grid, n_blocks, "bid", [&](Expr bid) {
        trace::Scope scope(tracer(), "the kernel", where_);
        block_ = tracer().adopt(bid);
        for (const Result& result : f(arguments())) write(result, outputs);
      });
    });
    auto& params = made_->ir.params;
    for (const auto* part : {&arrays, &outputs, &scalars, &extents})
      params.insert(params.end(), part->begin(), part->end());
    params.push_back({n_blocks.var(), Param::Role::scalar});
    soac::Program traced = tracer().finish({});
    made_->ir.arena = std::move(traced.arena);
    made_->sites = std::move(traced.sites);
    made_->ir.lines = recorder_.take_lines();
    kernel::check(made_->ir, kernel::Stage::threads, "record");
    made_->ir = tidy::barriers(tidy::lay_out_shared(tidy::thread_forms(std::move(made_->ir))));
    // Statements that have been joined share more.
    made_->ir = tidy::remove_dead(tidy::forward(tidy::thread_forms(std::move(made_->ir))));
    kernel::check(made_->ir, kernel::Stage::threads, "forward");
    return made_;
  }

 private:
  trace::Tracer& tracer() { return recorder_.tracer(); }
  lower::Emitter& emitter() { return recorder_.emitter(); }
  scalar::Arena& arena() { return recorder_.arena(); }

  struct Given {
    std::vector<Expr> components;  // arrays, or scalars
    Expr extent;
  };

  void parameters(std::vector<Param>& arrays, std::vector<Param>& scalars, std::vector<Param>& extents) {
    int n_arrays = 0, n_scalars = 0;
    bool has_block = false;
    for (const Input& input : made_->inputs) {
      Given given;
      if (!input.is_scalar) {
        given.extent = tracer().fresh(scalar::Kind::i64, fmt::format("n{}", n_arrays));
        extents.push_back({given.extent.var(), Param::Role::scalar});
        has_block |= input.block > 0;
        if (input.block < 0) refuse_size(input.block, where_);
      }
      for (detail::Kind kind : input.components) {
        if (input.is_scalar) {
          given.components.push_back(
              tracer().fresh(trace::kind_of(kind), fmt::format("scalar{}", n_scalars++)));
          scalars.push_back({given.components.back().var(), Param::Role::scalar});
        } else {
          given.components.push_back(
              tracer().fresh_array(trace::kind_of(kind), {given.extent}, fmt::format("input{}", n_arrays++)));
          arrays.push_back({given.components.back().var(), Param::Role::input});
        }
      }
      given_.push_back(std::move(given));
    }
    if (!has_block)
      throw ShapeError("a kernel has at least one argument block<T>(n): its blocks are those of the launch",
                       where_);
  }

  std::vector<Argument> arguments() {
    std::vector<Argument> all;
    for (std::size_t k = 0; k < given_.size(); ++k) {
      const Given& given = given_[k];
      const Input& input = made_->inputs[k];
      Argument argument;
      if (input.is_scalar) {
        argument.scalar = tracer().values(given.components);
      } else {
        argument.size = tracer().value(given.extent);
        argument.element = [this, &given, &input](Value index) { return element(given, input, index); };
      }
      all.push_back(std::move(argument));
    }
    return all;
  }

  Expr in_array(std::int64_t block, Value index) {
    const Expr i = tracer().expr(index, where_);
    return block == 0 ? i : arena().add(arena().mul(block_, arena().i64(block)), i);
  }

  Values element(const Given& given, const Input& input, Value index) {
    const Expr at = in_array(input.block, index);
    Values values;
    if (input.fill.empty()) {
      for (Expr array : given.components) values.push_back(tracer().value(arena().index(array, {&at, 1})));
      return values;
    }
    const Expr is_inside = arena().lt(at, given.extent);
    const Expr place = recorder_.lower(tracer().value(at), where_);
    const Expr mask = recorder_.lower(tracer().value(is_inside), where_);
    for (std::size_t k = 0; k < given.components.size(); ++k) {
      const Expr array = given.components[k];
      const Expr loaded = tracer().adopt(emitter().load(array.var(), place, mask, "element"));
      const Expr fill = arena().constant(array.kind(), input.fill[k]);
      values.push_back(tracer().value(arena().apply(scalar::Op::select, {is_inside, loaded, fill})));
    }
    return values;
  }

  Expr end_of(const Output& output) const {
    const auto input = made_->cut_by(output);
    return input ? given_[*input].extent : Expr();
  }

  void write(const Result& result, std::vector<Param>& outputs) {
    made_->outputs.push_back(result.output);
    const Expr end = end_of(result.output);
    const Expr size = tracer().fresh(scalar::Kind::i64, "unused");
    std::vector<Expr> arrays;
    for (detail::Kind kind : result.output.components) {
      arrays.push_back(
          tracer().fresh_array(trace::kind_of(kind), {size}, fmt::format("result{}", outputs.size())));
      outputs.push_back({arrays.back().var(), Param::Role::output});
    }
    result.run([&](Value index, std::span<const Value> components) {
      const Expr place = in_array(result.output.block, index);
      const Expr at = recorder_.lower(tracer().value(place), where_);
      std::vector<Expr> values;
      for (const Value& component : components) values.push_back(recorder_.lower(component, where_));
      Expr mask;
      if (end) mask = recorder_.lower(tracer().value(arena().lt(place, end)), where_);
      for (std::size_t k = 0; k < arrays.size(); ++k)
        emitter().store_plain(arrays[k].var(), at, values[k], mask);
    });
  }

  std::shared_ptr<Kernel> made_ = std::make_shared<Kernel>();
  Recorder recorder_;
  Here where_;
  std::vector<Given> given_;
  Expr block_;
};

}  // namespace

std::shared_ptr<const Kernel> record(std::string name, std::vector<Input> inputs,
                                     const std::function<std::vector<Result>(std::span<const Argument>)>& f,
                                     Here where) {
  require_name(name, where);
  return Recording(name, std::move(inputs), where)(f);
}

}  // namespace fulgurite::detail::block
