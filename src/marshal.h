// Arguments and results of calls as values of the interpreter, and back.
#pragma once

#include <fulgurite/executable.h>

#include "soac/interpret.h"

namespace fulgurite {

soac::Value value_of(const detail::ArgumentView&);
soac::Value value_of(const detail::ResultValue&);
/// The value must outlive the view.
detail::ArgumentView view_of(const soac::Value&);
detail::ResultValue result_of(soac::Value);

}  // namespace fulgurite
