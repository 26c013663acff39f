// Writes a table as an Apache Parquet file.
//
// A batch of rows becomes one page of each column (parquet_chunk.h). The numbers in the structs are those of
// parquet.thrift.
#include "trace/columns/parquet.h"

#include "trace/columns/parquet_chunk.h"
#include "trace/columns/thrift.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <utility>

namespace ada::columns {

namespace {

constexpr std::string_view kParquetMagic = "PAR1";

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
  static constexpr uint64_t kGroupRows = 1 << 18;
  static constexpr size_t kGroupBytes = 16 << 20;
  static constexpr unsigned kMaxThreads = 4; // the thread that makes the rows has no work for more
  static constexpr size_t kFewRows = 4096;

  void takeRows() override {
    addPages();
    size_t bytes = 0;
    for (const ParquetChunk &chunk : chunks_)
      bytes += chunk.bytes();
    groupRows_ += rows();
    if (groupRows_ >= kGroupRows || bytes >= kGroupBytes)
      endGroup();
  }
  // Most of the work. Columns share nothing, so several threads each take the next one; to start a thread costs a
  // hundredth of a page.
  void addPages() {
    std::atomic<size_t> next = 0;
    const auto work = [&] {
      for (size_t i = next++; i < chunks_.size(); i = next++)
        chunks_[i].add(columns()[i]);
    };
    std::vector<std::thread> others;
    try {
      while (rows() > kFewRows && others.size() + 1 < std::min(std::thread::hardware_concurrency(), kMaxThreads))
        others.emplace_back(work);
    } catch (const std::system_error &) { // NOLINT(bugprone-empty-catch)
      // A system limit: the threads that were started must do.
    }
    work();
    for (std::thread &other : others)
      other.join();
  }
  void endGroup() {
    std::string metadata;
    uint64_t plainBytes = 0;
    const uint64_t begin = written();
    for (ParquetChunk &chunk : chunks_)
      put(chunk.finish(written(), metadata, plainBytes));
    if (std::ranges::any_of(chunks_, &ParquetChunk::isTooLarge))
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
  std::vector<ParquetChunk> chunks_; // by column
  uint64_t groupRows_ = 0, allRows_ = 0;
  std::string groups_; // each a RowGroup
  size_t groupCount_ = 0;
};

} // namespace

std::unique_ptr<TableWriter> makeParquetWriter(std::vector<ColumnSpec> specs, WriteBytes write, std::string writer) {
  return std::make_unique<ParquetWriter>(std::move(specs), std::move(write), std::move(writer));
}

} // namespace ada::columns
