import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort, startNodeRedProcess } from '../../test/helpers/node-red-process.js';
import { peakMib, resetPeak, residentMib } from '../service/service-process.js';
import { benchFlows } from './flows.js';

/** How one flow went: until its answer, the CPU time that Node-RED took for it, and by how much Node-RED's resident memory was more at most than before its first run. */
export interface Run {
  seconds: number;
  cpuSeconds: number;
  growthMib: number;
  body: unknown;
}

/** A Node-RED with the flows of the benchmark, in a process of its own. */
export interface BenchNodeRed {
  run(name: string, query: Record<string, string | number>): Promise<Run>;
  stop(): Promise<void>;
}

const LOGIN = {
  MODEL_PROCESSING_CLIENT_ID: 'bench',
  MODEL_PROCESSING_CLIENT_SECRET: 'bench',
  MODEL_PROCESSING_USERNAME: 'bench',
  MODEL_PROCESSING_PASSWORD: 'bench',
};

/** Starts one whose nodes speak with a service at this address. Its files stand below `folder`. */
export const startBenchNodeRed = async (baseUrl: string, folder: string): Promise<BenchNodeRed> => {
  const userDir = mkdtempSync(path.join(folder, 'node-red-'));
  const scope = path.join(userDir, 'node_modules/@model-processing');
  mkdirSync(scope, { recursive: true });
  symlinkSync(process.cwd(), path.join(scope, 'node-red'), 'junction');
  const manifest = { name: 'user', private: true, dependencies: { '@model-processing/node-red': '*' } };
  writeFileSync(path.join(userDir, 'package.json'), JSON.stringify(manifest));
  writeFileSync(path.join(userDir, 'flows.json'), JSON.stringify(benchFlows(baseUrl, folder)));
  const settings = 'httpRequestTimeout: 3600000,';
  const { url, child, stop } = await startNodeRedProcess(userDir, await freePort(), { env: LOGIN, settings });
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
      if (reply.status !== 200) throw new Error(`${name} answered ${reply.status}: ${text}`);
      return { seconds, cpuSeconds: cpuSeconds(pid) - cpuBefore, growthMib: peakMib(pid) - before, body: parse(text) };
    },
    stop: async () => {
      await stop();
      rmSync(userDir, { recursive: true, force: true });
    },
  };
};

/** The CPU time of a process so far, user and system; Linux counts it in hundredths of a second. */
const cpuSeconds = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
};

const parse = (text: string): unknown => (text.startsWith('{') ? JSON.parse(text) : text);
