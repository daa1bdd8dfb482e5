#include "runtime/failure_log.h"

#include <utility>

namespace fulgurite::runtime {

void* FailureLog::next() {
  if (n_used_ == FailureRecords::n_records) read();
  return records_->record(n_used_++);
}

// What throws has read nothing: a failure that stayed in a record would be one of the next program.
void FailureLog::read() {
  const std::size_t n = n_used_;
  if (n == 0) return;
  std::vector<FailureCell> cells(n);
  records_->read(cells);
  bool any = false;
  for (const FailureCell& cell : cells) {
    if (cell.site == 0) continue;
    if (!first_) first_ = Failure{cell.site, cell.element, cell.value, cell.bound, cell.group, cell.more};
    any = true;
  }
  if (any) records_->clear(n);
  n_used_ = 0;
}

std::optional<Failure> FailureLog::collect() {
  read();
  return std::exchange(first_, std::nullopt);
}

FailureLog& FailureLogs::of_this_thread() {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<FailureLog>& log = logs_[std::this_thread::get_id()];
  if (log == nullptr && !spare_.empty()) {
    log = std::move(spare_.back());
    spare_.pop_back();
  }
  if (log == nullptr) log = std::make_unique<FailureLog>(make_());
  return *log;
}

void* FailureLogs::next() {
  return of_this_thread().next();
}

FailureLogs::Collected FailureLogs::collect() {
  std::unique_ptr<FailureLog> log;
  {
    const std::lock_guard lock(mutex_);
    const auto entry = logs_.find(std::this_thread::get_id());
    if (entry == logs_.end()) return {};
    log = std::move(entry->second);
    logs_.erase(entry);
  }
  if (log == nullptr) return {};  // its records could not be made
  Collected collected{true, log->collect()};
  const std::lock_guard lock(mutex_);
  spare_.push_back(std::move(log));
  return collected;
}

}  // namespace fulgurite::runtime
