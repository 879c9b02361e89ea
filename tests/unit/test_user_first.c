// SPDX-License-Identifier: GPL-2.0-only
/* test_user_first.c - which first instructions no probe may replace, and how the kernel treats the
 * others. */
#include "fixture.h"

#include <string.h>

#include "user/user.h"

struct code {
	const char *bytes;
	size_t n;
	const char *refused; /* words of it, or NULL */
};

#define CODE(bytes) bytes, sizeof(bytes) - 1

static const struct code codes[] = {
	/* emulated as a jump or a nop: vpor, vpcmpeqb, vzeroupper, vmovd, vmovdqu, kmovw, vpshufd
	 */
	{ CODE("\xc5\xf1\xeb\xc2"), "leave it out" },

	{ CODE("\xc4\xe1\x71\xeb\xc2"), "leave it out" },
	{ CODE("\xc5\xf1\x74\xc2"), "leave it out" },

	{ CODE("\xc5\xf8\x77"), "leave it out" },
	{ CODE("\xc5\xf9\x7e\x07"), "leave it out" },

	{ CODE("\xc5\xfe\x7f\x07"), "leave it out" },
	{ CODE("\xc5\xf8\x90\xc1"), "leave it out" },

	{ CODE("\xc5\xf9\x70\xc1\x03"), "leave it out" },
	{ CODE("\xc5\xf1\xe8\xc2"), "leave it out" },

	{ CODE("\xc5\xf1\xe9\xc2"), "leave it out" },

	{ CODE("\x62\xf2\x7d\x28\x7a\xc7"), "leave it out" },
	/* vpbroadcastb */
	{ CODE("\xc4\xe2\x69\x90\x04\x0f"), "leave it out" },
	/* vpgatherdd */
	/* taken for returns and popf: vcmpps, vsha512rnds2, vfnmadd132ss */
	{ CODE("\xc5\xf0\xc2\xc2\x01"), "crash" },
	{ CODE("\xc4\xe2\x77\xcb\xc2"), "crash" },

	{ CODE("\xc4\xe2\x71\x9d\xc2"), "crash" },

	/* a loop with operands of 16 bits, and one without */
	{ CODE("\x66\xe2\xc1"), "how far this processor jumps" },
	{ CODE("\xe2\xc1"), NULL },

	/* refused when the file is mapped: vmovdqu, vmovntdq, vpxor, vpsllw, vfmsub132ps */
	{ CODE("\xc5\xfe\x6f\x07"), "puts no probe" },
	{ CODE("\xc5\xf9\xe7\x07"), "puts no probe" },

	{ CODE("\xc5\xf1\xef\xc2"), "puts no probe" },
	{ CODE("\xc5\xf1\xf1\xc2"), "puts no probe" },

	{ CODE("\xc4\xe2\x71\x9a\xc2"), "puts no probe" },

	{ CODE("\x62\xf1\x75\x28\xef\xc2"), "puts no probe" },

	{ CODE("\xc4\xe2\x71\x8e\x17"), "puts no probe" },
	/* vpmaskmovd of register 2 */
	{ CODE("\xc4\xe2\x71\x8e\x0f"), NULL },
	/* of register 1 */
	{ CODE("\xf4"), "puts no probe" },
	{ CODE("\xcc"), "puts no probe" },

	{ CODE("\x2e\x66\x0f\x1f\x84\x00\x00\x00\x00\x00"), "puts no probe" },
	/* a long nop with cs */
	{ CODE("\xf0\x48\x0f\xb1\x0f"), "puts no probe" },
	/* lock */
	{ CODE("\x66\xe9\x00\x00"), "puts no probe" },
	{ CODE("\x66\x0f\x84\x00\x00"), "puts no probe" },

	/* others */
	{ CODE("\x49\x90"), "exchanges registers" },
	{ CODE("\x41\x90"), "exchanges registers" },

	{ CODE("\x9c"), "pushf" },
	{ CODE("\x0f\x05"), "system call" },

	{ CODE("\x0f\x00\xc1"), "table of the system" },
	{ CODE("\x0f\x01\xe1"), "table of the system" },

	{ CODE("\x0f\x01\x07"), "table of the system" },
	{ CODE("\x0f\x01\xd0"), NULL },
	/* xgetbv */
	{ CODE("\x62\xf4\x7c\x08\xff\xf0"), "may not know" },
	/* of APX */
	{ CODE("\xd5\x10\x50"), "may not know" },

	{ CODE("\xc4\xe2\x69\xe0\x0f"), "may not know" },
	/* cmpoxadd */
	{ CODE("\x8f\xe9\x78\xc1\xc1"), "may not know" },
	/* of XOP */
	{ CODE("\x8f\xc0"), NULL },
	/* pop */
	/* stepped or emulated rightly */
	{ CODE("\x90"), NULL },
	{ CODE("\x66\x90"), NULL },
	{ CODE("\xf3\x0f\x1e\xfa"), NULL },
	/* endbr64 */
	{ CODE("\x55"), NULL },
	{ CODE("\x41\x57"), NULL },
	{ CODE("\xe9\x00\x00\x00\x00"), NULL },

	{ CODE("\x0f\x84\x00\x00\x00\x00"), NULL },
	{ CODE("\x0f\x1f\x44\x00\x00"), NULL },

	{ CODE("\x66\x0f\xef\xc0"), NULL },
	/* pxor */
	{ CODE("\xf3\x0f\x6f\x07"), NULL },
	/* movdqu */
	{ CODE("\xc5\xf8\x57\xc0"), NULL },
	/* vxorps */
	{ CODE("\xc5\xf0\x58\xc2"), NULL },
	/* vaddps */
	{ CODE("\xc5\xf1\xfe\xc2"), NULL },
	/* vpaddd */
	{ CODE("\xc4\xe2\x70\xf2\xc2"), NULL },
	/* andn */
	{ CODE("\xc4\xe2\x71\xf7\xc2"), NULL },
	/* shlx */
	{ CODE("\x64\x48\x8b\x04\x25\x00\x00\x00\x00"), NULL },
	/* mov %fs:0 */
	{ CODE("\x48\x89\xf8"), NULL },
	{ CODE(""), NULL },
	{ CODE("\xc5"), NULL },
	/* the file ends there */
};

static void refuses_by_the_opcode_byte(void **state)
{
	const struct code *c;
	const char *why;

	for (c = codes; c < codes + sizeof(codes) / sizeof(*codes); c++) {
		why = user_first_refused((const unsigned char *)c->bytes, c->n);
		if (!c->refused && why)
			fail_msg("code %zu is refused: %s", c - codes, why);
		if (c->refused && (!why || !strstr(why, c->refused)))
			fail_msg("code %zu: %s", c - codes, why ? why : "not refused");
	}
}

/* Another instruction behind its end makes no difference. */
static void reads_not_behind_the_end(void **state)
{
	const unsigned char nops[] = { 0x2e, 0x41, 0x90, 0xc5 };

	assert_null(user_first_refused(nops, 0));
	assert_null(user_first_refused(nops + 1, 1));
	assert_non_null(user_first_refused(nops, 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refuses_by_the_opcode_byte),
		cmocka_unit_test(reads_not_behind_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
