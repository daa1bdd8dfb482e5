// A matrix as a picture: blue for the lowest value, white for the middle, red for the highest.
#pragma once

#include <fulgurite/array.h>
#include <fulgurite/error.h>

#include <png.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

// Throws FormatError if the file cannot be written. NaNs are black.
inline void write_png(const std::string& path, const fulgurite::Array<float, 2>& field) {
  const auto rows = field.shape()[0], columns = field.shape()[1];
  const auto values = field.to_vector();
  float extent = 0;
  for (float value : values)
    if (std::isfinite(value)) extent = std::max(extent, std::abs(value));
  std::vector<unsigned char> pixels;
  for (float value : values) {
    const float t = std::isnan(value) || extent == 0 ? 0 : std::clamp(value / extent, -1.0f, 1.0f);
    auto shade = [&](float strength) {
      return static_cast<unsigned char>(std::isnan(value) ? 0 : 255 * (1 - strength));
    };
    const float red = std::sqrt(std::max(t, 0.0f)), blue = std::sqrt(std::max(-t, 0.0f));
    pixels.push_back(shade(blue));
    pixels.push_back(shade(std::max(red, blue) * 0.8f));
    pixels.push_back(shade(red));
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(columns);
  image.height = static_cast<png_uint_32>(rows);
  image.format = PNG_FORMAT_RGB;
  if (!png_image_write_to_file(&image, path.c_str(), 0, pixels.data(), 0, nullptr))
    throw fulgurite::FormatError("cannot write the picture '" + path + "': " + image.message);
}
