// The bundle's file: what was written comes back; whatever else it says, reading it ends with an error.
#include <fulgurite/error.h>

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "bundled/file.h"

namespace fulgurite::bundled {
namespace {

using scalar::Kind;
using scalar::Op;

plan::Plan sample_plan() {
  using namespace plan;
  Plan plan;
  plan.name = "sample";
  plan.n_slots = 9;
  plan.n_places = 4;
  plan.params = {{Kind::f32, 1, 0, 0}, {Kind::i64, 0, 1, -1}, {Kind::i32, 2, 7, 2}};
  plan.results = {{Kind::f32, 1, -1, 3}, {Kind::f64, 0, 5, -1}};
  plan.kernels = {{"map", 1, ""}, {"reduce", 2, "", {0, 4, 8}, {64, 1}, {4096, 0}, true}};
  plan.steps = {
      {Constant{2, 0xfffffffffffffffe}},
      {Compute{Op::div, Kind::i64, Kind::i64, 3, 0, 1, 3, 2}},
      {Check{3, 1, {0, 1}}},
      {Allocate{1, Kind::f32, {0}, 1}},
      {Share{3, 1}},
      {Launch{0, {0, 1}, {0}, {3}, 2, 2}},
      {Launch{1, {1, 3}, {}, {3, 2}, 2, 2}},
      {Reuse{3, 3, Kind::f32, {0}, 6, true, 2}},
      {CopyArray{3, 3, Kind::f32, 6}},
      {Shrink{3, 1}},
      {If{3, {{Allocate{2, Kind::i8, {0, 1}}}, {Copy{4, 3}}}, {{Release{2}}}}},
      {While{{{Copy{4, 3}}}, 4, {{Fetch{5, 3, Kind::f64}}}}},
      {Converge{{{Copy{4, 3}}}, 3, {{Launch{0, {3}, {}, {3}, 2, 2}}}}},
  };
  return plan;
}

Program sample() {
  Program program{.name = "sample",
                  .key = {1, 2},
                  .is_strict = true,
                  .params = {{Kind::f32, 1}, {Kind::i64, 0}},
                  .results = {{Kind::f32, 1}, {Kind::f64, 0}},
                  .captures = {{{Kind::i32, 2}, {1, 2}, "12345678"}},
                  .sites = {{plan::SiteText::Error::index, {"a.cpp", 3}, "index {0}"},
                            {plan::SiteText::Error::arithmetic, {"", 0}, ""}},
                  .text = "program",
                  .targets = {}};
  program.targets.push_back({TargetEngine::cpu, "x86-64-v3", sample_plan(), {"code", "more code"}});
  program.targets.push_back({TargetEngine::opencl, "", sample_plan(), {"text", "code"}});
  return program;
}

TEST(BundledFile, ComesBack) {
  Program other = sample();
  other.name = "an other";
  other.is_unchecked = true;
  const std::string bytes = file_of({sample(), other});
  EXPECT_EQ(bytes, file_of({sample(), other}));
  const File file("it", bytes);
  ASSERT_EQ(file.programs().size(), 2u);
  const File::StoredProgram& program = file.programs()[0];
  EXPECT_EQ(program.name, "sample");
  EXPECT_EQ(program.key, (base::Digest{1, 2}));
  EXPECT_TRUE(program.is_strict && !program.is_unchecked && file.programs()[1].is_unchecked);
  EXPECT_EQ(program.params, sample().params);
  EXPECT_EQ(program.results, sample().results);
  ASSERT_EQ(program.sites.size(), 2u);
  EXPECT_EQ(program.sites[0].message, "index {0}");
  EXPECT_EQ(program.sites[0].where.file, "a.cpp");
  EXPECT_EQ(program.sites[0].where.line, 3u);
  EXPECT_EQ(file.blob(program.text, "text"), "program");
  ASSERT_EQ(program.captures.size(), 1u);
  EXPECT_EQ(program.captures[0].extents, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(file.blob(program.captures[0].blob, "array"), "12345678");
  ASSERT_EQ(program.targets.size(), 2u);
  EXPECT_EQ(program.targets[0].architecture, "x86-64-v3");
  for (const File::StoredTarget& target : program.targets) {
    const File::StoredPlan stored = file.plan(program, target);
    EXPECT_EQ(stored.plan, sample_plan());
    EXPECT_EQ(file.blob(stored.codes[0], "code"), target.engine == TargetEngine::cpu ? "code" : "text");
  }
}

TEST(BundledFile, BlobThatChangedIsRefused) {
  std::string bytes = file_of({sample()});
  bytes[bytes.find("more code")] = 'M';
  const File file("it", bytes);
  const File::StoredProgram& program = file.programs()[0];
  const File::StoredPlan stored = file.plan(program, program.targets[0]);
  EXPECT_EQ(file.blob(stored.codes[0], "code"), "code");
  EXPECT_THROW(file.blob(stored.codes[1], "code"), FormatError);
}

// Reads everything of it.
void read_all(std::string_view bytes) {
  const File file("it", bytes);
  for (const File::StoredProgram& program : file.programs()) {
    file.blob(program.text, "text");
    for (const File::StoredCapture& capture : program.captures) file.blob(capture.blob, "array");
    for (const File::StoredTarget& target : program.targets)
      for (const std::uint32_t code : file.plan(program, target).codes) file.blob(code, "code");
  }
}

// As somebody writes it who knows of digests: every word of the index and of the header changed, and the
// digest made to fit.
TEST(BundledFile, WhateverItSaysIsReadOrRefused) {
  const std::string whole = file_of({sample()});
  Header header;
  std::memcpy(&header, whole.data(), sizeof header);
  std::minstd_rand random(1);
  int n_refused = 0, n_tried = 0;
  const auto try_it = [&](std::string bytes) {
    Header changed;
    std::memcpy(&changed, bytes.data(), sizeof changed);
    if (changed.index_offset <= bytes.size() && changed.index_size <= bytes.size() - changed.index_offset) {
      const auto digest =
          base::digest(std::string_view(bytes).substr(changed.index_offset, changed.index_size));
      changed.index_digest[0] = digest.first;
      changed.index_digest[1] = digest.second;
      std::memcpy(bytes.data(), &changed, sizeof changed);
    }
    ++n_tried;
    try {
      read_all(bytes);
    } catch (const FormatError&) {
      ++n_refused;
    }
  };
  const std::uint32_t words[] = {0, 1, 0x7fffffff, 0xffffffff};
  for (std::size_t at = 0; at < whole.size(); at += at + 4 == sizeof header ? header.index_offset - at : 4)
    for (const std::uint32_t word : words) {
      std::string bytes = whole;
      std::memcpy(bytes.data() + at, &word, sizeof word);
      try_it(std::move(bytes));
    }
  for (int round = 0; round < 150; ++round) {
    std::string bytes = whole;
    for (int k = 0; k < 3; ++k) {
      const std::size_t at = header.index_offset + 4 * (random() % (header.index_size / 4));
      const auto word = static_cast<std::uint32_t>(random() % 40);
      std::memcpy(bytes.data() + at, &word, sizeof word);
    }
    try_it(std::move(bytes));
  }
  for (std::size_t size = 0; size < whole.size(); size += 3)
    EXPECT_THROW(read_all(std::string_view(whole).substr(0, size)), FormatError);
  EXPECT_GT(n_refused, n_tried / 2);
}

}  // namespace
}  // namespace fulgurite::bundled
