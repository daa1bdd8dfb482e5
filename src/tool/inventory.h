// The commands that show what there is: `list`, `devices`, `cache`.
#pragma once

#include <fulgurite/main.h>

#include <vector>

namespace fulgurite::tool {

void list_programs(const std::vector<detail::ToolProgram>&);
void list_devices();

enum class CacheAction { summary, list, verify, clear };
void show_cache(CacheAction);

}  // namespace fulgurite::tool
