/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pin.h - folders in the BPF file system, which outlive the process. In: names and
 * descriptors. Out: folders that exist complete or not at all; a process that works on one
 * locks it. Nothing found there is trusted before the file system and the owner are checked.
 * Called by node and cmd/.
 *
 * While a folder is being made or removed, its name begins with "+", which no node name
 * does; then it is renamed in one step. Its lock tells whether the maker is still alive:
 * the next process removes what a killed one left behind.
 */
#ifndef KSTATS_PIN_H
#define KSTATS_PIN_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

#define PIN_ROOT "/sys/fs/bpf/kstats"
#define PIN_PATH 64 /* bytes of a path to an object in a folder */

/** struct pin_folder - a folder that is open and locked */
struct pin_folder {
	int root; /* descriptor of the root folder; not owned */
	int fd; /* owned; descriptor, which has the lock */
	char *name; /* owned; name in the root folder */
	bool fresh; /* it is being made */
};

#define PIN_NONE ((struct pin_folder){ -1, -1, NULL, false })

/**
 * pin_root() - open the root folder
 * @make: make it if it is missing
 * @e: filled in if there is no BPF file system, or if owner or permissions are wrong
 *
 * Return: descriptor, closed by the caller; -ENOENT, without @e, if it is missing and not made;
 * or -errno.
 */
int pin_root(const char *path, bool make, struct error *e);

/**
 * pin_root_leave() - remove the root folder if it is empty and nobody is making a node
 * @root: descriptor
 */
void pin_root_leave(const char *path, int root);

/**
 * pin_clear() - remove what killed processes left behind. Return: how many nodes
 * @say: called with the name of each node of which something was left
 */
unsigned int pin_clear(int root, void (*say)(void *ctx, const char *name), void *ctx);

/**
 * pin_list() - names of the nodes, sorted
 * @root: descriptor of the root folder
 * @names: receives an array, freed with pin_list_free()
 *
 * Return: their number, or -errno.
 */
int pin_list(int root, char ***names);

/** pin_list_free() - release; @names: of pin_list(); may be NULL */
void pin_list_free(char **names, int n);

/**
 * pin_begin() - make a folder that is not visible yet
 * @f: filled in; ended by pin_commit() or pin_close()
 * @root: descriptor of the root folder
 */
int pin_begin(struct pin_folder *f, int root, const char *node, struct error *e);

/**
 * pin_commit() - make the folder visible
 * @f: folder being made
 * @e: filled in if there is a node of that name
 */
int pin_commit(struct pin_folder *f, const char *node, struct error *e);

/**
 * pin_open() - open a node's folder, and wait for its lock
 * @f: filled in; released by pin_close()
 * @alone: exclusively, to change it; else other readers are allowed
 */
int pin_open(struct pin_folder *f, int root, const char *node, bool alone, struct error *e);

/**
 * pin_remove() - remove a node with everything in it, also one of another version
 * @e: filled in if there is none, or if it belongs to another user
 */
int pin_remove(int root, const char *node, struct error *e);

/** pin_put() - give an object a name in a folder; @fd: descriptor of a map, program or link */
int pin_put(const struct pin_folder *f, const char *name, int fd);

/** pin_get() - open an object of a folder. Return: descriptor, closed by the caller, or -errno */
int pin_get(const struct pin_folder *f, const char *name);

/** pin_drop() - remove the name of an object; @name: name; may be missing */
void pin_drop(const struct pin_folder *f, const char *name);

/**
 * pin_close() - unlock and release; a folder that was not committed is removed
 * @f: may be PIN_NONE
 */
void pin_close(struct pin_folder *f);

#endif /* KSTATS_PIN_H */
