// SPDX-License-Identifier: GPL-2.0-only
/*
 * insns.c - which instructions a probe changes. Each opcode byte of each map, as it is and behind
 * VEX and EVEX, is executed at the beginning of a function with and without a probe of the kernel
 * there; registers, flags, vectors and memory are compared. What is seen must be what
 * src/user/instruction.c says. Prints TAP, and a table of what was seen as comments.
 *
 * insns [--long]: --long tries all encodings of an opcode byte, and not only the first with each
 * prefix and width. insns -p tells by its status whether probes can be had at all. Runs as root.
 * The functions are in a file of its own.
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <sched.h>
#include <ucontext.h>
#include <unistd.h>

#include "user/user.h"

#define SLOT 256 /* bytes of a function, which begins in the middle: short jumps end in it too */
#define BEGIN (SLOT / 2)
#define RET 0xc3
#define REX 0x49 /* REX.W and REX.B */
#define NOP 0x90
#define SPACE 20 /* bytes of nops between an instruction and the return */
#define XSAVE 4096
#define MEMORY 8192 /* data, then a stack */
#define BATCH 384
#define TRIES 3 /* what a probe changes it changes each time; anything else is chance */
#define UPROBE_MULTI 48 /* BPF_TRACE_UPROBE_MULTI */

/* ---- one run ---- */

struct state {
	uint64_t regs[16]; /* in the order of their numbers */
	uint64_t flags;
	uint64_t rip;
	uint64_t signal; /* 0: it returned */
	unsigned char vectors[XSAVE] __attribute__((aligned(64)));
	unsigned char memory[MEMORY];
};

static struct state input;
struct state insns_out;
void *insns_function;
uint64_t insns_mask, insns_saved_sp;
static unsigned char *memory; /* MEMORY bytes at a fixed address */

void insns_run(struct state *from);
void insns_fault(void);

/* insns_run() loads all that is in @from, calls insns_function, and stores all in insns_out. */
asm(".text\n.globl insns_run, insns_fault\n"
    "insns_run:\n"
    "push %rbx\npush %rbp\npush %r12\npush %r13\npush %r14\npush %r15\n"
    "mov %rsp, insns_saved_sp(%rip)\n"
    "mov insns_mask(%rip), %eax\nmov insns_mask+4(%rip), %edx\n"
    "xrstor64 192(%rdi)\n"
    "mov 32(%rdi), %rsp\n"
    "push 128(%rdi)\npopf\n"
    "mov 0(%rdi), %rax\nmov 8(%rdi), %rcx\nmov 16(%rdi), %rdx\nmov 24(%rdi), %rbx\n"
    "mov 40(%rdi), %rbp\nmov 48(%rdi), %rsi\n"
    "mov 64(%rdi), %r8\nmov 72(%rdi), %r9\nmov 80(%rdi), %r10\nmov 88(%rdi), %r11\n"
    "mov 96(%rdi), %r12\nmov 104(%rdi), %r13\nmov 112(%rdi), %r14\nmov 120(%rdi), %r15\n"
    "mov 56(%rdi), %rdi\n"
    "call *insns_function(%rip)\n"
    "mov %rax, insns_out(%rip)\nmov %rcx, insns_out+8(%rip)\nmov %rdx, insns_out+16(%rip)\n"
    "mov %rbx, insns_out+24(%rip)\nmov %rsp, insns_out+32(%rip)\nmov %rbp, insns_out+40(%rip)\n"
    "mov %rsi, insns_out+48(%rip)\nmov %rdi, insns_out+56(%rip)\nmov %r8, insns_out+64(%rip)\n"
    "mov %r9, insns_out+72(%rip)\nmov %r10, insns_out+80(%rip)\nmov %r11, insns_out+88(%rip)\n"
    "mov %r12, insns_out+96(%rip)\nmov %r13, insns_out+104(%rip)\n"
    "mov %r14, insns_out+112(%rip)\nmov %r15, insns_out+120(%rip)\n"
    "mov insns_saved_sp(%rip), %rsp\n"
    "pushf\npop insns_out+128(%rip)\n"
    "cld\n"
    "mov insns_mask(%rip), %eax\nmov insns_mask+4(%rip), %edx\n"
    "lea insns_out+192(%rip), %rdi\n"
    "xsave64 (%rdi)\n"
    "jmp 1f\n"
    "insns_fault: mov insns_saved_sp(%rip), %rsp\n"
    "cld\n"
    "1: pop %r15\npop %r14\npop %r13\npop %r12\npop %rbp\npop %rbx\nret\n");

