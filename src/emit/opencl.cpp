// The table of OpenCL C: a task is a work-group, arguments are parameters. There are no sub-groups in 1.2: a
// barrier of a warp is one of the group, which all threads reach, since it stands between their loops.
#include "emit/dialect.h"
#include "emit/gpu_prelude.h"

namespace fulgurite::emit {

const Dialect opencl = {
    .name = "opencl",
    .prelude = opencl_prelude,
    .types = {"b1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64"},
    .suffixes = {"", "", "", "", "l", "", "", "u", "ul", "f", ""},
    .infinity = {"INFINITY", "((f64)INFINITY)"},
    .from_bits = "fg_bits_{0}({1})",
    .wraps = false,
    .phase = "kernel __attribute__((reqd_work_group_size({3}, 1, 1)))\nvoid {0}_p{1}({4}) {{",
    .tasks = "const i64 {0} = get_group_id(0);",
    .end_tasks = "",
    .context = "",
    .at_once = "",
    .buffer = "",
    .scalar = "",
    .pointer = "global {0}*",
    .constant_pointer = "global const {0}*",
    .shuffle = "",
    .array = "{0} {1}[{2}]",
    .has_threads = true,
    .thread = "const i64 {0} = get_local_id(0);",
    // A flag is 0 or 1. PoCL 3.1 computes wrong values after barriers where a condition leads to them.
    .guard = "for (int once = 0; once < {0}[0]; ++once) {{",
    .end_guard = "}",
    .shared = "local uchar {0}[{1}] __attribute__((aligned(16)));",
    .shared_array = "local {0}* const {1} = (local {0}*)({2} + {3});",
    .shared_value = "local {0} {1};",
    .shared_suffix = "_shared",
    .block_barrier = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
    .warp_barrier = "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
    .fence = "fg_fence_b1();",
    .failure = "global fg_failure* {0}",
    .wide_types = {"", "char", "short", "int", "long", "uchar", "ushort", "uint", "ulong", "float", "double"},
    .wide = "{1}{2}",
    .wide_element = "{0}.s{1:x}",
    .has_shuffles = false,
    .builtins = {"barrier", "mem_fence", "once"},
};

}  // namespace fulgurite::emit
