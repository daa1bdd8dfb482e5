// From a function of pull and push arrays to kernel IR: arguments as reads of the block's part of an array,
// results as stores to it.
#include <fmt/format.h>
#include <fulgurite/error.h>

#include <algorithm>
#include <unordered_set>

#include "block/block_kernel.h"
#include "block/recorder.h"
#include "emit/names.h"
#include "kernel/check.h"
#include "kernel/resources.h"
#include "kernel/traverse.h"
#include "tidy/global_arrays.h"
#include "tidy/passes.h"

namespace fulgurite::detail::block {
namespace {

using fulgurite::block::Recorder;
using kernel::most_threads, kernel::Param;
using scalar::Expr;

void require_name(const std::string& name, Here where) {
  if (!emit::is_legal(name))
    throw TraceError(
        fmt::format("'{}' cannot be the name of a kernel: it is a function's name in C, CUDA and OpenCL, "
                    "letters, digits and '_', and no word that one of them has taken",
                    name),
        where);
}

constexpr std::int64_t lanes_of_warp = 32;
constexpr std::int64_t most_shared_bytes = 1 << 20;  // of which a CPU's stack has several

class Recording {
 public:
  Recording(const std::string& name, std::vector<Input> inputs, std::optional<ThreadShape> threads,
            Here where)
      : recorder_(name), where_(where) {
    if (threads) state(*threads);
    made_->inputs = std::move(inputs);
    made_->ir.name = name;
  }

  std::shared_ptr<const Kernel> operator()(
      const std::function<std::vector<Result>(std::span<const Argument>)>& f) {
    std::vector<Param> arrays, scalars, extents;
    parameters(arrays, scalars, extents);
    const Expr n_blocks = tracer().fresh(scalar::Kind::i64, "n_blocks");
    std::vector<Param> outputs;
    made_->ir.body = builder().block([&] {
      builder().par(kernel::Level::grid, n_blocks, "bid", [&](Expr bid) {
        const Recorder::Making scope(recorder_, "the kernel", where_);
        block_ = tracer().adopt(bid);
        recorder_.set_block_number(block_);
        count_blocks_of_arguments();
        for (const Result& result : f(arguments())) write(result, outputs);
      });
    });
    require_all_updated();
    made_->requirements = std::move(requirements_);
    for (const Requirement& r : recorder_.requirements()) made_->requirements.push_back(r);
    for (const Requirement& r : made_->requirements) {
      require_known(r.condition, "what a launch expects");
      for (Expr quoted : r.operands) require_known(quoted, "what a launch expects");
    }
    auto& params = made_->ir.params;
    for (const auto* part : {&arrays, &outputs, &scalars, &extents})
      params.insert(params.end(), part->begin(), part->end());
    params.push_back({n_blocks.var(), Param::Role::scalar});
    soac::Program traced = tracer().finish({});
    made_->ir.arena = std::move(traced.arena);
    made_->sites = std::move(traced.sites);
    made_->ir.lines = recorder_.take_lines();
    expect();
    kernel::check(made_->ir, kernel::Stage::threads, "record");
    const kernel::PassOptions stated{.threads = threads_};
    made_->ir = tidy::run(tidy::Route::recorded, std::move(made_->ir), stated);
    require_lanes();
    made_->ir = tidy::run(tidy::Route::folded, std::move(made_->ir), stated);
    if (made_->expecting)
      made_->expecting->ir = tidy::run(tidy::Route::folded, std::move(made_->expecting->ir), {});
    place_global();
    if (const std::int64_t bytes = kernel::shared_bytes(made_->ir); bytes > most_shared_bytes)
      throw ShapeError(
          fmt::format(
              "the threads of a block of kernel '{}' share {} bytes, and no device has more than {}: use "
              "smaller blocks or arrays",
              made_->ir.name, bytes, most_shared_bytes),
          where_);
    made_->contracted = tidy::run(tidy::Route::contracted, made_->ir, stated);
    return made_;
  }

 private:
  void state(const ThreadShape& threads) {
    const auto [x, y, is_matrix] = threads;
    const bool fits = 1 <= x && x <= most_threads;
    if (!is_matrix && !fits)
      throw ShapeError(fmt::format("a block of {} threads: it has 1 to {}", x, most_threads), where_);
    if (is_matrix && (!fits || y < 1 || y > most_threads / x))
      throw ShapeError(fmt::format("a block of {} times {} threads: it has 1 to {}", x, y, most_threads),
                       where_);
    threads_ = is_matrix ? x * y : x;
    recorder_.set_thread_shape(threads);
  }

