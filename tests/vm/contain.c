// SPDX-License-Identifier: GPL-2.0-only
/*
 * contain.c - run a program in a container: contain FLAGS PID_FILE ROOT PROGRAM [ARG...]. It gets
 * a mount and a pid namespace of its own, with ROOT as its root and nothing else of this system;
 * with "u" in FLAGS a user namespace too, and with "o" an overlay of ROOT/upper on ROOT/lower as
 * its root. PID_FILE receives its number. Called by uprobes.sh.
 */
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void must(int err, const char *what)
{
	if (err >= 0)
		return;
	perror(what);
	exit(1);
}

static void put(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY);

	must(fd, file);
	must(write(fd, text, strlen(text)), file);
	close(fd);
}

static void be_root(void)
{
	must(unshare(CLONE_NEWUSER), "a user namespace");
	put("/proc/self/setgroups", "deny");
	put("/proc/self/uid_map", "0 0 1");
	put("/proc/self/gid_map", "0 0 1");
}

/* An overlay, or the folder itself, becomes a mount of its own. */
static void mount_root(const char *root, int overlay)
{
	char words[2 * PATH_MAX + 64];

	must(mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL), "mounts of its own");
	if (!overlay) {
		must(mount(root, root, NULL, MS_BIND, NULL), "a root");
		must(chdir(root), root);
		return;
	}
	must(chdir(root), root);
	snprintf(words, sizeof(words), "lowerdir=lower,upperdir=upper,workdir=work");
	must(mount("overlay", "merged", "overlay", 0, words), "an overlay");
	must(chdir("merged"), "merged");
}

/* The first root of a kernel, which guests run on, cannot be exchanged: the new one covers it. */
static void change_root(void)
{
	if (!syscall(SYS_pivot_root, ".", ".")) {
		must(umount2(".", MNT_DETACH), "the old root");
	} else {
		must(mount(".", "/", NULL, MS_MOVE, NULL), "a moved root");
		must(chroot("."), "chroot");
	}
	must(chdir("/"), "/");
}

static void enter(const char *root, const char *flags, char **command)
{
	mount_root(root, !!strchr(flags, 'o'));
	must(mount("proc", "proc", "proc", 0, NULL), "proc");
	change_root();
	execv(*command, command);
	must(-1, *command);
}

int main(int argc, char **argv)
{
	char number[16];
	int pid, status, file;

	if (argc < 5)
		return 2;
	/* The root of this process changes too. */
	file = open(argv[2], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	must(file, argv[2]);
	if (strchr(argv[1], 'u'))
		be_root();
	must(unshare(CLONE_NEWNS | CLONE_NEWPID), "namespaces");
	pid = fork();
	must(pid, "fork");
	if (!pid)
		enter(argv[3], argv[1], argv + 4);
	must(write(file, number, snprintf(number, sizeof(number), "%d\n", pid)), argv[2]);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
