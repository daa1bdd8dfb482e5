// What a weather station computes, written once as array programs and compiled ahead of time into C for its
// application (station.c), which has none of this library.
#include <fulgurite/fulgurite.h>
#include <fulgurite/main.h>

namespace fg = fulgurite;
using fg::Exp, fg::Vec;

struct Reading {
  float temperature, humidity;  // in degrees and percent
  int sensor;
};

// The temperature at which water condenses, by the formula of Magnus.
Exp<float> dew_point(Exp<float> temperature, Exp<float> humidity) {
  auto g = fg::log(humidity / 100.0f) + 17.62f * temperature / (243.12f + temperature);
  return 243.12f * g / (17.62f - g);
}

// The readings at most `margin` degrees above their dew points.
Vec<Reading> damp(Vec<Reading> readings, Exp<float> margin) {
  return fg::filter(
      [&](Exp<Reading> reading) {
        auto [temperature, humidity, sensor] = reading;
        return temperature - dew_point(temperature, humidity) <= margin;
      },
      readings);
}

// Temperatures without the error of each sensor. A reading of a sensor that is not in the table is refused.
Vec<float> corrected(Vec<float> temperature, Vec<int> sensor, Vec<float> errors) {
  return fg::map([&](Exp<float> t, Exp<int> s) { return t - errors[s]; }, temperature, sensor);
}

Exp<float> mean(Vec<float> x) {
  return fg::sum(x) / fg::cast<float>(x.size());
}

FULGURITE_MAIN(damp, corrected, mean)
