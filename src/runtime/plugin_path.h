// Where this build's plug-ins lie: what is loaded only by programs that need it.
#pragma once

#include <string>

namespace fulgurite::runtime {

// The path of the plug-in `name`. A build has it beside the library; packages have it in a folder of their
// own below that. Where it is in neither, the path beside the library.
std::string plugin_path(const std::string& name);

bool is_plugin_there(const std::string& name);

// The folder in which a static library finds plug-ins, with a slash at its end; empty where the library is a
// shared one.
extern const char* const plugin_folder;

}  // namespace fulgurite::runtime
