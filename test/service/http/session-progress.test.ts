import { randomUUID } from 'node:crypto';
import should from 'should';
import { type Calls, logIn } from '../support/account.js';
import { CUBE, OPEN_CUBE } from '../support/models.js';
import { sendRaw } from '../support/raw-reply.js';
import { ANN, PASSWORD, registerSessionBench } from '../support/session-bench.js';
import { SAME_ORIGIN, signInToPage } from '../support/web-session.js';

describe('The routes by which the page follows operations', () => {
  const bench = registerSessionBench();
  let cookie: string;
  let owner: Calls;

  beforeEach(async () => {
    cookie = await bench.startAsOwner();
    owner = await logIn(bench.folder);
  });

  const get = async (path: string, session = cookie) => {
    const reply = await sendRaw(bench.port, [
      `GET ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${bench.port}`,
      session,
      SAME_ORIGIN,
    ]);
    return { status: reply.status, body: JSON.parse(reply.body) };
  };

  const startImport = async (model: string): Promise<{ fileId: string; operationId: string }> => {
    const { fileId } = (await owner.upload(model, 'cube.stl')).body;
    return { fileId, operationId: (await owner.post('import', { fileId })).body.operationId };
  };

  it('reply when an operation is completed, with its result and its report', async () => {
    const { fileId, operationId } = await startImport(OPEN_CUBE);
    const request = () => get(`/ui/operations?ids=${randomUUID()},${operationId}`);
    let { body } = await request();
    while (body.operations.length === 0) ({ body } = await request()); // it takes longer than 3 s on a busy machine
    should(body.operations).have.length(1);
    const [operation] = body.operations;
    operation.should.containEql({ operationId, isCompleted: true, isSuccessful: true, inputId: fileId });
    operation.should.have.property('resultId');
    operation.report.verdict.should.containEql({ level: 'open', needsRepair: true });
  });

  it('reply with the verdicts on many models, and with nothing for operations of others', async () => {
    const [open, solid] = [await startImport(OPEN_CUBE), await startImport(CUBE)];
    for (const { operationId } of [open, solid]) await owner.untilCompleted(operationId);
    const path = `/ui/verdicts?ids=${[open.operationId, solid.operationId.toUpperCase(), randomUUID()]}`;
    const { body } = await get(path);
    body.should.deepEqual({
      verdicts: {
        [open.operationId]: { level: 'open', needsRepair: true },
        [solid.operationId]: { level: 'solid', needsRepair: false },
      },
    });
    const ofAnn = await get(path, await signInToPage(bench.port, ANN, PASSWORD));
    ofAnn.body.should.deepEqual({ verdicts: {} });
  });

  it('reply with a null level for an operation without a report', async () => {
    const { fileId } = (await owner.upload('no model', 'broken.stl')).body;
    const { operationId } = (await owner.post('import', { fileId })).body;
    await owner.untilCompleted(operationId);
    (await get(`/ui/verdicts?ids=${operationId}`)).body.should.deepEqual({ verdicts: { [operationId]: null } });
    const { body } = await get(`/ui/operations?ids=${operationId}`);
    body.operations[0].should.containEql({ operationId, isCompleted: true, isSuccessful: false });
    body.operations[0].should.not.have.property('report');
  });

  it('end a wait with an empty list, and when the service stops', async () => {
    (await get(`/ui/operations?ids=${randomUUID()}`)).body.should.deepEqual({ operations: [] });
    const waiting = get(`/ui/operations?ids=${randomUUID()}`);
    await get('/session'); // after the one before it
    await bench.service.close();
    (await waiting).body.should.deepEqual({ operations: [] });
  });

  it('refuse a further wait of a user with as many as the limit with 429', async () => {
    await bench.service.close();
    await bench.start({ limits: { maxWaitsPerUser: 1 } });
    const session = await signInToPage(bench.port, ANN, PASSWORD);
    const path = `/ui/operations?ids=${randomUUID()}`;
    const headers = { cookie: session.replace('Cookie: ', ''), 'sec-fetch-site': 'same-origin' };
    const startWait = () => fetch(`http://127.0.0.1:${bench.port}${path}`, { headers });
    const waits = [startWait(), startWait()];
    const refused = await Promise.race(waits);
    should(refused.status).equal(429);
    should(refused.headers.get('retry-after')).equal('3');
    (await refused.json()).should.match({ errors: [{ code: 42904 }] });
    should((await Promise.all(waits)).map(({ status }) => status).sort()).deepEqual([200, 429]);
  });

  it('refuse missing, invalid and too many ids, and requests without a session', async () => {
    const id = randomUUID();
    for (const query of ['', '?ids=', '?ids=x', `?ids=${id}&ids=${id}`, `?ids=${Array(101).fill(id)}`]) {
      for (const route of ['operations', 'verdicts']) should((await get(`/ui/${route}${query}`)).status).equal(400);
    }
    for (const route of ['operations', 'verdicts']) {
      should((await get(`/ui/${route}?ids=${id}`, 'Cookie: none=')).status).equal(401);
    }
  });
});
