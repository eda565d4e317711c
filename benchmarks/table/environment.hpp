// SPDX-License-Identifier: MIT
// Other libraries choose threads and vector unit at run time, from the environment.
#pragma once

namespace table {

/// Sees to it that they have one thread and the vector unit that this program is compiled for: if
/// the environment does not say so, the program starts itself again in one that does.
void restrict_peers(char** arguments);

}  // namespace table
