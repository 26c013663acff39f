// Fingerprints of the contents of the finished threads of a process.
#pragma once

#include "ada/trace/model.h"
#include "ada/trace/session.h"

#include <optional>

namespace ada::atf {

/// The prints of the packed threads of process number `process`. Threads are numbered as in a source: those that can be
/// read, across all processes. Nothing if there are none, or if a single thread or file was opened instead of a
/// process, because it has no place of its own.
/// `first` is the number of its first thread.
std::optional<model::Prints> printsOf(const Session &session, uint32_t process, uint32_t first);

} // namespace ada::atf
