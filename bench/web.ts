// Measures the page of the service in Chromium: its size without the viewer, the time from its last byte until it can be
// used, the time from dropping a 1 MB STL to its verdict compared with the same through curl in alternation, and the
// longest task while a list of 1,000 models is scrolled; and the start (in time of the processor) and the idle memory of a
// service with and without the page, and of the embedded service, which has none. `npm run bench -- web
// [size|interactive|verdict|list|start]...` prints the figures, by default all, and writes them to bench/results/web.json,
// where figures that are not measured now are preserved. With WEB_BASE, the command line of another build, `start` compares the embedded service with that one.
// Exits with 1 if a figure exceeds its limit. Needs curl and `npm run build`.
import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { createFolder, removeFolder } from '../test/service/support/data-folder.js';
import { startViewerBrowser } from '../test/viewer/support/viewer-browser.js';
import { median, roundTo } from './service/service-process.js';
import { measureInteractive } from './web/measure-interactive.js';
import { measureList } from './web/measure-list.js';
import { measureStarts } from './web/measure-start.js';
import { measureVerdict } from './web/measure-verdict.js';
import { type SignedIn, startSignedIn } from './web/service.js';

const ROUNDS = 7;
const START_ROUNDS = 9;
const LIMITS = {
  gzipBytes: 60_000,
  interactiveMs: 300,
  verdictRatio: 1.3,
  longestTaskMs: 50,
  startRatio: 1.03,
  memoryRatio: 1.03,
};
const root = path.resolve(fileURLToPath(import.meta.url), '../..');

/** The figures that have a limit, and what they were derived from. */
interface Measured {
  figures: Partial<Record<keyof typeof LIMITS, number>>;
  details?: object;
}

type Measurement = (signedIn: () => Promise<SignedIn>, folder: string) => Measured | Promise<Measured>;

function measureSize(): Measured {
  const files = ['index.html', 'app.js', 'app.css', 'icon.svg'];
  const sizes = files.map((file) => gzipSync(readFileSync(path.join(root, 'dist/web', file))).length);
  return { figures: { gzipBytes: sizes.reduce((sum, size) => sum + size, 0) } };
}

async function measureStart(folder: string): Promise<Measured> {
  const cli = path.join(root, 'dist/src/cli.js');
  const { WEB_BASE: base } = process.env;
  const embedded = ['--parent-pipe', '--callbacks', 'loopback'];
  const services = await measureStarts(
    [
      { name: 'withoutPage', cli, args: ['--web', 'off'] },
      { name: 'withPage', cli, args: ['--web', 'on'] },
      { name: 'embedded', cli, args: embedded },
      ...(base === undefined ? [] : [{ name: 'embeddedBefore', cli: base, args: embedded }]),
    ],
    folder,
    START_ROUNDS,
  );
  const { withoutPage, withPage, embedded: now, embeddedBefore = withoutPage } = services;
  const [after, before] = base === undefined ? [withPage, withoutPage] : [now, embeddedBefore];
  if (!after || !before) throw new Error('A service was not measured.');
  const figures = {
    startRatio: roundTo(after.startCpuMs / before.startCpuMs, 3),
    memoryRatio: roundTo(after.idleMib / before.idleMib, 3),
  };
  return { figures, details: services };
}

const MEASUREMENTS: Record<string, Measurement> = {
  size: measureSize,
  interactive: async (signedIn) => {
    const { context, service } = await signedIn();
    const times: number[] = [];
    const browser = context.browser();
    for (let round = 0; browser && round < ROUNDS; round++)
      times.push(await measureInteractive(browser, service.baseUrl));
    return { figures: { interactiveMs: roundTo(median(times)) } };
  },
  verdict: async (signedIn, folder) => {
    const { ratio, ...details } = await measureVerdict(await signedIn(), folder, ROUNDS);
    return { figures: { verdictRatio: ratio }, details };
  },
  list: async (signedIn) => {
    const { context, service } = await signedIn();
    const { longestTaskMs, ...details } = await measureList(context, service.baseUrl);
    return { figures: { longestTaskMs }, details };
  },
  start: (_signedIn, folder) => measureStart(folder),
};

const requested = process.argv.slice(2);
const folder = await createFolder();
const browser = await startViewerBrowser();
const RESULT = path.join(root, 'bench/results/web.json');
const result: Record<string, unknown> = JSON.parse(readFileSync(RESULT, 'utf8'));
let opening: Promise<SignedIn> | undefined;
const signedIn = (): Promise<SignedIn> => {
  opening ??= startSignedIn(browser, path.join(folder, 'service'));
  return opening;
};
try {
  for (const [name, measure] of Object.entries(MEASUREMENTS)) {
    if (requested.length > 0 && !requested.includes(name)) continue;
    const loadBefore = roundTo(os.loadavg()[0] ?? 0);
    const { figures, details } = await measure(signedIn, folder);
    const row = { ...figures, ...details, loadBefore, loadAfter: roundTo(os.loadavg()[0] ?? 0) };
    console.log(JSON.stringify({ [name]: row }, null, 2));
    result[name] = row;
    for (const [figure, value] of Object.entries(figures)) {
      if (!(value <= LIMITS[figure as keyof typeof LIMITS])) process.exitCode = 1;
    }
  }
} finally {
  await browser.close();
  await (await opening)?.service.close();
  await removeFolder(folder);
}
result.limits = LIMITS;
result.machine = { cpu: os.cpus()[0]?.model, cores: os.cpus().length, node: process.version };
writeFileSync(RESULT, `${JSON.stringify(result, null, 2)}\n`);
