// Names of field types, and messages for what stops a decoder and what an encoder refuses.
#include "ada/trace/dial9/format.h"

namespace ada::dial9 {

static constexpr std::string_view kTypeNames[] = {
    "Absent",      "I64",    "F64",       "Bool", "String", "Bytes", "PooledStackFrames", "PooledString",
    "StackFrames", "Varint", "StringMap", "U8",   "U16",    "U32",   "DynamicList",       "DynamicMap"};

std::string_view typeName(FieldType type) {
  return size_t(type) < std::size(kTypeNames) ? kTypeNames[size_t(type)] : std::string_view("unknown");
}

namespace {
struct Explanation {
  std::string_view code;
  std::string_view sentence;
};

Explanation explain(DecodeError error) {
  switch (error) {
  case DecodeError::None:
    return {};
  case DecodeError::HeaderTruncated:
    return {"E_HEADER_TRUNCATED",
            "the file ends inside its 5-byte header; nothing was recorded, or it was not copied completely"};
  case DecodeError::BadMagic:
    return {"E_BAD_MAGIC", "not a dial9 trace: it does not begin with \"TRC\\0\""};
  case DecodeError::BadVersion:
    return {"E_BAD_VERSION", "a version of dial9-trace-format that is not 1; a newer reader is needed"};
  case DecodeError::UnknownTag:
    return {
        "E_UNKNOWN_TAG",
        "an unknown kind of frame, whose length can't be known; the file is damaged here or comes from a newer writer"};
  case DecodeError::UnknownTypeId:
    return {"E_UNKNOWN_TYPE_ID",
            "an event of a type that no schema before it describes; the file is damaged, or its beginning is missing"};
  case DecodeError::SchemaConflict:
    return {"E_SCHEMA_CONFLICT", "an event type is described a second time and differently; two streams may have been "
                                 "joined without a header between them"};
  case DecodeError::BadFieldType:
    return {"E_BAD_FIELD_TYPE",
            "a field type that this reader does not know; the file is damaged or comes from a newer writer"};
  case DecodeError::VarintOverflow:
    return {"E_VARINT_OVERFLOW", "a variable-length number over 64 bits; the file is damaged"};
  case DecodeError::TimestampOverflow:
    return {"E_TIMESTAMP_OVERFLOW", "a timestamp over 64 bits; the file is damaged"};
  case DecodeError::BadPresence:
    return {"E_BAD_PRESENCE", "the presence byte of an optional field is neither 0 nor 1; the file is damaged"};
  case DecodeError::Depth:
    return {"E_DEPTH", "lists or maps nested over 64 deep, which this reader refuses"};
  case DecodeError::FrameTooLarge:
    return {"E_FRAME_TOO_LARGE", "a frame over the limit that was set for this reader"};
  }
  return {};
}

Explanation explain(const DecodeStatus &status) {
  if (status.outcome == Outcome::Truncated)
    return {"E_TRUNCATED", "the data ends inside the frame that begins here; everything before it was read"};
  return explain(status.error);
}
} // namespace

std::string_view code(DecodeError error) { return explain(error).code; }

std::string DecodeStatus::message() const {
  if (ok())
    return {};
  Explanation why = explain(*this);
  std::string text = "at byte " + std::to_string(offset) + ": ";
  text += why.sentence;
  text += " [";
  text += why.code;
  text += ']';
  return text;
}

Error DecodeStatus::toError() const {
  Explanation why = explain(*this);
  Error result;
  result.code = why.code;
  result.message = why.sentence;
  result.offset = offset;
  return result;
}

std::string_view message(EncodeError error) {
  switch (error) {
  case EncodeError::None:
    return {};
  case EncodeError::UnknownTypeId:
    return "no schema with this type id was registered in this segment";
  case EncodeError::SchemaConflict:
    return "the type id is registered with a different schema";
  case EncodeError::BadFieldType:
    return "not a field type of this dialect";
  case EncodeError::NotInDialect:
    return "this frame is an extension, and the encoder was made for the plain specification";
  case EncodeError::WrongValueCount:
    return "the number of values is not the number of the schema's fields";
  case EncodeError::WrongValueType:
    return "a value has another type than its field, or is absent where the field is not optional";
  case EncodeError::TimestampMissing:
    return "events of this type have a timestamp, and none was given";
  case EncodeError::TimestampUnexpected:
    return "events of this type have no timestamp, and one was given";
  case EncodeError::NameTooLong:
    return "a name or key is longer than 65535 bytes";
  case EncodeError::TooManyFields:
    return "more than 65535 fields or annotations";
  case EncodeError::LengthTooLarge:
    return "a length or count is over 4294967295";
  case EncodeError::Depth:
    return "lists or maps are nested over 64 deep";
  case EncodeError::SinkFailed:
    return "the bytes could not be written";
  }
  return {};
}

} // namespace ada::dial9
