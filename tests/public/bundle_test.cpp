// Bundles: programs written, opened and called without a compiler; what does not fit is said.
#include <fulgurite/bundle.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numeric>

#include "../runtime/temporary_directory.h"
#include "bundled_programs.h"
#include "engines.h"

namespace {

using namespace bundled_programs;
using Ints = std::vector<int>;
using Floats = std::vector<float>;

// One for all tests: the folder goes with the process.
const std::string& folder() {
  static const fulgurite::runtime::test::TemporaryDirectory directory;
  static const std::string path = directory.path().string();
  return path;
}

const std::string lowest_level = fg::BundleOptions{}.cpu_levels.front();

// The programs, written once.
const std::string& bundle_path() {
  static const std::string path = [] {
    const std::string file = folder() + "/programs.fgb";
    const fg::Array<int> weights{10, 20, 30};
    fg::bundle({{"rmse", rmse},
                {"evens", evens},
                {"counts", counts},
                {"halved", halved},
                {"total", total},
                {"picked", picked},
                {"quotient", quotient},
                {"weighted", [weights](Vec<int> x) { return x * fg::constant(weights); }}},
               file, {.cpu_levels = {lowest_level}, .opencl = false});
    return file;
  }();
  return path;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

Ints first_numbers(int n) {
  Ints numbers(static_cast<std::size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST(Bundle, RunsWithoutACompiler) {
  const fg::Bundle bundle = fg::open(bundle_path(), {.engine = fg::Engine::cpu});
  const std::uint64_t before = fg::stats().compilations, traces = fg::stats().traces;
  EXPECT_EQ(bundle.names(), (std::vector<std::string>{"rmse", "evens", "counts", "halved", "total", "picked",
                                                      "quotient", "weighted"}));
  const auto error = bundle.get<float(fg::Array<float>, fg::Array<float>)>("rmse");
  EXPECT_EQ(error(Floats{1, 2, 3, 4}, Floats{1, 2, 3, 8}), 2.0f);
  const auto even = bundle.get<Vec<int>(Vec<int>)>("evens");
  EXPECT_EQ(vector_of(even(first_numbers(9))), (Ints{0, 2, 4, 6, 8}));
  const auto count = bundle.get<fg::Array<int>(fg::Array<int>, fg::i64)>("counts");
  EXPECT_EQ(vector_of(count(Ints{0, 2, 2, 1, 0, 2}, 3)), (Ints{2, 1, 3}));
  const auto halve = bundle.get<std::tuple<fg::Array<double>, int>(fg::Array<double>, double)>("halved");
  const auto [left, n] = halve(std::vector<double>{1.0, -4.0}, 0.5);
  EXPECT_EQ(n, 3);
  EXPECT_EQ(vector_of(left), (std::vector<double>{0.125, -0.5}));
  const auto add = bundle.get<int(fg::Array<int>)>("total");
  EXPECT_EQ(add(first_numbers(640)), 640 * 639 / 2);
  const auto weigh = bundle.get<fg::Array<int>(fg::Array<int>)>("weighted");
  EXPECT_EQ(vector_of(weigh(Ints{1, 2, 3})), (Ints{10, 40, 90}));
  EXPECT_EQ(fg::stats().compilations, before);
  EXPECT_EQ(fg::stats().traces, traces);
}

TEST(Bundle, IsWhereCompileLooksFirst) {
  const auto compile_and_run = [] {
    const std::uint64_t before = fg::stats().program_hits;
    EXPECT_EQ(vector_of(fg::compile(evens, {.engine = fg::Engine::cpu})(Ints{1, 2, 4})), (Ints{2, 4}));
    return fg::stats().program_hits - before;
  };
  compile_and_run();  // from now on in the memory of programs, and so a hit anyway
  const std::uint64_t before = fg::stats().compilations + fg::stats().disk_hits + fg::stats().memory_hits;
  {
    const fg::Bundle bundle = fg::open(bundle_path());
    EXPECT_EQ(compile_and_run(), 1u);
    EXPECT_EQ(fg::stats().compilations + fg::stats().disk_hits + fg::stats().memory_hits, before);
  }
  ASSERT_EQ(setenv("FULGURITE_BUNDLE", bundle_path().c_str(), 1), 0);
  EXPECT_EQ(compile_and_run(), 1u);
  EXPECT_EQ(fg::stats().compilations + fg::stats().disk_hits + fg::stats().memory_hits, before);
  ASSERT_EQ(setenv("FULGURITE_BUNDLE", "/nowhere/programs.fgb", 1), 0);
  EXPECT_NE(message_of<fg::FormatError>(compile_and_run).find("/nowhere/programs.fgb cannot be read"),
            std::string::npos);
  ASSERT_EQ(unsetenv("FULGURITE_BUNDLE"), 0);
}

TEST(Bundle, ProgramsOfAnotherPolicyAreOthers) {
  const auto doubled = [](Vec<int> x) { return x * 2; };
  const std::string path = folder() + "/doubled.fgb";
  fg::bundle({{"doubled", doubled}}, path,
             {.cpu_levels = {lowest_level}, .opencl = false, .policy = "chain=16"});
  const fg::Bundle bundle = fg::open(path);
  const auto kernels_wanted = [&](const char* policy) {
    const auto kernels = [] {
      return fg::stats().compilations + fg::stats().disk_hits + fg::stats().memory_hits;
    };
    const std::uint64_t before = kernels();
    EXPECT_EQ(vector_of(fg::compile(doubled, {.engine = fg::Engine::cpu, .policy = policy})(Ints{1, 2})),
              (Ints{2, 4}));
    return kernels() - before;
  };
  EXPECT_EQ(kernels_wanted("chain = 16"), 0u) << "found in the bundle";
  EXPECT_EQ(kernels_wanted(""), 1u);
  EXPECT_EQ(kernels_wanted("chain=8"), 1u);
}

TEST(Bundle, FailuresNameTheLineOfTheProgram) {
  const fg::Bundle bundle = fg::open(bundle_path());
  const auto pick = bundle.get<fg::Array<int>(fg::Array<int>, fg::Array<int>)>("picked");
  const std::string index = message_of<fg::IndexError>([&] { pick(Ints{1, 2, 3}, Ints{0, 3}); });
  EXPECT_NE(index.find("bundled_programs.h:"), std::string::npos) << index;
  EXPECT_NE(index.find("3"), std::string::npos) << index;
  const auto divide = bundle.get<int(int, int)>("quotient");
  EXPECT_EQ(divide(7, 2), 3);
  const std::string division = message_of<fg::ArithmeticError>([&] { divide(7, 0); });
  EXPECT_NE(division.find("bundled_programs.h:"), std::string::npos) << division;
}

TEST(Bundle, WithoutTypes) {
  const fg::Bundle bundle = fg::open(bundle_path());
  const fg::BundledProgram halve = bundle.program("halved");
  ASSERT_EQ(halve.parameters().size(), 2u);
  EXPECT_EQ(halve.parameters()[0].kind, fg::detail::Kind::f64);
  EXPECT_EQ(halve.parameters()[0].rank, 1);
  EXPECT_EQ(halve.parameters()[1].rank, 0);
  ASSERT_EQ(halve.results().size(), 2u);
  const std::vector<double> numbers{1.0, -4.0};
  const double limit = 0.5;
  const auto unowned = [](const void* data) {
    return std::shared_ptr<const void>(std::shared_ptr<const void>(), data);
  };
  const std::vector<fg::AnyArray> arguments{{fg::detail::Kind::f64, {2}, unowned(numbers.data())},
                                            {fg::detail::Kind::f64, {}, unowned(&limit)}};
  const std::vector<fg::AnyArray> results = halve(arguments);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(to_string(results[0]), "f64[2]");
  EXPECT_EQ(static_cast<const double*>(results[0].data.get())[1], -0.5);
  EXPECT_EQ(to_string(results[1]), "i32");
  EXPECT_EQ(*static_cast<const int*>(results[1].data.get()), 3);

  EXPECT_EQ(message_of<fg::ShapeError>([&] { halve(std::span(arguments).first(1)); }),
            "fulgurite::ShapeError: 'halved' takes 2 arguments, and was given 1");
  const std::vector<fg::AnyArray> swapped{arguments[1], arguments[0]};
  EXPECT_EQ(message_of<fg::ShapeError>([&] { halve(swapped); }),
            "fulgurite::ShapeError: argument 1 of 'halved' is f64, and f64[] is needed");
}

TEST(Bundle, ProgramsThatItDoesNotHave) {
  const fg::Bundle bundle = fg::open(bundle_path());
  const std::string name = message_of<fg::FormatError>([&] { bundle.get<int(int)>("blur"); });
  EXPECT_NE(name.find("has no program 'blur'; it has rmse, evens,"), std::string::npos) << name;
  const std::string types =
      message_of<fg::FormatError>([&] { bundle.get<float(fg::Array<double>)>("rmse"); });
  EXPECT_NE(types.find("'rmse' of the bundle"), std::string::npos) << types;
  EXPECT_NE(types.find("is (f32[], f32[]) -> f32, and (f64[]) -> f32 was asked for"), std::string::npos)
      << types;
}

TEST(Bundle, WithoutCodeForTheMachineIsCompiledThere) {
  const std::string path = folder() + "/empty.fgb";
  fg::bundle({{"evens", evens}}, path, {.cpu_levels = {}, .opencl = false});
  for (const fg::Engine engine : {fg::Engine::cpu, fg::Engine::interpreter, fg::Engine::emulator}) {
    const auto even = fg::open(path, {.engine = engine}).get<fg::Array<int>(fg::Array<int>)>("evens");
    EXPECT_EQ(vector_of(even(first_numbers(5))), (Ints{0, 2, 4}));
  }
}

TEST(Bundle, KeepsWhatItWasCompiledWith) {
  const std::string path = folder() + "/strict.fgb";
  fg::bundle({{"rmse", rmse}}, path, {.cpu_levels = {lowest_level}, .precision = fg::Precision::strict});
  const auto error = fg::open(path).get<float(fg::Array<float>, fg::Array<float>)>("rmse");
  EXPECT_EQ(error.options().precision, fg::Precision::strict);
  EXPECT_EQ(error(Floats{1, 2}, Floats{1, 4}), std::sqrt(2.0f));
  EXPECT_NE(fg::explanation(error).find("rmse"), std::string::npos);
}

TEST(Bundle, RefusesWhatCannotBeBundled) {
  const std::string path = folder() + "/refused.fgb";
  EXPECT_NE(message_of<fg::FormatError>([&] {
              fg::bundle({{"a", evens}, {"a", sorted}}, path, {.cpu_levels = {}, .opencl = false});
            }).find("two programs of the bundle"),
            std::string::npos);
  EXPECT_NE(message_of<fg::TraceError>([&] {
              fg::bundle({{"a", [](Vec<int> x, int by) { return x * by; }}}, path);
            }).find("'a' has parameters that are C++ values"),
            std::string::npos);
  EXPECT_NE(message_of<fg::DeviceError>([&] {
              fg::bundle({{"a", evens}}, path, {.cpu_levels = {"native"}});
            }).find("'native' is no level"),
            std::string::npos);
  EXPECT_NE(message_of<fg::FormatError>([&] {
              fg::bundle({{"a", evens}}, "/nowhere/a.fgb", {.cpu_levels = {}, .opencl = false});
            }).find("cannot be written"),
            std::string::npos);
  EXPECT_FALSE(std::ifstream(path).good());
}

// Every program, called; what is damaged must be noticed before.
void use_all(const std::string& path) {
  const fg::Bundle bundle = fg::open(path);
  bundle.get<float(fg::Array<float>, fg::Array<float>)>("rmse")(Floats{1, 2}, Floats{1, 4});
  bundle.get<fg::Array<int>(fg::Array<int>)>("evens")(Ints{1, 2});
  bundle.get<fg::Array<int>(fg::Array<int>)>("weighted")(Ints{1, 2, 3});
  fg::explanation(bundle.get<fg::Array<int>(fg::Array<int>)>("evens"));
}

TEST(Bundle, OfAnotherVersionNamesBoth) {
  std::string bytes = bytes_of(bundle_path());
  bytes[8] = 9;
  const std::string path = folder() + "/later.fgb";
  write(path, bytes);
  const std::string message = message_of<fg::FormatError>([&] { fg::open(path); });
  EXPECT_NE(
      message.find("is a bundle of version 9.0 (of Fulgurite 0.1.0), and this library, Fulgurite 0.1.0, "
                   "reads bundles of version 1"),
      std::string::npos)
      << message;
}

TEST(Bundle, ThatIsCutShortOrAnotherFileIsRefused) {
  const std::string whole = bytes_of(bundle_path()), path = folder() + "/cut.fgb";
  for (const std::size_t size : {std::size_t{0}, std::size_t{7}, std::size_t{71}, std::size_t{72},
                                 whole.size() / 2, whole.size() - 1}) {
    write(path, whole.substr(0, size));
    const std::string message = message_of<fg::FormatError>([&] { fg::open(path); });
    EXPECT_NE(message.find(size < 72 ? "is not a bundle" : "is damaged"), std::string::npos) << message;
  }
  write(path, "#!/bin/sh\n" + std::string(1000, 'x'));
  EXPECT_NE(message_of<fg::FormatError>([&] { fg::open(path); }).find("is not a bundle"), std::string::npos);
  EXPECT_NE(message_of<fg::FormatError>([&] { fg::open(folder()); }).find("cannot be read"),
            std::string::npos);
}

TEST(Bundle, PropertyDamageIsNoticed) {
  const std::string whole = bytes_of(bundle_path()), path = folder() + "/damaged.fgb";
  std::minstd_rand random(1);
  int n_noticed = 0;
  for (int round = 0; round < 12; ++round) {
    std::string bytes = whole;
    for (std::size_t at = random() % bytes.size(), end = std::min(at + bytes.size() / 8, bytes.size());
         at < end; ++at)
      bytes[at] = static_cast<char>(bytes[at] ^ static_cast<char>(1 + random() % 255));
    write(path, bytes);
    try {
      use_all(path);
    } catch (const fg::FormatError& error) {
      ++n_noticed;
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
    }
  }
  EXPECT_GT(n_noticed, 1);
}

}  // namespace