_Static_assert(offsetof(struct state, vectors) == 192, "where insns_run() has it");

static void fault(int signal, siginfo_t *info, void *context)
{
	static const int order[16] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
				       REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
				       REG_R12, REG_R13, REG_R14, REG_R15 };
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	int i;

	(void)info;
	for (i = 0; i < 16; i++)
		insns_out.regs[i] = regs[order[i]];
	insns_out.flags = regs[REG_EFL] & ~0x10100ULL;
	insns_out.rip = regs[REG_RIP];
	insns_out.signal = signal;
	regs[REG_RIP] = (greg_t)insns_fault;
	regs[REG_EFL] = 2;
}

static void catch_signals(void)
{
	static const int signals[] = { SIGILL, SIGSEGV, SIGBUS, SIGFPE, SIGTRAP, SIGALRM, SIGSYS };
	struct sigaction sa = { .sa_sigaction = fault,
				.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };
	stack_t stack = { .ss_size = 65536 };
	size_t i;

	stack.ss_sp = malloc(stack.ss_size);
	sigaltstack(&stack, NULL);
	for (i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &sa, NULL);
}

static void fill(unsigned char *bytes, size_t n, unsigned int seed)
{
	size_t i;

	for (i = 0; i < n; i++) {
		seed = seed * 1103515245 + 12345;
		bytes[i] = seed >> 16;
	}
}

/* Floating point numbers that are neither zero nor odd, so that arithmetic shows. */
static void fill_numbers(unsigned char *bytes, size_t n, float first)
{
	float *f = (float *)bytes;
	size_t i;

	for (i = 0; i < n / sizeof(*f); i++)
		f[i] = first + 0.37f * i;
}

/* Every register differs; those that often address memory lead into it. */
static void make_input(void)
{
	uint64_t *r = input.regs, at = (uint64_t)memory;
	unsigned int eax, ebx, ecx, edx, i;
	unsigned char *v = input.vectors;

	for (i = 0; i < 16; i++)
		r[i] = 0x1111111111111111ULL * i + 0x123456789abcdefULL;
	r[0] = at + 256;
	r[1] = 5;
	r[2] = 7;
	r[3] = at + 512;
	r[4] = at + MEMORY - 1024;
	r[5] = at + MEMORY - 512;
	r[6] = at + 1024;
	r[7] = at + 2048;
	input.flags = 0x202 | 0x800 | 0x1 | 0x4; /* IF, OF, CF, PF */
	__cpuid(1, eax, ebx, ecx, edx);
	asm volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
	insns_mask = eax & 0xe7;
	v[0] = 0x7f;
	v[1] = 0x03;
	v[4] = 0xff; /* all registers of the FPU are full */
	*(uint32_t *)(v + 24) = 0x1f80;
	*(uint64_t *)(v + 512) = insns_mask;
	for (i = 0; i < 8; i++)
		memcpy(v + 32 + 16 * i, "\0\0\0\0\0\0\0\x80\0\x40", 10), v[32 + 16 * i + 6] = i;
	fill_numbers(v + 160, 256, 1.5f);
	for (i = 2; i < 8; i++) {
		if (!(insns_mask >> i & 1))
			continue;
		__cpuid_count(13, i, eax, ebx, ecx, edx);
		if (i == 5)
			fill(v + ebx, eax, 77);
		else
			fill_numbers(v + ebx, eax, 100.25f * i);
	}
	for (i = 0; i < 4; i++)
		((uint32_t *)(v + 160 + 16 * 5))[i] = 4 * i;
}

