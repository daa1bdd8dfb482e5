// The executable that program_test.cpp runs: FULGURITE_MAIN with programs of every shape of parameter and
// result.
#include <fulgurite/fulgurite.h>
#include <fulgurite/main.h>

namespace fg = fulgurite;
using fg::Exp, fg::Mat, fg::Vec;

namespace {

Vec<float> saxpy(Exp<float> alpha, Vec<float> x, Vec<float> y) {
  return alpha * x + y;
}

Exp<float> rmse(Vec<float> x, Vec<float> y) {
  auto d = x - y;
  return fg::sqrt(fg::sum(d * d) / fg::cast<float>(x.size()));
}

Vec<fg::u8> brighter(Exp<fg::u8> by, Vec<fg::u8> xs) {
  return xs + by;
}

std::tuple<Exp<int>, Vec<int>> total_and_squares(Vec<int> xs) {
  return {fg::sum(xs), xs * xs};
}

Vec<float> power(Vec<float> x, int k) {
  auto result = x;
  for (int i = 1; i < k; ++i) result = result * x;
  return result;
}

Vec<float> row_sums(Mat<float> m) {
  return fg::map([](Vec<float> row) { return fg::sum(row); }, fg::rows(m));
}

Vec<float> centred(Vec<float> x) {
  auto squares = x * x;
  auto total = fg::sum(squares);
  return squares / total;
}

Exp<int> any_positive(Exp<bool> wanted, Vec<int> xs) {
  return fg::select(wanted, fg::max(xs), 0);
}

}  // namespace

FULGURITE_MAIN(saxpy, rmse, brighter, total_and_squares, fg::named(power, "base, exponent"), row_sums,
               centred, fg::named(any_positive, "wanted, xs"))
