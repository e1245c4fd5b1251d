import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { serializeStlBinary } from '../../src/mesh/formats/stl/stl-binary-writer.js';
import { makeSphere } from '../kernel/sphere.js';
import { median, roundTo } from '../service/service-process.js';
import type { SignedIn } from './service.js';

/** Gives 1.0 MB. */
const RINGS = 100;

/** Drops a file on the page. Returns the time until it shows the verdict. */
function dropFile(page: Page, base64: string, filename: string): Promise<number> {
  return page.evaluate(
    async ([text, name]) => {
      const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([bytes], name));
      const start = performance.now();
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
      await new Promise<void>((resolve) => {
        const observer = new MutationObserver(() => {
          const isShown = document.querySelector('.detail h1')?.textContent === name;
          if (!isShown || !document.querySelector('.verdict-panel:not([hidden]) .verdict')) return;
          observer.disconnect();
          resolve();
        });
        observer.observe(document.body, { subtree: true, childList: true, attributes: true });
      });
      return performance.now() - start;
    },
    [base64, filename] as const,
  );
}

/** Uploads and reads a file with curl, polling 20 times a second. Returns the time to its report. */
async function readWithCurl(file: string, url: string, token: string): Promise<number> {
  const script = `set -eo pipefail; a="Authorization: Bearer ${token}"; j="Content-Type: application/json"
id() { grep -o '"'$1'":"[^"]*"' | head -1 | cut -d'"' -f4; }
f=$(curl -sf -H "$a" -F "file=@${file}" ${url}/web-api/operation/file | id fileId)
o=$(curl -sf -H "$a" -H "$j" -d '{"fileId":"'$f'","measurementUnits":"mm"}' ${url}/web-api/operation/import | id operationId)
until curl -sf -H "$a" ${url}/web-api/operation/$o/status | grep -q '"isCompleted":true'; do sleep 0.05; done`;
  const start = performance.now();
  await promisify(execFile)('bash', ['-c', script], { timeout: 60_000 });
  return performance.now() - start;
}

/** Then the service has processes ready again for the next operations. */
const SETTLED_MS = 1500;

/** Resolves some time after the last operation of the user has completed, for example one for the view of a model. */
async function untilIdle({ api }: SignedIn['service']): Promise<void> {
  for (;;) {
    const { operations } = (await api.get('?limit=20')).body as {
      operations: { operationId: string; isCompleted: boolean }[];
    };
    const unfinished = operations.find(({ isCompleted }) => !isCompleted);
    if (!unfinished) break;
    await api.untilCompleted(unfinished.operationId);
  }
  await sleep(SETTLED_MS);
}

/** Measures the time from dropping a 1 MB STL to its verdict, and the same through curl, in alternation. */
export async function measureVerdict({ service, open }: SignedIn, folder: string, rounds: number) {
  const stl = Buffer.concat([...serializeStlBinary(makeSphere(RINGS))]);
  const file = path.join(folder, 'sphere.stl');
  writeFileSync(file, stl);
  const runs: { pageMs: number; curlMs: number }[] = [];
  for (let run = 0; run <= rounds; run++) {
    const page = await open();
    await untilIdle(service);
    const pageMs = await dropFile(page, stl.toString('base64'), `sphere ${run}.stl`);
    await page.locator('canvas[data-detail=full]').waitFor();
    await page.close(); // with the operations for its view, which would be measured with curl
    await untilIdle(service);
    const curlMs = await readWithCurl(file, service.baseUrl, service.api.token);
    if (run > 0) runs.push({ pageMs, curlMs }); // the first one starts the kernel
  }
  const [pageMs, curlMs] = [median(runs.map((run) => run.pageMs)), median(runs.map((run) => run.curlMs))];
  const ratios = runs.map((run) => roundTo(run.pageMs / run.curlMs)).join(' ');
  return {
    stlBytes: stl.length,
    pageMs: roundTo(pageMs),
    curlMs: roundTo(curlMs),
    ratio: roundTo(pageMs / curlMs),
    ratios,
  };
}
