// SPDX-License-Identifier: GPL-2.0-only
/*
 * looks.c - levels of the looks for a given error of all looks together; see sequential.h.
 *
 * The look at n pairs judges their differences by Student's t. Its level is n / N of the
 * level of the last look, at N pairs. The probability that any look is wrong is computed from
 * the statistic u_n = sum / root of the sum of squares. Without a true difference and with
 * normal noise, u_(n+1) = u_n cos(a) + sin(a), where the angle a has a density proportional
 * to cos(a)^(n-1) and does not depend on what came before. So the probability to cross a
 * boundary later is a function of u, computed from the last look back to the first.
 */
#define MATHLIB_STANDALONE
#include <Rmath.h>

#include "judge/sequential.h"

#include <math.h>

#define POINTS_MAX 400 /* at which the function of u is kept, between FAR and the boundary */
#define POINTS_LEAST 200
#define FAR 6.0 /* standard deviations; smaller probabilities are neglected */
#define NODES 8 /* of an integral by Gauss and Legendre */
#define PARTS 2 /* of each integral */
#define CLOSE 1e-4 /* relative accuracy of a level */
#define TRIES 40

/* Half of the nodes, which are symmetric, and their weights. */
static const double node[] = { 0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
			       0.9602898564975363 };
static const double weight[] = { 0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
				 0.1012285362903763 };

/*
 * The probability to cross a boundary later than the look at @n pairs, at points that are
 * evenly spaced in the angle whose sine is u / sqrt(n).
 */
struct after {
	unsigned int n;
	int points;
	double lowest;
	double step;
	double bound; /* of u: above it, this look decides */
	double chance[POINTS_MAX];
};

/* The boundary of u for the level of a look. */
static double bound_of(unsigned int n, double level)
{
	double t = qt(level, n - 1, 0, 0);

	return t > 1e150 ? sqrt(n) : sqrt(n) * t / sqrt(n - 1 + t * t);
}

static void set_points(struct after *a, unsigned int n, unsigned int last, double level)
{
	double root = sqrt(n);

	a->n = n;
	a->points = fmin(POINTS_MAX, POINTS_LEAST + last / 2.0);
	a->bound = bound_of(n, level);
	a->lowest = -fmin(M_PI_2, FAR / root);
	a->step = (asin(fmin(1, a->bound / root)) - a->lowest) / (a->points - 1);
}

/* A cubic through four points. */
static double chance_at(const struct after *a, double u)
{
	double at = (asin(fmax(-1, fmin(1, u / sqrt(a->n)))) - a->lowest) / a->step, x;
	int i = at < 1 ? 1 : at > a->points - 3 ? a->points - 3 : (int)at;
	const double *c = &a->chance[i];

	x = fmax(at, 0) - i;
	return ((2 - x) * (1 - x) * (1 + x) * c[0] + (2 - x) * x * (1 + x) * c[1]) / 2 -
	       ((2 - x) * (1 - x) * x * c[-1] + (1 - x) * x * (1 + x) * c[2]) / 6;
}

/* Probability to cross later than the next look, whose angle is from @low to @high. */
static double stays(const struct after *next, double u, double low, double high)
{
	unsigned int n = next->n - 1, part, k;
	double width = (high - low) / PARTS, middle, sum = 0, angle;

	if (width <= 0)
		return 0;
	for (part = 0; part < PARTS; part++) {
		middle = low + (part + 0.5) * width;
		for (k = 0; k < NODES; k++) {
			angle = middle + (k % 2 ? 0.5 : -0.5) * width * node[k / 2];
			sum += weight[k / 2] * pow(cos(angle), n - 1) *
			       chance_at(next, u * cos(angle) + sin(angle));
		}
	}
	return sum * width / 2 * exp(lgammafn((n + 1) / 2.0) - lgammafn(n / 2.0)) / sqrt(M_PI);
}

/* Probability to cross at the next look or later, from @u now. */
static double crosses(const struct after *next, double u)
{
	unsigned int n = next->n - 1;
	double most = fmin(M_PI_2, (FAR + 2) / sqrt(n)), reach = next->bound / hypot(1, u);
	double low, high, past;

	low = reach < 1 ? asin(reach) - atan(u) : M_PI_2;
	if (low >= M_PI_2)
		return stays(next, u, -most, most);
	high = M_PI - asin(reach) - atan(u);
	past = pt(tan(low) * sqrt(n), n, 0, 0);
	if (high < M_PI_2)
		past -= pt(tan(high) * sqrt(n), n, 0, 0);
	return past + stays(next, u, -most, fmin(low, most)) +
	       stays(next, u, fmax(high, -most), most);
}

static void step_back(struct after *now, const struct after *next)
{
	int i;

	for (i = 0; i < now->points; i++)
		now->chance[i] = crosses(next, sqrt(now->n) * sin(now->lowest + i * now->step));
}

/* Probability to cross at the first look or later, over all values of u at the first. */
static double from_first(const struct after *first, double level)
{
	double sum = 0, angle, factor;
	unsigned int n = first->n;
	int i;

	for (i = 0; i < first->points; i++) {
		angle = first->lowest + i * first->step;
		factor = i % (first->points - 1) ? 1 : 0.5;
		sum += factor * pow(cos(angle), n - 2) * first->chance[i];
	}
	return level +
	       sum * first->step * exp(lgammafn(n / 2.0) - lgammafn((n - 1) / 2.0)) / sqrt(M_PI);
}

/* The probability that one of the looks finds a difference if there is none. */
static double error_of(unsigned int first, unsigned int last, double level)
{
	struct after a[2] = {}, *now = &a[0], *next = &a[1], *swap;
	unsigned int n;

	set_points(now, last, last, level);
	for (n = last; n-- > first;) {
		swap = next;
		next = now;
		now = swap;
		set_points(now, n, last, level * n / last);
		step_back(now, next);
	}
	return from_first(now, level * first / last);
}

double sequential_level(unsigned int first, unsigned int last, double error)
{
	double level = error, found = error_of(first, last, level);
	unsigned int i;

	/* The error of all looks grows somewhat slower than the level of each. */
	for (i = 0; i < TRIES && fabs(found / error - 1) > CLOSE; i++) {
		level *= error / found;
		found = error_of(first, last, level);
	}
	return level;
}
