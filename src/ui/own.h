/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * own.h - the program that each side of a series runs. In: the specs of both sides. Out: points
 * in the program of the base, and whether the sides run two programs. Called by series.
 */
#ifndef KSTATS_UI_OWN_H
#define KSTATS_UI_OWN_H

#include "spec/spec.h"

/** own_differs() - whether the commands of two specs run different programs, as far as known */
bool own_differs(const struct spec *a, const struct spec *b);

/**
 * own_points() - let points in the program of one side be points in that of the other
 * @base: a copy of @run with another command; its points in the program of @run are replaced
 * @run: the spec that names them
 * @targets: receives the targets of @base, to be freed, if any point was replaced
 *
 * Return: true if a point was replaced.
 */
bool own_points(struct spec *base, const struct spec *run, struct spec_point **targets);

#endif /* KSTATS_UI_OWN_H */
