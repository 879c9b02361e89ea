/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cmd.h - the verbs. In: argv, the verb first. Out: an exit code; everything
 * said to the user is said here. Called by main.
 */
#ifndef KSTATS_CMD_H
#define KSTATS_CMD_H

#include "util/options.h"

/** list_options - the options of `list` */
extern const struct option_row list_options[];

/** calibrate_options - the options of `calibrate` */
extern const struct option_row calibrate_options[];

/** doctor_options - the options of `doctor` */
extern const struct option_row doctor_options[];

/** check_options - the options of `check` */
extern const struct option_row check_options[];

/** diff_options - the options of `diff` */
extern const struct option_row diff_options[];

/** report_options - the options of `report` */
extern const struct option_row report_options[];

/** node_add_options, ... - the options of the verbs of `node`, and of `control` */
extern const struct option_row node_add_options[];
extern const struct option_row node_ls_options[];
extern const struct option_row node_show_options[];
extern const struct option_row node_change_options[];
extern const struct option_row node_export_options[];
extern const struct option_row control_options[];

/**
 * cmd_node() - nodes that outlive a command
 * @argc: number of words
 * @argv: words, "node" first
 *
 * Return: exit code.
 */
int cmd_node(int argc, char **argv);

/**
 * cmd_control() - the classic words
 * @argc: number of words
 * @argv: words, "control" first
 *
 * Return: exit code.
 */
int cmd_control(int argc, char **argv);

/**
 * cmd_report() - show recordings
 * @argc: number of words
 * @argv: words, "report" first
 *
 * Return: exit code.
 */
int cmd_report(int argc, char **argv);

/**
 * cmd_trace() - measure functions or pairs
 * @argc: number of words
 * @argv: words, "trace" first
 *
 * Return: exit code, see enum exit_status.
 */
int cmd_trace(int argc, char **argv);

/**
 * cmd_check() - judge recordings
 * @argc: number of words
 * @argv: words, "check" first
 *
 * Return: exit code.
 */
int cmd_check(int argc, char **argv);

/**
 * cmd_diff() - compare recordings
 * @argc: number of words
 * @argv: words, "diff" first
 *
 * Return: exit code.
 */
int cmd_diff(int argc, char **argv);

/**
 * cmd_list() - what can be traced
 * @argc: number of words
 * @argv: words, "list" first
 *
 * Return: exit code.
 */
int cmd_list(int argc, char **argv);

/**
 * cmd_calibrate() - what measuring takes on this machine
 * @argc: number of words
 * @argv: words, "calibrate" first
 *
 * Return: exit code.
 */
int cmd_calibrate(int argc, char **argv);

/**
 * cmd_doctor() - what this kernel, user and policy allow
 * @argc: number of words
 * @argv: words, "doctor" first
 *
 * Return: exit code.
 */
int cmd_doctor(int argc, char **argv);

/**
 * cmd_complete() - words that may come next, or the script of a shell
 * @argc: number of words
 * @argv: words, "complete" first
 *
 * Return: exit code.
 */
int cmd_complete(int argc, char **argv);

#endif /* KSTATS_CMD_H */
