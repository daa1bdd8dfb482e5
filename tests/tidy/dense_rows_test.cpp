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
Kernel copying(std::int64_t n, std::int64_t n_stored) {
  std::string text = R"(kernel k(in x: f32[], out y: f32[], n: i64)
par grid task < n {
  par block t < 16 {
    let row = (task * 16 + t) * )" +
                     std::to_string(n) + "\n";
  for (std::int64_t k = 0; k < n; ++k)
    text += "    load a" + std::to_string(k) + ": f32 = x[row + " + std::to_string(k) + ", 1]\n";
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

TEST(DenseRows, AreWholeVectors) {
  for (const std::int64_t n : {2, 3, 5, 6, 7}) {
    SCOPED_TRACE(n);
    const Kernel kernel = copying(n, n);
    EXPECT_EQ(n_strided(kernel), 0u);
    using Lanes = std::vector<std::int64_t>;  // the places in x that the lanes of a name are from
    std::map<Var, Lanes> from;
    Lanes stored(static_cast<std::size_t>(n * lanes), -1);
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
        if (let->value.is_name() && from.contains(let->value.var()))
          from[let->name] = from.at(let->value.var());
      } else if (const auto* store = std::get_if<Store>(&s.op)) {
        for (std::int64_t l = 0; l < lanes; ++l)
          stored.at(static_cast<std::size_t>(offset(store->to.index) + l)) =
              from.at(store->value.var()).at(static_cast<std::size_t>(l));
      }
    });
    for (std::int64_t at = 0; at < n * lanes; ++at)
      EXPECT_EQ(stored[static_cast<std::size_t>(at)], at / n * n + n - 1 - at % n) << at;
  }
}

// Nothing may be written between rows, nor read that is not used.
TEST(DenseRows, WithAGapAreReadAndStoredOneByOne) {
  EXPECT_EQ(n_strided(copying(3, 2)), 4u);
}

}  // namespace
}  // namespace fulgurite::tidy
