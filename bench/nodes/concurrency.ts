import { rmSync } from 'node:fs';
import path from 'node:path';
import { roundTo } from '../service/service-process.js';
import { startBenchNodeRed } from './bench-node-red.js';
import { writeModel } from './model-file.js';
import { startStubService } from './stub-service.js';

const TOKEN_LIFETIME_S = 5;
const FLOWS = 200;
const MODEL_ID = '6f1c2b1e-0000-4000-8000-000000000001';

function countSucceeded(body: unknown): number {
  return Number(Object(body).good);
}

/** Sends messages with files of this size at once. Measures how many are delivered and how much memory grows. */
export async function measureFlood(folder: string, { count, mib }: { count: number; mib: number }) {
  const stub = await startStubService();
  const model = path.join(folder, 'model.stl');
  writeModel(model, mib);
  const nodeRed = await startBenchNodeRed(stub.baseUrl, folder);
  try {
    const { seconds, growthMib, body } = await nodeRed.run('many-uploads', { path: model, count });
    const { uploads } = await stub.counts();
    return {
      [`${count} messages of ${mib} MiB at once`]: {
        seconds: roundTo(seconds),
        delivered: { value: Math.min(countSucceeded(body), uploads), reach: count },
        growthMib: { value: roundTo(growthMib, 1), reach: 128 },
      },
    };
  } finally {
    await nodeRed.stop();
    await stub.close();
    rmSync(model);
  }
}

/** Sends 200 messages just after the token has expired, over two config nodes of one account. */
export async function measureTokens(folder: string) {
  const stub = await startStubService(TOKEN_LIFETIME_S);
  const nodeRed = await startBenchNodeRed(stub.baseUrl, folder);
  try {
    await nodeRed.run('many-starts', { path: MODEL_ID, count: 2 });
    const { tokenRequests: cold } = await stub.counts();
    await new Promise((resolve) => setTimeout(resolve, TOKEN_LIFETIME_S * 1000 + 500));
    await stub.reset();
    const { body } = await nodeRed.run('many-starts', { path: MODEL_ID, count: FLOWS });
    const { tokenRequests, refreshReused } = await stub.counts();
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
    await stub.close();
  }
}
