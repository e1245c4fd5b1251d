import { once } from 'node:events';
import type { Browser, CDPSession } from 'playwright-core';
import { type BurstFlow, createBurstFlow } from '../../test/editor/support/burst-flow.js';
import {
  type CommsMessage,
  findAnnouncements,
  findFileContents,
  recordComms,
} from '../../test/editor/support/comms-recorder.js';
import { countResources } from '../../test/editor/support/count-resources.js';
import { Editor } from '../../test/editor/support/editor.js';
import { ModelsTab } from '../../test/editor/support/models-tab.js';
import { findFreePort, type NodeRedProcess, startNodeRedProcess } from '../../test/helpers/node-red-process.js';
import { eventually } from '../../test/helpers/processes.js';
import { createUserDirectory } from '../../test/helpers/user-directory.js';

const BURST_COUNT = 20;
const WARM_UP_BURSTS = 5;
const BURSTS = 50;
/** A model is opened in 3D and closed again after every fifth burst. */
const BURSTS_PER_VIEW = 5;
const REPORTER = new URL('memory-reporter.mjs', import.meta.url).href;

interface Bench {
  nodeRed: NodeRedProcess;
  flow: BurstFlow;
  tab: ModelsTab;
  /** The keys of all previews. */
  keys: Set<string>;
}

/** The memory of both sides after a full garbage collection, in bytes. */
interface Memory {
  nodeRed: { heapUsed: number; external: number; rss: number };
  tab: { used: number; backingStorage: number };
}

/**
 * Measures how much the memory of Node-RED and of an open editor grows over 1,000 messages to one preview node, after 100
 * for warm-up, and what Node-RED sends to the editor meanwhile. `folder` receives the files of Node-RED and of its service.
 */
export async function measureMemory(browser: Browser, folder: string) {
  const flow = await createBurstFlow(BURST_COUNT);
  const nodeRed = await startNodeRedProcess(createUserDirectory(flow.nodes, folder), await findFreePort(), {
    env: { HOME: folder, TMPDIR: folder },
    preload: REPORTER,
  });
  try {
    const editor = await Editor.open(browser, nodeRed.url);
    const messages = await recordComms(editor.page);
    const session = await editor.page.context().newCDPSession(editor.page);
    await editor.page.reload();
    await editor.page.locator('.red-ui-tab-label').getByText(flow.label, { exact: true }).click();
    const readResources = await countResources(editor.page);
    const bench = { nodeRed, flow, tab: new ModelsTab(editor), keys: new Set<string>() };
    await bench.tab.show();
    await sendBursts(bench, WARM_UP_BURSTS, flow.startId);
    const before = await readMemory(nodeRed, session);
    const previewsBefore = bench.keys.size;
    const start = performance.now();
    await sendBursts(bench, BURSTS, flow.againId);
    const seconds = (performance.now() - start) / 1000;
    const after = await readMemory(nodeRed, session);
    const announcements = findAnnouncements(messages, flow.previewId);
    return {
      messages: BURSTS * BURST_COUNT,
      previews: bench.keys.size - previewsBefore,
      seconds: Math.round(seconds),
      growthMb: compareMemory(before, after),
      pictures: await bench.tab.rows.count(),
      blobUrls: (await readResources()).urls,
      comms: {
        messages: messages.length,
        withFileContent: findFileContents(messages).length,
        longestBytes: longestBytes(messages),
        announcements: announcements.length,
        longestAnnouncementBytes: longestBytes(announcements),
        mostAnnouncementsIn10Seconds: countMost(announcements, 10),
      },
    };
  } finally {
    await nodeRed.stop();
  }
}

/** Sends bursts, the first from this inject node. Each begins when the newest message of the one before is shown. */
async function sendBursts({ nodeRed, flow, tab, keys }: Bench, count: number, firstId: string): Promise<void> {
  for (let burst = 0; burst < count; burst += 1) {
    const known = keys.size;
    await fetch(`${nodeRed.url}/inject/${burst === 0 ? firstId : flow.againId}`, { method: 'POST' });
    // The first message of a burst is shown at once, and the last after it.
    await eventually('the first and the last message are shown', async () => {
      const { models } = await (await fetch(`${nodeRed.url}/model-processing/models`)).json();
      for (const { key } of models) keys.add(key);
      return keys.size >= known + 2 && models.every(({ state }: { state: string }) => state !== 'working');
    });
    await tab.waitForRows(Math.min(50, keys.size));
    if (burst % BURSTS_PER_VIEW > 0) continue;
    await tab.rows.first().click();
    await tab.detail.locator('.model-processing-view[data-has-mesh]').waitFor();
    await tab.detail.getByRole('button', { name: 'All models' }).click();
  }
  await eventually('the pictures of all models are loaded', async () => {
    const pictures = await tab.rows.locator('img').count();
    return pictures === (await tab.rows.count());
  });
}

async function readMemory({ child }: NodeRedProcess, session: CDPSession): Promise<Memory> {
  const reply = once(child, 'message');
  child.send('memory');
  const [nodeRed] = await reply;
  await session.send('HeapProfiler.collectGarbage');
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize, backingStorageSize } = await session.send('Runtime.getHeapUsage');
  return { nodeRed, tab: { used: usedSize, backingStorage: backingStorageSize } };
}

function compareMemory(before: Memory, after: Memory) {
  const toMb = (from: number, to: number): number => Math.round((to - from) / 1e5) / 10;
  return {
    nodeRedHeap: toMb(before.nodeRed.heapUsed, after.nodeRed.heapUsed),
    nodeRedExternal: toMb(before.nodeRed.external, after.nodeRed.external),
    nodeRedResident: toMb(before.nodeRed.rss, after.nodeRed.rss),
    tabHeap: toMb(before.tab.used, after.tab.used),
    tabBuffers: toMb(before.tab.backingStorage, after.tab.backingStorage),
  };
}

function longestBytes(messages: readonly { text: string }[]): number {
  return Math.max(0, ...messages.map(({ text }) => Buffer.byteLength(text)));
}

/** Returns the maximum number of messages in any period of this length. */
function countMost(messages: readonly CommsMessage[], seconds: number): number {
  const counts = messages.map(
    ({ receivedAtS: start }) =>
      messages.filter(({ receivedAtS }) => receivedAtS >= start && receivedAtS < start + seconds).length,
  );
  return Math.max(0, ...counts);
}
