// The tuning numbers as text: printed, parsed, refused; and docs/schedules.md, which has a line for each.
// `./dev golden` rewrites that part of the page.
#include "schedule/policy.h"

#include <fmt/format.h>
#include <fulgurite/error.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

#include "../runtime/temporary_directory.h"

namespace fulgurite::schedule {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_policy(text);
  } catch (const FormatError& error) {
    return error.message();
  }
  return "nothing";
}

// Every number at its least value.
template <class P>
P least_of() {
  P policy;
  for (const Number<P>& number : numbers<P>())
    std::visit(
        [&]<class T>(T P::* field) {
          policy.*field = static_cast<T>(number.least);
          if (number.form == Form::power_of_two)
            policy.*field = static_cast<T>(std::bit_ceil(static_cast<std::uint64_t>(number.least)));
        },
        number.field);
  return policy;
}

TEST(Policy, DefaultsAreAllowed) {
  EXPECT_EQ(parse_policy(print(Policy{})), Policy{});
}

TEST(Policy, WhatIsPrintedIsParsed) {
  Policy policy{least_of<LanesPolicy>(), least_of<BlocksPolicy>()};
  policy.lanes.cheap_work = 12.34567890123;
  EXPECT_EQ(parse_policy(print(policy)), policy);
  EXPECT_EQ(parse_policy(changes(policy)), policy);
  EXPECT_NE(print(policy).find("cheap_work = 12.34567890123\n"), std::string::npos);
}

TEST(Policy, NamesStandOnce) {
  std::set<std::string_view> names;
  for (const auto& number : numbers<LanesPolicy>()) EXPECT_TRUE(names.insert(number.name).second);
  for (const auto& number : numbers<BlocksPolicy>()) EXPECT_TRUE(names.insert(number.name).second);
}

TEST(Policy, ChangesAreWhatIsNotTheDefault) {
  EXPECT_EQ(changes({}), "");
  Policy policy;
  policy.blocks.thread_chain = 8;
  policy.lanes.cheap_tile = 8192;
  policy.lanes.chain = 16;
  EXPECT_EQ(changes(policy), "cheap_tile = 8192, chain = 16, thread_chain = 8");
}

TEST(Policy, NumbersStandBetweenCommasSpacesAndEndsOfLines) {
  Policy wanted;
  wanted.lanes.cheap_tile = 8192;
  wanted.lanes.cost_move = 2.5;
  wanted.blocks.block_threads = 128;
  EXPECT_EQ(parse_policy("cheap_tile=8192,cost_move=2.5,block_threads=128"), wanted);
  EXPECT_EQ(parse_policy(" cheap_tile = 8192 cost_move = 2.5\tblock_threads = 128"), wanted);
  EXPECT_EQ(
      parse_policy("# a file\ncheap_tile = 8192  # half of it\r\ncost_move=2.5,\n\nblock_threads=128#end"),
      wanted);
  EXPECT_EQ(parse_policy(""), Policy{});
  EXPECT_EQ(parse_policy(" # cheap_tile = 8192"), Policy{});
}

TEST(Policy, WhatIsNotMentionedStays) {
  Policy policy;
  policy.lanes.chain = 16;
  EXPECT_EQ(parse_policy("cheap_tile=8192", policy).lanes.chain, 16);
  EXPECT_EQ(parse_policy("chain=8", policy).lanes.chain, 8);
}

TEST(Policy, AnUnknownNameIsToldTheNearest) {
  EXPECT_EQ(
      refusal("cheap_tle=8192"),
      "policy: there is no number 'cheap_tle'; the nearest name is cheap_tile, and docs/schedules.md has "
      "all of them");
  EXPECT_NE(refusal("thread_chains=8").find(" nearest name is thread_chain,"), std::string::npos);
}

TEST(Policy, AValueThatIsNotAllowedIsRefused) {
  EXPECT_EQ(refusal("cheap_tile=many"),
            "policy: cheap_tile is 'many', and it has to be a power of two from 64 to 1048576");
  for (const char* text : {"cheap_tile=32", "cheap_tile=2097152", "cheap_tile=5000", "cheap_tile=-64",
                           "cheap_tile=8192.5", "cheap_tile=0x2000", "cheap_tile=99999999999999999999",
                           "thread_items=14", "cheap_work=nan", "cheap_work=inf", "cheap_work=-1", "chain=0"})
    EXPECT_NE(refusal(text).find("has to be a"), std::string::npos) << text;
}

TEST(Policy, WhatIsNoPolicyIsRefused) {
  EXPECT_EQ(refusal("chain"), "policy: 'chain' is followed by no value: write name=value");
  for (const char* text : {"chain=", "chain 16", "=16", "chain==16", "chain=16 portion", "chain=#16"})
    EXPECT_NE(refusal(text).find("is followed by no value"), std::string::npos) << text;
  EXPECT_EQ(refusal("chain=8, chain=16"), "policy: chain is given twice");
}

TEST(Policy, AFileIsReadByItsName) {
  const runtime::test::TemporaryDirectory directory;
  const std::string path = (directory.path() / "policy").string();
  std::ofstream(path) << "chain = 16\n";
  EXPECT_EQ(policy_text("@" + path), "chain = 16\n");
  EXPECT_EQ(policy_text("chain=8"), "chain=8");
  EXPECT_EQ(policy_text(""), "");
  for (const std::string& missing : {path + "s", directory.path().string()})
    EXPECT_THROW(policy_text("@" + missing), FormatError) << missing;
}

// ---- docs/schedules.md

const std::string page = FULGURITE_TEST_DATA "/../../docs/schedules.md";

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <class P>
std::string table() {
  std::string text = "| number | default | unit | from | to | what it does |\n|---|---:|---|---:|---:|---|\n";
  for (const Number<P>& number : numbers<P>()) {
    const std::string_view form = number.form == Form::power_of_two ? ", a power of two"
                                  : number.form == Form::odd        ? ", odd"
                                                                    : "";
    text += fmt::format("| `{}` | {} | {}{} | {} | {} | {} |\n", number.name, value_text(number, P()),
                        number.unit, form, number.least, number.most, number.description);
  }
  return text;
}

TEST(Policy, GoldenOfSchedulesMd) {
  const std::string old = text_of(page), begin = "<!-- numbers -->\n", end = "<!-- end of numbers -->\n";
  const std::size_t from = old.find(begin), to = old.find(end);
  ASSERT_TRUE(from != std::string::npos && to != std::string::npos) << page;
  const std::string text = old.substr(0, from) + begin + "\n### CPUs\n\n" + table<LanesPolicy>() +
                           "\n### GPUs\n\n" + table<BlocksPolicy>() + "\n" + old.substr(to);
  if (std::getenv("FULGURITE_UPDATE_GOLDEN") != nullptr) std::ofstream(page, std::ios::binary) << text;
  EXPECT_EQ(text_of(page), text) << "run ./dev golden";
}

}  // namespace
}  // namespace fulgurite::schedule