static void run(void *function, struct state *out)
{
	struct itimerval soon = { .it_value = { .tv_sec = 3 } }, never = {};

	fill(memory, MEMORY, 1);
	fill_numbers(memory + 2048, 256, 3.25f);
	memset(&insns_out, 0, sizeof(insns_out));
	insns_function = function;
	setitimer(ITIMER_REAL, &soon, NULL);
	insns_run(&input);
	setitimer(ITIMER_REAL, &never, NULL);
	memcpy(insns_out.memory, memory, MEMORY);
	*out = insns_out;
}

/* What of two runs differs: a word, or NULL. */
static const char *difference(const struct state *a, const struct state *b)
{
	static char word[64];
	int i;

	if (a->signal != b->signal || (a->signal && a->rip != b->rip)) {
		snprintf(word, sizeof(word), "signal %d at %llx for %d at %llx", (int)b->signal,
			 (unsigned long long)b->rip, (int)a->signal, (unsigned long long)a->rip);
		return word;
	}
	for (i = 0; i < 16; i++)
		if (a->regs[i] != b->regs[i]) {
			snprintf(word, sizeof(word), "register %d", i);
			return word;
		}
	if (a->flags != b->flags)
		return "flags";
	/* The FPU stores the address of its last instruction, in bytes 8 to 15. */
	if (memcmp(a->vectors, b->vectors, 8) ||
	    memcmp(a->vectors + 24, b->vectors + 24, 512 - 24 - 96) ||
	    memcmp(a->vectors + 576, b->vectors + 576, XSAVE - 576))
		return "vectors";
	return memcmp(a->memory, b->memory, MEMORY) ? "memory" : NULL;
}

/* ---- the encodings ---- */

enum kind {
	PLAIN,
	VEX2,
	VEX3,
	EVEX,
	KINDS
};

static const char *const kinds[] = { "plain", "VEX of 2 bytes", "VEX of 3 bytes", "EVEX" };

struct code {
	unsigned char bytes[16];
	unsigned char n;
	unsigned char space; /* bytes of nops behind it */
	unsigned char opcode;
};

struct row {
	enum kind kind;
	unsigned int map; /* 0: one byte, 1: 0f, 2: 0f 38, 3: 0f 3a; 5 and 6 of EVEX */
};

static void put(struct code *c, unsigned char byte)
{
	c->bytes[c->n++] = byte;
}

/* Registers, (%rdi), %rip; of gathers also (%rdi,%xmm5). */
static const unsigned char modrms[] = { 0xd1, 0x0f, 0x0d, 0x0c };

/* Return: the operands, or -1 if there are no more forms. */
static int put_plain(const struct row *row, unsigned int form, struct code *c)
{
	static const unsigned char prefixes[] = { 0, 0x66, 0xf3, 0xf2 };
	unsigned int operand = form >> 3;

	if (operand >= 8 + 3)
		return -1;
	if (prefixes[form & 3])
		put(c, prefixes[form & 3]);
	if (form & 4)
		put(c, REX);
	if (row->map)
		put(c, 0x0f);
	if (row->map > 1)
		put(c, row->map == 2 ? 0x38 : 0x3a);
	return operand < 8 ? 0xc1 | operand << 3 : modrms[operand - 8];
}

static int put_extended(const struct row *row, unsigned int form, struct code *c)
{
	unsigned int lengths = row->kind == EVEX ? 3 : 2, pp = form & 3, w = form >> 2 & 1;
	unsigned int length = (form >> 3) % lengths, rest = (form >> 3) / lengths;
	/* A third register, or none. */
	unsigned int third = rest & 1 ? 0xf : 0xd;

	rest >>= 1;
	if (rest >= sizeof(modrms))
		return -1;
	if (row->kind == VEX2) {
		put(c, 0xc5);
		put(c, 0x80 | third << 3 | length << 2 | pp);
	} else if (row->kind == VEX3) {
		put(c, 0xc4);
		put(c, 0xe0 | row->map);
		put(c, w << 7 | third << 3 | length << 2 | pp);
	} else {
		put(c, 0x62);
		put(c, 0xf0 | row->map);
		put(c, w << 7 | third << 3 | 0x04 | pp);
		put(c, length << 5 | 0x08 | (rest == 3)); /* gathers have a mask */
	}
	return modrms[rest];
}

