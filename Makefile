# SPDX-License-Identifier: Apache-2.0
# Makefile: one non-recursive build. Sources are found by wildcard, one object each under build/$(MODE)/, dependencies are
# written by the compiler. Optional libraries are looked for right here, by pkg-config and llvm-config, so that what was
# found, and why the rest was not, can be printed. `make help` lists the targets.
MODE   ?= release
TIER   ?= smoke
PREFIX ?= /usr/local
prefix ?= $(PREFIX)
VERSION := $(shell sed -n '1s/.*(\(.*\)).*/\1/p' debian/changelog)
RAINGAUGE_SHARED ?= ../shared
export RAINGAUGE_SHARED MODE
export TSAN_OPTIONS ?= suppressions=$(CURDIR)/tests/lib/tsan.supp:die_after_fork=0
# Of a library that was closed, gcc 12's sanitizer remembers thread-local storage that is none, and crashes over it.
export ASAN_OPTIONS ?= intercept_tls_get_addr=0
export LSAN_OPTIONS ?= suppressions=$(CURDIR)/tests/lib/lsan.supp:print_suppressions=0

FALSE_WARNINGS := -Wno-maybe-uninitialized -Wno-format-truncation # of gcc under its sanitizers
FLAGS_debug   := -O1 -g
FLAGS_release := -O3 -g -DNDEBUG
FLAGS_asan    := -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined $(FALSE_WARNINGS)
FLAGS_tsan    := -O1 -g -fno-omit-frame-pointer -fsanitize=thread $(FALSE_WARNINGS)
FLAGS_fuzz    := -O1 -g -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined
$(if $(FLAGS_$(MODE)),,$(error MODE is '$(MODE)', must be debug, release, asan, tsan or fuzz))

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wcast-qual $(if $(findstring clang,$(CC)),-Wno-gnu-auto-type)
CFLAGS ?=
LDFLAGS ?=

# Libraries. Required ones stop the build; each optional one gives HAVE_<NAME>, or a line that says why not.
PKG := $(shell command -v pkg-config)
pkg = $(if $(PKG),$(shell $(PKG) --$(1) $(2) 2>/dev/null))
compiles = $(shell echo 'int main(void){return 0;}' | $(CC) $(2) -include $(1) -xc - -o /dev/null $(3) 2>/dev/null && echo yes)
REQUIRED := sqlite3 yaml-0.1 libcjson libmd libprotobuf-c
NEEDED   := $(strip $(foreach p,$(REQUIRED),$(if $(call pkg,modversion,$(p)),,$(p))))
INC  := $(call pkg,cflags,$(REQUIRED))
LIBS := $(call pkg,libs,$(REQUIRED))
LLVM_CONFIG ?= $(firstword $(shell command -v llvm-config-19 llvm-config))
llvm = $(if $(filter 19.%,$(LLVM_VERSION)),$(shell $(LLVM_CONFIG) $(1)))
LLVM_VERSION := $(if $(LLVM_CONFIG),$(shell $(LLVM_CONFIG) --version))

