// The pages of one column in a row group of a Parquet file.
//
// The numbers in the structs are those of parquet.thrift:
// https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
#include "trace/columns/parquet_chunk.h"

#include "trace/base/zstd_frame.h"
#include "trace/columns/parquet_encodings.h"

#include <algorithm>
#include <utility>

namespace ada::columns {

static constexpr size_t kMaxTextBytes = 1 << 20; // of a dictionary, as parquet-mr has it
static constexpr uint32_t kNoNumber = ~uint32_t{0};

PhysicalType physicalType(ColumnType type) {
  switch (type) {
  case ColumnType::Bool:
    return kBoolean;
  case ColumnType::Uint32:
    return kInt32;
  case ColumnType::Double:
    return kDouble;
  case ColumnType::Text:
  case ColumnType::Word:
    return kByteArray;
  default:
    return kInt64;
  }
}

static unsigned integerBytes(ColumnType type) { return physicalType(type) == kInt32 ? 4 : 8; }

void appendLittle(std::string &to, uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i)
    to += static_cast<char>(value >> 8 * i);
}

static void appendByteArray(std::string &to, std::string_view text) {
  appendLittle(to, text.size(), 4);
  to.append(text);
}

static void writeSizes(ThriftStruct &header, int32_t type, const std::string &page, const std::string &body) {
  header.i32(1, type);
  header.i32(2, static_cast<int32_t>(page.size()));
  header.i32(3, static_cast<int32_t>(body.size()));
}

void ParquetChunk::add(const Column &column) {
  std::string page;
  if (spec_.mayBeNull)
    appendLevels(page, column);
  const Encoding encoding = appendValues(page, column);
  const std::string body = packed(page);
  ThriftStruct(pages_, [&](ThriftStruct &header) {
    writeSizes(header, kDataPage, page, body);
    header.structure(5, [&](ThriftStruct &data) {
      data.i32(1, static_cast<int32_t>(column.size()));
      data.i32(2, encoding);
      data.i32(3, kRle);
      data.i32(4, kRle);
    });
  });
  pages_ += body;
  (encoding == kRleDictionary ? hasIndices_ : hasOthers_) = true;
  rows_ += column.size();
  nulls_ += column.nulls();
}

// Which rows are null.
void ParquetChunk::appendLevels(std::string &page, const Column &column) {
  numbers_.assign(column.size(), 1);
  if (column.nulls() > 0)
    for (size_t row = 0; row < column.size(); ++row)
      numbers_[row] = !column.isNull(row);
  std::string runs;
  appendRuns(runs, numbers_, 1);
  appendByteArray(page, runs);
}

ParquetChunk::Encoding ParquetChunk::appendValues(std::string &page, const Column &column) {
  if (physicalType(spec_.type) == kByteArray)
    return appendTexts(page, column);
  std::span<const uint64_t> values = column.values();
  if (column.nulls() > 0) {
    known_.clear();
    for (size_t row = 0; row < column.size(); ++row)
      if (!column.isNull(row))
        known_.push_back(values[row]);
    values = known_;
  }
  if (spec_.type == ColumnType::Bool)
    appendBits(page, values);
  else if (spec_.type == ColumnType::Double)
    for (const uint64_t value : values)
      appendLittle(page, value, 8);
  else
    return appendIntegers(page, values);
  return kPlain;
}

ParquetChunk::Encoding ParquetChunk::appendIntegers(std::string &page, std::span<const uint64_t> values) {
  noteExtremes(values);
  if (usesDictionary_ && numberIntegers(values))
    return appendNumbers(page, integers_.values().size());
  appendDeltas(page, values, integerBytes(spec_.type) == 4);
  return kDeltaBinaryPacked;
}

ParquetChunk::Encoding ParquetChunk::appendTexts(std::string &page, const Column &column) {
  if (usesDictionary_ && numberTexts(column))
    return appendNumbers(page, texts_.size());
  for (size_t row = 0; row < column.size(); ++row)
    if (!column.isNull(row))
      appendByteArray(page, column.textAt(row));
  return kPlain;
}

// Finds the numbers of the page's values in the dictionary; false if there are too many, or if it does not pay.
bool ParquetChunk::numberIntegers(std::span<const uint64_t> values) {
  const size_t most = integers_.values().size() + std::max<size_t>(values.size() / 4, 64);
  numbers_.clear();
  for (const uint64_t value : values) {
    const std::optional<uint32_t> number = integers_.add(value);
    if (!number || *number >= most) {
      usesDictionary_ = false;
      mayUseDictionary_ = hasIndices_;
      return false;
    }
    numbers_.push_back(*number);
  }
  return true;
}

// The same. A dictionary of words has only the words of this row group, but all of those.
bool ParquetChunk::numberTexts(const Column &column) {
  const bool isWord = spec_.type == ColumnType::Word;
  if (isWord)
    numberHere_.resize(column.words().size(), kNoNumber);
  numbers_.clear();
  for (size_t row = 0; row < column.size(); ++row) {
    if (column.isNull(row))
      continue;
    if (isWord) {
      uint32_t &number = numberHere_[column.values()[row]];
      if (number == kNoNumber)
        number = texts_.add(column.words()[column.values()[row]]);
      numbers_.push_back(number);
    } else if (texts_.bytes() < kMaxTextBytes) {
      numbers_.push_back(texts_.add(column.textAt(row)));
    } else {
      usesDictionary_ = false;
      mayUseDictionary_ = hasIndices_;
      return false;
    }
  }
  return true;
}

