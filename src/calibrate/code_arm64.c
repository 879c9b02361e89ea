// SPDX-License-Identifier: GPL-2.0-only
/*
 * code_arm64.c - functions to calibrate uprobes with, one for each kind of user/first_arm64.c: see
 * loop.c.
 */
#ifdef __aarch64__
asm(".text\n"
    ".macro calibrate_on name\n"
    ".balign 4\n"
    ".globl calibrate_on_\\name\n.type calibrate_on_\\name, %function\ncalibrate_on_\\name:\n"
    ".endm\n"
    "calibrate_on nop\nnop\nret\n"
    "calibrate_on long\nhint #34\nret\n"
    "calibrate_on push\nstp x29, x30, [sp, #-16]!\nldp x29, x30, [sp], #16\nret\n"
    "calibrate_on jump\nb 1f\n1: ret\n"
    "calibrate_on step\nmov x9, x10\nret\n"
    "calibrate_on begin\nnop\n"
    "calibrate_on end\nnop\nret\n");
#endif
