// Variables of staged types are given other values, as any others are. (What is no variable is refused:
// tests/rejected/assignment_to_temporary.cpp.)
#include "engines.h"

#include <algorithm>
#include <map>
#include <optional>

namespace {

struct Point {
  int x, y;
};

static_assert(std::is_trivially_copyable_v<Exp<float>> && std::is_trivially_copyable_v<Vec<float>>);
static_assert(std::is_nothrow_move_assignable_v<Exp<Point>>);

TEST(Assignments, OfScalars) {
  on_every_engine(
      [](Exp<int> x, Exp<int> y) {
        Exp<int> a, b = x;
        a = 3;
        a += y;
        a -= 1;
        b *= a;
        b /= 2;
        std::tie(a, b) = std::tuple{b, a};
        std::swap(a, b);
        std::optional<Exp<int>> kept;
        kept = a;
        *kept += b;
        std::pair<Exp<int>, Exp<int>> both{a, b};
        both = std::pair{b, a};
        both.first += 1;
        std::map<int, Exp<int>> named;
        named[3] = both.first;
        auto grow = [n = *kept]() mutable {
          n = n + 1;
          return n += 1;
        };
        return std::tuple{a, b, grow(), named[3], std::move(both.second)};
      },
      [](const auto& f) { EXPECT_EQ(f(5, 8), (std::tuple{10, 25, 37, 26, 10})); });
}

TEST(Assignments, WithEveryOperator) {
  on_every_engine(
      [](Exp<int> x, Vec<int> xs, Exp<bool> p) {
        const auto all = [](auto v, const auto& by) {
          v += by, v *= 3, v -= 1, v ^= by, v <<= 2, v |= 5, v %= 1000, v &= by * 7, v /= 2, v >>= 1;
          return v;
        };
        p &= x > 3;
        p |= x > 100;
        p ^= true;
        return std::tuple{all(x, Exp<int>(37)), all(xs, xs + 5), p};
      },
      [](const auto& f) {
        const auto all = [](int v, int by) {
          v += by, v *= 3, v -= 1, v ^= by, v <<= 2, v |= 5, v %= 1000, v &= by * 7, v /= 2, v >>= 1;
          return v;
        };
        const auto [x, xs, p] = f(123, std::vector{1, 22, -333}, true);
        EXPECT_EQ(x, all(123, 37));
        EXPECT_EQ(xs.to_vector(), (std::vector{all(1, 6), all(22, 27), all(-333, -328)}));
        EXPECT_FALSE(p);
      });
}

TEST(Assignments, ByOneMoreOrLess) {
  const auto stepped = [](auto v) {
    const auto first = v++, second = ++v, third = v--, fourth = --v;
    return std::tuple{first, second, third, fourth, v};
  };
  on_every_engine(
      [&](Exp<int> x, Exp<float> y, Exp<fg::u8> z) {
        ++z;
        return std::tuple{stepped(x), stepped(y), z};
      },
      [&](const auto& f) {
        const auto [x, y, z] = f(2147483645, 0.5F, fg::u8{255});
        EXPECT_EQ(x, stepped(2147483645));
        EXPECT_EQ(y, stepped(0.5F));
        EXPECT_EQ(z, 0);
      });
}

TEST(Assignments, OfElementsOfContainers) {
  on_every_engine(
      [](Exp<int> x) {
        std::vector<Exp<int>> all(4);
        int n = 0;
        for (auto& e : all) e = x + n++;
        for (auto&& e : all) e *= 2;
        auto& third = all[2];
        third = 7;
        all[0] = third;
        std::rotate(all.begin(), all.begin() + 1, all.end());
        all.insert(all.begin(), x);
        all.erase(all.begin() + 1);
        std::array<Exp<int>, 2> pair{x, x};
        pair[1] = all.back();
        pair = std::array<Exp<int>, 2>{pair[1], pair[0]};
        return std::tuple{all[0], all[1], all[2], all[3], pair[0]};
      },
      [](const auto& f) { EXPECT_EQ(f(10), (std::tuple{10, 7, 26, 7, 7})); });
}

TEST(Assignments, OfCompositesAndArrays) {
  on_every_engine(
      [](Vec<int> x, Mat<int> m, Exp<Point> p) {
        auto [px, py] = p;
        px = py + 1;
        py += px;
        p = std::tuple{px, py};
        std::vector<Vec<int>> rows{m[0], m[1]};
        rows[0] = rows[1] + x;
        rows[1] += 1;
        std::swap(rows[0], rows[1]);
        x = rows[0];
        x += rows[1];
        x *= 2;
        x -= x / 4;
        x /= 3;
        struct {
          Exp<int> n;
          Vec<int> v;
        } members{0, x};
        members.n = fg::sum(x);
        members.v = members.v + members.n;
        return std::tuple{p, members.v};
      },
      [](const auto& f) {
        const auto [p, v] = f(std::vector<int>{1, 2}, fg::Array<int, 2>({1, 2, 3, 4}, {2, 2}), Point{1, 2});
        EXPECT_EQ(p.x, 3);
        EXPECT_EQ(p.y, 5);
        // (3 + 1 + 3 + 1) * 2 = 16, less a quarter, by 3: 4; (4 + 1 + 4 + 2) * 2 = 22, 17, 5.
        EXPECT_EQ(vector_of(v), (std::vector<int>{13, 14}));
      });
}

}  // namespace
