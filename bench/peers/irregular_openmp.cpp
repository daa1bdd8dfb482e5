#include <omp.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "irregular.h"

namespace bench {

namespace {

// What each thread found, joined in the order of the threads.
template <class T>
void join(const std::vector<std::vector<T>>& parts, std::vector<T>& whole) {
  std::size_t n = 0;
  for (const auto& part : parts) n += part.size();
  whole.clear();
  whole.reserve(n);
  for (const auto& part : parts) whole.insert(whole.end(), part.begin(), part.end());
}

}  // namespace

void omp_distances(const RaggedRows<int>& graph, int from, int* distances) {
  std::fill_n(distances, graph.rows, -1);
  std::vector<int> frontier{from};
  distances[from] = 0;
  std::vector<std::vector<int>> found(static_cast<std::size_t>(omp_get_max_threads()));
  for (int level = 1; !frontier.empty(); ++level) {
    const auto n = static_cast<std::int64_t>(frontier.size());
    for (auto& part : found) part.clear();
#pragma omp parallel for schedule(dynamic, 256) if (n > 1000)
    for (std::int64_t i = 0; i < n; ++i) {
      const int v = frontier[static_cast<std::size_t>(i)];
      auto& mine = found[static_cast<std::size_t>(omp_get_thread_num())];
      for (std::int64_t k = graph.offsets[v]; k < graph.offsets[v + 1]; ++k) {
        const int w = graph.values[k];
        if (__atomic_load_n(&distances[w], __ATOMIC_RELAXED) >= 0) continue;
        int none = -1;
        if (__atomic_compare_exchange_n(&distances[w], &none, level, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
          mine.push_back(w);
      }
    }
    join(found, frontier);
  }
}

void omp_pagerank(const RaggedRows<int>& sources, const int* n_targets, int steps,
                  std::vector<float>& ranks) {
  const auto n = static_cast<std::size_t>(sources.rows);
  ranks.assign(n, 1.0f / static_cast<float>(n));
  std::vector<float> shares(n);
  for (int step = 0; step < steps; ++step) {
#pragma omp parallel
    {
#pragma omp for schedule(static)
      for (std::size_t v = 0; v < n; ++v) shares[v] = ranks[v] / static_cast<float>(n_targets[v]);
#pragma omp for schedule(dynamic, 1024)
      for (std::int64_t v = 0; v < sources.rows; ++v) {
        float sum = 0;
        for (std::int64_t k = sources.offsets[v]; k < sources.offsets[v + 1]; ++k)
          sum += shares[static_cast<std::size_t>(sources.values[k])];
        ranks[static_cast<std::size_t>(v)] = 0.15f / static_cast<float>(n) + 0.85f * sum;
      }
    }
  }
}

std::int64_t omp_decoded(const int* lengths, const int* symbols, std::int64_t n, std::vector<int>& to) {
  std::vector<std::int64_t> starts(static_cast<std::size_t>(n) + 1);
  for (std::int64_t i = 0; i < n; ++i)
    starts[static_cast<std::size_t>(i) + 1] = starts[static_cast<std::size_t>(i)] + lengths[i];
  const std::int64_t size = starts.back();
  to.resize(static_cast<std::size_t>(size));
#pragma omp parallel for schedule(dynamic, 1024)
  for (std::int64_t i = 0; i < n; ++i)
    std::fill(to.begin() + starts[static_cast<std::size_t>(i)],
              to.begin() + starts[static_cast<std::size_t>(i) + 1], symbols[i]);
  return size;
}

void omp_drawn(const Line* lines, std::int64_t n, std::int64_t width, unsigned char* picture) {
#pragma omp parallel for schedule(dynamic, 256)
  for (std::int64_t i = 0; i < n; ++i) {
    const auto [x0, y0, x1, y1] = lines[i];
    const int steps = std::max({std::abs(x1 - x0), std::abs(y1 - y0), 1});
    for (int k = 0; k <= steps; ++k)
      picture[(y0 + (y1 - y0) * k / steps) * width + x0 + (x1 - x0) * k / steps] = 1;
  }
}

void omp_best_three(const RaggedRows<float>& ratings, float* best) {
#pragma omp parallel for schedule(dynamic, 1024)
  for (std::int64_t row = 0; row < ratings.rows; ++row) {
    float* three = best + 3 * row;
    const float *begin = ratings.values + ratings.offsets[row],
                *end = ratings.values + ratings.offsets[row + 1];
    std::fill_n(three, 3, 0.0f);
    std::partial_sort_copy(begin, end, three, three + std::min<std::ptrdiff_t>(3, end - begin),
                           std::greater());
  }
}

void omp_upper_halves(const RaggedRows<float>& rows, std::vector<std::int64_t>& offsets,
                      std::vector<float>& values) {
  const auto each_row = [&](const auto& body) {
#pragma omp parallel for schedule(dynamic, 1024)
    for (std::int64_t row = 0; row < rows.rows; ++row) {
      const float *begin = rows.values + rows.offsets[row], *end = rows.values + rows.offsets[row + 1];
      float most = 0;
      for (const float* x = begin; x < end; ++x) most = std::max(most, *x);
      body(row, begin, end, most / 2);
    }
  };
  offsets.assign(static_cast<std::size_t>(rows.rows) + 1, 0);
  each_row([&](std::int64_t row, const float* begin, const float* end, float half) {
    std::int64_t n = 0;
    for (const float* x = begin; x < end; ++x) n += *x >= half;
    offsets[static_cast<std::size_t>(row) + 1] = n;
  });
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  values.resize(static_cast<std::size_t>(offsets.back()));
  each_row([&](std::int64_t row, const float* begin, const float* end, float half) {
    float* to = values.data() + offsets[static_cast<std::size_t>(row)];
    for (const float* x = begin; x < end; ++x)
      if (*x >= half) *to++ = *x;
  });
}

void omp_words(const unsigned char* text, std::int64_t n, std::vector<std::int64_t>& offsets,
               std::vector<unsigned char>& letters) {
  const int threads = omp_get_max_threads();
  std::vector<std::vector<std::int64_t>> begins(static_cast<std::size_t>(threads));
  std::vector<std::vector<unsigned char>> parts(static_cast<std::size_t>(threads));
#pragma omp parallel num_threads(threads)
  {
    const int t = omp_get_thread_num();
    auto& mine = parts[static_cast<std::size_t>(t)];
    for (std::int64_t i = n * t / threads; i < n * (t + 1) / threads; ++i) {
      if (text[i] == ' ') continue;
      if (i == 0 || text[i - 1] == ' ')
        begins[static_cast<std::size_t>(t)].push_back(static_cast<std::int64_t>(mine.size()));
      mine.push_back(text[i]);
    }
  }
  std::int64_t before = 0;
  for (std::size_t t = 0; t < parts.size(); ++t) {
    for (std::int64_t& begin : begins[t]) begin += before;
    before += static_cast<std::int64_t>(parts[t].size());
  }
  join(begins, offsets);
  offsets.push_back(before);
  join(parts, letters);
}

void omp_row_sums(const RaggedRows<float>& rows, float* sums) {
#pragma omp parallel for schedule(dynamic, 1024)
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    float sum = 0;
    for (std::int64_t k = rows.offsets[row]; k < rows.offsets[row + 1]; ++k) sum += rows.values[k];
    sums[row] = sum;
  }
}

void omp_harmonic_numbers(const int* numbers, std::int64_t n, float* sums) {
#pragma omp parallel for schedule(dynamic, 1024)
  for (std::int64_t i = 0; i < n; ++i) {
    float sum = 0;
    for (int k = 0; k < numbers[i]; ++k) sum += 1.0f / static_cast<float>(k + 1);
    sums[i] = sum;
  }
}

}  // namespace bench
