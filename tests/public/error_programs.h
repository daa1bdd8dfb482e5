// The smallest program that causes each error: docs/errors.md shows them, and what each throws
// (error_catalogue_test.cpp). A line `// ## Title` begins a section of the page.
#pragma once

#include <fulgurite/device_memory.h>
#include <fulgurite/dlpack.h>
#include <fulgurite/emit.h>
#include <fulgurite/fulgurite.h>
#include <fulgurite/kernel.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace error_programs {

namespace fg = fulgurite;
namespace k = fulgurite::kernel;
using fg::Exp, fg::Mat, fg::Vec, fg::i64;
using Ints = std::vector<int>;
using Rows = std::vector<Ints>;
using Floats = std::vector<float>;

struct ErrorProgram {
  const char* name;
  void (*run)();
};
inline std::vector<ErrorProgram>& error_programs() {
  static std::vector<ErrorProgram> all;
  return all;
}
struct Registered {
  explicit Registered(const ErrorProgram& program) { error_programs().push_back(program); }
};
#define ERROR_PROGRAM(name)                                 \
  inline void name();                                       \
  inline const Registered registered_##name{{#name, name}}; \
  inline void name()

/// A tensor of four floats as another library hands it over.
inline fg::dlpack::ManagedTensor* tensor(fg::dlpack::Device device, fg::dlpack::DataType type, int rank,
                                         std::int64_t stride) {
  static float data[16];
  static std::int64_t extents[] = {4, 1}, strides[] = {0, 1};
  strides[0] = stride;
  static fg::dlpack::ManagedTensor managed;
  managed = {{data, device, rank, type, extents, strides, 0}, nullptr, nullptr};
  return &managed;
}
constexpr fg::dlpack::Device host{fg::dlpack::DeviceType::cpu, 0};
constexpr fg::dlpack::DataType f32{fg::dlpack::TypeCode::floating, 32, 1};

// ## Shapes

