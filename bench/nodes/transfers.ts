import { execFileSync } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { measureSeconds, median, roundTo } from '../service/service-process.js';
import { type Run, startBenchNodeRed } from './bench-node-red.js';
import { writeModel } from './model-file.js';
import { startStubService, toFileId } from './stub-service.js';

const MIB = 1 << 20;
const BEARER = ['-H', 'Authorization: Bearer any'];

/** Rounds of alternating runs. The slow flow of core nodes runs once, in a new Node-RED. */
const ROUNDS = 3;

interface Contenders {
  curl: number[];
  ours: Run[];
  core: Run;
}

function figures({ curl, ours, core }: Contenders, mib: number, reachCurl: number) {
  const seconds = median(ours.map((run) => run.seconds));
  return {
    mibPerS: roundTo(mib / seconds, 0),
    speedOfCurl: { value: roundTo(median(curl) / seconds), reach: reachCurl },
    timeOfCoreFlow: { value: roundTo(seconds / core.seconds), reach: 0.4 },
    cpuSeconds: roundTo(median(ours.map((run) => run.cpuSeconds))),
    coreCpuSeconds: roundTo(core.cpuSeconds),
    growthMib: { value: roundTo(Math.max(...ours.map((run) => run.growthMib)), 1), reach: 64 },
    coreGrowthMib: roundTo(core.growthMib, 0),
  };
}

function assertComplete(run: Run, file: string, size: number): Run {
  if (statSync(file).size !== size) throw new Error(`The file ${file} is incomplete.`);
  rmSync(file);
  return run;
}

/** Measures an upload by path and a download to disk with the nodes of this package, curl, and a flow of core nodes. */
export async function measureTransfers(folder: string, mib: number) {
  const stub = await startStubService();
  const model = path.join(folder, 'model.stl');
  const id = toFileId(mib * MIB);
  const ours = path.join(folder, 'ours.stl');
  writeModel(model, mib);
  const uploadByCurl = () =>
    execFileSync('curl', ['-sSf', ...BEARER, '-F', `file=@${model}`, `${stub.baseUrl}/web-api/operation/file`]);
  const downloadByCurl = () =>
    execFileSync('curl', ['-sSf', ...BEARER, '-o', ours, `${stub.baseUrl}/web-api/operation/file/${id}`]);
  // A small transfer first, so that both programs are loaded and compiled.
  const small = path.join(folder, 'small.stl');
  writeModel(small, 1);
  const runInNewNodeRed = async (flow: string): Promise<Run> => {
    const nodeRed = await startBenchNodeRed(stub.baseUrl, folder);
    try {
      await nodeRed.run(flow, { path: small, id: toFileId(MIB) });
      return await nodeRed.run(flow, { path: model, id });
    } finally {
      await nodeRed.stop();
    }
  };
  const upload = { curl: [] as number[], ours: [] as Run[] };
  const download = { curl: [] as number[], ours: [] as Run[] };
  const synced: number[] = [];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      upload.curl.push(await measureSeconds(uploadByCurl));
      upload.ours.push(await runInNewNodeRed('our-upload'));
      download.curl.push(await measureSeconds(downloadByCurl));
      // The download node syncs files to disk, curl does not.
      synced.push((download.curl.at(-1) ?? 0) + (await measureSeconds(() => execFileSync('sync', [ours]))));
      rmSync(ours);
      download.ours.push(assertComplete(await runInNewNodeRed('our-download'), ours, mib * MIB));
    }
    const coreUpload = await runInNewNodeRed('core-upload');
    const core = path.join(folder, 'core.stl');
    const coreDownload = assertComplete(await runInNewNodeRed('core-download'), core, mib * MIB);
    return {
      [`upload ${mib} MiB`]: figures({ ...upload, core: coreUpload }, mib, 0.7),
      [`download ${mib} MiB`]: {
        ...figures({ ...download, core: coreDownload }, mib, 0.9),
        speedOfCurlAndSync: roundTo(median(synced) / median(download.ours.map(({ seconds }) => seconds))),
      },
    };
  } finally {
    await stub.close();
    for (const file of [model, small]) rmSync(file);
  }
}

/** Measures the same for the nodes of this package only, with a file too large for core nodes. */
export async function measureLarge(folder: string, mib: number) {
  const stub = await startStubService();
  const model = path.join(folder, 'large.stl');
  writeModel(model, mib);
  const nodeRed = await startBenchNodeRed(stub.baseUrl, folder);
  try {
    const upload = await nodeRed.run('our-upload', { path: model });
    const { uploadBytes } = await stub.counts();
    if (uploadBytes < mib * MIB) throw new Error(`The upload is incomplete: only ${uploadBytes} bytes arrived.`);
    rmSync(model);
    const download = await nodeRed.run('our-download', { id: toFileId(mib * MIB) });
    assertComplete(download, path.join(folder, 'ours.stl'), mib * MIB);
    return {
      [`upload ${mib} MiB`]: {
        seconds: roundTo(upload.seconds),
        growthMib: { value: roundTo(upload.growthMib, 1), reach: 64 },
      },
      [`download ${mib} MiB`]: {
        seconds: roundTo(download.seconds),
        growthMib: { value: roundTo(download.growthMib, 1), reach: 64 },
      },
    };
  } finally {
    await nodeRed.stop();
    await stub.close();
    rmSync(model, { force: true });
  }
}
