// The messages of Arrow's IPC formats.
//
// A table of a flatbuffer is written field by field: the numbers are the places of the fields in Message.fbs,
// Schema.fbs and File.fbs of https://github.com/apache/arrow/tree/main/format. There are too few of them for generated
// code.
#include "trace/columns/arrow_metadata.h"

#include <flatbuffers/flatbuffers.h>

namespace ada::columns {

namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
struct Table {}; // of any type

constexpr int16_t kVersion5 = 4;
enum Header : uint8_t { kSchema = 1, kDictionaryBatch, kRecordBatch };
enum Type : uint8_t { kInt = 2, kFloatingPoint = 3, kUtf8 = 5, kBool = 6, kTimestamp = 10 };
constexpr int16_t kDoublePrecision = 2, kNanoseconds = 3;

// Fields that are their defaults must be given, too, or readers would have to know the defaults.
class TableBuilder {
public:
  explicit TableBuilder(FlatBufferBuilder &to) : to_(to), start_(to.StartTable()) {}
  template <class Number> TableBuilder &add(unsigned field, Number value) {
    to_.ForceDefaults(true);
    to_.AddElement<Number>(place(field), value, Number());
    to_.ForceDefaults(false);
    return *this;
  }
  template <class Any> TableBuilder &add(unsigned field, Offset<Any> value) {
    to_.AddOffset(place(field), value);
    return *this;
  }
  Offset<Table> end() { return Offset<Table>(to_.EndTable(start_)); }

private:
  static flatbuffers::voffset_t place(unsigned field) { return static_cast<flatbuffers::voffset_t>(4 + 2 * field); }
  FlatBufferBuilder &to_;
  flatbuffers::uoffset_t start_;
};

Offset<Table> intType(FlatBufferBuilder &to, int32_t bits, bool isSigned) {
  return TableBuilder(to).add<int32_t>(0, bits).add<uint8_t>(1, isSigned).end();
}

std::pair<Type, Offset<Table>> typeOf(FlatBufferBuilder &to, ColumnType type) {
  switch (type) {
  case ColumnType::Int64:
    return {kInt, intType(to, 64, true)};
  case ColumnType::Uint64:
    return {kInt, intType(to, 64, false)};
  case ColumnType::Uint32:
    return {kInt, intType(to, 32, false)};
  case ColumnType::Double:
    return {kFloatingPoint, TableBuilder(to).add<int16_t>(0, kDoublePrecision).end()};
  case ColumnType::Bool:
    return {kBool, TableBuilder(to).end()};
  case ColumnType::Timestamp:
    return {kTimestamp, TableBuilder(to).add<int16_t>(0, kNanoseconds).end()};
  case ColumnType::Text:
  case ColumnType::Word:
    break;
  }
  return {kUtf8, TableBuilder(to).end()};
}

Offset<Table> fieldOf(FlatBufferBuilder &to, const ColumnSpec &spec, int64_t number) {
  const auto name = to.CreateString(spec.name);
  const auto children = to.CreateVector(std::vector<Offset<Table>>());
  const auto [type, about] = typeOf(to, spec.type);
  Offset<Table> dictionary;
  if (spec.type == ColumnType::Word) {
    const auto index = intType(to, 32, true);
    dictionary = TableBuilder(to).add<int64_t>(0, number).add(1, index).end();
  }
  TableBuilder field(to);
  field.add(0, name).add<uint8_t>(1, spec.mayBeNull).add<uint8_t>(2, type).add(3, about);
  if (spec.type == ColumnType::Word)
    field.add(4, dictionary);
  return field.add(5, children).end();
}

Offset<Table> schemaOf(FlatBufferBuilder &to, std::span<const Column> columns) {
  std::vector<Offset<Table>> fields;
  for (size_t i = 0; i < columns.size(); ++i)
    fields.push_back(fieldOf(to, columns[i].spec(), static_cast<int64_t>(i)));
  const auto list = to.CreateVector(fields);
  return TableBuilder(to).add<int16_t>(0, 0).add(1, list).end(); // 0: little-endian
}

template <class Struct> auto structs(FlatBufferBuilder &to, std::span<const Struct> list) {
  return to.CreateVectorOfStructs(list.data(), list.size());
}

Offset<Table> recordBatch(FlatBufferBuilder &to, const ArrowRows &rows) {
  const auto nodes = structs(to, std::span(rows.nodes));
  const auto buffers = structs(to, std::span(rows.buffers));
  const int64_t count = rows.nodes.empty() ? 0 : rows.nodes[0].rows;
  return TableBuilder(to).add<int64_t>(0, count).add(1, nodes).add(2, buffers).end();
}

std::string finished(FlatBufferBuilder &to, Offset<Table> root) {
  to.Finish(root);
  return {reinterpret_cast<const char *>(to.GetBufferPointer()), to.GetSize()};
}

std::string message(FlatBufferBuilder &to, Header kind, Offset<Table> header, int64_t bodyBytes) {
  const auto root =
      TableBuilder(to).add(0, kVersion5).add<uint8_t>(1, kind).add(2, header).add<int64_t>(3, bodyBytes).end();
  return finished(to, root);
}

} // namespace

std::string arrowSchema(std::span<const Column> columns) {
  FlatBufferBuilder to;
  return message(to, kSchema, schemaOf(to, columns), 0);
}

std::string arrowRecordBatch(const ArrowRows &rows) {
  FlatBufferBuilder to;
  return message(to, kRecordBatch, recordBatch(to, rows), rows.bodyBytes);
}

std::string arrowDictionaryBatch(const ArrowRows &words, size_t column, bool isDelta) {
  FlatBufferBuilder to;
  const auto data = recordBatch(to, words);
  const auto batch =
      TableBuilder(to).add<int64_t>(0, static_cast<int64_t>(column)).add(1, data).add<uint8_t>(2, isDelta).end();
  return message(to, kDictionaryBatch, batch, words.bodyBytes);
}

std::string arrowFooter(std::span<const Column> columns, std::span<const ArrowBlock> dictionaries,
                        std::span<const ArrowBlock> batches) {
  FlatBufferBuilder to;
  const auto schema = schemaOf(to, columns);
  const auto dictionaryList = structs(to, dictionaries);
  const auto batchList = structs(to, batches);
  return finished(to, TableBuilder(to).add(0, kVersion5).add(1, schema).add(2, dictionaryList).add(3, batchList).end());
}

} // namespace ada::columns
