// SPDX-License-Identifier: GPL-2.0-only
/* file.c - the identity of a file, and whether its path now leads to another one. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/priv.h"
#include "util/safe_str.h"

static bool note_build_id(Elf_Data *data, char text[BUILD_ID_TEXT])
{
	size_t at = 0, next, name, desc;
	GElf_Nhdr nhdr;

	while ((next = gelf_getnote(data, at, &nhdr, &name, &desc))) {
		at = next;
		if (nhdr.n_type == NT_GNU_BUILD_ID && nhdr.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    !memcmp((char *)data->d_buf + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU))) {
			build_id_text((unsigned char *)data->d_buf + desc, nhdr.n_descsz, text);
			return true;
		}
	}
	return false;
}

void user_read_build_id(Elf *elf, char text[BUILD_ID_TEXT])
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	Elf_Data *data;

	*text = '\0';
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE)
			continue;
		data = elf_getdata(section, NULL);
		if (data && note_build_id(data, text))
			return;
	}
}

/*
 * Whoever may write to its folder can put anything there by now. To open a pipe would wait for
 * ever, and to open a device may do something.
 */
int user_open_regular(const char *path, struct stat *st)
{
	int found = open(path, O_PATH | O_CLOEXEC), fd = -1, err = 0;
	char name[32];

	if (found < 0)
		return -errno;
	if (fstat(found, st))
		err = -errno;
	else if (!S_ISREG(st->st_mode))
		err = -ENOENT;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", found);
	if (!err)
		fd = open(name, O_RDONLY | O_CLOEXEC);
	if (!err && fd < 0)
		err = -errno;
	close(found);
	return err ? err : fd;
}

void user_describe(const struct stat *st, struct user_file *file)
{
	file->device = st->st_dev;
	file->inode = st->st_ino;
	file->size = st->st_size;
	file->changed_ns = st->st_mtim.tv_sec * 1000000000ULL + st->st_mtim.tv_nsec;
	file->touched_ns = st->st_ctim.tv_sec * 1000000000ULL + st->st_ctim.tv_nsec;
}

int user_file_hold(const char *path, const struct user_file *then)
{
	struct user_file now = {};
	struct stat st;
	int fd = user_open_regular(path, &st);

	if (fd < 0 || !then->inode)
		return fd;
	user_describe(&st, &now);
	if (now.device == then->device && now.inode == then->inode &&
	    (!then->touched_ns || (now.size == then->size && now.touched_ns == then->touched_ns)))
		return fd;
	close(fd);
	return -ESTALE;
}

int user_file_read(const char *path, struct user_file *file)
{
	struct stat st;
	Elf *elf = NULL;
	int fd = user_open_regular(path, &st);

	*file = (struct user_file){};
	if (fd < 0)
		return fd;
	if (elf_version(EV_CURRENT) != EV_NONE)
		elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf)
		user_read_build_id(elf, file->build_id);
	elf_end(elf);
	close(fd);
	user_describe(&st, file);
	return 0;
}

/* The same build with another time of change: it was touched, or copied over itself. */
static bool is_written(const struct user_file *then, const struct user_file *now)
{
	if (then->size == now->size && then->changed_ns == now->changed_ns)
		return false;
	return !*then->build_id || strcmp(then->build_id, now->build_id);
}

bool user_file_moved(const char *path, const struct user_file *then, char *why, size_t size)
{
	struct user_file now;
	char safe[256];
	int err = user_file_read(path, &now);

	safe_str(safe, sizeof(safe), path);
	*why = '\0';
	if (err == -ENOENT || err == -ENOTDIR)
		snprintf(why, size,
			 "%s was removed: only programs that already use it are measured", safe);
	else if (err)
		snprintf(why, size, "%s cannot be read any more: %s", safe, strerror(-err));
	else if (now.device != then->device || now.inode != then->inode)
		snprintf(why, size,
			 "%s was replaced by %s: programs that use the new file are not measured",
			 safe,
			 *then->build_id && !strcmp(then->build_id, now.build_id)
				 ? "another copy of it"
				 : "another build");
	else if (is_written(then, &now))
		snprintf(why, size,
			 "%s was overwritten: the probes are at the offsets of the old build",
			 safe);
	return *why;
}
