// Items that become several elements each, one after the other: which item an element belongs to. It is found
// as in Futhark (Elsman, Henriksen, Serup: Data-parallel flattening by expansion, 2019): the items' numbers
// are scattered to where their elements begin, and an element's item is the greatest number so far. So the
// work is split by elements, however many an item has.
#pragma once

#include "soac/ir.h"

namespace fulgurite::soac {

/// Statements that bind `items`, the number of the item of each of its elements. Item s has the elements from
/// offsets[s] to offsets[s + 1]. `like`: the line and the origin of the statements.
std::vector<Stm> item_of_each(Arena&, Expr offsets, Var items, const Stm& like);

}  // namespace fulgurite::soac
