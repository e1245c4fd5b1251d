import { execFileSync } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { median, rounded, timed } from '../service/service-process.js';
import { type Run, startBenchNodeRed } from './bench-node-red.js';
import { writeModel } from './model-file.js';
import { fileIdOf, startStubService } from './stub-service.js';

const MIB = 1 << 20;
const BEARER = ['-H', 'Authorization: Bearer any'];

/** How often each side runs, in turns; the flow of core nodes, which takes long, runs once in a fresh Node-RED. */
const ROUNDS = 3;

interface Contenders {
  curl: number[];
  ours: Run[];
  core: Run;
}

const figures = ({ curl, ours, core }: Contenders, mib: number, reachCurl: number) => {
  const seconds = median(ours.map((run) => run.seconds));
  return {
    mibPerS: rounded(mib / seconds, 0),
    speedOfCurl: { value: rounded(median(curl) / seconds), reach: reachCurl },
    timeOfCoreFlow: { value: rounded(seconds / core.seconds), reach: 0.4 },
    cpuSeconds: rounded(median(ours.map((run) => run.cpuSeconds))),
    coreCpuSeconds: rounded(core.cpuSeconds),
    growthMib: { value: rounded(Math.max(...ours.map((run) => run.growthMib)), 1), reach: 64 },
    coreGrowthMib: rounded(core.growthMib, 0),
  };
};

const assertWhole = (run: Run, file: string, size: number): Run => {
  if (statSync(file).size !== size) throw new Error(`${file} is not whole`);
  rmSync(file);
  return run;
};

/** An upload by path and a download to the disk, of so many MiB: our nodes, curl, and a flow of core nodes. */
export const measureTransfers = async (folder: string, mib: number) => {
  const sink = await startStubService();
  const model = path.join(folder, 'model.stl');
  const id = fileIdOf(mib * MIB);
  const ours = path.join(folder, 'ours.stl');
  writeModel(model, mib);
  const uploadByCurl = () =>
    execFileSync('curl', ['-sSf', ...BEARER, '-F', `file=@${model}`, `${sink.baseUrl}/web-api/operation/file`]);
  const downloadByCurl = () =>
    execFileSync('curl', ['-sSf', ...BEARER, '-o', ours, `${sink.baseUrl}/web-api/operation/file/${id}`]);
  // A small transfer first: the programs of both sides are loaded and compiled by then.
  const small = path.join(folder, 'small.stl');
  writeModel(small, 1);
  const inFresh = async (flow: string): Promise<Run> => {
    const nodeRed = await startBenchNodeRed(sink.baseUrl, folder);
    try {
      await nodeRed.run(flow, { path: small, id: fileIdOf(MIB) });
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
      upload.curl.push(await timed(uploadByCurl));
      upload.ours.push(await inFresh('our-upload'));
      download.curl.push(await timed(downloadByCurl));
      // Ours are on the disk when they are through, those of curl are not.
      synced.push((download.curl.at(-1) ?? 0) + (await timed(() => execFileSync('sync', [ours]))));
      rmSync(ours);
      download.ours.push(assertWhole(await inFresh('our-download'), ours, mib * MIB));
    }
    const coreUpload = await inFresh('core-upload');
    const core = path.join(folder, 'core.stl');
    const coreDownload = assertWhole(await inFresh('core-download'), core, mib * MIB);
    return {
      [`upload ${mib} MiB`]: figures({ ...upload, core: coreUpload }, mib, 0.7),
      [`download ${mib} MiB`]: {
        ...figures({ ...download, core: coreDownload }, mib, 0.9),
        speedOfCurlAndSync: rounded(median(synced) / median(download.ours.map(({ seconds }) => seconds))),
      },
    };
  } finally {
    await sink.close();
    for (const file of [model, small]) rmSync(file);
  }
};

/** The same by our nodes alone, with a file that core nodes cannot hold. */
export const measureLarge = async (folder: string, mib: number) => {
  const sink = await startStubService();
  const model = path.join(folder, 'large.stl');
  writeModel(model, mib);
  const nodeRed = await startBenchNodeRed(sink.baseUrl, folder);
  try {
    const upload = await nodeRed.run('our-upload', { path: model });
    const { uploadBytes } = await sink.counts();
    if (uploadBytes < mib * MIB) throw new Error(`only ${uploadBytes} bytes arrived`);
    rmSync(model);
    const download = await nodeRed.run('our-download', { id: fileIdOf(mib * MIB) });
    assertWhole(download, path.join(folder, 'ours.stl'), mib * MIB);
    return {
      [`upload ${mib} MiB`]: {
        seconds: rounded(upload.seconds),
        growthMib: { value: rounded(upload.growthMib, 1), reach: 64 },
      },
      [`download ${mib} MiB`]: {
        seconds: rounded(download.seconds),
        growthMib: { value: rounded(download.growthMib, 1), reach: 64 },
      },
    };
  } finally {
    await nodeRed.stop();
    await sink.close();
    rmSync(model, { force: true });
  }
};
