// Kernel ridge regression: convert, call, convert back.
#include "core/kernel/pair-sums.h"
#include "core/linalg/band.h"
#include "core/ridge/conjugate.h"
#include "core/ridge/factor.h"
#include "core/ridge/lodo-path.h"
#include "core/ridge/lodo-tridiagonal.h"
#include "core/ridge/lodo.h"
#include "core/ridge/path.h"
#include "core/ridge/squared-errors.h"
#include "core/ridge/without-group.h"

#include "gram-argument.h"
#include "parallel.h"
#include "program.h"

#include <memory>

namespace {

// sizes: number of rows of each group, in the order of the n rows. Where each begins, and n.
std::vector<Eigen::Index> read_begin(SEXP sizes, Eigen::Index n) {
  std::vector<Eigen::Index> begin(1, 0);
  for (const int last : domgen::places(sizes, "sizes", n)) begin.push_back(begin.back() + last + 1);
  domgen::demand(begin.back() == n, "sizes", "add up to the number of rows");
  return begin;
}

domgen::LeftOut read_left_out(SEXP sizes, SEXP centre, SEXP intercept, Eigen::Index n,
                              Eigen::Index m) {
  domgen::LeftOut out;
  out.begin = read_begin(sizes, n);
  out.centre = domgen::MatrixArgument(centre, "centre", out.domains(), m).map();
  out.intercept = domgen::flag(intercept, "intercept");
  return out;
}

Eigen::VectorXd read_ridge(SEXP ridge, Eigen::Index n) {
  return domgen::numbers(ridge, "ridge", n, -domgen::infinite, domgen::infinite);
}

// Groups of rows that are left out, see core/ridge/without-group.h.
struct GroupsOut {
  domgen::MatrixArgument f, y, total, ridges;  // the last two where fits are wanted
  Eigen::VectorXd roots;
  std::vector<Eigen::Index> begin;

  GroupsOut(SEXP F, SEXP Y, SEXP root, SEXP sizes)
      : f(domgen::filled_matrix(F, "F")), y(domgen::matrix_with_rows(Y, "Y", f.cols())),
        roots(domgen::numbers(root, "root", f.cols(), 0)), begin(read_begin(sizes, f.cols())) {}
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
  template <class Use>
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

// Products with a Gram matrix [n x n], or with one that is evaluated again for each of them.
class GramProducts {
 public:
  GramProducts(SEXP K, Eigen::Index n) {
    if (Rf_isMatrix(K)) {
      gram_ = domgen::MatrixArgument(K, "K", n, n);
      return;
    }
    const domgen::ListArgument from(K, "K");
    rows_ = domgen::matrix_with_rows(from["X"], "X", n);
    weights_ = domgen::read_weights(from["kappa"], from["domain"], n);
    kernel_ = domgen::read_kernel(from["program"], rows_, rows_);
    pool_.reset(new domgen::Threads(from["threads"]));
  }

  void multiply(const Eigen::MatrixXd& x, Eigen::MatrixXd& y) const {
    if (!kernel_) return domgen::multiply_gram(gram_, x, y);
    const domgen::MatrixView view(x.data(), x.rows(), x.cols());
    domgen::apply_gram(*kernel_, weights_, x.rows(), view, y.data(), *pool_);
  }