  // A lane that is one of several takes part in the exchanges of each.
  void require_lanes() const {
    if (!threads_ || *threads_ % lanes_of_warp == 0) return;
    kernel::for_each_stm(made_->ir.body, [&](const kernel::Stm& s) {
      const auto* par = std::get_if<kernel::Par>(&s.op);
      if (par == nullptr || par->level != kernel::Level::block ||
          static_cast<std::int64_t>(par->n.bits()) <= *threads_)
        return;
      kernel::for_each_stm(par->body, [&](const kernel::Stm& inner) {
        if (std::holds_alternative<kernel::Shuffle>(inner.op))
          throw ShapeError(fmt::format("the lanes of kernel '{}' exchange values, which needs whole warps: "
                                       "{} threads are no multiple of {}",
                                       made_->ir.name, *threads_, lanes_of_warp),
                           where_);
      });
    });
  }

  // The kernel's memory of its own is what a launch allocates, like a result.
  void place_global() {
    kernel::Kernel placed = tidy::run(tidy::Route::placed, made_->ir, {});
    for (const tidy::Scratch& scratch : tidy::scratch_of(made_->ir, placed)) {
      made_->outputs.push_back(
          {.components = {static_cast<detail::Kind>(made_->ir.arena->info(scratch.name).type.kind)},
           .is_scratch = true});
      made_->shapes.push_back(
          {made_->ir.arena->mul(made_->n_blocks, made_->ir.arena->i64(scratch.per_task))});
    }
    made_->ir = std::move(placed);
  }

  // The marks of what the emulator is to find stand in a copy only.
  void expect() {
    const kernel::Expectations& expected = recorder_.expectations();
    if (expected.empty()) return;
    const auto rewritten = [&](const std::function<bool(kernel::Stm&)>& keeps) {
      const std::function<kernel::Block(const kernel::Block&)> visit = [&](const kernel::Block& body) {
        kernel::Parts parts;
        parts.block = visit;
        kernel::Block out;
        for (const kernel::Stm& s : body)
          if (kernel::Stm changed = kernel::map_children(s, parts); keeps(changed))
            out.push_back(std::move(changed));
        return out;
      };
      return visit(made_->ir.body);
    };
    made_->expecting = {made_->ir, expected};
    made_->expecting->ir.body = rewritten([](kernel::Stm& s) {
      if (auto* array = std::get_if<kernel::Allocate>(&s.op); array && array->space == kernel::Space::global)
        array->space = kernel::Space::shared;  // of which there is enough
      return true;
    });
    made_->ir.body = rewritten([&](kernel::Stm& s) {
      const auto* let = std::get_if<kernel::Let>(&s.op);
      return let == nullptr || !expected.contains(let->name);
    });
  }

  trace::Tracer& tracer() { return recorder_.tracer(); }
  const kernel::Builder& builder() const { return recorder_.builder(); }
  scalar::Arena& arena() { return recorder_.arena(); }

  struct Given {
    std::vector<Expr> components;  // arrays, or scalars
    Expr extent;                   // elements
    Expr rows, columns;            // of a matrix
  };

  Expr fresh_extent(const std::string& name, std::vector<Param>& extents) {
    const Expr extent = tracer().fresh(scalar::Kind::i64, name);
    extents.push_back({extent.var(), Param::Role::scalar});
    known_.insert(extent.var());
    return extent;
  }

