// SPDX-License-Identifier: GPL-2.0-only
/*
 * recipes_nfs.c N US PORT FOLDER: mounts FOLDER from an NFS server of its own, which takes US
 * microseconds for each read, and reads the file 'x' there by N reads. Called by recipes.sh.
 *
 * The server knows a folder and a file of version 3, as RFC 1813 has them: 4 bytes are a number,
 * and the handle of the folder is 1, that of the file 2.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/nfs_mount.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BLOCK 4096

enum {
	NFS_GETATTR = 1,
	NFS_LOOKUP = 3,
	NFS_ACCESS = 4,
	NFS_READ = 6,
	NFS_FSSTAT = 18,
	NFS_FSINFO,
	NFS_PATHCONF
};

struct text {
	uint32_t words[BLOCK];
	int n;
};

static void put(struct text *t, uint32_t word)
{
	t->words[t->n++] = htonl(word);
}

static void put_many(struct text *t, int n, const uint32_t *words)
{
	while (n--)
		put(t, *words++);
}

static void put_attributes(struct text *t, int file)
{
	const uint32_t words[21] = {
		file ? 1 : 2, file ? 0644 : 0755, 1, 0, 0, 0, 64 << 20, 0, 64 << 20, 0, 0, 0, 1, 0,
		file ? 2 : 1
	};

	put_many(t, 21, words);
}

/* The words of an answer behind its status. */
static void put_answer(struct text *t, int procedure, const uint32_t *call, long us)
{
	const uint32_t info[] = { BLOCK, BLOCK, 1, BLOCK, BLOCK, 1, BLOCK, 1, 0, 0, 1, 0, 0x1b };
	const uint32_t names[] = { 1, 255, 1, 1, 0, 1 };
	struct timespec takes = { us / 1000000, us % 1000000 * 1000 };
	int file = call[1] == htonl(2);

	if (procedure == NFS_LOOKUP) {
		put(t, 4);
		put(t, 2);
		file = 1;
	}
	if (procedure != NFS_GETATTR)
		put(t, 1);
	put_attributes(t, file);
	if (procedure == NFS_LOOKUP)
		put(t, 0);
	if (procedure == NFS_ACCESS)
		put(t, 0x1f);
	if (procedure == NFS_FSSTAT)
		t->n += 13;
	if (procedure == NFS_FSINFO)
		put_many(t, 12, info);
	if (procedure == NFS_PATHCONF)
		put_many(t, 6, names);
	if (procedure == NFS_READ) {
		nanosleep(&takes, NULL);
		put(t, BLOCK);
		put(t, 0);
		put(t, BLOCK);
		t->n += BLOCK / 4;
	}
}

/* A call: record, xid, 0, 2, program, version, procedure, credentials, verifier. */
static int serve_one(int fd, long us)
{
	static struct text answer;
	uint32_t call[BLOCK], size, at;

	if (recv(fd, call, 4, MSG_WAITALL) != 4)
		return 0;
	size = ntohl(*call) & 0x7fffffff;
	if (size > sizeof(call) || recv(fd, call, size, MSG_WAITALL) != (ssize_t)size)
		return 0;
	memset(&answer, 0, sizeof(answer));
	answer.n = 1;
	put(&answer, ntohl(call[0]));
	put(&answer, 1); /* an answer, accepted, no verifier of its own, done */
	answer.n += 4;
	at = 8 + (ntohl(call[7]) + 3) / 4;
	at += 2 + (ntohl(call[at + 1]) + 3) / 4;
	if (call[5]) {
		put(&answer, 0);
		put_answer(&answer, ntohl(call[5]), call + at, us);
	}
	*answer.words = htonl(0x80000000 | (answer.n - 1) * 4);
	return write(fd, answer.words, answer.n * 4) == answer.n * 4;
}

static void serve(int listening, long us)
{
	int fd;

	for (;;) {
		fd = accept(listening, NULL, NULL);
		if (fork()) {
			close(fd);
			continue;
		}
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		while (serve_one(fd, us))
			;
		_exit(0);
	}
}

int main(int argc, char **argv)
{
	struct nfs_mount_data data = { .version = NFS_MOUNT_VERSION,
				       .rsize = BLOCK,
				       .wsize = BLOCK,
				       .flags = NFS_MOUNT_VER3 | NFS_MOUNT_TCP | NFS_MOUNT_NONLM,
				       .timeo = 600,
				       .retrans = 2,
				       .acregmin = 60,
				       .acregmax = 60,
				       .acdirmin = 60,
				       .acdirmax = 60,
				       .namlen = 255,
				       .hostname = "here",
				       .root = { 4, { 0, 0, 0, 1 } } };
	int listening = socket(AF_INET, SOCK_STREAM, 0), one = 1, fd, n;
	static char block[BLOCK] __attribute__((aligned(BLOCK)));
	char path[200];

	if (argc < 5)
		return 2;
	data.addr = (struct sockaddr_in){
		AF_INET, htons(atoi(argv[3])), { htonl(INADDR_LOOPBACK) }, {}
	};
	setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(listening, (struct sockaddr *)&data.addr, sizeof(data.addr)) ||
	    listen(listening, 5))
		return 1;
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGCHLD, SIG_IGN);
		serve(listening, atol(argv[2]));
	}
	if (mount("here:/", argv[4], "nfs", 0, &data)) {
		perror("mount");
		return 1;
	}
	snprintf(path, sizeof(path), "%s/x", argv[4]);
	fd = open(path, O_RDONLY | O_DIRECT);
	for (n = 0; n < atoi(argv[1]); n++)
		if (read(fd, block, BLOCK) != BLOCK) {
			perror("read");
			return 1;
		}
	close(fd);
	umount(argv[4]);
	return 0;
}
