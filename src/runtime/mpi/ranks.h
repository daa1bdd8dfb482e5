// The processes of a job, and messages between them. All of them run the same program and make the same
// calls in the same order; each call is of the one thread that began (others get a DeviceError). Whoever
// waits tests, yields its core, and after a while sleeps, so that ranks that share cores do not starve each
// other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/mpi/mpi_api.h"
#include "runtime/profile.h"

namespace fulgurite::runtime::mpi {

/// Bytes for a rank, or from one.
struct Message {
  int rank;
  void* data;  // of one that is sent it is only read, unless it is packed
  std::size_t bytes;
  /// Not 0: the message is packed and unpacked while it travels, in portions of this many bytes. Where it is
  /// received, `data` has room for two portions at a time.
  std::size_t portion = 0;
};
/// Puts together, or takes apart, the next bytes of the message with this number.
using OfPortion = std::function<void(std::size_t message, std::span<std::byte> portion)>;

/// What this rank has sent since it began, as an independent count of MPI's calls sees it: one collective
/// operation compares the builds of all ranks at the start.
struct Traffic {
  // Sent from point to point. Portions, and each 2^30 bytes, count as messages.
  std::uint64_t messages = 0, bytes = 0;
  std::uint64_t collectives = 0;
  // The collective operations that take something from each rank to all others, and what this rank gave.
  std::uint64_t gatherings = 0, given = 0;
};

/// This rank's part of a file, from or to its memory.
struct FilePart {
  std::int64_t offset;
  std::byte* data;  // of a file that is written it is only read
  std::int64_t bytes;
};

/// One that is under way.
struct Gathering {
  fg_mpi_request request = 0;
  std::vector<std::int32_t> bytes, offsets;  // MPI reads them until it is done
};

class Ranks {
 public:
  /// The ranks of the job: of the communicator of fg::mpi::use, or all processes of the launcher. Starts MPI.
  /// Throws DeviceError where no MPI is found.
  static Ranks& world();
  /// Before world(): MPI's own communicator, of `bytes` bytes. Throws DeviceError after it.
  static void use(const void* communicator, std::size_t bytes);

  int rank() const { return rank_; }
  int size() const { return size_; }
  const std::string& library() const { return library_; }

  /// Receives and sends all at once. At most one message from a rank, and one to it, in one call, and none to
  /// this rank itself. A message of no bytes is not sent, so both of its ranks must know that it has none.
  void exchange(std::span<const Message> sent, std::span<const Message> received);
  /// exchange() in two halves: what is sent may not change, what is received not be read, in between.
  void begin_exchange(std::span<const Message> sent, std::span<const Message> received,
                      const OfPortion& pack = {});
  void end_exchange(const OfPortion& unpack = {});

  /// Element-wise over all ranks: one collective operation.
  void reduce(std::span<std::int64_t> values, fg_mpi_operation);
  /// Whether all ranks call with the same text: one collective operation.
  bool have_same(std::string_view text);
  /// Every rank's text, in their order: one collective operation for the lengths, one for the texts.
  std::vector<std::string> gather(std::string_view text);
  /// Gathers `bytes[rank]` bytes of each rank, one rank's after the other's in `all`, where this rank's own
  /// are there already. All ranks know how many bytes each has, so that one collective operation does it.
  void gather_parts(std::byte* all, std::span<const std::size_t> bytes);
  /// gather_parts() in two halves, for at most 2^31 - 1 bytes. What `all` has may not change in between.
  Gathering begin_gathering(std::byte* all, std::span<const std::size_t> bytes);
  void end_gathering(Gathering&);
  /// numbers[r] goes to rank r; returns the number that each rank sends to this one. One collective
  /// operation.
  std::vector<std::int64_t> numbers_of_each(std::span<const std::int64_t> numbers);

  /// What went wrong, the same text on all ranks: that of the lowest rank that gives one, with its number
  /// unless all ranks say the same; empty where nobody gives one.
  std::string first_error(std::string_view own);
  /// Every rank's part of a file that all of them have under this path, which may be another on each. What
  /// went wrong is as of first_error().
  std::string read_file(const std::string& path, const FilePart& part) { return move(path, part, false); }
  std::string write_file(const std::string& path, const FilePart& part) { return move(path, part, true); }

  /// The number of this rank among the ranks of its machine.
  int on_node() const { return on_node_; }

  const Traffic& traffic() const { return traffic_; }

  /// What the rank is about to do together with the others, for messages.
  void say(std::string_view doing) { doing_ = doing; }

  /// Says on standard error what happened, on which rank, and ends the job.
  [[noreturn]] void end_job(std::string_view message);

  /// For tests: messages with more bytes than this go in pieces.
  void limit_messages(std::size_t bytes) { limit_ = bytes; }

  /// What the process's exit with `status` does unless the program itself has started MPI: where all ranks
  /// exit, MPI is finished. Where others go on, a rank that failed ends the job with its status, and one that
  /// did not waits for them.
  void exit_with(int status);

 private:
  Ranks();
  void require_same_build();
  int rank_in_front(int step) const;
  void require_neighbour();
  fg_mpi_request post(std::byte* data, std::size_t bytes, int rank, bool is_sent, int tag);
  /// The bytes of its pieces, of which the last may have fewer.
  std::size_t piece_of(const Message&) const;
  void receive_next(std::size_t message);
  /// Whether all messages of the exchange have arrived, or are sent; takes apart what has arrived since.
  bool has_ended(const OfPortion& unpack);
  void count_gathering(std::size_t bytes);
  std::string move(const std::string& path, const FilePart& part, bool is_written);
  std::string error_text(int code) const;
  bool is_done(fg_mpi_request);
  /// Whether all of them are done; finished ones leave the list.
  bool are_done(std::vector<fg_mpi_request>&);
  void wait_until(const std::function<bool()>& is_reached);
  void wait(std::vector<fg_mpi_request>);
  void require(int code, std::string_view what);
  void require_thread() const;

  const fg_mpi_api* mpi_;
  const std::thread::id thread_ = std::this_thread::get_id();
  bool is_ending_ = false;
  bool shares_cores_ = false;  // with other ranks, as this machine has more of them than cores
  std::size_t limit_ = std::size_t{1} << 30;
  int rank_ = 0, size_ = 1, on_node_ = 0;
  std::string library_, doing_;
  // A message from the rank before, which comes when that rank ends.
  std::optional<fg_mpi_request> end_of_neighbour_ = {};
  // The current exchange: pieces under way, pieces of one message in their order, and how much of each
  // message that comes is asked for.
  struct Piece {
    fg_mpi_request request;
    std::optional<std::size_t> received;  // the message's number
    std::span<std::byte> bytes;
  };
  std::vector<Piece> open_;
  std::vector<Message> received_;
  std::vector<std::size_t> asked_for_;
  std::optional<Span> exchanging_ = {};  // from its beginning to its end
  Traffic traffic_;
};

}  // namespace fulgurite::runtime::mpi
