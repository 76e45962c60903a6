// SPDX-License-Identifier: GPL-2.0-or-later
#include "rig/report/page_style.h"

namespace rig::report {

const char* const page_style = R"css(
:root {
  color-scheme: light dark;
  --ink: #1a1a1a; --paper: #ffffff; --faint: #595959; --line: #c4c4c4; --band: #f3f3f1;
  --link: #0b57a4; --good: #00664a; --bad: #a82a00; --unsure: #6b5200;
  --series-1: #0072b2; --series-2: #c44f00; --series-3: #007d5c; --series-4: #a8558a;
  --series-5: #7d6200; --series-6: #2b7fb0; --series-7: #a86f00; --series-8: #666666;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --ink: #e6e6e3; --paper: #16181b; --faint: #a8a8a4; --line: #474b50; --band: #202327;
    --link: #8ab8ef; --good: #5fd0a8; --bad: #ff9873; --unsure: #e2c462;
    --series-1: #5aaee0; --series-2: #f08a4b; --series-3: #3fc79a; --series-4: #e09ac6;
    --series-5: #d2b34a; --series-6: #9bd3f2; --series-7: #f3bd55; --series-8: #b4b4b4;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 0 1rem 3rem; max-width: 76rem; color: var(--ink); background: var(--paper);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
h1 { font-size: 1.6rem; line-height: 1.2; margin: 1.5rem 0 0.5rem; }
h2 { font-size: 1.25rem; line-height: 1.25; margin: 2.5rem 0 0.5rem; padding-top: 0.75rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 1.5rem 0 0.25rem; }
p, ul, dl { margin: 0.5rem 0; max-width: 60rem; }
a { color: var(--link); }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 0.5rem; }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; padding: 0; list-style: none; max-width: none; }
.meaning { border-left: 4px solid var(--unsure); padding: 0.25rem 0 0.25rem 0.75rem; }
dl { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; gap: 0.15rem 1rem; }
dt { color: var(--faint); max-width: 22rem; }
dd { margin: 0; min-width: 0; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: 0.92rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding-bottom: 0.35rem; }
th, td { padding: 0.2rem 0.7rem 0.2rem 0; text-align: left; vertical-align: top; overflow-wrap: normal; white-space: nowrap; }
th.text, td.text { white-space: normal; min-width: 15rem; overflow-wrap: anywhere; }
thead th, thead th.number { white-space: normal; }
thead th { border-bottom: 1px solid var(--ink); vertical-align: bottom; }
tbody th { font-weight: 400; }
tbody tr:nth-child(even) { background: var(--band); }
.number { text-align: right; white-space: nowrap; }
.good { color: var(--good); font-weight: 600; }
.bad { color: var(--bad); font-weight: 600; }
.unsure { color: var(--unsure); }
pre { margin: 0.35rem 0 1rem; padding: 0.6rem 0.8rem; background: var(--band); border: 1px solid var(--line);
  font: 0.82rem/1.4 ui-monospace, monospace; white-space: pre-wrap; max-height: 24rem; overflow-y: auto; }
.label { color: var(--faint); margin-bottom: 0; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 30rem), 1fr)); gap: 1rem 2rem; margin: 1rem 0; }
figure { margin: 0; min-width: 0; max-width: 44rem; }
figcaption { font-weight: 600; }
figure svg { display: block; width: 100%; height: auto; color: var(--ink); }
figure svg text { font-family: system-ui, sans-serif; }
.seen { color: var(--faint); font-size: 0.88rem; margin: 0.25rem 0 0; }
.machine ul { display: flex; flex-wrap: wrap; gap: 0.4rem; margin: 0; padding: 0; list-style: none; max-width: none; }
.machine li { border: 1px solid var(--faint); padding: 0.3rem 0.5rem 0.4rem; font-size: 0.9rem; }
.machine li.package { border-width: 2px; }
.machine li.cache { border-style: dashed; }
.machine li.cpu { background: var(--band); padding: 0.15rem 0.5rem; }
@media (max-width: 40rem) {
  dl { display: block; }
  dt { margin-top: 0.4rem; }
}
@media print {
  body { font-size: 10pt; max-width: none; padding: 0; }
  nav, .skip { display: none; }
  h2, h3, caption, figcaption { break-after: avoid; }
  figure, tr, .machine { break-inside: avoid; }
  .figures { grid-template-columns: 1fr 1fr; }
  .wide { overflow: visible; }
  .seen { font-size: 8.5pt; }
  pre { max-height: none; overflow: visible; font-size: 8pt; }
  table { font-size: 8.5pt; }
  th, td, th.text, td.text { white-space: normal; min-width: 0; }
  thead { display: table-header-group; }
}
)css";

}  // namespace rig::report
