// Fuzzes the reader of types texts, and values of the types that they describe.
//
// Properties: the understood part of a text with more after it is the shorter text's result; values are
// shown on one line, as valid JSON, whatever registers were recorded; and memory is bounded by the
// input.
#include "require.h"

#include "ada/trace/types.h"

#include <cstdint>
#include <cstdio>
#include <simdjson.h>

using namespace ada::types;
using ada::fuzz::require;

namespace {

bool isOneLine(std::string_view text) {
  const bool is = std::ranges::none_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  if (!is)
    std::fprintf(stderr, "not on one line: %.*s\n", int(text.size()), text.data());
  return is;
}

bool isJson(const std::string &text) {
  static simdjson::dom::parser parser; // keeps its memory
  return parser.parse(text).error() == simdjson::SUCCESS;
}

// Registers made of the text, so that a text is a whole input.
struct Recorded {
  explicit Recorded(std::string_view text) {
    uint64_t state = text.size();
    const auto next = [&] {
      for (size_t i = 0; i < 8 && i < text.size(); ++i)
        state = (state ^ static_cast<unsigned char>(text[(i + state) % text.size()])) * 0x9E3779B97F4A7C15u;
      // Small values too: enumerators, flags, bool.
      return state >> (state % 64);
    };
    for (uint64_t &value : general)
      value = next();
    for (std::byte &b : vectors)
      b = static_cast<std::byte>(next());
    for (std::byte &b : stack)
      b = static_cast<std::byte>(next());
    registers.general = std::span(general).first(next() % 9);
    registers.vectorBytes = next() % 2 ? 16 : 32;
    registers.vectors =
        std::span(vectors).first(next() % (sizeof vectors / registers.vectorBytes + 1) * registers.vectorBytes);
    registers.stack = std::span(stack).first(next() % (sizeof stack + 1));
  }
  uint64_t general[8];
  std::byte vectors[128], stack[256];
  Registers registers;
};

void show(const FunctionTypes &types, const Registers &registers) {
  for (uint8_t arch : {0, 1, 2}) {
    require(isOneLine(argumentsText(types, registers, arch)), "arguments are one line");
    require(isOneLine(resultText(types, registers, arch)), "a result is one line");
  }
  require(isJson(argumentsJson(types, registers)), "arguments are JSON");
  require(isJson(argumentTypesJson(types)), "types are JSON");
  require(isJson(resultJson(types, registers)), "a result is JSON");
  for (const Parameter &parameter : types.parameters) {
    const Value value = parameter.value(registers);
    require(isOneLine(parameter.type.text()), "a type is one line");
    const auto integer = value.asSigned();
    const auto natural = value.asUnsigned();
    require(!integer || !natural || static_cast<uint64_t>(*integer) == *natural,
            "a number is the same in all its types");
    (void)value.asDouble();
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  FunctionTypes types;
  require(ada::fuzz::peakOf([&] { types = FunctionTypes::parse(text); }) <= 400 * size + 4096,
          "memory is bounded by the input");
  require(types.stoppedAt <= size && (!types.isWhole || types.stoppedAt == size), "a reader stops in the text");

  std::string_view understood = text.substr(0, types.stoppedAt);
  if (!types.isWhole && understood.ends_with(';'))
    understood.remove_suffix(1);
  const FunctionTypes again = FunctionTypes::parse(understood);
  require(again.isWhole == !understood.empty(), "what was understood is a whole text");
  require(argumentTypesJson(again) == argumentTypesJson(types), "and says the same");

  const Recorded recorded(text);
  show(types, recorded.registers);
  show(types, {});
  constexpr const char *kDocumented[] = {"open", "mmap", "fcntl", "socket"};
  types.nameFlags(kDocumented[size % std::size(kDocumented)], 1 + size / 4 % 2);
  show(types, recorded.registers);
  return 0;
}
