// How many Soacs fusion leaves of a composition, against an oracle that knows nothing of how fusion works:
// the least number of groups into which the operations can be put.
//
// Operations of one width can share a group; what cannot is what needs another operation finished: the total
// of a reduction, elements at unrelated places, elements of another width, and for a scan the values of
// another scan that it runs over. Groups are numbered in the order of their running: an operation's number is
// at least the number of each operation that it reads at its own point, and greater than the number of each
// operation that it needs finished. The oracle tries all numberings.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "choices.h"
#include "fuse/fuse.h"
#include "simplify/simplify.h"
#include "soac/check.h"
#include "soac/count.h"
#include "soac/print.h"

namespace fulgurite {
namespace {

using scalar::Arena;
using scalar::Expr;
using scalar::Kind;
using scalar::Op;
using testing::Choices;

enum class What { map, scan, reduce, histogram };

struct Operation {
  What what = What::map;
  std::size_t width = 0;
  std::vector<std::size_t> at_point, elsewhere, totals;  // of the operations before it, what it reads
  bool is_result = true;
};
using Composition = std::vector<Operation>;

Composition compose(Choices choices) {
  Composition all;
  const std::size_t n = 1 + choices.below(7);
  for (std::size_t k = 0; k < n; ++k) {
    Operation operation;
    operation.what = static_cast<What>(choices.below(4));
    operation.width = choices.one_in(3) ? 1 : 0;
    for (std::size_t reads = choices.below(3); reads > 0 && k > 0; --reads) {
      const std::size_t from = choices.below(k);
      if (all[from].what == What::histogram) continue;
      if (all[from].what == What::reduce)
        operation.totals.push_back(from);
      else if (all[from].width != operation.width || choices.one_in(4))
        operation.elsewhere.push_back(from);
      else
        operation.at_point.push_back(from);
      // Some arrays are read and nothing else.
      if (all[from].what == What::map && choices.one_in(2)) all[from].is_result = false;
    }
    all.push_back(operation);
  }
  return all;
}

// Oracle.

bool reaches_scan(const Composition& all, std::size_t from, std::size_t scan) {
  const auto& reads = all[from].at_point;
  return std::any_of(reads.begin(), reads.end(),
                     [&](std::size_t k) { return k == scan || reaches_scan(all, k, scan); });
}

bool is_valid(const Composition& all, const std::vector<std::size_t>& number, std::size_t k) {
  const Operation& o = all[k];
  auto after = [&](const std::vector<std::size_t>& needed) {
    return std::all_of(needed.begin(), needed.end(), [&](std::size_t p) { return number[k] > number[p]; });
  };
  if (!after(o.elsewhere) || !after(o.totals)) return false;
  for (std::size_t p : o.at_point)
    if (number[k] < number[p]) return false;
  if (o.what == What::scan)
    for (std::size_t p = 0; p < k; ++p)
      if (all[p].what == What::scan && number[p] == number[k] && reaches_scan(all, k, p)) return false;
  return true;
}

void try_numbers(const Composition& all, std::vector<std::size_t>& number, std::size_t k,
                 std::size_t& least) {
  if (k == all.size()) {
    std::set<std::pair<std::size_t, std::size_t>> groups;
    for (std::size_t i = 0; i < k; ++i) groups.emplace(all[i].width, number[i]);
    least = std::min(least, groups.size());
    return;
  }
  for (number[k] = 0; number[k] < all.size(); ++number[k])
    if (is_valid(all, number, k)) try_numbers(all, number, k + 1, least);
}

std::size_t least_groups(const Composition& all) {
  std::vector<std::size_t> number(all.size());
  std::size_t least = all.size();
  try_numbers(all, number, 0, least);
  return least;
}

// The program.

class Builder {
 public:
  soac::Program build(const Composition& all) {
    program_.name = "composition";
    program_.arena = std::make_shared<Arena>();
    program_.sites.push_back({soac::SiteInfo::Error::index, {"composition.cpp", 1}, "index"});
    for (std::size_t w = 0; w < 2; ++w) {
      size_[w] = arena().fresh({}, "n");
      x_[w] = arena().fresh_array(Kind::f64, {size_[w]}, "x");
      const Expr other = arena().fresh({}, "n");
      places_[w] = arena().fresh_array(Kind::i64, {other}, "places");
      program_.params.push_back(x_[w].var());
      program_.params.push_back(places_[w].var());
      program_.sites.push_back({soac::SiteInfo::Error::shape, {"composition.cpp", 2}, "shape"});
      program_.body.push_back({{}, soac::Check{equal(size_[w], other), 2, {}}, {}, ""});
    }
    for (const Operation& o : all) {
      made_.push_back(add(o));
      if (o.is_result) program_.results.push_back(made_.back());
    }
    return program_;
  }