/* @form: which prefix, length, width and operands. Return: false if there are no more forms. */
static bool encode(const struct row *row, unsigned int opcode, unsigned int form, struct code *c)
{
	int operand, i;

	/*
	 * More than the kernel copies of an instruction: what goes on in the copy is seen. A return
	 * there is seen where nothing stands between.
	 */
	*c = (struct code){ .opcode = opcode, .space = row->kind == PLAIN ? 0 : SPACE };
	operand = row->kind == PLAIN ? put_plain(row, form, c) : put_extended(row, form, c);
	if (operand < 0)
		return false;
	put(c, opcode);
	put(c, operand);
	if (row->kind != PLAIN && operand == 0x0c)
		put(c, 0x2f);
	if ((operand & 0xc7) == 0x05) /* 32 bytes behind it */
		for (i = 0; i < 4; i++)
			put(c, i ? 0 : 0x20);
	return true;
}

/* No instruction: of MMX, or of another map, behind VEX. Emulators stop at it. */
static bool is_mmx(const struct row *row, const struct code *c)
{
	unsigned char opcode = c->opcode, last = c->bytes[row->kind == VEX2 ? 1 : 2];
	unsigned char prefix = last & 3;

	/* One element of a vector of 32 bytes. */
	if (row->kind != EVEX && (last & 4) &&
	    (row->map == 1 ? (opcode & 0xfe) == 0xc4
			   : row->map == 3 && opcode >= 0x14 && opcode < 0x23))
		return opcode < 0x18 || opcode > 0x1f;
	if (row->kind != EVEX && row->map == 1 && opcode >= 0x38 && opcode < 0x40)
		return true;
	/* A rounded number of a vector of 32 bytes. */
	if (row->kind != EVEX && (last & 4) && row->map == 3 && (opcode & 0xfe) == 0x0a)
		return true;
	/* movntss and movntsd of AMD, which have no form with VEX. */
	if (row->kind != EVEX && row->map == 1 && opcode == 0x2b && (prefix & 2))
		return true;
	if (prefix || row->kind == EVEX)
		return false;
	if (row->map == 1)
		return (opcode >= 0x60 && opcode < 0x80 && opcode != 0x77) ||
		       (opcode & 0xfe) == 0xc4 || opcode >= 0xd0;
	return row->map == 2 ? opcode < 0x1f : opcode == 0x0f;
}

static bool is_prefix(unsigned char byte)
{
	return (byte & 0xf0) == 0x40 ||
	       memchr("\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3", byte, 11);
}

/* It would stop this program or an emulator, or what it does is not to be foreseen. */
static bool is_left_out(const struct row *row, const struct code *c)
{
	unsigned char operand = c->bytes[c->n - 1], opcode = c->opcode;

	if (row->kind != PLAIN)
		return is_mmx(row, c);
	switch (row->map) {
	case 0:
		/* A call of a register that holds no address. */
		if (opcode == 0xff && operand == 0xd1)
			return true;
		/* A prefix behind REX makes it void. */
		if (is_prefix(opcode) && memchr(c->bytes, REX, c->n - 2))
			return true;
		/* No instruction. An emulator loads the code segment, and kernel 7.3 dies of it. */
		if (opcode == 0x8e && (operand & 0x38) == 0x08)
			return true;
		return opcode == 0x9d || opcode == 0xcd || opcode == 0xcf || opcode == 0x62 ||
		       opcode == 0xc4 || opcode == 0xc5;
	case 1:
		return opcode == 0x34 || opcode == 0xa1 || opcode == 0xa9 || opcode == 0xb2 ||
		       opcode == 0xb4 || opcode == 0xb5 ||
		       (opcode == 0x01 && (operand == 0xc1 || operand == 0xd9)) ||
		       /* Random numbers: the same twice, if of 16 bits, or if there is none. */
		       (opcode == 0xc7 && operand >= 0xf0 && c->bytes[0] != 0xf3) ||
		       (opcode == 0xae && operand >= 0xc0 && c->bytes[0] == 0xf3);
	case 2: /* emulators take SHA with a prefix that it has not */
		return opcode >= 0xc8 && opcode <= 0xcd && c->bytes[0] != 0x0f;
	}
	return false;
}

