// Writes a table in Apache Arrow's IPC formats.
#include "trace/columns/arrow.h"

#include "trace/columns/arrow_metadata.h"

#include <algorithm>
#include <bit>

namespace ada::columns {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they are in memory");

constexpr std::string_view kArrowMagic = "ARROW1";
constexpr size_t kAlignment = 64; // as Arrow recommends it

size_t aligned(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

// The buffers of a message, one after another.
class Body {
public:
  /// The column's values, as the format has them.
  void add(const Column &column) {
    rows_.nodes.push_back({static_cast<int64_t>(column.size()), static_cast<int64_t>(column.nulls())});
    addBits(column.nulls() > 0 ? column.size() : 0, [&](size_t row) { return !column.isNull(row); });
    const std::span<const uint64_t> values = column.values();
    switch (column.spec().type) {
    case ColumnType::Text:
      addNumber<uint32_t>(0);
      addNumbers<uint32_t>(values);
      endBuffer();
      bytes_.append(column.texts());
      break;
    case ColumnType::Word:
    case ColumnType::Uint32:
      addNumbers<uint32_t>(values);
      break;
    case ColumnType::Bool:
      return addBits(values.size(), [&](size_t row) { return values[row] != 0; });
    default:
      addNumbers<uint64_t>(values);
    }
    endBuffer();
  }
  /// Texts that are never null.
  void add(const Words &words, size_t first) {
    rows_.nodes.push_back({static_cast<int64_t>(words.size() - first), 0});
    endBuffer();
    size_t end = 0;
    addNumber<uint32_t>(0);
    for (size_t i = first; i < words.size(); ++i)
      addNumber(static_cast<uint32_t>(end += words[i].size()));
    endBuffer();
    for (size_t i = first; i < words.size(); ++i)
      bytes_.append(words[i]);
    endBuffer();
  }
  const std::string &bytes() const { return bytes_; }
  const ArrowRows &rows() {
    rows_.bodyBytes = static_cast<int64_t>(bytes_.size());
    return rows_;
  }

private:
  template <class Number> void addNumber(Number value) {
    bytes_.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  template <class Number> void addNumbers(std::span<const uint64_t> values) {
    if constexpr (sizeof(Number) == sizeof(uint64_t))
      bytes_.append(reinterpret_cast<const char *>(values.data()), values.size_bytes());
    else
      for (const uint64_t value : values)
        addNumber(static_cast<Number>(value));
  }
  template <class IsSet> void addBits(size_t count, const IsSet &isSet) {
    for (size_t first = 0; first < count; first += 8) {
      unsigned bits = 0;
      for (size_t i = first; i < std::min(count, first + 8); ++i)
        bits |= unsigned{isSet(i)} << (i - first);
      bytes_ += static_cast<char>(bits);
    }
    endBuffer();
  }
  void endBuffer() {
    rows_.buffers.push_back({static_cast<int64_t>(begin_), static_cast<int64_t>(bytes_.size() - begin_)});
    bytes_.resize(aligned(bytes_.size(), kAlignment));
    begin_ = bytes_.size();
  }

  ArrowRows rows_;
  std::string bytes_;
  size_t begin_ = 0; // of the buffer
};

class ArrowWriter : public TableWriter {
public:
  ArrowWriter(std::vector<ColumnSpec> specs, WriteBytes write, ArrowForm form)
      : TableWriter(std::move(specs), std::move(write)), isFile_(form == ArrowForm::File),
        writtenWords_(columns().size()) {
    if (isFile_)
      put(std::string(kArrowMagic) + std::string(2, '\0'));
    putMessage(arrowSchema(columns()), {});
  }

private:
  void takeRows() override {
    if (!isFile_)
      writeWords();
    Body body;
    for (const Column &column : columns())
      body.add(column);
    const ArrowBlock block = putMessage(arrowRecordBatch(body.rows()), body.bytes());
    if (isFile_)
      batches_.push_back(block);
  }
  void writeEnd() override {
    writeWords();
    put(std::string("\xff\xff\xff\xff\0\0\0\0", 8)); // no more messages
    if (!isFile_)
      return;
    std::string footer = arrowFooter(columns(), dictionaries_, batches_);
    const auto bytes = static_cast<uint32_t>(footer.size());
    put(footer.append(reinterpret_cast<const char *>(&bytes), sizeof bytes).append(kArrowMagic));
  }

  // The words that were not written yet. Every dictionary comes at least once, even if it is empty.
  void writeWords() {
    for (size_t i = 0; i < columns().size(); ++i) {
      const Words &words = columns()[i].words();
      const bool isFirst = !hasWords_;
      if (columns()[i].spec().type != ColumnType::Word || (!isFirst && writtenWords_[i] == words.size()))
        continue;
      Body body;
      body.add(words, writtenWords_[i]);
      if (body.bytes().size() > INT32_MAX)
        fail("the words of column '" + columns()[i].spec().name + "' have more than 2 GiB");
      const ArrowBlock block = putMessage(arrowDictionaryBatch(body.rows(), i, !isFirst), body.bytes());
      if (isFile_)
        dictionaries_.push_back(block);
      writtenWords_[i] = words.size();
    }
    hasWords_ = true;
  }

  ArrowBlock putMessage(const std::string &metadata, std::string_view body) {
    ArrowBlock block{.offset = static_cast<int64_t>(written()), .bodyBytes = static_cast<int64_t>(body.size())};
    // The body begins where its buffers are aligned in the file, too.
    const size_t before = isFile_ ? written() : 0;
    const auto padded = static_cast<uint32_t>(aligned(before + 8 + metadata.size(), kAlignment) - before - 8);
    std::string head = "\xff\xff\xff\xff";
    head.append(reinterpret_cast<const char *>(&padded), sizeof padded).append(metadata);
    head.resize(8 + padded);
    block.metadataBytes = static_cast<int32_t>(head.size());
    put(head);
    put(body);
    return block;
  }

  bool isFile_;
  std::vector<size_t> writtenWords_; // by column
  bool hasWords_ = false;
  std::vector<ArrowBlock> dictionaries_, batches_;
};

} // namespace

std::unique_ptr<TableWriter> makeArrowWriter(std::vector<ColumnSpec> specs, WriteBytes write, ArrowForm form) {
  return std::make_unique<ArrowWriter>(std::move(specs), std::move(write), form);
}

} // namespace ada::columns