  void parameters(std::vector<Param>& arrays, std::vector<Param>& scalars, std::vector<Param>& extents) {
    int n_arrays = 0, n_updated = 0, n_scalars = 0;
    for (const Input& input : made_->inputs) {
      Given given;
      if (input.rank == 2) {
        given.rows = fresh_extent(fmt::format("rows{}", n_arrays), extents);
        given.columns = fresh_extent(fmt::format("columns{}", n_arrays), extents);
        given.extent = arena().mul(given.rows, given.columns);
      } else if (!input.is_scalar) {
        given.extent = fresh_extent(fmt::format("n{}", n_arrays), extents);
        if (input.block < 0) refuse_size(input.block, where_);
      }
      for (detail::Kind kind : input.components) {
        if (input.is_scalar) {
          given.components.push_back(
              tracer().fresh(trace::kind_of(kind), fmt::format("scalar{}", n_scalars++)));
          scalars.push_back({given.components.back().var(), Param::Role::scalar});
        } else if (input.is_updated) {
          given.components.push_back(tracer().fresh_array(trace::kind_of(kind), {given.extent},
                                                          fmt::format("updated{}", n_updated++)));
        } else {
          given.components.push_back(
              tracer().fresh_array(trace::kind_of(kind), {given.extent}, fmt::format("input{}", n_arrays++)));
          arrays.push_back({given.components.back().var(), Param::Role::input});
        }
      }
      if (input.is_scalar)
        for (Expr scalar : given.components) known_.insert(scalar.var());
      given_.push_back(std::move(given));
    }
  }

  // All that is dealt to the blocks of the launch has as many parts.
  void count(Expr blocks, const std::string& what, Here where) {
    require_known(blocks, "the number of blocks");
    Expr& all = made_->n_blocks;
    if (!all) all = blocks;
    if (all == blocks) return;
    requirements_.push_back(
        {arena().eq(blocks, all),
         fmt::format("{} of kernel '{}' has {{0}} blocks, what is before it {{1}}", what, made_->ir.name),
         {blocks, all},
         where});
  }

  void count_blocks_of_arguments() {
    for (std::size_t k = 0; k < given_.size(); ++k) {
      const Input& input = made_->inputs[k];
      if (input.tile_rows > 0) count_tiles(k);
      if (input.block == 0) continue;
      const Expr n = given_[k].extent, block = arena().i64(input.block);
      const std::string what = fmt::format("argument {}", k + 1);
      if (input.fill.empty())
        requirements_.push_back(
            {arena().eq(arena().rem(n, block), arena().i64(0)),
             fmt::format("{} of kernel '{}' has {{0}} elements, which are no blocks of {{1}}: give block() a "
                         "value that stands behind the end",
                         what, made_->ir.name),
             {n, block},
             where_});
      count(arena().div(arena().add(n, arena().i64(input.block - 1)), block), what, where_);
    }
  }

  Expr is_multiple(Expr n, std::int64_t of) {
    const Expr left = arena().rem(n, arena().i64(of));
    return arena().eq(left, arena().i64(0));
  }

  // Matrices that are dealt to the blocks of the launch are as many tiles in each direction.
  void count_tiles(std::size_t k) {
    const Input& input = made_->inputs[k];
    const Expr rows = given_[k].rows, columns = given_[k].columns;
    const Expr tile_rows = arena().i64(input.tile_rows), tile_columns = arena().i64(input.tile_columns);
    const Expr rows_fit = is_multiple(rows, input.tile_rows),
               columns_fit = is_multiple(columns, input.tile_columns);
    requirements_.push_back(
        {arena().logical_and(rows_fit, columns_fit),
         fmt::format(
             "argument {} of kernel '{}' has {{0}} rows and {{1}} columns, which are no tiles of {{2}} "
             "rows and {{3}} columns",
             k + 1, made_->ir.name),
         {rows, columns, tile_rows, tile_columns},
         where_});
    const Expr down = arena().div(rows, tile_rows), across = arena().div(columns, tile_columns);
    if (recorder_.grid())
      require_grid(down, across, k);
    else
      recorder_.set_grid({tracer().value(down), tracer().value(across),
                          tracer().value(arena().div(block_, across)),
                          tracer().value(arena().rem(block_, across))});
    count(arena().mul(down, across), fmt::format("argument {}", k + 1), where_);
  }
  void require_grid(Expr down, Expr across, std::size_t k) {
    const Expr before_down = tracer().expr(recorder_.grid()->rows, where_),
               before_across = tracer().expr(recorder_.grid()->columns, where_);
    const Expr same_down = arena().eq(down, before_down), same_across = arena().eq(across, before_across);
    requirements_.push_back(
        {arena().logical_and(same_down, same_across),
         fmt::format(
             "argument {} of kernel '{}' has {{0}} rows of {{1}} blocks, what is before it {{2}} of {{3}}",
             k + 1, made_->ir.name),
         {down, across, before_down, before_across},
         where_});
  }

