import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findFreePort, startNodeRedProcess } from '../../test/helpers/node-red-process.js';
import { peakMib, resetPeak, residentMib } from '../service/service-process.js';
import { benchFlows } from './flows.js';

/**
 * The result of a flow: the time until its reply, the CPU time of Node-RED, and the growth of its peak resident memory
 * since before its first run.
 */
export interface Run {
  seconds: number;
  cpuSeconds: number;
  growthMib: number;
  body: unknown;
}

/** A Node-RED process with the flows of the benchmark. */
export interface BenchNodeRed {
  run(name: string, query: Record<string, string | number>): Promise<Run>;
  stop(): Promise<void>;
}

const CREDENTIALS = {
  MODEL_PROCESSING_CLIENT_ID: 'bench',
  MODEL_PROCESSING_CLIENT_SECRET: 'bench',
  MODEL_PROCESSING_USERNAME: 'bench',
  MODEL_PROCESSING_PASSWORD: 'bench',
};

/** Starts a Node-RED whose nodes use the service at this URL. Its files are stored in `folder`. */
export async function startBenchNodeRed(baseUrl: string, folder: string): Promise<BenchNodeRed> {
  const userDir = mkdtempSync(path.join(folder, 'node-red-'));
  const scope = path.join(userDir, 'node_modules/@model-processing');
  mkdirSync(scope, { recursive: true });
  symlinkSync(process.cwd(), path.join(scope, 'node-red'), 'junction');
  const manifest = { name: 'user', private: true, dependencies: { '@model-processing/node-red': '*' } };
  writeFileSync(path.join(userDir, 'package.json'), JSON.stringify(manifest));
  writeFileSync(path.join(userDir, 'flows.json'), JSON.stringify(benchFlows(baseUrl, folder)));
  const settings = 'httpRequestTimeout: 3600000,';
  const { url, child, stop } = await startNodeRedProcess(userDir, await findFreePort(), { env: CREDENTIALS, settings });
  const pid = child.pid ?? 0;
  const before = residentMib(pid);
  return {
    run: async (name, query) => {
      const search = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]));
      resetPeak(pid);
      const cpuBefore = cpuSeconds(pid);
      const start = performance.now();
      const reply = await fetch(`${url}/${name}?${search}`, { signal: AbortSignal.timeout(3_600_000) });
      const text = await reply.text();
      const seconds = (performance.now() - start) / 1000;
      if (reply.status !== 200) throw new Error(`The flow ${name} replied ${reply.status}: ${text}`);
      return {
        seconds,
        cpuSeconds: cpuSeconds(pid) - cpuBefore,
        growthMib: peakMib(pid) - before,
        body: parseBody(text),
      };
    },
    stop: async () => {
      await stop();
      rmSync(userDir, { recursive: true, force: true });
    },
  };
}

/** Returns the CPU time of a process, user and system. Linux counts it in 1/100 s. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function parseBody(text: string): unknown {
  return text.startsWith('{') ? JSON.parse(text) : text;
}
