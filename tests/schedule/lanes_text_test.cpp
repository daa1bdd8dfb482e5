// What is decided for lanes, as text.
#include "decided.h"

namespace fulgurite::testing_schedule {
namespace {

TEST(LanesText, SumHasAccumulatorsSideBySideAndChains) {
  const Decided sum = decided_lanes(R"(program (x: f32[n]) {
    s: f32 = redomap (i < n) { x[i] } reduce add comm neutral 0f
    return s
  })");
  EXPECT_EQ(phase(sum, "main"), R"(phase "main"
  axis fold 0 1 extent n
  cut 0 by 16384 grid mask
  cut 0 by 64 lane apart 16
  combine reduction 0 lane chain 32, lane accumulators 4, grid partials (total)
  traffic streaming 83886000 touch
)");
  EXPECT_EQ(phase(sum, "last"), "phase \"last\"\n  skeleton \"join neighbours\" (total) tasks 1\n");
  EXPECT_EQ(names_of_phases(sum), "main, last");
  EXPECT_NE(sum.text.find("result s = total\n"), std::string::npos) << sum.text;
  EXPECT_NE(sum.text.find("why \"tasks: about 16384 points each"), std::string::npos) << sum.text;
}

// Else a map of few such points would be one task.
TEST(LanesText, PointsWithLongLoopsAreFewATask) {
  const Decided columns = decided_lanes(R"(program (x: f32[m, n]) {
    y: f32[n] = map (i < n) {
      s: f32 = redomap (j < m) { x[j, i] } reduce max comm neutral 0f
      return s
    }
    return y
  })");
  const std::string text = phase(columns, "main");
  EXPECT_NE(text.find("  cut 0 by min(max(65536 / (max(max(m, 1), 1) * 64), 1) * 64, 4096) grid mask\n"),
            std::string::npos)
      << text;
}

// Where a point gives many elements, or has cache lines of its own, as many as elsewhere would be one task
// for so long that other cores had nothing to do.
TEST(LanesText, PointsOfManyElementsOrWithLinesOfTheirOwnAreFewATask) {
  const auto tasks = [](const std::string& program) {
    const std::string text =
        phase(decided_lanes("program (x: f32[l], m: f32[n, k], at: i64) { " + program + " }"), "main");
    const std::size_t cut = text.find("  cut 0 by ");
    return text.substr(cut, text.find('\n', cut) - cut);
  };
  const auto gives = [](const std::string& n) {
    return "y: f32[n, " + n + "] = map (i < n) { z: f32[" + n + "] = map (j < " + n +
           ") { m[i, 0] * f32(j) } return z } return y";
  };
  EXPECT_EQ(tasks(gives("4")), "  cut 0 by 4096 grid mask");
  EXPECT_EQ(tasks(gives("16")), "  cut 0 by 1024 grid mask");
  EXPECT_EQ(tasks("y: f32[n] = map (i < n) { m[i, at] } return y"), "  cut 0 by 256 grid mask");
  EXPECT_EQ(tasks("y: f32[n] = map (i < n) { x[i * k] } return y"), "  cut 0 by 256 grid mask");
  EXPECT_EQ(tasks("y: f32[n] = map (i < n) { x[i * 2] } return y"), "  cut 0 by 16384 grid mask");
  EXPECT_EQ(tasks("y: f32[n] = map (i < n) { m[at, i] } return y"), "  cut 0 by 16384 grid mask");
  const Decided column =
      decided_lanes("program (m: f32[n, k]) { y: f32[n] = map (i < n) { m[i, 1] } return y }");
  EXPECT_NE(column.text.find("(cheap_tile, cheap_work, far_tile)"), std::string::npos) << column.text;
}

