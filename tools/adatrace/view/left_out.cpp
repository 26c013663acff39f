// The commands of an adatrace that was built without its HTTP server; they report that.
#include "command.h"

namespace ada::cli {

const Command kView = {.name = "view", .option = "ADA_WITH_VIEW"};
const Command kOpen = {.name = "open", .option = "ADA_WITH_VIEW"};

} // namespace ada::cli
