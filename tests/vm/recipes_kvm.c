// SPDX-License-Identifier: GPL-2.0-only
/*
 * recipes_kvm.c N M US: a virtual machine that stops N times for the host's kernel and M times for
 * this program, which takes US microseconds. Prints how often KVM says that it stopped. Called by
 * recipes.sh.
 */
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGE 4096

/* In real mode: N times cpuid, M times a byte to a port, hlt. */
static void write_code(uint8_t *at, unsigned int n, unsigned int m)
{
	const uint8_t code[] = {
		0xbe, n,    n >> 8, /* mov $n, %si */
		0x0f, 0xa2, 0x4e,   0x75, 0xfb, /* cpuid; dec %si; jnz */
		0xb9, m,    m >> 8, /* mov $m, %cx */
		0xe6, 0x10, 0xe2,   0xfc, /* out %al, $0x10; loop */
		0xf4, /* hlt */
	};

	memcpy(at, code, sizeof(code));
}

static int run(int vcpu, struct kvm_run *run, long us)
{
	struct timespec t = { us / 1000000, us % 1000000 * 1000 };

	for (;;) {
		if (ioctl(vcpu, KVM_RUN, 0))
			return 1;
		if (run->exit_reason == KVM_EXIT_HLT)
			return 0;
		if (run->exit_reason != KVM_EXIT_IO)
			return 1;
		nanosleep(&t, NULL);
	}
}

int main(int argc, char **argv)
{
	int kvm = open("/dev/kvm", O_RDWR), vm = ioctl(kvm, KVM_CREATE_VM, 0);
	int vcpu = ioctl(vm, KVM_CREATE_VCPU, 0), size = ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	void *memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct kvm_userspace_memory_region region = { 0, 0, PAGE, PAGE, (uintptr_t)memory };
	struct kvm_run *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, vcpu, 0);
	struct kvm_regs regs = { .rip = PAGE, .rflags = 2 };
	char exits[32] = "";
	struct kvm_sregs sregs;
	int fd;

	if (argc < 4 || memory == MAP_FAILED || shared == MAP_FAILED)
		return 2;
	write_code(memory, atoi(argv[1]), atoi(argv[2]));
	if (ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region) || ioctl(vcpu, KVM_GET_SREGS, &sregs))
		return 1;
	sregs.cs.base = sregs.cs.selector = 0;
	if (ioctl(vcpu, KVM_SET_SREGS, &sregs) || ioctl(vcpu, KVM_SET_REGS, &regs) ||
	    run(vcpu, shared, atol(argv[3])))
		return 1;
	fd = open("/sys/kernel/debug/kvm/exits", O_RDONLY);
	if (fd < 0 || read(fd, exits, sizeof(exits) - 1) <= 0)
		return 1;
	fputs(exits, stdout);
	return 0;
}
