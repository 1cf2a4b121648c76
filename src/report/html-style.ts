/** The style sheet of the HTML report: light and dark by the reader's preference, narrow, wide and on paper; nothing is loaded. */

const colours = `
:root{color-scheme:light dark;--page:#fbfaf8;--card:#fff;--text:#1d2126;--soft:#565d66;--line:#d5d3ce;--track:#b4b1aa;--link:#0b57a4;
--ship:#1a6b3c;--ship-soft:#e2f2e7;--hold:#a4262c;--hold-soft:#fbe6e6;--more:#7a5200;--more-soft:#fbf0d9;--focus:#0b57a4}
@media (prefers-color-scheme:dark){:root{--page:#14171a;--card:#1c2024;--text:#e7e9ec;--soft:#a6adb5;--line:#383e45;--track:#59616a;--link:#8cc2ff;
--ship:#7fd3a0;--ship-soft:#17362440;--hold:#ff9a9a;--hold-soft:#4a1d1f80;--more:#f0c36a;--more-soft:#46360f80;--focus:#8cc2ff}}
@media print{:root{color-scheme:light;--page:#fff;--card:#fff;--text:#000;--soft:#333;--line:#999;--track:#777;--link:#000;
--ship:#0d4a26;--ship-soft:#fff;--hold:#7d1218;--hold-soft:#fff;--more:#5a3c00;--more-soft:#fff}}`;

const page = `
*{box-sizing:border-box}
html{scroll-padding-top:1rem;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--text);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;overflow-wrap:anywhere}
.skip{position:absolute;left:-99em}
.skip:focus{position:static;display:inline-block;padding:.5rem 1rem}
a{color:var(--link)}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px;border-radius:3px}
header,main,footer,nav{max-width:72rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:2rem}
h1{font-size:1.9rem;line-height:1.2;margin:.2rem 0 .6rem;letter-spacing:-.01em}
h2{font-size:1.35rem;margin:2.75rem 0 .75rem;padding-top:1rem;border-top:1px solid var(--line)}
h3{font-size:1.08rem;margin:1.5rem 0 .4rem}
h4{font-size:1rem;margin:1.25rem 0 .3rem}
p{margin:.4rem 0;max-width:52rem}
.eyebrow,.note,.standing,.role,dt,.ends{color:var(--soft);font-size:.9rem}
.eyebrow{margin:0}
.role{font-weight:400;border:1px solid var(--line);border-radius:1rem;padding:.05rem .55rem;margin-left:.3rem}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;padding:0;margin:1rem 0 0}
nav a{display:inline-block;padding:.2rem 0}
code,.digest{font:.85em/1.4 ui-monospace,SFMono-Regular,Menlo,"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
dl.facts{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.25rem 1.25rem;margin:.75rem 0}
dl.facts dd{margin:0}
footer{color:var(--soft);font-size:.9rem;padding-top:1rem;padding-bottom:3rem}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}`;

const decisions = `
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,19rem),1fr));gap:1rem;list-style:none;padding:0;margin:1rem 0}
.card{background:var(--card);border:1px solid var(--line);border-left-width:6px;border-radius:8px;padding:.9rem 1.1rem}
.card h3{margin:0 0 .3rem;display:flex;flex-wrap:wrap;gap:.5rem;align-items:center}
.card.ship{border-left-color:var(--ship)}.card.hold,.card.model_ceiling,.card.arch_ceiling{border-left-color:var(--hold)}.card.need_more_work{border-left-color:var(--more)}
.badge{font-size:.85rem;font-weight:700;border-radius:4px;padding:.1rem .5rem;white-space:nowrap}
.badge.ship,.badge.pass{color:var(--ship);background:var(--ship-soft)}
.badge.hold,.badge.model_ceiling,.badge.arch_ceiling,.badge.fail{color:var(--hold);background:var(--hold-soft)}
.badge.need_more_work,.badge.not_evaluated{color:var(--more);background:var(--more-soft)}
.big{font-size:1.5rem;font-weight:650;font-variant-numeric:tabular-nums;margin:.2rem 0 0;line-height:1.25}
.counts{display:grid;grid-template-columns:repeat(auto-fit,minmax(7.5rem,1fr));gap:.75rem;list-style:none;padding:0;margin:1rem 0}
.counts li{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.6rem .8rem;font-size:.9rem;color:var(--soft)}
.counts strong{display:block;font-size:1.4rem;color:var(--text);font-variant-numeric:tabular-nums;line-height:1.2}`;

