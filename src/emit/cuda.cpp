// The table of CUDA C++: a task is a block, arguments are parameters.
#include "emit/dialect.h"
#include "emit/gpu_prelude.h"

namespace fulgurite::emit {

const Dialect cuda = {
    .name = "cuda",
    .prelude = cuda_prelude,
    .types = {"b1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64"},
    .suffixes = {"", "", "", "", "ll", "", "", "u", "ull", "f", ""},
    .infinity = {"__int_as_float(0x7f800000)", "__longlong_as_double(0x7ff0000000000000ll)"},
    .from_bits = "fg_bits_{0}({1})",
    .wraps = false,
    .phase = "extern \"C\" __global__ void __launch_bounds__({3}) {0}_p{1}({4}) {{",
    .tasks = "const i64 {0} = blockIdx.x;",
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
    .thread = "const i64 {0} = threadIdx.x;",
    .shared = "__shared__ __align__(16) unsigned char {0}[{1}];",
    .most_shared = 48 * 1024,
    .shared_at_launch = "extern __shared__ __align__(16) unsigned char {0}[];",
    .shared_array = "{0}* const {1} = ({0}*)({2} + {3});",
    .shared_value = "__shared__ {0} {1};",
    .shared_suffix = "",
    .block_barrier = "__syncthreads();",
    .warp_barrier = "__syncwarp();",
    .fence = "__threadfence();",
    .has_acquiring_loads = true,
    .failure = "fg_failure* {0}",
    .wide = "fg_wide<{0}, {2}>",
    .wide_element = "{0}.at[{1}]",
    .has_shuffles = true,
    .builtins = {"blockIdx", "threadIdx"},
};

namespace {

Dialect in_a_file() {
  Dialect dialect = cuda;
  dialect.name = "cuda in a file";
  dialect.phase = "static __global__ void __launch_bounds__({3}) {0}_p{1}({4}) {{";
  dialect.contracts = true;
  return dialect;
}

}  // namespace

const Dialect cuda_in_a_file = in_a_file();

}  // namespace fulgurite::emit
