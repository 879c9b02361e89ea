// SPDX-License-Identifier: GPL-2.0-only
/*
 * user.c - what a marker costs. Goes out: rows of a name and ns for each marker, less an
 * empty loop, the cheapest of many parts. Called by user.sh, which makes the nodes.
 */
#include <bpf/bpf.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include "kstats_user.h"

#define PARTS 200
#define CALLS 20000

static unsigned int parts = PARTS;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static void nothing(void)
{
	__asm__ volatile("" : : : "memory");
}

static void unheard(void)
{
	KSTATS_SAMPLE(cost_nobody, 5);
}

static void unheard_pair(void)
{
	KSTATS_BEGIN(cost_nobody);
	KSTATS_END(cost_nobody);
}

static void stopped(void)
{
	KSTATS_SAMPLE(cost_stopped, 5);
}

static void sample(void)
{
	KSTATS_SAMPLE(cost_sample, 5);
}

static void pair(void)
{
	KSTATS_BEGIN(cost_pair);
	KSTATS_END(cost_pair);
}

static void clocks(void)
{
	kstats_user_now();
	kstats_user_now();
}

/* The kernel emulates a nop; it would have to step through most instructions. */
__asm__(".pushsection .text\n"
	".type probed, @function\n"
	"probed: nop\n"
	"ret\n"
	".size probed, 2\n"
	".popsection");
extern void probed(void);

#define MEASURE(run)                                                 \
	static double measure_##run(void)                            \
	{                                                            \
		double best = 1e18, begin, ns;                       \
		unsigned int i, k;                                   \
                                                                     \
		for (i = 0; i < parts; i++) {                        \
			begin = now();                               \
			for (k = 0; k < CALLS; k++) {                \
				run();                               \
				__asm__ volatile("" : : : "memory"); \
			}                                            \
			ns = (now() - begin) / CALLS;                \
			best = ns < best ? ns : best;                \
		}                                                    \
		return best;                                         \
	}

MEASURE(nothing)
MEASURE(unheard)
MEASURE(unheard_pair)
MEASURE(stopped)
MEASURE(sample)
MEASURE(pair)
MEASURE(clocks)
MEASURE(probed)

/* An empty BPF program at a function's begin, or at its return. */
static int attach(int returns)
{
	const struct bpf_insn empty[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	struct perf_event_attr attr = { .size = sizeof(attr), .config = returns };
	FILE *f = fopen("/sys/bus/event_source/devices/uprobe/type", "r"), *maps;
	unsigned long first, at = (unsigned long)probed, offset;
	char line[512], path[256];
	int prog, fd = -1;

	if (!f || fscanf(f, "%u", &attr.type) != 1)
		return -1;
	fclose(f);
	maps = fopen("/proc/self/maps", "r");
	while (maps && fgets(line, sizeof(line), maps)) {
		unsigned long last;

		if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %255s", &first, &last, &offset, path) ==
			    4 &&
		    at >= first && at < last) {
			attr.uprobe_path = (__u64)path;
			attr.probe_offset = at - first + offset;
			break;
		}
	}
	if (maps)
		fclose(maps);
	prog = bpf_prog_load(BPF_PROG_TYPE_KPROBE, "empty", "GPL", empty, 2, NULL);
	if (prog >= 0)
		fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog) ||
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return -1;
	return 0;
}

int main(void)
{
	double loop = measure_nothing(), probe, call;

	KSTATS_USER_LOOK();
	sample();
	pair();
	stopped();
	printf("sample, nobody listens\t%.2f\n", measure_unheard() - loop);
	printf("pair, nobody listens\t%.2f\n", measure_unheard_pair() - loop);
	printf("sample, node stopped\t%.2f\n", measure_stopped() - loop);
	printf("sample, recorded\t%.2f\n", measure_sample() - loop);
	printf("pair, recorded\t%.2f\n", measure_pair() - loop);
	printf("clock_gettime, twice\t%.2f\n", measure_clocks() - loop);
	call = measure_probed();
	parts = PARTS / 10;
	if (!attach(0) && !attach(1)) {
		probe = measure_probed();
		printf("empty uprobe pair\t%.2f\n", probe - call);
	}
	return 0;
}
