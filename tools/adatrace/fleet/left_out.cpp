// Reports that adatrace was built without databases.
#include "command.h"
#include "loaded_sessions.h"

namespace ada::cli {

const Command kLoad = {.name = "load", .option = "ADA_WITH_FLEET"};
const Command kShip = {.name = "ship", .option = "ADA_WITH_FLEET"};
const Command kFleet = {.name = "fleet", .option = "ADA_WITH_FLEET"};

static Error noDatabase() {
  return {.code = "E_USAGE", .message = "this adatrace was built without database support (-DADA_WITH_FLEET=OFF)"};
}
Expected<Server> openDatabase(const std::string &, const std::string &) { return noDatabase(); }
Expected<std::vector<std::string>> sessionsWith(Server &, const std::string &) { return noDatabase(); }
Expected<std::vector<analysis::Report>> reportsOf(Server &, const std::vector<std::string> &) { return noDatabase(); }
Expected<analysis::CallPaths> callPathsOf(Server &, const std::vector<std::string> &) { return noDatabase(); }
int exitCodeOf(const Error &) { return kWrongUsage; }

} // namespace ada::cli
