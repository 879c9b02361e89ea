// SPDX-License-Identifier: GPL-2.0-only
/*
 * steady.c - part of each fuzz target: what would differ from run to run, so that a seed leads
 * to the same tries each time. libjson-c draws a number at random to place its keys, and
 * libFuzzer learns from all that is compared, in libraries as well.
 */
#include <json-c/json.h>
#include <json-c/linkhash.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return json_global_set_string_hash(JSON_C_STR_HASH_PERLLIKE);
}
