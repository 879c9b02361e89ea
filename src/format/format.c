// SPDX-License-Identifier: GPL-2.0-only
/* format.c - the table of formats. */
#include "format/format.h"

#include <errno.h>
#include <string.h>

#include "format/priv.h"
#include "util/text.h"

#define RECORDINGS (REPORT_TRACE | REPORT_KMEM)
#define DIFFS (REPORT_DIFF | REPORT_KMEM_DIFF)
#define RESULTS (REPORT_VERDICT | REPORT_KMEM_VERDICT)

static const struct format format_table[] = {
	{ "summary", RECORDINGS | REPORT_WHY, .write = format_text },
	{ "text", DIFFS | RESULTS, .write = format_text },
	{ "line", REPORT_TRACE, .detail = REPORT_VALUES, .write = format_line },
	{ "hist", REPORT_TRACE, .detail = REPORT_SLOTS, .write = format_text },
	{ "classic", REPORT_TRACE, .detail = REPORT_VALUES, .write = format_classic },
	{ "markdown", DIFFS, .write = format_markdown },
	{ "junit", RESULTS, .write = format_junit },
	{ "tap", RESULTS, .write = format_tap },
	{ "github", RESULTS, .write = format_github },
	{ "json", RECORDINGS | DIFFS | REPORT_WHY, .detail = REPORT_VALUES, .write = format_json },
	{ "json", RESULTS, .write = format_dashboard },
	{ "gobench", REPORT_VERDICT, .write = format_gobench },
	{ "csv", RECORDINGS | REPORT_WHY, .detail = REPORT_VALUES, .write = format_csv },
	{ "folded", REPORT_TRACE, .detail = REPORT_VALUES, .write = format_folded },
	{ "hgrm", REPORT_TRACE, .detail = REPORT_VALUES, .write = format_hgrm },
	{ "openmetrics", RECORDINGS, true, .detail = REPORT_VALUES, .together = true, .mixed = true,
	  .write = format_openmetrics },
	{ "vmrange", RECORDINGS, true, .detail = REPORT_VALUES, .together = true, .mixed = true,
	  .write = format_vmrange },
	{ "protobuf", RECORDINGS, .detail = REPORT_VALUES, .together = true, .mixed = true,
	  .write = format_protobuf },
	{ "html", RECORDINGS | DIFFS | RESULTS | REPORT_WHY, .detail = REPORT_PAGE,
	  .together = true, .write = format_html },
	{ "svg", REPORT_TRACE, .detail = REPORT_DRAWN, .together = true, .write = format_svg },
	{ "series", RESULTS, .write = format_json },
	{ "perfetto", REPORT_WHY, .detail = REPORT_VALUES, .write = format_perfetto },
	{},
};

const struct format *format_next(const struct format *f, unsigned int kinds)
{
	f = f ? f + 1 : format_table;
	while (f->name && !(f->kinds & kinds))
		f++;
	return f->name ? f : NULL;
}

const struct format *format_find(const char *name, unsigned int kinds)
{
	const struct format *f = format_next(NULL, kinds);

	while (f && strcmp(f->name, name))
		f = format_next(f, kinds);
	return f;
}

const char *format_words(unsigned int kinds, char buf[FORMAT_WORDS])
{
	size_t n = snprintf(buf, FORMAT_WORDS, "it is one of");
	const struct format *f = NULL;

	while ((f = format_next(f, kinds)) && n < FORMAT_WORDS)
		n += snprintf(buf + n, FORMAT_WORDS - n, " %s", f->name);
	return buf;
}

int format_write(const struct format *f, FILE *out, const struct report *r)
{
	int err = r->err;

	text_was_short();
	if (!err)
		err = f->write(out, r);
	return text_was_short() ? -ENOMEM : err;
}

static int kmem_write(const struct format *f, FILE *out, const struct report_kmem_set *recs,
		      const struct report_kmem_look *o)
{
	struct report r;
	int err;

	report_kmem(&r, recs, o, f->detail);
	err = format_write(f, out, &r);
	report_free(&r);
	return err;
}

int format_kmem(const struct format *f, FILE *out, const struct report_kmem_set *recs,
		const struct report_kmem_look *o)
{
	struct report_kmem_look each = *o;
	struct report_kmem_set one = { 1, recs->recs };
	int err = 0;

	each.base.titled |= recs->n > 1;
	if (f->together)
		return kmem_write(f, out, recs, &each);
	for (; !err && one.recs < recs->recs + recs->n; one.recs++) {
		err = kmem_write(f, out, &one, &each);
		each.base.continued = true;
	}
	return err;
}
