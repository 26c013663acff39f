// The layout of one event type, as a schema frame gives it.
#ifndef ADA_TRACE_DIAL9_SCHEMA_H
#define ADA_TRACE_DIAL9_SCHEMA_H

#include "ada/trace/dial9/format.h"

#include <memory>
#include <span>
#include <vector>

namespace ada::dial9 {

/// One field of an event type. The name is borrowed, may be empty, and need not be UTF-8 or unique.
struct Field {
  std::string_view name;
  FieldType type = FieldType::Varint;
  bool optional = false; ///< Extended: values may be absent

  friend bool operator==(const Field &, const Field &) = default;
};

/// An event type: immutable, owns its names. Decoders share it with code that keeps events:
/// `schema.shared_from_this()` outlives the decoder and the segment.
class Schema : public std::enable_shared_from_this<Schema> {
public:
  /// Copies the names. The limits (name length, number of fields) are the
  /// encoder's to check.
  static std::shared_ptr<const Schema> make(uint16_t typeId, std::string_view name, bool hasTimestamp,
                                            std::span<const Field> fields);

  uint16_t typeId() const { return id_; }
  std::string_view name() const { return typeName_; }
  /// Events carry a timestamp, which is not among the fields.
  bool hasTimestamp() const { return timestamped_; }
  std::span<const Field> fields() const { return fieldList_; }
  /// Index of the first field of that name, or -1.
  int findField(std::string_view name) const;

  /// Same id, name, has_timestamp, and the same fields in the same order: what
  /// "registered again" means.
  friend bool operator==(const Schema &a, const Schema &b);

private:
  Schema() = default;
  friend class SchemaBuilder;

  uint16_t id_ = 0;
  bool timestamped_ = false;
  std::string_view typeName_; // into `names`
  std::vector<Field> fieldList_;
  std::unique_ptr<char[]> names_;
};

} // namespace ada::dial9

#endif // ADA_TRACE_DIAL9_SCHEMA_H
