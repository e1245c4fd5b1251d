import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { startNginx } from './nginx.js';
import { median, peakMib, resetPeak, residentMib, rounded, startService, timed } from './service-process.js';

const PIECES = 1000;
const PIECE = Buffer.alloc(1_000_000, 'model ');
const ROUNDS = 5;
const BOUNDARY = 'the-boundary-of-the-benchmark';

/** A multipart body that holds 1,000,000,000 bytes. Both servers get the very same bytes. */
const writeBody = (file: string): void => {
  const target = openSync(file, 'w');
  writeSync(target, `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="model.stl"\r\n\r\n`);
  for (let piece = 0; piece < PIECES; piece++) writeSync(target, PIECE);
  writeSync(target, `\r\n--${BOUNDARY}--\r\n`);
  closeSync(target);
};

const curl = (...args: string[]): string => execFileSync('curl', ['-sSf', ...args], { encoding: 'utf8' });

/** Upload until the bytes are on the disk, and download, of 1 GB: ours beside nginx, in turns. Times in seconds. */
export const measureTransfers = async (folder: string) => {
  const body = path.join(folder, 'body');
  writeBody(body);
  const nginx = await startNginx(path.join(folder, 'nginx'));
  const data = path.join(folder, 'transfers');
  const service = await startService(data, ['--disk-quota', '20G']);
  const bearer = ['-H', `Authorization: Bearer ${service.api.token}`];
  const type = ['-H', `Content-Type: multipart/form-data; boundary=${BOUNDARY}`];
  const times = { upload: [] as number[], put: [] as number[], download: [] as number[], sendfile: [] as number[] };
  const growths: number[] = [];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const put = await timed(() => {
        curl('-T', body, `${nginx.baseUrl}/model`);
        execFileSync('sync', [nginx.fileOf('model')]);
      });
      resetPeak(service.pid);
      const before = residentMib(service.pid);
      let fileId = '';
      const upload = await timed(() => {
        const reply = curl('-X', 'POST', '-T', body, ...type, ...bearer, `${service.baseUrl}/web-api/operation/file`);
        ({ fileId } = JSON.parse(reply));
      });
      growths.push(peakMib(service.pid) - before);
      const ours = `${service.baseUrl}/web-api/operation/file/${fileId}`;
      times.sendfile.push(await timed(() => curl('-o', '/dev/null', `${nginx.baseUrl}/model`)));
      times.download.push(await timed(() => curl('-o', '/dev/null', ...bearer, ours)));
      times.put.push(put);
      times.upload.push(upload);
      // Both write into memory that the other round used: memory that the system never touched before takes three times as long.
      rmSync(nginx.fileOf('model'));
      rmSync(path.join(data, 'blobs', fileId.slice(0, 2), fileId));
    }
  } finally {
    await service.close();
    await nginx.close();
    rmSync(body);
  }
  const [upload, put, download, sendfile] = [times.upload, times.put, times.download, times.sendfile].map(median);
  return {
    upload1GB: {
      seconds: rounded(upload ?? 0),
      nginxPutAndSync: rounded(put ?? 0),
      speedOfNginx: rounded((put ?? 0) / (upload ?? 0)),
      reach: 0.8,
    },
    uploadGrowthMib: { most: rounded(Math.max(...growths), 1), reach: 80 },
    download1GB: {
      seconds: rounded(download ?? 0),
      nginxSendfile: rounded(sendfile ?? 0),
      speedOfNginx: rounded((sendfile ?? 0) / (download ?? 0)),
      reach: 0.6,
    },
  };
};
