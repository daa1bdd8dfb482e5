#include "late_stores.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

namespace fulgurite::runtime::test {

void LateStores::add(cuda::Address address, std::size_t bytes, const Moment& moment) {
  for (std::size_t at = 0; at < bytes; at += 16) {
    LateStore store{
        address + at, moment, static_cast<std::uint32_t>(std::min<std::size_t>(16, bytes - at)), {}};
    std::memcpy(store.other.data(), reinterpret_cast<const void*>(store.address), store.bytes);
    stores_.push_back(store);
  }
}

void LateStores::exchange(LateStore& store) {
  std::array<std::byte, 16> memory;
  void* const place = reinterpret_cast<void*>(store.address);
  std::memcpy(memory.data(), place, store.bytes);
  std::memcpy(place, store.other.data(), store.bytes);
  store.other = memory;
}

void LateStores::hide() {
  for (auto store = stores_.rbegin(); store != stores_.rend(); ++store) exchange(*store);
}

void LateStores::show() {
  for (LateStore& store : stores_) exchange(store);
}

void LateStores::append(LateStores& ended) {
  stores_.insert(stores_.end(), ended.stores_.begin(), ended.stores_.end());
  ended.stores_.clear();
}

// An older store of the same bytes is visible with a newer one.
template <class IsPublished>
LateStores::Published LateStores::publish_those(IsPublished is_published) {
  std::unordered_set<cuda::Address> visible;  // bytes that newer stores made so
  Published published, kept;
  for (auto store = stores_.rbegin(); store != stores_.rend(); ++store) {
    const auto has_newer = [&] {
      for (std::uint32_t i = 0; i < store->bytes; ++i)
        if (visible.contains(store->address + i)) return true;
      return false;
    };
    if (is_published(*store) || (!visible.empty() && has_newer())) {
      for (std::uint32_t i = 0; i < store->bytes; ++i) visible.insert(store->address + i);
      published.push_back(*store);
    } else {
      kept.push_back(*store);
    }
  }
  std::ranges::reverse(published);
  std::ranges::reverse(kept);
  stores_ = std::move(kept);
  return published;
}

LateStores::Published LateStores::publish(const Moment& fence) {
  const auto is_before = [&](const LateStore& store) { return is_ordered(store.moment, fence); };
  if (std::ranges::all_of(stores_, is_before)) return publish_all();
  if (std::ranges::none_of(stores_, is_before)) return {};
  return publish_those(is_before);
}

LateStores::Published LateStores::publish(cuda::Address address, std::size_t bytes) {
  const auto overlaps = [&](const LateStore& store) {
    return store.address < address + bytes && address < store.address + store.bytes;
  };
  if (std::ranges::none_of(stores_, overlaps)) return {};
  return publish_those(overlaps);
}

}  // namespace fulgurite::runtime::test