/* ---- what is seen ---- */

struct seen {
	unsigned int tried, refused, changed, refused_wrongly;
	bool is_foretold; /* user_first_refused() says so of one of them */
	const char *verdict;
	char first[64]; /* what was changed */
};

struct shared {
	struct code codes[24576];
	unsigned int n;
	volatile unsigned int at; /* the one that is executed */
	volatile bool is_probed;
	struct seen seen[KINDS][8][256];
	unsigned int faults; /* lines of "not ok" */
};

static struct shared *shared;
static bool all;

static void print_code(const struct code *c)
{
	int i;

	for (i = 0; i < c->n; i++)
		printf(" %02x", c->bytes[i]);
}

/* The kernel must refuse it. */
static bool is_refused(const struct code *c)
{
	const char *why = user_first_refused(c->bytes, c->n);

	return why && strstr(why, "puts no probe");
}

static void put_code(unsigned char *slot, const struct code *c)
{
	memset(slot, RET, SLOT);
	memcpy(slot + BEGIN, c->bytes, c->n);
	memset(slot + BEGIN + c->n, NOP, c->space);
}

/* Keep those that this processor knows and that do the same each time. */
static void choose(const struct row *row)
{
	static struct state one, two, nothing;
	unsigned char *slot = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int opcode, form;
	bool kept[8];
	struct code c = {};

	put_code(slot, &c);
	run(slot + BEGIN, &nothing);
	for (opcode = 0; opcode < 256; opcode++) {
		memset(kept, 0, sizeof(kept));
		for (form = 0; encode(row, opcode, form, &c); form++) {
			if (is_left_out(row, &c) || (!all && kept[form & 7]) ||
			    (row->kind == VEX2 && (form & 4)))
				continue;
			put_code(slot, &c);
			run(slot + BEGIN, &one);
			if (one.signal == SIGALRM || one.signal == SIGILL ||
			    (row->kind != PLAIN && one.signal))
				continue;
			run(slot + BEGIN, &two);
			/* What changes nothing shows nothing. */
			if (difference(&one, &two) ||
			    (row->kind != PLAIN && !difference(&one, &nothing)))
				continue;
			kept[form & 7] = true;
			shared->codes[shared->n++] = c;
		}
	}
}

/* A probe that does nothing at one place. Return: a descriptor, or less than 0. */
static int probe(const char *path, uint64_t offset)
{
	static int type = -1;
	struct perf_event_attr attr = { .size = sizeof(attr) };
	FILE *f;

	if (type < 0) {
		f = fopen("/sys/bus/event_source/devices/uprobe/type", "re");
		if (!f || fscanf(f, "%d", &type) != 1)
			exit(2);
		fclose(f);
	}
	attr.type = type;
	attr.uprobe_path = (uint64_t)path;
	attr.probe_offset = offset;
	return syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
}

/* The same by one link for many places, which is removed much faster; from 6.6 on. */
static int link_places(const char *path, const uint64_t *offsets, unsigned int n)
{
	struct bpf_insn insns[] = { { .code = 0xb7 }, { .code = 0x95 } };
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_KPROBE,
				.insns = (uint64_t)insns,
				.insn_cnt = 2,
				.license = (uint64_t) "GPL",
				.expected_attach_type = UPROBE_MULTI };
	struct {
		uint32_t program, target, type, flags;
		uint64_t path, offsets, counters, cookies;
		uint32_t n, many_flags, pid, pad;
	} link = {
		.type = UPROBE_MULTI, .path = (uint64_t)path, .offsets = (uint64_t)offsets, .n = n
	};
	int program = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr)), fd;

	if (program < 0)
		return -1;
	link.program = program;
	fd = syscall(SYS_bpf, BPF_LINK_CREATE, &link, sizeof(link));
	close(program);
	return fd;
}

#define LINKED -2 /* its place has a probe by the link */

static int probe_errno; /* of the last probe() that failed */

/* What the kernel refuses it refuses each time. */
static int probe_again(const char *path, uint64_t offset)
{
	int fd = -1, try;

	for (try = 0; fd < 0 && try < TRIES; try++)
		fd = probe(path, offset);
	probe_errno = fd < 0 ? errno : 0;
	return fd;
}

