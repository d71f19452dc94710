#include "json/plain_texts.h"

#include <bit>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace huygens {
namespace {

// The first quote, backslash, control character or byte beyond ASCII; sixteen bytes at a time where the processor can
// (every x86-64).
inline const char* FindSpecial(const char* at, const char* end) {
#ifdef __SSE2__
  for (; end - at >= 16; at += 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i quoting =
        _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('"')), _mm_cmpeq_epi8(block, _mm_set1_epi8('\\')));
    const __m128i unusual = _mm_cmplt_epi8(block, _mm_set1_epi8(' '));  // signed: 0x80 is below, too
    const auto hits = static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(quoting, unusual)));
    if (hits != 0) return at + std::countr_zero(hits);
  }
#endif
  while (at != end && *at != '"' && *at != '\\' && static_cast<signed char>(*at) >= ' ') ++at;
  return at;
}

}  // namespace

std::string_view ReadPlainTexts(std::string_view text, std::vector<std::string_view>& out) {
  if (text.starts_with("[]")) return text.substr(0, 2);
  const char* at = text.data();
  const char* end = at + text.size();
  for (char before = '['; end - at > 2 && at[0] == before && at[1] == '"'; before = ',') {
    const char* begin = at + 2;
    at = FindSpecial(begin, end);
    if (end - at < 2 || *at != '"') break;
    out.emplace_back(begin, static_cast<size_t>(at - begin));
    if (*++at == ']') return text.substr(0, static_cast<size_t>(at + 1 - text.data()));
  }
  return {};
}

}  // namespace huygens
