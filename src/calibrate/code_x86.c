// SPDX-License-Identifier: GPL-2.0-only
/*
 * code_x86.c - functions to calibrate uprobes with, one for each thing that the kernel does with
 * the instruction that a probe replaces: see loop.c.
 */
#ifdef __x86_64__
asm(".text\n"
    ".macro calibrate_on name\n"
    ".globl calibrate_on_\\name\n.type calibrate_on_\\name, @function\ncalibrate_on_\\name:\n"
    ".endm\n"
    "calibrate_on nop\nnop\nret\n"
    "calibrate_on long\n.byte 0x0f, 0x1f, 0x44, 0, 0\nret\n"
    "calibrate_on push\npush %rbx\npop %rbx\nret\n"
    "calibrate_on jump\njmp 1f\n1: ret\n"
    "calibrate_on step\nendbr64\nret\n"
    "calibrate_on begin\nnop\n"
    "calibrate_on end\nnop\nret\n");
#endif
