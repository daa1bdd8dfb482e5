#include "walk/lanes/scan_runs.h"

#include "parts/lanes.h"
#include "schedule/rewrites/scanned.h"
#include "schedule/rewrites/slice.h"
#include "soac/rename.h"
#include "walk/control.h"
#include "walk/operators.h"

namespace fulgurite::walk::lanes {

using kernel::Level;

ScanRuns::ScanRuns(const Emitter& e, const soac::Soac& soac, const schedule::LaneLoops& loops, std::int64_t n)
    : e_(e),
      arena_(e.arena()),
      lanes_(loops.scan_lanes),
      steps_(loops.scan_steps),
      operands_(schedule::operands_of_scans(arena_, soac)),
      first_point_(arena_.i64(0)),
      first_lane_(arena_.i64(0)) {
  const bool is_one = n == round_of(loops);
  for (const soac::Stm* s : schedule::scans_of(soac.body)) {
    Scan& scan = scans_.emplace_back(Scan{&std::get<soac::Scan>(s->op), {}});
    for (Expr x : scan.op->operands) {
      auto allocate = [&](std::int64_t size) { return e_.allocate_shared(x.kind(), size); };
      const Var within = allocate(n), below = allocate(n / steps_), last = allocate(lanes_);
      scan.components.push_back({within, below, last, is_one ? below : allocate(lanes_)});
    }
  }
}

Expr ScanRuns::whole_rounds(Expr begin, Expr end) {
  const Expr round = arena_.i64(lanes_ * steps_);
  return e_.lower(begin + max(end - begin, 0) / round * round);
}

void ScanRuns::begin_round(Expr first_point) {
  first_point_ = e_.lower(first_point);
  first_lane_ = e_.lower(first_point_ / steps_);
}

Running::Groups ScanRuns::snapshots(const Emitter& e, const Running::Groups& groups) {
  Running::Groups values;
  for (const auto& group : groups) values.push_back(e.snapshots(group));
  return values;
}

const Running::Groups& ScanRuns::scan_ahead(Expr begin, Expr end, const Runs::Point& point) {
  for (const Scan& scan : scans_)
    for (totals_.emplace_back(); Expr neutral : e_.lower(scan.op->reduction.neutral))
      totals_.back().push_back(e_.declare(neutral, "total"));
  e_.for_loop(begin, whole_rounds(begin, end), arena_.i64(lanes_ * steps_), "from", [&](Expr from) {
    begin_round(from - begin);
    scan_round(from, totals_, point);
  });
  return totals_;
}

Expr ScanRuns::walk(Expr begin, Expr end, const Running::Groups& so_far, const Runs::Point& point,
                    const std::function<void(Expr from)>& values) {
  const Expr stop = whole_rounds(begin, end);
  e_.for_loop(begin, stop, arena_.i64(lanes_ * steps_), "from", [&](Expr from) {
    if (totals_.empty()) {
      scan_round(from, so_far, point);
    } else {
      begin_round(from - begin);
      join_below(so_far);
    }
    values(from);
  });
  const Running::Groups totals = snapshots(e_, totals_);
  for (std::size_t s = 0; s < totals.size(); ++s) join(e_, scans_[s].op->reduction, so_far[s], totals[s]);
  return stop;
}

void ScanRuns::scan_round(Expr from, const Running::Groups& so_far, const Runs::Point& point) {
  const Running::Groups before = snapshots(e_, so_far);
  const Emitter lane = e_.in_lanes();
  lane.par(Level::block, arena_.i64(lanes_), "t", [&](Expr t) { scan_lanes(lane, from, t, before, point); });
  for (std::size_t s = 0; s < scans_.size(); ++s) {
    std::vector<Expr> last;
    for (const Component& c : scans_[s].components)
      last.push_back(e_.load_plain(c.last, arena_.i64(lanes_ - 1), "last"));
    join(e_, scans_[s].op->reduction, so_far[s], last);
  }
}

// What is before the runs of a round that was scanned ahead.
void ScanRuns::join_below(const Running::Groups& so_far) {
  const Running::Groups before = snapshots(e_, so_far);
  const Emitter e = e_.in_lanes();
  e.par(Level::block, arena_.i64(lanes_), "t", [&](Expr t) {
    const Expr lane = e.bind(first_lane_ + t, "lane");
    for (std::size_t s = 0; s < scans_.size(); ++s) {
      std::vector<Expr> below;
      for (const Component& c : scans_[s].components) below.push_back(e.load_plain(c.below, lane, "below"));
      below = joined(e, scans_[s], before[s], below);
      for (std::size_t k = 0; k < below.size(); ++k)
        e.store_plain(scans_[s].components[k].below_now, t, below[k]);
    }
  });
}

void ScanRuns::scan_lanes(const Emitter& e, Expr from, Expr t, const Running::Groups& so_far,
                          const Runs::Point& point) {
  const Expr start = e.bind(from + t * steps_, "start");
  std::vector<std::vector<Expr>> acc;
  for (const Scan& scan : scans_)
    for (acc.emplace_back(); Expr neutral : e.lower(scan.op->reduction.neutral))
      acc.back().push_back(e.declare(neutral, "acc"));
  e.for_loop(arena_.i64(0), arena_.i64(steps_), arena_.i64(1), "k", [&](Expr k) {
    const Expr step = first_point_ + k * lanes_;
    const Expr at = e.bind(step + t, "at");
    const Expr j = e.bind(start + k, "j");
    point(e, j, [&](const Emitter& at_point, std::span<const Expr> indices) {
      const soac::Applied body = soac::apply(arena_, operands_, indices);
      statements(at_point, body.body);
      const std::vector<Expr> operands = at_point.lower(body.results);
      std::size_t next = 0;
      for (std::size_t s = 0; s < scans_.size(); ++s) {
        const auto store = [&] {
          for (std::size_t c = 0; c < acc[s].size(); ++c)
            at_point.store_plain(scans_[s].components[c].within, at, at_point.snapshot(acc[s][c], "acc"));
        };
        if (!scans_[s].op->inclusive) store();
        join(at_point, scans_[s].op->reduction, acc[s], std::span(operands).subspan(next, acc[s].size()));
        if (scans_[s].op->inclusive) store();
        next += acc[s].size();
      }
    });
  });
  for (std::size_t s = 0; s < scans_.size(); ++s) join_lanes(e, scans_[s], e.snapshots(acc[s]), so_far[s], t);
}

// As in walk::point.
void ScanRuns::join_lanes(const Emitter& e, const Scan& scan, std::vector<Expr> values,
                          const std::vector<Expr>& so_far, Expr t) {
  const parts::Operator by = walk::operator_of(e, scan.op->reduction);
  const std::vector<Expr> neutral = e.lower(by.neutral);
  values = parts::scan_lanes(e, by, neutral, std::move(values), lanes_);
  const std::vector<Expr> below = by.apply(e, so_far, parts::shifted(e, values, neutral, 1));
  const Expr lane = e.bind(first_lane_ + t, "lane");
  for (std::size_t k = 0; k < values.size(); ++k) {
    e.store_plain(scan.components[k].last, t, values[k]);
    e.store_plain(scan.components[k].below, lane, below[k]);
  }
}

std::vector<Expr> ScanRuns::joined(const Emitter& e, const Scan& scan, std::vector<Expr> left,
                                   const std::vector<Expr>& right) {
  left.insert(left.end(), right.begin(), right.end());
  return apply(e, scan.op->reduction.op, left);
}

void ScanRuns::points(Expr from, Expr t, Running& running, const std::function<void(Expr start)>& run_begins,
                      const std::function<void(Expr j)>& point) {
  e_.for_loop(arena_.i64(0), arena_.i64(lanes_), arena_.i64(1), "run", [&](Expr run) {
    const Expr start = e_.bind(from + run * steps_, "start");
    run_begins(start);
    running.scans.clear();
    for (const Scan& scan : scans_)
      for (running.scans.emplace_back(); const Component& c : scan.components)
        running.scans.back().push_back(e_.load_plain(c.below_now, run, "below"));
    for (int step = 0; step < steps_; step += lanes_) {
      const Expr in_run = e_.bind(step + t, "step");
      const Expr lane = first_point_ + in_run * lanes_;
      const Expr at = e_.bind(lane + run, "at");
      running.within.clear();
      for (const Scan& scan : scans_)
        for (running.within.emplace_back(); const Component& c : scan.components)
          running.within.back().push_back(e_.load_plain(c.within, at, "within"));
      point(e_.bind(start + in_run, "j"));
    }
  });
  running.within.clear();
}

}  // namespace fulgurite::walk::lanes
