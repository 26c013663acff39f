// A number of 128 bits, for products of two numbers of 64.
#pragma once

namespace ada {

__extension__ using Wide = unsigned __int128;

} // namespace ada
