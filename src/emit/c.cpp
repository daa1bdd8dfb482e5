// The table of C as Clang compiles it for the CPU: tasks are a range, arguments come in a context, vectors
// are explicit.
#include "emit/cpu_prelude.h"
#include "emit/dialect.h"

namespace fulgurite::emit {

const Dialect c = {
    .name = "c",
    .prelude = cpu_prelude,
    .types = {"b1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64"},
    .suffixes = {"", "", "", "", "l", "", "", "u", "ul", "f", ""},
    .infinity = {"__builtin_inff()", "__builtin_inf()"},
    .from_bits = "__builtin_bit_cast({0}, {1})",
    .wraps = true,
    .phase = "void {0}_p{1}{2}(const fg_context* context, i64 first, i64 last) {{",
    .tasks = "for (i64 {0} = first; {0} < last; ++{0}) {{",
    .end_tasks = "}",
    .context = "context",
    .at_once = "context->at_once",
    .buffer = "context->buffers[{0}]",
    .scalar = "context->scalars[{0}]",
    .pointer = "{0}*",
    .constant_pointer = "const {0}*",
    .shuffle = "__builtin_shufflevector({0}, {1}, {2})",
    .array = "{0} {1}[{2}] __attribute__((aligned(64)))",
};

}  // namespace fulgurite::emit
