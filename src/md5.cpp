// The sum of bytes in memory: tools::md5sum() of R needs a file, for which there may be no room.
#include "core/data/md5.h"

#include <Rcpp.h>

#include <string>

// before: the sum of the bytes that came before these, or "".
// [[Rcpp::export(rng = false)]]
std::string md5_(std::string before, Rcpp::RawVector bytes) {
  domgen::Md5 md5;
  md5.add(reinterpret_cast<const unsigned char*>(before.data()), before.size());
  md5.add(RAW(bytes), static_cast<std::size_t>(bytes.size()));
  return md5.sum();
}
