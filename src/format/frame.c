// SPDX-License-Identifier: GPL-2.0-only
/* frame.c - the frame of a page. */
#include "format/frame.h"

#include <stdlib.h>
#include <string.h>

#include "util/safe_str.h"
#include "util/text.h"

/* Blue and orange differ for all eyes; what a colour tells, a shape or a word tells, too. */
static const char colors[] =
	":root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--soft:#57606a;--line:#d4dae0;"
	"--card:#f6f8fa;--bar:#2266aa;--mark:#b4451b;--good:#1a7f37;--bad:#b42318}"
	"@media screen and (prefers-color-scheme:dark){:root{--bg:#0e1116;--fg:#e6eaee;"
	"--soft:#9aa5b1;--line:#303741;--card:#171c22;--bar:#62aef0;--mark:#ffa273;"
	"--good:#56c271;--bad:#ff8f7d}}"
	"svg.chart{font:13px system-ui,sans-serif}"
	"svg text{fill:var(--soft);font-variant-numeric:tabular-nums}"
	"svg .grid{stroke:var(--line);fill:none}"
	"svg .bar,svg .bars,svg .heat,svg .before{shape-rendering:crispEdges}"
	"svg .bar,svg .bars{fill:var(--bar)}svg .bar:hover{fill:var(--mark)}"
	"svg .heat{fill:var(--bar)}svg .before{fill:var(--bar);fill-opacity:.45}"
	"svg .after{fill:none;stroke:var(--mark);stroke-width:1.6}"
	"svg .at{fill:var(--mark);fill-opacity:0}svg .at:hover{fill-opacity:.25}"
	"svg .zero{stroke:var(--soft)}svg .limit{stroke:var(--fg);stroke-dasharray:5 3;fill:none}"
	"svg .curve{stroke:var(--bar);fill:none;stroke-width:1.5}"
	"svg .mark{stroke:var(--mark);fill:none}svg text.mark{fill:var(--mark);stroke:none}"
	"svg .from{fill:var(--mark);fill-opacity:.12}svg .part0{fill:var(--bar)}"
	"svg .part1{fill:var(--mark)}svg .part2{fill:var(--bar);fill-opacity:.4}"
	"svg .part3{fill:var(--soft)}svg .part4{fill:var(--good)}"
	"svg .part5{fill:var(--mark);fill-opacity:.4}svg .part6{fill:var(--good);fill-opacity:.4}"
	"svg .part7{fill:var(--soft);fill-opacity:.4}"
	"svg .dot{fill:var(--mark)}svg .ring{fill:var(--card);stroke:var(--bar);stroke-width:2}";

