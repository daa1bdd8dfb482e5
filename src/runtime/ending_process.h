// Threads of ours that compile, and the end of the process: none runs while what drivers use is destroyed.
#pragma once

namespace fulgurite::runtime {

// A thread is about to start. False: the process ends, and it must not.
bool enter_worker();
// Nothing but the end of the thread follows. Called in a base::CompilingSection, so that fork() finds nobody
// in here.
void leave_worker() noexcept;
// Asked between kernels: exit() waits for the threads.
bool is_process_ending() noexcept;

}  // namespace fulgurite::runtime
