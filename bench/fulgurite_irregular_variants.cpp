// "fulgurite": the variants of irregular and nested benchmarks.
#include "fulgurite_program.h"
#include "irregular_variants.h"

namespace bench {
namespace {

void add_filters(Peers& peers) {
  peers.add(
      "FilterEven-f64", "fulgurite", [](Data& d) { Program<filter_below_half>::run(view(d.x_f64, d.n)); },
      [](Data& d) {
        copy(Program<filter_below_half>::result, d.out_f64);
        d.results[0] = static_cast<double>(Program<filter_below_half>::result.size());
      });
  peers.add(
      "FilterEven-u8", "fulgurite", [](Data& d) { Program<filter_even_bytes>::run(view(d.small_u8, d.n)); },
      [](Data& d) {
        copy(Program<filter_even_bytes>::result, d.out_u8);
        d.results[0] = static_cast<double>(Program<filter_even_bytes>::result.size());
      });
  peers.add(
      "FilterEven-partition", "fulgurite", [](Data& d) { Program<even_and_odd>::run(view(d.small, d.n)); },
      [](Data& d) {
        const auto& [even, odd] = Program<even_and_odd>::result;
        copy(even, d.out_ints);
        copy(odd, d.out_ints + even.size());
        d.results[0] = static_cast<double>(even.size());
      });
}

void add_histograms(Peers& peers) {
  for (const char* name : {"Hist10-f32", "Hist256-f32", "Hist1M-f32"})
    peers.add(
        name, "fulgurite",
        [](Data& d) { Program<sums_by_key>::run(view(d.keys, d.n), view(d.x, d.n), d.bins); },
        [](Data& d) { copy(Program<sums_by_key>::result, d.histogram_f32); });
  for (const char* name : {"Hist10-max", "Hist1M-max"})
    peers.add(
        name, "fulgurite",
        [](Data& d) { Program<maxima_by_key>::run(view(d.keys, d.n), view(d.tied, d.n), d.bins); },
        [](Data& d) { copy(Program<maxima_by_key>::result, d.histogram); });
  peers.add(
      "Hist10-count-sum", "fulgurite",
      [](Data& d) { Program<counts_and_sums_by_key>::run(view(d.keys, d.n), view(d.x, d.n), d.bins); },
      [](Data& d) {
        const auto& [counts, sums] = Program<counts_and_sums_by_key>::result;
        copy(counts, d.histogram);
        copy(sums, d.histogram_f32);
      });
  peers.add(
      "Hist256-u8", "fulgurite", [](Data& d) { Program<count_bytes>::run(view(d.small_u8, d.n)); },
      [](Data& d) { copy(Program<count_bytes>::result, d.histogram); });
  peers.add(
      "Hist256-i64", "fulgurite",
      [](Data& d) { Program<long_sums_by_key>::run(view(d.keys, d.n), view(d.small, d.n), d.bins); },
      [](Data& d) { copy(Program<long_sums_by_key>::result, d.histogram_i64); });
  peers.add(
      "Hist1M-or", "fulgurite",
      [](Data& d) { Program<bits_by_key>::run(view(d.keys, d.n), view(d.small, d.n), d.bins); },
      [](Data& d) { copy(Program<bits_by_key>::result, reinterpret_cast<std::uint32_t*>(d.histogram)); });
}

template <auto program, class T>
void run_on_rows(const Data& d, const T* values, const T* vector) {
  Program<program>::run(view(d.row_starts, d.rows + 1), view(d.columns, d.n), view(values, d.n),
                        view(vector, d.n));
}

void add_sparse_products(Peers& peers) {
  peers.add(
      "SMVM-f64", "fulgurite",
      [](Data& d) { run_on_rows<sparse_times_vector_of_doubles>(d, d.x_f64, d.y_f64); },
      [](Data& d) { copy(Program<sparse_times_vector_of_doubles>::result, d.out_f64); });
  peers.add(
      "SMVM-minplus", "fulgurite", [](Data& d) { run_on_rows<shortest_steps>(d, d.values, d.vector); },
      [](Data& d) { copy(Program<shortest_steps>::result, d.out); });
  peers.add(
      "SMVM-sum-max", "fulgurite", [](Data& d) { run_on_rows<row_sums_and_maxima>(d, d.values, d.vector); },
      [](Data& d) {
        const auto& [sums, maxima] = Program<row_sums_and_maxima>::result;
        copy(sums, d.out);
        copy(maxima, d.out2);
      });
}

void add_sorts(Peers& peers) {
  peers.add(
      "Sort-f32", "fulgurite", [](Data& d) { Program<sorted_of<float>>::run(view(d.out, d.n)); },
      [](Data& d) { copy(Program<sorted_of<float>>::result, d.out); });
  peers.add(
      "Sort-i64", "fulgurite", [](Data& d) { Program<sorted_of<fg::i64>>::run(view(d.out_i64, d.n)); },
      [](Data& d) { copy(Program<sorted_of<fg::i64>>::result, d.out_i64); });
  peers.add(
      "Sort-pairs", "fulgurite",
      [](Data& d) { Program<sorted_pairs>::run(view(d.out_ints, d.n), view(d.out_ints2, d.n)); },
      [](Data& d) {
        const auto& [keys, payload] = Program<sorted_pairs>::result;
        copy(keys, d.out_ints);
        copy(payload, d.out_ints2);
      });
}

void add_nested(Peers& peers) {
  peers.add(
      "Mandelbrot-f64", "fulgurite", [](Data& d) { Program<mandelbrot_set_of_doubles>::run(d.side); },
      [](Data& d) { copy(Program<mandelbrot_set_of_doubles>::result, d.out_ints); });
  peers.add(
      "Mandelbrot-julia", "fulgurite", [](Data& d) { Program<julia_set>::run(d.side); },
      [](Data& d) { copy(Program<julia_set>::result, d.out_ints); });
  peers.add(
      "Mandelbrot-collatz", "fulgurite", [](Data& d) { Program<collatz_steps>::run(d.n); },
      [](Data& d) { copy(Program<collatz_steps>::result, d.out_ints); });
  peers.add(
      "NBody-f64", "fulgurite",
      [](Data& d) {
        Program<n_body_of_doubles>::run(view(d.x_f64, d.n), view(d.y_f64, d.n), view(d.z_f64, d.n),
                                        view(d.mass_f64, d.n));
      },
      [](Data& d) {
        const auto& [x, y, z] = Program<n_body_of_doubles>::result;
        copy(x, d.out_f64);
        copy(y, d.out2_f64);
        copy(z, d.out3_f64);
      });
  peers.add(
      "NBody-potential", "fulgurite",
      [](Data& d) {
        Program<potentials_and_forces>::run(view(d.x, d.n), view(d.y, d.n), view(d.z, d.n),
                                            view(d.mass, d.n));
      },
      [](Data& d) {
        const auto& [potentials, forces] = Program<potentials_and_forces>::result;
        copy(potentials, d.out);
        copy(forces, d.out2);
      });
  peers.add(
      "NBody-nearest", "fulgurite",
      [](Data& d) { Program<nearest_neighbours>::run(view(d.x, d.n), view(d.y, d.n), view(d.z, d.n)); },
      [](Data& d) { copy(Program<nearest_neighbours>::result, d.out_ints); });
}

}  // namespace

void add_fulgurite_irregular_variants(Peers& peers) {
  add_filters(peers);
  add_histograms(peers);
  add_sparse_products(peers);
  add_sorts(peers);
  add_nested(peers);
}

}  // namespace bench
