import { readdir, readFile } from 'node:fs/promises';

/** How much memory grew at most, in MiB. */
export interface MemoryGrowth {
  /** Of all processes of the browser. */
  browserMib: number;
  /** Of this process, in which the service runs. */
  serviceMib: number;
}

const INTERVAL_MS = 50;

async function readText(file: string): Promise<string> {
  return readFile(file, 'utf8').catch(() => ''); // the process has ended
}

/** Returns the memory of a process that is not that of a file on the disk, in MiB. */
async function readMib(pid: string): Promise<number> {
  const status = await readText(`/proc/${pid}/status`);
  const sizes = [...status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB$/gm)].map(([, kilobytes]) => Number(kilobytes));
  return sizes.reduce((sum, size) => sum + size, 0) / 1024;
}

/** Returns the ids of the processes that this one has started, and those that they have. */
async function listDescendants(): Promise<string[]> {
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const entries = await Promise.all(
    all.map(async (pid) => [pid, /^\d+ \(.*\) \S (\d+)/s.exec(await readText(`/proc/${pid}/stat`))?.[1]] as const),
  );
  const found = new Set([String(process.pid)]);
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const [pid, parent = ''] of entries) if (found.has(parent)) found.add(pid);
  }
  return [...found];
}

async function readMemory(): Promise<MemoryGrowth> {
  const pids = await listDescendants();
  const lines = await Promise.all(pids.map(async (pid) => [pid, await readText(`/proc/${pid}/cmdline`)] as const));
  const browsers = lines.filter(([, line]) => /chrom/i.test(line.split('\0')[0] ?? ''));
  const sizes = await Promise.all(browsers.map(([pid]) => readMib(pid)));
  return { browserMib: sizes.reduce((sum, size) => sum + size, 0), serviceMib: await readMib(String(process.pid)) };
}

/** A measurement that runs until `stop`. */
export interface MemoryMeter {
  readonly growth: MemoryGrowth;
  stop(): Promise<void>;
}

/** Starts to measure the memory of the browser and of the service. */
export async function startMemoryMeter(): Promise<MemoryMeter> {
  const before = await readMemory();
  const growth: MemoryGrowth = { browserMib: 0, serviceMib: 0 };
  let isStopped = false;
  const measure = async (): Promise<void> => {
    while (!isStopped) {
      const now = await readMemory();
      growth.browserMib = Math.max(growth.browserMib, Math.round(now.browserMib - before.browserMib));
      growth.serviceMib = Math.max(growth.serviceMib, Math.round(now.serviceMib - before.serviceMib));
      await new Promise((resolve) => {
        setTimeout(resolve, INTERVAL_MS);
      });
    }
  };
  const measuring = measure();
  return {
    growth,
    async stop() {
      isStopped = true;
      await measuring;
    },
  };
}
