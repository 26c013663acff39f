//===- convert_output.h - where adatrace convert writes to ----------------===//
#ifndef ADATRACE_CONVERT_OUTPUT_H
#define ADATRACE_CONVERT_OUTPUT_H

#include "ada/trace/convert.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace ada::cli {

enum class TraceFormat { Atf1, Atf2, Dial9, Wtf, WtfLittle, Cff };

/// "atf1", "dial9", …; "atf" is version 2.
std::optional<TraceFormat> formatNamed(const std::string &name);
/// By extension: .trc, .wtf-trace, .cff, .atf; none is a session of version 2.
std::optional<TraceFormat> formatOfPath(const std::string &path);
inline constexpr const char *kFormatNames =
    "atf1, atf2, dial9, wtf, wtf-le or cff";

/// The output of a conversion under a temporary name, until it is complete.
class ConvertOutput {
public:
  /// "-" is standard output. Errors: E_EXISTS, E_IO, E_TERMINAL.
  static Expected<ConvertOutput> open(const std::string &path,
                                      TraceFormat format, bool force);
  ConvertOutput(ConvertOutput &&) noexcept;
  ~ConvertOutput(); ///< removes what was not committed

  /// For the bytes of a stream; the conversion's own sink.
  model::ByteSink bytes();
  std::unique_ptr<model::TraceSink> makeSink(bool exactTimes);
  /// Gives the output its name. After the sink has finished.
  Expected<void> commit();
  /// What bytes() failed with.
  const std::optional<Error> &failure() const;
  /// "out.trc", "standard output"
  const std::string &name() const;
  uint64_t size() const;

private:
  struct State;
  explicit ConvertOutput(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace ada::cli
#endif // ADATRACE_CONVERT_OUTPUT_H