define optional # NAME, header, compiler flags, linker flags, Debian package
ifeq ($(call compiles,$(2),$(3),$(4)),yes)
FOUND += $(1)
INC   += -DHAVE_$(1) $(3)
LIBS  += $(4)
else
MISSING += '$(1): a program with <$(2)> does not compile and link (Debian: $(5))'
endif
endef
NO_GOALS := help clean deps lint format dist deb fresh distcheck uninstall check smoke fuzz nightly landscape ae-package ae-results reproduce-%
ifneq ($(filter-out $(NO_GOALS),$(or $(MAKECMDGOALS),all)),)
# LLVM by its path, as its folder holds a libgomp.so that is LLVM's own OpenMP: with two of them oneDNN and XGBoost
# would not see the threads that were set.
$(eval $(call optional,LLVM,llvm-c/Core.h,$(addprefix -isystem ,$(call llvm,--includedir)),$(addprefix -Xlinker ,$(call llvm,--libfiles)),llvm-19-dev))
# It is loaded when it is needed (targets/cpu/llvm.h).
LLVM_LIBRARY := $(if $(filter LLVM,$(FOUND)),$(call llvm,--libfiles))
LIBS := $(filter-out $(addprefix -Xlinker ,$(LLVM_LIBRARY)),$(LIBS))
$(eval $(call optional,XGBOOST,xgboost/c_api.h,$(call pkg,cflags,xgboost),$(call pkg,libs,xgboost),libxgboost-dev))
$(eval $(call optional,PAPI,papi.h,$(call pkg,cflags,papi),$(call pkg,libs,papi),libpapi-dev))
$(eval $(call optional,OPENBLAS,cblas.h,$(call pkg,cflags,openblas),$(call pkg,libs,openblas),libopenblas-dev))
$(eval $(call optional,ONEDNN,dnnl.h,,-ldnnl,libdnnl-dev))
# The headers only: the library is opened when it is needed (targets/opencl/cl_api.h).
$(eval $(call optional,OPENCL,CL/cl.h,,,opencl-headers))
# The program that qemu runs for target a64fx is built here and put into the binary (targets/a64fx/emulator.c).
AARCH64_CC ?= aarch64-linux-gnu-gcc
ifeq ($(shell echo 'int main(void){return 0;}' | $(AARCH64_CC) -static -xc - -o /dev/null 2>/dev/null && echo yes),yes)
FOUND += A64FX
INC   += -DHAVE_A64FX
else
MISSING += 'A64FX: $(AARCH64_CC) makes no static program (Debian: gcc-aarch64-linux-gnu, libc6-dev-arm64-cross)'
endif
endif

# BUILD: where everything is written (a path without spaces); the tree itself may be read-only.
BUILD ?= build
B := $(BUILD)/$(MODE)
DEFINES = -DRAINGAUGE_VERSION='"$(VERSION)"'
ALL_CFLAGS = -std=gnu17 -D_GNU_SOURCE -I. -I$(B) $(WARN) $(FLAGS_$(MODE)) -pthread -fopenmp $(INC) $(DEFINES) $(CPPFLAGS) $(CFLAGS)
ALL_LIBS   = -Wl,--as-needed $(LIBS) -lm -lpthread -ldl
# The build ID tells whether the program on another machine is this one (harness/measure/remote/identity.h).
LINK = $(CC) $(ALL_CFLAGS) $(LDFLAGS) -rdynamic -Wl,--build-id=sha1
Q := $(if $(V),,@)
# What sets itself up also builds on all cores, unless make was told how many.
SUB = $(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))
say = $(if $(V),,@echo "$(1)")

