// The table of C11 as GCC and Clang compile it, each with flags that are not ours: vectors are types of the
// prelude, all that is done with them its functions.
#include "emit/dialect.h"
#include "emit/portable_prelude.h"

namespace fulgurite::emit {

const Dialect portable_c = {
    .name = "portable_c",
    .prelude = [](std::string_view text) { return portable_prelude(text, Level::v3); },
    .types = {"b1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64"},
    .suffixes = {"", "", "", "", "l", "", "", "u", "ul", "f", ""},
    .infinity = {"__builtin_inff()", "__builtin_inf()"},
    .from_bits = "FG_BITS({0}, {1})",
    .wraps = false,
    .phase = "FG_PHASE void {0}_p{1}{2}(const fg_context* context, i64 first, i64 last) {{",
    .tasks = "for (i64 {0} = first; {0} < last; ++{0}) {{",
    .end_tasks = "}",
    .context = "context",
    .at_once = "context->at_once",
    .buffer = "context->buffers[{0}]",
    .scalar = "context->scalars[{0}]",
    .pointer = "{0}*",
    .constant_pointer = "const {0}*",
    .shuffle = {},
    .array = "{0} {1}[{2}] __attribute__((aligned(64)))",
    .has_vector_operators = false,
};

}  // namespace fulgurite::emit
