// Ridge regression on features without groups of rows.
#include "core/ridge/squared-errors.h"
#include "core/ridge/without-group.h"

#include "parallel.h"

#include <functional>
#include <memory>
#include <vector>

namespace {

// Groups of rows that are left out, see core/ridge/without-group.h.
struct GroupsOut {
  domgen::MatrixArgument f, y, total, ridges;  // the last two where fits are wanted
  Eigen::VectorXd roots;
  std::vector<Eigen::Index> begin;

  GroupsOut(SEXP F, SEXP Y, SEXP root, SEXP sizes)
      : f(domgen::filled_matrix(F, "F")), y(domgen::matrix_with_rows(Y, "Y", f.cols())),
        roots(domgen::numbers(root, "root", f.cols(), 0)),
        begin(domgen::read_begin(sizes, f.cols())) {}
  GroupsOut(SEXP F, SEXP Y, SEXP root, SEXP sizes, SEXP sums, SEXP penalised)
      : GroupsOut(F, Y, root, sizes) {
    total = domgen::MatrixArgument(sums, "sums", r(), k());
    ridges = domgen::matrix_with_rows(penalised, "penalised", r());
  }

  Eigen::Index r() const { return f.rows(); }

  Eigen::Index n() const { return f.cols(); }
  Eigen::Index k() const { return y.cols(); }
  Eigen::Index groups() const { return static_cast<Eigen::Index>(begin.size()) - 1; }

  // use(g, its first row, the group) for each
  using Use = std::function<void(Eigen::Index, Eigen::Index, const domgen::WithoutGroup&)>;
  void run(SEXP threads, const Use& use) const {
    const domgen::Threads pool(threads);
    const Eigen::Index r = f.rows();
    pool.run(groups(), [&](Eigen::Index first, Eigen::Index end) {
      for (Eigen::Index g = first; g < end; ++g) {
        const Eigen::Index from = begin[g], own = begin[g + 1] - from;
        const domgen::MatrixView rows(f.data() + from * r, r, own);
        const Eigen::MatrixXd targets = y.map().middleRows(from, own);
        const domgen::MatrixView targets_view(targets.data(), own, targets.cols());
        use(g, from, domgen::WithoutGroup(rows, targets_view, roots.segment(from, own), total));
      }
    });
  }
};

// Sums of the rows of each group, as ridge_group_sums_() gives them.
struct KnownSums {
  domgen::MatrixArgument second, cross;  // [r x r groups], [r x k groups]

  KnownSums(SEXP sums, Eigen::Index r, Eigen::Index k, Eigen::Index groups)
      : KnownSums(domgen::ListArgument(sums, "sums"), r, k, groups) {}
  KnownSums(const domgen::ListArgument& parts, Eigen::Index r, Eigen::Index k, Eigen::Index groups)
      : second(parts["second"], "second", r, r * groups),
        cross(parts["cross"], "cross", r, k * groups) {}

  Eigen::Map<const Eigen::MatrixXd> second_of(Eigen::Index g) const {
    return {second.data() + g * second.n * second.n, second.n, second.n};
  }
  Eigen::Map<const Eigen::MatrixXd> cross_of(Eigen::Index g, Eigen::Index k) const {
    return {cross.data() + g * cross.n * k, cross.n, k};
  }
};

}  // namespace

// Residuals of each group's rows by the fits without it, [n x k L], see
// core/ridge/without-group.h: F [r x n], Y [n x k] and root [n] of the rows, sorted by group; sums
// [r x k] of all, penalised [r x L].
// [[Rcpp::export(rng = false)]]
SEXP ridge_without_(SEXP F, SEXP Y, SEXP root, SEXP sizes, SEXP sums, SEXP penalised,
                    SEXP threads) {
  const GroupsOut out(F, Y, root, sizes, sums, penalised);
  Eigen::MatrixXd values(out.n(), out.k() * out.ridges.cols());
  out.run(threads, [&](Eigen::Index, Eigen::Index from, const domgen::WithoutGroup& group) {
    const Eigen::MatrixXd found = group.residuals(out.ridges.map());
    values.middleRows(from, found.rows()) = found;
  });
  return domgen::for_r(values);
}

