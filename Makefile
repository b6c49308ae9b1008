# loadline: `make` lists the targets.
.DEFAULT_GOAL := help
SHELL := /bin/bash

LOADLINE   := node dist/cli.js
SCENARIO   ?= scenarios/rush.ts
# The thresholds of a sweep. Elsewhere the environment variable of this name sets the gate's own.
AGE_REJECT ?= 5 10 15 25 40 1e9
# What `make bench` multiplies the scenario's clock by: 300 s are played in 39 s.
TIME_SCALE ?= .13
# Further flags for the command, e.g. ARGS=--yes.
ARGS       ?=

INSTALLED := node_modules/.package-lock.json
BUILT     := dist/.built
SOURCES   := $(shell find src stubs scripts -type f 2>/dev/null)

# Colours are for a terminal; a file or a pipe gets plain text.
PLAIN := [ -t 1 ] || export NO_COLOR=1;

empty :=
space := $(empty) $(empty)
comma := ,

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## / { printf "  %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: bench
bench: $(BUILT) ## Play the rush against the stub, in under a minute, and write the page
	$(LOADLINE) bench $(SCENARIO) --time-scale $(TIME_SCALE) $(ARGS)

.PHONY: run
run: $(BUILT) ## The same against an endpoint: ENDPOINT=url [MODEL=name] [SCENARIO=file] [ARGS=--yes]
	@test -n '$(ENDPOINT)' || { echo 'make run: expected ENDPOINT=url, got none' >&2; exit 2; }
	$(if $(MODEL),MC_MODEL='$(MODEL)') $(LOADLINE) bench $(SCENARIO) --endpoint '$(ENDPOINT)' $(ARGS)

.PHONY: sweep
sweep: $(BUILT) ## Try thresholds on the same arrivals: AGE_REJECT="5 10 15 25 40 1e9"
	@# The list must not reach the command's environment, where AGE_REJECT is one number.
	env -u AGE_REJECT $(LOADLINE) sweep $(SCENARIO) \
	  --set gate.ageRejectS=$(subst $(space),$(comma),$(strip $(AGE_REJECT))) $(ARGS)

.PHONY: report
report: $(BUILT) ## Make the page of the last run again: [RUN=folder]
	$(LOADLINE) report $(or $(RUN),$(shell ls -t runs/*/result.json 2>/dev/null | head -n 1 | xargs -r dirname)) $(ARGS)

.PHONY: publish
publish: $(BUILT) ## Make the static site of the published reports
	$(LOADLINE) publish $(ARGS)

.PHONY: k6
k6: $(BUILT) ## Write the bundle for k6 and its operator: [SCENARIO=file]
	$(LOADLINE) k6 $(SCENARIO) --force $(ARGS)
	@command -v k6 >/dev/null || echo 'make k6: no k6 on the PATH, so the script runs under the stand-in of the tests'
	@$(PLAIN) npx --no-install vitest run test/engine/k6

.PHONY: test
test: $(BUILT) ## Run the tests
	@bash scripts/test-tools.sh
	@$(PLAIN) npx --no-install vitest run $(ARGS)

.PHONY: soak
soak: $(BUILT) ## Run the long tests
	@$(PLAIN) npx --no-install vitest run --mode soak $(ARGS)

.PHONY: perf
perf: $(BUILT) ## Run the tests that measure speed
	@$(PLAIN) npx --no-install vitest run --mode bench $(ARGS)

.PHONY: check
check: $(INSTALLED) ## Lint, check types, look for dead code
	npx --no-install biome check --error-on-warnings .
	npx --no-install tsc --noEmit
	npx --no-install knip

.PHONY: fix
fix: $(INSTALLED) ## Format, and mend what the linter can mend
	npx --no-install biome check --write .

.PHONY: install
install: $(INSTALLED) ## Install the dependencies as locked

.PHONY: build
build: $(BUILT) ## Bundle into dist/

.PHONY: clean
clean: ## Remove what was built and run
	rm -rf dist runs coverage

$(INSTALLED): package-lock.json
	npm ci --no-audit --no-fund
	@touch $@

$(BUILT): $(INSTALLED) $(SOURCES) package.json tsconfig.json tsconfig.build.json
	node scripts/build.mjs
	@touch $@