TEST(LanesText, RowSumsAreScalarCodeWithAShortVersionAndTasksThatShareLongRows) {
  const Decided sums = decided_lanes(R"(program (x: f32[n, m]) {
    y: f32[n] = map (i < n) {
      s: f32 = redomap (j < m) { x[i, j] } reduce add comm neutral 0f
      return s
    }
    return y
  })");
  EXPECT_EQ(names_of_phases(sums), "main, partials, rows, short rows");
  const std::string main = phase(sums, "main");
  EXPECT_NE(main.find("  inner 1 up_to 512 {\n"), std::string::npos) << main;
  EXPECT_NE(main.find("    cut 0 by 16 lane mask\n"), std::string::npos) << main;
  EXPECT_NE(main.find("    cut 0 by 64 lane apart 16\n"), std::string::npos) << main;
  EXPECT_NE(main.find("guard 1 - select("), std::string::npos) << main;
  const std::string partials = phase(sums, "partials");
  EXPECT_NE(partials.find("cut 0 by 1 grid mask"), std::string::npos) << partials;
  EXPECT_NE(partials.find("    cut 0 by 16384 grid mask"), std::string::npos) << partials;
  EXPECT_NE(partials.find("grid partials (partial)"), std::string::npos) << partials;
  EXPECT_EQ(phase(sums, "short rows"), R"(phase "short rows"
  guard select(max(m, 1) <= 16, 1, 0)
  axis free 0 1 extent n
  cut 0 by 4096 grid mask
  cut 0 by 32 lane apart 16
  traffic streaming 83886000
  inner 1 {
    axis fold 0 1 extent m
    cut 0 by 4 registers apart 2
  }
)");
}

// What the greatest of a row is does not round, so that longer rows are short.
TEST(LanesText, RowsOfAConstantLengthAreShortOrNot) {
  const auto greatest = [](const std::string& length) {
    return decided_lanes("program (x: f32[n, m]) { y: f32[n] = map (i < n) { s: f32 = redomap (j < " +
                         length + ") { x[i, j] } reduce max comm neutral f32:-inf return s } return y }");
  };
  EXPECT_EQ(names_of_phases(greatest("16")), "main");
  EXPECT_NE(phase(greatest("16"), "main").find("    cut 0 by 4 registers apart 2\n"), std::string::npos);
  EXPECT_EQ(phase(greatest("17"), "main").find("registers"), std::string::npos);
  EXPECT_EQ(names_of_phases(greatest("17")).find("short rows"), std::string::npos);
}

// Lanes take longer rows where tuples are joined, whose lanes would take long to join, if elements are
// narrow.
TEST(LanesText, RowsOfTuplesAreShortUpToMorePoints) {
  const auto is_short = [](const std::string& kind, const std::string& least, const std::string& length) {
    const Decided made = decided_lanes(
        "program (x: " + kind + "[n, m]) { y: i64[n] = map (i < n) { s: " + kind +
        ", at: i64 = redomap (j < " + length + ") { x[i, j], j } reduce (a: " + kind +
        ", k: i64, b: " + kind + ", l: i64) { select(b < a, b, a), select(b < a, l, k) } comm neutral " +
        least + ", 0 return at } return y }");
    EXPECT_EQ(names_of_phases(made).find("short rows"), std::string::npos);
    return phase(made, "main").find("registers") != std::string::npos;
  };
  EXPECT_TRUE(is_short("f32", "f32:inf", "128"));
  EXPECT_FALSE(is_short("f32", "f32:inf", "129"));
  EXPECT_TRUE(is_short("f64", "f64:inf", "64"));
  EXPECT_FALSE(is_short("f64", "f64:inf", "65"));
}

// Vectors are full where an axis has a constant number of points, or there is one.
TEST(LanesText, AnAxisOfFewPointsHasNoMoreLanes) {
  const auto cut = [](const std::string& length) {
    const std::string text =
        phase(decided_lanes("program (x: f32[n, m]) { y: f32[n, " + length + "] = map (i < n, j < " + length +
                            ") { x[i, i] * f32(j) } return y }"),
              "main");
    const std::size_t at = text.find(" lane ");
    return text.substr(text.rfind('\n', at) + 1, text.find('\n', at) - text.rfind('\n', at) - 1);
  };
  EXPECT_EQ(cut("4"), "  cut 1 by 4 lane apart 4");
  EXPECT_EQ(cut("5"), "  cut 1 by 8 lane apart 8");
  EXPECT_EQ(cut("16"), "  cut 1 by 16 lane apart 16");
  EXPECT_EQ(cut("50"), "  cut 1 by 32 lane apart 16");
}

