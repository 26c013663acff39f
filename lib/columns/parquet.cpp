// Writes a table as an Apache Parquet file.
//
// A batch of rows becomes one page of each column. The numbers in the structs are those of parquet.thrift:
// https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
#include "columns/parquet.h"

#include "base/zstd_frame.h"
#include "columns/parquet_encodings.h"
#include "columns/thrift.h"

#include <algorithm>
#include <array>
#include <bit>

namespace ada::columns {

namespace {

constexpr std::string_view kParquetMagic = "PAR1";
enum PhysicalType : int32_t { kBoolean = 0, kInt32 = 1, kInt64 = 2, kDouble = 5, kByteArray = 6 };
enum Encoding : int32_t { kPlain = 0, kRle = 3, kDeltaBinaryPacked = 5, kRleDictionary = 8 };
enum PageType : int32_t { kDataPage = 0, kDictionaryPage = 2 };
enum Codec : int32_t { kUncompressed = 0, kZstd = 6 };

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

bool isInteger(ColumnType type) { return physicalType(type) == kInt32 || physicalType(type) == kInt64; }
bool isUnsigned(ColumnType type) { return type == ColumnType::Uint32 || type == ColumnType::Uint64; }

void appendLittle(std::string &to, uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i)
    to += static_cast<char>(value >> 8 * i);
}

void appendByteArray(std::string &to, std::string_view text) {
  appendLittle(to, text.size(), 4);
  to.append(text);
}

Codec codec() { return zstd::canCompress() ? kZstd : kUncompressed; }

// The pages of one column in the current row group.
class Chunk {
public:
  explicit Chunk(const ColumnSpec &spec) : spec_(spec) {}

  // The rows become a page.
  void add(const Column &column) {
    std::string page;
    if (spec_.mayBeNull) {
      levels_.clear();
      for (size_t row = 0; row < column.size(); ++row)
        levels_.push_back(column.isNull(row) ? 0 : 1);
      std::string runs;
      appendRuns(runs, levels_, 1);
      appendByteArray(page, runs);
    }
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
    hasPlain_ |= encoding == kPlain;
    hasIndices_ |= encoding == kRleDictionary;
    rows_ += column.size();
    nulls_ += column.nulls();
  }
  size_t bytes() const { return pages_.size(); }
  /// A page has more bytes than the format has numbers for.
  bool isTooLarge() const { return isTooLarge_; }

  // The dictionary's page, which comes first, then the others. Appends the chunk's metadata, a ColumnChunk.
  template <class Put> void finish(uint64_t offset, std::string &metadata, uint64_t &plainBytes, const Put &put) {
    std::string dictionary;
    if (hasIndices_) {
      std::string page;
      for (size_t i = 0; i < used_.size(); ++i)
        appendByteArray(page, used_[i]);
      const std::string body = packed(page);
      ThriftStruct(dictionary, [&](ThriftStruct &header) {
        writeSizes(header, kDictionaryPage, page, body);
        header.structure(7, [&](ThriftStruct &words) {
          words.i32(1, static_cast<int32_t>(used_.size()));
          words.i32(2, kPlain);
        });
      });
      dictionary += body;
    }
    const uint64_t total = dictionary.size() + pages_.size();
    // Headers are the same in both sums.
    const uint64_t plainTotal = total - packedBytes_ + plainBytes_;
    ThriftStruct(metadata, [&](ThriftStruct &chunk) {
      chunk.i64(2, offset);
      chunk.structure(3, [&](ThriftStruct &about) {
        about.i32(1, physicalType(spec_.type));
        about.i32s(2, encodings());
        about.oneBinary(3, spec_.name);
        about.i32(4, codec());
        about.i64(5, rows_);
        about.i64(6, plainTotal);
        about.i64(7, total);
        about.i64(9, offset + dictionary.size());
        if (hasIndices_)
          about.i64(11, offset);
        about.structure(12, [&](ThriftStruct &statistics) { writeStatistics(statistics); });
      });
    });
    plainBytes += plainTotal;
    put(dictionary);
    put(pages_);
    clear();
  }

private:
  static constexpr size_t kMostDictionaryBytes = 1 << 20; // as parquet-mr has it