 private:
  Arena& arena() { return *program_.arena; }

  Expr operand(const Operation& o, Expr i) {
    Expr sum = arena().index(x_[o.width], std::array{i});
    for (std::size_t k : o.at_point) sum = sum + arena().index(made_[k], std::array{i});
    for (std::size_t k : o.elsewhere) {
      const Expr place = arena().index(places_[o.width], std::array{i});
      sum = sum + arena().index(made_[k], std::array{place}, 1);
    }
    for (std::size_t k : o.totals) sum = sum + made_[k];
    return arena().apply(Op::sin, {sum});  // too expensive to compute twice
  }

  soac::Reduction sum() {
    const Expr a = arena().fresh({Kind::f64}, "a"), b = arena().fresh({Kind::f64}, "b");
    soac::Reduction r;
    r.op.params = {a.var(), b.var()};
    r.op.results = {a + b};
    r.neutral = {arena().constant(Kind::f64, 0)};
    r.commutative = true;
    return r;
  }

  Expr add(const Operation& o) {
    const Expr i = arena().fresh({}, "i");
    const Expr value = operand(o, i);
    soac::Soac soac;
    soac.dims = {size_[o.width]};
    soac.body.params = {i.var()};
    Expr result = arena().fresh_array(Kind::f64, {size_[o.width]}, "made");
    switch (o.what) {
      case What::map: soac.body.results = {value}; break;
      case What::scan: {
        const Expr running = arena().fresh({Kind::f64}, "running");
        soac.body.body.push_back({{running.var()}, soac::Scan{sum(), {value}}, {}, "scan"});
        soac.body.results = {running};
        break;
      }
      case What::reduce:
        soac.reductions.push_back(sum());
        soac.body.results = {value};
        result = arena().fresh({Kind::f64}, "total");
        break;
      case What::histogram: {
        const Expr j = arena().fresh({}, "j");
        soac.scatters.push_back(
            {{arena().i64(8)}, {{j.var()}, {}, {arena().constant(Kind::f64, 0)}}, {sum()}});
        soac.body.results = {i & 7, value};
        result = arena().fresh_array(Kind::f64, {arena().i64(8)}, "bins");
        break;
      }
    }
    program_.body.push_back({{result.var()}, std::move(soac), {}, "made"});
    return result;
  }

  soac::Program program_;
  Expr size_[2], x_[2], places_[2];
  std::vector<Expr> made_;
};

std::size_t soacs_left(const Composition& all, std::string& story) {
  soac::Program program = Builder().build(all);
  soac::check(program, "generator");
  story = soac::print(program) + "becomes\n";
  soac::PassContext context;
  for (const soac::Pass* pass :
       {&simplify::simplify, &simplify::hoist, &fuse::fuse, &fuse::merge, &simplify::simplify, &fuse::across})
    program = pass->run(std::move(program), context);
  story += soac::print(program);
  return static_cast<std::size_t>(soac::count(program).soac);
}

// The first Soac of a space may have to wait for one of another space, so that a third can share its pass.
TEST(Oracle, WaitsForWhatCanShareAPass) {
  const auto scan = What::scan;
  const Composition all{{What::map, 0, {}, {}, {}, true},     {scan, 1, {}, {}, {}, true},
                        {scan, 0, {}, {1}, {}, true},         {scan, 0, {2}, {}, {}, true},
                        {What::map, 1, {}, {2, 3}, {}, true}, {scan, 0, {}, {}, {}, true},
                        {scan, 0, {0, 5}, {}, {}, true}};
  std::string story;
  EXPECT_EQ(soacs_left(all, story), 4U) << story;
  EXPECT_EQ(least_groups(all), 4U);
}

// A hundred draws of ten.
RC_GTEST_PROP(Oracle, SlowPropertyKernelsAreAsFewAsCanBe, ()) {
  for (int k = 0; k < 10; ++k) {
    const Composition all = compose(
        Choices(*rc::gen::container<std::vector<std::uint8_t>>(60, rc::gen::arbitrary<std::uint8_t>())));
    std::string story;
    const std::size_t left = soacs_left(all, story);
    if (left != least_groups(all)) RC_LOG() << story;
    RC_ASSERT(left == least_groups(all));
  }
}

}  // namespace
}  // namespace fulgurite
