#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# page: what a reader of a page meets, in a headless Chromium: committed reports at most 300 KB, without an error of their script;
# at 390 and 1280 px no wider than the window; text by WCAG 2 AA in light and dark; headers sort; points are named; print opens all.
set -u
. tests/lib/tap.bash
.ci/committed "$dir" && ln -s "$root/experiments" "$root/plots" "$dir" && cd "$dir" || exit 1

pages=()
for json in results/*/*/report.json; do
    folder=${json%/report.json} name=$(basename "$(dirname "${json%/report.json}")")
    [ -f "experiments/$name.yaml" ] && [[ $folder == results/$name/* ]] || continue
    page=$dir/$name-${folder##*/}.html
    status=0
    ! grep -q '"valid":false' "$json" || status=3
    "$bin" report "$name" --tier "${folder##*/}" --results "$folder" --format html >"$page" 2>"$err"
    [ $? = $status ] && [ "$(wc -c <"$page")" -le 300000 ]
    ok $? "$folder has a page of 300 KB at most: $(wc -c <"$page") bytes"
    pages+=("$page")
done
# The badge is that of both lines: kernels that are not judged are not called valid.
mkdir unjudged && perl -pe 's/("noise":\[\{[^}]*?"state":")passed/$1unknown/' results/table3/direction/report.json >unjudged/report.json
for pair in "results/table3/direction:VALID" "unjudged:NOT JUDGED"; do
    "$bin" report table3 --tier direction --results "${pair%:*}" --format html 2>"$err" | grep -q "believe it: <span class=\"verdict [a-z]*\">${pair#*:}<"
    ok $? "${pair%:*}: the badge is ${pair#*:}"
done
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -z "$browser" ]; then
    skip "pages in a browser" "Chromium is not installed"
    finish
    exit
fi
chrome() { timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$dir/profile" --enable-logging=stderr "$@"; }

# The page in a frame of that width; the frame's window asks what a reader would see, and writes it as JSON.
cat >"$dir/probe.js" <<'END'
addEventListener('load', () => setTimeout(() => {
    const f = document.querySelector('iframe'), w = f.contentWindow, d = f.contentDocument, out = {}, all = s => [...d.querySelectorAll(s)]
    const rgb = c => c.match(/[\d.]+/g).map(Number), light = c => { const l = c.slice(0, 3).map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2] }
    const behind = e => { for (; e; e = e.parentElement) { const c = rgb(w.getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] === 1) return c } return [255, 255, 255] }
    all('details').forEach(e => e.open = true)
    out.script = d.documentElement.dataset.script
    out.wide = d.documentElement.scrollWidth - f.clientWidth
    out.first = all('#table th[scope=col]').length
    out.cards = all('.card').every(c => c.getBoundingClientRect().right <= f.clientWidth)
    out.contrast = Math.min(...all('body :not(svg *,script)').filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())).map(e => {
        const a = light(rgb(w.getComputedStyle(e).color)), b = light(behind(e)); return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) }))
    out.dark = w.matchMedia('(prefers-color-scheme:dark)').matches
    out.scopes = all('th:not([scope])').length
    out.unnamed = all('figure').filter(e => !d.getElementById(e.getAttribute('aria-labelledby'))?.textContent).length
    const t = all('table').find(t => t.tBodies[0].rows.length > 2), b = t?.querySelectorAll('thead button')[1]
    if (b) {
        const column = () => [...t.tBodies[0].rows].filter(r => r.cells.length > 1).map(r => parseFloat(r.cells[1].textContent)).filter(v => !isNaN(v))
        b.focus(); out.focused = d.activeElement === b; b.click()
        const up = column(); out.sorted = up.every((v, i) => !i || v >= up[i - 1]) && b.parentElement.getAttribute('aria-sort') === 'ascending'
        b.click(); const down = column(); out.reversed = down.every((v, i) => !i || v <= down[i - 1])
    }
    const p = d.querySelector('.p'); // a window that the browser has not activated yet gives the focus without its event
    if (p) { p.focus(); d.hasFocus() || p.dispatchEvent(new FocusEvent('focusin', { bubbles: true })); out.point = d.getElementById('tip').textContent; out.label = p.getAttribute('aria-label') }
    document.body.replaceChildren(Object.assign(document.createElement('pre'), { id: 'out', textContent: JSON.stringify(out) }))
}, 300))
END
framed() { # page width
    perl -0777 -e 'my ($page, $width, $probe) = @ARGV; local $/; open my $f, "<", $page; my $html = <$f>; open $f, "<", $probe; my $js = <$f>;
        $html =~ s/&/&amp;/g; $html =~ s/"/&quot;/g;
        print "<!DOCTYPE html><meta charset=utf-8><style>body{margin:0}</style><iframe style=\"border:0\" width=$width height=800 srcdoc=\"$html\"></iframe><script>$js</script>"' \
        "$1" "$2" "$dir/probe.js" >"$dir/frame.html"
    chrome "${@:3}" --window-size=1400,900 --virtual-time-budget=5000 --dump-dom "file://$dir/frame.html" 2>"$err" | perl -ne 'print $1 if m{<pre id="out">(.*?)</pre>}' >"$out"
}
holds() { perl -MJSON::PP -0777 -ne 'my $o = decode_json($_); exit(('"$1"') ? 0 : 1)' "$out"; ok $? "$2"; }
for page in "$dir"/{table3-direction,parity-direction,exploiters-short}.html; do # one of each kind of page
    name=$(basename "$page" .html)
    for width in 390 1280; do
        framed "$page" $width
        [ -s "$out" ] && ! grep -q "CONSOLE" "$err"
        ok $? "$name: the script runs to its end at $width px and the console is silent"
        holds '$o->{script} eq "ran" && $o->{wide} <= 0 && $o->{cards}' "$name: nothing is wider than $width px"
        holds '$o->{first} >= 2' "$name: the first table has headers"
        holds '$o->{contrast} >= 4.5' "$name: text has a contrast of 4.5 at least at $width px"
        holds '!$o->{scopes} && !$o->{unnamed}' "$name: every header has its scope, every figure its name"
        holds '$o->{focused} && $o->{sorted} && $o->{reversed}' "$name: a header is reached by keyboard and sorts"
        holds 'length $o->{point} && $o->{point} eq $o->{label}' "$name: a point is named on focus"
    done
done
framed "${pages[0]}" 1280 --blink-settings=preferredColorScheme=0
if grep -q '"dark":true' "$out"; then
    holds '$o->{contrast} >= 4.5' "in the dark text has a contrast of 4.5 at least"
else
    skip "contrast in the dark" "this Chromium takes no colour scheme"
fi

# Print has all that is folded: more sheets than the page without it.
perl -0777 -pe 's{<details.*?</details>}{}gs' "${pages[0]}" >"$dir/bare.html"
sheets() { chrome --no-pdf-header-footer --print-to-pdf="$dir/print.pdf" "file://$1" 2>"$err" && grep -ac "/Type */Page\b" "$dir/print.pdf"; }
whole=$(sheets "${pages[0]}") bare=$(sheets "$dir/bare.html")
[ "${whole:-0}" -gt $((${bare:-0} + 2)) ] && [ "${bare:-0}" -ge 1 ]
ok $? "print opens what is folded: $whole sheets, $bare without it"
finish
