// The ring of this process: its place, and its header.
//
// For the thread that begins to record, except makeRing().
#pragma once

#include "core/base/message.h"

namespace ada::runtime {

// Chooses the ring's folder: `folder`, which option ring names, or one of the usual places if that is empty or can't
// hold it (shared/ring/ring_places.h). Also notes what the calling thread may read.
void placeRing(const char *folder);
// Creates the ring, and the directory of a flight recorder, which is beside it. Some processes' directories get a link
// to it (needsLink()). For the drain's thread, so that the program never has an open file of ours. Returns 0 or a
// negative errno.
int makeRing();
// The places that were tried and can't hold the ring, with the reasons; empty if there are none.
Message ringRefusals();
// Removes the ring, which has no events.
void dropRing();
// Tells the user where the ring is, and why, if it is not where it should be.
void explainRing();
// Tells the user why recording is slower, or why the clock that was asked for is not used.
void explainClock();

} // namespace ada::runtime
