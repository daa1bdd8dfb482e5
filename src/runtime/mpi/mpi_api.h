// What a plug-in for an implementation of MPI offers: a table of C functions, so that the library knows no
// MPI's types, and one plug-in for each ABI is compiled from one file. After MPI 3.1, chapters 3 (point to
// point), 5 (non-blocking collectives), 8 (start, errors) and 13 (files). Nothing in it blocks but start,
// finish, abort and files: whoever waits tests, so that ranks that share a core let each other run.
#pragma once

#include <cstdint>

extern "C" {

// Numbers from 0 on, of the plug-in; reused once they are done.
typedef std::int32_t fg_mpi_request;

enum fg_mpi_operation { fg_mpi_min, fg_mpi_max, fg_mpi_sum };

struct fg_mpi_api {
  std::int32_t version;  // fg_mpi_version
  // The size of an MPI_Comm: 8 in Open MPI, 4 in MPICH and what shares its ABI.
  std::int32_t communicator_bytes;
  // The implementation's name and version: "Open MPI 4.1.4".
  char text[128];

  // Functions that return an int give 0, or MPI's error code; error_text() says what it means.
  // Starts MPI unless the program has done so. `communicator` points to the program's own MPI_Comm, or is
  // null: MPI_COMM_WORLD. It is duplicated. Errors return instead of ending the job.
  int (*start)(const void* communicator, std::int32_t* rank, std::int32_t* n_ranks);
  // 1 where start() has started MPI, nobody has ended it, and the process does not exit within a call of MPI.
  std::int32_t (*is_to_finish)(void);
  // Ends MPI if that is so.
  void (*finish)(void);
  // Ends all ranks.
  void (*abort)(int code);
  void (*error_text)(int code, char* text, std::int32_t n_bytes);
  // The number of this rank among the ranks of its machine, and how many these are.
  int (*on_node)(std::int32_t* rank, std::int32_t* n_ranks);

  // At most 2^30 bytes each.
  int (*send)(const void* data, std::int64_t n_bytes, std::int32_t to, std::int32_t tag, fg_mpi_request*);
  int (*receive)(void* data, std::int64_t n_bytes, std::int32_t from, std::int32_t tag, fg_mpi_request*);
  // `result` may be `data`.
  int (*reduce_all)(const std::int64_t* data, std::int64_t* result, std::int32_t n, fg_mpi_operation,
                    fg_mpi_request*);
  // From every rank n_bytes[r] bytes to data + offsets[r] of every rank; each rank's own are there before.
  // The arrays live until it is done; an offset is at most 2^31 - 1.
  int (*gather_all)(void* data, const std::int32_t* n_bytes, const std::int32_t* offsets, fg_mpi_request*);
  // The number sent[r] to rank r, from which received[r] comes. The arrays live until it is done.
  int (*number_to_each)(const std::int64_t* sent, std::int64_t* received, fg_mpi_request*);
  // 1 in `done` where it is done, and the number free again.
  int (*test)(fg_mpi_request, std::int32_t* done);

  // A file that is there before, one at a time. All ranks open, use and close it together, which MPI may use
  // to join their parts; or if `alone`, each opens it for itself, and nobody waits for others.
  int (*open_file)(const char* path, std::int32_t is_written, std::int32_t alone);
  // Each rank's own bytes, at most 2^30. `moved`: how many there were, as a file may end before.
  int (*read_file)(std::int64_t offset, void* data, std::int64_t n_bytes, std::int64_t* moved);
  int (*write_file)(std::int64_t offset, const void* data, std::int64_t n_bytes, std::int64_t* moved);
  int (*close_file)(void);
};

enum { fg_mpi_version = 3 };

// The one symbol of a plug-in.
const fg_mpi_api* fulgurite_mpi_api(void);

}  // extern "C"
