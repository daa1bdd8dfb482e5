#include "emit/host_prelude.h"

#include "emit/prelude_sections.h"

namespace fulgurite::emit {

std::string host_prelude(std::string_view text) {
  // Immutable and never destroyed, as the CPU's.
  static const auto& library = *new PreludeLibrary({"gpu/both/", "host/scalar/"}, LanesInNames::no);
  return library.needed_by(text);
}

const Dialect host = {
    .name = "host",
    .prelude = host_prelude,
    .types = {"b1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64"},
    .suffixes = {"", "", "", "", "ll", "", "", "u", "ull", "f", ""},
    .infinity = {"HUGE_VALF", "HUGE_VAL"},
    .from_bits = "fg_bits_{0}({1})",
    .calls_in_conditions = false,
    .wraps = false,
    .phase = "",
    .tasks = "",
    .end_tasks = "",
    .context = "",
    .at_once = "",
    .buffer = "",
    .scalar = "",
    .pointer = "{0}*",
    .constant_pointer = "const {0}*",
    .shuffle = "",
    .array = "{0} {1}[{2}]",
    .has_threads = true,
};

}  // namespace fulgurite::emit
