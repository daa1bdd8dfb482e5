// A user's function in, its array program out: fg::compile calls this once for each value of the function's
// constants.
#include <fulgurite/compile.h>

#include <fmt/format.h>

#include "base/text.h"
#include "trace/traced.h"
#include "trace/tracer.h"

namespace fulgurite::detail {

namespace {

// The components of an array of composites have one shape: callers cannot give others, this lets passes know.
void state_equal_shapes(fulgurite::trace::Tracer& tracer, const Value& first, const Value& component,
                        Here where) {
  const auto shape = tracer.shape(tracer.expr(first, where)),
             same = tracer.shape(tracer.expr(component, where));
  for (std::size_t d = 0; d < shape.size(); ++d)
    tracer.check(equal(shape[d], same[d]), "the components of an array have {0} and {1} elements",
                 {shape[d], same[d]}, where);
}

}  // namespace

// The public kinds are the compiler's.
static_assert(static_cast<int>(Kind::boolean) == static_cast<int>(scalar::Kind::boolean));
static_assert(static_cast<int>(Kind::i8) == static_cast<int>(scalar::Kind::i8));
static_assert(static_cast<int>(Kind::u8) == static_cast<int>(scalar::Kind::u8));
static_assert(static_cast<int>(Kind::f32) == static_cast<int>(scalar::Kind::f32));
static_assert(static_cast<int>(Kind::f64) == static_cast<int>(scalar::Kind::f64));

std::string parameter_name(unsigned argument) {
  return argument <= 26 ? std::string(1, static_cast<char>('a' + argument - 1))
                        : fmt::format("a{}", argument);
}

NamedProgram named_program(std::string_view text) {
  const std::size_t bracket = text.find('(');
  NamedProgram named{std::string(text.substr(0, bracket)), {}};
  if (bracket == std::string_view::npos) return named;
  text.remove_prefix(bracket + 1);
  named.parameters = base::split(text.substr(0, text.find(')')), ',');
  for (std::string& parameter : named.parameters) std::erase(parameter, ' ');
  return named;
}

std::shared_ptr<const TracedProgram> trace(const char* name, const Traceable& f, const void* given_constants,
                                           bool retrace, Here where) {
  fulgurite::trace::Tracer tracer(named_program(name).name, where);
  const std::span<const ParameterInfo> parameters = f.parameters();
  Values arguments;
  for (const ParameterInfo& p : parameters)
    arguments.push_back(tracer.parameter(fulgurite::trace::kind_of(p.kind), p.rank, p.argument));
  for (std::size_t k = 0, first = 0; k < parameters.size(); ++k) {
    if (parameters[k].first) first = k;
    if (first != k && parameters[k].rank > 0)
      state_equal_shapes(tracer, arguments[first], arguments[k], where);
  }
  const Values results = f(arguments, given_constants);
  soac::Program program = tracer.finish(tracer.exprs(results, where));
  return std::make_shared<const TracedProgram>(std::move(program), tracer.captures(), retrace);
}

Value capture(const Capture& capture, Here where) {
  return fulgurite::trace::Tracer::current(where).capture(capture);
}

}  // namespace fulgurite::detail
