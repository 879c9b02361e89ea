# SPDX-License-Identifier: GPL-2.0-only
# One Makefile, not recursive. `make help` lists every verb.

.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:
MAKEFLAGS += --no-builtin-rules
.DEFAULT_GOAL := build

# Built for this machine, or with ARCH=arm64 for another one: by clang, and with Debian's packages of
# it in a folder of their own.
ifeq ($(ARCH),arm64)
OUT      ?= .output/arm64
endif
OUT      ?= .output
VERSION  := 0.1.0

# ---- tools ----------------------------------------------------------------
ifeq ($(origin CC),default)
CC        = gcc
endif
# What the programs have been loaded with on every kernel: 16, 18 and 19.
CLANGS   := $(addprefix clang-,16 17 18 19 20 21 22 23)
CLANG    ?= $(firstword $(foreach c,$(CLANGS) clang,$(shell command -v $(c))))
ifeq ($(ARCH),arm64)
SYSROOT  := $(if $(SYSROOT),$(SYSROOT),$(shell tests/vm/sysroot))
CC       := $(CLANG) --target=aarch64-linux-gnu --sysroot=$(SYSROOT)
LDFLAGS  += -fuse-ld=lld
endif
# What runs while building.
HOSTCC   ?= $(if $(filter arm64,$(ARCH)),$(CLANG),cc)
BPFARCH  := $(if $(filter aarch64%,$(if $(filter arm64,$(ARCH)),aarch64,$(shell $(CC) -dumpmachine))),arm64,x86)
ZSTD     ?= zstd
BPFTOOL  ?= $(firstword $(shell command -v bpftool) /usr/sbin/bpftool)
PREFIX   ?= /usr/local
DESTDIR  ?=
BTF      ?= /sys/kernel/btf/vmlinux

