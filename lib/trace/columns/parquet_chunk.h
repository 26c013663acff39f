// The pages of one column in a row group of a Parquet file.
#pragma once

#include "trace/columns/column.h"
#include "trace/columns/number_dictionary.h"
#include "trace/columns/thrift.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ada::columns {

/// What the format has for values of columns.
enum PhysicalType : int32_t { kBoolean = 0, kInt32 = 1, kInt64 = 2, kDouble = 5, kByteArray = 6 };
PhysicalType physicalType(ColumnType type);

void appendLittle(std::string &to, uint64_t value, unsigned bytes);

/// Takes rows until finish(), which begins the next row group.
class ParquetChunk {
public:
  explicit ParquetChunk(const ColumnSpec &spec) : spec_(spec) {}

  /// The rows become a page.
  void add(const Column &column);
  /// The size of the pages so far, without the dictionary.
  size_t bytes() const { return pages_.size(); }
  /// A page has more bytes than the format has numbers for.
  bool isTooLarge() const { return isTooLarge_; }

  /// The chunk, which is to be at `offset` in the file. Appends its metadata, a ColumnChunk, and adds what the chunk
  /// would have without compression.
  std::string finish(uint64_t offset, std::string &metadata, uint64_t &plainBytes);

private:
  enum Encoding : int32_t { kPlain = 0, kRle = 3, kDeltaBinaryPacked = 5, kRleDictionary = 8 };
  enum PageType : int32_t { kDataPage = 0, kDictionaryPage = 2 };

  void appendLevels(std::string &page, const Column &column);
  Encoding appendValues(std::string &page, const Column &column);
  Encoding appendIntegers(std::string &page, std::span<const uint64_t> values);
  Encoding appendTexts(std::string &page, const Column &column);
  bool numberIntegers(std::span<const uint64_t> values);
  bool numberTexts(const Column &column);
  Encoding appendNumbers(std::string &page, size_t known);
  std::string dictionaryPage();
  std::string packed(const std::string &page);
  void noteExtremes(std::span<const uint64_t> values);
  bool isLess(uint64_t a, uint64_t b) const;
  std::vector<int32_t> encodings() const;
  void writeStatistics(ThriftStruct &statistics) const;
  void beginGroup();

  const ColumnSpec &spec_;
  std::string pages_;
  uint64_t rows_ = 0, nulls_ = 0, plainBytes_ = 0, packedBytes_ = 0;
  bool hasIndices_ = false, hasOthers_ = false; // pages with numbers of the dictionary, and without
  bool isTooLarge_ = false;
  bool hasExtremes_ = false;
  uint64_t least_ = 0, greatest_ = 0;
  // The dictionary. When it is full, the rest of the row group does without; if that happens to the first page, the
  // rest of the file does, because it is likely to happen again.
  NumberDictionary integers_;
  Words texts_;
  std::vector<uint32_t> numberHere_; // of a column's word in the dictionary
  bool usesDictionary_ = true, mayUseDictionary_ = true;
  // For the current page:
  std::vector<uint32_t> numbers_;
  std::vector<uint64_t> known_;
};

} // namespace ada::columns
