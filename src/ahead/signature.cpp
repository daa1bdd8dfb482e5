#include "ahead/signature.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

#include <set>

#include "base/text.h"
#include "emit/names.h"

namespace fulgurite::ahead {
namespace {

void check(std::set<std::string>& taken, const std::string& name, const std::string& of,
           bool is_whole = true) {
  if (is_whole && !emit::is_legal(name))
    throw TraceError(fmt::format(
        "'{}' cannot be the name of {}: it has to be an identifier of C, C++, CUDA and OpenCL that is no "
        "keyword of "
        "any, does not begin with fg_ or get_, is not written in capitals, and has at most 64 characters",
        name, of));
  if (!taken.insert(name).second)
    throw TraceError(fmt::format(
        "the name '{}' stands twice among {}'s parameters and results: give each another one", name, of));
}

void check(std::set<std::string>& taken, const Value& value, const std::string& program) {
  for (std::size_t c = 0; c < value.kinds.size(); ++c) {
    if (value.kinds.size() > 1 && !emit::is_legal("x_" + value.components[c]))
      check(taken, value.components[c], "a component of " + value.name);
    const std::string name = component_name(value, c);
    if (!emit::is_legal(name)) check(taken, name, "a parameter or result of " + program);
    check(taken, name, program, false);
  }
  for (const std::string& name : extent_names(value)) check(taken, name, program, false);
}

}  // namespace

void check_names(const Program& program, const std::vector<std::string>& others) {
  std::set<std::string> taken{"call", "run", "arrays", "sites", "status", "near", "values", "size"};
  taken.insert(others.begin(), others.end());
  if (!emit::is_legal(program.name)) check(taken, program.name, "a function");
  for (const Value& value : program.parameters) check(taken, value, program.name);
  for (const Value& value : program.results) {
    check(taken, value, program.name);
    if (value.rank > 0) check(taken, value.name + "_capacity", program.name, false);
    if (value.rank > 1) check(taken, value.name + "_size", program.name, false);
  }
}

std::string c_type(Kind kind) {
  switch (kind) {
    case Kind::boolean: return "bool";
    case Kind::i8: return "int8_t";
    case Kind::i16: return "int16_t";
    case Kind::i32: return "int32_t";
    case Kind::i64: return "int64_t";
    case Kind::u8: return "uint8_t";
    case Kind::u16: return "uint16_t";
    case Kind::u32: return "uint32_t";
    case Kind::u64: return "uint64_t";
    case Kind::f32: return "float";
    case Kind::f64: break;
  }
  return "double";
}

std::string component_name(const Value& value, std::size_t component) {
  return value.kinds.size() == 1 ? value.name : value.name + "_" + value.components[component];
}

std::vector<std::string> extent_names(const Value& value) {
  std::vector<std::string> names;
  for (int k = 0; k < value.rank; ++k)
    names.push_back(value.rank == 1 ? value.name + "_size" : fmt::format("{}_size{}", value.name, k));
  return names;
}

std::vector<std::string> declarations(const Program& program, const std::string& array_type) {
  const auto array = [&](Kind kind, const char* qualifier) {
    return array_type.empty() ? qualifier + c_type(kind) + "* " : array_type + " ";
  };
  std::vector<std::string> all;
  for (const Value& value : program.parameters) {
    for (std::size_t c = 0; c < value.kinds.size(); ++c)
      all.push_back((value.rank == 0 ? c_type(value.kinds[c]) + " " : array(value.kinds[c], "const ")) +
                    component_name(value, c));
    for (const std::string& name : extent_names(value)) all.push_back("int64_t " + name);
  }
  for (const Value& value : program.results) {
    for (std::size_t c = 0; c < value.kinds.size(); ++c)
      all.push_back((value.rank == 0 ? c_type(value.kinds[c]) + "* " : array(value.kinds[c], "")) +
                    component_name(value, c));
    if (value.rank == 0) continue;
    all.push_back(fmt::format("int64_t {}_capacity", value.name));
    all.push_back(fmt::format("int64_t* {}_size", value.name));
  }
  return all;
}

std::vector<std::string> arguments(const Program& program) {
  std::vector<std::string> all;
  for (const std::string& declaration : declarations(program))
    all.push_back(declaration.substr(declaration.rfind(' ') + 1));
  return all;
}

std::vector<std::string> size_declarations(const Program& program) {
  std::vector<std::string> all;
  for (const Value& value : program.parameters) {
    if (value.rank == 0)
      for (std::size_t c = 0; c < value.kinds.size(); ++c)
        all.push_back(c_type(value.kinds[c]) + " " + component_name(value, c));
    for (const std::string& name : extent_names(value)) all.push_back("int64_t " + name);
  }
  return all;
}

std::vector<std::string> size_arguments(const Program& program) {
  std::vector<std::string> all;
  for (const std::string& declaration : size_declarations(program))
    all.push_back(declaration.substr(declaration.rfind(' ') + 1));
  return all;
}

void bind(HostSteps& steps, const Program& program) {
  std::size_t p = 0, r = 0;
  for (const Value& value : program.parameters)
    for (std::size_t c = 0; c < value.kinds.size(); ++c, ++p) {
      if (value.rank == 0)
        steps.set_scalar(p, component_name(value, c));
      else
        steps.set_array(p, component_name(value, c), extent_names(value));
    }
  for (std::size_t k = 0; k < program.captured.size(); ++k, ++p) {
    std::vector<std::string> extents;
    for (const std::int64_t n : program.captured[k].extents) extents.push_back(std::to_string(n));
    steps.set_array(p, fmt::format("fg_captured{}", k), extents);
  }
  for (const Value& value : program.results)
    for (std::size_t c = 0; c < value.kinds.size(); ++c, ++r)
      steps.set_result(r, (value.rank == 0 ? "*" : "") + component_name(value, c), value.name + "_capacity",
                       value.name + "_size");
}

}  // namespace fulgurite::ahead
