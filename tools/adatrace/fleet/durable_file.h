// Small files that are there as a whole, also after the machine has lost power.
#ifndef ADATRACE_FLEET_DURABLE_FILE_H
#define ADATRACE_FLEET_DURABLE_FILE_H

#include "ada/trace/error.h"

#include <string>
#include <string_view>

namespace ada::cli {

/// Replaces the file, which its owner alone can read: there is the old one or the new one whenever this is ended. On
/// the disk when it returns. Errors: E_IO, and the old one stays.
Expected<void> writeDurably(const std::string &path, std::string_view bytes);

} // namespace ada::cli
#endif // ADATRACE_FLEET_DURABLE_FILE_H
