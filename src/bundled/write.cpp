#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "base/word_writer.h"
#include "bundled/contents.h"
#include "plan/words.h"

namespace fulgurite::bundled {

namespace {

void pad(std::string& bytes) {
  bytes.resize((bytes.size() + blob_alignment - 1) / blob_alignment * blob_alignment);
}

class Writer {
 public:
  std::string file(const std::vector<Program>& programs) {
    bytes_.resize(sizeof(Header));
    base::WordWriter of_programs;
    for (const Program& program : programs) of_programs.section([&] { write(program, of_programs); });
    base::WordWriter index;
    index.section([&] { append(blobs_, index); });
    index.section([&] { append(of_programs, index); });
    return finish(index.words());
  }

 private:
  static void append(const base::WordWriter& from, base::WordWriter& to) {
    for (const std::uint32_t word : from.words()) to.word(word);
  }

  std::string finish(const std::vector<std::uint32_t>& index) {
    pad(bytes_);
    Header header{};
    std::ranges::copy(magic, header.magic);
    header.major = major_version;
    header.minor = minor_version;
    const std::string_view library = library_version;
    library.copy(header.library, sizeof header.library);
    header.index_offset = bytes_.size();
    header.index_size = 4 * index.size();
    const std::string_view words(reinterpret_cast<const char*>(index.data()), header.index_size);
    const base::Digest digest = base::digest(words);
    header.index_digest[0] = digest.first;
    header.index_digest[1] = digest.second;
    bytes_ += words;
    header.file_size = bytes_.size();
    std::memcpy(bytes_.data(), &header, sizeof header);
    return std::move(bytes_);
  }

  std::uint32_t blob(std::string_view bytes) {
    const base::Digest digest = base::digest(bytes);
    const auto [known, is_new] = known_.try_emplace(digest, static_cast<std::uint32_t>(known_.size()));
    if (is_new) {
      pad(bytes_);
      blobs_.wide(bytes_.size());
      blobs_.wide(bytes.size());
      blobs_.wide(digest.first);
      blobs_.wide(digest.second);
      bytes_ += bytes;
    }
    return known->second;
  }

  void write(const Program& program, base::WordWriter& to) {
    to.text(program.name);
    to.wide(program.key.first);
    to.wide(program.key.second);
    to.word(program.is_strict);
    to.word(program.is_unchecked);
    for (const auto* types : {&program.params, &program.results})
      to.section([&] {
        for (const ValueType& type : *types) write(type, to);
      });
    to.section([&] {
      for (const CapturedArray& array : program.captures) {
        write(array.type, to);
        for (const std::int64_t extent : array.extents) to.wide(static_cast<std::uint64_t>(extent));
        to.word(blob(array.bytes));
      }
    });
    to.section([&] {
      for (const plan::SiteText& site : program.sites) {
        to.word(static_cast<std::uint32_t>(site.error));
        to.word(site.where.line);
        to.text(site.where.file);
        to.text(site.message);
      }
    });
    to.word(blob(program.text));
    to.section([&] {
      for (const Target& target : program.targets) to.section([&] { write(target, to); });
    });
  }

  static void write(const ValueType& type, base::WordWriter& to) {
    to.word(static_cast<std::uint32_t>(type.kind));
    to.number(type.rank);
  }

  void write(const Target& target, base::WordWriter& to) {
    to.word(static_cast<std::uint32_t>(target.engine));
    to.text(target.architecture);
    to.number(target.plan.n_slots);
    to.number(target.plan.n_places);
    const auto values = [&](const auto& all) {
      to.section([&] {
        for (const auto& value : all) {
          write(ValueType{value.kind, value.rank}, to);
          to.number(value.slot);
          to.number(value.place);
        }
      });
    };
    values(target.plan.params);
    values(target.plan.results);
    to.section([&] {
      for (std::size_t k = 0; k < target.plan.kernels.size(); ++k)
        write(target.plan.kernels[k], target.codes.at(k), to);
    });
    plan::write_steps(target.plan.steps, to);
  }

  void write(const plan::KernelText& kernel, std::string_view code, base::WordWriter& to) {
    to.text(kernel.name);
    to.number(kernel.n_phases);
    for (const auto* numbers : {&kernel.arguments, &kernel.block_sizes, &kernel.shared_bytes})
      to.section([&] {
        for (const std::int32_t number : *numbers) to.number(number);
      });
    to.word(kernel.can_fail);
    to.word(blob(code));
  }

  std::string bytes_;
  base::WordWriter blobs_;
  std::unordered_map<base::Digest, std::uint32_t> known_;
};

}  // namespace

std::string file_of(const std::vector<Program>& programs) {
  return Writer().file(programs);
}

}  // namespace fulgurite::bundled
