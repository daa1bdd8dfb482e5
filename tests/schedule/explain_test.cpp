// Launches in words.
#include "schedule/explain.h"

#include "decided.h"

namespace fulgurite::testing_schedule {
namespace {

// A line each: phases with their conditions, then walks and reasons farther in.
std::string words(const Decided& made) {
  scalar::Names names(*made.program.arena);
  std::string text;
  for (const schedule::PhaseInWords& phase : schedule::in_words(made.launch, [&](schedule::Expr e) {
         return e.is_name() ? names(e.var()) : std::string_view();
       })) {
    text += phase.name + (phase.where.empty() ? "" : " where " + phase.where) + '\n';
    for (const std::string& line : phase.walk) text += "  " + line + '\n';
    for (const std::string& line : phase.why) text += "  - " + line + '\n';
  }
  return text;
}

const std::string sum = R"(program (x: f32[n]) {
  s: f32 = redomap (i < n) { x[i] } reduce add comm neutral 0f
  return s
})";

TEST(ExplainSchedule, TellWhoTakesThePointsOfASumAndWhy) {
  EXPECT_EQ(words(decided_lanes(sum)), R"(main
  n points are reduced; tasks of 16384; 64 lanes
  - tasks: about 16384 points each: one costs 1 addition, which is cheap (cheap_tile, cheap_work)
  - lanes: 64 in vectors of 16, as values have up to 4 bytes: vectors side by side hide latency (short_vectors, short_work)
  - reduction 0: an accumulator takes 32 additions before an outer one, which bounds the rounding error (chain); 4 side by side, as the operator commutes; each task leaves its partial result, for a later phase to join in order
  - stores: what the last cache does not hold bypasses caches (streamed_percent)
  - loads: points are cheap, so cache lines are touched first (cheap_work)
last
  join neighbours by 1 task
  - tasks: one, in scalar code: partial results are so few that the time to compile vector code counts more
)");
  EXPECT_EQ(words(decided(sum)), R"(main
  n points are reduced; tasks of max(((n + 1023) / 1024 + 255) / 256 * 256, 2048); 256 threads; 4 neighbours together
  - tasks: blocks of 2048 points or more, enough for each thread (thread_folded_points)
  - tasks: at most 1024 blocks, as so many fill any device (filling_blocks)
  - threads: 256 of a block, as points are short (block_threads, reserved_bytes)
  - threads: 4 neighbours each, for wide accesses (neighbours, neighbour_operations)
  - reduction 0: an accumulator takes 16 additions before an outer one, which bounds the rounding error (thread_chain); neighbours are joined first, in a logarithmic number of steps; each block leaves its partial result, for a later phase to join in order
last
  max((n + max(((n + 1023) / 1024 + 255) / 256 * 256, 2048) - 1) / max(((n + 1023) / 1024 + 255) / 256 * 256, 2048), 1) points are reduced; 256 threads
  - tasks: one block, as there is one value for each block of another phase
  - threads: 256 of a block, as points are short (block_threads, reserved_bytes)
  - reduction 0: an accumulator takes 16 additions before an outer one, which bounds the rounding error (thread_chain); neighbours are joined first, in a logarithmic number of steps
)");
}

TEST(ExplainSchedule, TellVersionsWithTheirConditions) {
  const std::string rows = words(decided_lanes(R"(program (x: f32[n, m]) {
    y: f32[n] = map (i < n) {
      s: f32 = redomap (j < m) { x[i, j] } reduce add comm neutral 0f
      return s
    }
    return y
  })"));
  EXPECT_EQ(rows, R"(main where not (65536 < m & n < 64 | max(m, 1) <= 16)
  n points are mapped; tasks of max(4096 / max(max(m, 1), 1), 1)
  inner 1: up to 512 of m points are reduced; 16 lanes
  inner 1: m points are reduced; 64 lanes
  - tasks: about 4096 points of rows each: one row costs 48 additions, which is moderate (moderate_tile, moderate_work, cost_step, unknown_trips)
  - tasks: a row counts as its points, or as 4 if data decide how many these are; a sort as 4 walks over it (unknown_row, sort_walks)
  - lanes: none, as the combinators inside read along their own axis
  - version: tasks share rows where these are few and long, so that no core is idle (few_rows, long_row_tiles)
  - version: where rows are short, each lane takes one (lane_row, fold_chain)
  - stores: what the last cache does not hold bypasses caches (streamed_percent)
  - inner 1: short rows are joined in registers (short_row_vectors)
  - inner 1: 64 lanes for each point around it (short_vectors, medium_vectors)
  - inner 1, reduction 0: an accumulator takes 32 additions before an outer one, which bounds the rounding error (chain); 4 side by side, as the operator commutes
  - inner 1, loads: points are cheap, so cache lines are touched first (cheap_work)
partials where 65536 < m & n < 64
  n points are mapped; tasks of 1
  inner 1: m points are reduced; tasks of 16384; 64 lanes
  - tasks: about 16384 points each: one costs 1 addition, which is cheap (cheap_tile, cheap_work)
  - lanes: 64 in vectors of 16, as values have up to 4 bytes: vectors side by side hide latency (short_vectors, short_work)
  - version: tasks share rows where these are few and long, so that no core is idle (few_rows, long_row_tiles)
  - inner 1: 64 lanes for each point around it (short_vectors, medium_vectors)
  - inner 1, reduction 0: an accumulator takes 32 additions before an outer one, which bounds the rounding error (chain); 4 side by side, as the operator commutes; each task leaves its partial result, for a later phase to join in order
  - inner 1, loads: points are cheap, so cache lines are touched first (cheap_work)
rows where 65536 < m & n < 64
  join tiles by n tasks
  - tasks: one for each row, as the partial results of its tiles are few
  - version: tasks share rows where these are few and long, so that no core is idle (few_rows, long_row_tiles)
short rows where max(m, 1) <= 16
  n points are mapped; tasks of 4096; 32 lanes
  inner 1: m points are reduced; 4 neighbours together
  - tasks: about 4096 points each: one costs 48 additions, which is moderate (moderate_tile, moderate_work)
  - lanes: 32 in vectors of 16, as transposes hide latency (medium_vectors)
  - version: where rows are short, each lane takes one (lane_row, fold_chain)
  - stores: what the last cache does not hold bypasses caches (streamed_percent)
  - inner 1: each lane takes 4 points together, which are loaded as one piece (lane_row_steps)
)");
}

TEST(ExplainSchedule, AReasonThatIsMissingOrNamesNoNumberIsFound) {
  Decided made = decided_lanes(sum);
  std::vector<std::string>& why = made.launch.phases[0].why;
  why[0] = "tasks: as it is (no_such_number)";
  why.pop_back();
  EXPECT_EQ(faults_of_reasons(*made.program.arena, made.launch),
            (std::vector<std::string>{"main: there is no number no_such_number: " + why[0],
                                      "main: no reason for loads"}));
}

}  // namespace
}  // namespace fulgurite::testing_schedule
