#include "runtime/mpi/ranks.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fulgurite/error.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "base/log.h"
#include "runtime/build_id.h"
#include "runtime/mpi/library.h"
#include "runtime/mpi/patience.h"

namespace fulgurite::runtime::mpi {
namespace {

// Messages of one pair of ranks arrive in the order in which they were sent, so one tag serves all of them.
// Messages of the end have tags of their own, as other ranks may be in the middle of an exchange.
constexpr int tag_of_data = 0, first_tag_of_end = 1;

// How long a rank that failed waits for the others to end too, as they do where a failure is everybody's:
// each then prints its message and the job ends in order.
constexpr auto grace = std::chrono::seconds(2);

// An offset of a gathering operation is an int.
constexpr std::size_t most_gathered = 0x7fff'ffff;

std::vector<std::byte>& communicator_of_program() {
  static std::vector<std::byte>& bytes = *new std::vector<std::byte>;
  return bytes;
}

std::atomic<bool> has_begun{false};

// The handler runs code of the library that it is part of, which must therefore not be unloaded; and not in a
// child that the process has forked.
pid_t starter = 0;
void end_at_exit(int status, void* ranks) {
  if (getpid() == starter) static_cast<Ranks*>(ranks)->exit_with(status);
}
void end_ranks_at_exit(Ranks* ranks) {
  starter = getpid();
  Dl_info ourselves{};
  if (dladdr(reinterpret_cast<const void*>(&end_at_exit), &ourselves) != 0)
    dlopen(ourselves.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
  on_exit(&end_at_exit, ranks);
}

// "ranks 0 to 2, 5 have build 01ab.., rank 3 has build 77c0..".
std::string builds_by_rank(std::span<const std::string> builds) {
  std::vector<std::string> different;
  for (const std::string& build : builds)
    if (std::find(different.begin(), different.end(), build) == different.end()) different.push_back(build);
  std::string text;
  for (const std::string& build : different) {
    std::string ranks;
    int count = 0;
    for (std::size_t begin = 0; begin < builds.size(); ++begin) {
      if (builds[begin] != build) continue;
      std::size_t end = begin;
      while (end + 1 < builds.size() && builds[end + 1] == build) ++end;
      ranks += fmt::format("{}{}", ranks.empty() ? "" : ", ", begin);
      if (end > begin) ranks += fmt::format(" to {}", end);
      count += static_cast<int>(end - begin) + 1;
      begin = end;
    }
    text += fmt::format("{}{} {} {} build {}", text.empty() ? "" : "; ", count == 1 ? "rank" : "ranks", ranks,
                        count == 1 ? "has" : "have", build);
  }
  return text;
}

void check_partners(std::span<const Message> messages, int rank, int size) {
  std::vector<int> partners;
  for (const Message& message : messages) {
    FULGURITE_CHECK(message.rank >= 0 && message.rank < size, "rank {} of {}", message.rank, size);
    FULGURITE_CHECK(message.rank != rank, "rank {} sends a message to itself", rank);
    partners.push_back(message.rank);
  }
  std::sort(partners.begin(), partners.end());
  FULGURITE_CHECK(std::adjacent_find(partners.begin(), partners.end()) == partners.end(),
                  "rank {} has two messages for one rank in one exchange", rank);
}

}  // namespace

Ranks& Ranks::world() {
  static Ranks& ranks = *new Ranks;
  return ranks;
}

void Ranks::use(const void* communicator, std::size_t bytes) {
  if (has_begun)
    throw DeviceError(
        "the engine mpi has begun: give it the program's communicator (fg::mpi::use) before the first call");
  const auto* first = static_cast<const std::byte*>(communicator);
  communicator_of_program().assign(first, first + bytes);
}

Ranks::Ranks() : mpi_(&mpi::library()), library_(mpi_->text) {
  const std::vector<std::byte>& communicator = communicator_of_program();
  if (!communicator.empty() && communicator.size() != static_cast<std::size_t>(mpi_->communicator_bytes))
    throw DeviceError(
        fmt::format("fg::mpi::use was given a communicator of {} bytes, and those of {} have {}: set "
                    "FULGURITE_MPI to the MPI that the program is compiled with",
                    communicator.size(), library_, mpi_->communicator_bytes));
  std::int32_t rank = 0, size = 1, on_node = 0, size_of_node = 1;
  require(mpi_->start(communicator.empty() ? nullptr : communicator.data(), &rank, &size), "starting MPI");
  rank_ = rank;
  size_ = size;
  const int n_started = processes_of_launcher();
  if (communicator.empty() && size_ == 1 && n_started > 1)
    throw DeviceError(
        fmt::format("the launcher has started {} processes, but {} knows only this one: the launcher is of "
                    "another MPI (FULGURITE_MPI chooses openmpi or mpich)",
                    n_started, library_));
  require(mpi_->on_node(&on_node, &size_of_node), "asking for the ranks of this machine");
  on_node_ = on_node;
  shares_cores_ = size_of_node > sysconf(_SC_NPROCESSORS_ONLN);
  has_begun = true;
  end_ranks_at_exit(this);
  require_same_build();
  if (size_ == 1) return;
  end_of_neighbour_ = post(nullptr, 0, rank_in_front(1), false, first_tag_of_end);
}

int Ranks::rank_in_front(int step) const {
  return (rank_ + size_ - step % size_) % size_;
}

void Ranks::require_same_build() {
  if (have_same(build_id())) return;
  const std::vector<std::string> builds = gather(build_id());
  // One message is enough: the others wait for rank 0 to end them.
  if (rank_ != 0) {
    std::this_thread::sleep_for(grace);
    is_ending_ = true;
    mpi_->abort(1);
    _exit(1);
  }
  end_job(fmt::format("the ranks run different builds of Fulgurite ({}): install one on all machines",
                      builds_by_rank(builds)));
}

void Ranks::require_thread() const {
  if (std::this_thread::get_id() != thread_)
    throw DeviceError(
        "the engine mpi is called by another thread than the one that called it first: all calls that "
        "communicate come from one thread");
}

void Ranks::require(int code, std::string_view what) {
  if (code != 0) end_job(fmt::format("{} failed: {} ({})", what, error_text(code), library_));
}

std::string Ranks::error_text(int code) const {
  char text[512];
  mpi_->error_text(code, text, sizeof text);
  return text;
}

void Ranks::end_job(std::string_view message) {
  base::log(fmt::format("fulgurite: rank {} of {}: {}", rank_, size_, message));
  std::fflush(nullptr);
  is_ending_ = true;
  mpi_->abort(1);
  _exit(1);
}

bool Ranks::is_done(fg_mpi_request request) {
  std::int32_t done = 0;
  require(mpi_->test(request, &done), "a message");
  return done != 0;
}

bool Ranks::are_done(std::vector<fg_mpi_request>& requests) {
  std::erase_if(requests, [&](fg_mpi_request request) { return is_done(request); });
  return requests.empty();
}

void Ranks::wait_until(const std::function<bool()>& is_reached) {
  Patience patience(shares_cores_);
  const auto begin = std::chrono::steady_clock::now();
  while (!is_reached()) {
    patience.pause();
    if (end_of_neighbour_ && std::chrono::steady_clock::now() - begin > grace) require_neighbour();
  }
}

void Ranks::wait(std::vector<fg_mpi_request> requests) {
  wait_until([&] { return are_done(requests); });
}

// Where a rank has ended, nobody will ever answer.
void Ranks::require_neighbour() {
  std::vector<fg_mpi_request> end{*end_of_neighbour_};
  if (!are_done(end)) return;
  end_of_neighbour_.reset();
  end_job(
      fmt::format("rank {} has ended, and this one waits for it at {}: all ranks have to make the same calls "
                  "and read the same arrays",
                  rank_in_front(1), doing_.empty() ? "a message" : doing_));
}

fg_mpi_request Ranks::post(std::byte* data, std::size_t bytes, int rank, bool is_sent, int tag) {
  fg_mpi_request request = 0;
  const auto n_bytes = static_cast<std::int64_t>(bytes);
  if (!is_sent) {
    require(mpi_->receive(data, n_bytes, rank, tag, &request), "receiving a message");
    return request;
  }
  require(mpi_->send(data, n_bytes, rank, tag, &request), "sending a message");
  if (bytes != 0) {
    ++traffic_.messages;
    traffic_.bytes += bytes;
  }
  return request;
}

std::size_t Ranks::piece_of(const Message& message) const {
  return message.portion == 0 ? limit_ : std::min(limit_, message.portion);
}

// A portion takes the place of the last but one before it.
void Ranks::receive_next(std::size_t k) {
  const Message& message = received_[k];
  const std::size_t piece = piece_of(message), at = asked_for_[k],
                    bytes = std::min(piece, message.bytes - at);
  const std::size_t place = message.portion == 0 ? at : at / piece % 2 * piece;
  const std::span to(static_cast<std::byte*>(message.data) + place, bytes);
  open_.push_back({post(to.data(), bytes, message.rank, false, tag_of_data), k, to});
  asked_for_[k] += bytes;
}

void Ranks::begin_exchange(std::span<const Message> sent, std::span<const Message> received,
                           const OfPortion& pack) {
  require_thread();
  FULGURITE_CHECK(!exchanging_, "rank {} begins an exchange while another one goes on", rank_);
  check_partners(sent, rank_, size_);
  check_partners(received, rank_, size_);
  exchanging_.emplace(Activity::message, "exchange");
  for (const Message& message : sent) exchanging_->add_peer({message.rank, message.bytes, 0});
  for (const Message& message : received) exchanging_->add_peer({message.rank, 0, message.bytes});
  received_.assign(received.begin(), received.end());
  asked_for_.assign(received.size(), 0);
  for (std::size_t k = 0; k < received.size(); ++k) {
    const std::size_t first = received[k].portion == 0 ? received[k].bytes : 2 * piece_of(received[k]);
    while (asked_for_[k] < std::min(first, received[k].bytes)) receive_next(k);
  }
  for (std::size_t k = 0; k < sent.size(); ++k)
    for (std::size_t at = 0; at < sent[k].bytes;) {
      const std::size_t bytes = std::min(piece_of(sent[k]), sent[k].bytes - at);
      const std::span from(static_cast<std::byte*>(sent[k].data) + at, bytes);
      if (sent[k].portion != 0) pack(k, from);
      open_.push_back({post(from.data(), bytes, sent[k].rank, true, tag_of_data), std::nullopt, from});
      at += bytes;
    }
}

bool Ranks::has_ended(const OfPortion& unpack) {
  std::vector<bool> waits(received_.size());  // for an earlier portion
  for (std::size_t i = 0; i < open_.size();) {
    const Piece piece = open_[i];
    const auto k = piece.received;
    if ((k && waits[*k]) || !is_done(piece.request)) {
      if (k) waits[*k] = received_[*k].portion != 0;
      ++i;
      continue;
    }
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
    if (!k || received_[*k].portion == 0) continue;
    unpack(*k, piece.bytes);
    if (asked_for_[*k] < received_[*k].bytes) receive_next(*k);
  }
  return open_.empty();
}

void Ranks::end_exchange(const OfPortion& unpack) {
  require_thread();
  {
    const Span waiting(Activity::message, "waiting for messages");
    wait_until([&] { return has_ended(unpack); });
  }
  exchanging_.reset();
}

void Ranks::exchange(std::span<const Message> sent, std::span<const Message> received) {
  begin_exchange(sent, received);
  end_exchange();
}

void Ranks::reduce(std::span<std::int64_t> values, fg_mpi_operation operation) {
  require_thread();
  const Span span(Activity::message, "reduction over all ranks");
  const std::size_t most = std::max<std::size_t>(limit_ / sizeof(std::int64_t), 1);
  for (std::size_t at = 0; at < values.size(); at += most) {
    const std::span<std::int64_t> piece = values.subspan(at, std::min(most, values.size() - at));
    fg_mpi_request request = 0;
    require(mpi_->reduce_all(piece.data(), piece.data(), static_cast<std::int32_t>(piece.size()), operation,
                             &request),
            "a reduction over all ranks");
    ++traffic_.collectives;
    wait({request});
  }
}

bool Ranks::have_same(std::string_view text) {
  const auto hash = static_cast<std::int64_t>(base::digest(text).first);
  std::int64_t least[] = {hash, ~hash};
  reduce(least, fg_mpi_min);
  return least[0] == ~least[1];
}

Gathering Ranks::begin_gathering(std::byte* all, std::span<const std::size_t> bytes) {
  require_thread();
  Gathering to;
  std::size_t offset = 0;
  for (const std::size_t n : bytes) {
    to.bytes.push_back(static_cast<std::int32_t>(n));
    to.offsets.push_back(static_cast<std::int32_t>(offset));
    offset += n;
  }
  require(mpi_->gather_all(all, to.bytes.data(), to.offsets.data(), &to.request), "gathering from all ranks");
  count_gathering(bytes[static_cast<std::size_t>(rank_)]);
  return to;
}

void Ranks::end_gathering(Gathering& gathering) {
  const auto given = static_cast<std::uint64_t>(gathering.bytes[static_cast<std::size_t>(rank_)]);
  const auto all = std::accumulate(gathering.bytes.begin(), gathering.bytes.end(), std::uint64_t{0});
  const Span span(Activity::message, "gathering from all ranks", all - given, given);
  wait({gathering.request});
}

void Ranks::count_gathering(std::size_t bytes) {
  ++traffic_.collectives;
  ++traffic_.gatherings;
  traffic_.given += bytes;
}

std::vector<std::int64_t> Ranks::numbers_of_each(std::span<const std::int64_t> numbers) {
  require_thread();
  FULGURITE_CHECK(numbers.size() == static_cast<std::size_t>(size_), "numbers for {} ranks, and there are {}",
                  numbers.size(), size_);
  const Span span(Activity::message, "telling all ranks");
  std::vector<std::int64_t> received(numbers.size());
  fg_mpi_request request = 0;
  require(mpi_->number_to_each(numbers.data(), received.data(), &request), "telling all ranks");
  count_gathering(numbers.size_bytes());
  wait({request});
  return received;
}

void Ranks::gather_parts(std::byte* all, std::span<const std::size_t> bytes) {
  require_thread();
  FULGURITE_CHECK(bytes.size() == static_cast<std::size_t>(size_), "parts of {} ranks, and there are {}",
                  bytes.size(), size_);
  const std::size_t total = std::accumulate(bytes.begin(), bytes.end(), std::size_t{0});
  if (total == 0) return;
  const std::size_t most = std::min(2 * limit_ - 1, most_gathered);
  const auto gather_at_once = [&](std::byte* data, std::span<const std::size_t> of_ranks) {
    Gathering gathering = begin_gathering(data, of_ranks);
    end_gathering(gathering);
  };
  if (total <= most) return gather_at_once(all, bytes);

  // In rounds: each takes the next bytes of every rank by way of a buffer.
  const std::size_t share = std::max<std::size_t>(most / bytes.size(), 1);
  const std::size_t longest = *std::max_element(bytes.begin(), bytes.end());
  std::vector<std::byte> buffer(std::min(share * bytes.size(), total));
  std::vector<std::size_t> pieces(bytes.size());
  const auto copy_pieces = [&](std::size_t done, auto copy) {
    std::size_t part = 0, place = 0;
    for (std::size_t rank = 0; rank < bytes.size(); ++rank) {
      copy(rank, all + part + std::min(done, bytes[rank]), buffer.data() + place);
      part += bytes[rank];
      place += pieces[rank];
    }
  };
  for (std::size_t done = 0; done < longest; done += share) {
    for (std::size_t rank = 0; rank < bytes.size(); ++rank)
      pieces[rank] = std::min(share, bytes[rank] - std::min(done, bytes[rank]));
    const auto own = static_cast<std::size_t>(rank_);
    copy_pieces(done, [&](std::size_t rank, const std::byte* part, std::byte* place) {
      if (rank == own) std::copy_n(part, pieces[rank], place);
    });
    gather_at_once(buffer.data(), pieces);
    copy_pieces(done, [&](std::size_t rank, std::byte* part, const std::byte* place) {
      if (rank != own) std::copy_n(place, pieces[rank], part);
    });
  }
}

std::vector<std::string> Ranks::gather(std::string_view text) {
  const auto size = static_cast<std::size_t>(size_);
  const auto own = static_cast<std::size_t>(rank_);
  std::vector<std::size_t> bytes(size);
  bytes[own] = text.size();
  const std::vector<std::size_t> bytes_of_length(size, sizeof(std::size_t));
  gather_parts(reinterpret_cast<std::byte*>(bytes.data()), bytes_of_length);

  std::string all(std::accumulate(bytes.begin(), bytes.end(), std::size_t{0}), '\0');
  text.copy(all.data() + std::accumulate(bytes.begin(), bytes.begin() + rank_, std::size_t{0}), text.size());
  gather_parts(reinterpret_cast<std::byte*>(all.data()), bytes);

  std::vector<std::string> texts;
  std::size_t at = 0;
  for (const std::size_t n : bytes) {
    texts.push_back(all.substr(at, n));
    at += n;
  }
  return texts;
}

// The ranks meet by messages of no bytes, in a number of steps that is the logarithm of theirs: in step k
// each tells the rank 2^k after it, and hears from the one 2^k before it, that the ranks before have come.
void Ranks::exit_with(int status) {
  if (std::exchange(is_ending_, true) || mpi_->is_to_finish() == 0) return;
  const auto deadline = std::chrono::steady_clock::now() + grace;
  bool all_came = open_.empty();
  for (int step = 1, k = 0; step < size_ && all_came; step *= 2, ++k) {
    std::vector<fg_mpi_request> requests;
    if (k == 0 && end_of_neighbour_)
      requests.push_back(*std::exchange(end_of_neighbour_, {}));
    else
      requests.push_back(post(nullptr, 0, rank_in_front(step), false, first_tag_of_end + k));
    requests.push_back(post(nullptr, 0, (rank_ + step) % size_, true, first_tag_of_end + k));
    Patience patience(shares_cores_);
    while (all_came && !are_done(requests)) {
      patience.pause();
      all_came = status == 0 || std::chrono::steady_clock::now() < deadline;
    }
  }
  if (all_came) return mpi_->finish();
  std::fflush(nullptr);
  mpi_->abort(status == 0 ? 1 : status);
  _exit(status == 0 ? 1 : status);
}

}  // namespace fulgurite::runtime::mpi
