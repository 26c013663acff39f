// JSON as text: check it, find members, unquote strings, without building a document.
//
// The format's JSON values are kept byte for byte, so that a file that is read and written stays the same. Callers need
// only slices of them. There is no recursion, because hostile files nest deeply.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ada::wtf::json {

/// True if the text is one JSON value (RFC 8259). Bytes from 0x80 pass unchecked.
bool valid(std::string_view text);

/// Calls `f` with each member's name (unquoted) and value (a slice). `object` must be valid(). Does nothing if it is
/// not an object.
void forEachMember(std::string_view object, const std::function<void(std::string_view, std::string_view)> &f);
/// Calls `f` with each element; otherwise as above.
void forEachElement(std::string_view array, const std::function<void(std::string_view)> &f);
/// The value of a member; the last one if the name comes twice.
std::optional<std::string_view> member(std::string_view object, std::string_view name);

/// The text of a JSON string in UTF-8; lone surrogates become 3 bytes each. Nothing if the value is not a string.
std::optional<std::string> unquote(std::string_view value);

/// Appends valid JSON without the blanks between its parts, and with U+FFFD for bytes that are not UTF-8.
void appendCompact(std::string &out, std::string_view text);

} // namespace ada::wtf::json