below = $(sort $(shell find $(1) -name '*.c' 2>/dev/null))
CLI_SRC   := $(call below,harness/cli)
EMULATED  := $(call below,targets/a64fx/program)
TRUNK_SRC := $(filter-out $(CLI_SRC) $(EMULATED) $(call below,harness/doc),$(call below,harness search models targets))
# Without LLVM there is no CPU target.
TRUNK_SRC := $(if $(filter LLVM,$(FOUND)),$(TRUNK_SRC),$(filter-out targets/cpu/% targets/a64fx/%,$(TRUNK_SRC)))
TRUNK_SRC := $(if $(filter PAPI,$(FOUND)),$(TRUNK_SRC),$(filter-out targets/cpu/papi.c,$(TRUNK_SRC)))
TRUNK_SRC := $(if $(filter ONEDNN,$(FOUND)),$(TRUNK_SRC),$(filter-out targets/onednn.c,$(TRUNK_SRC)))
TRUNK_SRC := $(if $(filter OPENCL,$(FOUND)),$(TRUNK_SRC),$(filter-out targets/opencl/%,$(TRUNK_SRC)))
TEST_SRC  := $(call below,tests/unit)
FUZZ_SRC  := $(filter-out tests/fuzz/corpus.c,$(call below,tests/fuzz))
LIB_SRC   := $(call below,tests/lib)
obj = $(patsubst %.c,$(B)/obj/%.o,$(1))
TESTS   := $(patsubst %.c,$(B)/%,$(TEST_SRC))
FUZZERS := $(patsubst %.c,$(B)/%,$(FUZZ_SRC))
SCRIPTS := $(sort $(wildcard tests/cli/*.sh tests/lib/*.sh tests/lint/selftest.sh))
# T=store chooses the tests of that name, or of that folder (T=record, T=unit/record); without it all are chosen.
ALL_TESTS := $(TESTS) $(FUZZERS) $(SCRIPTS)
below_tests = $(patsubst tests/%,%,$(patsubst $(B)/%,%,$(basename $(1))))
matches = $(filter $(call below_tests,$(T)) $(addsuffix /%,$(call below_tests,$(T))),$(1) $(subst /, ,$(1)))
CHOSEN := $(strip $(if $(T),$(foreach t,$(ALL_TESTS),$(if $(call matches,$(call below_tests,$(t))),$(t))),$(ALL_TESTS)))
FUZZ_SECONDS ?= 60

.PHONY: programs all deps check check-run tests lint format bench fuzz doctor smoke demo-faults nightly bundle dist deb ae-package \
	ae-results fresh distcheck docs landscape regimes cross check-gpu-all gpu-check install uninstall clean help features peers generated FORCE
.SECONDARY:
.DELETE_ON_ERROR:

all: features $(BUILD)/raingauge ## build build/raingauge (MODE=debug|release|asan|tsan; CC, CFLAGS, LDFLAGS, V=1)

features:
	$(if $(NEEDED),$(error missing libraries: $(NEEDED). 'make deps' installs them or prints the command))
	@echo "mode $(MODE), compiler $(CC), found: $(or $(strip $(FOUND)),nothing optional)"
	@for m in $(MISSING); do echo "missing $$m"; done

# Everything is rebuilt when the command changes (a library appeared, other CFLAGS); this file holds the command.
$(B)/flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(LINK) $(ALL_LIBS))' >$@.$$$$; cmp -s $@.$$$$ $@ && rm $@.$$$$ || mv $@.$$$$ $@

# The git revision, for records: only the sources that include "revision.h" are rebuilt after a commit.
$(B)/revision.h: export GIT_OPTIONAL_LOCKS = 0
$(B)/revision.h: FORCE
	@mkdir -p $(@D)
	@echo "#define RAINGAUGE_REVISION \"$$(sed -n 1p REVISION 2>/dev/null || git describe --always --dirty 2>/dev/null || echo unknown)\"" >$@.$$$$; \
		cmp -s $@.$$$$ $@ && rm $@.$$$$ || mv $@.$$$$ $@

# LLVM's functions that are used: only the sources that include "targets/cpu/llvm.h" are rebuilt when another one is.
LLVM_SRC := $(filter-out $(addprefix targets/cpu/tvm/,tvm_llvm.c older_llvm.h reassociate.c),$(shell find targets/cpu -name '*.[ch]')) $(addsuffix /llvm/Config/llvm-config.h,$(call llvm,--includedir))
$(B)/llvm_functions.h: targets/cpu/llvm_functions.sh $(LLVM_SRC)
	@mkdir -p $(@D)
	@sh $< $(LLVM_LIBRARY) $(LLVM_SRC) >$@.$$$$ && if cmp -s $@.$$$$ $@; then rm $@.$$$$; else mv $@.$$$$ $@; fi
# The program for the emulator, and the header that says where it is.
$(B)/a64fx_program: $(EMULATED) $(wildcard targets/a64fx/program/*.h) targets/a64fx/protocol.h targets/cpu/parallel.h
	@mkdir -p $(@D)
	$(call say,cc $@)
	$(Q)$(AARCH64_CC) -std=gnu17 -D_GNU_SOURCE -I. $(WARN) -O2 -static -s $(EMULATED) -o $@ -lm
$(B)/a64fx_program.h: $(B)/a64fx_program
	@echo '#define A64FX_PROGRAM "$(abspath $<)" // $(firstword $(shell cksum $<))' >$@
# Reading of ONNX files, from the fields that are read; the code is protoc-c's.
$(B)/onnx.pb-c.h: harness/import/onnx.proto
	@mkdir -p $(@D)
	$(call say,protoc-c $<)
	$(Q)protoc-c --proto_path=$(<D) --c_out=$(@D) $<
$(B)/onnx.pb-c.o: $(B)/onnx.pb-c.h $(B)/flags
	$(Q)$(CC) $(ALL_CFLAGS) -w -c $(<:.h=.c) -o $@
GENERATED := $(B)/revision.h $(B)/onnx.pb-c.h $(if $(LLVM_LIBRARY),$(B)/llvm_functions.h $(if $(filter A64FX,$(FOUND)),$(B)/a64fx_program.h))
generated: $(GENERATED)

$(B)/obj/%.o: %.c $(B)/flags | features $(GENERATED)
	@mkdir -p $(@D)
	$(call say,cc $<)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

$(B)/libtrunk.a: $(call obj,$(TRUNK_SRC)) $(B)/onnx.pb-c.o
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/raingauge: $(call obj,$(CLI_SRC)) $(B)/libtrunk.a
	$(if $(CLI_SRC),,$(error harness/cli holds no sources))
	$(call say,link $@)
	$(Q)$(LINK) $^ -o $@ $(ALL_LIBS)

$(BUILD)/raingauge: $(B)/raingauge FORCE
	@cmp -s $< $@ || cp -f $< $@.new && { test ! -e $@.new || mv -f $@.new $@; }

$(B)/tests/unit/%: $(B)/obj/tests/unit/%.o $(call obj,$(LIB_SRC)) $(B)/libtrunk.a
	@mkdir -p $(@D)
	$(call say,link $@)
	$(Q)$(LINK) $^ -o $@ $(ALL_LIBS)

# In MODE=fuzz libFuzzer brings main; elsewhere tests/fuzz/corpus.c does, and replays the corpus.
$(B)/tests/fuzz/%: $(B)/obj/tests/fuzz/%.o $(if $(filter fuzz,$(MODE)),,$(B)/obj/tests/fuzz/corpus.o) $(call obj,$(LIB_SRC)) $(B)/libtrunk.a
	@mkdir -p $(@D)
	$(call say,link $@)
	$(Q)$(LINK) $(if $(filter fuzz,$(MODE)),-fsanitize=fuzzer) $^ -o $@ $(ALL_LIBS)

# Doubles of NVIDIA's libraries, for tests where there is no GPU (tests/doubles).
DOUBLES := $(addprefix $(B)/doubles/,libcuda.so.1 libnvidia-ml.so.1 libcupti.so.13 nvrtc/libnvrtc.so.13 \
	math/libcublas.so.13 math/libcudnn.so.9)
define double
	@mkdir -p $(@D)
	$(call say,link $@)
	$(Q)$(CC) $(ALL_CFLAGS) $(1) -Wno-missing-prototypes -Wno-pedantic -fPIC -shared $(LDFLAGS) $< -o $@ -ldl -lm
endef
$(B)/doubles/libcuda.so.1: tests/doubles/cuda.c $(B)/flags
	$(call double)
$(B)/doubles/libnvidia-ml.so.1: tests/doubles/nvml.c $(B)/flags
	$(call double)
$(B)/doubles/libcupti.so.13: tests/doubles/cupti.c $(B)/flags
	$(call double)
$(B)/doubles/nvrtc/libnvrtc.so.13: tests/doubles/nvrtc.c tests/doubles/kernel_shim.h \
		tests/doubles/fragment_shim.h $(B)/flags
	$(call double,-DKERNEL_SHIM='"$(abspath tests/doubles/fragment_shim.h)"')
$(B)/doubles/math/libcublas.so.13: tests/doubles/cublas.c $(B)/flags
	$(call double)
$(B)/doubles/math/libcudnn.so.9: tests/doubles/cudnn.c $(B)/flags
	$(call double)

# Other libraries as oracles, outside of check.
$(B)/peers/%: $(B)/obj/tests/peers/%.o $(B)/libtrunk.a
	@mkdir -p $(@D)
	$(call say,link $@)
	$(Q)$(LINK) $^ -o $@ $(ALL_LIBS)
peers: $(B)/peers/sketches $(B)/raingauge ## beside TVM: searches (PEERS="--seeds 5"), times of one schedule (LANDSCAPE="--schedules 20"); a model in PyTorch
	@RAINGAUGE=$(B)/raingauge RAINGAUGE_SKETCHES=$(B)/peers/sketches bash tests/peers/tvm.sh $(PEERS)
	@RAINGAUGE=$(B)/raingauge bash tests/peers/exported.sh $(EXPORTED)
	@RAINGAUGE=$(B)/raingauge bash tests/peers/landscape.sh --write results/landscape $(LANDSCAPE)
	@RAINGAUGE=$(B)/raingauge bash tests/peers/torch.sh

tests: $(TESTS) $(FUZZERS) $(if $(CLI_SRC),$(BUILD)/raingauge)

deps: ## install what is missing (apt, as root), or print the command that would
	@.ci/deps

check: deps ## set up, build, run all tests or those called T; the last line says N passed, N failed, N skipped
	@$(if $(T),,echo "check: builds and runs all tests, $(words $(ALL_TESTS)) programs: 10 to 24 minutes on two cores (T=cli/readme: those called so)")
	+@$(SUB) check-run
check-run: $(filter-out %.sh,$(CHOSEN)) $(DOUBLES) $(if $(T),,tests) $(if $(CLI_SRC),$(if $(CHOSEN),$(BUILD)/raingauge))
	@RAINGAUGE=$(B)/raingauge perl tests/lib/run.pl $(or $(CHOSEN),--none $(ALL_TESTS))

GPU_TARGET ?= cuda
programs: $(B)/raingauge ## the best programs of RESULTS=DIR as C by gcc and clang (COMPILERS), in turns beside the code that was measured
	@RAINGAUGE=$(B)/raingauge sh tests/best/speed.sh $(RESULTS)
gpu-check: all $(B)/tests/unit/targets/opencl $(DOUBLES) ## a GPU in 8 minutes (GPU_TARGET=opencl: PoCL; GPU_TARGET=doubles: no GPU)
	@RAINGAUGE=$(BUILD)/raingauge GPU_PROGRAMS=$(B)/tests/unit/targets/opencl GPU_TARGET=$(GPU_TARGET) GPU_DOUBLES=$(abspath $(B)/doubles) \
		sh tests/gpu_check/gpu_check.sh
# A run of the records that was stopped goes on, where nothing was changed since.
GPU_RUNS = $(patsubst %,$(abspath $(BUILD))/gpu_records-%.log,$(filter-out %-dirty,$(shell git describe --always --dirty 2>/dev/null)))
check-gpu-all: ## GPU programs of every operator and sketch, on OpenCL; NVRTC compiles more; the authors' GPU records (hours)
	+@RAINGAUGE_PROPERTY=20 $(SUB) check T=unit/targets/opencl
	+@RAINGAUGE_PROPERTY=4 $(SUB) check T=unit/targets/gpu_cuda
	+@RAINGAUGE_RECORDS=1000000 RAINGAUGE_RUNS=32 RAINGAUGE_RUNS_LOG=$(GPU_RUNS) $(SUB) check T=unit/targets/gpu_records

lint: ## rooms, cycles, lengths, names, words, citations, format, clang-tidy; then the numbers
	@bash tests/lint/lint.sh
format: ## clang-format every source in place
	clang-format-19 -i $$(git ls-files '*.c' '*.h')

bench: all ## the engine's own speed
	$(BUILD)/raingauge bench

fuzz: ## run every fuzz target for FUZZ_SECONDS under clang's libFuzzer
	+@$(SUB) MODE=fuzz CC=clang-19 fuzz-run
fuzz-run: $(FUZZERS)
	@for f in $(FUZZERS); do c=tests/corpus/$${f##*/}; n=$(B)/corpus/$${f##*/}; mkdir -p $$n; \
		$$f -max_total_time=$(FUZZ_SECONDS) -artifact_prefix=$$n- $$n $$(ls -d $$c 2>/dev/null) || exit 1; done
doctor: all ## what this machine can and cannot measure
	$(BUILD)/raingauge doctor
smoke: reproduce-table3 ## the quickest end-to-end run

# reproduce-<stem> for every experiments/<stem>.yaml. A second run continues the first.
reproduce-%: deps ## reproduce-table3 and so on: set up, plan, run, report (TIER=smoke|short|judge|full)
	@test -f experiments/$*.yaml || { echo "no experiment '$*': there are" \
		$(sort $(basename $(notdir $(wildcard experiments/*.yaml)))) >&2; exit 2; }
	@echo "reproduce-$*: builds raingauge, a few minutes the first time; then it says how long the searches take"
	+@$(SUB) all
	$(BUILD)/raingauge plan $* --tier $(TIER)
	$(BUILD)/raingauge run $* --tier $(TIER) --resume
	$(BUILD)/raingauge report $* --tier $(TIER) --write
# The same searches under both code generators, in folders of their own. A second run continues the first.
LANDSCAPE = results/landscape/$(TIER)
landscape: deps ## which statements hold under codegen=tvm and codegen=fast: plan, run both, compare (TIER=smoke|short|judge|full)
	+@$(SUB) all
	@for c in tvm fast; do set -- landscape --tier $(TIER) --results $(LANDSCAPE)/$$c --set target_settings.codegen=$$c; \
		$(BUILD)/raingauge plan "$$@" && $(BUILD)/raingauge run "$$@" --resume && \
		{ $(BUILD)/raingauge report "$$@" --write >/dev/null || [ $$? = 3 ]; } || exit; done
	$(BUILD)/raingauge landscape $(LANDSCAPE)/tvm $(LANDSCAPE)/fast
regimes: all ## whether a short timing regime ranks programs as TVM's does (NETWORKS="resnet18" COUNT=10); twenty minutes
	@RAINGAUGE=$(BUILD)/raingauge bash tests/demo/regimes.sh
cross: all ## raingauge built for AArch64 with Debian's libraries for it, and tried under qemu (network once, 1 GB)
	@RAINGAUGE=$(BUILD)/raingauge bash tests/aarch64/cross.sh $(BUILD)/aarch64
demo-faults: all $(B)/tests/unit/measure/hostile ## a run killed and resumed, candidates that crash or cheat
	HOSTILE=$(B)/tests/unit/measure/hostile sh tests/demo/faults.sh
GPU_PROGRAMS := $(B)/tests/unit/targets/opencl
bundle: all $(GPU_PROGRAMS) ## build/bundle.tar.xz: the binary and its libraries, to run where the packages are missing (BUNDLE=gpu: no LLVM; ARCHIVE=no: the folder only)
	@$(if $(BUNDLE),,.ci/deps llvm-16-dev || true)
	@.ci/bundle $(if $(filter no,$(ARCHIVE)),--no-archive) --gpu-check $(GPU_PROGRAMS) $(if $(BUNDLE),$(if $(filter gpu,$(BUNDLE)),--without-llvm,$(error BUNDLE is '$(BUNDLE)', must be gpu))) \
		$(BUILD)/raingauge $(BUILD)/bundle$(addprefix -,$(BUNDLE)) $(LLVM_LIBRARY)
dist: ## build/raingauge-VERSION.tar.gz of the committed tree
	@mkdir -p $(BUILD)
	git archive --prefix=raingauge-$(VERSION)/ -o $(BUILD)/raingauge-$(VERSION).tar.gz HEAD
# make's own settings stay outside: debian/rules has its own.
deb: dist ## build/deb/: Debian's package of the committed tree, binary and source, looked at by lintian
	@.ci/deps build-essential debhelper lintian
	@rm -rf $(BUILD)/deb && mkdir $(BUILD)/deb && tar -xzf $(BUILD)/raingauge-$(VERSION).tar.gz -C $(BUILD)/deb
	@git describe --always >$(BUILD)/deb/raingauge-$(VERSION)/REVISION
	cd $(BUILD)/deb/raingauge-$(VERSION) && env -u MAKEFLAGS -u MFLAGS dpkg-buildpackage -us -uc
	lintian --fail-on error --allow-root $(BUILD)/deb/*.changes
# make itself always ends with 2 on a failure; .ci/nightly keeps the exit codes apart, for cron and systemd (.ci/timer).
nightly: ## a fixed experiment against the last good nights of this machine (MACHINE=host, ACCEPT="why")
	@.ci/nightly $(or $(MACHINE),host) $(if $(ACCEPT),--accept "$(ACCEPT)")
ae-package: deps ## build/raingauge-VERSION-ae.tar.gz for reviewers: sources, ARTIFACT.md, expected results, SHA-256
	+@$(SUB) all
	@.ci/package artifact $(BUILD)/raingauge $(BUILD) $(VERSION)
ae-results: deps ## build/raingauge-results.tar.gz: a reviewer's own results, to be handed in
	+@$(SUB) all
	@.ci/package results $(BUILD)/raingauge $(BUILD) $(VERSION)
distcheck: ae-package ## unpack that elsewhere, read-only: sums, build, check, a small run, install, nothing written; fresh as user
	+@.ci/distcheck $(abspath $(BUILD)) $(VERSION) $(abspath $(RAINGAUGE_SHARED))
	@.ci/fresh user
fresh: ## README's two commands in a new Debian 12, as root and as user (root, 40 minutes, network)
	@.ci/fresh root && .ci/fresh user

# Pages made from the program's tables, each as PAGE:FILE; tests/cli/docs.sh fails when one is not current.
DOCS := man:raingauge.1 completion:raingauge.bash keys:keys.md json:json.md results:../../results/runs.md findings:../../results/FINDINGS.md
docs: all ## write the generated pages: in harness/doc/, and results/runs.md and FINDINGS.md of the runs that git tracks
	@rm -rf $(B)/docs && .ci/committed $(B)/docs
	@for d in $(DOCS); do f=harness/doc/$${d##*:}; \
		(cd $(B)/docs && RAINGAUGE_DATADIR=$(CURDIR) $(abspath $(BUILD))/raingauge doc $${d%%:*}) >$$f.new && mv $$f.new $$f || { rm -f $$f.new; exit 1; }; done

# The binary finds its data beside itself, so that no folder is compiled in. Pages keep their paths, which other pages name.
TO    = $(DESTDIR)$(prefix)
SHARE = $(TO)/share/raingauge
DOC   = $(TO)/share/doc/raingauge
MAN   = $(TO)/share/man/man1
BASH_COMPLETIONS = $(TO)/share/bash-completion/completions
UNITS = $(TO)/share/systemd/user
install: all ## into $(DESTDIR)$(prefix)
	install -d $(TO)/bin $(SHARE)/plots $(DOC)/harness/doc $(MAN) $(BASH_COMPLETIONS) $(UNITS)
	install -m 755 $(BUILD)/raingauge $(TO)/bin/raingauge
	cp -R experiments $(SHARE)/
	install -m 644 $(wildcard plots/*) $(SHARE)/plots/
	install -m 644 README.md LICENSE CITATION.cff $(DOC)/
	install -m 644 $(wildcard harness/doc/*.md) $(DOC)/harness/doc/
	cp -R harness/doc/examples $(DOC)/harness/doc/
	install -m 644 harness/doc/raingauge.1 $(MAN)/raingauge.1
	install -m 644 harness/doc/raingauge.bash $(BASH_COMPLETIONS)/raingauge
	install -m 644 .ci/timer/raingauge-nightly.timer $(UNITS)/
	sed -e '/^WorkingDirectory/d; /^# Newest/d; /^ExecStartPre/d; s|^ExecStart=[^ ]*|ExecStart=$(abspath $(prefix))/bin/raingauge nightly|' \
		.ci/timer/raingauge-nightly.service >$(UNITS)/raingauge-nightly.service
uninstall: ## remove what install put there
	rm -f $(TO)/bin/raingauge $(MAN)/raingauge.1 $(BASH_COMPLETIONS)/raingauge $(UNITS)/raingauge-nightly.service $(UNITS)/raingauge-nightly.timer
	rm -rf $(SHARE) $(DOC)
clean: ## remove build/
	rm -rf $(BUILD)
help: ## this list
	@sed -n 's/^\([a-z0-9%-]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 16

-include $(shell find $(B)/obj -name '*.d' 2>/dev/null)
