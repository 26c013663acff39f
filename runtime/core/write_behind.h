// What is written to a large file goes to the disk soon, and its memory in the page cache is used again.
//
// Left to itself, the kernel keeps gigabytes of a trace in memory, at the expense of what the program has there, and
// then stops whoever writes until the disk has caught up. And pages that a virtual machine has not used before cost
// more than the copy into them. Pieces of 128 KiB, MB/s and processor time per GB, on an AMD EPYC virtual machine
// (ext4), least and best of some runs of 0.5 and 3 GB:
//
//   write alone                             300 to 440 (3,700 as long as there is used memory), 1.7 to 2.4 s
//   fallocate before                        300 to 550, 1.3 to 2.4 s
//   sync_file_range behind                  470 to 1,500, 0.4 to 1.4 s
//   the same, and what is clean is dropped  1,200 to 2,300, 0.3 to 0.5 s
//   the same, waiting for each piece        1,300 to 1,700, 0.3 to 0.5 s
//   O_DIRECT, pieces of 1 MiB               950 to 2,600, 0.1 to 0.4 s
//
// O_DIRECT is no faster, and what a killed program leaves would end in the middle of a block. Nothing waits for the
// disk here: pages that it has not written yet stay, so a slow disk is left to the page cache, as without this.
#ifndef ADA_RUNTIME_CORE_WRITE_BEHIND_H
#define ADA_RUNTIME_CORE_WRITE_BEHIND_H

#include "os.h"

namespace ada {

// Of one file that is appended to. Zero-initialised is the start.
class WriteBehind {
public:
  static constexpr uint64_t kPiece = 8 << 20, kKept = 128 << 20;

  // The file has been written up to there. What takes longer than `longNs` is left to the kernel for a while.
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
  uint64_t begun_ = 0; // what is before it is on its way
};

} // namespace ada
#endif
