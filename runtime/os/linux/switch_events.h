// When this process's threads go on-CPU and off-CPU, and where they have many page faults, as the kernel reports it.
//
// These are the context switch records of perf_event_open, and a record for each 16 or so page faults of a thread on
// one processor. They need no privileges while perf_event_paranoid is 2 or less. Not every fault has a record: those of
// a program that fills memory would leave no room for the switches.
//
// One buffer per processor takes the records of all threads. Threads that begin later are included by inheritance, so
// nothing has to be called for them. Reading the buffers only reads memory, so once start() has returned, no seccomp
// filter or limit of the program matters. The buffers disappear with the process.
//
// Large buffers take longer to make than many processes live. So a process with one thread begins with small ones, and
// with a second set of events, which have no buffers yet. widen() only makes these.
//
// Owned by the drain thread, which must have its own descriptor table.
#pragma once

#include "sys.h"

namespace ada::runtime {

class SwitchEvents {
public:
  struct Switch {
    enum class Kind : uint32_t { On, Waits, Preempted, LostFrom, Lost, Faults };
    uint64_t timeNs; // CLOCK_BOOTTIME
    uint32_t tid;    // LostFrom, Lost: none
    uint32_t value;  // the processor; Lost: how many records of LostFrom's processor, of any thread, are missing
                     // since then; Faults: how many; if a thread was included twice, only its highest
                     // number counts
    Kind kind;
  };

  // `isAlone`: the process has no thread but its first one and ours, and that one waits. Returns 0, or a negative errno
  // if the system does not know the call or does not allow it; then this isn't active. Threads
  // that begin meanwhile may be included twice: then each of their switches appears twice.
  int start(bool isAlone);
  // After a fork: the child has no events.
  void forget();
  bool active() const { return count_ > 0; }
  // Makes the kernel record nothing until goOn(), which also drops what has not been read.
  void pause();
  void goOn();
  // Whether the buffers are small ones.
  bool isNarrow() const { return isNarrow_ && active(); }
  // Replaces them; not while a buffer mayLack(). Until they have been read up to this moment, switches that come later
  // appear twice.
  void widen();
  // The number of threads that existed before start() and could not be included.
  uint64_t missedThreads() const { return missedThreads_; }
  // The number of descriptors that stay open.
  uint64_t descriptors() const { return descriptors_; }

  // Calls take(const Switch &) for all records up to that time; the records of each processor are in time order.
  template <class Take> void read(uint64_t limitNs, Take &&take) {
    isBusy_ = isUsed_ = false;
    for (uint32_t i = 0; i < count_; ++i) {
      Reader reader(*this, buffers_[i]);
      Switch s;
      while (reader.next(s, limitNs))
        take(s);
    }
    if (count_ > processors_ && limitNs >= widenedNs_)
      dropNarrow();
  }
  // Whether a buffer was so full at the last read that it should be read again soon.
  bool isBusy() const { return isBusy_; }
  // Whether a buffer had more than a few records at the last read.
  bool isUsed() const { return isUsed_; }
  // Whether a buffer was full then and has not had a record since; that record would carry the number that did not fit.
  bool mayLack() const;

private:
  struct Buffer {
    char *control; // a page; the records follow it
    uint64_t dataBytes;
    uint64_t fullAt; // where its records ended if it was full when read; otherwise UINT64_MAX
    uint64_t lastNs; // of the last record taken
    uint32_t processor;
    bool hasToldFrom; // LostFrom was reported for the Lost that comes next
    int next;         // the descriptor of its processor's second event; -1 if the kernel needs only one
  };
  class Reader {
  public:
    Reader(SwitchEvents &events, Buffer &buffer);
    ~Reader();
    // False if there are no more up to that time.
    bool next(Switch &s, uint64_t limitNs);

  private:
    uint64_t word(uint64_t at) const { return *reinterpret_cast<const uint64_t *>(data_ + (at & mask_)); }

    const SwitchEvents &events_;
    Buffer &buffer_;
    const char *data_;
    uint64_t mask_, tail_, head_;
  };
  // Whether a fault at that time belongs to the buffer, and not to the one that replaces it or that it replaces.
  bool countsFaults(const Buffer &buffer, uint64_t ns) const {
    return (&buffer < buffers_ + processors_) == (ns >= widenedNs_);
  }
  static constexpr uint32_t kMaxProcessors = 8192, kMaxThreads = 1024;

  // A descriptor or a negative errno.
  int open(uint32_t thread, uint32_t processor, uint32_t round = 0);
  int map(int fd, uint32_t processor, uint64_t most, Buffer &buffer);
  bool mayStayOpen() const;
  int addProcessors();
  void dropNarrow();
  void share(uint32_t thread, uint32_t round);
  void findThreads();
  void stop();

  Buffer *buffers_ = nullptr;
  uint32_t count_ = 0, processors_ = 0; // more than one for each processor while narrow ones are read
  uint64_t missedThreads_ = 0, descriptors_ = 0;
  // Only during start():
  uint32_t *threads_ = nullptr, threadCount_ = 0; // threads found
  int *outputs_ = nullptr;                        // descriptors, by processor
  bool isNarrow_ = false;
  uint64_t wideBytes_ = 0, widenedNs_ = 0;
  bool isBusy_ = false, isUsed_ = false, onlyThreads_ = true;
  uint64_t page_ = 0;
  uint32_t process_ = 0;
};

} // namespace ada::runtime
