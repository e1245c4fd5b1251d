import should from 'should';
import type { PostgresServer } from '../../helpers/postgres-server.js';
import { eventually } from '../../helpers/processes.js';
import { type Calls, callsWith } from '../../service/support/account.js';
import { CUBE } from '../../service/support/models.js';
import type { StartedProgram } from '../../service/support/program.js';
import { Machines, PASSWORD, requestToken } from './support/machines.js';

/** What docs/operating/database-and-bucket.md says about a failover of PostgreSQL. */
describe('a failover of the database', function () {
  this.timeout(300_000);
  let machines: Machines;
  let standbys: PostgresServer[];
  let api: StartedProgram;
  let authorization: string;
  let calls: Calls;

  const logIn = async (): Promise<Calls> => {
    const form = { grant_type: 'password', username: 'ann', password: PASSWORD };
    return callsWith(api.baseUrl, (await requestToken(api.baseUrl, authorization, form)).body.access_token ?? '');
  };

  beforeEach(async () => {
    machines = await Machines.start(['wal_keep_size=128MB']);
    standbys = [];
    await machines.reset();
    api = await machines.startApi();
    authorization = await machines.addAccount();
    calls = await logIn();
  });

  afterEach(async () => {
    await machines.end();
    await Promise.all(standbys.map((standby) => standby.stop()));
    await machines.stop();
  });

  const startStandby = async (): Promise<PostgresServer> => {
    const standby = await machines.server.startStandby();
    standbys.push(standby);
    return standby;
  };

  const upload = async (): Promise<string> => (await calls.upload(CUBE, '50.stl')).body.fileId;

  const start = (fileId: string, key = '') =>
    calls.post('import', { fileId }, key === '' ? {} : { 'idempotency-key': key });

  /** Ends the primary as in a crash, and lets its address lead to a standby. */
  const failOver = async (standby: PostgresServer): Promise<void> => {
    await machines.server.halt('SIGQUIT');
    await standby.replacePrimary(machines.server.port);
    await eventually('the service is ready', async () => (await fetch(`${api.baseUrl}/readyz`)).status === 200);
  };

  it('loses what an asynchronous standby had not received, and runs an operation again whose end is lost', async () => {
    const [kept, deleted] = [await upload(), await upload()];
    const { operationId } = (await start(kept)).body;
    const standby = await startStandby();
    await standby.disconnectStandby(machines.server);

    await machines.startSleeper();
    (await calls.untilCompleted(operationId)).body.should.match({ isSuccessful: true });
    const { resultId } = (await calls.get(`${operationId}/import/result`)).body;
    const lostFile = await upload();
    const lostStart = (await start(kept, 'first')).body.operationId;
    const lostToken = await logIn();
    (await calls.remove(`file/${deleted}`)).status.should.equal(200);
    await failOver(standby);

    (await calls.get(`file/${kept}`)).body.should.equal(CUBE);
    (await calls.get(`file/${lostFile}`)).status.should.equal(404);
    (await calls.get(`${lostStart}/status`)).status.should.equal(404);
    const repeated = await start(kept, 'first');
    should(repeated.status).equal(200);
    should(repeated.body.operationId).not.equal(lostStart);
    (await lostToken.get('file')).status.should.equal(401);
    (await calls.get(`file/${deleted}`)).body.should.equal(CUBE);
    (await calls.untilCompleted(operationId)).body.should.match({ isSuccessful: true });
    (await calls.get(`${operationId}/import/result`)).body.should.match({ resultId });
  });

  it('loses nothing that was answered if commits wait for a standby, and the one that received more is promoted', async () => {
    const [behind, current] = [await startStandby(), await startStandby()];
    await machines.server.query("alter system set synchronous_standby_names = 'ANY 1 (*)'");
    await machines.server.query('select pg_reload_conf()');
    await behind.disconnectStandby(machines.server);

    const [kept, deleted] = [await upload(), await upload()];
    const { operationId } = (await start(kept)).body;
    const latest = await logIn();
    (await calls.remove(`file/${deleted}`)).status.should.equal(200);
    should(await current.receivedBytes()).be.above(await behind.receivedBytes());
    await failOver(current);

    (await latest.get(`file/${kept}`)).body.should.equal(CUBE);
    (await latest.get(`file/${deleted}`)).status.should.equal(410);
    await machines.startSleeper();
    (await latest.untilCompleted(operationId)).body.should.match({ isSuccessful: true });
  });
});
