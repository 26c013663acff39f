// Properties of both kinds of ATF file.
#pragma once

#include "require.h"

#include "ada/trace/atf_format.h"
#include "ada/trace/error.h"

namespace ada::fuzz {

/// Checks a file that one of our writers finished and that was read back.
template <class Reader> void requireFlawless(const Expected<Reader> &reader, size_t events) {
  using atf::ChecksumState;
  // A checksum that happens to be 0, for example with no events, proves nothing.
  require(reader && reader->warnings().empty() && reader->footer() &&
              reader->checksum() == (reader->footer()->checksum ? ChecksumState::Ok : ChecksumState::Unchecked),
          "what was written is without a flaw");
  require(reader->size() == events, "there are as many events");
}

} // namespace ada::fuzz
