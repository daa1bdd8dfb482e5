// The generator draws every construct of the array IR.
#include <gtest/gtest.h>

#include "constructs.h"
#include "random_program.h"

namespace fulgurite::programs {
namespace {

TEST(RandomPrograms, DrawEveryConstruct) {
  std::mt19937_64 random(1);
  Table table;
  std::vector<std::string> rows = constructs_of_traces();
  for (int k = 0; k < 6000 && !rows.empty(); ++k) {
    if (const auto drawn = draw_program(draw_numbers(random))) count_constructs(drawn->program(), table);
    rows = missing(table, rows);
  }
  EXPECT_EQ(rows, std::vector<std::string>());
}

}  // namespace
}  // namespace fulgurite::programs
