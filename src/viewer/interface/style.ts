/**
 * The style sheet of the viewer. Pages set the colors by the variables `--model-viewer-…`. It is adopted by the shadow
 * root, so a Content-Security-Policy without 'unsafe-inline' allows it.
 */
export const STYLE = `
:host {
  --light-background: #f4f6f9; --light-surface: #ffffff; --light-text: #1c2733; --light-border: #76838f; --light-accent: #0b5cad;
  --dark-background: #1d232b; --dark-surface: #2a323c; --dark-text: #eef2f6; --dark-border: #8b98a5; --dark-accent: #7cc0ff;
  --background: var(--model-viewer-background, var(--light-background));
  --surface: var(--model-viewer-surface, var(--light-surface));
  --text: var(--model-viewer-text, var(--light-text));
  --border: var(--model-viewer-border, var(--light-border));
  --accent: var(--model-viewer-accent, var(--light-accent));
  display: block; height: 100%; container-type: size;
  color: var(--text); background: var(--surface); font: 14px/1.4 var(--model-viewer-font, system-ui, sans-serif);
}
:host([data-theme='dark']) {
  --background: var(--model-viewer-background, var(--dark-background));
  --surface: var(--model-viewer-surface, var(--dark-surface));
  --text: var(--model-viewer-text, var(--dark-text));
  --border: var(--model-viewer-border, var(--dark-border));
  --accent: var(--model-viewer-accent, var(--dark-accent));
}
@media (prefers-color-scheme: dark) {
  :host([data-theme='auto']) {
    --background: var(--model-viewer-background, var(--dark-background));
    --surface: var(--model-viewer-surface, var(--dark-surface));
    --text: var(--model-viewer-text, var(--dark-text));
    --border: var(--model-viewer-border, var(--dark-border));
    --accent: var(--model-viewer-accent, var(--dark-accent));
  }
}
[hidden] { display: none !important; }
.viewer { display: grid; grid-template: auto minmax(0, 1fr) / minmax(0, 1fr) 260px; height: 100%; box-sizing: border-box; }
.toolbar { grid-column: 1 / -1; display: flex; flex-wrap: wrap; gap: 6px; padding: 6px; align-items: center;
  border-bottom: 1px solid var(--border); }
.group { display: flex; }
.group button { border-radius: 0; margin-left: -1px; }
button, select { font: inherit; color: inherit; background: var(--surface); border: 1px solid var(--border); border-radius: 4px;
  min-height: 28px; min-width: 28px; padding: 2px 8px; cursor: pointer; }
option { color: var(--text); background: var(--surface); }
input { accent-color: var(--accent); min-width: 24px; min-height: 24px; margin: 0; }
button[aria-pressed='true'], [aria-current='true'] { color: var(--surface); background: var(--accent); border-color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 1px; }
.section { display: flex; gap: 6px; align-items: center; }
.section input { width: 110px; }
.stage { position: relative; overflow: hidden; background: var(--background); min-height: 0; }
canvas { position: absolute; inset: 0; width: 100%; height: 100%; display: block; touch-action: none; }
canvas:focus-visible { outline-offset: -3px; }
.label { position: absolute; left: 6px; bottom: 4px; max-width: calc(100% - 12px); font-size: 12px; pointer-events: none;
  padding: 0 4px; border-radius: 3px; background: var(--surface); }
.caption { position: absolute; top: 6px; padding: 1px 8px; border-radius: 3px; background: var(--surface); font-size: 12px; }
.caption.left { left: 6px; } .caption.right { right: 6px; }
.border { position: absolute; top: 0; bottom: 0; left: 0; width: 2px; margin-left: -1px; background: var(--accent); pointer-events: none; }
.split { position: absolute; left: 0; width: 100%; bottom: 26px; height: 28px; background: none; appearance: none; pointer-events: none; }
.split::-webkit-slider-thumb { appearance: none; width: 28px; height: 28px; border-radius: 50%; pointer-events: auto; cursor: ew-resize;
  background: var(--accent); border: 2px solid var(--surface); }
.split::-moz-range-thumb { width: 24px; height: 24px; border-radius: 50%; pointer-events: auto; cursor: ew-resize;
  background: var(--accent); border: 2px solid var(--surface); }
.pins { position: absolute; inset: 0; overflow: hidden; pointer-events: none; }
.pin { position: absolute; left: 0; top: -38px; min-width: 24px; height: 38px; min-height: 0; padding: 0 5px 14px; border: 0; background: none;
  font-size: 12px; font-weight: 600; line-height: 24px; color: #fff; pointer-events: auto; isolation: isolate; }
.pin::before { content: ''; position: absolute; z-index: -1; inset: 0 0 14px; border-radius: 12px;
  background: #22303f; border: 1px solid #fff; }
.pin::after { content: ''; position: absolute; left: calc(50% - 1px); top: 24px; width: 2px; height: 14px; background: #22303f; outline: 0.5px solid #fff; }
.pin.selected { z-index: 1; } .pin.selected::before { background: #0b5cad; box-shadow: 0 0 0 2px #fff; }
.panel { border-left: 1px solid var(--border); padding: 8px; overflow: auto; display: flex; flex-direction: column; min-height: 0; box-sizing: border-box; }
.panel h3, .panel p { margin: 0 0 6px; font-size: inherit; }
#summary .line { display: block; margin-bottom: 4px; }
.note { font-size: 12px; } .note:empty { display: none; }
.kinds, .places { list-style: none; margin: 0 0 6px; padding: 0; }
.kinds label { display: flex; gap: 6px; align-items: center; min-height: 26px; }
.swatch { width: 14px; height: 14px; border: 1px solid var(--border); flex: none; }
.defects { display: flex; flex-direction: column; min-height: 0; flex: 1; }
.places { overflow: auto; flex: 1 1 auto; min-height: 60px; }
.places button { width: 100%; text-align: left; border: 0; border-radius: 0; background-color: transparent; }
.places button[aria-current='true'] { background: var(--accent); }
.steps { display: flex; flex-wrap: wrap; gap: 6px; margin-bottom: 6px; }
.message { padding: 12px; margin: 0; }
.fallback { overflow: auto; }
.pictures { display: flex; flex-wrap: wrap; gap: 6px; padding: 6px; }
.pictures img { max-width: 100%; background: #fff; }
.visually-hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@container (max-width: 560px) {
  .viewer { grid-template: auto minmax(0, 1fr) auto / minmax(0, 1fr); }
  .toolbar { flex-wrap: nowrap; overflow-x: auto; gap: 3px; padding: 3px; }
  .toolbar > * { flex: none; }
  .panel { border-left: 0; border-top: 1px solid var(--border); max-height: 34cqh; padding: 4px 8px; display: block; }
  .places { overflow: visible; }
}
@container (max-width: 560px) and (max-height: 300px) {
  .toolbar button, .toolbar select { min-height: 24px; padding: 0 4px; font-size: 12px; }
  .panel { max-height: 46px; } .split { bottom: 2px; } .label { display: none; }
}
@container (max-width: 560px) and (max-height: 200px) {
  .toolbar, .panel { scrollbar-width: thin; } .toolbar { padding: 1px 3px; }
  .panel { max-height: 29px; padding: 1px 8px; } .steps { flex-wrap: nowrap; }
  .panel button { min-height: 24px; padding: 0 4px; font-size: 12px; white-space: nowrap; }
  #summary { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
}
`;