// list(second = FCF' [r x r groups], upper triangles, cross = FCY [r x k groups]) of the rows of
// each group, and the sums of these over groups, all_second [r x r], whole, and all_cross [r x k].
// [[Rcpp::export(rng = false)]]
SEXP ridge_group_sums_(SEXP F, SEXP Y, SEXP root, SEXP sizes, SEXP threads) {
  const GroupsOut out(F, Y, root, sizes);
  const Eigen::Index r = out.r(), k = out.k();
  Eigen::MatrixXd second(r, r * out.groups()), cross(r, k * out.groups());
  Eigen::MatrixXd all_second = Eigen::MatrixXd::Zero(r, r), all_cross = Eigen::MatrixXd::Zero(r, k);
  out.run(threads, [&](Eigen::Index g, Eigen::Index, const domgen::WithoutGroup& group) {
    Eigen::MatrixXd own_second, own_cross;
    group.own_sums(own_second, own_cross);
    second.middleCols(g * r, r) = own_second;
    cross.middleCols(g * k, k) = own_cross;
  });
  for (Eigen::Index g = 0; g < out.groups(); ++g) {
    all_second += second.middleCols(g * r, r);
    all_cross += cross.middleCols(g * k, k);
  }
  all_second.triangularView<Eigen::StrictlyLower>() = all_second.transpose();
  return domgen::named_list(
      {{"second", second}, {"cross", cross}, {"all_second", all_second}, {"all_cross", all_cross}});
}

// list(residuals [n x kept L] of the first `kept` columns of Y, errors [responses x L]: their
// squared residuals, weighted by `share` [n]). A response has so many columns, `targets`, after the
// first `kept`; or it is the sum of these with weights in its column of `combine`. moments: NULL,
// or list(second [r x r] of all rows, groups: of the groups' rows, squares: the same with weights
// `share`, from which errors without `combine` follow, or NULL); then `penalised` is what is added
// to the diagonal of `second`.
// [[Rcpp::export(rng = false)]]
SEXP ridge_without_errors_(SEXP F, SEXP Y, SEXP root, SEXP sizes, SEXP sums, SEXP penalised,
                           SEXP kept, SEXP targets, SEXP share, SEXP combine, SEXP moments,
                           SEXP threads) {
  const GroupsOut out(F, Y, root, sizes, sums, penalised);
  const Eigen::Index k = out.k(), L = out.ridges.cols();
  domgen::SquaredErrors errors;
  errors.share = domgen::numbers(share, "share", out.n(), 0);
  errors.own = domgen::whole(kept, "kept", 0, static_cast<int>(k));
  errors.targets = domgen::whole(targets, "targets", 1);
  domgen::demand((k - errors.own) % errors.targets == 0, "targets", "divide the columns of `Y`");
  domgen::MatrixArgument weights;
  if (!Rf_isNull(combine))
    weights = domgen::matrix_with_rows(combine, "combine", errors.columns(k));
  errors.combine = weights;
  Eigen::MatrixXd values(out.n(), errors.own * L);
  const Eigen::Index responses = errors.responses(k);
  Eigen::MatrixXd by_group(responses * L, out.groups());
  const auto keep = [&](Eigen::Index l, Eigen::Index from, const Eigen::MatrixXd& residual) {
    values.block(from, l * errors.own, residual.rows(), errors.own) = residual.leftCols(errors.own);
  };
  const auto sum_errors = [&](Eigen::Index g, Eigen::Index l) {
    return by_group.col(g).segment(l * responses, responses);
  };
  if (Rf_isNull(moments)) {
    out.run(threads, [&](Eigen::Index g, Eigen::Index from, const domgen::WithoutGroup& group) {
      group.each(out.ridges.map(), [&](Eigen::Index l, Eigen::MatrixXd& residual) {
        keep(l, from, residual);
        sum_errors(g, l) = errors.of(residual, from);
      });
    });
  } else {
    const domgen::ListArgument parts(moments, "moments");
    const Eigen::Index r = out.r();
    const domgen::MatrixArgument all(parts["second"], "second", r, r);
    const KnownSums groups(parts["groups"], r, k, out.groups());
    std::unique_ptr<KnownSums> squares;
    if (parts.has("squares")) squares.reset(new KnownSums(parts["squares"], r, k, out.groups()));
    domgen::demand(!squares || !errors.combine.size(), "squares", "be NULL with `combine`");
    out.run(threads, [&](Eigen::Index g, Eigen::Index from, const domgen::WithoutGroup& group) {
      const Eigen::MatrixXd second = all.map() - groups.second_of(g);
      const Eigen::MatrixXd cross = out.total.map() - groups.cross_of(g, k);
      const Eigen::VectorXd size =
          squares ? errors.squares_of(group.targets(), from) : Eigen::VectorXd();
      group.each_fit(
          out.ridges.map(), second, cross, [&](Eigen::Index l, const Eigen::MatrixXd& W) {
            if (squares) {
              keep(l, from, group.residuals_of(W.leftCols(errors.own)));
              sum_errors(g, l) =
                  errors.of_fits(W, squares->second_of(g), squares->cross_of(g, k), size);
              return;
            }
            Eigen::MatrixXd residual = group.residuals_of(W);
            keep(l, from, residual);
            sum_errors(g, l) = errors.of(residual, from);
          });
    });
  }
  Eigen::MatrixXd sum = by_group.rowwise().sum();
  sum.resize(responses, L);
  return domgen::named_list({{"residuals", values}, {"errors", sum}});
}
