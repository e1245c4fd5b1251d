import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import should from 'should';
import { LIMITS } from '../../../src/service/defaults.js';
import { OPEN_API } from '../../../src/service/http/openapi.js';
import type { RunningService } from '../../../src/service/serve.js';
import { countOf } from '../../helpers/counts.js';
import { eventually } from '../../helpers/processes.js';
import type { Calls } from '../support/account.js';
import { createFolder, removeFolder } from '../support/data-folder.js';
import { CUBE } from '../support/models.js';
import { hangs } from '../support/run-jobs.js';
import { startService } from '../support/running.js';
import { addUser, signIn, tokenOf } from '../support/users.js';
import {
  createRequest,
  type Filling,
  listRoutes,
  type Route,
  type RouteDescription,
  type Slot,
} from './foreign-requests.js';
import { readSnapshot } from './snapshot.js';

const OWNERS = ['ann-the-owner', 'bob-the-owner'];
const RUNS = countOf('series of requests of another user');
const ROUTES = listRoutes(OPEN_API as unknown as RouteDescription); // its type after a round trip as JSON

/** What a user has, and what no reply to another user may contain. */
interface Possessions {
  /** Of files, models and operations in all states. */
  ids: string[];
  keys: string[];
  /** The user's id, filenames, digests and other texts. */
  texts: string[];
}

// The values of the requests differ between a foreign and a random id, as do new ids and times.
function mask(text: string): string {
  return text
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, '<id>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)/g, '<time>');
}

