// Opens the files of one thread.
#pragma once

#include "ada/trace/session.h"

namespace ada::atf {

/// Opens an index file, and the detail file beside it if the index file has the name that it has in a session.
ThreadTrace openThread(const std::string &indexPath, uint64_t id, const OpenOptions &options);

} // namespace ada::atf
