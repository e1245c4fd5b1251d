import { rmSync } from 'node:fs';
import path from 'node:path';
import { rounded } from '../service/service-process.js';
import { startBenchNodeRed } from './bench-node-red.js';
import { writeModel } from './model-file.js';
import { startStubService } from './stub-service.js';

const LIFE_S = 5;
const FLOWS = 200;
const MODEL_ID = '6f1c2b1e-0000-4000-8000-000000000001';

const countSucceeded = (body: unknown): number => Number(Object(body).good);

/** Messages that come at once, each with a file of so many MiB: how many were delivered, and by how much memory grew. */
export const measureFlood = async (folder: string, { count, mib }: { count: number; mib: number }) => {
  const sink = await startStubService();
  const model = path.join(folder, 'model.stl');
  writeModel(model, mib);
  const nodeRed = await startBenchNodeRed(sink.baseUrl, folder);
  try {
    const { seconds, growthMib, body } = await nodeRed.run('many-uploads', { path: model, count });
    const { uploads } = await sink.counts();
    return {
      [`${count} messages of ${mib} MiB at once`]: {
        seconds: rounded(seconds),
        delivered: { value: Math.min(countSucceeded(body), uploads), reach: count },
        growthMib: { value: rounded(growthMib, 1), reach: 128 },
      },
    };
  } finally {
    await nodeRed.stop();
    await sink.close();
    rmSync(model);
  }
};

/** 200 messages at once when the token has just expired, over two config nodes of one account. */
export const measureTokens = async (folder: string) => {
  const sink = await startStubService(LIFE_S);
  const nodeRed = await startBenchNodeRed(sink.baseUrl, folder);
  try {
    await nodeRed.run('many-starts', { path: MODEL_ID, count: 2 });
    const { tokenRequests: cold } = await sink.counts();
    await new Promise((resolve) => setTimeout(resolve, LIFE_S * 1000 + 500));
    await sink.reset();
    const { body } = await nodeRed.run('many-starts', { path: MODEL_ID, count: FLOWS });
    const { tokenRequests, refreshReused } = await sink.counts();
    return {
      [`${FLOWS} flows at the expiry of the token`]: {
        tokenRequestsCold: { value: cold, reach: 1 },
        tokenRequests: { value: tokenRequests, reach: 1 },
        successes: { value: countSucceeded(body), reach: FLOWS },
        refreshTokensReused: { value: refreshReused, reach: 0 },
      },
    };
  } finally {
    await nodeRed.stop();
    await sink.close();
  }
};
