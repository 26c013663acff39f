// Writes what the manifest has about an annotation.
#include "annotations.h"
#include "core/base/json.h"
#include "shared/manifest_keys.h"

namespace ada::runtime {
namespace {

using TypesText = Text<4096>;

// Takes the next of several source texts that are separated by commas. Commas in brackets and quotes are part of a
// text, as they are for the preprocessor.
TextPiece nextExpression(TextPiece &rest) {
  size_t depth = 0, at = 0;
  for (char quote = 0; at < rest.size; ++at) {
    const char c = rest[at];
    if (quote) {
      if (c == '\\')
        ++at;
      else if (c == quote)
        quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')' && depth > 0) {
      --depth;
    } else if (c == ',' && depth == 0) {
      break;
    }
  }
  at = at < rest.size ? at : rest.size;
  TextPiece found = rest.first(at);
  rest = rest.from(at < rest.size ? at + 1 : at);
  while (!found.empty() && found[0] == ' ')
    found = found.from(1);
  while (!found.empty() && found[found.size - 1] == ' ')
    found = found.first(found.size - 1);
  return found;
}

void putEscaped(TypesText &to, TextPiece text) {
  for (size_t i = 0; i < text.size; ++i) {
    for (const char *special = ";:,|=@+(){}\\"; *special; ++special)
      if (text[i] == *special)
        to << '\\';
    to << text[i];
  }
}

// "-:v;path:m0.64:a64(c);size:i0:u64"
void putTypes(TypesText &to, const ada_annotation &site) {
  to << "-:v";
  TextPiece rest = site.expressions;
  nextExpression(rest); // the name
  uint32_t numbers = 0, texts = 0;
  for (uint32_t i = 0; i < argumentsOf(site); ++i) {
    to << ';';
    putEscaped(to, nextExpression(rest));
    if (!isText(site, i))
      to << ":i" << numbers++ << ':' << site.types[i];
    else if (texts < ADA_MOST_TEXTS)
      to << ":m" << texts++ * ADA_TEXT_BYTES << '.' << ADA_TEXT_BYTES << ":a" << ADA_TEXT_BYTES << "(c)";
    else
      to << ":-:a" << ADA_TEXT_BYTES << "(c)";
  }
}

} // namespace

void writeAnnotation(JsonWriter &json, const ada_annotation &site) {
  json.text(manifest::kName, site.name);
  json.text(manifest::kFile, site.file);
  json.number(manifest::kLine, site.line);
  TypesText types;
  if (site.argument_count > 0) {
    putTypes(types, site);
    if (!types.cut())
      json.text(manifest::kTypes, types.c_str());
  }
  const uint32_t kind = ADA_ANNOTATION_KIND(site.flags);
  if (kind < sizeof manifest::kSymbolKinds / sizeof *manifest::kSymbolKinds)
    json.text(manifest::kKind, manifest::kSymbolKinds[kind]);
}

} // namespace ada::runtime
