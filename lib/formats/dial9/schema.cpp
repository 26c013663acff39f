// Schemas: one block of names, fields that look into it.
#include "schema_builder.h"

#include <algorithm>
#include <cstring>

namespace ada::dial9 {

std::shared_ptr<const Schema> Schema::make(uint16_t typeId,
                                           std::string_view name,
                                           bool hasTimestamp,
                                           std::span<const Field> fields) {
  size_t nameBytes = name.size();
  for (const Field &field : fields)
    nameBytes += field.name.size();
  SchemaBuilder builder(typeId, name, hasTimestamp, fields.size(), nameBytes);
  for (const Field &field : fields)
    builder.add(field);
  return builder.finish();
}

int Schema::findField(std::string_view name) const {
  auto found = std::ranges::find(fieldList, name, &Field::name);
  return found == fieldList.end() ? -1 : int(found - fieldList.begin());
}

bool operator==(const Schema &a, const Schema &b) {
  return a.id == b.id && a.timestamped == b.timestamped &&
         a.typeName == b.typeName && a.fieldList == b.fieldList;
}

SchemaBuilder::SchemaBuilder(uint16_t typeId, std::string_view name,
                             bool hasTimestamp, size_t fieldCount,
                             size_t nameBytes)
    : schema(new Schema) {
  schema->id = typeId;
  schema->timestamped = hasTimestamp;
  schema->names.reset(new char[nameBytes]);
  next = schema->names.get();
  schema->typeName = keep(name);
  schema->fieldList.reserve(fieldCount);
}

void SchemaBuilder::add(const Field &field) {
  schema->fieldList.push_back({keep(field.name), field.type, field.optional});
}

std::string_view SchemaBuilder::keep(std::string_view text) {
  std::copy(text.begin(), text.end(), next);
  std::string_view kept(next, text.size());
  next += text.size();
  return kept;
}

} // namespace ada::dial9
