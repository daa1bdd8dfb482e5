// Errors of files and of the command line (error_programs.h).
#pragma once

#include <fulgurite/cluster.h>
#include <fulgurite/main.h>
#include <fulgurite/npy.h>

#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

#include "error_programs.h"

namespace error_programs {

/// Makes errors.npy of a header's dictionary and the bytes after it.
inline void save(const std::string& dictionary, const std::string& bytes = "",
                 const std::string& version = {1, 0}) {
  std::ofstream file("errors.npy", std::ios::binary);
  const auto size = static_cast<unsigned>(dictionary.size());
  file << "\x93NUMPY" << version << static_cast<char>(size % 256) << static_cast<char>(size / 256)
       << dictionary << bytes;
}
/// The command line of a program made with FULGURITE_MAIN(saxpy, power).
inline Vec<float> saxpy(Exp<float> a, Vec<float> x) {
  return a * x;
}
inline Vec<float> power(Vec<float> x, int k) {
  auto result = x;
  for (int i = 1; i < k; ++i) result = result * x;
  return result;
}
template <class F>
void tool_of(const char* text, F function) {
  char program[] = "program", list[] = "list";
  char* argv[] = {program, list};
  testing::internal::CaptureStderr();
  fg::detail::tool_main(2, argv, fg::detail::tool_programs(text, std::source_location::current(), function));
  throw std::runtime_error(testing::internal::GetCapturedStderr());
}
inline void tool(std::vector<std::string> words) {
  words.insert(words.begin(), "program");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  testing::internal::CaptureStderr();
  fg::detail::tool_main(
      static_cast<int>(argv.size()), argv.data(),
      fg::detail::tool_programs("saxpy, power", std::source_location::current(), saxpy, power));
  throw std::runtime_error(testing::internal::GetCapturedStderr());
}

// ## Files

ERROR_PROGRAM(file_that_is_not_there) {
  fg::read_npy<float>("nothing.npy");
}
ERROR_PROGRAM(file_that_is_a_folder) {
  fg::read_npy<float>("..");
}
ERROR_PROGRAM(file_that_is_a_device) {
  fg::read_npy<float>("/dev/null");
}
ERROR_PROGRAM(file_in_no_folder) {
  fg::write_npy("nowhere/x.npy", fg::Array<int>(Ints(3)));
}
ERROR_PROGRAM(file_of_another_kind) {
  std::ofstream("errors.npy") << "one, two, three";
  fg::read_npy<float>("errors.npy");
}
ERROR_PROGRAM(file_that_ends_in_its_header) {
  std::ofstream("errors.npy") << "\x93NUMPY\x01" << '\0' << "{'descr': '<f4'";
  fg::read_npy<float>("errors.npy");
}
ERROR_PROGRAM(file_of_another_version) {
  save("{}", "", "\x09\x01");
  fg::read_npy<float>("errors.npy");
}
ERROR_PROGRAM(file_of_another_type) {
  save("{'descr': '<i4', 'fortran_order': False, 'shape': (1,)}", std::string(4, '\0'));
  fg::read_npy<float>("errors.npy");
}
ERROR_PROGRAM(file_that_is_big_endian) {
  save("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", std::string(4, '\0'));
  fg::read_npy<float>("errors.npy");
}
ERROR_PROGRAM(file_of_complex_numbers) {
  save("{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", std::string(8, '\0'));
  fg::read_npy<float>("errors.npy");
}
ERROR_PROGRAM(file_of_records) {
  save("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,)}", std::string(4, '\0'));
  fg::read_npy<float>("errors.npy");
}
ERROR_PROGRAM(file_with_many_axes) {
  save("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 1, 1, 1, 1, 1, 1)}",
       std::string(4, '\0'));
  fg::read_npy<float>("errors.npy");
}
ERROR_PROGRAM(file_of_an_absurd_shape) {
  save("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}");
  fg::read_npy<float>("errors.npy");
}
ERROR_PROGRAM(file_that_is_truncated) {
  save("{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", std::string(8, '\0'));
  fg::read_npy<float>("errors.npy");
}
ERROR_PROGRAM(file_that_goes_on) {
  save("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", std::string(8, '\0'));
  fg::read_npy<float>("errors.npy");
}
ERROR_PROGRAM(file_of_other_booleans) {
  save("{'descr': '|b1', 'fortran_order': False, 'shape': (1,)}", "\x02");
  fg::read_npy<bool>("errors.npy");
}
ERROR_PROGRAM(header_that_is_damaged) {
  save("{'descr': '<f4' 'shape': (1,)}", std::string(4, '\0'));
  fg::read_npy<float>("errors.npy");
}
ERROR_PROGRAM(header_with_an_unknown_key) {
  save("{'order': 1}");
  fg::read_npy<float>("errors.npy");
}
ERROR_PROGRAM(header_that_goes_on) {
  save("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} 1");
  fg::read_npy<float>("errors.npy");
}
ERROR_PROGRAM(header_without_a_shape) {
  save("{'descr': '<f4', 'fortran_order': False}");
  fg::read_npy<float>("errors.npy");
}
ERROR_PROGRAM(header_without_a_string) {
  save("{'descr': 4}");
  fg::read_npy<float>("errors.npy");
}
ERROR_PROGRAM(header_with_an_open_string) {
  save("{'descr': '<f4");
  fg::read_npy<float>("errors.npy");
}
ERROR_PROGRAM(header_without_a_truth_value) {
  save("{'fortran_order': 0}");
  fg::read_npy<float>("errors.npy");
}
ERROR_PROGRAM(header_with_a_huge_extent) {
  save("{'shape': (99999999999999999999,)}");
  fg::read_npy<float>("errors.npy");
}
ERROR_PROGRAM(header_without_an_extent) {
  save("{'shape': (x,)}");
  fg::read_npy<float>("errors.npy");
}
ERROR_PROGRAM(header_with_a_negative_extent) {
  save("{'shape': (-1,)}");
  fg::read_npy<float>("errors.npy");
}
ERROR_PROGRAM(header_with_an_open_shape) {
  save("{'shape': (1 2)}");
  fg::read_npy<float>("errors.npy");
}
ERROR_PROGRAM(header_of_absurd_length) {
  std::ofstream("errors.npy") << "\x93NUMPY\x02" << '\0' << "zzzz";
  fg::read_npy<float>("errors.npy");
}

// ## The command line

ERROR_PROGRAM(no_such_command) {
  tool({"ru", "saxpy"});
}
ERROR_PROGRAM(no_such_program) {
  tool({"run", "sax"});
}
ERROR_PROGRAM(arguments_are_missing) {
  tool({"run", "saxpy", "2"});
}
ERROR_PROGRAM(constants_are_missing) {
  tool({"explain", "power"});
}
ERROR_PROGRAM(output_twice) {
  tool({"run", "power", "x.npy", "2", "-o", "a.npy", "-o", "b.npy"});
}
ERROR_PROGRAM(output_in_no_folder) {
  tool({"run", "power", "x.npy", "2", "-o", "nowhere/y.npy"});
}
ERROR_PROGRAM(profile_inside_a_profile) {
  const auto whole = fg::profile("errors.json");
  const auto part = fg::profile("part.json");
}
ERROR_PROGRAM(too_few_names_of_parameters) {
  tool_of("fg::named(saxpy, \"alpha\")", fg::named(saxpy, "alpha"));
}
ERROR_PROGRAM(number_for_an_array) {
  tool({"run", "power", "1", "2"});
}
ERROR_PROGRAM(file_of_another_type_for_an_array) {
  fg::write_npy("errors.npy", fg::Array<int>(Ints(3)));
  tool({"run", "power", "errors.npy", "2"});
}
ERROR_PROGRAM(word_for_a_number) {
  tool({"run", "saxpy", "two", "x.npy"});
}
ERROR_PROGRAM(number_that_is_too_large) {
  tool({"explain", "power", "3000000000"});
}
ERROR_PROGRAM(command_about_ranks_without_arguments) {
  tool({"explain", "saxpy", "--ranks", "4"});
}
ERROR_PROGRAM(command_about_ranks_with_other_extents) {
  tool({"explain", "saxpy", "2", "10x20", "--ranks", "4"});
}
ERROR_PROGRAM(command_about_ranks_with_another_file) {
  fg::write_npy("errors.npy", fg::Array<int>(Ints(3)));
  tool({"explain", "saxpy", "2", "errors.npy", "--ranks", "4"});
}
ERROR_PROGRAM(command_about_a_network_without_latency) {
  tool({"explain", "saxpy", "2", "1000", "--ranks", "4", "--network", "100Gb"});
}
ERROR_PROGRAM(command_about_memory_without_a_unit) {
  tool({"explain", "saxpy", "2", "1000", "--ranks", "4", "--memory", "20"});
}
ERROR_PROGRAM(prediction_for_no_rank) {
  fg::predict(fg::compile(saxpy), {.ranks = 0}, {"2", "1000"});
}
ERROR_PROGRAM(float_that_is_too_large) {
  tool({"run", "saxpy", "1e99", "x.npy"});
}
ERROR_PROGRAM(names_of_no_function) {
  tool({"emit", "saxpy", "cube=power", "--target", "c", "-o", "out", "--parameters", "a,x"});
}
ERROR_PROGRAM(names_of_another_function) {
  tool({"emit", "cube=power", "--target", "c", "-o", "out", "--constants", "power:3"});
}
ERROR_PROGRAM(names_twice) {
  tool({"emit", "saxpy", "--target", "c", "-o", "out", "--results", "y", "--results", "z"});
}
ERROR_PROGRAM(function_twice) {
  tool({"emit", "power", "power", "--target", "c", "-o", "out"});
}

}  // namespace error_programs
