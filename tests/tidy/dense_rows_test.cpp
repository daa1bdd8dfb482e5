// Rows without gaps, one a lane: they are loaded and stored as whole vectors, whose lanes Permutes put in
// place. What each lane gets is followed through these.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "applied.h"
#include "kernel/parse.h"
#include "tidy/dead.h"
#include "tidy/rows.h"
#include "tidy/vectorise.h"

namespace fulgurite::tidy {
namespace {

using namespace kernel;

constexpr std::int32_t lanes = 16;

// Each lane copies its row of n elements, backwards: out[i, k] = in[i, n - 1 - k]. It leaves one out, if
// told.
Kernel copying(std::int64_t n, std::int64_t n_stored, const std::string& kind = "f32") {
  std::string text = "kernel k(in x: " + kind + "[], out y: " + kind + R"([], n: i64)
par grid task < n {
  par block t < 16 {
    let row = (task * 16 + t) * )" +
                     std::to_string(n) + "\n";
  for (std::int64_t k = 0; k < n; ++k)
    text += "    load a" + std::to_string(k) + ": " + kind + " = x[row + " + std::to_string(k) + ", 1]\n";
  for (std::int64_t k = 0; k < n_stored; ++k)
    text += "    store y[row + " + std::to_string(k) + ", 1] = a" + std::to_string(n - 1 - k) + "\n";
  text += "  }\n}\n";
  return applied({&vectorise, &remove_dead, &transpose_rows}, parse(text), {.transposed_lanes = lanes});
}

bool is_strided(const Access& access) {
  return !access.stride.is_constant(1);
}
std::size_t n_strided(const Kernel& kernel) {
  std::size_t n = 0;
  for (const Load& load : all<Load>(kernel)) n += is_strided(load.from);
  for (const Store& store : all<Store>(kernel)) n += is_strided(store.to);
  return n;
}

// The constant that is added to an index.
std::int64_t offset(Expr index) {
  if (index.is_constant()) return static_cast<std::int64_t>(index.bits());
  if (index.op() != scalar::Op::add) return 0;
  return offset(index.arg(0)) + offset(index.arg(1));
}

using Lanes = std::vector<std::int64_t>;  // the places in x that the lanes of a name are from

// The name of a value, or of what is converted.
Var named_by(Expr value) {
  if (value.op() == scalar::Op::cast) value = value.arg(0);
  return value.is_name() ? value.var() : Var{-1};
}

// Lanes of what is loaded as vectors, and of what Permutes and Lets make of it.
std::map<Var, Lanes> places_of_lanes(const Kernel& kernel) {
  std::map<Var, Lanes> from;
  for_each_stm(kernel.body, [&](const Stm& s) {
    if (const auto* load = std::get_if<Load>(&s.op)) {
      for (std::int64_t l = 0; l < lanes; ++l) from[load->name].push_back(offset(load->from.index) + l);
    } else if (const auto* permute = std::get_if<Permute>(&s.op)) {
      Lanes both = from.at(permute->low.var());
      const Lanes& high = from.at(permute->high.var());
      both.insert(both.end(), high.begin(), high.end());
      for (const std::int32_t l : permute->lanes)
        from[permute->name].push_back(both.at(static_cast<std::size_t>(l)));
    } else if (const auto* let = std::get_if<Let>(&s.op)) {
      if (const Var lanes_of = named_by(let->value); from.contains(lanes_of))
        from[let->name] = from.at(lanes_of);
    }
  });
  return from;
}

void are_whole_vectors(std::int64_t n, const std::string& kind) {
  SCOPED_TRACE(kind + " " + std::to_string(n));
  const Kernel kernel = copying(n, n, kind);
  EXPECT_EQ(n_strided(kernel), 0u);
  const std::map<Var, Lanes> from = places_of_lanes(kernel);
  Lanes stored(static_cast<std::size_t>(n * lanes), -1);
  for (const Store& store : all<Store>(kernel))
    for (std::int64_t l = 0; l < lanes; ++l)
      stored.at(static_cast<std::size_t>(offset(store.to.index) + l)) =
          from.at(named_by(store.value)).at(static_cast<std::size_t>(l));
  for (std::int64_t at = 0; at < n * lanes; ++at)
    EXPECT_EQ(stored[static_cast<std::size_t>(at)], at / n * n + n - 1 - at % n) << at;
}

TEST(DenseRows, AreWholeVectors) {
  for (const std::int64_t n : {2, 3, 4, 5, 6, 7}) are_whole_vectors(n, "f32");
  for (const std::int64_t n : {2, 4, 5, 8}) are_whole_vectors(n, "u8");
}

// They are bytes while lanes are permuted.
TEST(DenseRows, OfTruths) {
  for (const std::int64_t n : {2, 3, 4, 8}) are_whole_vectors(n, "bool");
}

// Nothing may be written between rows; what is read between them lies between the first lane and the last.
TEST(DenseRows, WithAGapAreReadTogetherAndStoredOneByOne) {
  for (const std::int64_t n : {2, 3}) {
    SCOPED_TRACE(n);
    const Kernel kernel = copying(n, n - 1);
    EXPECT_EQ(n_strided(kernel), static_cast<std::size_t>(n - 1));
    const std::map<Var, Lanes> from = places_of_lanes(kernel);
    for (const Store& store : all<Store>(kernel)) {
      ASSERT_TRUE(is_strided(store.to));
      for (std::int64_t l = 0; l < lanes; ++l)
        EXPECT_EQ(from.at(named_by(store.value)).at(static_cast<std::size_t>(l)),
                  l * n + n - 1 - offset(store.to.index));
    }
    for (const Load& load : all<Load>(kernel)) {
      EXPECT_GE(offset(load.from.index), 0);
      EXPECT_LE(offset(load.from.index) + lanes - 1, (lanes - 1) * n + n - 1);
    }
  }
}

TEST(DenseRows, LanesThatLieFarApartAreReadOneByOne) {
  for (const char* apart : {"9", "4611686018427387904"}) {
    const Kernel kernel = applied({&vectorise, &remove_dead, &transpose_rows},
                                  parse(std::string(R"(kernel k(in x: f32[], out y: f32[], n: i64)
par grid task < n {
  par block t < 16 {
    let at = task * 16 + t
    let row = at * )") + apart + R"(
    load a: f32 = x[row, 1]
    store y[at, 1] = a
  }
}
)"),
                                  {.transposed_lanes = lanes});
    EXPECT_EQ(n_strided(kernel), 1u) << apart;
  }
}

TEST(DenseRows, OneOfFourIsReadWithWhatIsBetween) {
  const Kernel kernel = copying(4, 1);  // stores element 3 of each row
  EXPECT_EQ(n_strided(kernel), 1u);     // the store
  const std::map<Var, Lanes> from = places_of_lanes(kernel);
  const Store store = all<Store>(kernel).at(0);
  for (std::int64_t l = 0; l < lanes; ++l)
    EXPECT_EQ(from.at(store.value.var()).at(static_cast<std::size_t>(l)), l * 4 + 3);
  for (const Load& load : all<Load>(kernel)) EXPECT_LE(offset(load.from.index) + lanes - 1, lanes * 4 - 1);
}

}  // namespace
}  // namespace fulgurite::tidy
