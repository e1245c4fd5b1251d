import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { startNginx } from './nginx.js';
import { measureSeconds, median, peakMib, resetPeak, residentMib, roundTo, startService } from './service-process.js';

const CHUNK_COUNT = 1000;
const CHUNK = Buffer.alloc(1_000_000, 'model ');
const ROUNDS = 5;
const BOUNDARY = 'the-boundary-of-the-benchmark';

/** Writes a multipart body with a file of 1,000,000,000 bytes. Both servers receive the same bytes. */
function writeBody(file: string): void {
  const target = openSync(file, 'w');
  writeSync(target, `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="model.stl"\r\n\r\n`);
  for (let piece = 0; piece < CHUNK_COUNT; piece++) writeSync(target, CHUNK);
  writeSync(target, `\r\n--${BOUNDARY}--\r\n`);
  closeSync(target);
}

function curl(...args: string[]): string {
  return execFileSync('curl', ['-sSf', ...args], { encoding: 'utf8' });
}

/** Measures an upload of 1 GB until it is on disk, and a download, alternating with nginx. Times in seconds. */
export async function measureTransfers(folder: string) {
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
      const put = await measureSeconds(() => {
        curl('-T', body, `${nginx.baseUrl}/model`);
        execFileSync('sync', [nginx.fileOf('model')]);
      });
      resetPeak(service.pid);
      const before = residentMib(service.pid);
      let fileId = '';
      const upload = await measureSeconds(() => {
        const reply = curl('-X', 'POST', '-T', body, ...type, ...bearer, `${service.baseUrl}/web-api/operation/file`);
        ({ fileId } = JSON.parse(reply));
      });
      growths.push(peakMib(service.pid) - before);
      const ours = `${service.baseUrl}/web-api/operation/file/${fileId}`;
      times.sendfile.push(await measureSeconds(() => curl('-o', '/dev/null', `${nginx.baseUrl}/model`)));
      times.download.push(await measureSeconds(() => curl('-o', '/dev/null', ...bearer, ours)));
      times.put.push(put);
      times.upload.push(upload);
      // Both reuse memory of the previous round: memory that the system has not touched before takes three times as
      // long.
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
      seconds: roundTo(upload ?? 0),
      nginxPutAndSync: roundTo(put ?? 0),
      speedOfNginx: roundTo((put ?? 0) / (upload ?? 0)),
      reach: 0.8,
    },
    uploadGrowthMib: { most: roundTo(Math.max(...growths), 1), reach: 80 },
    download1GB: {
      seconds: roundTo(download ?? 0),
      nginxSendfile: roundTo(sendfile ?? 0),
      speedOfNginx: roundTo((sendfile ?? 0) / (download ?? 0)),
      reach: 0.7,
    },
  };
}