  void require_known(Expr root, const char* what) const {
    scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
      if (e.op() == scalar::Op::index || (e.is_name() && !known_.contains(e.var())))
        throw TraceError(fmt::format("{} of kernel '{}' is known before it runs: compute it from sizes and "
                                     "scalar arguments alone",
                                     what, made_->ir.name),
                         where_);
    });
  }

  void require_all_updated() const {
    if (!made_->n_blocks)
      throw ShapeError(
          fmt::format("nothing says how many blocks kernel '{}' has: give it an argument block<T>(n), or "
                      "return tiled() or update()",
                      made_->ir.name),
          where_);
    for (std::size_t k = 0; k < given_.size(); ++k) {
      const auto updates = std::ranges::count(made_->outputs, static_cast<int>(k), &Output::updates);
      if (made_->inputs[k].is_updated && updates != 1)
        throw TraceError(fmt::format("argument {} of kernel '{}' is updated, so one of its results is "
                                     "update() of it: there are {}",
                                     k + 1, made_->ir.name, updates),
                         where_);
    }
  }

  std::vector<Argument> arguments() {
    std::vector<Argument> all;
    for (std::size_t k = 0; k < given_.size(); ++k) {
      const Given& given = given_[k];
      const Input& input = made_->inputs[k];
      Argument argument;
      argument.number = static_cast<int>(k);
      if (input.is_scalar) {
        argument.scalar = tracer().values(given.components);
      } else {
        argument.size = tracer().value(given.extent);
        if (given.rows) argument.rows = tracer().value(given.rows);
        if (given.columns) argument.columns = tracer().value(given.columns);
        argument.element = [this, &given, &input](Value index) { return element(given, input, index); };
        if (input.is_updated) may_be_written(given, argument);
      }
      all.push_back(std::move(argument));
    }
    return all;
  }

  void may_be_written(const Given& given, Argument& argument) {
    argument.store = [this, &given](Value index, std::span<const Value> components) {
      if (!recorder_.is_in_instance())
        throw TraceError("an element is written outside of par(): say which threads write it", where_);
      const Expr at = recorder_.lower(index, where_);
      const Expr exists = recorder_.lower(tracer().value(exists_in(given.extent, index)), where_);
      std::vector<Expr> values;
      for (const Value& component : components) values.push_back(recorder_.lower(component, where_));
      for (std::size_t k = 0; k < values.size(); ++k)
        builder().store_plain(given.components[k].var(), at, values[k], exists);
    };
    argument.change = [this, &given](const char* operation, Value index, Value value) {
      return recorder_.atomic(operation, given.components.front().var(), index, value,
                              tracer().value(exists_in(given.extent, index)), where_);
    };
  }
  Expr exists_in(Expr extent, Value index) {
    const Expr i = tracer().expr(index, where_);
    const Expr is_below = arena().lt(i, extent), is_number = arena().le(arena().i64(0), i);
    return arena().logical_and(is_number, is_below);
  }

  Expr in_array(std::int64_t block, Value index) {
    const Expr i = tracer().expr(index, where_);
    return block == 0 ? i : arena().add(arena().mul(block_, arena().i64(block)), i);
  }

  Values element(const Given& given, const Input& input, Value index) {
    const Expr at = in_array(input.block, index);
    Values values;
    if (input.is_updated) {  // as it is now
      const Expr place = recorder_.lower(tracer().value(at), where_);
      for (Expr array : given.components)
        values.push_back(
            recorder_.given(builder().load_plain(array.var(), place, arena().info(array.var()).name)));
      return values;
    }
    if (input.fill.empty()) {
      for (Expr array : given.components) values.push_back(tracer().value(arena().index(array, {&at, 1})));
      return values;
    }
    const Expr is_inside = arena().lt(at, given.extent);
    const Expr place = recorder_.lower(tracer().value(at), where_);
    const Expr mask = recorder_.lower(tracer().value(is_inside), where_);
    for (std::size_t k = 0; k < given.components.size(); ++k) {
      const Expr array = given.components[k];
      const Expr loaded = tracer().adopt(builder().load(array.var(), place, mask, "element"));
      const Expr fill = arena().constant(array.kind(), input.fill[k]);
      values.push_back(tracer().value(arena().apply(scalar::Op::select, {is_inside, loaded, fill})));
    }
    return values;
  }

