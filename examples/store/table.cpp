// Reads, writes and compaction of one table.
#include "table.h"

namespace {

// A journal longer than kLongJournal is compacted. Above kFullJournal, the table takes no more rows until then.
constexpr size_t kLongJournal = 256 << 10;
constexpr size_t kFullJournal = kLongJournal + (16 << 10);

} // namespace

Table::Table(const std::string &path, Queue<Table *> &longJournals)
    : path_(path), longJournals_(longJournals), journal_(path, Journal::Writes::Soon) {}

std::optional<std::string> Table::get(const std::string &key) {
  std::lock_guard lock(mutex_);
  const auto row = rows_.find(key);
  return row == rows_.end() ? std::nullopt : std::optional(row->second);
}

bool Table::put(const std::string &key, const std::string &value) {
  std::lock_guard lock(mutex_);
  if (journal_.bytes() > kFullJournal)
    return false;
  rows_[key] = value;
  journal_.append(key, value);
  if (journal_.bytes() > kLongJournal && !isCompactionDue_) {
    isCompactionDue_ = true;
    longJournals_.push(this);
  }
  return true;
}

size_t Table::count() {
  std::lock_guard lock(mutex_);
  return rows_.size();
}

#ifndef SHORT_LOCK
// The mistake: the lock protects the rows, but it is held until the last of them is on the disk. Requests for this
// table wait that long.
void Table::compact() {
  std::lock_guard lock(mutex_);
  Journal compacted(path_ + ".new", Journal::Writes::Now);
  for (const auto &[key, value] : rows_)
    compacted.append(key, value);
  journal_.replaceBy(compacted);
  isCompactionDue_ = false;
  ++compactions_;
}
#else
// Without the mistake (-DSHORT_LOCK): rows are copied under the lock, and written without it; then those that changed
// meanwhile, until there are none.
void Table::compact() {
  Journal compacted(path_ + ".new", Journal::Writes::Now);
  std::unordered_map<std::string, std::string> written;
  for (;;) {
    std::unique_lock lock(mutex_);
    std::unordered_map<std::string, std::string> changed;
    for (const auto &[key, value] : rows_)
      if (const auto known = written.find(key); known == written.end() || known->second != value)
        changed.emplace(key, value);
    if (changed.empty()) {
      journal_.replaceBy(compacted);
      isCompactionDue_ = false;
      ++compactions_;
      return;
    }
    lock.unlock();
    for (const auto &[key, value] : changed) {
      compacted.append(key, value);
      written[key] = value;
    }
    compacted.flush();
  }
}
#endif

unsigned Table::compactions() {
  std::lock_guard lock(mutex_);
  return compactions_;
}