 private:
  std::unique_ptr<domgen::Threads> pool_;
  domgen::MatrixArgument gram_, rows_;
  domgen::DomainWeights weights_;
  std::unique_ptr<domgen::Kernel> kernel_;
};

}  // namespace

// (K + diag(ridge))^-1 Y [n x m]. Here and below K or S is consumed (gram-argument.h).
// [[Rcpp::export(rng = false)]]
SEXP ridge_solve_(SEXP K, SEXP Y, SEXP ridge) {
  domgen::GramArgument gram(K, "K");
  const auto y = domgen::matrix_with_rows(Y, "Y", gram.rows());
  const Eigen::VectorXd ridges = read_ridge(ridge, gram.rows());
  const domgen::RidgeFactor factor(gram.take(), ridges, domgen::Threads(1));
  return domgen::named_list({{"solution", factor.solve(y.map())}, {"jitter", factor.jitter()}});
}

// U [n x rank], K ~ UU', see core/ridge/conjugate.h.
// [[Rcpp::export(rng = false)]]
SEXP ridge_landmarks_(SEXP K, SEXP rank) {
  const auto gram = domgen::filled_matrix(K, "K");
  domgen::demand_length(gram.cols(), gram.rows(), "K", "columns");
  const int size = domgen::whole(rank, "rank", 1, static_cast<int>(gram.rows()));
  return domgen::for_r(domgen::landmark_root(gram, size, domgen::Threads(1)));
}

// The change of a and b where z - (K + D) a is `right` [n systems x classes], of which missing
// [systems x classes], tolerance and scale [systems]; see core/ridge/conjugate.h. K stays. It is a
// matrix, or list(program, X, kappa, domain, threads) of a kernel whose matrix is never made.
// [[Rcpp::export(rng = false)]]
SEXP ridge_conjugate_(SEXP K, SEXP U, SEXP ridge, SEXP right, SEXP missing, SEXP constant,
                      SEXP tolerance, SEXP scale, SEXP most) {
  const auto root = domgen::filled_matrix(U, "U");
  const Eigen::Index n = root.rows();
  const GramProducts products(K, n);
  domgen::ConjugateProblem problem;
  problem.times = [&](const Eigen::MatrixXd& x, Eigen::MatrixXd& y) { products.multiply(x, y); };
  problem.U = root;
  problem.constant = domgen::flag(constant, "constant");
  problem.limits.least = domgen::some_numbers(tolerance, "tolerance", 0);
  const Eigen::Index systems = problem.limits.least.size();
  problem.limits.scale = domgen::numbers(scale, "scale", systems, DBL_MIN);
  problem.limits.most = domgen::whole(most, "most");
  const auto ridges = domgen::matrix_with_rows(ridge, "ridge", n * systems);
  domgen::demand(ridges.size() > 0 && ridges.map().minCoeff() >= DBL_MIN, "ridge", "be positive");
  problem.classes = ridges.cols();
  const domgen::MatrixArgument rights(right, "right", n * systems, problem.classes);
  const domgen::MatrixArgument sums(missing, "missing", systems, problem.classes);
  // systems of a class lie side by side in R, classes of a system in the core
  const auto regroup = [n](const Eigen::Ref<const Eigen::MatrixXd>& from, Eigen::Index inner) {
    const Eigen::Index outer = from.size() / n / inner;
    const Eigen::Map<const Eigen::MatrixXd> all(from.data(), n, inner * outer);
    Eigen::MatrixXd to(n, inner * outer);
    for (Eigen::Index i = 0; i < inner; ++i)
      for (Eigen::Index o = 0; o < outer; ++o) to.col(o + outer * i) = all.col(i + inner * o);
    return to;
  };
  problem.ridge = regroup(ridges.map(), systems);
  problem.right = regroup(rights.map(), systems);
  problem.missing = sums.map().transpose();
  const domgen::ConjugateSolution solved = domgen::solve_conjugate(problem, domgen::Threads(1));
  const auto stacked = [&](const Eigen::MatrixXd& part) {
    Eigen::MatrixXd to = regroup(part, problem.classes);
    to.resize(n * systems, problem.classes);
    return to;
  };
  const std::vector<int> converged(solved.converged.begin(), solved.converged.end());
  return domgen::named_list({{"change", stacked(solved.change)},
                             {"product", stacked(solved.product)},
                             {"constant", Eigen::MatrixXd(solved.constant.transpose())},
                             {"converged", converged}});
}

// K A of what ridge_conjugate_() calls K.
// [[Rcpp::export(rng = false)]]
SEXP gram_product_(SEXP K, SEXP A) {
  const auto a = domgen::filled_matrix(A, "A");
  const GramProducts products(K, a.rows());
  Eigen::MatrixXd out(a.rows(), a.cols());
  products.multiply(a.map(), out);
  return domgen::for_r(out);
}

// Residuals of each domain when it is left out [n x m]; rows sorted by domain. centre
// [G x m] is taken off the responses. With costs [n] also `left` and `right` [n x Gm],
// see core/ridge/lodo.h.
// [[Rcpp::export(rng = false)]]
SEXP ridge_lodo_(SEXP K, SEXP Y, SEXP ridge, SEXP sizes, SEXP centre, SEXP intercept, SEXP costs) {
  domgen::GramArgument gram(K, "K");
  const Eigen::Index n = gram.rows();
  const auto y = domgen::matrix_with_rows(Y, "Y", n);
  const Eigen::VectorXd ridges = read_ridge(ridge, n);
  const domgen::LeftOut out = read_left_out(sizes, centre, intercept, n, y.cols());
  const bool slopes = !Rf_isNull(costs);
  Eigen::VectorXd row_costs;
  if (slopes) row_costs = domgen::numbers(costs, "costs", n);
  const domgen::Threads here(1);
  const domgen::RidgeFactor factor(gram.take(), ridges, here);
  domgen::LeaveOneDomainOut leave(factor, out, y.map(), here);
  const domgen::Lodo lodo = leave.run(slopes ? &row_costs : nullptr);
  if (!slopes)
    return domgen::named_list({{"residual", lodo.residual}, {"jitter", factor.jitter()}});
  return domgen::named_list({{"residual", lodo.residual},
                             {"jitter", factor.jitter()},
                             {"left", lodo.left},
                             {"right", lodo.right}});
}

// list(inverse = (K + diag(ridge))^-1, jitter)
// [[Rcpp::export(rng = false)]]
SEXP ridge_inverse_(SEXP K, SEXP ridge) {
  domgen::GramArgument gram(K, "K");
  const Eigen::VectorXd ridges = read_ridge(ridge, gram.rows());
  const domgen::Threads here(1);
  domgen::RidgeFactor factor(gram.take(), ridges, here);
  factor.invert(here);
  return domgen::named_list({{"inverse", gram.matrix()}, {"jitter", factor.jitter()}});
}

// Predictions of each domain when it is left out, for every lambda [n x mL]; rows
// sorted by domain. K: the Gram matrix, or with a pole its ridge_inverse_(). root:
// square roots of the costs. tolerance 0: in closed form, for positive costs and no pole.
// [[Rcpp::export(rng = false)]]
SEXP ridge_path_(SEXP K, SEXP pole, SEXP Y, SEXP root, SEXP lambda, SEXP sizes, SEXP centre,
                 SEXP intercept, SEXP tolerance, SEXP patience, SEXP threads) {
  const auto gram = domgen::filled_matrix(K, "K");
  const Eigen::Index n = gram.rows();
  domgen::demand_length(gram.cols(), n, "K", "columns");
  domgen::PathProblem problem;
  problem.K = gram;
  problem.pole = domgen::number(pole, "pole", 0);
  problem.Y = domgen::matrix_with_rows(Y, "Y", n).map();
  problem.root = domgen::numbers(root, "root", n);
  problem.lambda = domgen::some_numbers(lambda, "lambda");
  problem.out = read_left_out(sizes, centre, intercept, n, problem.Y.cols());
  problem.tolerance = domgen::number(tolerance, "tolerance", 0);
  problem.patience = domgen::number(patience, "patience", 0, domgen::infinite);
  const domgen::Threads pool(threads);
  const domgen::LodoPath path = problem.tolerance > 0 ? domgen::lodo_path(problem, pool)
                                                      : domgen::lodo_tridiagonal(problem, pool);
  const std::vector<int> lost(path.lost.begin(), path.lost.end());
  return domgen::named_list(
      {{"prediction", path.prediction}, {"lost", lost}, {"steps", path.steps}});
}

// (S + lambda I)^-1 B, column j + l m for column j of B [r x m] and lambda_l.
// [[Rcpp::export(rng = false)]]
SEXP ridge_shifted_(SEXP S, SEXP B, SEXP lambda, SEXP threads) {
  domgen::GramArgument gram(S, "S");
  const auto b = domgen::matrix_with_rows(B, "B", gram.rows());
  const Eigen::VectorXd lambdas = domgen::some_numbers(lambda, "lambda");
  const domgen::Threads pool(threads);
  return domgen::for_r(domgen::solve_shifted(gram.take(), b.map(), lambdas, pool));
}

// Coefficients and offsets for many lambda, see core/ridge/path.h; root: square roots of the
// costs.
// [[Rcpp::export(rng = false)]]
SEXP ridge_many_(SEXP K, SEXP Y, SEXP root, SEXP lambda, SEXP intercept, SEXP threads) {
  domgen::GramArgument gram(K, "K");
  const auto y = domgen::matrix_with_rows(Y, "Y", gram.rows());
  const Eigen::VectorXd roots = domgen::numbers(root, "root", gram.rows());
  const Eigen::VectorXd lambdas = domgen::some_numbers(lambda, "lambda");
  const bool constant = domgen::flag(intercept, "intercept");
  const domgen::Threads pool(threads);
  const domgen::RidgePath path =
      domgen::ridge_path(gram.take(), y.map(), roots, lambdas, constant, pool);
  return domgen::named_list({{"coefficients", path.coefficients}, {"intercept", path.intercept}});
}

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

// Sums over pairs of rows with the weights W = (left right' + right left') / 2, left and
// right [n x k]: sum_ij W_ij kappa_ij rate_ij ((x_ik - x_jk) inv_k)^2 for each predictor.
// rate: program of a kernel's rate, see core/kernel/profile.h; inv: 1 / sigma.
// [[Rcpp::export(rng = false)]]
SEXP pair_slopes_(SEXP left, SEXP right, SEXP rate, SEXP inv, SEXP X, SEXP kappa, SEXP domain,
                  SEXP threads) {
  const auto x = domgen::filled_matrix(X, "X");
  const Eigen::Index n = x.rows();
  const auto a = domgen::matrix_with_rows(left, "left", n);
  const domgen::MatrixArgument b(right, "right", n, a.cols());
  const domgen::Rows scaled(x, domgen::column_means(x), domgen::numbers(inv, "inv", x.cols()));
  const auto weights = domgen::read_weights(kappa, domain, n);
  const auto kernel = domgen::read_kernel(rate, x, x);
  const domgen::PairWeights pairs(a, b);
  const domgen::Threads pool(threads);
  return domgen::for_r(domgen::PairSums(pairs, pool).by_predictor(*kernel, weights, scaled));
}

// sum_ij W_ij k_ij over the rows i of domain g and j of h, [G x G].
// [[Rcpp::export(rng = false)]]
SEXP pair_cells_(SEXP left, SEXP right, SEXP program, SEXP X, SEXP domain, SEXP domains,
                 SEXP threads) {
  const auto x = domgen::filled_matrix(X, "X");
  const Eigen::Index n = x.rows();
  const auto a = domgen::matrix_with_rows(left, "left", n);
  const domgen::MatrixArgument b(right, "right", n, a.cols());
  const int G = domgen::whole(domains, "domains", 1);
  const std::vector<int> codes = domgen::places(domain, "domain", G, n);
  const auto kernel = domgen::read_kernel(program, x, x);
  const domgen::PairWeights pairs(a, b);
  const domgen::Threads pool(threads);
  return domgen::for_r(domgen::PairSums(pairs, pool).by_domains(*kernel, codes, G));
}