ParquetChunk::Encoding ParquetChunk::appendNumbers(std::string &page, size_t known) {
  const unsigned width = widthFor(known ? static_cast<uint32_t>(known - 1) : 0);
  page += static_cast<char>(width);
  appendRuns(page, numbers_, width);
  return kRleDictionary;
}

std::string ParquetChunk::dictionaryPage() {
  std::string page;
  for (const uint64_t value : integers_.values())
    appendLittle(page, value, integerBytes(spec_.type));
  for (size_t i = 0; i < texts_.size(); ++i)
    appendByteArray(page, texts_[i]);
  const std::string body = packed(page);
  std::string bytes;
  ThriftStruct(bytes, [&](ThriftStruct &header) {
    writeSizes(header, kDictionaryPage, page, body);
    header.structure(7, [&](ThriftStruct &values) {
      values.i32(1, static_cast<int32_t>(integers_.values().size() + texts_.size()));
      values.i32(2, kPlain);
    });
  });
  return bytes += body;
}

std::string ParquetChunk::packed(const std::string &page) {
  isTooLarge_ |= page.size() > INT32_MAX;
  std::string body = page;
  if (zstd::canCompress()) {
    const auto frame = zstd::checkedFrame({reinterpret_cast<const unsigned char *>(page.data()), page.size()});
    body.assign(frame.begin(), frame.end());
  }
  plainBytes_ += page.size();
  packedBytes_ += body.size();
  return body;
}

bool ParquetChunk::isLess(uint64_t a, uint64_t b) const {
  const bool isUnsigned = spec_.type == ColumnType::Uint32 || spec_.type == ColumnType::Uint64;
  return isUnsigned ? a < b : static_cast<int64_t>(a) < static_cast<int64_t>(b);
}

void ParquetChunk::noteExtremes(std::span<const uint64_t> values) {
  for (const uint64_t value : values) {
    const bool isFirst = !std::exchange(hasExtremes_, true);
    least_ = isFirst || isLess(value, least_) ? value : least_;
    greatest_ = isFirst || isLess(greatest_, value) ? value : greatest_;
  }
}

std::vector<int32_t> ParquetChunk::encodings() const {
  std::vector<int32_t> list = {kRle}; // of levels
  const bool hasDeltas = physicalType(spec_.type) == kInt32 || physicalType(spec_.type) == kInt64;
  if (hasIndices_)
    list.push_back(kRleDictionary);
  if (hasOthers_ && hasDeltas)
    list.push_back(kDeltaBinaryPacked);
  if (hasIndices_ || (hasOthers_ && !hasDeltas)) // the dictionary itself is plain
    list.push_back(kPlain);
  return list;
}

void ParquetChunk::writeStatistics(ThriftStruct &statistics) const {
  statistics.i64(3, nulls_);
  if (!hasExtremes_)
    return;
  std::string least, greatest;
  appendLittle(least, least_, integerBytes(spec_.type));
  appendLittle(greatest, greatest_, integerBytes(spec_.type));
  statistics.binary(5, greatest);
  statistics.binary(6, least);
}

std::string ParquetChunk::finish(uint64_t offset, std::string &metadata, uint64_t &plainBytes) {
  std::string bytes = hasIndices_ ? dictionaryPage() : std::string();
  const uint64_t firstPage = offset + bytes.size();
  bytes += pages_;
  const uint64_t plainSize = bytes.size() - packedBytes_ + plainBytes_; // headers are never compressed
  ThriftStruct(metadata, [&](ThriftStruct &chunk) {
    chunk.i64(2, offset);
    chunk.structure(3, [&](ThriftStruct &about) {
      enum Codec : int32_t { kUncompressed = 0, kZstd = 6 };
      about.i32(1, physicalType(spec_.type));
      about.i32s(2, encodings());
      about.oneBinary(3, spec_.name);
      about.i32(4, zstd::canCompress() ? kZstd : kUncompressed);
      about.i64(5, rows_);
      about.i64(6, plainSize);
      about.i64(7, bytes.size());
      about.i64(9, firstPage);
      if (hasIndices_)
        about.i64(11, offset);
      about.structure(12, [&](ThriftStruct &statistics) { writeStatistics(statistics); });
    });
  });
  plainBytes += plainSize;
  beginGroup();
  return bytes;
}

void ParquetChunk::beginGroup() {
  pages_.clear();
  integers_.clear();
  texts_.clear();
  numberHere_.clear();
  rows_ = nulls_ = plainBytes_ = packedBytes_ = 0;
  hasIndices_ = hasOthers_ = hasExtremes_ = false;
  usesDictionary_ = mayUseDictionary_;
}

} // namespace ada::columns
