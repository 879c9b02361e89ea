/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * direct_stubs.S - one stub for each function that is measured without a BPF program.
 *
 * The first instruction of the function, ftrace's place, calls or jumps to its stub. The stub
 * counts the start, keeps the time in its own frame, calls the rest of the function by a call
 * that is patched when the stub is attached (a static call), and hands the time to
 * direct_end(). Each call has its own frame, so recursion, sleep, migration, interrupts and
 * preemption need no care.
 *
 * Nothing enters a stub by an indirect call or jump.
 *
 * Arguments stay in their registers. Only rax, r10 and r11 may be changed before the
 * function runs, and all that a function may change after it, but rax and rdx.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/asm-offsets.h>
#include <asm/percpu.h>
#include <asm/unwind_hints.h>
#include "direct.h"

	.section .kprobes.text, "ax"

#ifdef X86_current_task
#define CURRENT pcpu_hot + X86_current_task
#else
#define CURRENT current_task
#endif

#define STUB_AT(n, member) direct_stubs + n * DIRECT_SIZE + member(%rip)

/*
 * JUMPED: ftrace jumped here, so the caller of the function is on top of the stack. Else ftrace
 * called, and above it is the rest of the function, to which "ret" leads.
 *
 * The frame holds the time; when the function has returned, its result.
 */
.macro STUB n jumped
SYM_FUNC_START(direct_stub_\n)
	ANNOTATE_NOENDBR
	movq	STUB_AT(\n, DIRECT_CALLS), %rax
	cmpb	$DIRECT_EVERYBODY, %gs:DIRECT_MODE(%rax)
	jne	.Lask_\n
.Lmeasure_\n:
	incq	%gs:DIRECT_STARTED(%rax)
	movq	%rdx, %r10
	rdtsc
	shlq	$32, %rdx
	orq	%rdx, %rax
	pushq	%rax
	movq	%r10, %rdx
	call	__SCT__direct_body_\n
	popq	%rsi
	pushq	%rax
	pushq	%rdx
	leaq	STUB_AT(\n, 0), %rdi
	call	direct_end
	popq	%rdx
	popq	%rax
.if \jumped
	RET
.else
	addq	$8, %rsp
	UNWIND_HINT_FUNC
	RET
.endif
.Lask_\n:
	jb	.Lpass_\n
	movq	PER_CPU_VAR(CURRENT), %r10
	movl	direct_tgid_at(%r10), %r10d
	movq	STUB_AT(\n, DIRECT_BITS), %r11
	btq	%r10, (%r11)
	jc	.Lmeasure_\n
.Lpass_\n:
.if \jumped
	jmp	__SCT__direct_body_\n
.else
	UNWIND_HINT_FUNC
	RET
.endif
SYM_FUNC_END(direct_stub_\n)
.endm

/* For a function that gets a livepatch: leads to what ftrace has chosen. */
SYM_FUNC_START(direct_pass)
	ANNOTATE_NOENDBR
	RET
SYM_FUNC_END(direct_pass)

#ifdef CONFIG_DYNAMIC_FTRACE_WITH_JMP
#define JUMPED 1
#else
#define JUMPED 0
#endif

#define STUB_OF(n) STUB n JUMPED;
DIRECT_EACH(STUB_OF)

/* A struct direct_entry each. That the keys are named here lets objtool find them. */
	.section .rodata
	.balign	8
#define ENTRY_OF(n) .quad direct_stub_##n, __SCK__direct_body_##n, __SCT__direct_body_##n;
SYM_DATA_START(direct_entries)
	DIRECT_EACH(ENTRY_OF)
SYM_DATA_END(direct_entries)
