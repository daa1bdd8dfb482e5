#include "runtime/plugin_path.h"

#include <unistd.h>

#include "runtime/build_id.h"

namespace fulgurite::runtime {
namespace {

bool is_there(const std::string& path) {
  return access(path.c_str(), F_OK) == 0;
}

}  // namespace

std::string plugin_path(const std::string& name) {
  const std::string beside = beside_library(name);
  if (is_there(beside)) return beside;
  for (const std::string& packaged : {beside_library("fulgurite/" + name), plugin_folder + name})
    if (packaged.starts_with('/') && is_there(packaged)) return packaged;
  return beside;
}

bool is_plugin_there(const std::string& name) {
  return is_there(plugin_path(name));
}

}  // namespace fulgurite::runtime
