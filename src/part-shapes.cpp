// Kind and shape of all parts of a model, and those that are code: walked here, since in R that
// takes a third of the time of a prediction of few rows.
#include <Rcpp/Light>

#include <string>
#include <utility>
#include <vector>

namespace {

std::string text_of(SEXP string) { return Rf_translateCharUTF8(string); }

std::string class_of(SEXP value) {
  const SEXP kind = Rf_getAttrib(value, R_ClassSymbol);
  std::string joined;
  for (R_xlen_t i = 0; i < Rf_xlength(kind); ++i) {
    joined += (i > 0 ? ", " : "") + text_of(STRING_ELT(kind, i));
  }
  return joined;
}

std::string size_of(SEXP value) {
  const SEXP dim = Rf_getAttrib(value, R_DimSymbol);
  if (TYPEOF(dim) != INTSXP) return std::to_string(Rf_xlength(value));
  std::string sizes;
  for (R_xlen_t i = 0; i < Rf_xlength(dim); ++i) {
    sizes += (i > 0 ? " x " : "") + std::to_string(INTEGER(dim)[i]);
  }
  return sizes;
}

std::string shape_of(SEXP value) {
  return std::string(Rf_type2char(TYPEOF(value))) + " (" + size_of(value) + ")";
}

class Walk {
 public:
  explicit Walk(const Rcpp::Function& other) : other_(other) {}

  void list(SEXP value, const std::string& path) {
    const SEXP names = Rf_getAttrib(value, R_NamesSymbol);
    for (R_xlen_t i = 0; i < Rf_xlength(value); ++i) {
      const std::string name = Rf_isNull(names) ? "" : text_of(STRING_ELT(names, i));
      if (path.empty() && name == "seal") continue;
      part(VECTOR_ELT(value, i), path + (name.empty() ? "[[" + std::to_string(i + 1) + "]]"
                                                      : (path.empty() ? "" : "$") + name));
    }
  }

  Rcpp::CharacterVector result() const {
    Rcpp::CharacterVector shapes(shapes_.size()), paths(shapes_.size());
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      shapes[i] = Rf_mkCharCE(shapes_[i].c_str(), CE_UTF8);
      paths[i] = Rf_mkCharCE(paths_[i].c_str(), CE_UTF8);
    }
    shapes.names() = paths;
    return shapes;
  }

  // What is evaluated when the model is used, by place.
  Rcpp::List code() const {
    Rcpp::List code(code_.size());
    Rcpp::CharacterVector places(code_.size());
    for (std::size_t i = 0; i < code_.size(); ++i) {
      code[i] = code_[i].first;
      places[i] = Rf_mkCharCE(code_[i].second.c_str(), CE_UTF8);
    }
    code.names() = places;
    return code;
  }

 private:
  void part(SEXP value, const std::string& path) {
    if (Rf_isObject(value)) add("class(" + path + ")", class_of(value));
    if (TYPEOF(value) == VECSXP && Rf_xlength(value) > 0) {
      if (Rf_inherits(value, "foreign") || has_seal(value)) add(path, asked(value, path));
      else list(value, path);
    } else {
      const int type = TYPEOF(value);
      // the call of the fit is evaluated when the user asks for it
      if ((type == LANGSXP || type == SYMSXP || type == EXPRSXP) && path != "call") {
        code_.emplace_back(value, path);
      }
      add(path, shape_of(value));
    }
  }

  static bool has_seal(SEXP value) {
    const SEXP names = Rf_getAttrib(value, R_NamesSymbol);
    for (R_xlen_t i = 0; i < Rf_xlength(names); ++i) {
      if (text_of(STRING_ELT(names, i)) == "seal") return !Rf_isNull(VECTOR_ELT(value, i));
    }
    return false;
  }

  std::string asked(SEXP value, const std::string& path) {
    return Rcpp::as<std::string>(other_(Rcpp::RObject(value), path));
  }

  void add(const std::string& path, const std::string& shape) {
    paths_.push_back(path);
    shapes_.push_back(shape);
  }

  const Rcpp::Function& other_;
  std::vector<std::string> paths_, shapes_;
  std::vector<std::pair<SEXP, std::string>> code_;  // parts of the object, which R keeps
};

// Has an expression anything but names, calls and constants?
bool is_odd(SEXP value) {
  switch (TYPEOF(value)) {
    case NILSXP:
    case SYMSXP:
    case LGLSXP:
    case INTSXP:
    case REALSXP:
    case CPLXSXP:
    case STRSXP:
    case RAWSXP:
      return false;
    case VECSXP:
    case EXPRSXP:
      for (R_xlen_t i = 0; i < Rf_xlength(value); ++i) {
        if (is_odd(VECTOR_ELT(value, i))) return true;
      }
      return false;
    case LANGSXP:
    case LISTSXP:
      for (; TYPEOF(value) == LANGSXP || TYPEOF(value) == LISTSXP; value = CDR(value)) {
        if (is_odd(CAR(value))) return true;
      }
      return value != R_NilValue;
    default:
      return true;
  }
}

}  // namespace

// Named by the places of the parts. other: a function of a part and its place that describes what
// is not described by its shape.
// [[Rcpp::export(rng = false)]]
Rcpp::List part_shapes_(const Rcpp::List& object, const Rcpp::Function& other) {
  Walk walk(other);
  walk.list(object, "");
  return Rcpp::List::create(Rcpp::Named("shapes") = walk.result(),
                            Rcpp::Named("code") = walk.code());
}

// Has an expression an object of R in the place of code, which printing does not tell from a call?
// [[Rcpp::export(rng = false)]]
bool odd_code_(const Rcpp::RObject& expr) { return is_odd(expr); }
