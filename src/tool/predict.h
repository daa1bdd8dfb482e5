// What explain tells of a program on ranks that need not be there.
#pragma once

#include <fulgurite/cluster.h>

#include <string>
#include <string_view>

namespace fulgurite::tool {

/// "100Gb,2us": bits (Gb, Mb) or bytes (GB, MB) a second, and the latency in ns, us or ms. Throws
/// FormatError.
void parse_network(std::string_view text, Cluster& to);
/// "20GB" a second.
double parse_rate(std::string_view text);

/// The JSON of an explanation, and in it the prediction.
std::string with_prediction(const std::string& explanation, const Prediction&);

}  // namespace fulgurite::tool
