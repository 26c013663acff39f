// Completes the manifest of a process that could not do it itself.
#pragma once

#include "ada/trace/manifest.h"
#include "ada/trace/recover.h"
#include "live/recover/held_recovery.h"
#include "live/recover/ring_snapshot.h"
#include "shared/ring/gaps.h"

#include <map>
#include <string>
#include <vector>

namespace ada::recover {

struct RecoveredThread {
  uint64_t events = 0, timeStartNs = 0, timeEndNs = 0;
  uint32_t tid = 0;
  uint64_t inferred = 0;       // exits that no hook saw; 0 if the thread is not in the ring file
  uint64_t strays = 0;         // exits that made no event, among the records that the drain had not read
  uint64_t leftOut = 0;        // by min_duration and max_depth; 0 if the thread is not in the ring file
  std::string name;            // empty if the thread is not in the ring file
  std::vector<uint64_t> lost;  // by ADA_LOST_*; empty if the thread is not in the ring file
  std::vector<ring::Gap> gaps; // where events were lost: only gaps that the drain had not seen
  HeldSum held;                // if the thread is not in the ring file, without what only the manifest has
  uint64_t removed = 0;        // number of events removed before the first one in the file
  bool isCut = false;          // older events were removed (max_size, max_time, flight) or are in other parts
};

// True if the manifest says how the process ended.
bool isFinal(const Manifest &manifest);

// True if the manifest says so, and what it says can't change: recording was not stopped, and this is not a part of it.
bool manifestHasEnd(const std::string &directory);

// Reads what it can of the manifest. A directory without a manifest gives empty fields.
Manifest readableManifest(const std::string &directory);

// True if the manifest says that the directory is one of several parts of a trace (option rotate).
bool manifestIsOfPart(const std::string &directory);

// True if the manifest says that the trace continues in another directory, and that directory exists.
bool manifestLeadsOn(const std::string &directory);

// The windows of detail_mode=window that the process had opened, by time.
std::vector<DetailWindow> manifestWindows(const std::string &directory);

// Rewrites manifest.json with the threads as they are in the files now, how the process ended, and what was recovered.
// All other fields stay as they are. A missing or damaged manifest is created anew, without symbols.
Expected<void> updateManifest(const std::string &directory, const std::map<uint64_t, RecoveredThread> &threads,
                              const RingSnapshot *ring, const RecoverOptions &options, const RecoverResult &result);

} // namespace ada::recover
