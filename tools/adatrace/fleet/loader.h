// Loads one session into a database of sessions, completely and exactly once (docs/explanation/fleet.md says how).
#pragma once

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
/// Makes the database and its tables, or checks that they have this version. Errors: E_SCHEMA and those of servers.
Expected<void> makeTables(Server &server, const ClusterRequest &cluster);
/// The statements that makeTables() sends to a server without tables, each ended by ";\n".
Expected<std::string> tableStatements(Server &server, const ClusterRequest &cluster);
/// Errors: E_SCHEMA if the tables don't exist or have another version.
Expected<void> checkTables(Server &server);

/// A block that the server rejects permanently.
struct RefusedBlock {
  uint64_t session;
  const std::string &table, &columns; ///< the rows have these columns, as RowBinary
  const formats::SpanBlock &block;
  const Error &error; ///< the server's answer
};

struct LoadRequest {
  formats::SessionRow row;                 ///< session, plan, name, path, release, labels
  std::vector<uint64_t> earlierPlans = {}; ///< its numbers in earlier versions; a session that they completed is there
  std::vector<formats::ProcessPlace> places;
  bool replaces = false;            ///< delete rows of the session that were loaded with another plan
  formats::SpanBlockOptions blocks; ///< except `take` and values that are above
  /// Reads the trace into the sink; may be called again.
  std::function<Expected<void>(model::TraceSink &)> read;
  unsigned connections = 2; ///< number of blocks that are sent at a time
  /// Keeps a refused block, and the load continues without it. An error of this function ends the load, and without
  /// this function the server's error does. One call at a time.
  std::function<Expected<void>(const RefusedBlock &)> refused;
  Patience patience;
};

struct LoadResult {
  bool wasThere = false; ///< there was nothing to do
  uint64_t calls = 0, spans = 0, sums = 0;
  uint64_t skippedRows = 0; ///< of spans and sums
  uint64_t refusedRows = 0; ///< the same
  std::vector<model::Loss> losses;
};

class Loader {
public:
  Loader(Server &server, const LoadRequest &request);
  /// Errors: those of servers and of reading; E_LOADED: the session was loaded with another plan; E_TAKEN_OVER: another
  /// load of the session began.
  Expected<LoadResult> load();

private:
  Expected<LoadResult> loadOnce();
  Expected<std::vector<std::string>> gates();
  Expected<void> drop(const std::vector<std::string> &gates);
  Error giveWay();
  Expected<void> waitForGates();
  Expected<void> fence();
  uint64_t refusedRows() const;
  std::string gateOf(formats::BlockKind kind) const;
  std::string tableOf(formats::BlockKind kind) const;
  Expected<void> checkShard();
  Expected<uint64_t> countRows(formats::BlockKind kind, const std::string &condition);
  Expected<void> lookUp();
  Expected<void> openGate();
  Expected<void> reopen();
  Expected<void> removeOthers();
  Expected<void> insertBlock(const formats::SpanBlock &block, unsigned &attempt);
  Expected<void> sendBlock(const formats::SpanBlock &block);
  Expected<void> sendSome(std::string_view table, std::string_view columns, formats::RowBinary &rows, size_t most);
  Expected<void> sendFunctions(const formats::SpanBlocks &blocks, const analysis::TraceTable &table);
  Expected<void> sendWays(const formats::SpanBlocks &blocks);
  Expected<void> sendRow(const analysis::TraceTable &table);
  Expected<bool> sendAll();

  Server &server_;
  const LoadRequest &request_;
  formats::SessionRow row_;
  std::string where_, gate_;
  std::string days_; ///< a condition for the session's days, once they are known
  unsigned attempts_ = 0;
  uint64_t seed_;
  bool hasBegun_ = false;                                             // the session has a row
  bool isOpen_ = false;                                               // the gate; `there_` is up to date
  std::map<std::pair<formats::BlockKind, uint32_t>, uint64_t> there_; // rows of each block

  // While blocks are sent, the members above are read under gateLock_ in shared mode and changed under it in exclusive
  // mode. Every thread takes turn_ before the lock, so that readers can't starve a writer.
  std::mutex turn_;
  std::shared_mutex gateLock_;
  std::mutex countsLock_;                          // for the next two members and LoadRequest::refused
  std::map<formats::BlockKind, uint64_t> refused_; // rows
  uint64_t skipped_ = 0;

  uint64_t calls_ = 0, sums_ = 0;
  std::vector<model::Loss> losses_;
};

} // namespace ada::cli
