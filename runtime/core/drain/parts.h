// Option rotate: the trace of a process as several process directories, one after the other.
//
// A part is finished like a trace that ends: footers, manifest. The next part begins beside it, as pid_P_N, with the
// calls that are open. ProcessWriter::rotate describes the order of the steps, in which a kill at any moment loses
// nothing.
//
// Owned by the drain thread.
#pragma once

#include "core/base/os.h"
#include "core/base/text.h"
#include "core/facts/options.h"

namespace ada::runtime {

class JsonWriter;

class Parts {
public:
  // `directory`: the process's, absolute.
  void start(const Options &options, const char *directory);
  bool active() const { return limit_.bytes > 0 || limit_.ns > 0; }
  // The drain's current directory is that of the current part, so nothing above it need be accessible by its path.
  void stayInside() { isInside_ = true; }

  // Whether the runtime or the tool chose the name of the session's directory: then it contains nothing else.
  bool isInOwnSession() const;

  // Whether the current part is large or old enough, judged by what the process has written so far.
  bool isDue(uint64_t nowNs, uint64_t bytes, uint64_t events) const {
    return (limit_.bytes > 0 && bytes - bytesBefore_ >= limit_.bytes) ||
           (limit_.ns > 0 && nowNs - beganNs_ >= limit_.ns && events != eventsBefore_);
  }
  // After a failure there is a pause before the next attempt.
  bool isPausing(uint64_t nowNs) const { return nowNs < retryNs_; }
  void pause(int error);

  // Creates the directory of the next part. Returns 0 or a negative errno.
  int makeNext();
  // The same in another session, which exists.
  int makeNextIn(const char *session);
  // Whether the next part is in another session. Then it stands alone: its manifest knows of no part before it.
  bool moves() const { return moves_; }
  // The path under which files of the next part are created, and the full path.
  const char *next() const { return nextPlace_.c_str(); }
  const char *nextDirectory() const { return nextDirectory_.c_str(); }
  // Makes the next part the current one. Returns 0 or a negative errno: then it has not become current.
  int enterNext();
  // The directory that was left, as a path for opening files now.
  const char *left() const { return leftPlace_.c_str(); }
  // Removes everything of the next part.
  void dropNext();
  void begin(uint64_t bytes, uint64_t events) { bytesBefore_ = bytes, eventsBefore_ = events, beganNs_ = sys::nowNs(); }

  // The current part: its path, and the N of pid_P_N.
  const char *directory() const { return directory_.c_str(); }
  uint64_t directoryNumber() const { return directoryNumber_; }
  enum class Part {
    Current,
    Complete, // the current one, and the next one begins
    Next,
  };
  // Begins the manifest's object for a part; the caller ends it.
  void beginManifest(JsonWriter &json, Part part) const;

private:
  Path directory_, nextDirectory_, nextPlace_, leftPlace_, previousName_;
  options::Rotation limit_;
  uint64_t number_ = 1, directoryNumber_ = 1, nextDirectoryNumber_ = 0;
  uint64_t bytesBefore_ = 0, eventsBefore_ = 0, beganNs_ = 0, retryNs_ = 0;
  int error_ = 0;
  bool isInside_ = false, moves_ = false;
};

} // namespace ada::runtime