ERROR_PROGRAM(elementwise_shapes) {
  fg::run([](Vec<float> x, Vec<float> y) { return x + y; }, Floats(1000), Floats(999));
}
ERROR_PROGRAM(negative_size) {
  fg::run([](Exp<i64> n) { return fg::iota(n); }, -1);
}
ERROR_PROGRAM(slice_outside) {
  fg::run([](Vec<int> x) { return x.slice(1, 6); }, Ints(5));
}
ERROR_PROGRAM(stride_of_zero) {
  fg::run([](Vec<int> x, Exp<int> stride) { return x.slice(0, 2, stride); }, Ints(5), 0);
}
ERROR_PROGRAM(take_too_many) {
  fg::run([](Vec<int> x) { return fg::take(x, 6); }, Ints(5));
}
ERROR_PROGRAM(drop_too_many) {
  fg::run([](Vec<int> x) { return fg::drop(x, 6); }, Ints(5));
}
ERROR_PROGRAM(reshape_to_another_number) {
  fg::run([](Vec<int> x) { return fg::reshape(x, {2, 3}); }, Ints(5));
}
ERROR_PROGRAM(concat_of_other_widths) {
  fg::run([](Mat<int> a, Mat<int> b) { return fg::concat(a, b); }, fg::Array<int, 2>(Ints(6), {2, 3}),
          fg::Array<int, 2>(Ints(4), {2, 2}));
}
ERROR_PROGRAM(maps_of_other_numbers_of_rows) {
  fg::run(
      [](Mat<int> m, Vec<int> x) {
        return fg::map([](Vec<int> row, Exp<int> e) { return fg::sum(row) * e; }, fg::rows(m), x);
      },
      fg::Array<int, 2>(Ints(6), {2, 3}), Ints(3));
}
ERROR_PROGRAM(matvec_of_other_sizes) {
  fg::run([](Mat<float> m, Vec<float> x) { return fg::matvec(m, x); }, fg::Array<float, 2>(Floats(6), {2, 3}),
          Floats(2));
}
ERROR_PROGRAM(axis_that_is_not_there) {
  fg::run([](Mat<int> m) { return fg::sum(m, fg::axis(2)); }, fg::Array<int, 2>(Ints(6), {2, 3}));
}
ERROR_PROGRAM(axis_named_twice) {
  fg::run([](fg::Acc<int, 3> x) { return fg::transpose(x, {2, 0, -1}); }, fg::Array<int, 3>());
}
ERROR_PROGRAM(new_axis_beyond_the_last) {
  fg::run([](Vec<int> x) { return fg::replicate(4, x, fg::axis(2)); }, Ints(3));
}
ERROR_PROGRAM(mask_of_another_size) {
  fg::run([](Vec<bool> kept, Mat<int> m) { return fg::filter(kept, m); }, std::vector<bool>(2),
          fg::Array<int, 2>(Ints(6), {3, 2}));
}
ERROR_PROGRAM(rows_of_different_sizes) {
  fg::run([](Exp<i64> n) { return fg::generate(n, [](Exp<i64> i) { return fg::iota(i); }); }, 3);
}
ERROR_PROGRAM(partition_into_no_classes) {
  fg::run([](Vec<int> x, Exp<i64> n) { return fg::partition(n, [](Exp<int> e) { return e; }, x); }, Ints(5),
          0);
}
ERROR_PROGRAM(offsets_of_a_ragged_parameter) {
  fg::run([](fg::Ragged<int> r) { return fg::sum(r, fg::axis(1)); },
          fg::RaggedArray<int>(std::vector<i64>{0, 3, 2, 5}, Ints(5)));
}
ERROR_PROGRAM(fold_of_ragged_columns) {
  fg::run([](fg::Ragged<int> r) { return fg::sum(r, fg::axis(0)); }, fg::RaggedArray<int>());
}
ERROR_PROGRAM(map_of_unequal_numbers_of_rows) {
  fg::run([](fg::Ragged<int> a, fg::Ragged<int> b) { return fg::map(fg::plus, a, b); },
          fg::RaggedArray<int>(Rows{{1}, {2}}), fg::RaggedArray<int>(Rows{{1, 2}}));
}
ERROR_PROGRAM(map_of_unequal_rows) {
  fg::run([](fg::Ragged<int> a, fg::Ragged<int> b) { return fg::map(fg::plus, a, b); },
          fg::RaggedArray<int>(Rows{{1}, {2, 3}}), fg::RaggedArray<int>(Rows{{1, 2}, {3}}));
}
ERROR_PROGRAM(no_rows_of_a_negative_size) {
  fg::run([](Vec<int> x, Exp<i64> n) { return fg::map([&](Exp<int> e) { return fg::replicate(n, e); }, x); },
          Ints(), -1);
}
ERROR_PROGRAM(fewer_than_no_elements_of_rows) {
  fg::run([](fg::Ragged<int> r, Exp<i64> n) { return fg::take(r, n, fg::axis(1)); },
          fg::RaggedArray<int>(Rows{{1, 2}, {3}}), -1);
}
ERROR_PROGRAM(expand_by_a_negative_size) {
  fg::run(
      [](Vec<int> n) {
        return fg::expand([](Exp<int> e) { return e; }, [](Exp<int>, Exp<i64> k) { return k; }, n);
      },
      Ints{2, -1});
}
ERROR_PROGRAM(replicate_by_too_few_lengths) {
  fg::run([](Vec<int> lengths, Vec<int> x) { return fg::replicate(fg::lengths(lengths), x); }, Ints(4),
          Ints(5));
}
ERROR_PROGRAM(reduce_of_nothing) {
  fg::run([](Vec<int> x) { return fg::reduce(fg::plus, x); }, Ints());
}
ERROR_PROGRAM(reduce_along_an_empty_axis) {
  fg::run([](Mat<int> m) { return fg::reduce(fg::plus, m, fg::axis(1)); }, fg::Array<int, 2>(Ints(), {3, 0}));
}
ERROR_PROGRAM(argmax_of_nothing) {
  fg::run([](Vec<int> x) { return fg::argmax(x); }, Ints());
}
ERROR_PROGRAM(length_of_a_segment) {
  fg::run([](Vec<int> n, Vec<int> x) { return fg::segmented_reduce(fg::plus, 0, fg::lengths(n), x); },
          Ints{2, -1, 4}, Ints(5));
}
ERROR_PROGRAM(lengths_of_segments) {
  fg::run([](Vec<int> n, Vec<int> x) { return fg::segmented_reduce(fg::plus, 0, fg::lengths(n), x); },
          Ints{2, 2}, Ints(5));
}
ERROR_PROGRAM(no_offsets) {
  fg::run([](Vec<int> at, Vec<int> x) { return fg::segmented_reduce(fg::plus, 0, fg::offsets(at), x); },
          Ints(), Ints(5));
}
ERROR_PROGRAM(offsets_that_descend) {
  fg::run([](Vec<int> at, Vec<int> x) { return fg::segmented_reduce(fg::plus, 0, fg::offsets(at), x); },
          Ints{0, 3, 2, 5}, Ints(5));
}
ERROR_PROGRAM(empty_segment) {
  fg::run([](Vec<int> n, Vec<int> x) { return fg::segmented_reduce(fg::plus, fg::lengths(n), x); },
          Ints{2, 0, 3}, Ints(5));
}
ERROR_PROGRAM(regular_segments) {
  fg::run([](Vec<int> x) { return fg::segmented_reduce(fg::plus, 0, fg::regular(2), x); }, Ints(5));
}
ERROR_PROGRAM(irregular_nested_array) {
  const auto f = [](Vec<i64> x) {
    const auto joined = [](Exp<i64> a, Exp<i64> b) { return fg::sum(fg::unique(fg::iota(a + b) % 7)); };
    return fg::reduce(joined, 0, x);
  };
  fg::compile(f, {.engine = fg::Engine::cpu})(std::vector<i64>{3, 4});
}