const plots = `
figure.measure{margin:1rem 0;background:var(--card);border:1px solid var(--line);border-radius:8px;padding:.9rem 1.1rem}
figcaption h3{margin:0}
.plot{list-style:none;padding:0;margin:.75rem 0 0}
.plot-row,.plot-axis{display:grid;grid-template-columns:minmax(0,21rem) minmax(0,1fr);gap:.25rem 1.25rem;align-items:center}
.plot-row{padding:.35rem 0}
.numbers{font-size:.9rem;font-variant-numeric:tabular-nums}
svg{display:block;overflow:visible}
.key svg{display:inline-block;vertical-align:middle}
.key{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.25rem;padding:0;margin:.5rem 0 0;font-size:.9rem}
svg text{fill:var(--soft);font-size:12px;font-variant-numeric:tabular-nums}
.track,.tick{stroke:var(--track);stroke-width:1}
.zero{stroke:var(--text);stroke-width:1;vector-effect:non-scaling-stroke}
.mark{stroke-width:2}
.mark.threshold{stroke:var(--hold);stroke-dasharray:6 3}
.mark.margin{stroke:var(--more);stroke-dasharray:2 3}
.mark.minimum-effect{stroke:var(--link);stroke-dasharray:9 2 2 2}
.interval{stroke:var(--text);stroke-width:2.5}
.point{stroke:var(--text);stroke-width:2}
.point.cleared{fill:var(--ship)}.point.breached{fill:var(--hold)}.point.open{fill:var(--card)}
.unit-plot{margin:.5rem 0 1rem}
.unit-plot svg{background:var(--card);border:1px solid var(--line);border-radius:6px}
rect.worse{fill:var(--hold)}rect.better{fill:var(--ship)}rect.bin{fill:var(--link)}
svg.bins{border-bottom:1px solid var(--track);min-width:7rem}
.ends{display:flex;justify-content:space-between;gap:1rem;flex-wrap:wrap}`;

const tables = `
table{border-collapse:collapse;width:100%;margin:.6rem 0 1rem;font-size:.92rem;font-variant-numeric:tabular-nums}
caption.seen{text-align:left;font-weight:600;padding:.3rem 0}
th,td{text-align:left;vertical-align:top;padding:.4rem .7rem .4rem 0;border-bottom:1px solid var(--line)}
thead th{color:var(--soft);font-weight:600;font-size:.85rem;overflow-wrap:normal}
tbody th{font-weight:600;min-width:9rem}td{min-width:5.5rem}
td ul{margin:0;padding-left:1.1rem}
h5{font-size:.95rem;margin:1rem 0 .3rem}
details{margin:.6rem 0;border:1px solid var(--line);border-radius:8px;background:var(--card)}
summary{cursor:pointer;padding:.6rem .9rem;font-weight:600}
details>div{padding:0 .9rem .6rem}
.ids{columns:3 14rem;padding-left:1.2rem;font-size:.9rem}
@media (max-width:64rem){
.plot-row,.plot-axis{grid-template-columns:minmax(0,1fr)}
.plot-axis>div{display:none}
table,tbody,tr,th,td{display:block;width:100%}
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
tr{border-bottom:1px solid var(--line);padding:.5rem 0}
tbody th,td{border:0;padding:.12rem 0;min-width:0;display:grid;grid-template-columns:7.5rem minmax(0,1fr);gap:.75rem}
th::before,td::before{content:attr(data-label);color:var(--soft);font-weight:400;font-size:.85rem}
}
@media (max-width:30rem){header,main,footer,nav{padding-left:1rem;padding-right:1rem}h1{font-size:1.5rem}dl.facts{grid-template-columns:minmax(0,1fr);gap:0}dl.facts dd{margin-bottom:.5rem}}
@media print{nav,.skip{display:none}body{font-size:11pt}h2{break-after:avoid}figure,.card,tr{break-inside:avoid}
details::details-content{content-visibility:visible;block-size:auto;opacity:1}*{print-color-adjust:exact}}`;

/** The whole style sheet. */
export const styleSheet = `${colours}${page}${decisions}${plots}${tables}\n`;

/** Scripts, images, fonts and connections are forbidden to the page itself. */
export const contentPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