# Tests and mutants compile by ccache where it is installed: of a tree, most is as the last one
# had it. It is looked for once tests/deps has run.
ifneq ($(filter test% mutants,$(MAKECMDGOALS)),)
export CCACHE ?= $(shell command -v ccache)
export CCACHE_DIR ?= $(or $(KSTATS_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/kstats-bpf)/ccache
export CCACHE_MAXSIZE ?= 2G
export CCACHE_NOHASHDIR ?= 1
endif

ifeq ($(V),1)
Q =
say = @:
else
Q = @
say = @printf '  %-8s %s\n'
endif

# ---- flags ----------------------------------------------------------------
WARN     := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	    -Wvla -Wno-unused-parameter -Wno-sign-compare
ifeq ($(ARCH),arm64)
WARN     += -Wno-missing-field-initializers # clang counts those that are set by name
endif
CPPFLAGS += -Iinclude -Isrc -I$(OUT) -D_GNU_SOURCE -DKSTATS_VERSION='"$(VERSION)"'
CFLAGS   ?= -O2 -g
KFLAGS   := -std=gnu11 $(WARN) $(SANITIZE) -ffile-prefix-map=$(CURDIR)=.
LDLIBS   += -lbpf -ljson-c -lelf -lz -lzstd -lRmath -lm -lncursesw -ltinfo
# Source lines of call sites, names of parameters; without libdw (LIBDW=0) all else works.
ifeq ($(origin LIBDW),undefined)
LIBDW    := $(shell $(CC) -E -include elfutils/libdwfl.h -x c /dev/null >/dev/null 2>&1 && echo 1)
endif
ifeq ($(LIBDW),1)
CPPFLAGS += -DKSTATS_LIBDW
LDLIBS   += -ldw
endif
# Names of C++ and Rust in their own words, and the small symbol tables of stripped files.
define has_header
$(shell $(CC) -E -include $(1) -x c /dev/null >/dev/null 2>&1 && echo 1)
endef
ifeq ($(origin LIBIBERTY),undefined)
LIBIBERTY := $(call has_header,libiberty/demangle.h)
endif
ifeq ($(LIBIBERTY),1)
CPPFLAGS += -DKSTATS_LIBIBERTY
LDLIBS   += -liberty
endif
ifeq ($(origin LIBLZMA),undefined)
LIBLZMA  := $(call has_header,lzma.h)
endif
ifeq ($(LIBLZMA),1)
CPPFLAGS += -DKSTATS_LZMA
LDLIBS   += -llzma
endif
# What a function calls, by its instructions; on arm64 it takes no library. It is loaded when it is
# needed, see src/facts/decode.c. A static program loads none: it is told the callees.
ifeq ($(origin LIBCAPSTONE),undefined)
LIBCAPSTONE := $(call has_header,capstone/capstone.h)
endif
ifeq ($(LIBCAPSTONE)$(ARCH)$(STATIC),1)
CPPFLAGS += -DKSTATS_CAPSTONE
LDLIBS   += -ldl # empty from glibc 2.34 on
endif
# HTTP of `serve`; without libevent (LIBEVENT=0) all else works.
ifeq ($(origin LIBEVENT),undefined)
LIBEVENT := $(call has_header,event2/http.h)
endif
ifeq ($(LIBEVENT),1)
LDLIBS   += -levent_extra -levent_core
endif
# A program that runs on any distribution. It needs the libraries as archives; see src/util/users.h
# for what it does not know of users.
ifeq ($(STATIC),1)
CPPFLAGS += -DKSTATS_STATIC
LDFLAGS  += -static
LDLIBS   += -lelf -lz -lbz2 -llzma
# Nothing unwinds it: it is stripped.
KFLAGS   += -fno-asynchronous-unwind-tables
endif
# The same bytes in whatever folder it is built: no path of it is in them.
BPFFLAGS := -O2 -g -fdebug-compilation-dir=. -target bpf -mcpu=v3 -D__TARGET_ARCH_$(BPFARCH) -Wall -Werror \
	    -Iinclude -I.

# ---- the program ----------------------------------------------------------
SRCS     := $(filter-out src/lines/$(if $(filter 1,$(LIBDW)),none,dwarf).c \
	    src/serve/$(if $(filter 1,$(LIBEVENT)),none,http).c, \
	    $(sort $(wildcard src/*.c src/*/*.c src/*/*/*.c)))
OBJS     := $(SRCS:%.c=$(OUT)/%.o)
BPFSRCS  := $(sort $(wildcard bpf/*.bpf.c))
# kstats.bpf.c is compiled nine times: slots in the map, in blocks of the map, and in
# the module; and each again with the programs whose kfuncs only some kernels have, in the two
# forms that those have: without an argument (6.10) and with one (7.0).
VARIANTS := kstats_kmod kstats_blocks kstats_session kstats_session_kmod \
	    kstats_session_blocks kstats_session_void kstats_session_void_kmod \
	    kstats_session_void_blocks
BPFNAMES := $(BPFSRCS:bpf/%.bpf.c=%) $(VARIANTS)
SKELS    := $(BPFNAMES:%=$(OUT)/%.skel.h)
# In the program they are compressed, and their skeletons hold no bytes; see src/objects.
PACKED   := $(filter kstats kmem,$(BPFNAMES)) $(VARIANTS)

.PHONY: build
build: $(OUT)/kstats-bpf ## build the program (default)

$(OUT)/kstats-bpf: $(OBJS)
	$(say) LINK $@
	$(Q)$(CC) $(CFLAGS) $(SANITIZE) $(LDFLAGS) -Wl,--export-dynamic-symbol='calibrate_on_*' \
		-o $@ $(OBJS) $(LDLIBS)

$(OUT)/%.o: %.c | $(SKELS)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CCACHE) $(CC) $(CPPFLAGS) $(CFLAGS) $(KFLAGS) -MMD -MP -c -o $@ $<

define compile_bpf
	@mkdir -p $(@D)
	$(say) BPF $<
	$(Q)$(CCACHE) $(CLANG) $(BPFFLAGS) $(1) -MMD -MP -MT $@ -MF $(@:.o=.d) -c -o $@.tmp $<
	$(Q)$(BPFTOOL) gen object $@ $@.tmp
endef

$(OUT)/%.bpf.o: bpf/%.bpf.c
	$(call compile_bpf)

$(OUT)/kstats_kmod.bpf.o: bpf/kstats.bpf.c
	$(call compile_bpf,-DKSTATS_KMOD)

$(OUT)/kstats_blocks.bpf.o: bpf/kstats.bpf.c
	$(call compile_bpf,-DKSTATS_BLOCKS)

$(OUT)/kstats_session.bpf.o: bpf/kstats.bpf.c
	$(call compile_bpf,-DKSTATS_SESSION)

$(OUT)/kstats_session_kmod.bpf.o: bpf/kstats.bpf.c
	$(call compile_bpf,-DKSTATS_SESSION -DKSTATS_KMOD)

$(OUT)/kstats_session_blocks.bpf.o: bpf/kstats.bpf.c
	$(call compile_bpf,-DKSTATS_SESSION -DKSTATS_BLOCKS)

$(OUT)/kstats_session_void.bpf.o: bpf/kstats.bpf.c
	$(call compile_bpf,-DKSTATS_SESSION -DKSTATS_SESSION_VOID)

$(OUT)/kstats_session_void_kmod.bpf.o: bpf/kstats.bpf.c
	$(call compile_bpf,-DKSTATS_SESSION -DKSTATS_SESSION_VOID -DKSTATS_KMOD)

$(OUT)/kstats_session_void_blocks.bpf.o: bpf/kstats.bpf.c
	$(call compile_bpf,-DKSTATS_SESSION -DKSTATS_SESSION_VOID -DKSTATS_BLOCKS)

# All have much in common: one is compressed by itself, and the others as what differs from it.
BASE     := $(OUT)/kstats_session.bpf.o
ZSTDFLAGS := -qq --ultra -22 --single-thread --no-check

# By way of the standard output: zstd would give a file that it names itself the time of what it
# read, and make would take it for older than the base, and make it again at each call.
pack = $(ZSTD) $(ZSTDFLAGS) $(1) -c $< > $@.tmp && mv $@.tmp $@

$(OUT)/bare: packaging/bare.c
	@mkdir -p $(@D)
	$(Q)$(HOSTCC) -O1 -Wall -o $@ $<

$(OUT)/%.bpf.o.bare: $(OUT)/%.bpf.o $(OUT)/bare
	$(Q)$(OUT)/bare $< > $@

$(BASE).zst: $(BASE).bare
	$(Q)$(call pack)

$(OUT)/%.bpf.o.zst: $(OUT)/%.bpf.o.bare $(BASE).bare
	$(Q)$(call pack,--patch-from=$(BASE).bare)

# src/objects/objects.c holds them, in each of the ways in which it is compiled.
OBJECTS_O := $(OUT)/src/objects/objects.o $(OUT)/test/src/objects/objects.o
$(OBJECTS_O): $(PACKED:%=$(OUT)/%.bpf.o.zst)
$(OBJECTS_O): CPPFLAGS += -DKSTATS_OBJECTS='"$(OUT)/"'

# src/recipes/builtin.c holds them: a form feed, the name and a newline before each.
RECIPES  := $(sort $(wildcard recipes/*.recipe))
RECIPES_O := $(OUT)/src/recipes/builtin.o $(OUT)/test/src/recipes/builtin.o
$(RECIPES_O): $(OUT)/recipes.txt
$(RECIPES_O): CPPFLAGS += -DKSTATS_RECIPES='"$(OUT)/recipes.txt"'

# Those that are gone leave the text too.
$(OUT)/recipes.txt: $(RECIPES) recipes
	@mkdir -p $(@D)
	$(Q)for r in $(RECIPES:recipes/%.recipe=%); do printf '\f%s\n' $$r; cat recipes/$$r.recipe; done > $@

# The system calls that the compiler's headers know, one a line: KNOWN(read).
NAMING_O := $(OUT)/src/naming/calls.o $(OUT)/test/src/naming/calls.o
$(NAMING_O): $(OUT)/syscalls.h

$(OUT)/syscalls.h:
	@mkdir -p $(@D)
	$(Q)echo '#include <asm/unistd.h>' | $(CC) -E -dM -x c - | \
		sed -n 's/^#define __NR_\([a-z_0-9]*\) .*/KNOWN(\1)/p' | \
		grep -v '(syscalls)\|(arch_specific_syscall)' | LC_ALL=C sort > $@

without_bytes = sed -e '/^static inline const void \*[a-z_]*__elf_bytes(size_t \*sz);$$/d' \
	-e '/__elf_bytes(&s->data_sz);$$/d' -e '/__elf_bytes(size_t \*sz)$$/,/^}/d'

$(PACKED:%=$(OUT)/%.skel.h): $(OUT)/%.skel.h: $(OUT)/%.bpf.o
	$(say) SKEL $@
	$(Q)$(BPFTOOL) gen skeleton $< name $(notdir $*)_bpf | $(without_bytes) > $@

$(OUT)/%.skel.h: $(OUT)/%.bpf.o
	$(say) SKEL $@
	$(Q)$(BPFTOOL) gen skeleton $< name $(notdir $*)_bpf > $@

# Terminals that the program knows also where no folder of the machine describes them.
TERMINALS := xterm-256color screen-256color tmux-256color linux vt100
TERMINAL_O := $(OUT)/src/top/terminal.o $(OUT)/test/src/top/terminal.o
$(TERMINAL_O): $(OUT)/terminfo.h

$(OUT)/terminfo.h: packaging/terminfo
	@mkdir -p $(@D)
	$(say) GEN $@
	$(Q)packaging/terminfo $(TERMINALS) > $@

# One skeleton serves all objects (src/session/load.c): their variables must lie
# at the same places.
layout = sed -n '/_bpf__[a-z]* {/,/^\t}/p' $(OUT)/$(1).skel.h | sed 's/$(1)_bpf//'
same = test "$$($(call layout,kstats))" = "$$($(call layout,$(1)))" || \
	{ echo "kstats.bpf.c: its variables lie elsewhere in $(1)" >&2; exit 1; }

$(OUT)/.layout: $(OUT)/kstats.skel.h $(VARIANTS:%=$(OUT)/%.skel.h)
	$(Q)$(foreach v,$(VARIANTS),$(call same,$(v));)
	$(Q)touch $@

$(OUT)/kstats-bpf: $(OUT)/.layout

-include $(OBJS:.o=.d) $(BPFNAMES:%=$(OUT)/%.bpf.d)

# ---- what must be there ---------------------------------------------------
define missing
printf '%s: %s is missing: %s\n' "$(firstword $(MAKEFILE_LIST))" "$(1)" \
	"run 'sudo make deps', or install $(2)" >&2; exit 1
endef

.PHONY: check-tools
check-tools:
	@test -n "$(CLANG)" || { $(call missing,clang,clang-16 or newer); }
	@test "$$($(CLANG) -dumpversion | cut -d. -f1)" -ge 16 || \
		{ $(call missing,clang 16 or newer for BPF,clang-16 or newer); }
	@test -n "$(BPFTOOL)" && test -x "$(BPFTOOL)" || { $(call missing,bpftool,bpftool); }
	@command -v $(ZSTD) >/dev/null || { $(call missing,zstd,zstd); }
	@command -v $(firstword $(CC)) >/dev/null || { $(call missing,$(CC),gcc); }
	@echo '#include <bpf/libbpf.h>' | $(CC) -E - >/dev/null 2>&1 || \
		{ $(call missing,libbpf,libbpf-dev 1.1 or newer); }
	@echo '#include <Rmath.h>' | $(CC) -DMATHLIB_STANDALONE -E - >/dev/null 2>&1 || \
		{ $(call missing,r-mathlib,r-mathlib); }
	@echo '#include <json-c/json.h>' | $(CC) -E - >/dev/null 2>&1 || \
		{ $(call missing,json-c,libjson-c-dev); }
	@echo '#include <zstd.h>' | $(CC) -E - >/dev/null 2>&1 || { $(call missing,libzstd,libzstd-dev); }
	@echo '#include <ncurses.h>' | $(CC) -E - >/dev/null 2>&1 && command -v infocmp >/dev/null || \
		{ $(call missing,ncurses,libncurses-dev and ncurses-bin); }

$(OBJS) $(SKELS): | check-tools

.PHONY: debug
debug: ## build with debug information and sanitizers, in .output/debug
	$(Q)$(MAKE) --no-print-directory OUT=.output/debug CFLAGS='-O1 -g3' \
		SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=all'

# ---- the kernel module ----------------------------------------------------
KDIR     ?= /lib/modules/$(shell uname -r)/build
KMODVARS := KSTATS_VERSION=$(VERSION) $(if $(SELFTEST),KSTATS_SELFTEST=y)

.PHONY: kmod
kmod: ## build the kernel module, for the running kernel or for KDIR=FOLDER
	$(Q)kmod/build "$(KDIR)" $(OUT)/kmod $(KMODVARS)

# ---- install --------------------------------------------------------------
SBINDIR  ?= $(PREFIX)/sbin
SHAREDIR ?= $(PREFIX)/share
ZSHDIR   ?= $(SHAREDIR)/zsh/site-functions
INCDIR   ?= $(PREFIX)/include/kstats
UNITDIR  ?= $(PREFIX)/lib/systemd/system
MANDIR   = $(DESTDIR)$(SHAREDIR)/man
COMPDIR  = $(DESTDIR)$(SHAREDIR)
DKMSDIR  = $(DESTDIR)/usr/src/kstats-$(VERSION)
SERVICES := $(sort $(wildcard systemd/*))
MANS     := $(sort $(wildcard man/*.[58]))
DEVMANS  := $(sort $(wildcard man/*.[39]))
# What runs here, where the program itself does not.
COMPLETER ?= $(OUT)/kstats-bpf
install_mans = for m in $(1); do \
	install -D -m 644 $$m $(MANDIR)/man$${m\#\#*.}/$${m\#\#*/} || exit; done

.PHONY: install
install: install-program install-dev ## install program, manual, headers, units and completions (DESTDIR, PREFIX)

.PHONY: install-program
install-program: build
	install -d $(DESTDIR)$(SBINDIR) $(COMPDIR)/bash-completion/completions \
		$(DESTDIR)$(ZSHDIR) $(COMPDIR)/fish/vendor_completions.d $(DESTDIR)$(UNITDIR)
	install -m 755 $(OUT)/kstats-bpf $(DESTDIR)$(SBINDIR)/
	$(call install_mans,$(MANS))
	install -D -m 644 -t $(DESTDIR)$(SHAREDIR)/kstats-bpf/recipes $(RECIPES)
	for u in $(SERVICES); do sed 's#@BINDIR@#$(SBINDIR)#' $$u > $(DESTDIR)$(UNITDIR)/$${u##*/} || exit; done
	$(COMPLETER) completion bash > $(COMPDIR)/bash-completion/completions/kstats-bpf
	$(COMPLETER) completion zsh > $(DESTDIR)$(ZSHDIR)/_kstats-bpf
	$(COMPLETER) completion fish > $(COMPDIR)/fish/vendor_completions.d/kstats-bpf.fish

# For programs with markers, and for programs and modules that use the module.
.PHONY: install-dev
install-dev:
	install -D -m 644 -t $(DESTDIR)$(INCDIR) include/*.h
	$(call install_mans,$(DEVMANS))

# kstats_user.py and its library, for the Python in PATH.
PYDIR    ?= $(shell python3 -c 'import sysconfig; print(sysconfig.get_path("platlib"))')

$(OUT)/libkstats_user.so: python/kstats_user.c $(wildcard include/*.h)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(KFLAGS) $(LDFLAGS) -fPIC -shared -o $@ $<

.PHONY: install-python
install-python: $(OUT)/libkstats_user.so ## install markers for Python programs (DESTDIR, PYDIR)
	install -D -m 644 -t $(DESTDIR)$(PYDIR) python/kstats_user.py $(OUT)/libkstats_user.so

.PHONY: uninstall-python
uninstall-python: ## remove what install-python put there
	rm -f $(DESTDIR)$(PYDIR)/kstats_user.py $(DESTDIR)$(PYDIR)/libkstats_user.so

.PHONY: uninstall
uninstall: ## remove what install put there
	rm -f $(DESTDIR)$(SBINDIR)/kstats-bpf $(COMPDIR)/bash-completion/completions/kstats-bpf \
		$(DESTDIR)$(ZSHDIR)/_kstats-bpf \
		$(COMPDIR)/fish/vendor_completions.d/kstats-bpf.fish
	for m in $(MANS) $(DEVMANS); do rm -f $(MANDIR)/man$${m##*.}/$${m##*/}; done
	for u in $(SERVICES); do rm -f $(DESTDIR)$(UNITDIR)/$${u##*/}; done
	rm -rf $(DESTDIR)$(INCDIR) $(DESTDIR)$(SHAREDIR)/kstats-bpf

.PHONY: install-dkms
install-dkms: ## put the module's sources where DKMS finds them (DESTDIR)
	install -D -m 644 -t $(DKMSDIR)/include include/*.h
	install -D -m 644 -t $(DKMSDIR)/kmod kmod/Kbuild kmod/*.[chS]
	install -m 755 kmod/build $(DKMSDIR)/kmod/
	sed 's/#MODULE_VERSION#/$(VERSION)/' kmod/dkms.conf > $(DKMSDIR)/dkms.conf
	chmod 644 $(DKMSDIR)/dkms.conf

# DKMS names a module whose sources are gone as broken, and cannot remove it any more.
.PHONY: uninstall-dkms
uninstall-dkms: ## remove what install-dkms put there, and what DKMS built of it
	$(if $(DESTDIR),,! command -v dkms >/dev/null || test -z "$$(dkms status kstats/$(VERSION))" || \
		dkms remove kstats/$(VERSION) --all)
	rm -rf $(DKMSDIR)

# ---- release --------------------------------------------------------------
.PHONY: static
static: ## build a program that runs on any distribution, in .output/static
	$(Q)$(MAKE) --no-print-directory OUT=$(OUT)/static STATIC=1 build

.PHONY: arm64
arm64: ## build the static program for arm64, in .output/arm64
	$(Q)$(MAKE) --no-print-directory OUT=$(OUT)/arm64 ARCH=arm64 STATIC=1 build

.PHONY: version
version:
	@echo $(VERSION)

.PHONY: dist
dist: ## make the tarballs of HEAD: source, static programs for amd64 and arm64, in .output/dist
	$(Q)tests/deps release
	$(Q)packaging/dist $(VERSION) $(OUT)/dist

.PHONY: deb
deb: ## make the Debian packages of HEAD, also for arm64, in .output/deb
	$(Q)tests/deps release
	$(Q)packaging/deb $(OUT)/deb

.PHONY: rpm
rpm: ## make the packages of packaging/kstats-bpf.spec of HEAD, in .output/rpm
	$(Q)packaging/rpm $(VERSION) $(OUT)/rpm

# ---- demo and tests -------------------------------------------------------
.PHONY: deps
deps: ## install the packages that building needs
	$(Q)tests/deps build

.PHONY: demo
demo: ## see it work: how long does vfs_read take on this machine?
	$(Q)tests/deps build
	$(Q)$(MAKE) --no-print-directory -s build >/dev/null
	$(Q)tests/demo

.PHONY: test
test: ## install what the tests need and run all of them
	$(Q)tests/deps test
	$(Q)$(MAKE) --no-print-directory -s -j$$(nproc) build
	$(Q)tests/run all

.PHONY: test-long
test-long: ## the tests that repeat much: every method on every kernel, more calls; the release
	$(Q)tests/deps test
	$(Q)tests/deps release
	$(Q)$(MAKE) --no-print-directory -s -j$$(nproc) build
	$(Q)tests/run long

.PHONY: test-hotplug
test-hotplug: ## all methods while a processor goes off and on, an hour on each kernel
	$(Q)tests/deps test
	$(Q)$(MAKE) --no-print-directory -s -j$$(nproc) build
	$(Q)tests/run hotplug

.PHONY: test-sweep
test-sweep: build $(OUT)/tests/vm/sweep_load ## attach each function by each method, under load: two days; it goes on where it ended
	$(Q)tests/vm/sweep.py $(if $(MOST),--most $(MOST)) $(SWEEP)

.PHONY: test-changed
test-changed: build ## the tests that a change can touch (SINCE=COMMIT; what is not committed)
	$(Q)tests/run changed $(SINCE)

.PHONY: test-quick
test-quick: build ## most tests that need no guest: 35 s of processors
	$(Q)tests/run quick

.PHONY: lint
lint: build ## check the rules: includes, one definition, style, man pages
	$(Q)tests/run lint

STYLED = $(sort $(wildcard include/*.h kmod/*.[ch] examples/*.[ch] examples/*/*.[ch] src/*.[ch] src/*/*.[ch] src/*/*/*.[ch] bpf/*.[ch] tests/unit/*.[ch] \
	 tests/fuzz/*.[ch] tests/bench/*.[ch] tests/model/*.[ch]))
CLANG_FORMAT ?= $(firstword $(foreach v,-16 -17 -18 -19,$(shell command -v clang-format$(v))) \
		clang-format)

.PHONY: style
style: ## reformat all C as .clang-format says
	$(CLANG_FORMAT) -i $(STYLED)

# For lint: by what, and which files.
.PHONY: styled
styled:
	@echo $(CLANG_FORMAT) $(STYLED)

# ---- unit tests and fuzz targets share one build of src, with sanitizers ----
TDIR     := $(OUT)/test
# An empty array may be a null pointer, and 0 may be added to it.
TFLAGS   := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all \
	    -fno-sanitize=pointer-overflow
TOBJS    := $(patsubst %.c,$(TDIR)/%.o,$(filter-out src/main.c,$(SRCS)))
UNITS    := $(patsubst tests/unit/%.c,$(TDIR)/%,$(sort $(wildcard tests/unit/test_*.c)))
UHELP    := $(patsubst %.c,$(TDIR)/%.o,$(filter-out tests/unit/test_%,$(wildcard tests/unit/*.c)))

.PHONY: units
units: $(UNITS)

$(TDIR)/%.o: %.c | $(SKELS)
	@mkdir -p $(@D)
	$(say) CC-T $<
	$(Q)$(CCACHE) $(CLANG) $(CPPFLAGS) -Itests/unit $(TFLAGS) $(KFLAGS) -Wno-missing-field-initializers -MMD -MP -c -o $@ $<

.PRECIOUS: $(TDIR)/src/%.o $(TDIR)/tests/unit/%.o $(TDIR)/tests/fuzz/%.o
# A test gets from the archive what it uses, a tenth of all: that links in a fifth of the time.
define archive
	@rm -f $@
	$(Q)$(AR) crsT $@ $^
endef

$(TDIR)/all.a: $(TOBJS) $(UHELP)
	$(archive)

$(TDIR)/test_%: $(TDIR)/tests/unit/test_%.o $(TDIR)/all.a
	$(say) LINK-T $@
	$(Q)$(CLANG) $(TFLAGS) -o $@ $^ -lcmocka $(LDLIBS)

# ---- the model: the BPF programs on a machine of our own, see tests/model/machine.h ----
MDIR     := $(OUT)/model
MFLAGS   := -std=gnu11 -D_GNU_SOURCE -O2 -g -fno-pie -Wall -Wno-unknown-attributes -Wno-ignored-attributes \
	    -Itests/model/native -Itests/model -Iinclude -Ibpf -I. -DKSTATS_HOME_BITS=1
MLINK    := -no-pie -Wl,--section-start=.model=0x10000000
# Each access to shared memory calls a function of the machine.
MPOINTS  := -fsanitize=thread -mllvm -tsan-instrument-func-entry-exit=0
MTESTS   := $(patsubst tests/model/test_%.c,$(MDIR)/%,$(sort $(wildcard tests/model/test_*.c)))

.PHONY: models model
models: $(MTESTS)

model: models ## run the programs' code with interrupts at all points (ROUNDS=1)
	$(Q)for t in $(MTESTS); do $$t $(or $(ROUNDS),1) || exit; done

$(MDIR)/%_points.o: tests/model/%_points.c
	@mkdir -p $(@D)
	$(say) CC-M $<
	$(Q)$(CCACHE) $(CLANG) $(MFLAGS) $(MPOINTS) -DKSTATS_KMOD -DKSTATS_SESSION -MMD -MP -c -o $@ $<

$(MDIR)/%.o: tests/model/%.c
	@mkdir -p $(@D)
	$(say) CC-M $<
	$(Q)$(CCACHE) $(CLANG) $(MFLAGS) -MMD -MP -c -o $@ $<

$(MDIR)/trace: $(addprefix $(MDIR)/,test_trace.o trace.o trace_course.o trace_control.o trace_told.o trace_judge.o \
		 trace_order.o trace_via.o trace_points.o machine.o tell.o)
	$(Q)$(CLANG) $(MLINK) -o $@ $^

$(MDIR)/kmem: $(addprefix $(MDIR)/,test_kmem.o kmem.o kmem_placed.o kmem_judge.o kmem_points.o machine.o tell.o)
	$(Q)$(CLANG) $(MLINK) -o $@ $^

$(MDIR)/store: $(addprefix $(MDIR)/,test_store.o store_points.o store_map_points.o machine.o)
	$(Q)$(CLANG) $(MLINK) -o $@ $^

$(MDIR)/parts: $(addprefix $(MDIR)/,test_parts.o parts_points.o machine.o)
	$(Q)$(CLANG) $(MLINK) -o $@ $^

$(MDIR)/callees: $(addprefix $(MDIR)/,test_callees.o callees_points.o machine.o)
	$(Q)$(CLANG) $(MLINK) -o $@ $^

$(MDIR)/user: $(addprefix $(MDIR)/,test_user.o user_points.o)
	$(Q)$(CLANG) $(MLINK) -o $@ $^

.PRECIOUS: $(MDIR)/%.o $(MDIR)/%_points.o
-include $(wildcard $(MDIR)/*.d)

# ---- fuzz targets: they use what the unit tests use ----
FDIR     := $(OUT)/fuzz
FUZZERS  := $(patsubst tests/fuzz/%.c,$(FDIR)/%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
FUZZ_SECONDS ?= 60

.PHONY: fuzzers
fuzzers: $(FUZZERS)

.PHONY: fuzz
fuzz: ## run the fuzz targets, FUZZ_SECONDS together (60)
	$(Q)tests/run fuzz

$(FDIR)/fuzz_%: $(TDIR)/tests/fuzz/fuzz_%.o $(TDIR)/tests/fuzz/steady.o $(TDIR)/all.a
	@mkdir -p $(@D)
	$(say) LINK-F $@
	$(Q)$(CLANG) $(TFLAGS) -fsanitize=fuzzer -o $@ $^ $(LDLIBS)

-include $(TOBJS:.o=.d) $(wildcard $(TDIR)/tests/unit/*.d $(TDIR)/tests/fuzz/*.d)

# ---- BPF objects of the tests ---------------------------------------------
$(OUT)/tests/%.bpf.o: tests/%.bpf.c
	@mkdir -p $(@D)
	$(Q)$(CCACHE) $(CLANG) $(BPFFLAGS) -Ibpf -MMD -MP -MF $(@:.o=.d) -MT $@ -c -o $@ $<

$(OUT)/tests/%_kmod.bpf.o: tests/%.bpf.c
	@mkdir -p $(@D)
	$(Q)$(CCACHE) $(CLANG) $(BPFFLAGS) -Ibpf -DKSTATS_KMOD -MMD -MP -MF $(@:.o=.d) -MT $@ -c -o $@ $<

# Their programs are made of headers of bpf/, with which they change.
-include $(wildcard $(OUT)/tests/vm/*.bpf.d $(OUT)/tests/vm/*/*.bpf.d $(OUT)/tests/vm/*/*/*.bpf.d $(OUT)/tests/bench/*.bpf.d \
	$(OUT)/examples/*.bpf.d)

$(OUT)/tests/%.skel.h: $(OUT)/tests/%.bpf.o
	$(Q)$(BPFTOOL) gen skeleton $< name $(notdir $*)_bpf > $@

$(OUT)/tests/vm/%: tests/vm/%.c $(OUT)/tests/vm/%.skel.h
	$(Q)$(CC) $(CPPFLAGS) -I$(@D) $(CFLAGS) $(KFLAGS) -o $@ $< -lbpf -lelf -lz -lpthread

$(OUT)/tests/vm/kmod/tool: tests/vm/kmod/tool.c tests/vm/functions.c tests/vm/functions.h \
		$(OUT)/tests/vm/kmod/tool.skel.h
	$(Q)$(CC) $(CPPFLAGS) -I$(@D) $(CFLAGS) $(KFLAGS) -o $@ $(filter %.c,$^) -lbpf -lelf -lz -lpthread

# For kernels before 6.4.
$(OUT)/tests/vm/kmod/old/tool.bpf.o: tests/vm/kmod/tool.bpf.c
	@mkdir -p $(@D)
	$(Q)$(CCACHE) $(CLANG) $(BPFFLAGS) -Ibpf -DOLD_POINTERS -MMD -MP -MF $(@:.o=.d) -MT $@ -c -o $@ $<

$(OUT)/tests/vm/kmod/old/tool: tests/vm/kmod/tool.c tests/vm/functions.c tests/vm/functions.h \
		$(OUT)/tests/vm/kmod/old/tool.skel.h
	$(Q)$(CC) $(CPPFLAGS) -I$(@D) $(CFLAGS) $(KFLAGS) -o $@ $(filter %.c,$^) -lbpf -lelf -lz -lpthread

$(OUT)/tests/vm/blocks: tests/vm/blocks.c $(OUT)/tests/vm/blocks.skel.h \
		$(filter-out $(OUT)/src/main.o,$(OBJS))
	$(Q)$(CC) $(CPPFLAGS) -I$(@D) $(CFLAGS) $(KFLAGS) -o $@ $(filter-out %.h,$^) $(LDLIBS) -lpthread

$(OUT)/tests/vm/symbols: tests/vm/symbols.c $(filter-out $(OUT)/src/main.o,$(OBJS))
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(KFLAGS) -o $@ $^ $(LDLIBS)

$(OUT)/tests/vm/faults: tests/vm/faults.c tests/vm/functions.c tests/vm/functions.h \
		$(wildcard include/*.h)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(KFLAGS) -o $@ $(filter %.c,$^) -lbpf -lelf -lz

$(OUT)/tests/vm/skip_calls: tests/vm/skip_calls.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(KFLAGS) -o $@ $< -lpthread

$(OUT)/tests/bench/kmod: tests/bench/kmod.c $(OUT)/tests/bench/record.skel.h \
		$(OUT)/tests/bench/record_kmod.skel.h
	$(Q)$(CC) $(CPPFLAGS) -I$(OUT)/tests/bench $(CFLAGS) $(KFLAGS) -o $@ $< -lbpf -lelf -lz

# With ARCH=arm64.
$(OUT)/tests/vm/arm64: tests/vm/arm64.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(KFLAGS) $(LDFLAGS) -o $@ $<

$(OUT)/tests/vm/user: tests/vm/user.c tests/vm/user_names.cpp $(wildcard include/*.h)
	@mkdir -p $(@D)
	$(Q)$(CC) -x c++ -std=c++11 -Iinclude $(CFLAGS) -Wall -Wextra -Wno-unused-parameter -c \
		-o $@.names.o tests/vm/user_names.cpp
	$(Q)$(CC) -std=gnu99 -Iinclude $(CFLAGS) -Wall -Wextra -Wno-unused-parameter $(LDFLAGS) \
		-o $@ tests/vm/user.c $@.names.o

$(OUT)/tests/vm/kmem_load $(OUT)/tests/vm/tasks: $(OUT)/tests/vm/%: tests/vm/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(KFLAGS) -o $@ $<

$(OUT)/tests/vm/sweep_load: tests/vm/sweep_load.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(KFLAGS) -o $@ $< -lpthread

$(OUT)/tests/vm/expr: tests/vm/expr.c tests/unit/expr_world.c tests/unit/expr_world.h \
		$(filter $(OUT)/src/expr/% $(OUT)/src/naming/% $(OUT)/src/util/%,$(OBJS))
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) -Itests/unit $(CFLAGS) $(KFLAGS) -o $@ $(filter-out %.h,$^) $(LDLIBS)

$(OUT)/tests/bench/calls: tests/bench/calls.c $(OUT)/tests/bench/limit.skel.h
	$(Q)$(CC) $(CPPFLAGS) -I$(@D) $(CFLAGS) $(KFLAGS) -o $@ $< -lbpf -lelf -lz -lpthread

$(OUT)/tests/bench/states.so: tests/bench/states.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(KFLAGS) -shared -fPIC -o $@ $<

# ---- examples -------------------------------------------------------------
EXAMPLES := $(patsubst examples/%.bpf.c,%,$(wildcard examples/*.bpf.c))

.PHONY: examples
examples: $(EXAMPLES:%=$(OUT)/examples/%) ## build the programs that use the module

$(OUT)/examples/%.bpf.o: examples/%.bpf.c
	$(call compile_bpf)

$(OUT)/examples/%: examples/%.c $(OUT)/examples/%.skel.h
	$(say) CC $<
	$(Q)$(CC) $(CPPFLAGS) -I$(@D) $(CFLAGS) $(KFLAGS) -o $@ $< -lbpf -lelf -lz

$(OUT)/tests/bench/step: tests/bench/step.c $(OUT)/tests/bench/record.skel.h
	$(Q)$(CC) $(CPPFLAGS) -I$(@D) $(CFLAGS) $(KFLAGS) -o $@ $< -lbpf -lelf -lz

$(OUT)/tests/bench/user: tests/bench/user.c $(wildcard include/*.h)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(KFLAGS) -o $@ $< -lbpf -lelf -lz

$(OUT)/tests/bench/uprobe: tests/bench/uprobe.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(KFLAGS) -o $@ $<

$(OUT)/tests/bench/life: tests/bench/life.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(KFLAGS) -o $@ $<

$(OUT)/tests/bench/snapshot $(OUT)/tests/bench/machine: $(OUT)/%: %.c $(filter-out $(OUT)/src/main.o,$(OBJS))
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(KFLAGS) -o $@ $^ -lcmocka $(LDLIBS)

BENCHES := bench-native bench-guest bench-step bench-life bench-own bench-growth bench-exactness \
	   bench-machine bench-kmem bench-user bench-uprobe bench-expr bench-known

.PHONY: bench $(BENCHES)
bench: $(BENCHES) ## what tracing costs, beside other tools; figures in .output/bench
	$(Q)tests/bench/older.sh

.PHONY: bench-older
bench-older: ## which figures of docs/performance.md are older than the code they are about
	$(Q)tests/bench/older.sh

bench-native: build $(OUT)/tests/bench/calls
	$(Q)tests/bench/native.sh

bench-guest: build $(OUT)/tests/bench/calls
	$(Q)tests/bench/guest.sh

bench-expr: build $(OUT)/tests/bench/calls
	$(Q)tests/bench/expr.sh

bench-known: build
	$(Q)tests/bench/known.sh

bench-kmem: build $(OUT)/tests/bench/calls
	$(Q)tests/bench/kmem.sh

bench-user: build $(OUT)/tests/bench/user
	$(Q)tests/bench/user.sh

bench-uprobe: build $(OUT)/tests/bench/uprobe
	$(Q)tests/bench/uprobe.sh
	$(Q)tests/bench/uprobe-guest.sh

bench-step: $(OUT)/tests/bench/step
	$(Q)tests/bench/step.sh

bench-life: build $(OUT)/tests/bench/life
	$(Q)tests/bench/life.sh
	$(Q)tests/bench/life.sh 6.12 7

bench-own: build $(OUT)/tests/bench/snapshot
	$(Q)tests/bench/own.sh

bench-machine: $(OUT)/tests/bench/machine
	$(Q)printf '1,000 functions on 256 CPUs, 100 slots in use on each\tms\tMB\tbytes a slot\n'
	$(Q)printf 'with up to 10,000 samples in a slot\n'; $< 1000 10000
	$(Q)printf 'with up to 1,000,000,000\n'; $< 1000 1000000000

bench-growth: build $(OUT)/tests/bench/calls
	$(Q)tests/bench/growth.sh

bench-exactness: build
	$(Q)tests/vm/skip.py all --all --table

.PHONY: bench-guard bench-guard-update
bench-guard: build $(OUT)/tests/bench/calls $(OUT)/tests/bench/states.so ## instructions of a traced call against the kept ones
	$(Q)tests/bench/guard.sh

bench-guard-update: build $(OUT)/tests/bench/calls $(OUT)/tests/bench/states.so ## keep the instructions of now
	$(Q)tests/bench/guard.sh -u

.PHONY: bench-kmod
bench-kmod: build $(OUT)/tests/bench/kmod $(OUT)/tests/bench/calls ## instructions a record takes: map against module
	$(Q)tests/bench/kmod.sh

# How often verdicts are right, on recordings made up: of `check`, of a series, of a history, of `why`.
VERDICTS := $(addprefix $(OUT)/tests/bench/,check sequential history why)
$(OUT)/tests/bench/check: tests/bench/others.c
$(OUT)/tests/bench/check $(OUT)/tests/bench/sequential: tests/bench/program.c
$(VERDICTS): $(OUT)/tests/bench/%: tests/bench/%.c tests/bench/made.c \
		$(filter-out $(OUT)/src/main.o,$(OBJS)) $(wildcard tests/bench/*.h)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(KFLAGS) -o $@ $(filter-out %.h,$^) $(LDLIBS)

# The program, whose runs are made up: no privileges, no command.
$(OUT)/tests/bench/measured: tests/bench/measured.c tests/bench/made.c \
		$(filter-out $(OUT)/src/measure/measure.o,$(OBJS)) $(wildcard tests/bench/*.h)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(KFLAGS) -o $@ $(filter-out %.h,$^) $(LDLIBS)

.PHONY: bench-builds
bench-builds: build ## the gate on two builds of real programs in C and C++
	$(Q)tests/bench/builds.sh

.PHONY: bench-check
bench-check: build $(VERDICTS) $(OUT)/tests/bench/measured ## how often the verdicts of check are right
	$(Q)$(OUT)/tests/bench/check -p $(OUT)/kstats-bpf
	$(Q)$(OUT)/tests/bench/sequential -p $(OUT)/tests/bench/measured

.PHONY: bench-history
bench-history: $(OUT)/tests/bench/history ## how often the verdicts of check --history are right
	$(Q)$<

.PHONY: bench-why
bench-why: $(OUT)/tests/bench/why ## how often `why` names what makes calls slow
	$(Q)$<

# ---- faults that the tests must notice ----
.PHONY: mutants
mutants: build ## put small faults into a copy of the tree: tests must fail (ONLY=PART of a name or test)
	$(Q)tests/mutants/mutants.py "$(ONLY)"

# ---- the rest -------------------------------------------------------------
.PHONY: vmlinux
vmlinux: build ## check vmlinux.h against a kernel's types (BTF=/sys/kernel/btf/vmlinux)
	$(Q)$(BPFTOOL) gen min_core_btf $(BTF) $(OUT)/min.btf $(OUT)/kstats.bpf.o \
		$(OUT)/kmem.bpf.o $(OUT)/symbols.bpf.o
	$(Q)$(BPFTOOL) btf dump file $(OUT)/min.btf format c > $(OUT)/vmlinux.used.h
	$(Q)for t in $$(sed -n 's/^struct \([a-z_]*\) {.*/\1/p' vmlinux.h | grep -vx 'pt_regs\|user_pt_regs'); do \
		grep -q "^struct $$t {" $(OUT)/vmlinux.used.h && echo "ok: struct $$t" || \
		{ echo "$(BTF): programs use no field of struct $$t, or it is gone"; exit 1; }; done

.PHONY: golden
golden: units build ## write the expected outputs anew
	$(Q)KSTATS_GOLDEN_UPDATE=1 $(TDIR)/test_golden
	$(Q)KSTATS_GOLDEN_UPDATE=1 $(TDIR)/test_kmem_golden
	$(Q)KSTATS_GOLDEN_UPDATE=1 $(TDIR)/test_screen
	$(Q)PATH=$(CURDIR)/$(OUT):$$PATH python3 tests/cli/schema.py > docs/json.schema.json

.PHONY: clean
clean: ## remove what was built
	rm -rf .output

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-19s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo 'Variables: CC CLANG BPFTOOL CFLAGS PREFIX DESTDIR BTF KDIR V=1'