// Lanes that read neighbouring elements, or all the same, have nothing to transpose; a loop as long as the
// map is not short where there are many points.
TEST(LanesText, OnlyRunsAreTakenTogether) {
  const Decided windows = decided_lanes(R"(program (x: f32[n], w: f32[k]) {
    y: f32[n] = map (i < n - k) {
      s: f32 = redomap (j < k) { x[i + j] * w[j] } reduce add comm neutral 0f
      return s
    }
    return y
  })");
  EXPECT_EQ(phase(windows, "main").find("registers"), std::string::npos) << windows.text;
  const Decided bodies = decided_lanes(R"(program (x: f32[n]) {
    y: f32[n] = map (i < n) {
      s: f32 = redomap (j < n) { x[i] - x[j] } reduce max comm neutral f32:-inf
      return s
    }
    return y
  })");
  EXPECT_EQ(names_of_phases(bodies).find("short rows"), std::string::npos) << bodies.text;
}

// Accumulators of two components are not read and stored for each row; chains bound rounding errors, of which
// there are none.
TEST(LanesText, PlacesAlongAnOuterAxisHaveNoChainsOfRows) {
  const Decided places = decided_lanes(R"(program (x: f32[n, m]) {
    y: i64[m] = map (j < m) {
      a: f32, b: i64 = redomap (i < n) { x[i, j], i } reduce (a0: f32, a1: i64, b0: f32, b1: i64) {
        return select(a0 < b0, b0, a0), select(a0 < b0, b1, a1)
      } neutral f32:-inf, 0
      return b
    }
    return y
  })");
  const std::string columns = phase(places, "columns");
  EXPECT_EQ(columns.find("by select(4194304"), std::string::npos) << columns;
  EXPECT_NE(columns.find("sequence"), std::string::npos) << columns;
  EXPECT_EQ(columns.find("lane") < columns.rfind("sequence"), false) << columns;
}

TEST(LanesText, MapOfAMatrixReadAtItsOwnPlaceIsOneAxis) {
  const Decided twice = decided_lanes(R"(program (x: f32[n, m]) {
    y: f32[n, m] = map (i < n, j < m) { x[i, j] * 2f }
    return y
  })");
  EXPECT_EQ(phase(twice, "main"), R"(phase "main"
  axis free 0 2 extent n * m by_number
  cut 0 by 16384 grid mask
  cut 0 by 64 lane apart 16
  traffic streaming 83886000
)");
}

TEST(LanesText, StencilOfAMatrixHasRowsAndSplitColumns) {
  const Decided stencil = decided_lanes(R"(program (x: f32[n, m]) {
    y: f32[n, m] = map (i < n, j < m) {
      v: f32 = if j < 1 { 0f } else { x[i, j - 1] }
      return v + x[i, j]
    }
    return y
  })");
  const std::string main = phase(stencil, "main");
  EXPECT_NE(main.find("  axis free 0 1 extent n\n  axis free 1 1 extent m\n"), std::string::npos) << main;
  EXPECT_NE(main.find("  cut 0 by max(16384 / max(m, 1), 1) grid mask\n"), std::string::npos) << main;
  EXPECT_NE(main.find("  cut 1 by 16384 grid mask\n"), std::string::npos) << main;
  EXPECT_NE(main.find("  split j < 1\n"), std::string::npos) << main;
}

TEST(LanesText, SoftmaxOfRowsHasANestForEachSoacInside) {
  const Decided softmax = decided_lanes(R"(program (x: f32[n, m]) {
    y: f32[n, m] = map (i < n) {
      big: f32 = redomap (j < m) { x[i, j] } reduce (a: f32, b: f32) { max(a, b) } comm neutral 0f
      t: f32 = redomap (j1 < m) { exp(x[i, j1] - big) } reduce add comm neutral 0f
      z: f32[m] = map (j2 < m) { exp(x[i, j2] - big) / t }
      return z
    }
    return y
  })");
  EXPECT_EQ(names_of_phases(softmax), "main");
  const std::string main = phase(softmax, "main");
  for (const char* line :
       {"  inner 1 up_to 512 {", "  inner 1 {", "  inner 2 up_to 512 {", "  inner 2 {", "  inner 3 {"})
    EXPECT_NE(main.find(line), std::string::npos) << line << "\n" << main;
  EXPECT_EQ(main.find("lane"), main.find("lane", main.find("inner 1"))) << "rows themselves have no lanes";
}

