// Reads the texts in which the compiler pass describes parameters and results.
//
// A recursive descent with three limits: nesting, nodes, and the length of the
// text. If something goes wrong, the parameters before it stay.
#include "ada/trace/types.h"

#include "trace/base/text.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace ada::types {

namespace {

// No register is wider, and no more of the stack is recorded.
constexpr uint32_t kMaxPieceBytes = 64, kMaxPieces = 16;

class Parser {
public:
  explicit Parser(std::string_view text) : text_(text) {}

  size_t position() const { return at_; }
  bool atEnd() const { return at_ == text_.size(); }
  bool take(char c) {
    if (atEnd() || text_[at_] != c)
      return false;
    ++at_;
    return true;
  }

  bool where(Parameter &parameter) {
    std::vector<Piece> &pieces = parameter.where;
    if (take('-'))
      return true;
    bool isAllLeftOut = true;
    do {
      Piece piece;
      if (take('!'))
        piece.place = Piece::Place::LeftOut;
      else if (take('i'))
        piece.place = Piece::Place::General;
      else if (take('v'))
        piece.place = Piece::Place::Vector;
      else if (take('m'))
        piece.place = Piece::Place::Stack;
      else if (take('@'))
        piece.place = Piece::Place::Memory;
      else
        return false;
      if (piece.place != Piece::Place::LeftOut && !number(piece.number))
        return false;
      isAllLeftOut &= piece.place == Piece::Place::LeftOut;
      if (take('.') && (!number(piece.bytes) || piece.bytes == 0))
        return false;
      if (piece.bytes > kMaxPieceBytes || pieces.size() == kMaxPieces)
        return false;
      pieces.push_back(piece);
    } while (take('+'));
    parameter.isLeftOut = isAllLeftOut;
    if (isAllLeftOut)
      pieces.clear();
    return true;
  }

  bool name(std::string &out) {
    for (; !atEnd(); ++at_) {
      char c = text_[at_];
      if (std::string_view(":;,|=@+(){}").find(c) != std::string_view::npos)
        return true;
      if (c == '\\') {
        if (++at_ == text_.size())
          return false;
        c = text_[at_];
      }
      out += c;
    }
    return true;
  }

  bool type(Type &out, unsigned nesting) {
    if (nesting == FunctionTypes::kMaxNesting || atEnd() || !node())
      return false;
    switch (text_[at_++]) {
    case 'v':
      out.kind = Kind::Void;
      return true;
    case 'b':
      out.kind = Kind::Bool;
      out.bits = 8;
      return true;
    case 'c':
      out.kind = Kind::Char;
      out.bits = 8;
      return true;
    case 's':
      out.kind = Kind::Signed;
      return bits(out);
    case 'u':
      out.kind = Kind::Unsigned;
      return bits(out);
    case 'f':
    case 'g':
      out.kind = Kind::Float;
      out.isBfloat = text_[at_ - 1] == 'g';
      return bits(out);
    case 'p':
    case 'r':
      out.kind = text_[at_ - 1] == 'p' ? Kind::Pointer : Kind::Reference;
      out.bits = 64;
      return take('(') && name(out.name) && take(')') && pointee(out, nesting);
    case '?':
      out.kind = Kind::Unknown;
      return number(out.bits) && take('(') && name(out.name) && take(')');
    case 'a':
      return array(out, nesting);
    case 'e':
      return enumeration(out);
    case '{':
      return structure(out, nesting);
    }
    --at_;
    return false;
  }

private:
  bool node() { return ++nodes_ <= FunctionTypes::kMaxNodes; }

  template <class Number> bool number(Number &out) {
    const char *begin = text_.data() + at_, *end = text_.data() + text_.size();
    auto [stop, error] = std::from_chars(begin, end, out);
    if (error != std::errc())
      return false;
    at_ += static_cast<size_t>(stop - begin);
    return true;
  }

  // Width of a number: a width that no machine has is damage.
  bool bits(Type &out) { return number(out.bits) && out.bits > 0 && out.bits <= 512; }

  // "*8{…", "#4s32": the size in bytes of what is pointed to, which its type gives as well.
  // "-": callers need not have stored it.
  bool pointee(Type &out, unsigned nesting) {
    if (take('-'))
      return true;
    out.pointsToVector = take('#');
    if (!out.pointsToVector && !take('*'))
      return true;
    uint32_t bytes = 0;
    Member target;
    if (!number(bytes) || !type(target.type, nesting + 1))
      return false;
    // An empty struct takes a byte that its type does not mention.
    const bool isEmpty = target.type.kind == Kind::Struct && bytes == 1 && !out.pointsToVector;
    if (target.type.bytes() == 0 && !isEmpty)
      return false;
    out.members.push_back(std::move(target));
    return true;
  }

