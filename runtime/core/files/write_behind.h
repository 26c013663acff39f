// Sends data written to a large file to the disk soon, and lets its page-cache memory be reused.
//
// Left to itself, the kernel keeps gigabytes of a trace in memory, at the expense of the program's data, and then
// blocks writers until the disk has caught up. Also, pages that a virtual machine has not used before cost more than
// the copy into them. Pieces of 128 KiB, MB/s and processor time per GB, on an AMD EPYC virtual machine (ext4), worst
// and best of several runs of 0.5 and 3 GB:
//
//   write alone                             300 to 440 (3,700 as long as there is used memory), 1.7 to 2.4 s
//   fallocate before                        300 to 550, 1.3 to 2.4 s
//   sync_file_range afterwards              470 to 1,500, 0.4 to 1.4 s
//   the same, dropping clean pages          1,200 to 2,300, 0.3 to 0.5 s
//   the same, waiting for each piece        1,300 to 1,700, 0.3 to 0.5 s
//   O_DIRECT, pieces of 1 MiB               950 to 2,600, 0.1 to 0.4 s
//
// O_DIRECT is no faster, and with it the data of a killed program would end in the middle of a block. Nothing waits for
// the disk here: pages that it has not written yet stay, so with a slow disk the page cache does the work, as it would
// without this.
#pragma once

#include "core/base/os.h"

namespace ada::runtime {

// For one file that is appended to. Zero-initialised is the initial state.
class WriteBehind {
public:
  static constexpr uint64_t kPiece = 8 << 20, kKept = 128 << 20;

  // The file has been written up to `end`. If the calls take longer than `longNs`, the kernel is left alone for a
  // while.
  void wrote(int fd, uint64_t end, uint64_t longNs = 50000000) {
    if (__builtin_expect(end < begun_ + kPiece, 1))
      return;
    const uint64_t before = sys::nowNs();
    while (end >= begun_ + kPiece) {
      sys::beginWriting(fd, begun_, kPiece);
      if (begun_ >= kKept)
        sys::forget(fd, begun_ - kKept, kPiece);
      begun_ += kPiece;
    }
    if (sys::nowNs() - before > longNs) // the disk's queue is full
      begun_ += kKept;
  }

private:
  uint64_t begun_ = 0; // everything before it is being written
};

} // namespace ada::runtime