TEST(LanesText, InclusiveScanTakesTurns) {
  const Decided scan = decided_lanes(R"(program (x: f32[n]) {
    y: f32[n] = map (i < n) {
      s: f32 = scan (x[i]) add comm neutral 0f
      return s
    }
    return y
  })");
  EXPECT_EQ(names_of_phases(scan), "start, main");
  const std::string main = phase(scan, "main");
  EXPECT_NE(main.find("  cut 0 by 32768 turn mask\n"), std::string::npos) << main;
  EXPECT_NE(main.find("combine scan 0 lane tree, turn handed_on (carry, turn)"), std::string::npos) << main;
  EXPECT_NE(main.find("  inner 0 {\n"), std::string::npos) << "what tasks fold before their turn\n" << main;
}

TEST(LanesText, PartitionOfManyClassesCountsFirst) {
  const Decided partition = decided_lanes(R"(program (x: i32[n], k: i64) {
    c: i64, o: i64[k + 1], y: i32[c] = redomap (i < n) { i64(x[i]), x[i] } partition k of 1
    return y
  })");
  EXPECT_EQ(names_of_phases(partition), "fold, count, main");
  EXPECT_NE(phase(partition, "fold").find("combine partition 0 grid bins (counts)"), std::string::npos)
      << partition.text;
  EXPECT_NE(phase(partition, "main").find("combine partition 0 grid counted (counts)"), std::string::npos)
      << partition.text;
}

TEST(LanesText, FilterPacksAndTakesTurns) {
  const Decided filter = decided_lanes(R"(program (x: f32[n]) {
    c: i64, o: i64[2], y: f32[c] = redomap (i < n) { select(x[i] < 0f, 1, 0), x[i] } partition 1 of 1
    return y
  })");
  EXPECT_EQ(names_of_phases(filter), "start, main");
  EXPECT_NE(phase(filter, "main").find("registers packed 16384, turn handed_on (kept, turn)"),
            std::string::npos)
      << filter.text;
}

TEST(LanesText, SegmentsThatNobodyScansAreWalkedOneAfterTheOther) {
  const Decided walked = decided_lanes(R"(program (x: f32[n], offsets: i64[m]) {
    c: i64, o: i64[2], y: f32[c] = redomap (i < n) {
      item: i64 = scan () max comm neutral 0 segments offsets
      return select(x[i] < f32(item), 0, 1), x[offsets[item]]
    } partition 1 of 1
    return y
  })");
  EXPECT_EQ(names_of_phases(walked), "start, main");
  const std::string main = phase(walked, "main");
  EXPECT_NE(main.find("axis scan 0 1 extent n segments offsets\n"), std::string::npos) << main;
  const char* why = "axes: segment by segment (segment_points), as points ask for the number of theirs";
  EXPECT_EQ(std::ranges::count(walked.launch.phases[1].why, why), 1);
  EXPECT_EQ(main.find("split"), std::string::npos) << main;
}

TEST(LanesText, HistogramHasPortionsCopiesAndBinsOfTasks) {
  const Decided histogram = decided_lanes(R"(program (x: i32[n], k: i64) {
    h: i32[k] = redomap (i < n) { i64(x[i]), 1i32 } scatter (k) (j: i64) { 0i32 } combine add comm neutral 0i32
    return h
  })");
  EXPECT_EQ(names_of_phases(histogram), "main, places");
  const std::string main = phase(histogram, "main");
  EXPECT_NE(main.find("registers copies 8 room 768 if ("), std::string::npos) << main;
  EXPECT_NE(main.find("grid bins 8 (bins)"), std::string::npos) << main;
  EXPECT_NE(main.find("portion 512"), std::string::npos) << main;
  EXPECT_NE(main.find("  inner 0 {\n"), std::string::npos) << main;
}

TEST(LanesText, ScatterWhoseLastValueStaysHasThreeVersionsOfStores) {
  const Decided scatter = decided_lanes(R"(program (x: f32[n], p: i64[n1], y: f32[m]) {
    z: f32[m] = redomap (i < n) { p[i], x[i] } scatter (m) (j: i64) { y[j] }
    return z
  })");
  EXPECT_EQ(names_of_phases(scatter), "fill, store, sort tiles, store ranges");
  EXPECT_NE(scatter.text.find("copy z from y fresh fresh"), std::string::npos) << scatter.text;
  EXPECT_NE(phase(scatter, "sort tiles").find("\"tile\" 65536 \"range bits\" 8 \"least shift\" 6"),
            std::string::npos)
      << scatter.text;
}

