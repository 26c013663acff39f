// The names of a thread's files, as they follow "thread_N" in the directory of its process.
//
// ATF's files lie in a directory of the thread, where other readers of ATF look for them. Packed ones lie beside the
// manifest: a directory takes a block of the disk, and most processes of a build have one thread that records little.
#pragma once

namespace ada::thread_files {

inline constexpr char kAtfIndex[] = "/index.atf", kAtfDetail[] = "/detail.atf", kAtfSched[] = "/sched.ads";
inline constexpr char kPackedIndex[] = ".index.atp", kPackedDetail[] = ".detail.atp", kPackedSched[] = ".sched.ads";
// In sessions of earlier versions, packed threads have a directory, too.
inline constexpr char kOldPackedIndex[] = "/index.atp", kOldPackedDetail[] = "/detail.atp";
// Follows the name of a scheduling file that is to replace another.
inline constexpr char kNewer[] = ".new";

} // namespace ada::thread_files
