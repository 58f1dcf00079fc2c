# `make demo` and `make test` do all set-up on a machine with cargo (rustup), Python 3.11 and make.
CARGO ?= cargo
.DEFAULT_GOAL := help
BENCHES := peers ingest names neighbors train fit outcome python
STUDIES := alarms coverage audit-sample celeba mitigation choice compare labels measures monitor names oracle paper plans sources
.PHONY: help demo docs test examples check-format supply lint features unit doc wasm browser postgres digits trainers rules python test-engines wheel fuzz chaos dist \
	reproducible clean bench bytes study $(BENCHES:%=bench-%) $(STUDIES:%=study-%)

help:
	@echo "make demo    build, simulate loans, audit them, leave the files in out/"
	@echo "make test    everything CI checks: format, licences and sources of packages, lints, tests, docs, wasm build, the page in a browser, PostgreSQL, digits, trainers, the Python package"
	@echo "make docs    the documentation as one book in out/book: no network, no script; refuses dead links"
	@echo "make browser the report and the book in a real browser: layout, accessibility, paper, hostile names"
	@echo "make digits  nearest neighbours on real features, scikit-learn's digits"
	@echo "make rules      rules as SQL, Python and ONNX against fairveil apply, row by row"
	@echo "make trainers   the trainers of docs/mitigation.md, executed on weights that fairveil wrote"
	@echo "make python  the Python package, installed into .venv-python: style, types, examples, tests"
	@echo "make test-engines   the package against Spark (a master and two workers), DuckDB and PostgreSQL on loopback; minutes"
	@echo "make wheel   wheel and source of the Python package in dist-python/; minutes"
	@echo "make postgres   audits of rows in a real PostgreSQL server, started for it"
	@echo "make bench [WHAT=...]   speed, as ratios against peers measured in the same run. WHAT is one of"
	@echo "    peers      one audit against pandas, one fit against scipy, growth with rows, groups, proxies and classes; a report by date in docs/benchmarks/ (the default)"
	@echo "    ingest     20M rows against DuckDB and Polars, growth to 100M; minutes, 4.5 GB of disk"
	@echo "    names      10M rows of names in three sources against reading the file and against surgeo; minutes, 0.5 GB of disk"
	@echo "    neighbors  against faiss, exactly and by graph; many minutes, 0.5 GB of disk"
	@echo "    train      with a wanted gap against scikit-learn without one; minutes, 0.2 GB of disk"
	@echo "    fit        estimators alone"
	@echo "    outcome    a tally with a price against the same rows without; a minute, 1 GB of disk"
	@echo "    python     the package against fairlearn and crowd-kit, and against the command line; minutes"
	@echo "make bytes OLD=path NEW=path   every file that two builds write on the same tables, byte by byte; minutes"
	@echo "make study [WHAT=...]   what docs/methods/ says was measured; minutes. WHAT is one of"
	@echo "    alarms        serious findings of mitigate where nothing is wrong"
	@echo "    coverage      how often intervals hold the truth (the default)"
	@echo "    audit-sample  what a few labels give on COMPAS"
	@echo "    celeba        one proxy and nearest neighbours, in the shape of the paper's CelebA"
	@echo "    choice        the number that is chosen, against the best fixed method in worlds drawn from seeds"
	@echo "    compare       the chance that one gap is smaller than another"
	@echo "    labels        the range on top with some rows of known group"
	@echo "    measures      intervals of ratios, odds and shortfalls"
	@echo "    monitor       false alarms, and how soon a gap that opens is found"
	@echo "    names         evidence from names in simulated worlds, then on ProPublica's COMPAS table"
	@echo "    oracle        the documents' figures and the program's, computed again in numpy from the paper and docs/ alone"
	@echo "    paper         every table of the paper beside ours, with a verdict on each row; out/paper/, docs/study.md"
	@echo "    plans         what plan says against what an audit then prints"
	@echo "    sources       proxies that declare one source"
	@echo "    mitigation    rules learned from proxies beside fairlearn's, on simulated people, Adult and COMPAS; an hour"
	@echo "make chaos   every command killed, on a full disk, without a reader or a server; minutes (RUNS=200)"
	@echo "make fuzz    every reader on hostile bytes, ten minutes in all (SECONDS=600)"
	@echo "make supply  packages held to deny.toml: licences, sources, duplicates; seconds, no network needed"
	@echo "make dist    a release in dist/: static program, what it is made of, licences, checksums; minutes"
	@echo "make reproducible   builds that program again in another folder and compares the bytes; minutes"

