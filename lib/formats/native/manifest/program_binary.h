// What a file of a session's folder `binaries` would say, from the program or library itself.
#pragma once

#include "ada/trace/error.h"
#include "ada/trace/manifest.h"

#include <string>

namespace ada::atf {

/// The JSON text of the file that `module` names. Only if the program at the module's path is still the same, by its
/// build id and by what else the name stands for; E_OTHER_PROGRAM otherwise, with the reason.
Expected<std::string> binaryOfProgram(const ManifestModule &module);

} // namespace ada::atf
