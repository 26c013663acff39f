//===- foreign_file.h - traces that are no ATF session --------------------===//
//
// dump, info and verify take any format. Each begins with openForeign(): if the
// input is dial9, wtf-trace or a detail file by its first bytes, it is shown by
// the functions below; else the command goes on as with any session.
//
//===----------------------------------------------------------------------===//
#ifndef ADATRACE_FOREIGN_FILE_H
#define ADATRACE_FOREIGN_FILE_H

#include "terminal.h"
#include "trace_input.h"

#include "ada/trace/convert.h"

#include <optional>
#include <string>

namespace ada::cli {

struct ForeignFile {
  model::Format format;
  model::ByteInput input;
};

/// Opens `path` ("-" is standard input). Nothing if it is a session or anything
/// else that is not for the functions below; an index file on standard input
/// gets a path that can be opened. An error only for standard input that can't
/// be read.
Expected<std::optional<ForeignFile>> openForeign(std::string &path);

struct ForeignDumpOptions {
  InputOptions input;
  bool json = false, merged = false;
};
/// Every frame or record. Returns the exit status, as the others do.
int dumpForeign(ForeignFile file, const ForeignDumpOptions &options);
int infoForeign(ForeignFile file, Output &out, const Palette &palette,
                bool all);
int verifyForeign(ForeignFile file, Output &out, const Palette &palette,
                  bool quiet);

// One format each.
int dumpDial9(model::ByteInput &input, const ForeignDumpOptions &options);
int dumpWtf(model::ByteInput &input, const ForeignDumpOptions &options);
int dumpDetail(model::ByteInput &input, const ForeignDumpOptions &options);
int infoDial9(model::ByteInput &input, Output &out, const Palette &palette,
              bool all);
int infoWtf(model::ByteInput &input, Output &out, const Palette &palette,
            bool all);
int infoDetail(model::ByteInput &input, Output &out);

/// Pushes all bytes into a decoder's push(bytes), which returns false to stop.
/// An error if they can't be read.
template <class Push>
Expected<void> pushAll(model::ByteInput &input, Push &&push) {
  for (;;) {
    auto piece = input.read();
    if (!piece)
      return piece.error();
    if (piece->empty() || !push(*piece))
      return {};
  }
}

/// --from and --to for events whose first one has the time `start`.
struct ForeignRange {
  uint64_t from = 0, to = ~uint64_t(0);
  bool isWanted = false;
  bool holds(uint64_t ns) const {
    return ns >= from && (ns < to || to == ~uint64_t(0));
  }
};
/// Nothing, and a complaint, if one of them is no time.
std::optional<ForeignRange> rangeOf(const InputOptions &options,
                                    uint64_t start);

} // namespace ada::cli
#endif // ADATRACE_FOREIGN_FILE_H