# In the profile of the tests: soon built, and not built twice. `cargo install --path crates/cli` is the fast program.
demo:
	$(CARGO) run --locked --package fairveil -- demo --out out

test: check-format supply lint features wasm doc unit examples browser postgres digits trainers python

# A dead link, a page that no one lists or a heading out of order is an error, and then there is no book.
docs:
	$(CARGO) run --quiet --locked --package fairveil-book -- . out/book

check-format:
	$(CARGO) fmt --all --check

# Licences, sources and duplicates by deny.toml; the rules are tried on made-up packages first.
supply:
	python3 -m unittest discover --quiet --start-directory supply
	CARGO="$(CARGO)" python3 supply/check.py

lint:
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings

# The readers with each set of features that is offered; the set with all of them is the program's.
features:
	$(CARGO) check --quiet --package fairveil-ingest --all-targets --no-default-features --locked
	$(CARGO) check --quiet --package fairveil-ingest --no-default-features --features files --locked
	$(CARGO) check --quiet --package fairveil-ingest --no-default-features --features zstd --locked
	$(CARGO) check --quiet --package fairveil-ingest --no-default-features --features postgres --locked

unit:
	INSTA_UPDATE=no $(CARGO) test --workspace --locked --no-fail-fast

# What other front ends do, as programs; the unit step has built them.
examples:
	$(CARGO) test --workspace --locked --no-run
	for example in $(EXAMPLES); do target/debug/examples/$$example || exit 1; done
EXAMPLES = rows_in_memory arrow_batch page rule

doc:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked --document-private-items

# The statistics and the readers run in a browser: no files, clock, environment or threads.
wasm:
	rustup target add wasm32-unknown-unknown
	$(CARGO) build --package fairveil-core --target wasm32-unknown-unknown --locked
	$(CARGO) check --package fairveil-ingest --no-default-features --target wasm32-unknown-unknown --locked
	$(CARGO) check --package fairveil-names --target wasm32-unknown-unknown --locked

