// Schemas: one block of names, and fields that refer to it.
#include "schema_builder.h"

#include <algorithm>

namespace ada::dial9 {

std::shared_ptr<const Schema> Schema::make(uint16_t typeId, std::string_view name, bool hasTimestamp,
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
  auto found = std::ranges::find(fieldList_, name, &Field::name);
  return found == fieldList_.end() ? -1 : int(found - fieldList_.begin());
}

bool operator==(const Schema &a, const Schema &b) {
  return a.id_ == b.id_ && a.timestamped_ == b.timestamped_ && a.typeName_ == b.typeName_ &&
         a.fieldList_ == b.fieldList_;
}

SchemaBuilder::SchemaBuilder(uint16_t typeId, std::string_view name, bool hasTimestamp, size_t fieldCount,
                             size_t nameBytes)
    : schema_(new Schema) {
  schema_->id_ = typeId;
  schema_->timestamped_ = hasTimestamp;
  schema_->names_.reset(new char[nameBytes]);
  next_ = schema_->names_.get();
  schema_->typeName_ = keep(name);
  schema_->fieldList_.reserve(fieldCount);
}

void SchemaBuilder::add(const Field &field) {
  schema_->fieldList_.push_back({keep(field.name), field.type, field.optional});
}

std::string_view SchemaBuilder::keep(std::string_view text) {
  std::copy(text.begin(), text.end(), next_);
  std::string_view kept(next_, text.size());
  next_ += text.size();
  return kept;
}

} // namespace ada::dial9
