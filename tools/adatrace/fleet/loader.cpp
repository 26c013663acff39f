// Loads one session into a database of sessions, completely and exactly once.
#include "loader.h"
#include "formats/merge_copies.h"
#include "trace/base/format.h"
#include "trace/base/quantities.h"
#include "trace/base/try.h"

#include <algorithm>
#include <chrono>
#include <random>

namespace ada::cli {

namespace {

constexpr uint64_t kDeletionWaitNs = 100'000'000;
constexpr unsigned kMaxPasses = 3;
constexpr size_t kFunctionBytes = 8 << 20;
constexpr const char *kOtherBlock = "E_OTHER_BLOCK"; // like E_SERVER, but the server did not refuse the block

constexpr formats::BlockKind kKinds[] = {formats::BlockKind::Spans, formats::BlockKind::Sums,
                                         formats::BlockKind::Points};

// For a kind of rows: their table, their columns, and the suffix of their gates.
struct Place {
  const char *table;
  std::string_view columns;
  const char *gate;
};
const Place &placeOf(formats::BlockKind kind) {
  static constexpr Place places[formats::kBlockKinds] = {{"spans", formats::kSpanColumns, ""},
                                                         {"aggregates", formats::kSumColumns, "_sums"},
                                                         {"points", formats::kPointColumns, "_points"}};
  return places[static_cast<size_t>(kind)];
}

uint64_t nowNs() {
  return uint64_t(std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count());
}

std::string initCommand(const Server &server) {
  return fmt::format("`adatrace load --init --to={}`", quotedForShell(server.address().shown));
}

Error schemaError(const Server &server, std::string message) {
  return {.code = "E_SCHEMA", .message = std::move(message), .file = server.address().shown};
}

// Returns nothing if there are no tables.
Expected<std::optional<uint64_t>> schemaVersion(Server &server) {
  const auto exists = ADA_TRY(server.number("EXISTS TABLE schema_version"));
  if (!exists.value_or(0))
    return std::optional<uint64_t>();
  const auto rows = ADA_TRY(server.number("SELECT count() FROM schema_version"));
  return rows.value_or(0) ? server.number("SELECT max(version) FROM schema_version") : std::optional<uint64_t>();
}

Expected<void> isOurs(const Server &server, uint64_t version) {
  if (version == formats::kSchemaVersion)
    return {};
  return schemaError(server,
                     fmt::format("the tables have version {}, but this adatrace needs version {}: use {}", version,
                                 formats::kSchemaVersion,
                                 version > formats::kSchemaVersion ? "a newer adatrace"
                                                                   : initCommand(server) + ", which updates them"));
}

const std::string kNoteVersion = fmt::format("INSERT INTO schema_version VALUES ({})", formats::kSchemaVersion);

Expected<bool> isOfCluster(Server &server) {
  const auto exists = server.number(fmt::format("EXISTS TABLE spans{}", formats::kLocal));
  return exists ? Expected<bool>(exists->value_or(0) != 0) : exists.error();
}

Expected<formats::Layout> layoutOf(Server &server, const ClusterRequest &cluster) {
  const auto version = ADA_TRY(server.version());
  return formats::Layout{server.address().database, cluster.name, cluster.isReplicated, {version}};
}

std::vector<std::string> viewStatements(const formats::Dialect &dialect) {
  std::vector<std::string> statements;
  for (const formats::SchemaView &view : formats::schemaViews()) {
    statements.push_back(fmt::format("DROP TABLE IF EXISTS {}{}", view.name, dialect.waiting()));
    statements.push_back(fmt::format("CREATE VIEW {} AS {}", view.name, view.query));
  }
  return statements;
}

// Upgrades tables of an older version. Columns that an earlier attempt added are already there, and changing a column
// to the type that it has does nothing.
Expected<void> addColumns(Server &server, const std::string &suffix) {
  for (const auto &[name, column, type] : formats::addedColumns()) {
    const std::string table = std::string(name) + suffix;
    const auto there = ADA_TRY(server.number(fmt::format("SELECT count() FROM system.columns WHERE database = "
                                                         "currentDatabase() AND table = {} AND name = {}",
                                                         sqlQuoted(table), sqlQuoted(column))));
    if (!there.value_or(0))
      ADA_TRY(server.query(fmt::format("ALTER TABLE {} ADD COLUMN {} {}", table, column, type)));
  }
  for (const auto &[name, column, type] : formats::changedColumns())
    ADA_TRY(server.query(fmt::format("ALTER TABLE {}{} MODIFY COLUMN {} {}", name, suffix, column, type)));
  return {};
}

} // namespace

Expected<void> checkTables(Server &server) {
  const auto version = ADA_TRY(schemaVersion(server));
  if (!version)
    return schemaError(server, "there are no tables; " + initCommand(server) + " creates them");
  const auto isOne = ADA_TRY(isOfCluster(server));
  server.setSuffix(isOne ? formats::kLocal : "");
  return isOurs(server, *version);
}

Expected<void> makeTables(Server &server, const ClusterRequest &cluster) {
  ADA_TRY(server.queryWithoutDatabase("CREATE DATABASE IF NOT EXISTS " + server.address().database));
  const auto version = ADA_TRY(schemaVersion(server));
  if (version && *version > formats::kSchemaVersion)
    return isOurs(server, *version);
  const auto isOne = ADA_TRY(isOfCluster(server));
  if (version && isOne == cluster.name.empty())
    return schemaError(server, isOne ? "these are the tables of a cluster: use --cluster=NAME"
                                     : "these are the tables of a single server: use another database for a cluster");
  const auto layout = ADA_TRY(layoutOf(server, cluster));
  for (const std::string &statement : formats::schemaTables(layout))
    ADA_TRY(server.query(statement));
  // The loop above makes any tables that an older version lacks. Here the old tables get their new columns.
  if (version && *version < formats::kSchemaVersion)
    for (const char *const suffix : {formats::kLocal.data(), ""})
      if (isOne || !*suffix)
        ADA_TRY(addColumns(server, suffix));
  for (const std::string &statement : viewStatements(layout.dialect))
    ADA_TRY(server.query(statement));
  if (version != formats::kSchemaVersion)
    ADA_TRY(server.query(kNoteVersion));
  server.setSuffix(cluster.name.empty() ? "" : formats::kLocal);
  return {};
}

Expected<std::string> tableStatements(Server &server, const ClusterRequest &cluster) {
  const auto layout = ADA_TRY(layoutOf(server, cluster));
  std::string all = fmt::format("CREATE DATABASE IF NOT EXISTS {0};\nUSE {0};\n", layout.database);
  for (const auto &list : {formats::schemaTables(layout), viewStatements(layout.dialect), {kNoteVersion}})
    for (const std::string &statement : list)
      all += statement + ";\n";
  return all;
}

Loader::Loader(Server &server, const LoadRequest &request)
    : server_(server), request_(request), row_(request.row),
      where_(fmt::format("session = {} AND plan = {}", row_.session, row_.plan)) {
  std::random_device random;
  seed_ = uint64_t(random()) << 32 | random();
}

Expected<std::vector<std::string>> Loader::gates() {
  // In this order, a gate comes before its view. Old servers fail the query if another load drops a table meanwhile.
  const std::string question = fmt::format(
      "SELECT name FROM system.tables WHERE database = currentDatabase() AND name LIKE 'gate\\_{:016x}\\_%' "
      "ORDER BY name",
      row_.session);
  constexpr unsigned kMaxAttempts = 20;
  auto rows = server_.rows(question);
  for (unsigned i = 1; i < kMaxAttempts && !rows && rows.error().code == "E_NO_TABLE"; ++i)
    rows = server_.rows(question);
  if (!rows)
    return rows.error();
  std::vector<std::string> names;
  for (const auto &row : *rows)
    names.push_back(row[0]);
  return names;
}

Expected<void> Loader::drop(const std::vector<std::string> &gates) {
  const auto version = ADA_TRY(server_.version());
  const formats::Dialect dialect{version};
  // The order matters: rows inserted through a gate whose view is already gone would vanish.
  for (const std::string &gate : gates)
    if (auto gone = server_.query(fmt::format("DROP TABLE IF EXISTS {}{}", gate, dialect.waiting()));
        !gone && gone.error().code != "E_NO_TABLE") // another load dropped it; old servers notice that late
      return gone.error();
  return {};
}

// A statement from a loader that was killed may still be running, and may make a gate after all gates were dropped.
Expected<void> Loader::waitForGates() {
  constexpr uint64_t kWaitNs = 20'000'000, kMaxWaitNs = 10'000'000'000;
  for (uint64_t waitedNs = 0; waitedNs < kMaxWaitNs; waitedNs += kWaitNs) {
    const auto running = server_.number(fmt::format(
        "SELECT count() FROM system.processes WHERE query LIKE 'CREATE %gate\\_{:016x}\\_%'", row_.session));
    if (!running && running.error().code == "E_ACCESS")
      return {}; // not every user may see running queries
    if (!running)
      return running.error();
    if (running->value_or(0) == 0)
      return {};
    if (!request_.patience.wait(kWaitNs))
      return Patience::interrupted();
  }
  return {};
}

// When this returns, a block that an earlier attempt sent is either there or will never be.
Expected<void> Loader::fence() {
  ADA_TRY(waitForGates());
  const auto all = gates();
  return all ? drop(*all) : all.error();
}

Expected<void> Loader::lookUp() {
  there_.clear();
  if (!hasBegun_) {
    // A session without a row can't have any blocks. So the query below, which looks at every call in the database, can
    // be skipped.
    const auto rows = ADA_TRY(server_.number(
        fmt::format("SELECT count() FROM {} WHERE session = {}", server_.table("sessions"), row_.session)));
    ADA_TRY(sendRow({}));
    hasBegun_ = true;
    if (!rows.value_or(0))
      return {};
  }
  for (const formats::BlockKind kind : kKinds) {
    const auto blocks = ADA_TRY(
        server_.rows(fmt::format("SELECT block, count() FROM {} WHERE {} GROUP BY block", tableOf(kind), where_)));
    for (const auto &row : blocks)
      there_[{kind, static_cast<uint32_t>(std::stoull(row[0]))}] = std::stoull(row.at(1));
  }
  return {};
}

std::string Loader::tableOf(formats::BlockKind kind) const { return server_.table(placeOf(kind).table); }
std::string Loader::gateOf(formats::BlockKind kind) const { return gate_ + placeOf(kind).gate; }

Expected<void> Loader::openGate() {
  gate_ = fmt::format("gate_{:016x}_{:016x}{:04x}", row_.session, seed_, ++attempts_);
  for (const formats::BlockKind kind : kKinds)
    for (const std::string &statement : formats::gateTables(kind, gateOf(kind), tableOf(kind)))
      if (auto made = server_.query(statement); !made)
        return made.error().code == "E_NO_TABLE" ? giveWay() : made.error();
  // If another load of the session has begun since the fence, one of the two gives way.
  const auto all = ADA_TRY(gates());
  std::vector<std::string> others;
  for (const std::string &name : all)
    if (!name.starts_with(gate_))
      others.push_back(name);
  if (others.empty() || others.back() < gate_)
    return drop(others);
  return giveWay();
}

// The other load has dropped the gate or will drop it, but it may not have seen the view.
Error Loader::giveWay() {
  std::vector<std::string> all;
  for (const char *const rest : {"", "_view"})
    for (const formats::BlockKind kind : kKinds)
      all.push_back(gateOf(kind) + rest);
  ADA_TRY(drop(all));
  return {.code = "E_TAKEN_OVER",
          .message = "another load of this session has started and replaces this one",
          .file = row_.path};
}

Expected<void> Loader::reopen() {
  isOpen_ = false;
  return request_.patience.retry([&]() -> Expected<void> {
    for (const auto step : {&Loader::fence, &Loader::openGate, &Loader::lookUp})
      ADA_TRY((this->*step)());
    isOpen_ = true;
    return {};
  });
}

Expected<void> Loader::removeOthers() {
  const std::string others = fmt::format("session = {} AND plan != {}{}", row_.session, row_.plan, days_);
  return request_.patience.retry([&]() -> Expected<void> {
    ADA_TRY(fence());
    for (const formats::BlockKind kind : kKinds) {
      const auto rows = ADA_TRY(countRows(kind, others));
      if (rows == 0)
        continue;
      ADA_TRY(server_.query(fmt::format("ALTER TABLE {} DELETE WHERE {}", tableOf(kind), others)));
      for (;;) {
        const auto left = ADA_TRY(countRows(kind, others));
        if (left == 0)
          break;
        if (!request_.patience.wait(kDeletionWaitNs))
          return Patience::interrupted();
      }
    }
    return {};
  });
}

Expected<uint64_t> Loader::countRows(formats::BlockKind kind, const std::string &condition) {
  const auto rows = server_.number(fmt::format("SELECT count() FROM {} WHERE {}", tableOf(kind), condition));
  return rows ? Expected<uint64_t>(rows->value_or(0)) : rows.error();
}

Expected<void> Loader::insertBlock(const formats::SpanBlock &block, unsigned &attempt) {
  std::shared_lock<std::shared_mutex> lock(gateLock_, std::defer_lock);
  {
    const std::lock_guard turn(turn_);
    lock.lock();
  }
  attempt = attempts_;
  if (!isOpen_) // another thread failed to reopen it
    return Error{.code = "E_SERVER_DOWN", .message = "the server does not answer", .file = server_.address().shown};
  const auto there = there_.find({block.kind, block.number});
  if (there == there_.end())
    return server_.insert(gateOf(block.kind), placeOf(block.kind).columns, block.bytes);
  const std::lock_guard counts(countsLock_);
  skipped_ += block.rows;
  if (there->second == block.rows)
    return {};
  return Error{.code = kOtherBlock,
               .message = fmt::format("block {} of the session has {} on the server, but should have {}", block.number,
                                      formatCount(there->second, "row"), formatCount(block.rows)),
               .file = server_.address().shown};
}

// May be called by several threads at a time.
Expected<void> Loader::sendBlock(const formats::SpanBlock &block) {
  unsigned attempt = 0;
  auto sent = request_.patience.retry([&] { return insertBlock(block, attempt); },
                                      [&]() -> Expected<void> {
                                        // The block may have arrived nevertheless.
                                        const std::lock_guard turn(turn_);
                                        const std::unique_lock lock(gateLock_);
                                        return isOpen_ && attempts_ != attempt ? Expected<void>() : reopen();
                                      });
  if (!sent && sent.error().code == "E_SERVER" && request_.refused) {
    const std::lock_guard counts(countsLock_);
    const std::string table = tableOf(block.kind), columns(placeOf(block.kind).columns);
    refused_[block.kind] += block.rows;
    return request_.refused({row_.session, table, columns, block, sent.error()});
  }
  if (sent || sent.error().code != "E_NO_TABLE")
    return sent;
  const std::lock_guard turn(turn_);
  const std::unique_lock lock(gateLock_);
  return giveWay();
}

uint64_t Loader::refusedRows() const {
  uint64_t rows = 0;
  for (const auto &[kind, count] : refused_)
    rows += count;
  return rows;
}

// Rows may be sent again: the engines of these tables merge equal rows.
Expected<void> Loader::sendSome(std::string_view table, std::string_view columns, formats::RowBinary &rows,
                                size_t most) {
  if (rows.bytes().size() <= most)
    return {};
  auto sent = request_.patience.retry([&] { return server_.insert(server_.table(table), columns, rows.bytes()); });
  rows.clear();
  return sent;
}

Expected<void> Loader::sendFunctions(const formats::SpanBlocks &blocks, const analysis::TraceTable &table) {
  formats::RowBinary rows;
  const auto send = [&](size_t most) { return sendSome("functions", formats::kFunctionColumns, rows, most); };
  for (const model::Function &function : table.functions) {
    formats::putFunction(rows, function, table.processes[function.process]);
    ADA_TRY(send(kFunctionBytes));
  }
  for (const auto &[hash, name] : blocks.marks()) {
    formats::putMark(rows, hash, name);
    ADA_TRY(send(kFunctionBytes));
  }
  return send(0);
}

Expected<void> Loader::sendWays(const formats::SpanBlocks &blocks) {
  formats::RowBinary rows;
  const auto send = [&](size_t most) { return sendSome("ways", formats::kWayColumns, rows, most); };
  for (const auto &[number, way] : blocks.ways()) {
    rows.number(way.way).number(way.parent).number(way.function);
    ADA_TRY(send(kFunctionBytes));
  }
  return send(0);
}

Expected<void> Loader::sendRow(const analysis::TraceTable &table) {
  row_.version = std::max(row_.version + 1, nowNs());
  formats::RowBinary row;
  formats::putSession(row, row_, table, request_.places);
  return request_.patience.retry(
      [&] { return server_.insert(server_.table("sessions"), formats::kSessionColumns, row.bytes()); });
}

// Returns false if the server has lost some of the rows since.
Expected<bool> Loader::sendAll() {
  ADA_TRY(reopen());
  skipped_ = 0;
  refused_.clear();
  formats::SpanBlockOptions options = request_.blocks;
  options.session = row_.session, options.plan = row_.plan;
  options.release = row_.release;
  options.places = request_.places;
  BlockSender sender(request_.connections, [this](const formats::SpanBlock &block) { return sendBlock(block); });
  options.take = [&](const formats::SpanBlock &block) { return sender.take(block); };
  formats::SpanBlocks blocks(std::move(options));
  ADA_TRY(request_.read(*formats::mergeCopies(blocks)));
  ADA_TRY(sender.finish());
  ADA_TRY(sendFunctions(blocks, blocks.table()));
  ADA_TRY(sendWays(blocks));
  ADA_TRY(request_.patience.retry([&] { return fence(); }));
  // Limits the days, so that the server need not search all calls.
  constexpr uint64_t kDayNs = uint64_t(86'400) * 1'000'000'000;
  // Sums begin before their first call does.
  const uint64_t firstNs = blocks.beganNs() - std::min(blocks.beganNs(), request_.blocks.stepNs);
  days_ = fmt::format(" AND day >= toDate({}) AND day <= toDate({})", firstNs / kDayNs, blocks.endedNs() / kDayNs);
  // Remove rows of a load with other options that began at the same time.
  ADA_TRY(removeOthers());
  for (const formats::BlockKind kind : kKinds) {
    const auto rows = ADA_TRY(request_.patience.retry([&] { return countRows(kind, where_ + days_); }));
    const uint64_t wanted = blocks.rows(kind) - refused_[kind];
    if (rows < wanted)
      return false;
    if (rows > wanted)
      return Error{.code = "E_SERVER",
                   .message = fmt::format("the server has {} of the session in {}, but should have {}",
                                          formatCount(rows, "row"), tableOf(kind), formatCount(wanted)),
                   .file = server_.address().shown};
  }
  row_.isComplete = true;
  row_.beganNs = blocks.beganNs(), row_.endedNs = blocks.endedNs();
  row_.spans = blocks.rows(formats::BlockKind::Spans) - refused_[formats::BlockKind::Spans];
  calls_ = blocks.calls(), sums_ = blocks.rows(formats::BlockKind::Sums);
  losses_ = blocks.losses();
  ADA_TRY(sendRow(blocks.table()));
  return true;
}

// A session on another server of the cluster must not be loaded into this one as well.
Expected<void> Loader::checkShard() {
  if (!server_.isOfCluster())
    return {};
  return request_.patience.retry([&]() -> Expected<void> {
    uint64_t counts[2] = {};
    for (size_t i = 0; const std::string &table : {std::string("sessions"), server_.table("sessions")}) {
      const auto rows = ADA_TRY(
          server_.number(fmt::format("SELECT uniqExact(version) FROM {} WHERE session = {}", table, row_.session)));
      counts[i++] = rows.value_or(0);
    }
    if (counts[0] > counts[1])
      return Error{.code = "E_LOADED",
                   .message = "the session is on another server of the cluster: name the same servers in the same "
                              "order as when it was loaded",
                   .file = row_.path};
    return {};
  });
}

Expected<LoadResult> Loader::loadOnce() {
  ADA_TRY(checkShard());
  const auto known = request_.patience.retry([&] {
    return server_.rows(
        fmt::format("SELECT version, state, plan FROM {} WHERE session = {} ORDER BY version DESC LIMIT 1",
                    server_.table("sessions"), row_.session));
  });
  if (!known)
    return known.error();
  if (!known->empty()) {
    const std::vector<std::string> &last = known->front();
    row_.version = std::stoull(last.at(0));
    const bool isComplete = last.at(1) == "complete", isSame = last.at(2) == std::to_string(row_.plan);
    const auto isLast = [&](uint64_t plan) { return last.at(2) == std::to_string(plan); };
    if (isComplete && (isSame || std::ranges::any_of(request_.earlierPlans, isLast)))
      return LoadResult{.wasThere = true, .losses = {}};
    if (isComplete && !request_.replaces)
      return Error{.code = "E_LOADED",
                   .message = "the session is already loaded, from other files, with other options or when it was "
                              "shorter; --replace loads it again",
                   .file = row_.path};
    if (!isSame)
      ADA_TRY(removeOthers());
  }
  for (unsigned pass = 0; pass < kMaxPasses; ++pass) {
    const auto done = ADA_TRY(sendAll());
    if (done)
      return LoadResult{.calls = calls_,
                        .spans = row_.spans,
                        .sums = sums_,
                        .skippedRows = skipped_,
                        .refusedRows = refusedRows(),
                        .losses = losses_};
    request_.patience.say("the server lost calls that it had confirmed; they are sent again");
  }
  return Error{.code = "E_SERVER",
               .message = "the server repeatedly lost calls that it had confirmed",
               .file = server_.address().shown};
}

// If several loads begin at the same moment, each may give way to another. Then one of them begins again.
Expected<LoadResult> Loader::load() {
  constexpr unsigned kMaxTurns = 20;
  constexpr uint64_t kLeastWaitNs = 50'000'000, kMoreWaitNs = 250'000'000;
  std::minstd_rand random(static_cast<unsigned>(seed_));
  for (unsigned turn = 1;; ++turn) {
    auto done = loadOnce();
    if (done || done.error().code != "E_TAKEN_OVER" || turn == kMaxTurns)
      return done;
    if (!request_.patience.wait(kLeastWaitNs + random() % kMoreWaitNs))
      return Patience::interrupted();
    if (const auto all = gates(); !all || !all->empty())
      return done; // the other load continues
  }
}

} // namespace ada::cli
