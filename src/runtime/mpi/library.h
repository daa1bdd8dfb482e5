// The implementation of MPI that this process speaks, opened when a program first asks for it.
#pragma once

#include "runtime/mpi/mpi_api.h"

namespace fulgurite::runtime::mpi {

// In this order: what FULGURITE_MPI names; an MPI that the program has loaded itself; the one whose launcher
// started the process; the only plug-in there is, or Open MPI's. Stays open until the process ends. Throws
// DeviceError where there is none, with what to install.
const fg_mpi_api& library();

// The number of processes that a launcher of MPI says it started, or 0 where no such launcher is at work.
int processes_of_launcher();

}  // namespace fulgurite::runtime::mpi
