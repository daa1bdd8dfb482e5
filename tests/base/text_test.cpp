#include "base/text.h"

#include <gtest/gtest.h>

#include <unordered_set>
#include <vector>

#include "base/ids.h"

namespace fulgurite::base {
namespace {

TEST(Text, JoinsWithSeparators) {
  auto text = [](int i) { return std::to_string(i); };
  EXPECT_EQ(join(std::vector<int>{}, ", ", text), "");
  EXPECT_EQ(join(std::vector{1}, ", ", text), "1");
  EXPECT_EQ(join(std::vector{1, 2, 3}, ", ", text), "1, 2, 3");
}

TEST(Ids, OrderAndHashByNumber) {
  using Var = Id<struct VarTag>;
  EXPECT_LT(Var(1), Var(2));
  EXPECT_EQ(Var(3), Var(3));
  EXPECT_EQ((std::unordered_set<Var>{Var(1), Var(2), Var(1)}.size()), 2u);
  static_assert(!std::is_convertible_v<int, Var>, "ids are made on purpose");
}

}  // namespace
}  // namespace fulgurite::base
