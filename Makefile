# make demo   certify the bundled results and write report.html
# make test   run every quick test
VENV ?= .venv
WORKERS ?= 2
export VENV
BIN := $(VENV)/bin

.PHONY: demo test lint types layers format study coverage-tables curves bench peers reproduce \
    reproduce-quick formats api-page reference pictures docs docs-links fuzz big clean

demo: $(VENV)/.demo
	$(BIN)/nofluke certify examples/digits/log_loss.parquet --select top:5@column:val_score \
	    --gamma 0.2,0.1,0.05 --report report.html
	@echo "The report is in report.html."

# Examples of one file build on each other, so a file stays in one process.
test: $(VENV)/.dev $(VENV)/.spark
	$(BIN)/python -m pytest -m "not slow" --numprocesses $(WORKERS) --dist loadfile

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/mypy

layers: $(VENV)/.dev
	$(BIN)/lint-imports --no-cache

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Long simulations, with more repetitions than `make test` can afford.
study: $(VENV)/.dev
	$(BIN)/python -m pytest -m slow

# The tables of docs/explanation/intervals-for-auc.md, drawn again; about half an hour.
coverage-tables: $(VENV)/.dev
	for study in areas precisions elsewhere clusters predictive page; do \
	    $(BIN)/python tools/classifier_intervals.py $$study || exit 1; done

# How times grow with the data: docs/explanation/growth.md, drawn again; ten minutes on a quiet machine.
curves: $(VENV)/.dev
	$(BIN)/python tools/growth.py

# Figures, not verdicts: run on a quiet machine.
bench: $(VENV)/.dev
	$(BIN)/python -m pytest benchmarks --benchmark-enable --benchmark-columns=min,median,rounds
	$(BIN)/python -m benchmarks.processes

# Every peer in one run, on a quiet machine: docs/reference/speed.md is what this writes. The peers
# have an environment of their own.
peers: $(VENV)/.dev
	$(BIN)/python -m benchmarks.peers.run

# The simulations of sources, run again: docs/replications is what this writes.
reproduce: $(VENV)/.dev
	$(BIN)/nofluke reproduce --full $(if $(TABLES),--tables $(TABLES)) --out reproduced
	for page in reproduced/*.md; do cp $$page docs/replications/; done
	for pictures in reproduced/*/; do mkdir -p docs/replications/$$(basename $$pictures); \
	    cp $$pictures*.svg docs/replications/$$(basename $$pictures)/ 2>/dev/null || true; done

# The same in a minute of processor time; what changes is how much is "not settled at this size".
reproduce-quick: $(VENV)/.dev
	$(BIN)/nofluke reproduce --quick --out reproduced

# The table of the logs that are read: docs/reference/formats.md is what this writes.
formats: $(VENV)/.dev
	$(BIN)/python tools/formats_table.py

# The page of the keeper's API: docs/reference/keeper-api.md is what this writes.
api-page: $(VENV)/.dev
	$(BIN)/python tools/api_page.py

# All pages of docs/reference that are made from the code.
reference: formats api-page
	$(BIN)/python tools/reference

# The pictures of docs/pictures, from the code and from the contracts of imports.
pictures: $(VENV)/.dev
	$(BIN)/python tools/pictures

# The site, offline; a warning is an error, and so is a link to a page that is not there.
docs: $(VENV)/.dev
	$(BIN)/sphinx-build -q -W --keep-going -b html docs build/site
	@echo "The site is in build/site/index.html."

# Whether links to other sites still lead somewhere: needs the network, so no test does it.
docs-links: $(VENV)/.dev
	$(BIN)/sphinx-build -q --keep-going -b linkcheck docs build/links

# Broken logs without end: guided by coverage where atheris is installed, else plain mutations.
fuzz: $(VENV)/.dev
	$(BIN)/python tools/fuzz_readers.py --seconds 300

clean:
	rm -rf $(VENV) .peers report.html reproduced .mypy_cache .ruff_cache .hypothesis .benchmarks

# Spark is large, so it comes by itself and last.
$(VENV)/.spark: $(VENV)/.dev

$(VENV)/.demo $(VENV)/.dev $(VENV)/.spark: pyproject.toml tools/setup
	tools/setup $(patsubst .%,%,$(notdir $@))
