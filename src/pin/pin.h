/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pin.h - folders in the BPF file system: what outlives a process. In: names and
 * descriptors. Out: folders that are there whole or not at all, each locked by
 * who works on it. Nothing found there is trusted: the file system and the owner
 * are checked first. Called by node and cmd/.
 *
 * A folder is made, and removed, under a name that begins with "+", which no node
 * has, and is renamed in one step. Its lock tells whether its maker still lives:
 * what is left of a killed one is cleared by the next.
 */
#ifndef KSTATS_PIN_H
#define KSTATS_PIN_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

#define PIN_ROOT "/sys/fs/bpf/kstats"
#define PIN_PATH 64 /* bytes of a path to an object in a folder */

/**
 * struct pin_folder - a folder that is open and locked
 * @root: descriptor of the root folder; not owned
 * @fd: owned; descriptor, which has the lock
 * @name: owned; name in the root folder
 * @fresh: it is being made
 */
struct pin_folder {
	int root;
	int fd;
	char *name;
	bool fresh;
};

#define PIN_NONE ((struct pin_folder){ -1, -1, NULL, false })

/**
 * pin_root() - open the root folder
 * @path: its path
 * @make: make it where it is missing
 * @e: why not: no BPF file system, somebody else's, open to others
 *
 * Return: descriptor, closed by the caller; -ENOENT without an error filled in
 * where it is missing and not made; or -errno.
 */
int pin_root(const char *path, bool make, struct error *e);

/**
 * pin_root_leave() - remove the root folder where it is empty and nobody makes a node
 * @path: its path
 * @root: descriptor
 */
void pin_root_leave(const char *path, int root);

/**
 * pin_clear() - remove what killed processes left behind
 * @root: descriptor of the root folder
 * @say: called with the name of each node that something was left of
 * @ctx: handed to @say
 *
 * Return: how many there were.
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

/**
 * pin_list_free() - release
 * @names: of pin_list(); may be NULL
 * @n: their number
 */
void pin_list_free(char **names, int n);

/**
 * pin_begin() - a folder that nobody sees yet
 * @f: filled in; ended by pin_commit() or pin_close()
 * @root: descriptor of the root folder
 * @node: name of the node
 * @e: why not
 *
 * Return: 0 or -errno.
 */
int pin_begin(struct pin_folder *f, int root, const char *node, struct error *e);

/**
 * pin_commit() - let it appear
 * @f: folder being made
 * @node: name of the node
 * @e: there is one of that name
 *
 * Return: 0 or -errno.
 */
int pin_commit(struct pin_folder *f, const char *node, struct error *e);

/**
 * pin_open() - open a node's folder, and wait for its lock
 * @f: filled in; released by pin_close()
 * @root: descriptor of the root folder
 * @node: name of the node
 * @alone: to change it; else others may read it too
 * @e: there is none, or it is not to be trusted
 *
 * Return: 0 or -errno.
 */
int pin_open(struct pin_folder *f, int root, const char *node, bool alone, struct error *e);

/**
 * pin_remove() - remove a node with all it holds
 * @root: descriptor of the root folder
 * @node: name of the node
 * @e: there is none, or it is somebody else's
 *
 * Needs to understand nothing of what is in it.
 *
 * Return: 0 or -errno.
 */
int pin_remove(int root, const char *node, struct error *e);

/**
 * pin_put() - give an object a name in a folder
 * @f: folder
 * @name: name
 * @fd: descriptor of a map, program or link
 *
 * Return: 0 or -errno.
 */
int pin_put(const struct pin_folder *f, const char *name, int fd);

/**
 * pin_get() - an object of a folder
 * @f: folder
 * @name: name
 *
 * Return: descriptor, closed by the caller, or -errno.
 */
int pin_get(const struct pin_folder *f, const char *name);

/**
 * pin_drop() - take its name away from an object
 * @f: folder
 * @name: name; may be missing
 */
void pin_drop(const struct pin_folder *f, const char *name);

/**
 * pin_close() - let go; what is being made is removed
 * @f: may be PIN_NONE
 */
void pin_close(struct pin_folder *f);

#endif /* KSTATS_PIN_H */
