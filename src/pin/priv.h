/* SPDX-License-Identifier: GPL-2.0-only */
/* priv.h - what the files of this room share. */
#ifndef KSTATS_PIN_PRIV_H
#define KSTATS_PIN_PRIV_H

#include "pin/pin.h"

#define PIN_OPEN (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define PIN_MARK_LEN 5 /* bytes of a mark, at least: "+add+" */

/** pin_to_node() - convert a folder's name to the name of its node; @file: changed in place */
void pin_to_node(char *file);

/**
 * pin_still_there() - whether a descriptor is still the folder of that name
 * @root: descriptor of the root folder
 *
 * While a process waits for its lock, the folder may be removed and made again.
 */
bool pin_still_there(int root, const char *file, int fd);

/** pin_destroy() - remove a folder with everything in it; @fd: its descriptor */
int pin_destroy(int root, int fd, const char *name);

#endif /* KSTATS_PIN_PRIV_H */
