// The parameters of an emitted C function: pointers, extents and scalars, under the names that their author
// gave.
#pragma once

#include <string>
#include <vector>

#include "ahead/host_steps.h"
#include "ahead/program.h"

namespace fulgurite::ahead {

/// Refuses, by TraceError, names that are no identifiers of all languages, are keywords, or stand twice.
/// `others`: words that the target's functions need themselves.
void check_names(const Program&, const std::vector<std::string>& others = {});

std::string c_type(Kind);  // int32_t, float, bool

/// A component's name: the value's, or after it the component's.
std::string component_name(const Value&, std::size_t component);
/// The names of a value's extents: x_size, or image_size0, image_size1.
std::vector<std::string> extent_names(const Value&);

/// The parameters' declarations, in order: of each parameter, then of each result, without the fg_call.
/// `array_type`: the type of arrays that are no pointers.
std::vector<std::string> declarations(const Program&, const std::string& array_type = {});
/// Their names, as they are passed on.
std::vector<std::string> arguments(const Program&);
/// The parameters of the function that says how large a result can be: extents and scalars.
std::vector<std::string> size_declarations(const Program&);
std::vector<std::string> size_arguments(const Program&);

/// Tells the steps under which names they have their arguments.
void bind(HostSteps&, const Program&);

}  // namespace fulgurite::ahead
