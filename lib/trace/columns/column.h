// Rows of any table, held as columns until a writer takes them: parquet.h, arrow.h.
//
//   std::unique_ptr<columns::TableWriter> table = columns::makeParquetWriter(
//       {{"name", columns::ColumnType::Word}, {"dur", columns::ColumnType::Int64, /*mayBeNull=*/true}}, bytes);
//   columns::Column &name = (*table)[0], &dur = (*table)[1];
//   for (const Call &call : calls) {
//     name.word(call.name);
//     call.hasEnded ? dur.integer(call.durationNs) : dur.null();
//     table->endRow();
//   }
//   table->finish();
//   return table->status();
//
// Nothing here knows of traces: exports (lib/formats/arrow, lib/formats/parquet) and results of queries use it.
#pragma once

#include "ada/trace/error.h"
#include "trace/base/table.h"
#include "trace/base/text.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ada::columns {

enum class ColumnType : uint8_t {
  Int64,
  Uint64,
  Uint32,
  Double,
  Bool,
  Timestamp, ///< nanoseconds since the start of a clock that has no time zone
  Text,      ///< UTF-8; mostly different in each row
  Word,      ///< UTF-8; of a set that fits into memory: a dictionary
};

struct ColumnSpec {
  std::string name;
  ColumnType type = ColumnType::Int64;
  bool mayBeNull = false;
};

/// A column of a table that is described elsewhere: integers of 64 bits, or what the description says.
ColumnSpec specOf(const ColumnInfo &column);

/// Numbers different texts from 0, in the order in which they came.
class Words {
public:
  Words() = default;
  Words(Words &&) = default;
  /// Bytes that are not UTF-8 become U+FFFD.
  uint32_t add(std::string_view text) {
    if (!isUtf8(text))
      return add(validUtf8(text));
    if (const auto found = numbers_.find(text); found != numbers_.end())
      return found->second;
    const auto number = static_cast<uint32_t>(texts_.size());
    numbers_.emplace(texts_.emplace_back(text), number);
    bytes_ += text.size();
    return number;
  }
  size_t size() const { return texts_.size(); }
  size_t bytes() const { return bytes_; } ///< of all texts
  const std::string &operator[](size_t number) const { return texts_[number]; }
  void clear() {
    numbers_.clear();
    texts_.clear();
    bytes_ = 0;
  }

private:
  std::deque<std::string> texts_; // they stay where they are
  std::unordered_map<std::string_view, uint32_t> numbers_;
  size_t bytes_ = 0;
};

/// The values of one column in the rows that no writer has taken yet. Each row gets one value: by integer(), real(),
/// text(), word() or wordNumbered(), as the type says, or by null() if the column may be null.
class Column {
public:
  explicit Column(ColumnSpec spec) : spec_(std::move(spec)) {}

  /// Int64 and Timestamp: the bits of a signed number. Bool: 0 or 1.
  void integer(uint64_t value) { add(value, true); }
  void real(double value) { add(std::bit_cast<uint64_t>(value), true); }
  /// Bytes that are not UTF-8 become U+FFFD.
  void text(std::string_view value) {
    if (isUtf8(value))
      texts_.append(value);
    else
      texts_.append(validUtf8(value));
    add(texts_.size(), true);
  }
  void word(std::string_view value) { wordNumbered(words_.add(value)); }
  /// For a text that comes again and again: number it once.
  uint32_t numberOfWord(std::string_view value) { return words_.add(value); }
  void wordNumbered(uint32_t number) { add(number, true); }
  void null() { add(spec_.type == ColumnType::Text ? texts_.size() : 0, false); }

  // For writers.
  const ColumnSpec &spec() const { return spec_; }
  size_t size() const { return values_.size(); }
  size_t nulls() const { return nulls_; }
  bool isNull(size_t row) const { return nulls_ > 0 && !valid_[row]; }
  /// Null rows have 0. Text: where the text ends in texts().
  std::span<const uint64_t> values() const { return values_; }
  const std::string &texts() const { return texts_; }
  std::string_view textAt(size_t row) const {
    const size_t begin = row ? values_[row - 1] : 0;
    return std::string_view(texts_).substr(begin, values_[row] - begin);
  }
  const Words &words() const { return words_; }
  /// Forgets the rows, but not the words.
  void clear() {
    values_.clear();
    valid_.clear();
    texts_.clear();
    nulls_ = 0;
  }

private:
  void add(uint64_t value, bool isValid) {
    values_.push_back(value);
    if (spec_.mayBeNull)
      valid_.push_back(isValid);
    nulls_ += !isValid;
  }

  ColumnSpec spec_;
  std::vector<uint64_t> values_;
  std::vector<uint8_t> valid_; // if the column may be null
  std::string texts_;
  Words words_;
  size_t nulls_ = 0;
};

/// Receives the bytes of the file in order; false if they could not be written.
using WriteBytes = std::function<bool(std::span<const std::byte>)>;

/// Writes rows as a file. Memory: `kBatchRows` rows, the words, and what the format needs besides.
class TableWriter {
public:
  virtual ~TableWriter() = default;
  TableWriter(const TableWriter &) = delete;
  TableWriter &operator=(const TableWriter &) = delete;

  /// By the order of the specs.
  Column &operator[](size_t column) { return columns_[column]; }
  /// The column with that name, which there must be.
  Column &operator[](std::string_view name);
  /// Every column has its value for this row.
  void endRow() {
    if (++rows_ >= kBatchRows || isFull())
      writeRows();
  }
  /// The file is complete unless there is an error.
  void finish();
  /// The first error; after it, nothing is written.
  const Expected<void> &status() const { return status_; }

protected:
  TableWriter(std::vector<ColumnSpec> specs, WriteBytes write);

  /// Takes the rows of columns(), of which there is at least one.
  virtual void takeRows() = 0;
  virtual void writeEnd() = 0;

  const std::vector<Column> &columns() const { return columns_; }
  size_t rows() const { return rows_; } ///< that columns() holds
  void put(std::string_view bytes);
  uint64_t written() const { return written_; }
  void fail(std::string message);

private:
  static constexpr size_t kBatchRows = 1 << 15;       // 256 KiB a column
  static constexpr size_t kBatchTextBytes = 16 << 20; // offsets into the texts of a batch must have 31 bits
  bool isFull() const {
    for (const size_t column : textColumns_)
      if (columns_[column].texts().size() >= kBatchTextBytes)
        return true;
    return false;
  }
  void writeRows();

  std::vector<Column> columns_;
  std::vector<size_t> textColumns_;
  size_t rows_ = 0;
  WriteBytes write_;
  uint64_t written_ = 0;
  Expected<void> status_;
};

} // namespace ada::columns