/*
 * A probe at each of the codes; what must be refused is tried by itself. @fds: receives
 * descriptors, LINKED, or -1. Return: the link, or -1.
 */
static int probe_all(const char *path, const struct code *codes, unsigned int n, int *fds)
{
	static uint64_t offsets[BATCH];
	unsigned int n_linked = 0, i;
	int link;

	for (i = 0; i < n; i++) {
		fds[i] = LINKED;
		if (is_refused(&codes[i]))
			fds[i] = probe_again(path, i * SLOT + BEGIN);
		else
			offsets[n_linked++] = i * SLOT + BEGIN;
	}
	link = n_linked ? link_places(path, offsets, n_linked) : -1;
	for (i = 0; link < 0 && i < n; i++)
		if (fds[i] == LINKED)
			fds[i] = probe_again(path, i * SLOT + BEGIN);
	return link;
}

static struct seen *seen_of(const struct row *row, const struct code *c)
{
	return &shared->seen[row->kind][row->map][c->opcode];
}

static void not_ok(const char *what, const struct row *row, const struct code *c)
{
	shared->faults++;
	printf("# %s: %s, map %u:", what, kinds[row->kind], row->map);
	print_code(c);
	printf("\n");
	fflush(stdout);
}

static void note(const struct row *row, const struct code *c, bool refused, const char *changed)
{
	const char *verdict = user_first_refused(c->bytes, c->n);
	struct seen *s = seen_of(row, c);

	s->tried++;
	s->refused += refused;
	s->changed += !!changed;
	/* Some encodings are refused since old or new kernels may not know them. */
	if (verdict && !strstr(verdict, "may not know"))
		s->verdict = verdict;
	if (changed && !*s->first)
		snprintf(s->first, sizeof(s->first), "%s", changed);
	if (!verdict && refused) {
		not_ok("the kernel refuses it, and nobody says so", row, c);
		printf("#   %s\n", strerror(probe_errno));
	}
	if (!verdict && changed) {
		not_ok("a probe changes it, and nobody says so", row, c);
		printf("#   %s\n", changed);
	}
}

