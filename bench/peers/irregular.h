// What irregular programs are compared with: loops that a C++ programmer writes with OpenMP, on offsets and
// values.
#pragma once

#include <cstdint>
#include <vector>

namespace bench {

/// Rows of a ragged array: row i is values offsets[i] to below offsets[i + 1].
template <class T>
struct RaggedRows {
  std::int64_t rows;
  const std::int64_t* offsets;
  const T* values;
};

/// The distances from a vertex, breadth first; -1 where there is no way.
void omp_distances(const RaggedRows<int>& graph, int from, int* distances);
/// Steps of PageRank with a damping of 0.85; `sources` are the pages that point to each.
void omp_pagerank(const RaggedRows<int>& sources, const int* n_targets, int steps, std::vector<float>& ranks);
/// Each symbol as often as its length says; returns how many there are.
std::int64_t omp_decoded(const int* lengths, const int* symbols, std::int64_t n, std::vector<int>& to);
struct Line {
  int x0, y0, x1, y1;
};
/// Sets the points of the lines in a picture.
void omp_drawn(const Line* lines, std::int64_t n, std::int64_t width, unsigned char* picture);
/// The three greatest elements of each row, 0 where there are fewer.
void omp_best_three(const RaggedRows<float>& ratings, float* best);
/// The elements of each row that are at least half of its greatest one: offsets and values.
void omp_upper_halves(const RaggedRows<float>& rows, std::vector<std::int64_t>& offsets,
                      std::vector<float>& values);
/// Offsets and letters of the words of a text.
void omp_words(const unsigned char* text, std::int64_t n, std::vector<std::int64_t>& offsets,
               std::vector<unsigned char>& letters);
/// The sum of each row; the sum of 1 / (k + 1) for k below each number.
void omp_row_sums(const RaggedRows<float>& rows, float* sums);
void omp_harmonic_numbers(const int* numbers, std::int64_t n, float* sums);

}  // namespace bench
