// The base of the sources of other tools' traces, and what `verify` and `info` report about them.
#pragma once

#include "formats/table.h"
#include "trace/loss_list.h"

namespace ada::formats {

/// A file, or a directory, that is read as a whole.
class ImportSource : public model::TraceSource {
public:
  explicit ImportSource(TraceLocation place) : place_(std::move(place)) {}

  Expected<void> makeRepeatable() override { return place_.bytes ? place_.bytes->spool() : Expected<void>(); }
  std::optional<double> progress() const override;
  const std::vector<Error> &problems() const override { return errors_; }
  const std::vector<Warning> &warnings() const override { return flaws_; }
  std::vector<model::Loss> losses() const override { return lost_.list(); }
  /// Returns the place that was read from to the caller that opened it.
  TraceLocation release() { return std::move(place_); }

protected:
  /// Restores the state before the first read().
  Expected<void> restart();
  model::ByteInput &input() { return *place_.bytes; }
  /// Notes damage that leaves something to deliver.
  void problem(std::string code, std::string message, std::optional<uint64_t> offset = {}) {
    errors_.push_back(
        {.code = std::move(code), .message = std::move(message), .file = place_.name(), .offset = offset});
  }

  /// Hands the input to `splitter`, whose pieces go to `reader`. Damage is noted as a problem. An error means that the
  /// sink failed, or that nothing could be read.
  template <class Splitter, class Reader> Expected<void> split(Splitter &splitter, const Reader &reader) {
    const auto done = pushAll(input(), [&](std::span<const std::byte> bytes) {
      return splitter.push({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
    });
    if (!done)
      return done;
    if (!reader.status)
      return reader.status;
    splitter.finish();
    if (input().damage())
      errors_.push_back(*input().damage());
    else if (splitter.problem())
      problem(splitter.problem()->code, splitter.problem()->message, splitter.problem()->offset);
    return {};
  }

  TraceLocation place_;
  std::vector<Error> errors_;
  std::vector<Warning> flaws_;
  model::LossList lost_;
};

/// A manifest for a process whose functions are all in one module, as in a session: Process::description.
std::string oneModule(const std::string &path);

/// Reads the trace to the end. Damage is reported as a problem, and anything the model can't hold as a note.
Expected<CheckSummary> verifyImport(std::unique_ptr<ImportSource> source, TraceLocation &place,
                                    const CheckReport &report);
/// `format` is for programs: "chrome", `title` for people.
Expected<Description> describeImport(std::unique_ptr<ImportSource> source, TraceLocation &place, bool absolute,
                                     std::string_view format, std::string_view title);

/// The rows of the table of formats that are the same for all imported formats. `Source` is constructed from a
/// TraceLocation, and has kName and kTitle.
template <class Source> struct Import {
  static Expected<std::unique_ptr<model::TraceSource>> open(TraceLocation place) {
    return std::unique_ptr<model::TraceSource>(std::make_unique<Source>(std::move(place)));
  }
  static Expected<CheckSummary> verify(TraceLocation &place, const CheckReport &report) {
    // NOLINTNEXTLINE(bugprone-use-after-move): it gets the place back from the source
    return verifyImport(std::make_unique<Source>(std::move(place)), place, report);
  }
  static Expected<Description> describe(TraceLocation &place, bool absolute) {
    // NOLINTNEXTLINE(bugprone-use-after-move): likewise
    return describeImport(std::make_unique<Source>(std::move(place)), place, absolute, Source::kName, Source::kTitle);
  }
};

} // namespace ada::formats
