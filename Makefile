# `make demo` and `make test` set up what they need (see .ci/setup) and use the installed package.
# The demo on your own table: make demo DATA=file.csv RESPONSE=y DOMAIN=hospital; also files of
# Excel, SPSS, Stata, Parquet and R.

MAKEFLAGS += --no-print-directory
.PHONY: help demo test test-engines test-integrations fuzz bench bench-regression experiments check \
  check-core check-debug check-sanitizers check-valgrind check-interrupts check-machines document \
  site guides install layers lint spelling wordlist release-notes hooks clean

help:
	@echo 'make demo      install the package and run the demonstration (writes demo.png)'
	@echo '               own data: make demo DATA=file.csv RESPONSE=y DOMAIN=hospital'
	@echo '               (.csv .xlsx .sav .dta .parquet .rds; OMIT="a b" leaves columns out)'
	@echo 'make test      install the package and run its tests'
	@echo 'make test-engines  the tests over SQLite, PostgreSQL and Slurm, set up in a temporary folder'
	@echo 'make test-integrations  the tests inside tidymodels, mlr3 and other tools, built from CRAN'
	@echo 'make fuzz      random calls: make fuzz CALLS=100000 SEED=1'
	@echo 'make bench     side-by-side timings'
	@echo 'make bench-regression  is a core call slower by a fifth than in BASE=commit (the last tag)?'
	@echo 'make experiments  short runs of the papers'"'"' experiments, compared with stored ones;'
	@echo '               one of them: make experiments NAME=dica-table-1 OPTIONS=--full'
	@echo 'make install   install the package'
	@echo 'make guides    the same, with its guides: vignette(package = "domgen") lists them'
	@echo 'make check     R CMD check --as-cran'
	@echo 'make check-machines  the tests as on other processors, on the reference BLAS and with 1, 2'
	@echo '               and 3 threads (hours on some machines); writes machines.txt'
	@echo 'make check-core        the C++ core without R, under every standard'
	@echo 'make check-debug       the tests of a build at -O0 with assertions; some: TESTS=regex'
	@echo 'make check-sanitizers  the same under the address and undefined-behaviour sanitizers'
	@echo 'make check-valgrind    every function of the core once under valgrind'
	@echo 'make check-interrupts  how soon long calls answer Ctrl-C'
	@echo 'make document  regenerate the help pages and the exports'
	@echo 'make site      build the site into docs/ and check it (links, pictures, narrow screens)'
	@echo 'make layers    what the code says of its rooms; draws the picture in ARCHITECTURE.md'
	@echo 'make lint      the style of R (lintr) and C++ (clang-format); installs these if it can'
	@echo 'make spelling  spells the help, vignettes, README.md and NEWS.md'
	@echo 'make wordlist  makes inst/WORDLIST the words that the dictionary lacks: look at the change'
	@echo 'make release-notes  prints what NEWS.md says of VERSION=x.y.z (that of DESCRIPTION)'
	@echo 'make hooks     short checks before each commit of this clone, longer ones before a push'
	@echo 'make clean     remove what was compiled or checked here'

# Variables given on the command line reach the demo through the environment.
demo:
	@sh .ci/setup demo
	@sh .ci/install
	@sh .ci/with-library Rscript -e 'source(system.file("scripts", "demo.R", package = "domgen"))'

test:
	@sh .ci/setup test
	@sh .ci/install
	@sh .ci/with-library Rscript .ci/test.R

test-engines:
	@.ci/engines

test-integrations:
	@.ci/integrations

fuzz:
	@sh .ci/setup test
	@sh .ci/install
	@sh .ci/with-library Rscript tests/fuzz/fuzz.R "$(CALLS)" "$(SEED)"

bench:
	@sh .ci/setup bench
	@sh .ci/install
	@for script in tests/bench/*.R; do \
	  case $$script in */ratio.R|*/auto-*.R|*/regression*.R) continue;; esac; \
	  echo "== $$script"; \
	  sh .ci/with-library Rscript "$$script" || exit 1; \
	done

bench-regression:
	@sh .ci/setup bench
	@sh .ci/with-library Rscript tests/bench/regression.R "$(BASE)" $(ROUNDS)

experiments:
	@sh .ci/setup test
	@sh .ci/install
	@sh .ci/with-library Rscript inst/experiments/run.R \
	  $(if $(NAME),$(NAME) $(OPTIONS),--check)

install:
	@sh .ci/setup demo
	@sh .ci/install

guides:
	@sh .ci/setup guides
	@sh .ci/install
	@sh .ci/with-library Rscript .ci/guides.R

check:
	@sh .ci/setup ci
	@rm -f domgen_*.tar.gz
	sh .ci/with-library R CMD build .
	sh .ci/with-library R CMD check --as-cran --no-manual domgen_*.tar.gz

check-machines:
	@sh .ci/setup ci
	@sh .ci/install
	@.ci/machines all

check-core:
	@sh .ci/setup demo
	@sh .ci/check-core

check-debug:
	@sh .ci/setup test
	@sh .ci/variant debug '$(TESTS)'

check-sanitizers:
	@sh .ci/setup test
	@sh .ci/variant sanitizers '$(TESTS)'

check-valgrind:
	@sh .ci/setup demo
	@sh .ci/install
	@sh .ci/with-library sh .ci/check-valgrind

check-interrupts:
	@sh .ci/setup demo
	@sh .ci/install
	@sh .ci/with-library Rscript tests/interrupts.R

document:
	@sh .ci/setup ci
	sh .ci/with-library Rscript -e 'Rcpp::compileAttributes()'
	@sh .ci/install
	sh .ci/with-library Rscript -e 'roxygen2::roxygenise(load_code = roxygen2::load_installed)'
	@sh .ci/install

site:
	@sh .ci/setup ci
	@sh .ci/install
	@.ci/site docs

layers:
	@Rscript .ci/layers.R
	@Rscript .ci/layers.R draw man/figures/layers.png

lint:
	@.ci/lint

spelling:
	@.ci/spelling

wordlist:
	@.ci/spelling update

release-notes:
	@.ci/release-notes $(VERSION)

hooks:
	git config core.hooksPath .ci/hooks

clean:
	rm -f src/*.o src/*.so src/*.dll domgen_*.tar.gz demo.png
	rm -rf domgen.Rcheck docs
