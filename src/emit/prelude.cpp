#include "emit/prelude.h"

#include "base/check.h"

namespace fulgurite::emit {

std::string_view prelude(std::string_view name) {
  for (const PreludeFile& file : prelude_files())
    if (file.name == name) return file.text;
  FULGURITE_CHECK(false, "no prelude file is called '{}'", name);
}

}  // namespace fulgurite::emit
