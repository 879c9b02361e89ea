// SPDX-License-Identifier: GPL-2.0-only
/*
 * script.c - what a page can do where scripts may run: search, and enlarge drawings. Without it the
 * page shows the same.
 */
#include "format/frame.h"

/*
 * A click on a drawing, or Enter, fills the window with it; the wheel zooms, dragging moves, a
 * click or Escape closes. Where there is much to look through, a field hides what does not match.
 */
static const char script[] =
	"(function(){'use strict';\n"
	"var d=document;\n"
	"var items=d.querySelectorAll('table:not(.fixed) tr+tr,section[id],.keys>div');\n"
	"function all(q,f){d.querySelectorAll(q).forEach(f)}\n"
	"function name(e){var h=e.querySelector('h2,b');return (h||e).textContent.toLowerCase()}\n"
	"function look(q){items.forEach(function(e){\n"
	"var hit=name(e).indexOf(q)>=0||e.closest('.fixed');e.classList.toggle('away',!hit)});\n"
	"all('.keys>div:not(.away)',function(e){var s=e.closest('section');\n"
	"if(s)s.classList.remove('away')});\n"
	"all('section[id]:not(.away)',function(s){if(name(s).indexOf(q)>=0)\n"
	"s.querySelectorAll('.away').forEach(function(e){e.classList.remove('away')})});\n"
	"all('details',function(e){if(q&&!e.open){e.open=true;e.dataset.was=1}\n"
	"if(!q&&e.dataset.was){e.open=false;delete e.dataset.was}})}\n"
	"function field(){var f=d.createElement('input');f.type='search';\n"
	"f.placeholder='Search names';f.setAttribute('aria-label','Search names');\n"
	"f.oninput=function(){look(f.value.trim().toLowerCase())};\n"
	"var h=d.querySelector('h1');h.parentNode.insertBefore(f,h.nextSibling)}\n"
	"function near(s){var box=d.createElement('div'),c=s.cloneNode(true),\n"
	"v=c.viewBox.baseVal,most=v.width,held=false,moved=false;\n"
	"function see(x,y,w,h){c.setAttribute('viewBox',[x,y,w,h].join(' '))}\n"
	"function close(){box.remove();s.focus()}\n"
	"box.className='near';box.tabIndex=-1;box.setAttribute('role','dialog');\n"
	"box.setAttribute('aria-label',s.getAttribute('aria-label'));\n"
	"box.onkeydown=function(e){if(e.key==='Escape')close()};\n"
	"box.onclick=function(){if(!moved)close()};\n"
	"c.onwheel=function(e){var k=e.deltaY<0?0.8:1.25,\n"
	"p=new DOMPoint(e.clientX,e.clientY).matrixTransform(c.getScreenCTM().inverse());\n"
	"e.preventDefault();if(v.width*k<=most)\n"
	"see(p.x-(p.x-v.x)*k,p.y-(p.y-v.y)*k,v.width*k,v.height*k)};\n"
	"c.onpointerdown=function(e){held=true;moved=false;c.setPointerCapture(e.pointerId)};\n"
	"c.onpointerup=function(){held=false};\n"
	"c.onpointermove=function(e){var m=c.getScreenCTM();if(!held)return;\n"
	"moved=moved||Math.abs(e.movementX)+Math.abs(e.movementY)>1;\n"
	"see(v.x-e.movementX/m.a,v.y-e.movementY/m.d,v.width,v.height)};\n"
	"box.appendChild(c);d.body.appendChild(box);box.focus()}\n"
	"function chart(e){var s=e.target.closest('svg.chart');\n"
	"return s&&!s.closest('.near')?s:null}\n"
	"d.body.classList.add('js');if(items.length>12)field();\n"
	"all('svg.chart',function(s){s.tabIndex=0});\n"
	"d.addEventListener('click',function(e){var s=chart(e);if(s)near(s)});\n"
	"d.addEventListener('keydown',function(e){var s=chart(e);if(s&&e.key==='Enter')near(s)});\n"
	"})();";

/* The browser runs this script and no other: its SHA-256. tests/view/page.t compares them. */
static const char script_hash[] = "js7lRw4kT8DHyITcf8qUd82uB9YDs/7astEwW2CGBIU=";

void html_script(FILE *out)
{
	fprintf(out, "<script>%s</script>\n", script);
}

void html_policy(FILE *out)
{
	fprintf(out,
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';"
		"style-src 'unsafe-inline';img-src data:;script-src 'sha256-%s'\">\n",
		script_hash);
}
