// Measures the viewer in Chromium with WebGL drawn by software: its size, the time to the first frame, frames while the
// camera moves, the decoder, and HTML reports, compared in the same run with three's own loader and renderer, MSAA and all
// triangles in every frame. `npm run bench -- viewer` prints the figures and writes bench/results/viewer.json. With the
// argument `memory`, it measures only the memory of Node-RED and an open editor over 1,000 messages.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { serializeGlb } from '../src/mesh/formats/gltf/glb-writer.js';
import { serializePreview } from '../src/mesh/formats/gltf/preview-writer.js';
import { serializeStlBinary } from '../src/mesh/formats/stl/stl-binary-writer.js';
import { createPreview } from '../src/mesh/preview/create-preview.js';
import { startViewerBrowser } from '../test/viewer/support/viewer-browser.js';
import { makeSphere } from './kernel/sphere.js';
import type { measureBaseline } from './viewer/baseline-page.js';
import { measureMemory } from './viewer/memory.js';
import type { measureViewer } from './viewer/viewer-page.js';

// The names of the pages, for functions that page.evaluate() runs there.
declare const bench: { measureBaseline: typeof measureBaseline; measureViewer: typeof measureViewer };

type Measured<T extends (...args: never[]) => unknown> = Awaited<ReturnType<T>>;

const RUNS = 5;
const FRAMES = 60;
const TRIANGLES = 200_000;
/** Gives 199,080 triangles. */
const RINGS = 316;
const root = path.resolve(fileURLToPath(import.meta.url), '../..');

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** Rounds to 0.1. */
function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Returns the script of a page with both measurements. */
async function bundlePages(): Promise<string> {
  const contents = "export * from './viewer/baseline-page.js'; export * from './viewer/viewer-page.js';";
  const stdin = { contents, resolveDir: path.join(root, 'bench'), loader: 'ts' } as const;
  const options = { bundle: true, write: false, minify: true, format: 'iife', globalName: 'bench' } as const;
  const { outputFiles } = await build({ stdin, ...options, target: 'es2022' });
  return outputFiles[0]?.text ?? '';
}

/** Opens a page, in which the picture of the viewer has 900 × 600 pixels. */
async function openPage(browser: Browser, script: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1200, height: 700 } });
  await page.addStyleTag({ content: 'body { margin: 0 } .host { width: 1160px; height: 641px }' });
  await page.addScriptTag({ content: script });
  return page;
}

async function measurePages(browser: Browser, preview: string, glb: string) {
  const script = await bundlePages();
  const runs: { baseline: Measured<typeof measureBaseline>; viewer: Measured<typeof measureViewer> }[] = [];
  for (let run = 0; run < RUNS; run++) {
    const [baselinePage, viewerPage] = [await openPage(browser, script), await openPage(browser, script)];
    await baselinePage.bringToFront();
    const baseline = await baselinePage.evaluate(
      async ([text, count]) => {
        const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
        return bench.measureBaseline(bytes.buffer, count);
      },
      [glb, 10] as const,
    );
    await baselinePage.close();
    await viewerPage.bringToFront();
    const viewer = await viewerPage.evaluate(
      async ([text, count]) => {
        const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
        return bench.measureViewer(bytes, count);
      },
      [preview, FRAMES] as const,
    );
    await viewerPage.close();
    runs.push({ baseline, viewer });
  }
  const of = (pick: (run: (typeof runs)[number]) => number): number => round(median(runs.map(pick)));
  return {
    baseline: { firstMs: of((run) => run.baseline.firstMs), frameMs: of((run) => median(run.baseline.frames)) },
    viewer: {
      decodeMs: of((run) => run.viewer.decodeMs),
      firstMs: of((run) => run.viewer.firstMs),
      fullMs: of((run) => run.viewer.fullMs),
      frameMs: of((run) => median(run.viewer.frames)),
      longestFrameMs: of((run) => Math.max(...run.viewer.frames)),
      restMs: of((run) => run.viewer.restMs),
    },
  };
}

/** Writes a report with two models, and measures the time until the first picture after it was opened. */
async function measureReport(browser: Browser, folder: string): Promise<{ bytes: number; firstMs: number }> {
  const [input, output] = [path.join(folder, 'sphere.stl'), path.join(folder, 'report.html')];
  writeFileSync(input, Buffer.concat([...serializeStlBinary(makeSphere(RINGS))]));
  const program = [path.join(root, 'dist/src/cli.js'), 'process', input, '--repair', '-o', folder, '--html', output];
  execFileSync(process.execPath, program);
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const page = await browser.newPage();
    const start = performance.now();
    await page.goto(pathToFileURL(output).href);
    await page.locator('canvas[data-detail]').waitFor();
    times.push(performance.now() - start);
    await page.close();
  }
  return { bytes: statSync(output).size, firstMs: round(median(times)) };
}

async function measureAll(browser: Browser, folder: string) {
  const sphere = makeSphere(RINGS);
  const created = await createPreview(sphere, { maxTriangles: TRIANGLES });
  const preview = Buffer.concat([...(await serializePreview(created))]).toString('base64');
  const glb = Buffer.concat([...serializeGlb(sphere)]).toString('base64');
  const code = readFileSync(path.join(root, 'resources/viewer.js'));
  return {
    what: 'the viewer in Chromium with WebGL by software, 900 x 600, median of 5; baseline: GLTFLoader, MSAA, all triangles',
    triangles: sphere.triangles.length / 3,
    bundle: { bytes: code.length, gzipBytes: gzipSync(code, { level: 9 }).length },
    ...(await measurePages(browser, preview, glb)),
    report: await measureReport(browser, folder),
    machine: describeMachine(),
  };
}

function describeMachine() {
  return { cpu: os.cpus()[0]?.model, cores: os.cpus().length, load: round(os.loadavg()[0] ?? 0) };
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'bench-viewer-'));
const browser = await startViewerBrowser();
try {
  const isMemory = process.argv[2] === 'memory';
  const result = isMemory
    ? { memory: { ...(await measureMemory(browser, folder)), machine: describeMachine() } }
    : await measureAll(browser, folder);
  const file = path.join(root, 'bench/results/viewer.json');
  const recorded: object = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, `${JSON.stringify({ ...recorded, ...result }, null, 2)}\n`);
  console.log(JSON.stringify(result, null, 2));
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
}