  bool array(Type &out, unsigned nesting) {
    out.kind = Kind::Array;
    Member element;
    if (!number(out.count) || !take('(') || !type(element.type, nesting + 1) || !take(')'))
      return false;
    out.members.push_back(std::move(element));
    return true;
  }

  bool enumeration(Type &out) {
    out.kind = Kind::Enum;
    if (!bits(out))
      return false;
    out.isSigned = take('s');
    if (!out.isSigned && !take('u'))
      return false;
    if (!take('(') || !name(out.name))
      return false;
    if (take('|'))
      do {
        Enumerator one;
        if (!node() || !name(one.name) || !take('='))
          return false;
        if (!atEnd() && text_[at_] == '-') {
          int64_t negative = 0;
          if (!number(negative))
            return false;
          one.value = static_cast<uint64_t>(negative);
        } else if (!number(one.value)) {
          return false;
        }
        out.enumerators.push_back(std::move(one));
      } while (take(','));
    return take(')');
  }

  bool structure(Type &out, unsigned nesting) {
    out.kind = Kind::Struct;
    if (!name(out.name))
      return false;
    if (take('|'))
      do {
        Member one;
        if (!name(one.name) || !take('@') || !number(one.offset) || !take(':') || !type(one.type, nesting + 1))
          return false;
        out.members.push_back(std::move(one));
      } while (take(','));
    return take('}');
  }

  std::string_view text_;
  size_t at_ = 0, nodes_ = 0;
};

} // namespace

uint32_t Type::bytes() const noexcept {
  uint64_t most = 0;
  if (kind == Kind::Struct)
    for (const Member &member : members)
      most = std::max<uint64_t>(most, uint64_t{member.offset} + member.type.bytes());
  else if (kind == Kind::Array && !members.empty())
    most = uint64_t{count} * members[0].type.bytes();
  else
    most = bits == 80 ? 16 : (uint64_t{bits} + 7) / 8;
  return static_cast<uint32_t>(std::min<uint64_t>(most, std::numeric_limits<uint32_t>::max()));
}

std::string Type::text() const {
  switch (kind) {
  case Kind::Void:
    return "void";
  case Kind::Bool:
    return "bool";
  case Kind::Char:
    return "char";
  case Kind::Signed:
    return "int" + std::to_string(bits);
  case Kind::Unsigned:
    return "uint" + std::to_string(bits);
  case Kind::Float:
    return (isBfloat ? "bfloat" : "float") + std::to_string(bits);
  case Kind::Pointer:
  case Kind::Reference: {
    std::string target = oneLine(name.empty() ? "?" : name);
    if (!target.ends_with('*'))
      target += ' ';
    return target + (kind == Kind::Pointer ? "*" : "&");
  }
  case Kind::Enum:
    return name.empty() ? "enum" : oneLine(name);
  case Kind::Struct:
    return name.empty() ? "struct" : oneLine(name);
  case Kind::Array:
    return (members.empty() ? std::string() : members[0].type.text()) + "[" + std::to_string(count) + "]";
  case Kind::Unknown:
    break;
  }
  return name.empty() ? "bits" + std::to_string(bits) : oneLine(name);
}

FunctionTypes FunctionTypes::parse(std::string_view text) {
  FunctionTypes function;
  if (text.empty() || text.size() > kMaxTextBytes)
    return function;
  Parser parser(text);
  if (!parser.where(function.result) || !parser.take(':') || !parser.type(function.result.type, 0)) {
    function.result = Parameter();
    return function;
  }
  function.hasResult = parser.atEnd() || text[parser.position()] == ';';
  while (parser.take(';')) {
    Parameter parameter;
    function.stoppedAt = parser.position();
    if (!parser.name(parameter.name) || !parser.take(':') || !parser.where(parameter) || !parser.take(':') ||
        !parser.type(parameter.type, 0) || !(parser.atEnd() || text[parser.position()] == ';'))
      return function;
    if (parameter.name == "...") {
      function.isVariadic = true;
      continue;
    }
    function.parameters.push_back(std::move(parameter));
  }
  function.isWhole = parser.atEnd();
  function.stoppedAt = parser.position();
  return function;
}

} // namespace ada::types
