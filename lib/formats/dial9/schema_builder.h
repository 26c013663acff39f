// Builds a Schema from checked fields with two allocations, for a size known beforehand.
#pragma once

#include "ada/trace/dial9/schema.h"

namespace ada::dial9 {

class SchemaBuilder {
public:
  /// `nameBytes` is the size of the type's and all fields' names together.
  SchemaBuilder(uint16_t typeId, std::string_view name, bool hasTimestamp, size_t fieldCount, size_t nameBytes);
  void add(const Field &field);
  std::shared_ptr<const Schema> finish() { return std::move(schema_); }

private:
  std::string_view keep(std::string_view text);
  std::shared_ptr<Schema> schema_;
  char *next_;
};

} // namespace ada::dial9
