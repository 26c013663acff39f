// Records a running process for a while: `adatrace record --pid`.
#pragma once

#include "record_options.h"

namespace ada::cli {

/// Returns the exit status of `record`.
int recordProcess(const RecordOptions &options);

} // namespace ada::cli
