// A ClickHouse server, over its HTTP interface.
#ifndef ADATRACE_FLEET_SERVER_H
#define ADATRACE_FLEET_SERVER_H

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

/// Where it is. Names and passwords are no part of it.
struct ServerAddress {
  std::string url;      ///< "http://host:8123/"
  std::string database; ///< letters, digits and _
  std::string shown;    ///< as it was given
};
/// "clickhouse://HOST[:PORT][,HOST[:PORT]…]/DB", "clickhouses://…" for TLS: one server, or one for each shard of a
/// cluster. Errors: E_USAGE.
Expected<std::vector<ServerAddress>> parseAddresses(const std::string &text);

struct Credentials {
  std::string user, password; ///< no user: the server's default one
};
/// From `file`, or if that is empty from CLICKHOUSE_USER and CLICKHOUSE_PASSWORD. Errors: E_USAGE.
Expected<Credentials> readCredentials(const std::string &file);

/// Errors of queries, by what can be done about them.
///   E_SERVER_DOWN    no answer, or none in time; it may have done what was asked
///   E_SERVER_BUSY    too much at a time: likewise, but it has not done it
///   E_SERVER_FULL    no space on its disk
///   E_ACCESS         user, password, rights
///   E_NO_DATABASE    there is none of that name
///   E_NO_TABLE       a table is not there
///   E_INTERRUPTED    the user does not want it any more
///   E_SERVER         anything else
///
/// insert() may be called by several threads at a time once version() is known, everything else by one.
class Server {
public:
  Server(ServerAddress address, Credentials credentials, std::function<bool()> isInterrupted)
      : address_(std::move(address)), credentials_(std::move(credentials)), isInterrupted_(std::move(isInterrupted)) {}

  const ServerAddress &address() const { return address_; }

  /// 1816 of 18.16. It is asked once.
  Expected<unsigned> version();
  /// It is one of a cluster, and has the rows of its shard in tables whose names end so.
  void setSuffix(std::string_view suffix) { suffix_ = suffix; }
  std::string table(std::string_view name) const { return std::string(name) + suffix_; }
  bool isOfCluster() const { return !suffix_.empty(); }

  /// Sends a query and returns the whole answer. `parameters`: settings, "max_threads=1".
  Expected<std::string> query(std::string_view sql, const std::vector<std::string> &parameters = {});
  /// The same without naming the database, which may not exist.
  Expected<std::string> queryWithoutDatabase(std::string_view sql);
  /// The answer's lines, their columns unescaped (FORMAT TabSeparated).
  Expected<std::vector<std::vector<std::string>>> rows(std::string_view sql);
  /// A whole number, or nothing if the answer has no line.
  Expected<std::optional<std::uint64_t>> number(std::string_view sql);
  /// Inserts rows of RowBinary as one block, which is there as a whole afterwards or, unless the error is
  /// E_SERVER_DOWN, not at all.
  Expected<void> insert(std::string_view table, std::string_view columns, std::string_view rows);

  std::uint64_t sentBytes() const;
  /// Rows are sent no faster than that on average, in compressed bytes a second; 0: as fast as it goes.
  void setRate(std::uint64_t bytesPerSecond) { rate_ = bytesPerSecond; }

private:
  Expected<void> keepToRate(std::uint64_t bytes);
  Expected<std::string> send(std::string_view sql, std::vector<std::string> parameters, std::string_view body,
                             bool hasDatabase);

  ServerAddress address_;
  Credentials credentials_;
  std::function<bool()> isInterrupted_;
  /// What its threads have in common; a server can be moved, a mutex can't.
  struct Sent {
    std::mutex mutex;
    std::uint64_t bytes = 0;
    bool hasAnswered = false;                      ///< something, whatever it was
    std::chrono::steady_clock::time_point mayGoOn; ///< by the rate
  };
  std::unique_ptr<Sent> sent_ = std::make_unique<Sent>();
  std::uint64_t rate_ = 0;
  std::string suffix_;
  unsigned version_ = 0;
};

/// 'text' for a query, escaped.
std::string sqlQuoted(std::string_view text);

/// The exit status for an error of a server, or of opening one.
int exitCodeOf(const Error &error);

} // namespace ada::cli
#endif // ADATRACE_FLEET_SERVER_H