  Encoding appendValues(std::string &page, const Column &column) {
    if (spec_.type == ColumnType::Word)
      return appendWords(page, column);
    if (spec_.type == ColumnType::Text)
      return appendTexts(page, column);
    std::span<const uint64_t> values = column.values();
    if (column.nulls() > 0) {
      known_.clear();
      for (size_t row = 0; row < column.size(); ++row)
        if (!column.isNull(row))
          known_.push_back(values[row]);
      values = known_;
    }
    if (spec_.type == ColumnType::Bool) {
      appendBits(page, values);
      return kPlain;
    }
    if (spec_.type == ColumnType::Double) {
      for (const uint64_t value : values)
        appendLittle(page, value, 8);
      return kPlain;
    }
    for (const uint64_t value : values) {
      const bool isFirst = !std::exchange(hasExtremes_, true);
      least_ = isFirst || isLess(value, least_) ? value : least_;
      greatest_ = isFirst || isLess(greatest_, value) ? value : greatest_;
    }
    if (spec_.type == ColumnType::Uint32) { // the format knows signed numbers only
      if (column.nulls() == 0)
        known_.assign(values.begin(), values.end());
      for (uint64_t &value : known_)
        value = static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(value)));
      values = known_;
    }
    appendDeltas(page, values, physicalType(spec_.type) == kInt32);
    return kDeltaBinaryPacked;
  }
  bool isLess(uint64_t a, uint64_t b) const {
    return isUnsigned(spec_.type) ? a < b : static_cast<int64_t>(a) < static_cast<int64_t>(b);
  }

  // The dictionary has only the words of this row group.
  Encoding appendWords(std::string &page, const Column &column) {
    const Words &words = column.words();
    numberHere_.resize(words.size(), kNoNumber);
    indices_.clear();
    for (size_t row = 0; row < column.size(); ++row)
      if (!column.isNull(row)) {
        uint32_t &number = numberHere_[column.values()[row]];
        if (number == kNoNumber)
          number = used_.add(words[column.values()[row]]);
        indices_.push_back(number);
      }
    appendIndices(page);
    return kRleDictionary;
  }
  Encoding appendTexts(std::string &page, const Column &column) {
    if (!hasPlain_) {
      indices_.clear();
      for (size_t row = 0; row < column.size() && used_.bytes() < kMostDictionaryBytes; ++row)
        if (!column.isNull(row))
          indices_.push_back(used_.add(column.textAt(row)));
      if (used_.bytes() < kMostDictionaryBytes) {
        appendIndices(page);
        return kRleDictionary;
      }
    }
    for (size_t row = 0; row < column.size(); ++row)
      if (!column.isNull(row))
        appendByteArray(page, column.textAt(row));
    return kPlain;
  }
  void appendIndices(std::string &page) const {
    const auto width = std::max(1U, static_cast<unsigned>(std::bit_width(used_.size() - (used_.size() > 0))));
    page += static_cast<char>(width);
    appendRuns(page, indices_, width);
  }

  std::string packed(const std::string &page) {
    isTooLarge_ |= page.size() > INT32_MAX;
    std::string body = page;
    if (codec() == kZstd) {
      const auto frame = zstd::checkedFrame({reinterpret_cast<const unsigned char *>(page.data()), page.size()});
      body.assign(frame.begin(), frame.end());
    }
    plainBytes_ += page.size();
    packedBytes_ += body.size();
    return body;
  }
  static void writeSizes(ThriftStruct &header, PageType type, const std::string &page, const std::string &body) {
    header.i32(1, type);
    header.i32(2, static_cast<int32_t>(page.size()));
    header.i32(3, static_cast<int32_t>(body.size()));
  }
  std::vector<int32_t> encodings() const {
    std::vector<int32_t> list = {kRle}; // of levels
    if (hasIndices_)
      list.push_back(kRleDictionary);
    if (hasIndices_ || hasPlain_)
      list.push_back(kPlain);
    if (isInteger(spec_.type))
      list.push_back(kDeltaBinaryPacked);
    return list;
  }
  void writeStatistics(ThriftStruct &statistics) const {
    statistics.i64(3, nulls_);
    if (!hasExtremes_)
      return;
    std::string least, greatest;
    const unsigned bytes = physicalType(spec_.type) == kInt32 ? 4 : 8;
    appendLittle(least, least_, bytes);
    appendLittle(greatest, greatest_, bytes);
    statistics.binary(5, greatest);
    statistics.binary(6, least);
  }
  void clear() {
    pages_.clear();
    used_.clear();
    numberHere_.clear();
    rows_ = nulls_ = plainBytes_ = packedBytes_ = 0;
    hasPlain_ = hasIndices_ = hasExtremes_ = false;
  }

  static constexpr uint32_t kNoNumber = ~uint32_t{0};
  const ColumnSpec &spec_;
  std::string pages_;
  Words used_;                       // the dictionary
  std::vector<uint32_t> numberHere_; // of the column's words in the dictionary
  uint64_t rows_ = 0, nulls_ = 0, plainBytes_ = 0, packedBytes_ = 0;
  bool hasPlain_ = false, hasIndices_ = false; // pages of that kind
  bool hasExtremes_ = false;
  uint64_t least_ = 0, greatest_ = 0;
  bool isTooLarge_ = false;
  // For the current page:
  std::vector<uint32_t> levels_, indices_;
  std::vector<uint64_t> known_;
};

