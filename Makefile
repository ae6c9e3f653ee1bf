# What a person types; `make help` lists it.
PYTHON ?= python3
PY := .venv/bin/python
# uv, where it is found, installs ten times faster than pip.
PIP := $(if $(shell uv --version 2>/dev/null),uv pip install --python $(PY),$(PY) -m pip install) --quiet
# The last digits differ between systems, so stored outputs are compared on Linux only.
NBVAL := $(if $(filter Linux,$(shell uname -s)),--nbval,--nbval-lax) --nbval-current-env \
	--nbval-cell-timeout=120 --nbval-sanitize-with tests/notebooks/sanitize.cfg -n 2 --dist loadfile
# A browser that hangs is a failure with a name, after so many seconds.
NO_HANG := -o faulthandler_timeout=400 -o faulthandler_exit_on_timeout=true
# What hangs on the last bits of numbers: stored trials, the three lessons that compute most, and
# what compares products of two shapes.
TRIALS := $(addprefix tests/comparison/test_,stored.py challenge.py command.py protocol.py)
BITS := $(PY) -m pytest $(NBVAL) notebooks/0[456]_*.ipynb
PRODUCTS := $(addprefix tests/papers/distance_queries/test_,possible.py curves.py l1.py sum_test.py \
	average_distance.py) tests/papers/fat_shattering/test_small.py tests/privacy/test_points.py \
	$(addprefix tests/papers/smooth_queries/test_,release.py norms.py) \
	tests/papers/small_cluster/test_score.py tests/lessons/test_smooth.py
CONTRARY := $(PY) tests/machines.py --contrary $(PY) -m pytest
# What computes; beside it, what waits for frames and answers leaves no core idle.
NUMBERS := $(PY) -m pytest -p tests.notebooks.pictured $(NBVAL) notebooks && \
	$(PY) tests/machines.py --both $(BITS) $(TRIALS) $(PRODUCTS)
BROWSER := $(PY) -m pytest -m browser -rs -n 2 $(NO_HANG) tests/browser
INSTALL = $(MAKE) .venv/site # by a name: a line that holds $(MAKE) is run by `make -n` too
# Two commands at the same time: both end, and the target fails if either fails.
beside = { $(1); } & beside=$$!; { $(2); }; status=$$?; wait $$beside && exit $$status

# The reference pages of the package.
REFERENCE := rm -rf docs/api && $(PY) -m sphinx -q -W --keep-going -b html -d build/doctrees docs build/docs
# The built site: in Chromium, Firefox and WebKit, and file by file.
SITE := DPVIZ_SITE=build/site $(PY) -m pytest -m site $(NO_HANG) -rs tests/pages tests/browser
BUILT := $(PY) -m dpviz site build/site && $(SITE) -n 2 -k "(00_start or built or lesson_00) and not (webkit or its_slider or from_disk or slides or stored_point)"

.PHONY: help lab student slides lecture docs site release test notebooks portrait lock mutants peers bench test-all nightly clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile

lab: .venv/lab ## open JupyterLab on the first lesson
	@exec $(PY) -m dpviz lab

slides: .venv/site ## write slides, pages and handouts of every lesson, to open from disk, build/pages
	@$(PY) -m dpviz pages build/pages

lecture: .venv/site ## write one lesson for a stick: make lecture LESSON=03
	@$(PY) -m dpviz lecture "$(or $(LESSON),$(error name a lesson: make lecture LESSON=03))" "build/lecture_$(LESSON)"

student: .venv/lab ## copy the lessons without solutions and answers into build/student, over no edits
	@$(PY) -m dpviz lessons build/student --student

docs: .venv/site ## write the reference pages of the package, build/docs
	@$(REFERENCE)
	@echo "Open build/docs/index.html in a browser."

site: .venv/site ## write JupyterLab with Python inside, readable pages and the reference, build/site
	@$(call beside,$(PY) -m dpviz pages build/pages,$(REFERENCE))
	@echo "Writing the lab ..."
	@$(PY) -m dpviz site build/site --pages build/pages --reference build/docs

# Two processes on two cores: BLAS threads of their own would only wait for each other.
test test-all nightly release notebooks bench slides lecture docs site: export OMP_NUM_THREADS = 1
# Some containers forbid Python to keep what it compiled: each of hundreds of processes compiles then.
test test-all nightly release notebooks bench slides lecture docs site: export PYTHONDONTWRITEBYTECODE =
test: .venv/test ## check style, run the tests and every notebook, also in a browser and as a site
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	$(call beside,$(INSTALL),$(PY) tests/browser/chromium.py && $(PY) tests/browser/firefox.py)
	$(call beside,$(PY) -m mypy,$(PY) tests/javascript/check.py)
	$(PY) -m pytest -n 2 --dist worksteal
	$(call beside,$(NUMBERS) && $(BUILT),$(BROWSER) && $(PY) -m pytest -m browser -rs lite-kernel)