  // A result ends where an argument does that has blocks as large, of which the last may be short.
  Expr end_of(const Result& result) const {
    for (std::size_t i = 0; i < given_.size() && !result.tiling && !result.change; ++i)
      if (!made_->inputs[i].fill.empty() && made_->inputs[i].block == result.output.block)
        return given_[i].extent;
    return {};
  }

  std::vector<Expr> shape_of(const Result& result, Expr end) {
    if (result.shape.empty()) return {size_of(result, end)};
    return tracer().exprs(result.shape, where_);
  }
  // How many elements the result has, if its shape does not say it.
  Expr size_of(const Result& result, Expr end) {
    if (result.output.updates >= 0) return given_[static_cast<std::size_t>(result.output.updates)].extent;
    if (result.tiling || result.change) return tracer().expr(result.size, where_);
    return end ? end : arena().mul(made_->n_blocks, arena().i64(result.output.block));
  }

  std::vector<Expr> arrays_of(const Result& result, Expr size, std::size_t n_before) {
    if (result.output.updates >= 0) return given_[static_cast<std::size_t>(result.output.updates)].components;
    std::vector<Expr> arrays;
    for (detail::Kind kind : result.output.components)
      arrays.push_back(tracer().fresh_array(trace::kind_of(kind), {size},
                                            fmt::format("result{}", n_before + arrays.size())));
    return arrays;
  }

  void write(const Result& result, std::vector<Param>& outputs) {
    made_->outputs.push_back(result.output);
    if (result.tiling) {
      count(tracer().expr(result.tiling->blocks, where_), fmt::format("result {}", made_->outputs.size()),
            where_);
    } else if (!made_->n_blocks) {
      throw TraceError(fmt::format("result {} of kernel '{}' is of a block, and nothing before it says how "
                                   "many blocks there are: return tiled() of it",
                                   made_->outputs.size(), made_->ir.name),
                       where_);
    }
    const Expr end = end_of(result);
    const std::vector<Expr> shape = shape_of(result, end);
    Expr size = shape.front();
    for (std::size_t axis = 1; axis < shape.size(); ++axis) size = arena().mul(size, shape[axis]);
    require_known(size, "the size of a result");
    made_->shapes.push_back(shape);
    const std::vector<Expr> arrays = arrays_of(result, size, outputs.size());
    for (Expr array : arrays) outputs.push_back({array.var(), Param::Role::output});
    if (result.change) return change(result, arrays.front(), size);
    result.run([&](Value index, std::span<const Value> components) {
      const Expr place = result.tiling ? tracer().expr(result.tiling->place(index), where_)
                                       : in_array(result.output.block, index);
      const Expr at = recorder_.lower(tracer().value(place), where_);
      std::vector<Expr> values;
      for (const Value& component : components) values.push_back(recorder_.lower(component, where_));
      Expr mask;
      if (end) mask = recorder_.lower(tracer().value(arena().lt(place, end)), where_);
      for (std::size_t k = 0; k < arrays.size(); ++k)
        builder().store_plain(arrays[k].var(), at, values[k], mask);
    });
  }

  // Blocks meet in this array.
  void change(const Result& result, Expr array, Expr size) {
    result.change([&](Value index, Value value) {
      return recorder_.atomic(result.operation, array.var(), index, value,
                              tracer().value(exists_in(size, index)), where_);
    });
  }

  std::shared_ptr<Kernel> made_ = std::make_shared<Kernel>();
  Recorder recorder_;
  Here where_;
  std::optional<std::int64_t> threads_;  // of a block, as the user states
  std::vector<Given> given_;
  std::unordered_set<scalar::Var> known_;  // to the host before the launch
  std::vector<Requirement> requirements_;
  Expr block_;
};

}  // namespace

std::shared_ptr<const Kernel> record(std::string name, std::vector<Input> inputs,
                                     const std::function<std::vector<Result>(std::span<const Argument>)>& f,
                                     std::optional<ThreadShape> threads, Here where) {
  require_name(name, where);
  return Recording(name, std::move(inputs), threads, where)(f);
}

}  // namespace fulgurite::detail::block
