// What calls of programs have in common, wherever these come from.
#pragma once

#include <fulgurite/compile.h>

#include <memory>
#include <vector>

namespace fulgurite::detail {

/// The program with arrays that it reads beside its arguments, as the last of them.
std::shared_ptr<const Executable> with_captures(std::shared_ptr<const Executable>, std::vector<Capture>);

/// The program, whose errors about memory that name no line name the one where it was made.
std::shared_ptr<const Executable> placed(std::shared_ptr<const Executable>, const char* name, Here where);

}  // namespace fulgurite::detail
