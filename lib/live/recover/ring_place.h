// Where the ring file of a process directory is.
//
// The manifest names it, and is there before the first event. A directory has a link to it, or the ring itself, only
// where that is not enough: see needsLink() in runtime/core/session/own_ring.cpp.
#pragma once

#include "ada/trace/manifest.h"

#include <string>

namespace ada::recover {

struct RingPlace {
  std::string path;      // empty if the ring is gone
  bool isLinked = false; // the directory has an entry for it
};

/// `manifest` is the directory's, with the fields that could be read. If it names no ring, the ring of a process that
/// was killed before it wrote a manifest is searched for in the usual places.
RingPlace findRing(const std::string &directory, const Manifest &manifest);

/// The path of the ring file according to a manifest; empty if it names none.
std::string ringIn(const Manifest &manifest);

} // namespace ada::recover
