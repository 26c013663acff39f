// Option rotate: the trace of a process as several process directories, one after the other.
//
// A part is finished like a trace that ends: footers, manifest. The next one begins beside it, as pid_P_N, with the
// calls that are open. SessionWriter::rotate says in which order that goes, so that a kill at any moment loses nothing.
//
// Owned by the drain thread.
#ifndef ADA_RUNTIME_CORE_PARTS_H
#define ADA_RUNTIME_CORE_PARTS_H

#include "options.h"
#include "os.h"
#include "text.h"

namespace ada {

class JsonWriter;

class Parts {
public:
  // `directory`: of the process, absolute.
  void start(const Options &options, const char *directory);
  bool active() const { return limit_.bytes > 0 || limit_.ns > 0; }
  // The drain's current directory is that of the present part, and nothing above it need be accessible by its path.
  void stayInside() { isInside_ = true; }

  // The session's directory has a name that the runtime or the tool made for it: nobody keeps anything else in there.
  bool isInOwnSession() const;

  // Whether the present part is large or old enough, by what the process has written until then.
  bool isDue(uint64_t nowNs, uint64_t bytes, uint64_t events) const {
    return (limit_.bytes > 0 && bytes - bytesBefore_ >= limit_.bytes) ||
           (limit_.ns > 0 && nowNs - beganNs_ >= limit_.ns && events != eventsBefore_);
  }
  // After a failure there is no next attempt for a while.
  bool isPausing(uint64_t nowNs) const { return nowNs < retryNs_; }
  void pause(int error);

  // Makes the directory of the next part. 0 or a negative errno.
  int makeNext();
  // Where files of the next part are made; and the whole path.
  const char *next() const { return nextPlace_.c_str(); }
  const char *nextDirectory() const { return nextDirectory_.c_str(); }
  // Makes it the present one. 0 or a negative errno: then it isn't.
  int enterNext();
  // Where the directory is that was left, as files are opened now.
  const char *left() const { return leftPlace_.c_str(); }
  // Nothing of the next part stays.
  void dropNext();
  void begin(uint64_t bytes, uint64_t events) { bytesBefore_ = bytes, eventsBefore_ = events, beganNs_ = sys::nowNs(); }

  // Of the present part: the path, the N of pid_P_N.
  const char *directory() const { return directory_.c_str(); }
  uint64_t directoryNumber() const { return directoryNumber_; }
  // What the manifest says of the present part, or of the next one; the caller ends the object. `goesOn`: it is
  // complete, and the next one begins.
  void beginManifest(JsonWriter &json, bool isNext, bool goesOn) const;

private:
  Path directory_, nextDirectory_, nextPlace_, leftPlace_, previousName_;
  options::Rotation limit_;
  uint64_t number_ = 1, directoryNumber_ = 1, nextDirectoryNumber_ = 0;
  uint64_t bytesBefore_ = 0, eventsBefore_ = 0, beganNs_ = 0, retryNs_ = 0;
  int error_ = 0;
  bool isInside_ = false;
};

} // namespace ada
#endif
