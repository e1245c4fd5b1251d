import path from 'node:path';
import { askForToken, type Calls, callsWith } from '../../test/service/support/account.js';
import { sphere } from '../../test/service/support/models.js';
import { addUserWithPassword } from '../../test/service/support/users.js';
import { signInToPage } from '../../test/service/support/web-session.js';
import { runConcurrently } from '../scale/run-concurrently.js';
import { peakMib, resetPeak, residentMib, roundTo, startService } from './service-process.js';

const REQUESTS = 100;
/** Two requests of each are served at a time. */
const USERS = 10;
const PASSWORD = 'a long password';
const THUMBNAIL = { width: 1600, height: 1200, cameraAngleX: 25, cameraAngleY: 0, cameraAngleZ: -35 };

/** A session of the page, and the path of a report. */
interface ReportOfUser {
  cookie: string;
  path: string;
}

async function outputOf(api: Calls, operation: string, body: object): Promise<{ operationId: string; id: string }> {
  const { operationId, result } = await api.run(operation, body);
  return { operationId, id: result.body.fileId ?? result.body.resultId };
}

/** Has a model shown to a user. Resolves with the path of its report, with pictures before and after. */
async function createReport(api: Calls, model: Uint8Array): Promise<string> {
  const { fileId } = (await api.upload(model, 'sphere.stl')).body;
  const { operationId, id: inputId } = await outputOf(api, 'import', { fileId });
  const preview = await outputOf(api, 'preview', { inputId });
  const picture = await outputOf(api, 'thumbnail', { inputId, ...THUMBNAIL });
  const files = { preview: preview.id, picture: picture.id, beforePreview: preview.id, beforePicture: picture.id };
  return `/ui/reports/${operationId}?${new URLSearchParams({ language: 'en', ...files })}`;
}

/**
 * Measures how much memory the service takes more while a user of the page, and then ten users, request 100 reports at once,
 * and how long another request takes meanwhile.
 */
export async function measureReports(folder: string) {
  const service = await startService(path.join(folder, 'reports'), ['--workers', '1', '--memory', '1G']);
  const { baseUrl, data, pid } = service;
  const port = Number(new URL(baseUrl).port);
  const model = sphere(200, 200);
  const reports: ReportOfUser[] = [];
  for (let index = 0; index < USERS; index++) {
    const username = `user-${index}`;
    await addUserWithPassword(data, username, PASSWORD);
    const { body } = await askForToken(data, { grant_type: 'password', username, password: PASSWORD });
    const cookie = (await signInToPage(port, username, PASSWORD)).replace('Cookie: ', '');
    reports.push({ cookie, path: await createReport(callsWith(baseUrl, body.access_token), model) });
  }
  const measure = async (chosen: readonly ReportOfUser[]) => {
    resetPeak(pid);
    const before = residentMib(pid);
    const counts = { served: 0, refused: 0 };
    let [mib, slowestMs] = [0, 0];
    const end = new AbortController();
    const probing = (async () => {
      while (!end.signal.aborted) {
        const start = performance.now();
        await (await fetch(`${baseUrl}/healthz`)).text();
        slowestMs = Math.max(slowestMs, performance.now() - start);
      }
    })();
    await runConcurrently(REQUESTS, REQUESTS, async (index) => {
      const { cookie, path: target } = chosen[index % chosen.length] as ReportOfUser; // there is at least one
      const reply = await fetch(`${baseUrl}${target}`, { headers: { cookie, 'sec-fetch-site': 'same-origin' } });
      for await (const chunk of reply.body ?? []) mib += chunk.length / 1024 ** 2;
      counts[reply.status === 200 ? 'served' : 'refused'] += 1;
    });
    end.abort();
    await probing;
    return {
      ...counts,
      mib: roundTo(mib, 0),
      addedMib: roundTo(peakMib(pid) - before, 0),
      slowestHealthMs: roundTo(slowestMs, 0),
    };
  };
  const oneUser = await measure(reports.slice(0, 1));
  const manyUsers = await measure(reports);
  await service.close();
  return { reports: { requests: REQUESTS, oneUser, [`users${USERS}`]: manyUsers } };
}
