import helper from 'node-red-node-test-helper';
import 'should';
import { replyWith, replyWithError } from '../helpers/fake-replies.js';
import { FakeService } from '../helpers/fake-service.js';
import { createRemoteService, FlowBench } from './support/flow-bench.js';

const STORED = '__PWRD__';
const TAB = { id: 'tab', type: 'tab', label: 'test' };

describe('the connection test', () => {
  let service: FakeService;
  let bench: FlowBench;

  beforeEach(async () => {
    service = await FakeService.start();
  });
  afterEach(async () => {
    await bench.close();
    await service.stop();
  });

  /** Creates the request of a dialog in which all fields were entered. */
  const createRequest = (settings: Record<string, unknown> = {}, credentials: Record<string, unknown> = {}) => {
    const { baseUrl, clientId, clientSecret, username, password } = service.account;
    return {
      id: 'service',
      service: 'remote',
      baseUrl,
      tls: '_ADD_',
      proxy: '_ADD_',
      credentials: { clientId, clientSecret, username, password, ...credentials },
      ...settings,
    };
  };
  const test = async (body: object) => {
    const reply = await helper.request().post('/model-processing/test-connection').send(body);
    reply.status.should.equal(200);
    return reply.body;
  };
  const deployService = async () => {
    const credentials = { service: service.account };
    const other = { id: 'other', type: 'helper' };
    bench = await FlowBench.start([TAB, other, createRemoteService(service.account)], { credentials });
  };
  const deployNothing = async () => {
    bench = await FlowBench.start([TAB]);
  };

  it('succeeds with an account that is not deployed', async () => {
    await deployNothing();
    const result = await test(createRequest());
    result.should.deepEqual({
      isOk: true,
      service: 'remote',
      wasStarted: false,
      importFormats: [],
      exportFormats: [],
      measurementUnits: [],
    });
    service.count('POST', /token/i).should.equal(1);
  });

  it('returns the name, version and formats of the service', async () => {
    await deployNothing();
    service.fault(
      'GET',
      /^\/formats$/,
      replyWith(200, { import: [{ id: 'stl' }, { id: '3mf' }, 'x'], export: [{ id: 'obj' }] }),
    );
    service.fault('GET', /^\/openapi\.json$/, replyWith(200, { info: { title: 'Models\n', version: '7' } }));
    const result = await test(createRequest());
    result.should.containEql({ name: 'Models', version: '7' });
    result.should.containEql({ importFormats: ['stl', '3mf'], exportFormats: ['obj'] });
  });

  it('returns BAD_CREDENTIALS for a wrong password after one request, without a secret', async () => {
    await deployNothing();
    const result = await test(createRequest({}, { password: 'guessed-word' }));
    result.should.containEql({ isOk: false, code: 'BAD_CREDENTIALS' });
    JSON.stringify(result).should.not.match(/guessed-word|secret-of-the-client/);
    service.requests.length.should.equal(1);
  });

  it('returns CONNECTION_FAILED if nothing listens at the address', async () => {
    await deployNothing();
    (await test(createRequest({ baseUrl: 'http://127.0.0.1:9' }))).should.containEql({
      isOk: false,
      code: 'CONNECTION_FAILED',
    });
  });

  it('returns BAD_REPLY for a login page', async () => {
    await deployNothing();
    service.fault('POST', /token/i, replyWith(200, '<html>'));
    (await test(createRequest())).code.should.equal('BAD_REPLY');
  });

  it('returns BAD_CREDENTIALS if the service rejects the token', async () => {
    await deployNothing();
    service.fault('GET', /formats/, replyWithError(401, 'no'), 9);
    (await test(createRequest())).code.should.equal('BAD_CREDENTIALS');
  });

  it('returns NOT_CONFIGURED for an invalid address or request', async () => {
    await deployNothing();
    (await test(createRequest({ baseUrl: 'models' }))).should.containEql({ code: 'NOT_CONFIGURED' });
    (await test({ service: 'remote', baseUrl: 7, credentials: 'x' })).should.containEql({ code: 'NOT_CONFIGURED' });
  });

  it('returns NOT_CONFIGURED for TLS settings that are not deployed', async () => {
    await deployNothing();
    (await test(createRequest({ tls: 'tls-of-the-editor' }))).should.containEql({ code: 'NOT_CONFIGURED' });
    service.requests.should.be.empty();
  });

  it('uses a stored password for the deployed address', async () => {
    await deployService();
    (await test(createRequest({}, { clientSecret: STORED, password: STORED }))).isOk.should.be.true();
  });

  it('does not use a stored password for another address, proxy or TLS setting', async () => {
    await deployService();
    const other = await FakeService.start();
    try {
      for (const settings of [
        { baseUrl: other.account.baseUrl },
        { baseUrl: `${service.account.baseUrl}/x` },
        { proxy: 'other' },
        { tls: 'other' },
      ]) {
        const result = await test(createRequest(settings, { password: STORED }));
        result.should.containEql({ isOk: false, code: 'NOT_CONFIGURED' });
        result.message.should.containEql('password');
      }
      (await test(createRequest({ id: 'another' }, { password: STORED }))).code.should.equal('NOT_CONFIGURED');
      other.requests.should.be.empty();
      service.requests.should.be.empty();
    } finally {
      await other.stop();
    }
  });

  describe('with secrets in the environment', () => {
    beforeEach(() => {
      process.env.MODEL_PROCESSING_PASSWORD = service.account.password;
      process.env.ANY_SECRET = 'secret of another user';
    });
    afterEach(() => {
      delete process.env.MODEL_PROCESSING_PASSWORD;
      delete process.env.ANY_SECRET;
    });

    it('uses them for the deployed address', async () => {
      await deployService();
      (await test(createRequest({}, { password: '' }))).isOk.should.be.true();
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Node-RED's own form of a variable
      (await test(createRequest({}, { password: '${MODEL_PROCESSING_PASSWORD}' }))).isOk.should.be.true();
    });

    it('does not use any variable for another address', async () => {
      await deployNothing();
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Node-RED's own form of a variable
      for (const username of ['', '${ANY_SECRET}']) {
        (await test(createRequest({}, { username }))).should.containEql({ isOk: false, code: 'NOT_CONFIGURED' });
      }
      service.requests.should.be.empty();
    });
  });

  it('starts the local service, and returns whether it did', async () => {
    await deployNothing();
    const first = await test({ id: 'new', service: 'local' });
    first.should.containEql({ isOk: true, service: 'local', wasStarted: true });
    first.importFormats.should.containEql('stl');
    first.exportFormats.should.containEql('stl');
    (await test({ id: 'new', service: 'local' })).should.containEql({ isOk: true, wasStarted: false });
  });
});
