// Readers and writers of all trace formats in terms of model.h, and what connects them.
//
//   std::ofstream out("run.trc", std::ios::binary);
//   auto source = ada::model::openTrace("ada-traces/session_20261121_101500");
//   if (!source)
//     return fail(source.error());
//   auto sink = ada::model::makeDial9Sink([&](auto bytes) {
//     out.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
//     return out.good();
//   });
//   if (auto done = ada::model::convert(**source, *sink); !done)
//     return fail(done.error());
//   for (const ada::model::Loss &loss : sink->losses())
//     warn(loss.count, loss.what);
//
// docs/formats/model.md has a table of what each format can hold.
#ifndef ADA_TRACE_CONVERT_H
#define ADA_TRACE_CONVERT_H

#include "ada/trace/byte_input.h"
#include "ada/trace/model.h"
#include "ada/trace/session.h"
#include "ada/trace/wtf/format.h"

#include <functional>
#include <memory>

namespace ada::model {

//===--- sources ----------------------------------------------------------===//

/// All readable threads of a session. Details are opened thread by thread,
/// whether or not the session was opened with them.
std::unique_ptr<TraceSource> makeAtfSource(atf::Session session);
std::unique_ptr<TraceSource> makeAtfSource(std::shared_ptr<const atf::Session> session);
/// dial9 stream, also packed with gzip. What AdaTrace wrote comes back as it
/// was; other events become marks.
std::unique_ptr<TraceSource> makeDial9Source(ByteInput input);
/// wtf-trace of any dialect. What AdaTrace wrote comes back as it was; in other traces, scopes become calls and
/// everything else becomes marks.
std::unique_ptr<TraceSource> makeWtfSource(ByteInput input);

/// Opens whatever `path` is: a session, a part of one, or a file of any format,
/// by its first bytes; "-" is standard input. Errors: those of Session::open,
/// E_IO, E_BAD_MAGIC.
Expected<std::unique_ptr<TraceSource>> openTrace(const std::string &path);
/// The same for a file that is open.
Expected<std::unique_ptr<TraceSource>> openTrace(ByteInput input);

//===--- sinks ------------------------------------------------------------===//

/// Takes the bytes of the output in order; false if they can't be written,
/// which ends the conversion with E_IO.
using ByteSink = std::function<bool(std::span<const std::byte>)>;

struct AtfSinkOptions {
  uint8_t version = 2;
  /// Packed index files; details are those of version 2.
  bool packed = false;
  bool compress = false; ///< packed files, by zstd: needs canCompress()
  /// Version 1 links at most that many index and detail events of a thread;
  /// later details are a loss. Smaller in tests only.
  uint64_t maxLinks = 0xFFFFFFFE;
};
/// Whether the library was built with zstd.
bool canCompress() noexcept;
/// Writes a session into `directory`, which must be empty or not exist. Keeps files open for all threads that have
/// events and have not ended.
std::unique_ptr<TraceSink> makeAtfSessionSink(const std::string &directory, AtfSinkOptions options = {});
/// Writes one index file; E_SEVERAL_THREADS if events of a second thread come.
std::unique_ptr<TraceSink> makeAtfFileSink(const std::string &path, AtfSinkOptions options = {});

std::unique_ptr<TraceSink> makeDial9Sink(ByteSink bytes);

struct WtfSinkOptions {
  wtf::Dialect dialect = wtf::Dialect::BigEndian;
  /// The format counts microseconds; the nanoseconds are carried as arguments,
  /// which viewers show. False leaves them out: half the size.
  bool exactTimes = true;
};
std::unique_ptr<TraceSink> makeWtfSink(ByteSink bytes, WtfSinkOptions options = {});

//===--- both -------------------------------------------------------------===//

/// Reads the source into the sink; twice if the sink needs the range of times
/// and the source doesn't know it.
Expected<void> convert(TraceSource &source, TraceSink &sink);

/// What copyDial9() and copyWtf() did.
struct CopyResult {
  uint64_t events = 0;               ///< dial9 events, wtf-trace records
  std::optional<Error> problem = {}; ///< where the input is damaged; everything before is written
  std::vector<Warning> warnings = {};
  std::vector<Loss> losses = {};
};
/// Writes a dial9 stream (also packed) again, frame by frame. Everything in it stays, whatever program wrote it,
/// which a conversion through the model can't promise. Errors: those of a source and of a sink.
Expected<CopyResult> copyDial9(ByteInput &input, const ByteSink &bytes);
/// The same for a wtf-trace, in the dialect asked for.
Expected<CopyResult> copyWtf(ByteInput &input, const ByteSink &bytes, wtf::Dialect dialect);

} // namespace ada::model

#endif // ADA_TRACE_CONVERT_H