notebooks: .venv/test ## run every notebook from a clean kernel and store its outputs
	$(PY) -m nbconvert --to notebook --coalesce-streams --inplace --execute notebooks/*.ipynb notebooks/de/*.ipynb
	$(PY) -m nbstripout --keep-output --keep-count --extra-keys metadata.language_info.version notebooks/*.ipynb notebooks/de/*.ipynb
	$(PY) -m ruff format notebooks

portrait: .venv/lab ## draw the README's picture of an explorer
	@$(PY) -c "from dpviz.pages import front; print(front.portrait())" > .github/explorer.svg

lock: ## resolve the newest versions of everything into the three locks (RESOLUTION=lowest-direct: the lowest)
	@tmp=$$(mktemp -d) && trap 'rm -rf "$$tmp"' EXIT && \
	"$(PYTHON)" -m venv "$$tmp/tool" && "$$tmp/tool/bin/python" -m pip install --quiet uv && \
	cp pyproject.toml "$$tmp" && uv() { "$$tmp/tool/bin/uv" --quiet --project "$$tmp" "$$@"; } && \
	locked() { uv export --frozen --no-dev --group build --extra lab --no-emit-project --no-header --no-annotate "$$@"; } && \
	uv lock $(RESOLUTION:%=--resolution %) && locked > "$$tmp/use" && locked --extra test > "$$tmp/test" && \
	locked --extra site > "$$tmp/site" && cp "$$tmp/use" requirements.lock && \
	cp "$$tmp/test" requirements-test.lock && cp "$$tmp/site" requirements-site.lock

mutants: .venv/test ## plant faults, by hand and generated, and see whether the tests find them (hours)
	$(PY) tests/mutants/run.py
	$(PY) tests/mutants/run.py --list unseen
	$(PY) tests/mutants/run.py --list painted
	$(PY) tests/mutants/killed.py --note
	$(PY) tests/mutants/killed.py --processes 2

peers: .venv/test ## install what dpviz is compared with, into .venv-peers (7 GB)
	$(PY) benchmarks/install_peers.py

bench: .venv/test ## time dpviz beside its peers and write benchmarks/RESULTS.md (half an hour)
	$(PY) benchmarks/run.py --results benchmarks/RESULTS.md $(GROUPS)

release: .venv/test ## build wheels, sdist, bill of materials, recipe and digests into dist; use them in clean environments
	$(PY) tests/release.py dist

test-all: test site ## test, what is slow or was sampled, other processors, seeds, the site, what Binder builds
	$(PY) tests/browser/webkit.py
	DPVIZ_EVERY=1 $(SITE)
	DPVIZ_EVERY=1 $(PY) -m pytest -n 2 -m "not browser and not site"
	$(PY) -m pytest -n 2 -m "hypothesis and not slow" --hypothesis-profile=thorough
	DPVIZ_EVERY=1 $(BROWSER)
	$(PY) tests/machines.py --all $(BITS) $(TRIALS) $(PRODUCTS)
	$(CONTRARY) -n 2
	$(CONTRARY) $(NBVAL) notebooks
	$(PY) tests/notebooks/any_seed.py --seeds 3
	$(PY) tests/arm64.py -m pytest -q tests/comparison -k stored
	@tmp=$$(mktemp -d) && trap 'rm -rf "$$tmp"' EXIT && \
	"$(PYTHON)" -m venv "$$tmp/tool" && "$$tmp/tool/bin/python" -m pip install --quiet jupyter-repo2docker && \
	"$$tmp/tool/bin/python" -m repo2docker --no-build --debug . > "$$tmp/log" 2>&1 || { cat "$$tmp/log"; exit 1; }; \
	if grep "Python version unspecified" "$$tmp/log"; then exit 1; fi; echo "Binder accepts the repository."

nightly: .venv/test ## what takes hours: three rooms and three lessons on ARM64, every lesson with twenty seeds
	$(PY) tests/arm64.py -m pytest -q tests/accounting tests/privacy tests/papers
	$(PY) tests/arm64.py tests/notebooks/any_seed.py --seeds 1 04_embedding 05_sparse 06_smooth
	$(PY) tests/notebooks/any_seed.py --seeds 20

clean: ## remove .venv and every cache
	rm -rf .venv .venv-peers dist .hypothesis .pytest_cache .ruff_cache build reports *.egg-info
	find . -name __pycache__ -prune -exec rm -rf {} +

# The environment: for use, then for tests; made again when what it was made from changes. One
# make at a time does it; another waits, and then finds it made.
ifndef ALONE
.venv/lab: requirements.lock pyproject.toml
.venv/test: requirements.lock requirements-test.lock pyproject.toml
.venv/site: requirements.lock requirements-site.lock pyproject.toml lite-kernel/pyproject.toml
.venv/lab .venv/test .venv/site:
	@"$(PYTHON)" tests/alone.py $(MAKE) --silent --no-print-directory ALONE=1 PYTHON="$(PYTHON)" $@
else
.venv/lab: requirements.lock pyproject.toml
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "dpviz needs Python 3.11 or newer: make PYTHON=python3.12 lab, say."; exit 1; }
	@$(PY) -m pip --version > /dev/null 2>&1 || "$(PYTHON)" -m venv --clear .venv || \
		{ echo "Python's venv is missing: on Debian and Ubuntu, apt install python3-venv."; exit 1; }
	@echo "Installing from requirements.lock into .venv ..."
	@$(PIP) --require-hashes -r requirements.lock
	@$(PIP) --no-deps --no-build-isolation -e .
	@touch $@

.venv/test: .venv/lab requirements-test.lock
	@echo "Installing from requirements-test.lock into .venv ..."
	@$(PIP) --require-hashes -r requirements-test.lock
	@touch $@

.venv/site: .venv/lab requirements-site.lock
	@echo "Installing from requirements-site.lock into .venv ..."
	@$(PIP) --require-hashes -r requirements-site.lock
	@$(PIP) --no-deps --no-build-isolation -e lite-kernel
	@touch $@
endif
