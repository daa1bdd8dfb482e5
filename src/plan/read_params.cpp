#include "plan/read_params.h"

#include <set>
#include <utility>
#include <vector>

#include "base/match.h"
#include "plan/traverse.h"

namespace fulgurite::plan {

namespace {

// Whatever the order of the steps and the conditions inside: a place that is read once is always read.
class ReadPlaces {
 public:
  explicit ReadPlaces(const Plan& plan) {
    for (const Result& result : plan.results)
      if (result.rank > 0) read_.insert(result.place);
    for_each_step(plan.steps,
                  [&](const Action& action) { base::match(action, [&](const auto& s) { add(s); }); });
    for (bool is_new = true; is_new;) {
      is_new = false;
      for (const auto& [to, from] : handed_on_)
        if (read_.contains(to) && read_.insert(from).second) is_new = true;
    }
  }
  bool contains(Place p) const { return read_.contains(p); }

 private:
  void add(const Compute&) {}
  void add(const Constant&) {}
  void add(const Copy&) {}
  void add(const Resident&) {}
  void add(const Check&) {}
  void add(const Allocate&) {}
  void add(const Shrink&) {}
  void add(const Release&) {}
  void add(const Share& s) { handed_on_.emplace_back(s.to, s.from); }
  void add(const Reuse& s) { handed_on_.emplace_back(s.to, s.from); }
  void add(const CopyArray& s) { read_.insert(s.from); }
  void add(const Fetch& s) { read_.insert(s.from); }
  void add(const Launch& s) { read_.insert(s.buffers.begin(), s.buffers.end()); }
  void add(const If&) {}
  void add(const While&) {}
  void add(const Converge&) {}

  std::set<Place> read_;
  std::vector<std::pair<Place, Place>> handed_on_;  // to, from
};

}  // namespace

void find_read_params(Plan& plan) {
  const ReadPlaces read(plan);
  for (Param& param : plan.params) param.is_read = param.rank == 0 || read.contains(param.place);
}

}  // namespace fulgurite::plan
