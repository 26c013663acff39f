// Rows in memory under one lock, and the journal that stores them.
#ifndef STORE_TABLE_H
#define STORE_TABLE_H

#include "journal.h"
#include "queue.h"

#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

class Table {
public:
  /// When its journal has become long, a table puts itself into `longJournals`.
  Table(const std::string &path, Queue<Table *> &longJournals);

  std::optional<std::string> get(const std::string &key);
  /// False if the journal is too long: it must be compacted first, so try again later.
  bool put(const std::string &key, const std::string &value);
  size_t count();

  /// Writes a new journal with only the current rows.
  void compact();
  unsigned compactions();

private:
  std::string path_;
  Queue<Table *> &longJournals_;
  std::mutex mutex_; // guards everything below
  std::unordered_map<std::string, std::string> rows_;
  Journal journal_;
  bool isCompactionDue_ = false;
  unsigned compactions_ = 0;
};

#endif // STORE_TABLE_H
