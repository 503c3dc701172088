/** By number: Okabe and Ito's colours, which most people can tell apart, darker on light and lighter on dark. */
const COLOURS: readonly (readonly [light: string, dark: string])[] = [
  ["#0060a8", "#5ab4f0"],
  ["#b34700", "#f09040"],
  ["#007a5a", "#30c8a0"],
  ["#a03a80", "#e08cc0"],
  ["#7a6200", "#e8d040"],
  ["#1f7ab0", "#90d8ff"],
  ["#404040", "#d0d0d0"],
];
/** Dashes as well, for whoever cannot. */
const DASHES: readonly string[] = ["none", "7 3", "2 3", "9 3 2 3", "none", "7 3", "2 3"];

const colours = (of: 0 | 1): string => COLOURS.map((pair, i) => `--c${String(i)}:${pair[of]};`).join("");
const looks = COLOURS.map(
  (_, i) =>
    `.s${String(i)}{stroke:var(--c${String(i)});stroke-dasharray:${DASHES[i]!}}.f${String(i)}{fill:var(--c${String(i)})}`,
).join("");

/** How the report looks. */
export const STYLE = `
:root{--paper:#fff;--ink:#1c1e21;--dim:#5c6068;--grid:#dfe2e6;--quiet:#9aa0a8;${colours(0)}}
@media (prefers-color-scheme:dark){:root{--paper:#15171a;--ink:#e8eaed;--dim:#a4a9b0;--grid:#33373d;--quiet:#7c828a;${colours(1)}}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{font-size:1.5rem}h2{font-size:1.2rem;margin-top:2.5rem}
p,dd,li{max-width:70ch}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.9rem;margin:.5rem 0 1rem}
caption{position:absolute;clip-path:inset(50%)}
th,td{padding:.3rem .7rem;text-align:right;border-bottom:1px solid var(--grid);white-space:nowrap}
th:first-child{text-align:left}thead th{color:var(--dim);font-weight:600;white-space:normal}
dt{font-weight:600}dd{margin:0 0 .5rem}
.charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,20rem),1fr));gap:1rem}
figure{margin:0 0 1rem}.large{overflow-x:auto}.large svg{min-width:34rem}figcaption{font-size:.9rem;font-weight:600}
svg{width:100%;height:auto;display:block}
.legend{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;padding:0;list-style:none;font-size:.9rem}
.legend svg{width:24px;height:8px;display:inline-block;margin-right:.4rem;vertical-align:middle}
.grid{stroke:var(--grid);fill:none}.tick{fill:var(--dim);font-size:11px}
.value{fill:var(--ink);font-size:11px}.value.inside{fill:var(--paper);font-weight:600}
.line{fill:none;stroke-width:1.6;stroke-linejoin:round}
${looks}
.quiet{stroke:var(--quiet);stroke-width:1}
`;
