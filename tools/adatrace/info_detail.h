//===- info_detail.h - what adatrace info says about detail ---------------===//
#ifndef ADATRACE_INFO_DETAIL_H
#define ADATRACE_INFO_DETAIL_H

#include "terminal.h"

#include "ada/trace/session.h"

#include <cstdint>
#include <string>

namespace ada::cli {

/// Detail events of a thread: what the manifest says of a finished one, else counted.
uint64_t detailCountOf(const atf::ThreadTrace &thread);

/// "68 events, 21.9 KiB, of 3 functions (net::*)"; empty if there are none and none were
/// asked for.
std::string detailSummary(const atf::ProcessTrace &process);

/// The windows of a process, one a line, at most `limit`: when, how much of the pre-roll
/// was there, and why. Times count from `startNs`, as --from and --to of tree do.
void printWindows(Output &out, const Palette &palette, const atf::ProcessTrace &process,
                  uint64_t startNs, size_t limit);

} // namespace ada::cli
#endif // ADATRACE_INFO_DETAIL_H
