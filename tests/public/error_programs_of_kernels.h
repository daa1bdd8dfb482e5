// Errors of the kernel language (error_programs.h).
#pragma once

#include "error_programs.h"

namespace error_programs {

// ## Kernels

ERROR_PROGRAM(name_of_a_kernel) {
  k::kernel("2nd", k::block<int>(4), [](k::Pull<int> a) { return a; });
}
ERROR_PROGRAM(no_kernel_is_recorded) {
  k::sync(k::Pull<int>(1, [](k::Index) { return Exp<int>(0); }));
}
ERROR_PROGRAM(array_program_in_a_kernel) {
  k::kernel("it", k::block<int>(4), [](k::Pull<int> a) {
    return k::map([](Exp<int> x) { return x + fg::sum(fg::iota<int>(x)); }, a);
  });
}
ERROR_PROGRAM(index_outside_a_pull_array) {
  k::kernel("it", k::block<int>(4),
            [](k::Pull<int> a) { return k::map([a](Exp<int> x) { return x + a[4]; }, a); });
}
ERROR_PROGRAM(split_outside) {
  k::kernel("it", k::block<int>(4), [](k::Pull<int> a) { return k::split_at(5, a).first; });
}
ERROR_PROGRAM(matrix_of_another_size) {
  k::kernel("it", k::block<int>(8), [](k::Pull<int> a) { return k::block_transpose(3, 3, a); });
}
ERROR_PROGRAM(reduction_of_no_elements) {
  k::kernel("it", k::block<int>(4),
            [](k::Pull<int> a) { return k::pair_reduce(fg::plus, k::split_at(0, a).first); });
}
ERROR_PROGRAM(state_of_another_size) {
  k::kernel("it", k::block<int>(8),
            [](k::Pull<int> a) { return k::iterate(3, [](k::Pull<int> x) { return k::even(x); }, a); });
}
ERROR_PROGRAM(accumulate_of_other_sizes) {
  k::kernel("it", k::block<int>(8),
            [](k::Pull<int> a) { return k::accumulate(fg::plus, 4, 0, k::even(a), a); });
}
ERROR_PROGRAM(write_outside_of_par) {
  k::kernel("it", k::block<int>(16), k::updated<int>(), [](k::Pull<int>, k::Updated<int> to) {
    to.write(k::Index(0), Exp<int>(1));
    return to;
  });
}
ERROR_PROGRAM(sync_inside_par) {
  k::kernel("it", k::block<int>(8), [](k::Pull<int> a) {
    return k::Push<int>(8, [a](const k::Push<int>::Write& write) {
      k::par(8, [&](k::Index i) { write(i, k::sync(a)[i]); });
    });
  });
}
ERROR_PROGRAM(fewer_elements_than_parts) {
  k::kernel("it", k::block<int>(3),
            [](k::Pull<int> a) { return k::two_k(2, [](k::Pull<int> part) { return k::sync(part); }, a); });
}
ERROR_PROGRAM(results_that_do_not_interleave) {
  k::kernel("it", k::block<int>(7), [](k::Pull<int> a) {
    return k::ilv(1, [](k::Pull<int> part) { return k::conc(part, part); }, a);
  });
}
ERROR_PROGRAM(stated_threads_out_of_range) {
  k::kernel("it", k::threads(2000), k::block<int>(4096), [](k::Pull<int> a) { return k::reverse(a); });
}
ERROR_PROGRAM(stated_threads_of_no_whole_warps) {
  k::kernel("it", k::threads(48), k::block<int>(128), [](k::Pull<int> a) {
    return k::warps(32, [](k::Pull<int> part) { return k::warp_scan(fg::plus, part); }, a);
  });
}
ERROR_PROGRAM(stated_rows_of_threads_out_of_range) {
  k::kernel("it", k::threads(64, 32), k::matrix_block<int>(64, 64),
            [](k::Matrix<int> m) { return k::transpose(m); });
}
ERROR_PROGRAM(matrices_of_other_shapes) {
  k::kernel("it", k::matrix_block<int>(4, 8),
            [](k::Matrix<int> m) { return k::zip_with(fg::plus, m, k::transpose(m)); });
}
ERROR_PROGRAM(matrix_of_other_elements) {
  k::kernel("it", k::block<int>(8), [](k::Pull<int> a) { return k::flat(k::matrix(3, 3, a)); });
}
ERROR_PROGRAM(matrix_of_negative_size) {
  k::kernel("it", k::matrix_block<int>(4, 8), [](k::Matrix<int> m) {
    return k::Matrix<int>(4, -8, [m](k::Index r, k::Index c) { return m(r, c); });
  });
}
ERROR_PROGRAM(row_outside_a_matrix) {
  k::kernel("it", k::matrix_block<int>(4, 8),
            [](k::Matrix<int> m) { return k::map([m](Exp<int> x) { return x + m(4, 0); }, m); });
}
ERROR_PROGRAM(tiles_of_no_rows) {
  k::matrix_block<int>(0, 8);
}
ERROR_PROGRAM(tile_of_another_shape) {
  k::kernel("it", k::whole_matrix<int>(), [](k::WholeMatrix<int> a) {
    const k::MatrixTiles tiles = k::tiles(a.columns(), a.rows(), 4, 8);
    return k::tiled(tiles, k::transpose(k::tile(a, tiles)));
  });
}
ERROR_PROGRAM(matrix_of_a_block_of_an_array) {
  k::kernel("it", k::block<int>(16), [](k::Pull<int> a) { return k::matrix(4, 4, a); });
}
ERROR_PROGRAM(state_of_another_shape) {
  k::kernel("it", k::matrix_block<int>(4, 8), [](k::Matrix<int> m) {
    return k::iterate(3, [](k::Matrix<int> x) { return k::transpose(x); }, m);
  });
}
ERROR_PROGRAM(matrix_that_is_no_tiles) {
  const auto turn =
      k::kernel("it", k::matrix_block<int>(4, 8), [](k::Matrix<int> m) { return k::map(fg::abs, m); });
  const std::vector<int> xs(48);
  k::execute(fg::cpu(), turn, fg::view(xs.data(), {6, 8}));
}
ERROR_PROGRAM(matrices_of_other_tiles) {
  const auto add = k::kernel("it", k::matrix_block<int>(4, 8), k::matrix_block<int>(4, 8),
                             [](k::Matrix<int> a, k::Matrix<int> b) { return k::zip_with(fg::plus, a, b); });
  const std::vector<int> xs(64);
  k::execute(fg::cpu(), add, fg::view(xs.data(), {8, 8}), fg::view(xs.data(), {4, 16}));
}
ERROR_PROGRAM(matrix_that_tiles_do_not_cover) {
  const auto turn = k::kernel("it", k::whole_matrix<int>(), [](k::WholeMatrix<int> a) {
    const k::MatrixTiles tiles = k::tiles(a.rows(), a.columns(), 4, 8);
    return k::tiled(tiles, k::tile(a, tiles));
  });
  const std::vector<int> xs(48);
  k::execute(fg::cpu(), turn, fg::view(xs.data(), {6, 8}));
}
ERROR_PROGRAM(frames_of_another_picture) {
  const auto pairs =
      k::kernel("it", k::block<int>(8), [](k::Pull<int> a) { return k::ilv(0, fg::min, fg::max, a); });
  k::draw(pairs, {{.stages = 2, .wires = 4, .name = "pairs"}});
}
ERROR_PROGRAM(boxes_of_another_picture) {
  const auto pairs =
      k::kernel("it", k::block<int>(8), [](k::Pull<int> a) { return k::ilv(0, fg::min, fg::max, a); });
  k::draw(pairs, {{.stages = 1, .wires = 3, .name = "pairs"}});
}
ERROR_PROGRAM(lanes_outside_of_warps) {
  k::kernel("it", k::block<int>(32), [](k::Pull<int> a) {
    return k::sync(k::lanes([](Exp<int> x) { return k::shuffle_xor(x, 1); }, a));
  });
}
ERROR_PROGRAM(shuffle_outside_of_lanes) {
  k::kernel("it", k::block<int>(32),
            [](k::Pull<int> a) { return k::map([](Exp<int> x) { return k::shuffle_xor(x, 1); }, a); });
}
ERROR_PROGRAM(size_that_is_no_power_of_two) {
  k::kernel("it", k::block<int>(6), [](k::Pull<int> a) { return k::split_at(k::log2(a.size()), a).first; });
}
ERROR_PROGRAM(zip_of_other_sizes) {
  k::kernel("it", k::block<int>(6), [](k::Pull<int> a) { return k::zip_with(fg::plus, a, k::even(a)); });
}
ERROR_PROGRAM(split_into_uneven_pieces) {
  k::kernel("it", k::block<int>(6), [](k::Pull<int> a) {
    return k::map([](k::Pull<int> part) { return part[0]; }, k::split_up(4, a));
  });
}
ERROR_PROGRAM(sequential_reduction_of_no_elements) {
  k::kernel("it", k::block<int>(4), [](k::Pull<int> a) {
    const auto none = k::split_at(0, a).first;
    return k::map([none](Exp<int> x) { return x + k::seq_reduce(fg::plus, none); }, a);
  });
}
ERROR_PROGRAM(negative_size_of_a_pull_array) {
  k::kernel("it", k::block<int>(4),
            [](k::Pull<int>) { return k::Pull<int>(-1, [](k::Index) { return Exp<int>(0); }); });
}
ERROR_PROGRAM(mirrored_rows) {
  k::kernel("it", k::whole<int>(), [](k::Whole<int> a) {
    const auto tiles = k::rows_apart(a.size(), 3, 8, 8, k::Upper::mirrored);
    return k::tiled(a.size(), tiles, k::tile(a, tiles));
  });
}
ERROR_PROGRAM(tile_of_another_size) {
  k::kernel("it", k::whole<int>(), [](k::Whole<int> a) {
    const auto tiles = k::rows_apart(a.size(), 2, 8, 8);
    return k::tiled(a.size(), tiles, k::even(k::tile(a, tiles)));
  });
}
ERROR_PROGRAM(lanes_of_many_elements) {
  k::kernel("it", k::block<int>(64), [](k::Pull<int> a) {
    return k::warps(64, [](k::Pull<int> part) { return k::lanes([](Exp<int> x) { return x; }, part); }, a);
  });
}
ERROR_PROGRAM(lanes_of_half_a_warp) {
  k::kernel("it", k::block<int>(64), [](k::Pull<int> a) {
    return k::warps(16, [](k::Pull<int> part) { return k::lanes([](Exp<int> x) { return x; }, part); }, a);
  });
}
ERROR_PROGRAM(lanes_inside_par) {
  k::kernel("it", k::block<int>(32), [](k::Pull<int> a) {
    return k::Push<int>(32, [a](const k::Push<int>::Write& write) {
      k::par(32, [&](k::Index i) { write(i, k::sync(k::lanes([](Exp<int> x) { return x; }, a))[i]); });
    });
  });
}
ERROR_PROGRAM(shuffle_in_a_branch) {
  k::kernel("it", k::block<int>(32), [](k::Pull<int> a) {
    const auto f = [](Exp<int> x) {
      return fg::cond(x > 0, [&] { return k::shuffle_xor(x, 1); }, [&] { return x; });
    };
    return k::warps(32, [f](k::Pull<int> part) { return k::lanes(f, part); }, a);
  });
}
ERROR_PROGRAM(blocks_that_nothing_counts) {
  k::kernel("it", k::scalar<i64>(),
            [](k::Index n) { return k::Pull<int>(4, [n](k::Index i) { return fg::cast<int>(i + n); }); });
}
ERROR_PROGRAM(update_that_is_not_returned) {
  k::kernel("it", k::block<int>(4), k::updated<int>(), [](k::Pull<int> a, k::Updated<int>) { return a; });
}
ERROR_PROGRAM(change_outside_of_par) {
  k::kernel("it", k::block<int>(8), [](k::Pull<int> a) {
    return k::Accumulated<int>(fg::plus, 4, 0,
                               [a](const k::Accumulated<int>::Change& change) { change(0, a[0]); });
  });
}
ERROR_PROGRAM(accumulate_of_unknown_size) {
  k::kernel("it", k::block<int>(8), k::scalar<i64>(),
            [](k::Pull<int> a, k::Index n) { return k::sync(k::accumulate(fg::plus, n, 0, a, a)); });
}
ERROR_PROGRAM(drawing_of_a_filter) {
  k::draw(k::kernel("it", k::block<int>(8), [](k::Pull<int> a) {
    return k::Push<int>(8, [a](const k::Push<int>::Write& write) {
      k::par(8, [&](k::Index i) { write(fg::cast<i64>(a[i]), a[i]); });
    });
  }));
}
ERROR_PROGRAM(barrier_inside_par) {
  k::kernel("it", k::block<int>(8), [](k::Pull<int> a) {
    return k::Push<int>(8, [a](const k::Push<int>::Write& write) {
      k::par(8, [&](k::Index i) { write(i, k::iterate(3, [](k::Pull<int> x) { return x; }, a)[i]); });
    });
  });
}
ERROR_PROGRAM(memory_for_no_elements) {
  k::kernel("it", k::block<int>(8),
            [](k::Pull<int> a) { return k::conc(k::sync(k::split_at(0, a).first), a); });
}
ERROR_PROGRAM(array_of_a_thread_outside_of_par) {
  k::kernel("it", k::block<int>(8), [](k::Pull<int> a) {
    return k::sync(k::Push<int, k::Level::thread>(
        8, [a](const auto& put) { k::loop(0, 8, [&](k::Index j) { put(j, a[j]); }); }));
  });
}
ERROR_PROGRAM(block_that_shares_too_much) {
  k::kernel("it", k::block<int>(1 << 19),
            [](k::Pull<int> a) { return k::sync(k::reverse(k::sync(k::reverse(a)))); });
}
ERROR_PROGRAM(blocks_counted_by_data) {
  k::kernel("it", k::whole<i64>(), [](k::Whole<i64> a) {
    const k::Tiles tiles(4, a[0], [](k::Index i) { return i; });
    return k::tiled(a.size(), tiles, k::tile(a, tiles));
  });
}
ERROR_PROGRAM(drawing_of_a_while_loop) {
  k::draw(k::kernel("it", k::block<int>(8), [](k::Pull<int> a) {
    return k::while_loop([](k::Pull<int> x) { return x[0] < 9; },
                         [](k::Pull<int> x) { return k::reverse(x); }, a);
  }));
}
ERROR_PROGRAM(drawing_of_a_loop_of_unknown_length) {
  k::draw(k::kernel("it", k::block<int>(8), k::scalar<i64>(), [](k::Pull<int> a, k::Index n) {
    return k::iterate(n, [](k::Pull<int> x) { return k::reverse(x); }, a);
  }));
}
ERROR_PROGRAM(drawing_of_a_branch) {
  k::draw(k::kernel("it", k::block<int>(8), [](k::Pull<int> a) {
    const auto f = [a](Exp<int> x) { return fg::cond(x > 0, [&] { return a[0]; }, [&] { return x; }); };
    return k::sync(k::map(f, a));
  }));
}
ERROR_PROGRAM(part_outside_of_its_function) {
  k::kernel("it", k::block<int>(64), [](k::Pull<int> a) {
    std::optional<k::Pull<int>> kept;
    const auto f = [&](k::Pull<int> part) {
      kept = part;
      return k::sync(part);
    };
    const auto all = k::sync(k::warps(32, f, a));
    return k::map([=](Exp<int> x) { return x + (*kept)[0]; }, all);
  });
}
ERROR_PROGRAM(array_of_a_lane) {
  k::kernel("it", k::block<int>(32), [](k::Pull<int> a) {
    const auto f = [](Exp<int> x) {
      const auto mine = k::sync(k::Push<int, k::Level::thread>(
          2, [x](const auto& put) { k::loop(0, 2, [&](k::Index j) { put(j, x); }); }));
      return k::shuffle_xor(mine[0], 1);
    };
    return k::warps(32, [f](k::Pull<int> part) { return k::lanes(f, part); }, a);
  });
}
ERROR_PROGRAM(large_array_of_a_thread) {
  k::kernel("it", k::block<int>(8), [](k::Pull<int> a) {
    return k::Push<int>(8, [a](const k::Push<int>::Write& write) {
      k::par(8, [&](k::Index i) {
        const auto mine = k::sync(k::Push<int, k::Level::thread>(
            1 << 20, [&](const auto& put) { k::loop(0, 1 << 20, [&](k::Index j) { put(j, a[i]); }); }));
        write(i, mine[0]);
      });
    });
  });
}
ERROR_PROGRAM(lanes_in_par) {
  k::kernel("it", k::block<int>(32), [](k::Pull<int> a) {
    return k::Push<int>(32, [a](const k::Push<int>::Write& write) {
      k::par(32, [&](k::Index) { k::lanes([](Exp<int> x) { return x; }, a)(write); });
    });
  });
}

}  // namespace error_programs
