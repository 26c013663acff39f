// How an order reaches a process that has recorded nothing: it has no ring file, no thread, and looks at nothing.
//
// The runtime has one WaitingBlock in its data. A controller finds it by its magic, which it looks for in the writable
// mappings of the program and its libraries, reads it and writes to it with process_vm_readv and process_vm_writev. The
// kernel's check for ptrace is the permission; the process is not stopped.
//
//   1. isBusy = 1: until it is 0 again, the process does not unload a library whose enable bytes are in the list.
//   2. The order: text, lease, forPid, number; state = Writing.
//   3. The enable bytes of all functions = 1. From now on every traced call enters the runtime, which does nothing
//      while the state is Writing (and clears the bytes if that lasts a second: the controller was killed).
//   4. state = Ready, isBusy = 0. The next call finds the order, sets `taken`, carries it out, sets the enable bytes to
//      what is selected, and sets `done`.
//   5. To withdraw the order: withdrawn = number, then read `taken`. If that is not the number, nothing happens any
//      more: the next call clears the bytes.
#pragma once

#include <stdint.h>

namespace ada {

// Enable bytes: at begin, begin + stride, …, before end. All 0 if the image was unloaded.
struct EnableRange {
  uint64_t begin, end, stride;
};

struct alignas(64) WaitingBlock {
  static constexpr uint32_t kVersion = 1, kMaxRanges = 16384;
  static constexpr uint64_t kMagicWords = 4;
  enum State : uint32_t { None, Writing, Ready };
  enum Process : uint32_t {
    Unstarted, // no image has been registered
    Waits,
    Records, // it has a ring file
    Over,    // it runs untraced, or its trace is complete
  };

  uint64_t magic[kMagicWords] = {};
  uint32_t version = 0, abi = 0;
  uint32_t process = 0;    // (atomic) Process
  uint32_t isEnabled = 0;  // (atomic) it records as soon as a selected function is called
  uint64_t ranges = 0;     // (atomic) address of kMaxRanges EnableRange; 0 before the first image
  uint32_t rangeCount = 0; // (atomic) how many were ever used

  uint32_t isBusy = 0;    // (atomic)
  uint32_t state = 0;     // (atomic) State
  uint32_t number = 0;    // of the order
  uint32_t forPid = 0;    // the process that it is for, in its own pid namespace: a forked child inherits this block
  uint32_t taken = 0;     // (atomic)
  uint32_t withdrawn = 0; // (atomic)
  uint32_t done = 0;      // (atomic)
  uint64_t askedNs = 0;   // CLOCK_BOOTTIME
  uint64_t leaseNs = 0;   // (atomic) after this time the order does nothing; 0: it stands. See ada_ring_orders.lease_ns
  int64_t result = 0;     // negative: `answer` says what is wrong
  char text[8128] = {};   // as in ada_ring_orders
  char answer[1024] = {};
};

// Random, so that no other data looks like it.
constexpr uint64_t kWaitingMagic[WaitingBlock::kMagicWords] = {0x9d61f3a5c4e20b7full, 0x3b86d20f51ea94c7ull,
                                                               0xe01c7d5a924fb863ull, 0x68f4a91eb3705dc2ull};

} // namespace ada