describe('what belongs to two users', function () {
  this.timeout(900_000);
  let folder: string;
  let service: RunningService;
  const owners = new Map<string, Possessions>();
  /** What the third user has: valid values for the slots of a start. */
  let own: { fileId: string; inputId: string };
  /** The routes and keys of the third user's requests that were accepted. */
  const claimed = new Set<string>();
  let foreignIds: string[];
  let foreignKeys: string[];
  let hidden: string[];

  const withKey = (key: string) => ({ 'idempotency-key': key });

  /** Gives a user files, models and operations that have completed and failed. */
  const fill = async (username: string): Promise<Possessions> => {
    const userId = await addUser(folder, username);
    const calls = await signIn(folder, username);
    const names = { key: `key-of-${username}`, part: `part-of-${username}.stl`, broken: `broken-of-${username}.stl` };
    const { body: file } = await calls.upload(CUBE.replaceAll('cube', username), names.part, withKey(names.key));
    const imported = await calls.run('import', { fileId: file.fileId });
    const { resultId } = imported.result.body;
    const exported = await calls.run('export', { inputId: resultId, exportToFormat: 'obj' });
    const { body: broken } = await calls.upload('solid', names.broken);
    const failed = await calls.run('import', { fileId: broken.fileId });
    const operations = [imported, exported, failed].map(({ operationId }) => operationId);
    const files = [file.fileId, resultId, exported.result.body.fileId, broken.fileId];
    const texts = [
      userId,
      username,
      names.part,
      names.broken,
      ...[file, broken].flatMap(({ sha256 }) => [sha256, Buffer.from(sha256, 'hex').toString('base64')]),
    ];
    return { ids: [...operations, ...files], keys: [names.key], texts };
  };

  /** Starts operations of a user that do not complete, with the user's key. */
  const startUnfinished = async (username: string, { ids, keys: [key = ''] }: Possessions): Promise<void> => {
    const calls = await signIn(folder, username);
    const { body: file } = await calls.upload(`${CUBE}${username}`, `waiting-of-${username}.stl`);
    const { body } = await calls.post('import', { fileId: file.fileId }, withKey(key));
    ids.push(file.fileId, body.operationId);
  };

  const untilRunning = (calls: Calls, id: string) =>
    eventually('the operation is running', async () => (await calls.get(`${id}/status`)).body.startedAt);

  before(async () => {
    folder = await createFolder();
    service = await startService(folder, { limits: { ...LIMITS, scrubPassMs: 0 } });
    for (const name of OWNERS) owners.set(name, await fill(name));
    await addUser(folder, 'eve');
    const eve = await signIn(folder, 'eve');
    const fileId = (await eve.upload(CUBE, 'e.stl')).body.fileId;
    own = { fileId, inputId: (await eve.run('import', { fileId })).result.body.resultId };
    await service.close();

    const limits = { ...LIMITS, scrubPassMs: 0, minRunMs: Number.POSITIVE_INFINITY }; // no operation is suspended
    service = await startService(folder, { runJob: hangs, limits });
    for (const [name, possessions] of owners) await startUnfinished(name, possessions); // ann's runs, bob's waits
    await untilRunning(await signIn(folder, OWNERS[0] ?? ''), owners.get(OWNERS[0] ?? '')?.ids.at(-1) ?? '');
    const all = [...owners.values()];
    foreignIds = all.flatMap(({ ids }) => ids);
    foreignKeys = all.flatMap(({ keys }) => keys);
    hidden = all.flatMap(({ ids, keys, texts }) => [...ids, ...keys, ...texts]);
  });

  after(async () => {
    await service.close();
    await removeFolder(folder);
  });

  const send = async (route: Route, fillings: Filling[]) => {
    const { url, request } = createRequest(route, fillings, tokenOf('eve'));
    const reply = await fetch(`${service.baseUrl}${url}`, request);
    const headers = [...reply.headers].filter(([name]) => name !== 'date' && name !== 'content-length');
    return { status: reply.status, text: JSON.stringify([headers, await reply.text()]) };
  };

  const isKey = ({ in: place }: Slot): boolean => place === 'header';
  const isOwn = ([, value]: Filling): boolean => Object.values(own).includes(value);

  /** Sends a request with things of others, and the same one with values that nobody has. */
  const assertHidden = async (route: Route, fillings: Filling[]): Promise<void> => {
    const name = `${route.method} ${createRequest(route, fillings, '').url} ${JSON.stringify(fillings)}`;
    const reply = await send(route, fillings);
    const sent = fillings.map(([, value]) => value.toLowerCase());
    const revealed = hidden.filter((text) => !sent.includes(text.toLowerCase()) && reply.text.includes(text));
    should(revealed.length).equal(0, `${name} reveals ${revealed}`);
    const claims = fillings.flatMap(([slot, value]) => (isKey(slot) ? [`${route.operationId} ${value}`] : []));
    if (reply.status === 422) {
      should(reply.text).match(/42218/); // the user has sent the same key with other content before
      should(claims.some((claim) => claimed.has(claim))).be.true(name);
      return;
    }
    if (reply.status === 200) for (const claim of claims) claimed.add(claim);
    const namesForeign = fillings.some(([slot, value]) => ['path', 'body'].includes(slot.in) && !isOwn([slot, value]));
    if (namesForeign) should(reply.status).equal(404, name);
    const unknown = fillings.map((filling): Filling => [filling[0], isOwn(filling) ? filling[1] : randomUUID()]);
    const control = await send(route, unknown);
    should([reply.status, mask(reply.text)]).deepEqual([control.status, mask(control.text)], name);
  };

  const assertUnchanged = async (work: () => Promise<void>): Promise<void> => {
    const ids = [...owners.values()].flatMap(({ ids: own, texts: [userId = ''] }) => [...own, userId]);
    const before = await readSnapshot(folder, ids);
    await work();
    should(await readSnapshot(folder, ids)).deepEqual(before);
  };

  /** Fills a slot with a valid value: what the user has, or a new key. */
  const fillValid = (slot: Slot): Filling[] => {
    if (slot.in === 'query') return [];
    if (isKey(slot)) return [[slot, randomUUID()]];
    return [[slot, slot.name === 'fileId' ? own.fileId : own.inputId]];
  };

  it('has routes for which it is tested', () => {
    should(ROUTES.filter(({ slots }) => slots.length > 0).length).be.above(20);
    should(new Set(ROUTES.flatMap(({ slots }) => slots.map((slot) => slot.in)))).containEql('header');
  });

  for (const route of ROUTES) {
    it(`is not reached by ${route.method} ${route.path}`, () =>
      assertUnchanged(async () => {
        await assertHidden(
          route,
          route.slots
            .filter(({ in: place }) => place !== 'path')
            .flatMap(fillValid)
            .concat(
              route.slots.filter(({ in: place }) => place === 'path').map((slot): Filling => [slot, randomUUID()]),
            ),
        );
        for (const slot of route.slots) {
          const others = route.slots.filter((other) => other !== slot).flatMap(fillValid);
          for (const value of isKey(slot) ? foreignKeys : foreignIds)
            await assertHidden(route, [...others, [slot, value]]);
        }
      }));
  }

  it('is not reached by any sequence of requests', async () => {
    const anyFilling = (slot: Slot): fc.Arbitrary<Filling[]> => {
      const foreign = fc
        .tuple(fc.constantFrom(...(isKey(slot) ? foreignKeys : foreignIds)), fc.boolean())
        .map(([value, isUpper]): Filling[] => [[slot, isUpper && !isKey(slot) ? value.toUpperCase() : value]]);
      return slot.in === 'path'
        ? foreign
        : fc.oneof(
            foreign,
            foreign,
            fc.constant(0).map(() => fillValid(slot)),
          );
    };
    const anyRequest = fc
      .constantFrom(...ROUTES)
      .chain((route) =>
        fc.tuple(...route.slots.map(anyFilling)).map((fillings) => ({ route, fillings: fillings.flat() })),
      );
    await fc.assert(
      fc.asyncProperty(fc.array(anyRequest, { minLength: 1, maxLength: 15 }), (requests) =>
        assertUnchanged(async () => {
          for (const { route, fillings } of requests) await assertHidden(route, fillings);
        }),
      ),
      { numRuns: RUNS },
    );
  });
});