TEST(LanesText, ReductionThatDoesNotCommuteIsFoldedInRuns) {
  const Decided reduction = decided_lanes(R"(program (x: f32[n]) {
    s: f32, t: f32 = redomap (i < n) { x[i], 1f } reduce (a: f32, b: f32, c: f32, d: f32) { a * d + c, b * d }
      neutral 0f, 1f
    return s
  })");
  const std::string main = phase(reduction, "main");
  EXPECT_NE(main.find("lane runs 1008"), std::string::npos) << main;
  EXPECT_NE(main.find("  cut 0 by 16128 sequence mask\n"), std::string::npos) << main;
  EXPECT_NE(main.find("  cut 0 by 16 registers mask\n"), std::string::npos) << main;
  EXPECT_NE(main.find("ahead 16128"), std::string::npos) << main;
}

TEST(LanesText, SumsOfColumnsFoldRowsAlongAllColumns) {
  const Decided sums = decided_lanes(R"(program (x: f32[n, m]) {
    y: f32[1000] = map (j < 1000) {
      s: f32 = redomap (i < n) { x[i, j] } reduce add comm neutral 0f
      return s / f32(n)
    }
    return y
  })");
  EXPECT_EQ(names_of_phases(sums), "main, columns, join columns") << "columns are known to be many";
  EXPECT_NE(phase(sums, "main").find("guard 1 - select(16 < n, 1, 0)"), std::string::npos) << sums.text;
  EXPECT_EQ(phase(sums, "columns"), R"(phase "columns"
  guard select(16 < n, 1, 0)
  axis free 0 1 extent 1000
  axis fold 0 1 extent n of 1
  cut 1 by 65 grid mask
  cut 0 by 4096 grid mask
  cut 1 by 16 sequence mask
  cut 0 by 64 lane apart 16
  cut 1 by 16 sequence mask
  cut 1 by 16 sequence mask
  combine reduction 0 sequence chain 16, grid partials (partial)
)");
  EXPECT_EQ(phase(sums, "join columns"), R"(phase "join columns"
  guard select(16 < n, 1, 0)
  skeleton "join columns" (partial) tasks 4 "points" 256 "lanes" 64
)");
}

TEST(LanesText, FoldsOfOuterAxesHaveAVersionForFewColumns) {
  const Decided cube = decided_lanes(R"(program (x: f64[l, n, m]) {
    y: f64[l, m] = map (k < l, j < m) {
      s: f64, t: f64 = redomap (i < n) { x[k, i, j], 1.0 } reduce (a: f64, b: f64, c: f64, d: f64) { a * d + c, b * d }
        neutral 0.0, 1.0
      return s
    }
    return y
  })");
  EXPECT_EQ(names_of_phases(cube), "main, columns, fetched columns, join columns, partials, rows");
  const std::string main = phase(cube, "main"), columns = phase(cube, "columns");
  EXPECT_NE(main.find("guard 1 - select(16 < n & 4 <= m | "), std::string::npos) << main;
  EXPECT_NE(
      columns.find("  axis free 0 1 extent l\n  axis free 1 1 extent m\n  axis fold 0 1 extent n of 1\n"),
      std::string::npos)
      << columns;
  EXPECT_NE(columns.find("grid partials (partial, partial_1)"), std::string::npos) << columns;
}

// Sums of tuples are not among them: pieces would change their rounding.
TEST(LanesText, OuterFoldsOfTuplesThatChooseGoAbreast) {
  const Decided chosen = decided_lanes(R"(program (x: i32[n, m]) {
    y: i64[m] = map (j < m) {
      s: i32, t: i64 = redomap (i < n) { x[i, j], i } reduce (a: i32, b: i64, c: i32, d: i64) {
        select(a < c, c, a), select(a < c, d, b)
      } neutral -2147483648i32, 0
      return t
    }
    return y
  })");
  EXPECT_NE(phase(chosen, "columns")
                .find("combine reduction 0 registers abreast 4, grid partials (partial, partial_1)\n"),
            std::string::npos)
      << chosen.text;
}

