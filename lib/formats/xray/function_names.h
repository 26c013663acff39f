// Which function has which number, out of the program that XRay instrumented.
#ifndef ADA_LIB_FORMATS_XRAY_FUNCTION_NAMES_H
#define ADA_LIB_FORMATS_XRAY_FUNCTION_NAMES_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ada::model::xray {

struct NamedFunction {
  std::string name;          ///< as in the object file; empty if no symbol is there
  std::uint64_t address = 0; ///< in the linked image
};

/// By number; 0 is none. Nothing if the file is no program that XRay instrumented.
std::optional<std::vector<NamedFunction>> functionsOf(const std::string &program);

/// The program that a log is of: what ADA_XRAY_PROGRAM names, else one beside the log or in the working directory with
/// the name that the log's has in it ("xray-log.NAME.XXXXXX"). Empty if there is none.
std::string programOf(const std::string &log);

} // namespace ada::model::xray

#endif // ADA_LIB_FORMATS_XRAY_FUNCTION_NAMES_H
