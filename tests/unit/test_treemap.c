// SPDX-License-Identifier: GPL-2.0-only
/* test_treemap.c - boxes fill their area, in proportion, without touching each other's. */
#include "fixture.h"

#include <math.h>

#include "format/draw/treemap.h"

#define MOST 300

static bool apart(const struct treemap_area *a, const struct treemap_area *b)
{
	const double some = 1e-3;

	return a->x + a->width <= b->x + some || b->x + b->width <= a->x + some ||
	       a->y + a->height <= b->y + some || b->y + b->height <= a->y + some;
}

static void check(struct treemap_box *boxes, size_t n, double width, double height)
{
	const struct treemap_area area = { 7, 11, width, height };
	const struct treemap_area *a;
	double all = 0;
	size_t i, k;

	for (i = 0; i < n; i++)
		all += boxes[i].size;
	treemap_layout(boxes, n, area);
	for (i = 0; i < n; i++) {
		a = &boxes[i].area;
		assert_true(fabs(a->width * a->height - boxes[i].size / all * width * height) <
			    1e-3);
		assert_true(a->x > 7 - 1e-3 && a->x + a->width < 7 + width + 1e-3);
		assert_true(a->y > 11 - 1e-3 && a->y + a->height < 11 + height + 1e-3);
		for (k = 0; k < i; k++)
			assert_true(apart(a, &boxes[k].area));
	}
}

static void test_fills(void **state)
{
	struct treemap_box boxes[MOST];
	uint64_t seed = 5;
	size_t n, i;

	for (n = 1; n <= MOST; n += 13) {
		for (i = 0; i < n; i++)
			boxes[i].size = (n - i) * (1 + fixture_random(&seed) % 2);
		for (i = 1; i < n; i++)
			boxes[i].size = fmin(boxes[i].size, boxes[i - 1].size);
		check(boxes, n, 1100, 420);
		check(boxes, n, 3, 900);
	}
}

/* From bytes to exabytes. */
static void test_far_apart(void **state)
{
	struct treemap_box boxes[60];
	size_t i;

	for (i = 0; i < 60; i++)
		boxes[i].size = ldexp(1, 59 - i);
	check(boxes, 60, 1100, 420);
}

/* Equal boxes are nearly square. */
static void test_shape(void **state)
{
	struct treemap_box boxes[12];
	size_t i;

	for (i = 0; i < 12; i++)
		boxes[i].size = 5;
	check(boxes, 12, 400, 300);
	for (i = 0; i < 12; i++) {
		assert_true(fabs(boxes[i].area.width - 100) < 1e-6);
		assert_true(fabs(boxes[i].area.height - 100) < 1e-6);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fills),
		cmocka_unit_test(test_far_apart),
		cmocka_unit_test(test_shape),
	};

	return cmocka_run_group_tests_name("treemap", tests, NULL, NULL);
}
