// The ring of this process: its place, and its header.
//
// For the thread that begins to record, except makeRing().
#pragma once

namespace ada {

// Chooses the ring's file in the folder `memory`, and notes what the calling thread may read.
void placeRing(const char *memory);
// Creates the ring; if it can't be in memory, it is a file beside the trace. For the drain's thread, so that the
// program never has an open file of ours. Returns 0 or a negative errno.
int makeRing();
// What makeRing() returned.
int ringError();
// Removes the ring, which has no events.
void dropRing();
// Tells the user why recording is slower, or why the clock that was asked for is not used.
void explainClock();

} // namespace ada
