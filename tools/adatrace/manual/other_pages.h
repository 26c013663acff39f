// The pages of the manual that are not about commands of adatrace.
#ifndef ADATRACE_OTHER_PAGES_H
#define ADATRACE_OTHER_PAGES_H

#include "page.h"

namespace ada::cli {

/// ADA_OPTIONS, from lib/shared/options/options.inc.
Page optionsPage();
/// The compiler wrappers, from lib/shared/options/compile_options.inc.
Page clangPage();

} // namespace ada::cli
#endif // ADATRACE_OTHER_PAGES_H
