# SPDX-License-Identifier: GPL-2.0-only
# One Makefile, not recursive. `make help` lists every verb.

.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules
.DEFAULT_GOAL := build

OUT      := .output
VERSION  := 0.1.0

# ---- tools ----------------------------------------------------------------
CC        = gcc
CLANG    ?= $(firstword $(foreach c,clang-19 clang-18 clang-17 clang-16 clang,$(shell command -v $(c))))
BPFTOOL  ?= $(firstword $(shell command -v bpftool) /usr/sbin/bpftool)
PREFIX   ?= /usr/local
DESTDIR  ?=
BTF      ?= /sys/kernel/btf/vmlinux

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
CPPFLAGS += -Iinclude -Isrc -I$(OUT) -D_GNU_SOURCE -DKSTATS_VERSION='"$(VERSION)"'
CFLAGS   ?= -O2 -g
KFLAGS   := -std=gnu11 $(WARN) $(SANITIZE)
LDLIBS   += -lbpf -ljson-c -lelf -lz
BPFFLAGS := -O2 -g -target bpf -mcpu=v3 -D__TARGET_ARCH_x86 -Wall -Werror -Iinclude -I.

# ---- the program ----------------------------------------------------------
SRCS     := $(sort $(wildcard src/*.c src/*/*.c))
OBJS     := $(SRCS:%.c=$(OUT)/%.o)
BPFSRCS  := $(sort $(wildcard bpf/*.bpf.c))
SKELS    := $(patsubst bpf/%.bpf.c,$(OUT)/%.skel.h,$(BPFSRCS))

.PHONY: build
build: $(OUT)/kstats-bpf

$(OUT)/kstats-bpf: $(OBJS)
	$(say) LINK $@
	$(Q)$(CC) $(CFLAGS) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(OUT)/%.o: %.c | $(SKELS)
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(KFLAGS) -MMD -MP -c -o $@ $<

$(OUT)/%.bpf.o: bpf/%.bpf.c
	@mkdir -p $(@D)
	$(say) BPF $<
	$(Q)$(CLANG) $(BPFFLAGS) -MMD -MP -MT $@ -MF $(@:.o=.d) -c -o $@.tmp $<
	$(Q)$(BPFTOOL) gen object $@ $@.tmp

$(OUT)/%.skel.h: $(OUT)/%.bpf.o
	$(say) SKEL $@
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

-include $(OBJS:.o=.d) $(patsubst bpf/%.bpf.c,$(OUT)/%.bpf.d,$(BPFSRCS))

.PHONY: clean
clean:
	rm -rf $(OUT)