/* The codes from @from on, in a file of their own, as they are and with a probe at each. */
static unsigned int batch(const struct row *row, unsigned int from)
{
	static struct state before[BATCH], after;
	unsigned int n = shared->n - from < BATCH ? shared->n - from : BATCH, i, try;
	const char *changed;
	char path[] = "/tmp/insns-XXXXXX";
	static int fds[BATCH];
	unsigned char *code;
	int fd = mkstemp(path), link;

	if (fd < 0 || ftruncate(fd, BATCH * SLOT))
		exit(2);
	code = mmap(NULL, BATCH * SLOT, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (i = 0; i < n; i++)
		put_code(code + i * SLOT, &shared->codes[from + i]);
	munmap(code, BATCH * SLOT);
	code = mmap(NULL, BATCH * SLOT, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	shared->is_probed = false;
	for (i = 0; i < n; i++) {
		shared->at = from + i;
		run(code + i * SLOT + BEGIN, &before[i]);
	}
	link = probe_all(path, &shared->codes[from], n, fds);
	unlink(path);
	shared->is_probed = true;
	for (i = 0; i < n; i++) {
		shared->at = from + i;
		if (fds[i] == -1) {
			note(row, &shared->codes[from + i], true, NULL);
			continue;
		}
		changed = "";
		for (try = 0; changed && try < TRIES; try++) {
			run(code + i * SLOT + BEGIN, &after);
			changed = difference(&before[i], &after);
		}
		if (!changed && try > 1)
			printf("# code %u was changed once, and then not any more\n", from + i);
		note(row, &shared->codes[from + i], false, changed);
	}
	for (i = 0; i < n; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	if (link >= 0)
		close(link);
	close(fd);
	return from + n;
}

/* In a child, which a probe may end: then what comes after it is tried by another one. */
static void try_row(const struct row *row)
{
	unsigned int next = 0, last = ~0U, kills = 0;
	int status;
	pid_t pid;

	shared->n = 0;
	pid = fork();
	if (!pid) {
		choose(row);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (status) {
		printf("# cannot run the codes of %s, map %u: %x\n", kinds[row->kind], row->map,
		       status);
		shared->faults++;
	}
	while (next < shared->n) {
		pid = fork();
		if (!pid) {
			while (next < shared->n)
				next = batch(row, next);
			fflush(stdout);
			_exit(0);
		}
		waitpid(pid, &status, 0);
		if (!status)
			break;
		if (!shared->is_probed) {
			printf("# cannot run the codes of %s: %x\n", kinds[row->kind], status);
			shared->faults++;
			break;
		}
		next = shared->at;
		kills = next == last ? kills + 1 : 1;
		last = next;
		if (kills < TRIES)
			continue;
		note(row, &shared->codes[next], false, "killed");
		next++;
	}
}

/* ---- the table ---- */

static bool has_umip(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && c & 1 << 2;
}

static bool is_as_foretold(const struct row *row, unsigned int opcode, const struct seen *s)
{
	struct code c = { .opcode = opcode };

	/* Linux 7.3 takes 90 for a nop only where it is one. */
	if (!s->tried || !s->verdict || s->refused || s->changed || opcode == NOP)
		return true;
	/* Where the processor lets programs read the system's tables, the kernel need not. */
	if (row->kind == PLAIN && row->map == 1 && opcode <= 0x01 && !has_umip())
		return true;
	encode(row, opcode, 0, &c);
	not_ok("no probe changes it any more, and it is refused", row, &c);
	return false;
}

static void print_row(const struct row *row)
{
	unsigned int opcode, tried = 0, steps = 0, refused = 0, changed = 0;
	const struct seen *s;

	for (opcode = 0; opcode < 256; opcode++) {
		s = &shared->seen[row->kind][row->map][opcode];
		tried += !!s->tried;
		refused += s->tried && s->refused;
		changed += s->tried && s->changed;
		steps += s->tried && !s->refused && !s->changed;
		is_as_foretold(row, opcode, s);
	}
	printf("# %-15s map %u: %3u opcodes; %3u as without a probe; refused: %u; changed: %u\n",
	       kinds[row->kind], row->map, tried, steps, refused, changed);
	for (opcode = 0; opcode < 256; opcode++) {
		s = &shared->seen[row->kind][row->map][opcode];
		if (s->tried && s->changed)
			printf("#   %02x changed: %s\n", opcode, s->first);
	}
	printf("#   refused:");
	for (opcode = 0; opcode < 256; opcode++)
		if (shared->seen[row->kind][row->map][opcode].refused)
			printf(" %02x", opcode);
	printf("\n");
}

int main(int argc, char **argv)
{
	static const struct row rows[] = { { PLAIN, 0 }, { PLAIN, 1 }, { PLAIN, 2 }, { PLAIN, 3 },
					   { VEX2, 1 },  { VEX3, 1 },  { VEX3, 2 },  { VEX3, 3 },
					   { EVEX, 1 },  { EVEX, 2 },  { EVEX, 3 },  { EVEX, 5 },
					   { EVEX, 6 } };
	struct rlimit files = { 4096, 4096 };
	unsigned int before;
	cpu_set_t one;
	size_t i;

	if (argc > 1 && !strcmp(argv[1], "-p"))
		return probe(argv[0], 1ULL << 40) < 0 && errno != EINVAL;
	all = argc > 1 && !strcmp(argv[1], "--long");
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	memory = mmap((void *)0x10000000, 65536, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (shared == MAP_FAILED || memory == MAP_FAILED || setrlimit(RLIMIT_NOFILE, &files))
		return 2;
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	make_input();
	catch_signals();
	printf("1..%zu\n", sizeof(rows) / sizeof(*rows));
	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		before = shared->faults;
		fflush(stdout);
		try_row(&rows[i]);
		print_row(&rows[i]);
		printf("%s %zu - probes at instructions, %s, map %u: as foretold\n",
		       shared->faults > before ? "not ok" : "ok", i + 1, kinds[rows[i].kind],
		       rows[i].map);
	}
	return !!shared->faults;
}
