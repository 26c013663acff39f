// An adatrace that is built without its HTTP server: the commands that say so.
#include "command.h"

namespace ada::cli {

const Command kView = {.name = "view", .option = "ADA_WITH_VIEW"};
const Command kOpen = {.name = "open", .option = "ADA_WITH_VIEW"};

} // namespace ada::cli