// ## Indices and numbers

ERROR_PROGRAM(index_outside) {
  fg::run([](Vec<int> x, Vec<int> at) { return fg::map([&](Exp<int> i) { return x[i]; }, at); }, Ints(3),
          Ints{0, 1, 3});
}
ERROR_PROGRAM(gather_outside) {
  fg::run([](Vec<int> x, Vec<int> at) { return fg::gather(x, at); }, Ints(3), Ints{0, -1});
}
ERROR_PROGRAM(row_outside) {
  fg::run(
      [](fg::Ragged<int> r, Vec<int> at) { return fg::map([&](Exp<int> i) { return r.row(i).size(); }, at); },
      fg::RaggedArray<int>(Rows{{1, 2}, {3}}), Ints{0, 2});
}
ERROR_PROGRAM(with_outside) {
  fg::run([](Vec<int> x) { return fg::with(x, 3, 7); }, Ints(3));
}
ERROR_PROGRAM(with_outside_a_matrix) {
  fg::run([](Mat<int> m) { return fg::with(m, {0, 3}, 7); }, fg::Array<int, 2>(Ints(6), {2, 3}));
}
ERROR_PROGRAM(division_by_zero) {
  fg::run([](Vec<int> x, Exp<int> n) { return x / n; }, Ints(3), 0);
}
ERROR_PROGRAM(remainder_by_zero) {
  fg::run([](Vec<int> x, Exp<int> n) { return x % n; }, Ints(3), 0);
}
ERROR_PROGRAM(literal_that_is_not_exact) {
  fg::run([](Vec<float> x) { return x * 0.1; }, Floats(3));
}

// ## Staged values out of place