class ParquetWriter : public TableWriter {
public:
  ParquetWriter(std::vector<ColumnSpec> specs, WriteBytes write, std::string writer)
      : TableWriter(std::move(specs), std::move(write)), writer_(std::move(writer)) {
    for (const Column &column : columns())
      chunks_.emplace_back(column.spec());
    put(kParquetMagic);
  }

private:
  // Readers share out row groups to their threads, and skip them by their least and greatest values.
  static constexpr uint64_t kGroupRows = 1 << 20;
  static constexpr size_t kGroupBytes = 24 << 20;

  void takeRows() override {
    size_t bytes = 0;
    for (size_t i = 0; i < chunks_.size(); ++i) {
      chunks_[i].add(columns()[i]);
      bytes += chunks_[i].bytes();
    }
    groupRows_ += rows();
    if (groupRows_ >= kGroupRows || bytes >= kGroupBytes)
      endGroup();
  }
  void endGroup() {
    std::string metadata;
    uint64_t plainBytes = 0;
    const uint64_t begin = written();
    for (Chunk &chunk : chunks_)
      chunk.finish(written(), metadata, plainBytes, [this](std::string_view bytes) { put(bytes); });
    if (std::ranges::any_of(chunks_, &Chunk::isTooLarge))
      fail("the texts of a column have more than 2 GiB, which is too much for a page of Parquet");
    ThriftStruct(groups_, [&](ThriftStruct &group) {
      group.encodedStructures(1, chunks_.size(), metadata);
      group.i64(2, plainBytes);
      group.i64(3, groupRows_);
      group.i64(5, begin);
      group.i64(6, written() - begin);
    });
    ++groupCount_;
    allRows_ += std::exchange(groupRows_, 0);
  }
  void writeEnd() override {
    if (groupRows_ > 0)
      endGroup();
    std::string footer;
    ThriftStruct(footer, [&](ThriftStruct &file) {
      file.i32(1, 2);
      file.structures(2, columns().size() + 1, [&](size_t i, ThriftStruct &element) {
        if (i > 0)
          return writeElement(element, columns()[i - 1].spec());
        element.binary(4, "schema");
        element.i32(5, static_cast<int32_t>(columns().size()));
      });
      file.i64(3, allRows_);
      file.encodedStructures(4, groupCount_, groups_);
      file.binary(6, writer_);
      // Least and greatest values are in the order of the column's type.
      file.structures(7, columns().size(),
                      [](size_t, ThriftStruct &order) { order.structure(1, [](ThriftStruct &) {}); });
    });
    put(footer);
    std::string end;
    appendLittle(end, footer.size(), 4);
    put(end += kParquetMagic);
    if (footer.size() > INT32_MAX)
      fail("the table has too many rows for one Parquet file: its end would have more than 2 GiB");
  }
  static void writeElement(ThriftStruct &element, const ColumnSpec &spec) {
    enum ConvertedType : int32_t { kUtf8 = 0, kUint32 = 13, kUint64 = 14 };
    element.i32(1, physicalType(spec.type));
    element.i32(3, spec.mayBeNull ? 1 : 0);
    element.binary(4, spec.name);
    const auto logicalType = [&](unsigned which, const auto &fill) {
      element.structure(10, [&](ThriftStruct &type) { type.structure(which, fill); });
    };
    switch (spec.type) {
    case ColumnType::Text:
    case ColumnType::Word:
      element.i32(6, kUtf8);
      logicalType(1, [](ThriftStruct &) {});
      break;
    case ColumnType::Uint32:
    case ColumnType::Uint64:
      element.i32(6, spec.type == ColumnType::Uint32 ? kUint32 : kUint64);
      logicalType(10, [&](ThriftStruct &integer) {
        integer.i8(1, spec.type == ColumnType::Uint32 ? 32 : 64);
        integer.flag(2, false);
      });
      break;
    case ColumnType::Timestamp:
      logicalType(8, [](ThriftStruct &timestamp) {
        timestamp.flag(1, false);                                                                     // not UTC
        timestamp.structure(2, [](ThriftStruct &unit) { unit.structure(3, [](ThriftStruct &) {}); }); // nanoseconds
      });
      break;
    default:
      break;
    }
  }

  std::string writer_;
  std::vector<Chunk> chunks_; // by column
  uint64_t groupRows_ = 0, allRows_ = 0;
  std::string groups_; // each a RowGroup
  size_t groupCount_ = 0;
};

} // namespace

std::unique_ptr<TableWriter> makeParquetWriter(std::vector<ColumnSpec> specs, WriteBytes write, std::string writer) {
  return std::make_unique<ParquetWriter>(std::move(specs), std::move(write), std::move(writer));
}

} // namespace ada::columns
