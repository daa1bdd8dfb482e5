// European option prices by the formula of Black and Scholes, with the five-coefficient polynomial for the
// cumulative normal distribution (Abramowitz and Stegun, 26.2.17): call and put from one pass over the data.
#pragma once

#include <fulgurite/fulgurite.h>

#include <tuple>

namespace black_scholes {

namespace fg = fulgurite;
using fg::Exp, fg::Vec;

inline Exp<float> cumulative_normal(Exp<float> d) {
  auto k = 1.0f / (1.0f + 0.2316419f * fg::abs(d));
  auto p =
      k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  auto upper = 1.0f - 0.39894228f * fg::exp(-0.5f * d * d) * p;
  return fg::select(d < 0.0f, 1.0f - upper, upper);
}

inline std::tuple<Exp<float>, Exp<float>> price(Exp<float> spot, Exp<float> strike, Exp<float> years) {
  const float rate = 0.08f, volatility = 0.3f;
  auto spread = volatility * fg::sqrt(years);
  auto d1 = (fg::log(spot / strike) + (rate + 0.5f * volatility * volatility) * years) / spread;
  auto d2 = d1 - spread;
  auto discounted = strike * fg::exp(-rate * years);
  auto n1 = cumulative_normal(d1), n2 = cumulative_normal(d2);
  return {spot * n1 - discounted * n2, discounted * (1.0f - n2) - spot * (1.0f - n1)};
}

inline auto black_scholes(Vec<float> spot, Vec<float> strike, Vec<float> years) {
  return fg::unzip(fg::map(price, spot, strike, years));
}

}  // namespace black_scholes
