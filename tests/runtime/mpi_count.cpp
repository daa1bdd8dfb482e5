// Counts what a process sends by MPI: a library that is loaded before MPI's (LD_PRELOAD) and takes its
// calls by the profiling interface (MPI 3.1, chapter 14.2). Knows nothing of Fulgurite, so that it checks
// Ranks::traffic(). MPI_Finalize appends a line to the file that FULGURITE_MPI_COUNT names. Messages of no
// bytes do not count, which are how ranks meet.
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace {

long long messages = 0, bytes = 0, collectives = 0, gatherings = 0, given = 0;

int rank_of(MPI_Comm communicator) {
  int rank = 0;
  PMPI_Comm_rank(communicator, &rank);
  return rank;
}
int size_of(MPI_Comm communicator) {
  int size = 0;
  PMPI_Comm_size(communicator, &size);
  return size;
}

// An operation by which each rank gives something to all others.
void count_gathering(int n, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  ++gatherings;
  given += static_cast<long long>(n) * size;
}

void count_message(int n, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  if (n == 0 || size == 0) return;
  ++messages;
  bytes += static_cast<long long>(n) * size;
}

void write_line() {
  const char* const path = std::getenv("FULGURITE_MPI_COUNT");
  if (path == nullptr) return;
  char line[200];
  const int length = std::snprintf(
      line, sizeof line, "rank %d messages %lld bytes %lld collectives %lld gatherings %lld given %lld\n",
      rank_of(MPI_COMM_WORLD), messages, bytes, collectives, gatherings, given);
  // One write at the end of the file, so that lines of ranks do not mix.
  const int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (file < 0 || write(file, line, static_cast<std::size_t>(length)) != length) std::perror(path);
  close(file);
}

}  // namespace

extern "C" {

int MPI_Finalize() {
  write_line();
  return PMPI_Finalize();
}

#define FULGURITE_SEND(name)                                                                           \
  int MPI_##name(const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm communicator) { \
    count_message(n, type);                                                                            \
    return PMPI_##name(data, n, type, to, tag, communicator);                                          \
  }
#define FULGURITE_SEND_LATER(name)                                                                   \
  int MPI_##name(const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm communicator, \
                 MPI_Request* request) {                                                             \
    count_message(n, type);                                                                          \
    return PMPI_##name(data, n, type, to, tag, communicator, request);                               \
  }
FULGURITE_SEND(Send)
FULGURITE_SEND(Ssend)
FULGURITE_SEND(Rsend)
FULGURITE_SEND(Bsend)
FULGURITE_SEND_LATER(Isend)
FULGURITE_SEND_LATER(Issend)
FULGURITE_SEND_LATER(Irsend)
FULGURITE_SEND_LATER(Ibsend)

int MPI_Sendrecv(const void* data, int n, MPI_Datatype type, int to, int tag, void* received, int n_received,
                 MPI_Datatype type_received, int from, int tag_received, MPI_Comm communicator,
                 MPI_Status* status) {
  count_message(n, type);
  return PMPI_Sendrecv(data, n, type, to, tag, received, n_received, type_received, from, tag_received,
                       communicator, status);
}

// Each in both forms: the one that waits, and the one that gives a request.
#define FULGURITE_PARAMETERS(...) (__VA_ARGS__, MPI_Comm communicator)
#define FULGURITE_PARAMETERS_LATER(...) (__VA_ARGS__, MPI_Comm communicator, MPI_Request * request)
#define FULGURITE_COLLECTIVE_THAT(count, name, later, parameters, ...) \
  int MPI_##name FULGURITE_PARAMETERS parameters {                     \
    ++collectives;                                                     \
    count;                                                             \
    return PMPI_##name(__VA_ARGS__, communicator);                     \
  }                                                                    \
  int MPI_##later FULGURITE_PARAMETERS_LATER parameters {              \
    ++collectives;                                                     \
    count;                                                             \
    return PMPI_##later(__VA_ARGS__, communicator, request);           \
  }
#define FULGURITE_COLLECTIVE(...) FULGURITE_COLLECTIVE_THAT((void)0, __VA_ARGS__)
FULGURITE_COLLECTIVE(Bcast, Ibcast, (void* a, int n, MPI_Datatype t, int root), a, n, t, root)
FULGURITE_COLLECTIVE(Reduce, Ireduce, (const void* a, void* b, int n, MPI_Datatype t, MPI_Op op, int root), a,
                     b, n, t, op, root)
FULGURITE_COLLECTIVE(Allreduce, Iallreduce, (const void* a, void* b, int n, MPI_Datatype t, MPI_Op op), a, b,
                     n, t, op)
FULGURITE_COLLECTIVE(Scan, Iscan, (const void* a, void* b, int n, MPI_Datatype t, MPI_Op op), a, b, n, t, op)
FULGURITE_COLLECTIVE(Exscan, Iexscan, (const void* a, void* b, int n, MPI_Datatype t, MPI_Op op), a, b, n, t,
                     op)
FULGURITE_COLLECTIVE(Gather, Igather,
                     (const void* a, int n, MPI_Datatype t, void* b, int m, MPI_Datatype u, int root), a, n,
                     t, b, m, u, root)
FULGURITE_COLLECTIVE(Gatherv, Igatherv,
                     (const void* a, int n, MPI_Datatype t, void* b, const int* m, const int* at,
                      MPI_Datatype u, int root),
                     a, n, t, b, m, at, u, root)
FULGURITE_COLLECTIVE(Scatter, Iscatter,
                     (const void* a, int n, MPI_Datatype t, void* b, int m, MPI_Datatype u, int root), a, n,
                     t, b, m, u, root)
FULGURITE_COLLECTIVE_THAT(count_gathering(m, u), Allgather, Iallgather,
                          (const void* a, int n, MPI_Datatype t, void* b, int m, MPI_Datatype u), a, n, t, b,
                          m, u)
FULGURITE_COLLECTIVE_THAT(count_gathering(m[rank_of(communicator)], u), Allgatherv, Iallgatherv,
                          (const void* a, int n, MPI_Datatype t, void* b, const int* m, const int* at,
                           MPI_Datatype u),
                          a, n, t, b, m, at, u)
FULGURITE_COLLECTIVE_THAT(count_gathering(n* size_of(communicator), t), Alltoall, Ialltoall,
                          (const void* a, int n, MPI_Datatype t, void* b, int m, MPI_Datatype u), a, n, t, b,
                          m, u)
FULGURITE_COLLECTIVE(Alltoallv, Ialltoallv,
                     (const void* a, const int* n, const int* at, MPI_Datatype t, void* b, const int* m,
                      const int* bt, MPI_Datatype u),
                     a, n, at, t, b, m, bt, u)

int MPI_Barrier(MPI_Comm communicator) {
  ++collectives;
  return PMPI_Barrier(communicator);
}
int MPI_Ibarrier(MPI_Comm communicator, MPI_Request* request) {
  ++collectives;
  return PMPI_Ibarrier(communicator, request);
}

}  // extern "C"
