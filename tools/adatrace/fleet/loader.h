// Puts one session into a database of sessions, all of it and once (docs/fleet.md says how, and why so).
#ifndef ADATRACE_FLEET_LOADER_H
#define ADATRACE_FLEET_LOADER_H

#include "block_sender.h"
#include "patience.h"
#include "server.h"

#include "formats/clickhouse/schema.h"

#include <functional>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <utility>

namespace ada::cli {

struct ClusterRequest {
  std::string name; ///< empty: a single server
  bool isReplicated = false;
};
/// Makes the database and its tables, or makes sure that they are those of this version. Errors: E_SCHEMA and those of
/// servers.
Expected<void> makeTables(Server &server, const ClusterRequest &cluster);
/// The statements that makeTables() sends to a server without tables, each ended by ";\n".
Expected<std::string> tableStatements(Server &server, const ClusterRequest &cluster);
/// Errors: E_SCHEMA if the tables are not there, or of another version.
Expected<void> checkTables(Server &server);

/// A block that the server does not take, for a reason that does not pass.
struct RefusedBlock {
  std::uint64_t session;
  const std::string &table, &columns; ///< the rows are these columns', as RowBinary
  const model::SpanBlock &block;
  const Error &error; ///< what the server said
};

struct LoadRequest {
  model::SessionRow row;         ///< session, plan, name, path, release, labels
  std::uint64_t earlierPlan = 0; ///< what versions before this one called the plan: what they completed is there
  std::vector<model::ProcessPlace> places;
  bool replaces = false;          ///< what was loaded of the session with another plan goes
  model::SpanBlockOptions blocks; ///< but what is above, and `take`
  /// Reads the trace into the sink; may be called again.
  std::function<Expected<void>(model::TraceSink &)> read;
  unsigned connections = 2; ///< so many blocks are on their way at a time
  /// Keeps a block that is refused: the others go on without it. Its error, or without this function the server's, ends
  /// the load. One call at a time.
  std::function<Expected<void>(const RefusedBlock &)> refused;
  Patience patience;
};

struct LoadResult {
  bool wasThere = false; ///< nothing was to be done
  std::uint64_t calls = 0, spans = 0, sums = 0;
  std::uint64_t skippedRows = 0; ///< of spans and sums
  std::uint64_t refusedRows = 0; ///< likewise
  std::vector<model::Loss> losses;
};

class Loader {
public:
  Loader(Server &server, const LoadRequest &request);
  /// Errors: those of servers and of reading; E_LOADED: it is there with another plan; E_TAKEN_OVER: another load of
  /// the session began.
  Expected<LoadResult> load();

private:
  Expected<LoadResult> loadOnce();
  Expected<std::vector<std::string>> gates();
  Expected<void> drop(const std::vector<std::string> &gates);
  Error giveWay();
  Expected<void> waitForGates();
  Expected<void> fence();
  std::uint64_t refusedRows() const;
  std::string gateOf(model::BlockKind kind) const;
  std::string tableOf(model::BlockKind kind) const;
  Expected<void> checkShard();
  Expected<uint64_t> countRows(model::BlockKind kind, const std::string &condition);
  Expected<void> lookUp();
  Expected<void> openGate();
  Expected<void> reopen();
  Expected<void> removeOthers();
  Expected<void> insertBlock(const model::SpanBlock &block, unsigned &attempt);
  Expected<void> sendBlock(const model::SpanBlock &block);
  Expected<void> sendSome(std::string_view table, std::string_view columns, model::RowBinary &rows, std::size_t most);
  Expected<void> sendFunctions(const model::SpanBlocks &blocks, const analysis::TraceTable &table);
  Expected<void> sendWays(const model::SpanBlocks &blocks);
  Expected<void> sendRow(const analysis::TraceTable &table);
  Expected<bool> sendAll();

  Server &server_;
  const LoadRequest &request_;
  model::SessionRow row_;
  std::string where_, gate_;
  std::string days_; ///< a condition: those that the session is of, once they are known
  unsigned attempts_ = 0;
  std::uint64_t seed_;
  bool hasBegun_ = false;                                                     // the session has a row
  bool isOpen_ = false;                                                       // the gate, and `there_` is true
  std::map<std::pair<model::BlockKind, std::uint32_t>, std::uint64_t> there_; // rows of each block

  // While blocks are sent: what is above is read with the lock shared, and changed by who has it alone. Whoever wants
  // it first takes the turn, so that readers don't keep the others out for ever.
  std::mutex turn_;
  std::shared_mutex gateLock_;
  std::mutex countsLock_;                             // of what follows, and of LoadRequest::refused
  std::map<model::BlockKind, std::uint64_t> refused_; // rows
  std::uint64_t skipped_ = 0;

  std::uint64_t calls_ = 0, sums_ = 0;
  std::vector<model::Loss> losses_;
};

} // namespace ada::cli
#endif // ADATRACE_FLEET_LOADER_H
