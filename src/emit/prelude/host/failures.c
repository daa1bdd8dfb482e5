// What emitted programs of all targets have in common (sections as in c.c, in front of the target's own): sizes, and what failed, in words.
// An fg_caller is the target's fg_call, with an fg_error.

//! fg_bytes
// Of an array; negative: the size cannot be.
FG_INLINE i64 fg_bytes(i64 element_bytes, i32 rank, const i64* size) {
  i64 bytes = element_bytes;
  for (i32 k = 0; k < rank; ++k) {
    if (size[k] < 0) return -1;
    if (size[k] == 0) bytes = 0;
  }
  if (bytes == 0) return 0;
  for (i32 k = 0; k < rank; ++k) {
    if (bytes > ((i64)1 << 62) / size[k]) return -2;
    bytes *= size[k];
  }
  return bytes;
}

//! fg_site
typedef struct fg_site {
  fg_status status;
  int line;
  const char* file;
  const char* message;
} fg_site;

//! fg_put
FG_INLINE void fg_put(fg_error* error, size_t* end, const char* text, size_t n) {
  while (n-- > 0 && *end + 1 < sizeof error->text) error->text[(*end)++] = *text++;
  error->text[*end] = 0;
}

//! fg_put_number
FG_INLINE void fg_put_number(fg_error* error, size_t* end, u64 magnitude, int is_negative) {
  char digits[24];
  size_t first = sizeof digits;
  do digits[--first] = (char)('0' + magnitude % 10);
  while ((magnitude /= 10) != 0);
  if (is_negative) digits[--first] = '-';
  fg_put(error, end, digits + first, sizeof digits - first);
}

//! fg_quote
// The text of a place {word} of a message; 0: it is none.
FG_INLINE int fg_quote(fg_error* error, size_t* end, const char* word, size_t length, const i64* values, i32 n, i64 position) {
  if (length == 2 && word[0] == 'a' && word[1] == 't') {
    fg_put_number(error, end, (u64)position, 0);
    return 1;
  }
  if (length == 5 && memcmp(word, "range", 5) == 0 && n > 1) {
    if (values[1] <= 0) {
      fg_put(error, end, "an empty array", 14);
    } else {
      fg_put(error, end, "0..", 3);
      fg_put_number(error, end, (u64)(values[1] - 1), 0);
    }
    return 1;
  }
  const char reading = length > 0 ? word[length - 1] : 0;
  if (reading == 'u' || reading == '?') --length;
  i32 number = 0;
  for (size_t k = 0; k < length; ++k) {
    if (word[k] < '0' || word[k] > '9' || number > 99) return 0;
    number = 10 * number + (word[k] - '0');
  }
  if (length == 0 || (number >= n && !(n == 2 && number == 2))) return 0;
  const i64 value = number < n ? values[number] : position;
  const int is_negative = value < 0 && reading != 'u' && reading != '?';
  fg_put_number(error, end, is_negative ? 0 - (u64)value : (u64)value, is_negative);
  if (reading == '?' && value < 0) {
    fg_put(error, end, " (or ", 5);
    fg_put_number(error, end, 0 - (u64)value, 1);
    fg_put(error, end, " if it is signed)", 17);
  }
  return 1;
}

//! fg_fail
// Says what is wrong, to whom wants to know.
FG_INLINE fg_status fg_fail(const fg_caller* call, const fg_site* site, i64 position, i32 n, const i64* values) {
  fg_error* const error = call != 0 ? call->error : 0;
  if (error == 0) return site->status;
  error->status = site->status;
  error->file = site->file;
  error->line = site->line;
  size_t end = 0;
  for (const char* at = site->message; *at != 0;) {
    const char* const close = *at == '{' ? strchr(at, '}') : 0;
    if (close != 0 && fg_quote(error, &end, at + 1, (size_t)(close - at - 1), values, n, position))
      at = close + 1;
    else
      fg_put(error, &end, at++, 1);
  }
  return site->status;
}

//! fg_made
// The status of fg_allocate, with the line whose array could not be made.
FG_INLINE fg_status fg_made(fg_status status, const fg_caller* call, const fg_site* site) {
  if (status == FG_MEMORY) {
    const fg_site there = {FG_MEMORY, site->line, site->file, "there is not enough memory"};
    return fg_fail(call, &there, 0, 0, 0);
  }
  return status;
}

//! FG_TRY
#define FG_TRY(x)                            \
  do {                                       \
    const fg_status fg_status_ = (x);        \
    if (fg_status_ != FG_OK) return fg_status_; \
  } while (0)

