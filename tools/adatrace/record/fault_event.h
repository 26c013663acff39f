// Keeps the kernel ready to count page faults while programs are recorded.
//
// Each recorded process opens an event that counts its page faults (docs/formats/sched.md). The first such event on a
// machine makes the kernel patch its own code, which interrupts all processors, and so does the end of the last one.
// While another one is there, a process that starts takes some 0.1 ms less.
#pragma once

#include "trace/base/file_descriptor.h"

namespace ada::cli {

/// An event that counts nothing, until it is closed; none if the system does not permit it. Programs do not inherit it.
FileDescriptor openFaultEvent();

} // namespace ada::cli
