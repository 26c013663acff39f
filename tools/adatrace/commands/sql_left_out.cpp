// Reports that adatrace was built without SQLite.
#include "command.h"

namespace ada::cli {

const Command kSql = {.name = "sql", .option = "ADA_WITH_EXPORT"};

} // namespace ada::cli