static const char page[] =
	"*{box-sizing:border-box}"
	"body{margin:0 auto;padding:1rem;max-width:1180px;background:var(--bg);color:var(--fg);"
	"font:15px/1.45 system-ui,sans-serif}"
	"h1{font-size:1.35rem;margin:.2rem 0 .4rem}h2{font-size:1.1rem;margin:0 0 .3rem}"
	"h3{font-size:.9rem;margin:.6rem 0 .2rem;color:var(--soft);font-weight:600}"
	"h1,h2,.long,p,dd,.wide span.soft{overflow-wrap:anywhere}"
	"p{margin:.2rem 0}.soft{color:var(--soft)}.good{color:var(--good)}"
	".bad{color:var(--bad);font-weight:600}a{color:var(--bar)}"
	"section{background:var(--card);border:1px solid var(--line);border-radius:8px;"
	"padding:.8rem;margin:.9rem 0}"
	".charts{display:grid;gap:0 1rem;"
	"grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr))}"
	".charts>div{min-width:0}.charts>div:only-child{max-width:640px}"
	"svg.chart{width:100%;height:auto;display:block}"
	".over{overflow-x:auto}svg.flames{min-width:680px}"
	"svg.flames text{fill:var(--bg);font-size:12px;pointer-events:none}"
	".one{max-width:640px}.tall{display:block;columns:2 440px;column-gap:1rem}"
	".tall>div{display:flow-root;break-inside:avoid}"
	".keys{display:grid;gap:.5rem 1rem;align-items:end;"
	"grid-template-columns:repeat(auto-fill,minmax(min(46%,200px),1fr))}"
	".keys>div{min-width:0;overflow-wrap:anywhere}.keys span{white-space:nowrap}"
	".keys b{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:4;"
	"overflow:hidden}"
	"summary{cursor:pointer;color:var(--bar)}"
	"details{margin:.6rem 0}"
	"dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem .8rem;margin:.3rem 0}"
	"dt{color:var(--soft)}dd{margin:0}"
	".figures{display:grid;gap:.1rem 1.2rem;"
	"grid-template-columns:repeat(auto-fill,minmax(210px,1fr))}"
	".figures div{display:flex;gap:.6rem;justify-content:space-between;"
	"border-bottom:1px solid var(--line);padding:.1rem 0;font-variant-numeric:tabular-nums}"
	".figures span{color:var(--soft)}"
	".wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
	"th,td{text-align:right;padding:.15rem .7rem .15rem 0;white-space:nowrap}"
	"th{color:var(--soft);font-weight:600}th.name{min-width:16em}"
	"th:first-child,td:first-child,th.text,td.text{text-align:left;white-space:normal}"
	"table.fixed td:first-child{white-space:nowrap}table.top td{vertical-align:top}"
	".top .long{min-width:12em}"
	"tr+tr td{border-top:1px solid var(--line)}"
	".verdict{display:inline-block;border:2px solid;border-radius:6px;padding:0 .6rem}"
	"input[type=search]{font:inherit;padding:.2rem .5rem;margin:.3rem 0;width:20rem;"
	"max-width:100%;color:inherit;background:var(--card);border:1px solid var(--soft);"
	"border-radius:6px}"
	".near{position:fixed;inset:0;z-index:1;background:var(--bg);padding:1rem;overflow:auto}"
	".near svg.chart{height:calc(100vh - 2rem);touch-action:none;cursor:move}"
	".away{display:none}.js svg.chart{cursor:zoom-in}"
	"@media(max-width:600px){svg.chart{font-size:17px}body{padding:.6rem}"
	"section{padding:.6rem}th,td{white-space:normal;padding-right:.3rem;font-size:12px}"
	".wide,table,tbody,tr,details{background:inherit}.wide span.soft{font-size:12px}"
	".wide td:not(:first-child) span.soft{overflow-wrap:normal}.under th{min-width:0}"
	"th:first-child,td:first-child{position:sticky;left:0;background:inherit}"
	"th.name{min-width:8em}.top tr{display:flex;flex-wrap:wrap}"
	".under,.under tbody{display:block}"
	".under tr{display:grid;grid-template-columns:1.4fr repeat(4,1fr);align-items:end}"
	".under td:last-child,.under th:last-child{grid-column:2/-1;text-align:right;"
	"color:var(--soft)}.under td{border:0!important}"
	".under tr+tr{border-top:1px solid var(--line)}"
	"td.text:last-child{overflow-wrap:anywhere;min-width:5em}th.bar,td.bar{display:none}"
	".top td:last-child{flex-basis:100%}"
	".top td{border:0!important}.top tr+tr{border-top:1px solid var(--line)}"
	".top th{display:none}}"
	"@media print{body{max-width:none;padding:0;font-size:12px;print-color-adjust:exact;"
	"-webkit-print-color-adjust:exact}section{border-width:0 0 1px;border-radius:0;"
	"background:none;padding:.4rem 0}.charts{grid-template-columns:1fr 1fr}"
	".tall{columns:2}.keys b{display:block}"
	"details::details-content{content-visibility:visible;height:auto}"
	".charts>div,.keys>div,tr,dl,.figures,svg.chart{break-inside:avoid}"
	"h1,h2,h3{break-after:avoid}input[type=search]{display:none}"
	".wide{overflow:visible}a{color:inherit;text-decoration:none}}";

/* U+FFFE and U+FFFF are well-formed UTF-8, but XML does not allow them. */
static size_t print_character(FILE *out, const char *p)
{
	static const struct {
		char c;
		const char *entity;
	} entities[] = {
		{ '&', "&amp;" },  { '<', "&lt;" },   { '>', "&gt;" },
		{ '"', "&quot;" }, { '\'', "&#39;" },
	};
	size_t len = safe_utf8(p), i;

	for (i = 0; i < sizeof(entities) / sizeof(*entities); i++) {
		if (*p == entities[i].c) {
			fputs(entities[i].entity, out);
			return 1;
		}
	}
	if (len == 3 && (!memcmp(p, "\xef\xbf\xbe", 3) || !memcmp(p, "\xef\xbf\xbf", 3)))
		fputc('?', out);
	else
		fwrite(p, 1, len, out);
	return len;
}

void html_text(FILE *out, const char *text)
{
	size_t size = 4 * strlen(text ? text : "") + 1;
	char *safe = malloc(size), *p;

	if (!safe) {
		text_short();
		return;
	}
	for (p = safe_str(safe, size, text); *p;)
		p += print_character(out, p);
	free(safe);
}

void html_tag(FILE *out, const char *tag, const char *text)
{
	fprintf(out, "<%s>", tag);
	html_text(out, text);
	fprintf(out, "</%s>", tag);
}

void html_style(FILE *out)
{
	fputs(colors, out);
}

void html_begin(FILE *out, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n",
	      out);
	html_policy(out);
	fputs("<title>", out);
	html_text(out, title);
	fputs("</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>", out);
	html_style(out);
	fputs(page, out);
	fputs("</style></head>\n<body>\n", out);
}

void html_end(FILE *out)
{
	html_script(out);
	fputs("</body></html>\n", out);
}
