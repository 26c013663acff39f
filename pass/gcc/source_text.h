// A function's name and origin as its source has them.
#pragma once

#include "gcc_headers.h"

#include "common/globs.h"

namespace ada::pass {

/// The name in the object file.
std::string symbolName(tree function);
/// SYMBOL, which names FUNCTION, as its language writes it: "void ns::f<int>(int)"; SYMBOL itself if it is not mangled.
std::string demangledName(tree function, const std::string &symbol);
/// The same if readers of a trace can't demangle SYMBOL, as in Ada, Fortran and Objective-C; "" otherwise.
std::string unreadableName(tree function, const std::string &symbol);

/// The translation unit that FUNCTION is of, also where -flto compiles several together; null if it is not known.
tree translationUnit(tree function);
/// Whether the compiler of FUNCTION's unit is the one whose name begins so: "GNU Ada".
bool isOfLanguage(tree function, const char *language);

/// The function in the source that FUNCTION is a copy or a part of; FUNCTION itself if the optimizer did not make it.
tree sourceFunction(tree function);

/// The name by which FUNCTION is recorded: for a copy that the optimizer made ("f.constprop.0", "f.isra.0") that of the
/// function in the source, otherwise the symbol. A part of a function ("f.part.0") has a name of its own.
std::string recordedName(tree function);

/// Absolute path of the file that defines FUNCTION, without "." and ".."; "" if it has none, because the compiler made
/// it.
std::string sourcePath(tree function);
/// Absolute path of the file that was compiled; "" if it is not known.
std::string unitPath(tree function);
/// Line of the definition, 0 if unknown.
unsigned sourceLine(tree function);

/// Whether FUNCTION is only declared here, and no part of what -flto compiles.
bool isLibraryFunction(tree function);

/// The names of FUNCTION that globs are matched against. A copy or a part that the optimizer made ("f.part.0") has the
/// names of the function in the source.
FunctionNames namesOf(tree function);

} // namespace ada::pass
