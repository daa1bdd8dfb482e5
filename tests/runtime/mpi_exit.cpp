// Ends rank 1 by exit() in the middle of a call, as MPICH does where another rank aborts the job: a library
// that is loaded before MPI's (LD_PRELOAD) and takes its calls by the profiling interface (MPI 3.1,
// chapter 14.2). At the end of that rank it says how often MPI was called after exit(): it must be 0 times,
// as MPI is not in a state to take a call.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr int test_that_exits = 1000;
int tests = 0, calls_after_exit = 0;
bool has_exited = false;

void say_calls() {
  if (has_exited) std::fprintf(stderr, "MPI was called %d times after exit\n", calls_after_exit);
}

void count_call() {
  if (has_exited) ++calls_after_exit;
}

}  // namespace

extern "C" {

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  // Before the library's own handler, so that it runs after it.
  std::atexit(&say_calls);
  return PMPI_Init_thread(argc, argv, required, provided);
}

int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  count_call();
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1 && ++tests == test_that_exits) {
    has_exited = true;
    std::exit(7);
  }
  return PMPI_Test(request, done, status);
}

int MPI_Isend(const void* data, int n, MPI_Datatype type, int to, int tag, MPI_Comm communicator,
              MPI_Request* request) {
  count_call();
  return PMPI_Isend(data, n, type, to, tag, communicator, request);
}

int MPI_Irecv(void* data, int n, MPI_Datatype type, int from, int tag, MPI_Comm communicator,
              MPI_Request* request) {
  count_call();
  return PMPI_Irecv(data, n, type, from, tag, communicator, request);
}

int MPI_Abort(MPI_Comm communicator, int code) {
  count_call();
  return PMPI_Abort(communicator, code);
}

int MPI_Finalize() {
  count_call();
  return PMPI_Finalize();
}

}  // extern "C"
