// Reads which function has which number from the program that XRay instrumented.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ada::formats::xray {

struct NamedFunction {
  std::string name;     ///< as in the object file; empty if there is no symbol
  uint64_t address = 0; ///< in the linked image
};

/// The functions by number; 0 is unused. Nothing if the file is not a program that XRay instrumented.
std::optional<std::vector<NamedFunction>> functionsOf(const std::string &program);

/// The program that wrote a log: the one that ADA_XRAY_PROGRAM names, else one next to the log or in the working
/// directory whose name is in the log's name ("xray-log.NAME.XXXXXX"). Empty if there is none.
std::string programOf(const std::string &log);

} // namespace ada::formats::xray