ERROR_PROGRAM(no_program_is_traced) {
  fg::iota(3);
}
ERROR_PROGRAM(value_of_another_trace) {
  std::optional<Exp<float>> kept;
  fg::compile([&](Vec<float> x) {
    kept = fg::sum(x);
    return *kept;
  });
  fg::compile([&](Vec<float> x) { return x * *kept; });
}
ERROR_PROGRAM(value_of_a_function_that_ended) {
  fg::compile([](Vec<float> x) {
    Exp<float> last = 0.0f;
    fg::map(
        [&](Exp<float> e) {
          last = e;
          return e;
        },
        x);
    return last;
  });
}
ERROR_PROGRAM(captured_value_has_changed) {
  float factor = 2;
  const auto f = fg::compile([&](Vec<float> x) { return x * factor; }, {.check_captures = true});
  factor = 3;
  f(Floats(3));
}
ERROR_PROGRAM(mask_of_another_trace) {
  std::optional<Vec<bool>> kept;
  fg::compile([&](Vec<float> x) {
    kept = x > 0.0f;
    return *kept;
  });
  fg::compile([&](Vec<float> x) { return fg::select(!*kept, x, -x); });
}
ERROR_PROGRAM(kernel_called_for_each_element) {
  const auto pairs = k::kernel("pairs", k::block<int>(2), [](k::Pull<int> a) { return k::reverse(a); });
  fg::compile(
      [&](Mat<int> m) { return fg::map([&](Vec<int> row) { return k::call(pairs, row); }, fg::rows(m)); });
}

// ## Arrays of the host

ERROR_PROGRAM(negative_extent) {
  const float x[] = {1, 2};
  fg::view(x, {-1});
}
ERROR_PROGRAM(too_many_elements) {
  const float x[] = {1, 2};
  fg::view(x, {1 << 30, 1 << 30});
}
ERROR_PROGRAM(elements_for_another_shape) {
  fg::Array<int, 2>(Ints(5), {2, 3});
}
ERROR_PROGRAM(at_outside) {
  fg::Array<int>(Ints(3)).at(3);
}
ERROR_PROGRAM(at_in_an_empty_array) {
  fg::Array<int>().at(0);
}
ERROR_PROGRAM(size_of_an_axis_that_is_not_there) {
  fg::Array<int>(Ints(3)).size(1);
}
ERROR_PROGRAM(tensor_of_another_rank) {
  fg::from_dlpack<float>(tensor(host, f32, 2, 1));
}
ERROR_PROGRAM(tensor_of_another_type) {
  fg::from_dlpack<int>(tensor(host, f32, 1, 1));
}
ERROR_PROGRAM(tensor_with_a_stride) {
  fg::from_dlpack<float>(tensor(host, f32, 1, 2));
}
ERROR_PROGRAM(tensor_of_another_device) {
  fg::from_dlpack<float>(tensor({static_cast<fg::dlpack::DeviceType>(8), 0}, f32, 1, 1));
}
ERROR_PROGRAM(tensor_inside_of_its_memory) {
  fg::dlpack::ManagedTensor* const inside = tensor({fg::dlpack::DeviceType::opencl, 0}, f32, 1, 1);
  inside->tensor.byte_offset = 4;
  fg::from_dlpack<float>(inside);
}
ERROR_PROGRAM(tensor_of_no_device) {
  fg::from_dlpack<float>(tensor({fg::dlpack::DeviceType::cuda, -1}, f32, 1, 1));
}

ERROR_PROGRAM(no_memory_for_elements) {
  const std::pair<float, float> x[1] = {};
  fg::run(
      [](Vec<std::pair<float, float>> v) {
        return fg::map([](Exp<std::pair<float, float>> e) { return e.get<0>(); }, v);
      },
      fg::view(x, {i64(1) << 46}));
}
ERROR_PROGRAM(no_memory_in_the_function) {
  fg::run(
      [](Vec<float> x) {
        const Floats table(~std::size_t{0} / sizeof(float));
        return x * table[0];
      },
      Floats(3));
}
ERROR_PROGRAM(no_memory_for_an_array) {
  fg::run([](Exp<i64> n) { return fg::iota(n); }, i64(1) << 45);
}

