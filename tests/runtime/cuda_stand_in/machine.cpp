#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "findings.h"

namespace fulgurite::runtime::test {
namespace {

std::optional<Finding> untold;
Finding last_told{value::success, {}};

// A finding that no call returned must not be lost: a process that ends with one has failed.
void fail_at_exit() {
  if (!untold) return;
  std::fprintf(stderr, "the stand-in for CUDA found, and no call was there to return it: %s\n",
               untold->text.c_str());
  std::fflush(nullptr);
  std::_Exit(1);
}

void read_environment(CudaStandIn& m) {
  if (const char* seed = std::getenv("FULGURITE_CUDA_SEED")) m.seed = std::strtoull(seed, nullptr, 10);
  const char* const variable = std::getenv("FULGURITE_CUDA_MUTANT");
  if (variable == nullptr) return;
  const std::string_view name = variable;
  static constexpr std::pair<std::string_view, CudaMutant> mutants[] = {
      {"grid", CudaMutant::smaller_grid},
      {"block", CudaMutant::smaller_block},
      {"arguments", CudaMutant::swapped_arguments},
      {"waits", CudaMutant::dropped_waits},
      {"uploads", CudaMutant::late_uploads}};
  for (const auto& [known, mutant] : mutants)
    if (name == known) m.mutant = mutant;
  if (name == "barrier") m.dropped_statement = "__syncthreads();";
  if (name == "fence") m.dropped_statement = "__threadfence();";
  if (m.mutant == CudaMutant::none && m.dropped_statement.empty()) {
    std::fprintf(stderr, "FULGURITE_CUDA_MUTANT is '%s', which is none\n", variable);
    std::abort();
  }
}

}  // namespace

CudaStandIn& machine() {
  static CudaStandIn& one = *[] {
    auto* const made = new CudaStandIn;
    read_environment(*made);
    std::atexit(fail_at_exit);
    return made;
  }();
  return one;
}

void note(std::string call) {
  machine().calls.push_back(std::move(call));
}

void report(Finding finding) {
  if (!untold) untold = std::move(finding);
}

Status take_finding() {
  if (!untold) return value::success;
  last_told = *std::exchange(untold, std::nullopt);
  return last_told.status;
}

const char* text_of(Status status) {
  if (status == last_told.status) return last_told.text.c_str();
  return status == status::illegal_address ? "an illegal memory access was encountered" : "as the test wants";
}

std::optional<Status> wanted(const std::string& function) {
  if (const Status found = take_finding(); found != value::success) return found;
  auto& statuses = machine().statuses[function];
  if (statuses.empty()) return std::nullopt;
  const Status status = statuses.back();
  statuses.pop_back();
  last_told.status = value::success;
  return status;
}

std::optional<Status> refused(const std::string& function) {
  if (contexts_here().empty()) return status::invalid_context;
  return wanted(function);
}

std::vector<ContextId>& contexts_here() {
  thread_local std::vector<ContextId> contexts;
  return contexts;
}

}  // namespace fulgurite::runtime::test

EXPORTED fulgurite::runtime::test::CudaStandIn* cuda_stand_in() {
  return &fulgurite::runtime::test::machine();
}
