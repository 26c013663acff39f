// Decodes GNAT's symbols, which exp_dbug.ads and exp_tss.ads in GCC's source describe.
//
// libiberty does most of it, but gives up on subprograms in blocks without a name, and knows few of those that GNAT
// makes itself.
#include "ada_names.h"

#include <cstdlib>

// The demangler of libiberty, which each of GCC's compilers has and exports.
extern "C" char *ada_demangle(const char *symbol, int options);

namespace ada::pass {

namespace {

bool endsWith(const std::string &text, const char *end) {
  const size_t size = strlen(end);
  return text.size() > size && text.compare(text.size() - size, size, end) == 0;
}

/// Index after the digits of TEXT at I.
size_t afterDigits(const std::string &text, size_t i) {
  while (i < text.size() && ISDIGIT(text[i]))
    ++i;
  return i;
}

/// SYMBOL without scopes that have no name in the source: blocks ("__B_1", "__B24b"), return statements ("__R32s") and
/// the packages around instances of generic subprograms ("GP1216" after the name).
std::string withoutUnnamedScopes(std::string symbol) {
  for (size_t i = 1; i < symbol.size();) {
    size_t end = i;
    if (symbol.compare(i, 4, "__B_") == 0 && afterDigits(symbol, i + 4) > i + 4)
      end = afterDigits(symbol, i + 4);
    else if (symbol.compare(i, 3, "__B") == 0 || symbol.compare(i, 3, "__R") == 0) {
      const size_t letter = afterDigits(symbol, i + 3);
      if (letter > i + 3 && (symbol[letter] == 'b' || symbol[letter] == 's'))
        end = letter + 1;
    } else if (symbol.compare(i, 2, "GP") == 0 && afterDigits(symbol, i + 2) > i + 2)
      end = afterDigits(symbol, i + 2);
    if (end > i && (end == symbol.size() || symbol[end] == '_'))
      symbol.erase(i, end - i);
    else
      ++i;
  }
  return symbol;
}

/// What libiberty does not know: the operations that GNAT makes for a type ("heldIP"), and their scopes.
std::string ownNotation(std::string symbol) {
  struct Operation {
    const char *end, *name;
  };
  static constexpr Operation kOperations[] = {{"DI", ".Initialize"}, {"DF", ".Finalize"},         {"DA", ".Adjust"},
                                              {"IP", ".Init_Proc"},  {"FD", ".Finalize_Address"}, {"EQ", ".\"=\""},
                                              {"PI", "'Put_Image"}};
  std::string after;
  for (const Operation &operation : kOperations)
    if (endsWith(symbol, operation.end)) {
      symbol.resize(symbol.size() - strlen(operation.end));
      after = operation.name;
      const size_t last = symbol.rfind("__") + 2;
      if (endsWith(symbol, "V")) // the record of a task or a protected object
        symbol.pop_back();
      else if (endsWith(symbol, "C") && symbol[last] == 'T')
        symbol = symbol.substr(0, last) + symbol.substr(last + 1, symbol.size() - last - 2) + "'Class";
      break;
    }
  for (size_t i = 0; i < symbol.size(); ++i)
    if (symbol.compare(i, 2, "__") == 0)
      symbol.replace(i, 2, ".");
  return symbol + after;
}

} // namespace

std::string adaName(const std::string &symbol) {
  std::string plain =
      withoutUnnamedScopes(symbol.substr(0, symbol.find('.'))); // nested ones have a number at their end
  if (endsWith(plain, "TB"))
    plain.resize(plain.size() - 2);                  // the body of a task
  constexpr const char *kFinalizer = "___finalizer"; // of a subprogram or a block, when it is left
  if (const size_t begin = plain.find(kFinalizer); begin != std::string::npos && begin > 0)
    return adaName(plain.substr(0, begin)) + "._finalizer";
  char *text = ada_demangle(plain.c_str(), 0);
  const std::string name = text && *text != '<' ? text : ""; // "<symbol>" of what it does not know
  std::free(text);
  if (!name.empty())
    return name;
  return ISLOWER(plain[0]) && plain.find("__") != std::string::npos ? ownNotation(plain) : symbol;
}

} // namespace ada::pass
