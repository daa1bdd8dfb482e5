// What programs send on ranks that are not there, against the formulas of docs/cluster.md.
#include "tool/predict.h"

#include <fulgurite/fulgurite.h>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace fulgurite {
namespace {

constexpr int n_ranks = 4096;
constexpr std::int64_t tile = 16384;
const std::string n_elements = std::to_string(n_ranks * tile);  // of two tasks a rank

TEST(Predict, FormulasOfManyRanks) {
  const auto scaled = compile([](Exp<float> a, Vec<float> x) { return a * x; });
  const Prediction none = predict(scaled, {.ranks = n_ranks}, {"2", n_elements});
  EXPECT_EQ(none.messages, 0);
  EXPECT_EQ(none.bytes, 0);
  EXPECT_EQ(none.sending, 0);
  EXPECT_GT(none.computing, 0);
  EXPECT_TRUE(none.assumptions.empty());

  const auto smoothed = compile([](Vec<float> x, Exp<int> steps) {
    return iterate(
        steps,
        [](Vec<float> v) { return stencil([](auto w) { return w(-1) + w(1); }, boundary::constant(0.f), v); },
        x);
  });
  const Prediction halos = predict(smoothed, {.ranks = n_ranks}, {n_elements, "10"});
  EXPECT_EQ(halos.messages_of_rank, 10 * 2);
  EXPECT_EQ(halos.bytes_of_rank, 10 * 2 * 4);
  EXPECT_EQ(halos.messages, 10 * 2 * (n_ranks - 1));
  EXPECT_NEAR(halos.seconds, halos.computing + halos.sending + halos.agreeing, 1e-12);

  const auto total = compile([](Vec<float> x) { return sum(x); });
  const Prediction all = predict(total, {.ranks = n_ranks, .latency = 1e-3}, {n_elements});
  EXPECT_EQ(all.messages, 0);
  EXPECT_EQ(all.gatherings, 1);
  EXPECT_EQ(all.bytes, 4 * n_ranks);
  EXPECT_GE(all.sending, 1e-3 * 12);
  EXPECT_LT(all.sending, 1e-3 * 13);
  EXPECT_EQ(all.limit, "agreement of all ranks");
}

// Calls with short axes run a program that is specialised for them.
TEST(Predict, ShortAxes) {
  const auto sums_of_columns = [](Mat<float> x) {
    return map([](auto column) { return sum(column); }, columns(x));
  };
  const auto text = [&](const std::string& extents, const char* policy) {
    return predict(compile(sums_of_columns, {.policy = policy}), {.ranks = 4}, {extents}).text;
  };
  EXPECT_NE(text("100000x4", ""), text("100000x4", "short_axis=0"));
  EXPECT_EQ(text("100000x9", ""), text("100000x9", "short_axis=0"));
}

TEST(Predict, WhatElementsDecideIsAssumed) {
  const auto kept = compile([](Vec<float> x) {
    auto y = filter([](Exp<float> a) { return a > 0.5f; }, x);
    return generate(y.size(), [&](Exp<i64> i) { return y[y.size() - 1 - i] + 1.f; });
  });
  const std::string n = std::to_string(16 * tile);
  const auto bytes = [&](double part) {
    const Prediction p = predict(kept, {.ranks = 4, .kept = part}, {n});
    EXPECT_NE(p.text.find("filters keep"), std::string::npos) << p.text;
    return p.bytes;
  };
  EXPECT_GT(bytes(1), bytes(0.25));

  const auto halved = compile([](Vec<float> x) {
    auto [v, largest] = while_loop([](Vec<float>, Exp<float> l) { return l > 0.1f; },
                                   [](Vec<float> w, Exp<float>) {
                                     auto next = 0.5f * w;
                                     return std::tuple{next, sum(next)};
                                   },
                                   x, 1.f);
    return v;
  });
  const auto gatherings = [&](std::int64_t iterations) {
    return predict(halved, {.ranks = 4, .iterations = iterations}, {n}).gatherings;
  };
  EXPECT_EQ(gatherings(5), 5 * gatherings(1));
  EXPECT_GT(gatherings(1), 0);
  EXPECT_NE(predict(halved, {.ranks = 4, .iterations = 5}, {n}).text.find("have 5 iterations"),
            std::string::npos);
}

TEST(Predict, ArgumentsThatDoNotFit) {
  const auto f = compile([](Exp<int> a, Mat<float> x) { return cast<float>(a) * x; });
  const auto refused = [&](const std::vector<std::string>& arguments) {
    try {
      predict(f, {.ranks = 2}, arguments);
    } catch (const FormatError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refused({"2", "10x20"}), "");
  EXPECT_EQ(refused({"2", "10x20@all"}), "");
  EXPECT_NE(refused({"2"}).find("takes 2 arguments, 1 given"), std::string::npos);
  for (const char* extents : {"10", "10x", "10x-1", "10 x20", "x10"})
    EXPECT_NE(refused({"2", extents}).find("give its extents, as 1000x500"), std::string::npos) << extents;
  EXPECT_NE(refused({"two", "10x20"}), "");
}

TEST(Predict, Networks) {
  Cluster cluster;
  tool::parse_network("200Gb,500ns", cluster);
  EXPECT_DOUBLE_EQ(cluster.bandwidth, 25e9);
  EXPECT_DOUBLE_EQ(cluster.latency, 5e-7);
  EXPECT_DOUBLE_EQ(tool::parse_rate("1.5TB"), 1.5e12);
  for (const char* wrong : {"100Gb", "100,2us", "Gb,2us", "100Gb,2", "-1Gb,2us"})
    EXPECT_THROW(tool::parse_network(wrong, cluster), FormatError) << wrong;
}

TEST(Predict, InJson) {
  const auto f = compile([](Vec<float> x) { return sum(x); });
  const Prediction predicted = predict(f, {.ranks = 3}, {std::to_string(16 * tile)});
  const auto json = nlohmann::json::parse(tool::with_prediction(explanation(f, Explain::json), predicted));
  EXPECT_EQ(json.at("ranks").at("messages"), 0);
  EXPECT_EQ(json.at("ranks").at("gatherings"), 1);
  EXPECT_EQ(json.at("ranks").at("limit"), predicted.limit);
  EXPECT_EQ(json.at("program"), "program");
}

}  // namespace
}  // namespace fulgurite
