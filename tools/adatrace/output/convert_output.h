// The destination of adatrace convert.
#pragma once

#include "formats/table.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace ada::cli {

/// The output of a conversion under a temporary name, until it is complete.
class ConvertOutput {
public:
  /// "-" is standard output. Errors: E_EXISTS, E_IO, E_TERMINAL.
  static Expected<ConvertOutput> open(const std::string &path, formats::FormatChoice format, bool force);
  ConvertOutput(ConvertOutput &&) noexcept;
  ~ConvertOutput(); ///< removes output that was not committed

  /// For the bytes of a stream; the conversion's own sink.
  model::ByteSink bytes();
  std::unique_ptr<model::TraceSink> makeSink(bool exactTimes);
  /// Where a directory, or a file that is not written in order, is until then. Other files may be put beside the
  /// latter; they are removed with it.
  std::string place() const;
  /// Gives the output its final name. Call after the sink has finished.
  Expected<void> commit();
  /// The error with which bytes() failed.
  const std::optional<Error> &failure() const;
  /// "out.trc", "standard output"
  const std::string &name() const;
  uint64_t size() const;

private:
  struct State;
  explicit ConvertOutput(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

} // namespace ada::cli
