// Talks to a ClickHouse server over its HTTP interface.
#pragma once

#include "terminal/terminal.h"

#include "ada/trace/error.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ada::cli {

/// The address of a database, without user names and passwords.
struct ServerAddress {
  std::string url;      ///< "http://host:8123/"
  std::string database; ///< letters, digits and _
  std::string shown;    ///< as the user gave it
};
/// "clickhouse://HOST[:PORT][,HOST[:PORT]…]/DB", "clickhouses://…" for TLS: one server, or one for each shard of a
/// cluster. Errors: E_USAGE.
Expected<std::vector<ServerAddress>> parseAddresses(const std::string &text);

struct Credentials {
  std::string user, password; ///< empty user: the server's default user
};
/// Reads them from `file`, or if that is empty from CLICKHOUSE_USER and CLICKHOUSE_PASSWORD. Errors: E_USAGE.
Expected<Credentials> readCredentials(const std::string &file);

/// Errors of queries, by what can be done about them:
///   E_SERVER_DOWN    no answer, or none in time; the server may have executed the query
///   E_SERVER_BUSY    overloaded; the server has not executed the query
///   E_SERVER_FULL    no space on its disk
///   E_ACCESS         user, password, rights
///   E_NO_DATABASE    there is no database of that name
///   E_NO_TABLE       a table does not exist
///   E_INTERRUPTED    the user interrupted it
///   E_SERVER         anything else
///
/// Once version() has returned, several threads may call insert() at a time. Everything else may be called by only one.
class Server {
public:
  Server(ServerAddress address, Credentials credentials, std::function<bool()> isInterrupted)
      : address_(std::move(address)), credentials_(std::move(credentials)), isInterrupted_(std::move(isInterrupted)) {}

  const ServerAddress &address() const { return address_; }

  /// 1816 for 18.16. The server is asked only once.
  Expected<unsigned> version();
  /// Makes this a server of a cluster, whose tables for its shard have names with this suffix.
  void setSuffix(std::string_view suffix) { suffix_ = suffix; }
  std::string table(std::string_view name) const { return std::string(name) + suffix_; }
  bool isOfCluster() const { return !suffix_.empty(); }

  /// Sends a query and returns the whole answer. `parameters`: settings, "max_threads=1".
  Expected<std::string> query(std::string_view sql, const std::vector<std::string> &parameters = {});
  /// The same, without naming the database, which may not exist yet.
  Expected<std::string> queryWithoutDatabase(std::string_view sql);
  /// The answer's lines, their columns unescaped (FORMAT TabSeparated).
  Expected<std::vector<std::vector<std::string>>> rows(std::string_view sql);
  /// A whole number, or nothing if the answer has no line.
  Expected<std::optional<uint64_t>> number(std::string_view sql);
  /// Inserts RowBinary rows as one block. If this succeeds, the whole block is in the table. If it fails, none of it
  /// is, unless the error is E_SERVER_DOWN.
  Expected<void> insert(std::string_view table, std::string_view columns, std::string_view rows);

  uint64_t sentBytes() const;
  /// Limits the average rate at which rows are sent, in compressed bytes per second; 0: no limit.
  void setRate(uint64_t bytesPerSecond) { rate_ = bytesPerSecond; }

private:
  Expected<void> keepToRate(uint64_t bytes);
  Expected<std::string> send(std::string_view sql, const std::vector<std::string> &parameters, std::string_view body,
                             bool hasDatabase);

  ServerAddress address_;
  Credentials credentials_;
  std::function<bool()> isInterrupted_;
  /// Shared by its threads. On the heap because a server can be moved and a mutex can't.
  struct Sent {
    std::mutex mutex;
    uint64_t bytes = 0;
    bool hasAnswered = false;                      ///< the server has answered anything at all
    std::chrono::steady_clock::time_point mayGoOn; ///< when the rate allows the next rows
  };
  std::unique_ptr<Sent> sent_ = std::make_unique<Sent>();
  uint64_t rate_ = 0;
  std::string suffix_;
  unsigned version_ = 0;
};

/// 'text' quoted and escaped for a query.
std::string sqlQuoted(std::string_view text);

/// The exit status for an error of a server, or of connecting to one.
int exitCodeOf(const Error &error);
/// The value; without one, ends `command` with what is wrong and that status.
template <class T> T need(const char *command, Expected<T> result) {
  if (!result)
    stop(exitCodeOf(result.error()), "{}: {}", command, result.error().text());
  return *std::move(result);
}

} // namespace ada::cli