// ## Engines

ERROR_PROGRAM(no_such_engine) {
  fg::compile([](Vec<int> x) { return x + 1; }, {.engine = static_cast<fg::Engine>(99)});
}
ERROR_PROGRAM(no_such_device) {
  fg::compile([](Vec<int> x) { return x + 1; }, {.engine = fg::Engine::cpu, .device = 3});
}
ERROR_PROGRAM(engine_that_has_no_name) {
  setenv("FULGURITE_ENGINE", "gpu", 1);
  fg::run([](Vec<int> x) { return x + 1; }, Ints(3));
}
ERROR_PROGRAM(dump_of_no_stage) {
  setenv("FULGURITE_DUMP", "tarced", 1);
  fg::compile([](Vec<int> x) { return x + 1; }, {.engine = fg::Engine::emulator});
}
ERROR_PROGRAM(debug_of_no_word) {
  setenv("FULGURITE_DEBUG", "captures,perv", 1);
  fg::compile([](Vec<int> x) { return x + 1; }, {.engine = fg::Engine::emulator});
}
ERROR_PROGRAM(policy_with_a_wrong_name) {
  fg::compile([](Vec<int> x) { return x + 1; }, {.policy = "cheap_tle=8192"});
}
ERROR_PROGRAM(policy_with_a_wrong_value) {
  fg::compile([](Vec<int> x) { return x + 1; }, {.policy = "cheap_tile=5000"});
}
ERROR_PROGRAM(policy_without_a_value) {
  fg::compile([](Vec<int> x) { return x + 1; }, {.policy = "chain"});
}
ERROR_PROGRAM(policy_with_a_number_twice) {
  fg::compile([](Vec<int> x) { return x + 1; }, {.policy = "chain=8, chain=16"});
}
ERROR_PROGRAM(policy_in_a_file_that_is_not_there) {
  fg::compile([](Vec<int> x) { return x + 1; }, {.policy = "@nothing.policy"});
}
ERROR_PROGRAM(queue_of_the_host) {
  fg::use_queue(fg::Engine::cpu, nullptr);
}
ERROR_PROGRAM(queue_that_is_null) {
  fg::use_queue(fg::Engine::opencl, nullptr);
}
ERROR_PROGRAM(memory_of_the_host) {
  float x[4] = {};
  fg::adopt<float>(fg::Engine::cpu, x, {4});
}

// ## Emitted programs

inline Vec<float> doubled(Vec<float> x) {
  return x + x;
}
inline Vec<float> times(Vec<float> x, int k) {
  return x * static_cast<float>(k);
}
ERROR_PROGRAM(name_that_is_a_keyword) {
  fg::emitted({{"doubled", doubled, {"while"}}}, fg::Target::c);
}
ERROR_PROGRAM(name_that_stands_twice) {
  fg::emitted({{"doubled", doubled, {"x"}, {"x"}}}, fg::Target::c);
}
ERROR_PROGRAM(functions_that_declare_the_same) {
  fg::emitted({{"doubled", doubled, {"x"}}, {"doubled_v3", doubled, {"x"}}}, fg::Target::c);
}
ERROR_PROGRAM(number_of_names) {
  fg::emitted({{"doubled", doubled, {"x", "y"}}}, fg::Target::c);
}
ERROR_PROGRAM(number_of_names_of_components) {
  fg::emitted({{"doubled", doubled, {fg::EmittedName("x", {"re", "im"})}}}, fg::Target::c);
}
ERROR_PROGRAM(constants_of_an_emitted_program) {
  fg::emitted({{"times", times, {"x"}}}, fg::Target::c);
}

ERROR_PROGRAM(level_of_processors) {
  fg::emitted({{"doubled", doubled, {"x"}}}, fg::Target::c, {.levels = {"x86-64-v5"}});
}

}  // namespace error_programs
