import should from 'should';
import type { Haproxy } from '../../helpers/haproxy.js';
import { findFreePort } from '../../helpers/node-red-process.js';
import { eventually } from '../../helpers/processes.js';
import { type Calls, callsWith } from '../../service/support/account.js';
import { CUBE } from '../../service/support/models.js';
import type { StartedProgram } from '../../service/support/program.js';
import { Machines, PASSWORD, requestToken } from './support/machines.js';

describe('two API processes behind HAProxy', function () {
  this.timeout(600_000);
  let machines: Machines;
  let apis: StartedProgram[];
  let balancer: Haproxy;

  before(async () => {
    machines = await Machines.start();
  });

  after(() => machines.stop());

  beforeEach(async () => {
    await machines.reset();
    // Each is started again on its port, which nobody else may get meanwhile.
    const ports = [await findFreePort(), await findFreePort()];
    apis = await Promise.all(ports.map((port) => machines.startApi({ port: String(port), drainDelayS: 'default' })));
    balancer = await machines.startBalancer(apis);
  });

  afterEach(() => machines.end());

  const addressOf = (index: number): string => apis[index % 2]?.baseUrl ?? '';

  const readInstance = async (): Promise<string> =>
    Object(await (await fetch(`${balancer.baseUrl}/healthz`)).json()).instanceId;

  it('receive the requests of a connection in turn', async () => {
    const instances = [await readInstance(), await readInstance(), await readInstance()];
    should(instances[1]).not.equal(instances[0]);
    should(instances[2]).equal(instances[0]);
  });

  it('continue what the other one began', async () => {
    await machines.startSleeper();
    const first = await machines.logIn(addressOf(0));
    const second = callsWith(addressOf(1), first.token);
    const { fileId } = (await first.upload(CUBE, '50.stl')).body;
    const { operationId } = (await second.post('import', { fileId })).body;
    (await first.untilCompleted(operationId)).body.should.match({ isSuccessful: true });
    const { body } = await second.get(`${operationId}/import/result`);
    (await first.get('file')).body.files.length.should.equal(2);
    (await second.get(`file/${fileId}`)).body.should.equal(CUBE);
    (await first.remove(`file/${body.resultId}`)).status.should.equal(200);
    (await second.get('file')).body.files.length.should.equal(1);
  });

  it('name files by the address of the balancer', async () => {
    const calls = await machines.logIn(balancer.baseUrl);
    const { fileId, fileUrl } = (await calls.upload(CUBE, '50.stl')).body;
    should(fileUrl).equal(`${balancer.baseUrl}/web-api/operation/file/${fileId}`);
  });

  it('accept a refresh token once, and revoke its family if both receive it', async () => {
    const authorization = await machines.addAccount();
    const password = { grant_type: 'password', username: 'ann', password: PASSWORD };
    const { body: issued } = await requestToken(addressOf(0), authorization, password);
    const refresh = (token = '') => ({ grant_type: 'refresh_token', refresh_token: token });
    const form = refresh(issued.refresh_token);
    // All four are about to redeem it when the lock of its row is released.
    const lock = "select from token where kind = 'refresh' for update";
    const requests = await machines.server.lockWhile(lock, machines.name, async () => {
      const sent = [0, 1, 2, 3].map((index) => requestToken(addressOf(index), authorization, form));
      await machines.server.untilWaiting(4);
      return sent;
    });
    const replies = await Promise.all(requests);
    const [winner, ...others] = replies.filter(({ status }) => status === 200);
    should(others).be.empty();
    const tokens = [issued.access_token, winner?.body.access_token];
    for (const [index, token] of tokens.entries()) {
      (await callsWith(addressOf(index), token ?? '').get('file')).status.should.equal(401);
    }
    const successor = await requestToken(addressOf(1), authorization, refresh(winner?.body.refresh_token));
    should(successor.status).equal(400);
  });

  it('delay wrong passwords as one process does', async () => {
    const authorization = await machines.addAccount();
    const form = { grant_type: 'password', username: 'ann', password: 'guess' };
    const failedAt: number[] = [];
    for (let index = 0; index < 7; index++) {
      should((await requestToken(balancer.baseUrl, authorization, form)).status).equal(400);
      const rows = await machines.query('select count, failed_at::float8 as failed_at from failed_login');
      should(rows).match([{ count: index + 1 }]);
      failedAt.push(Number(rows[0]?.failed_at));
    }
    const [, , , , fifth = 0, sixth = 0, seventh = 0] = failedAt;
    should(sixth - fifth).be.aboveOrEqual(500);
    should(seventh - sixth).be.aboveOrEqual(1000);
  });

  describe('with workers, each of which is stopped by a signal and started again', () => {
    let isStopping: boolean;
    let statuses: Set<number>;
    let failures: unknown[];

    /** Uploads a file, runs an operation that takes so long, and downloads the file. */
    const runOperation = async (calls: Calls, ms: number): Promise<void> => {
      const check = <T extends { status: number }>(reply: T): T => {
        statuses.add(reply.status);
        return reply;
      };
      const { fileId } = check(await calls.upload(CUBE, `${ms}.stl`)).body;
      const { operationId } = check(await calls.post('import', { fileId })).body;
      should(check(await calls.untilCompleted(operationId)).body).match({ isSuccessful: true });
      check(await calls.get(`${operationId}/import/result`));
      check(await calls.get(`file/${fileId}`));
    };

    /** Runs one operation after the other until all processes were restarted. Resolves with their number. */
    const runOperations = async (calls: Calls, ms: number): Promise<number> => {
      let count = 0;
      for (; !isStopping; count++) await runOperation(calls, ms).catch((error: unknown) => failures.push(error));
      return count;
    };

    const restartApi = async (index: number, { child, ended, baseUrl }: StartedProgram): Promise<void> => {
      child.kill('SIGTERM');
      should(await ended).equal(0);
      apis[index] = await machines.startApi({ port: new URL(baseUrl).port, drainDelayS: 'default' });
      const instances = new Set<string>();
      await eventually('it gets requests again', async () => instances.add(await readInstance()).size === 2);
    };

    it('let no request fail, and run each operation once', async () => {
      const workers = await Promise.all([machines.startSleeper(), machines.startSleeper()]);
      const calls = await machines.logIn(balancer.baseUrl);
      [isStopping, statuses, failures] = [false, new Set(), []];
      // A worker gives up operations that take longer than 1.5 s after the signal.
      const clients = Promise.all([100, 200, 300, 5000].map((ms) => runOperations(calls, ms)));
      for (const [index, api] of apis.entries()) await restartApi(index, api);
      for (const { child, ended } of workers) {
        child.kill('SIGTERM');
        should(await ended).equal(0);
        await machines.startSleeper();
      }
      isStopping = true;
      const counts = await clients;
      should(failures).be.empty();
      should([...statuses]).eql([200]);
      const logged = balancer.log().flatMap((line) => /(?:\/-?\d+){4} (\d{3}) /.exec(line)?.[1] ?? []);
      should([...new Set(logged)]).eql(['200']);
      const total = counts.reduce((sum, count) => sum + count, 0);
      const [row] = await machines.query(`select count(*)::int as count, max(attempts)::int as attempts,
        (select count(*)::int from file where kind = 'model') as outputs,
        (select count(*)::int from pgboss.job where state < 'completed' and name = 'operation') as jobs from operation`);
      should(row).eql({ count: total, attempts: 1, outputs: total, jobs: 0 });
    });
  });
});
