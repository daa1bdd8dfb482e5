#include "block/inputs.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

namespace fulgurite::detail::block {

using kernel::Param;

Inputs::Inputs(Recorder& recorder) : recorder_(recorder), code_(recorder.code) {
  int n_arrays = 0, n_updated = 0, n_scalars = 0;
  for (const Input& input : recorder.made->inputs) {
    Given given{input, {}};
    if (input.rank == 2) {
      given.extents.push_back(known(scalar::Kind::i64, fmt::format("rows{}", n_arrays)));
      given.extents.push_back(known(scalar::Kind::i64, fmt::format("columns{}", n_arrays)));
      given.size = given.extents[0] * given.extents[1];
    } else if (!input.is_scalar) {
      given.size = known(scalar::Kind::i64, fmt::format("n{}", n_arrays));
      given.extents.push_back(given.size);
      if (input.block < 0) refuse_size(input.block, recorder.where);
    }
    for (detail::Kind component : input.components) {
      const scalar::Kind kind = trace::kind_of(component);
      const auto array = [&](const char* name, int number) {
        return code_.tracer().fresh_array(kind, {given.size}, fmt::format("{}{}", name, number));
      };
      given.components.push_back(input.is_scalar    ? known(kind, fmt::format("scalar{}", n_scalars++))
                                 : input.is_updated ? array("updated", n_updated++)
                                                    : array("input", n_arrays++));
    }
    given_.push_back(std::move(given));
  }
}

Expr Inputs::known(scalar::Kind kind, std::string name) {
  const Expr e = code_.tracer().fresh(kind, std::move(name));
  known_.insert(e.var());
  return e;
}

std::vector<Param> Inputs::params(std::span<const Param> results) const {
  std::vector<Param> all;
  const auto append = [&](const std::vector<Expr>& names, Param::Role role) {
    for (Expr name : names) all.push_back({name.var(), role});
  };
  for (const Given& given : given_)
    if (!given.input.is_scalar && !given.input.is_updated) append(given.components, Param::Role::input);
  all.insert(all.end(), results.begin(), results.end());
  for (const Given& given : given_)
    if (given.input.is_scalar) append(given.components, Param::Role::scalar);
  for (const Given& given : given_) append(given.extents, Param::Role::scalar);
  return all;
}

void Inputs::require_known(Expr root, const char* what) const {
  scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
    if (e.op() == scalar::Op::index || (e.is_name() && !known_.contains(e.var())))
      throw TraceError(fmt::format("{} of kernel '{}' is known before it runs: compute it from sizes and "
                                   "scalar arguments alone",
                                   what, recorder_.made->ir.name),
                       recorder_.where);
  });
}

std::vector<Argument> Inputs::for_function() const {
  std::vector<Argument> all;
  for (const Given& given : given_) {
    Argument argument;
    argument.number = static_cast<int>(all.size());
    if (given.input.is_scalar) {
      argument.scalar = code_.tracer().values(given.components);
    } else {
      argument.size = code_.tracer().value(given.size);
      if (given.input.rank == 2) {
        argument.rows = code_.tracer().value(given.extents[0]);
        argument.columns = code_.tracer().value(given.extents[1]);
      }
      argument.element = [this, &given](Value index) { return element(given, index); };
      if (given.input.is_updated) be_written(given, argument);
    }
    all.push_back(std::move(argument));
  }
  return all;
}

void Inputs::be_written(const Given& given, Argument& argument) const {
  argument.store = [this, &given](Value index, std::span<const Value> components) {
    const Here& where = recorder_.where;
    if (!recorder_.position.is_in_instance())
      throw TraceError("an element is written outside of par(): say which threads write it", where);
    const Expr at = code_.lower(index, where);
    const Expr exists = code_.lower(recorder_.exists(given.size, index), where);
    const std::vector<Expr> values = code_.lower(components, where);
    for (std::size_t k = 0; k < values.size(); ++k)
      code_.builder().store_plain(given.components[k].var(), at, values[k], exists);
  };
  argument.change = [this, &given](const char* operation, Value index, Value value) {
    const Value exists = recorder_.exists(given.size, index);
    return recorder_.atomic(operation, given.components.front().var(), index, value, exists, recorder_.where);
  };
}

// An updated array's element is as it is now.
Values Inputs::element(const Given& given, const Value& index) const {
  const Here& where = recorder_.where;
  trace::Tracer& tracer = code_.tracer();
  scalar::Arena& arena = code_.arena();
  const Expr at = recorder_.in_array(given.input.block, index);
  Values values;
  if (given.input.is_updated) {
    const Expr place = code_.lower(tracer.value(at), where);
    for (Expr array : given.components)
      values.push_back(
          code_.given(code_.builder().load_plain(array.var(), place, arena.info(array.var()).name)));
    return values;
  }
  if (given.input.fill.empty()) {
    for (Expr array : given.components) values.push_back(tracer.value(arena.index(array, {&at, 1})));
    return values;
  }
  const Expr is_inside = at < given.size;
  const Expr place = code_.lower(tracer.value(at), where);
  const Expr mask = code_.lower(tracer.value(is_inside), where);
  for (std::size_t k = 0; k < given.components.size(); ++k) {
    const Expr array = given.components[k];
    const Expr loaded = tracer.adopt(code_.builder().load(array.var(), place, mask, "element"));
    const Expr fill = arena.constant(array.kind(), given.input.fill[k]);
    values.push_back(tracer.value(select(is_inside, loaded, fill)));
  }
  return values;
}

}  // namespace fulgurite::detail::block
