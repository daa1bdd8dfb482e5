#include "base/match.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace fulgurite::base {
namespace {

template <int I>
struct Node {
  int value = I;
};
template <class>
struct Many;
template <std::size_t... I>
struct Many<std::index_sequence<I...>> {
  using type = std::variant<Node<static_cast<int>(I)>...>;
};

TEST(Match, CallsTheCaseOfTheAlternativeHeld) {
  std::variant<int, std::string> v = "two";
  auto name = [&] {
    return match(v, [](const int& i) { return std::to_string(i); }, [](const std::string& s) { return s; });
  };
  EXPECT_EQ(name(), "two");
  v = 1;
  EXPECT_EQ(name(), "1");
}

TEST(Match, MutatesThroughReferencesAndMovesOutOfTemporaries) {
  std::variant<std::unique_ptr<int>, int> v = std::make_unique<int>(3);
  match(v, [](std::unique_ptr<int>& p) { *p = 4; }, [](int& i) { i = 5; });
  auto p = match(
      std::move(v), [](std::unique_ptr<int>&& q) { return std::move(q); },
      [](int&&) { return std::unique_ptr<int>(); });
  EXPECT_EQ(*p, 4);
}

TEST(Match, ReturnsReferences) {
  std::variant<int, long> v = 7;
  int other = 0;
  int& held = match(v, [](int& i) -> int& { return i; }, [&](long&) -> int& { return other; });
  held = 8;
  EXPECT_EQ(*as<int>(v), 8);
}

TEST(Match, DispatchesMoreAlternativesThanOneSwitchHolds) {
  Many<std::make_index_sequence<40>>::type v;
  auto value = [&] { return match(v, []<int I>(const Node<I>& n) { return n.value; }); };
  v = Node<0>{};
  EXPECT_EQ(value(), 0);
  v = Node<16>{};
  EXPECT_EQ(value(), 16);
  v = Node<39>{};
  EXPECT_EQ(value(), 39);
}

TEST(Match, AsAsksForOneAlternative) {
  const std::variant<int, std::string> v = 5;
  EXPECT_EQ(as<std::string>(v), nullptr);
  ASSERT_NE(as<int>(v), nullptr);
  EXPECT_EQ(*as<int>(v), 5);
}

struct ThrowsWhenMade {
  std::string not_trivial;
  ThrowsWhenMade() { throw 1; }
};

TEST(Match, RefusesAVariantThatHoldsNothing) {
  std::variant<int, ThrowsWhenMade> v = 1;
  EXPECT_THROW(v.emplace<ThrowsWhenMade>(), int);
  EXPECT_THROW(match(v, [](int&) {}, [](ThrowsWhenMade&) {}), InternalError);
}

}  // namespace
}  // namespace fulgurite::base
