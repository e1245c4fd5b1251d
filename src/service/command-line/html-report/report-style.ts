/** The style sheet of a report, for the screen, light and dark, and for A4. */
export const REPORT_STYLE = `
:root { color-scheme: light dark; --text: #1c2733; --background: #fff; --border: #76838f; --good: #17662f; --bad: #a31d12; --unconfirmed: #7a5200; }
@media (prefers-color-scheme: dark) { :root { --text: #eef2f6; --background: #1d232b; --border: #8b98a5; --good: #7fd79a; --bad: #ff9d92; --unconfirmed: #f2c14e; } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--background); margin: 0 auto; padding: 16px; max-width: 1100px; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; margin: 0 0 8px; }
h2 { font-size: 1.15rem; margin: 24px 0 8px; }
.verdict { font-weight: 600; border: 2px solid; border-radius: 6px; padding: 6px 12px; margin: 8px 0; }
.good { color: var(--good); } .bad { color: var(--bad); } .unconfirmed { color: var(--unconfirmed); }
.pictures { display: flex; flex-wrap: wrap; gap: 16px; }
figure { margin: 0; flex: 1 1 300px; max-width: 520px; } figure img { width: 100%; height: auto; box-sizing: border-box; border: 1px solid var(--border); }
#viewer { height: min(75vh, 640px); min-height: 320px; border: 1px solid var(--border); overflow: hidden; }
[hidden] { display: none; }
table { border-collapse: collapse; } th, td { text-align: left; padding: 3px 16px 3px 0; border-bottom: 1px solid var(--border); }
td { text-align: right; font-variant-numeric: tabular-nums; } th[scope=col]:not(:first-child) { text-align: right; }
li { overflow-wrap: anywhere; }
@page { size: A4; margin: 15mm; }
@media print {
  :root { --text: #000; --background: #fff; --good: #17662f; --bad: #a31d12; --unconfirmed: #7a5200; color-scheme: light; }
  body { padding: 0; max-width: none; font-size: 10.5pt; } .view { display: none; }
  figure { flex: 1 1 0; } figure, tr, li { break-inside: avoid; } h2 { break-after: avoid; } .pictures { flex-wrap: nowrap; }
}
`;