TEST(LanesText, ScansOfColumnsGoFromRowToRow) {
  const Decided scan = decided_lanes(R"(program (x: f32[n, m]) {
    y: f32[n, 1000] = map (j < 1000) {
      line: f32[n] = redomap (i < n) {
        s: f32 = scan (x[i, j]) add comm neutral 0f
        return s + 1f
      }
      return line
    } behind 1
    return y
  })");
  EXPECT_EQ(names_of_phases(scan), "start, main") << "tasks take turns";
  EXPECT_EQ(phase(scan, "start"), R"(phase "start"
  guard select(1 < (max(n, 1) + 97) / 98, 1, 0)
  skeleton "start" (turn) tasks 1 "values together" 1
)");
  EXPECT_EQ(phase(scan, "main"), R"(phase "main"
  axis free 0 1 extent 1000
  axis scan 0 1 extent n of 1
  cut 0 by 1024 grid mask
  cut 1 by 98 turn mask
  cut 1 by 1 sequence mask
  cut 0 by 64 lane apart 16
  combine scan 0 turn handed_on (so_far, carry, turn)
  traffic streaming 83886000
  inner 0 {
    axis free 0 1 extent 1000
    axis fold 0 1 extent n of 1
    cut 1 by 16 sequence mask
    cut 0 by 64 lane apart 16
  }
)");
  const Decided longer = decided_lanes(R"(program (x: f64[n, l, m], w: f64[l1]) {
    y: f64[n, l, 16384], t: f64[n, 16384] = map (k < n, j < 16384) {
      total: f64, line: f64[l] = redomap (i < l) {
        s: f64 = scan exclusive (x[k, i, j]) add comm neutral 0.0
        return x[k, i, j], s * w[i]
      } reduce add comm neutral 0.0
      return line, total
    } behind 1
    return y, t
  })");
  const std::string main = phase(longer, "main");
  EXPECT_NE(
      main.find("  axis free 0 1 extent n\n  axis free 1 1 extent 16384\n  axis scan 0 1 extent l of 1\n"),
      std::string::npos)
      << main;
  EXPECT_NE(main.find("  cut 1 by 4096 grid mask\n  cut 2 by max(l, 1) turn mask\n"), std::string::npos)
      << main;
  EXPECT_NE(main.find("  at_least_one\n"), std::string::npos) << "there are totals of no rows\n" << main;
}

// What is scanned depends on another Scan, or lies along the points of the map.
TEST(LanesText, OtherLinesAreRowsOfTheMap) {
  const char* const results[] = {
      "line: i32[n] = redomap (i < n) { s: i32 = scan (x[i, j]) add comm neutral 0i32 "
      "t: i32 = scan (s) add comm neutral 0i32 return t } return line } behind 1",
      "line: i32[n] = redomap (i < n) { s: i32 = scan (x[i, j]) add comm neutral 0i32 "
      "return s } return line }"};
  const char* const shapes[] = {"n, m", "m, n"};
  for (int k = 0; k < 2; ++k) {
    const Decided other = decided_lanes(std::string("program (x: i32[n, m]) {\ny: i32[") + shapes[k] +
                                        "] = map (j < m) {" + results[k] + "\nreturn y\n}");
    EXPECT_EQ(names_of_phases(other), "main") << other.text;
    EXPECT_EQ(other.text.find(" of 1\n"), std::string::npos) << other.text;
  }
}

// Each is read in rows, but not each element once, or rows are few.
TEST(LanesText, OtherFoldsStayInTheirLanes) {
  const char* const results[] = {
      "y: f32[n] = map (j < n) { s: f32 = redomap (i < n1) { x[i + j] } reduce add comm neutral 0f return s "
      "}",
      "y: f32[n] = map (j < n) { s: f32 = redomap (i < n1) { z[j, i] } reduce add comm neutral 0f return s }",
      "y: f32[n1] = map (j < n1) { s: f32 = redomap (i < 16) { z[i, j] } reduce add comm neutral 0f return s "
      "}",
      "y: f32[3] = map (j < 3) { s: f32 = redomap (i < n) { z[i, j] } reduce add comm neutral 0f return s }",
      "y: f32[n1, n1] = map (k < n1, j < n1) { s: f32 = redomap (i < n) { z[i, j] * z[i, k] } reduce add "
      "comm neutral "
      "0f return s }"};
  for (const char* result : results) {
    const Decided other =
        decided_lanes(std::string("program (x: f32[m], z: f32[n, n1]) {\n") + result + "\nreturn y\n}");
    EXPECT_EQ(names_of_phases(other).find("columns"), std::string::npos) << other.text;
  }
}

}  // namespace
}  // namespace fulgurite::testing_schedule
