// The bytes of a scheduling file: when a thread went off-CPU, and when it went on-CPU again.
// docs/formats/sched.md describes the format.
#pragma once

#include <stdint.h>

namespace ada::sched {

inline constexpr char kMagic[8] = {'A', 'D', 'A', 'S', 'C', 'H', 'E', 'D'};
inline constexpr uint32_t kVersion = 1;       // without Held, Resumed, LostFrom and flags
inline constexpr uint32_t kHeldVersion = 2;   // with them, without Faults
inline constexpr uint32_t kNewestVersion = 3; // with Faults

// A bit of Header::flags: the system reported nothing; only the recorder's own records are here.
inline constexpr uint64_t kIsUnknown = 1;

enum class Kind : uint32_t {
  On = 1,        // went on-CPU, on processor `value`
  Waits = 2,     // left processor `value` by itself, to wait or to end
  Preempted = 3, // had to leave processor `value`, although it had work to do
  Lost = 4,      // some records between the last one (or LostFrom) and this time are or may be missing: `value` of all
                 // threads
  KnownTo = 5,   // everything up to here is known; `value`: CRC-32C of all bytes before this record
  Held = 6,      // from now on the recorder held the thread up: `value` says why
  Resumed = 7,   // until now
  LostFrom = 8,  // from now on records of processor `value` may be missing, until a Lost
  Faults = 9,    // the last of `value` page faults since the one before
};

struct Header {
  char magic[8];
  uint32_t version;
  uint32_t tid;
  uint64_t fromNs; // everything is known from this time on
  uint64_t flags;
};
static_assert(sizeof(Header) == 32);

// By time, nearly: see docs/formats/sched.md.
struct Record {
  uint64_t timeNs; // CLOCK_BOOTTIME
  Kind kind;
  uint32_t value;
};
static_assert(sizeof(Record) == 16);

} // namespace ada::sched