# The report and some pages of the book in a real browser; brings what is missing, and skips only where it cannot be had.
browser:
	FAIRVEIL_PAGES="$(CURDIR)/target/pages" $(CARGO) test --quiet --workspace --test it --locked left_for_the_browser
	$(CARGO) run --quiet --locked --package fairveil-book -- . target/book
	crates/report/tests/browser/run target/pages/*.html target/pages/*.svg $(BOOK:%=target/book/%.html)
# One of each kind: tables, findings, equations, long lines, a picture.
BOOK = index start/lawyer troubleshooting methods/bounds sql commands reading-the-page

# Two servers of its own on free ports; brings PostgreSQL where it is missing, and skips only where it cannot be had.
postgres:
	crates/cli/tests/postgres/run $(CARGO) test --quiet --workspace --test it --locked postgres::

# Nearest neighbours on real features; brings scikit-learn where it is missing, and skips only where it cannot be had.
digits:
	crates/cli/tests/digits/run $(CARGO) test --quiet --workspace --test it --locked digits::

# The trainers that the docs show; brings scikit-learn where it is missing, uses xgboost and torch where they are installed.
trainers:
	$(CARGO) test --quiet --workspace --locked --no-run
	crates/cli/tests/trainers/run target/debug/fairveil

# Rules where decisions are made; brings DuckDB, onnx and onnxruntime where they are missing, and PostgreSQL's servers. Not in CI.
rules:
	$(CARGO) build --quiet --package fairveil --locked
	crates/cli/tests/postgres/run crates/cli/tests/rules/run target/debug/fairveil

# As a user installs it, in the profile of the tests.
python:
	python/tests/run

# Everything on loopback; the servers are started for it and stopped after. Not in CI.
test-engines:
	python/tests/engines/run

wheel:
	python3 -m venv .venv-wheel
	.venv-wheel/bin/pip install --quiet --disable-pip-version-check 'maturin>=1.9,<2'
	rm -rf dist-python
	cd python && ../.venv-wheel/bin/maturin build --release --locked --out ../dist-python
	cd python && ../.venv-wheel/bin/maturin sdist --out ../dist-python

.venv/installed: bench/requirements.txt
	python3 -m venv .venv
	.venv/bin/pip install --quiet --disable-pip-version-check -r bench/requirements.txt
	touch $@

bench: bench-$(or $(WHAT),peers)

bench-peers: .venv/installed
	$(CARGO) build --release --locked --package fairveil
	$(CARGO) bench --quiet --locked --package fairveil-core --bench fit -- --json > target/fit.jsonl
	.venv/bin/python bench/report.py

# What these write under target/ is kept for the next run.
bench-ingest: .venv/installed
	$(CARGO) build --release --locked --package fairveil
	.venv/bin/python bench/ingest.py

# The peer is brought where it can be had.
bench-names: .venv/installed
	$(CARGO) build --release --locked --package fairveil
	.venv/bin/pip install --quiet --disable-pip-version-check surgeo==1.1.2 || echo "surgeo cannot be had: no peer"
	.venv/bin/python bench/names.py

bench-outcome: .venv/installed
	$(CARGO) build --release --locked --package fairveil
	.venv/bin/python bench/outcome.py

bench-neighbors bench-train: bench-%: .venv/installed
	CARGO="$(CARGO)" .venv/bin/python bench/$*.py

bench-python: wheel
	bench/python.sh

bench-fit:
	$(CARGO) bench --locked --package fairveil-core --bench fit

# What a change of shape must not move; MEANT names what was to change, as bench/bytes.py says.
bytes:
	python3 bench/bytes.py "$(OLD)" "$(NEW)" $(MEANT)

study: study-$(or $(WHAT),coverage)

# Beside the coverage of intervals: the test of no gap, the choice of scope, and a few labels.
study-coverage:
	$(CARGO) run --release --locked --package fairveil-study

study-audit-sample study-celeba study-choice study-compare study-labels study-measures study-monitor study-plans study-sources: study-%:
	$(CARGO) run --release --locked --package fairveil-study -- $*

# Simulated worlds first, then a real table, which a package brings.
study-mitigation: .venv/installed
	.venv/bin/pip install --quiet --disable-pip-version-check 'fairlearn==0.15.*'
	$(CARGO) build --release --locked --package fairveil-study
	.venv/bin/python crates/study/mitigation/run.py target/release/fairveil-study

study-alarms: .venv/installed
	$(CARGO) build --release --locked --package fairveil
	.venv/bin/python crates/study/mitigation/alarms.py target/release/fairveil

study-names: .venv/installed
	$(CARGO) run --release --locked --package fairveil-study -- names
	$(CARGO) build --release --locked --package fairveil
	.venv/bin/python crates/study/names/compas.py target/release/fairveil

# Needs the paper's tables beside the project, or where SHARED says; says what is missing.
study-paper: SHARED ?= ../shared/data
study-paper: .venv/installed
	$(CARGO) build --release --locked --package fairveil
	.venv/bin/python crates/study/paper/run.py target/release/fairveil "$(SHARED)" out/paper

# The documents' figures and the program's, computed again in numpy.
study-oracle: SHARED ?= ../shared/data
study-oracle: .venv/installed
	$(CARGO) build --release --locked --package fairveil
	.venv/bin/python crates/study/oracle/run.py target/release/fairveil "$(SHARED)"

# Coverage-guided where the toolchain allows, which it says; what was found stays in crates/ingest/tests/corpus.
fuzz: SECONDS ?= 600
fuzz:
	CARGO="$(CARGO)" fuzz/run $(SECONDS)

# docs/RELEASING.md says what lies in dist/. Brings musl's target and compiler where they are absent.
dist:
	CARGO="$(CARGO)" supply/dist

reproducible: dist
	CARGO="$(CARGO)" supply/reproducible

# Loopback and temporary folders only; the full disk and the read-only folder need the superuser, and are left out without.
chaos: RUNS ?= 200
chaos:
	$(CARGO) build --locked --package fairveil
	crates/cli/tests/chaos/run target/debug/fairveil $(RUNS)

clean:
	$(CARGO) clean
	rm -rf out dist dist-python .venv .venv-python .venv-wheel .venv-bench crates/report/tests/browser/node_modules
