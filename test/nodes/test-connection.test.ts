import helper from 'node-red-node-test-helper';
import 'should';
import { answer, FakeService, refusal } from '../helpers/fake-service.js';
import { FlowBench, remoteService } from './support/flow-bench.js';

const STORED = '__PWRD__';
const TAB = { id: 'tab', type: 'tab', label: 'test' };

describe('Test connection', () => {
  let service: FakeService;
  let bench: FlowBench;

  beforeEach(async () => {
    service = await FakeService.start();
  });
  afterEach(async () => {
    await bench.close();
    await service.stop();
  });

  /** What the dialog sends when everything is typed in. */
  const typed = (more: Record<string, unknown> = {}, credentials: Record<string, unknown> = {}) => {
    const { baseUrl, clientId, clientSecret, username, password } = service.account;
    return {
      id: 'service',
      service: 'remote',
      baseUrl,
      tls: '_ADD_',
      proxy: '_ADD_',
      credentials: { clientId, clientSecret, username, password, ...credentials },
      ...more,
    };
  };
  const test = async (body: object) => {
    const reply = await helper.request().post('/model-processing/test-connection').send(body);
    reply.status.should.equal(200);
    return reply.body;
  };
  const deployed = async () => {
    const credentials = { service: service.account };
    const way = { id: 'way', type: 'helper' };
    bench = await FlowBench.start([TAB, way, remoteService(service.account)], { credentials });
  };
  const nothingDeployed = async () => {
    bench = await FlowBench.start([TAB]);
  };

  it('says that the service accepts an account that is only typed in', async () => {
    await nothingDeployed();
    const result = await test(typed());
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

  it('tells what the service says of itself', async () => {
    await nothingDeployed();
    service.fault(
      'GET',
      /^\/formats$/,
      answer(200, { import: [{ id: 'stl' }, { id: '3mf' }, 'x'], export: [{ id: 'obj' }] }),
    );
    service.fault('GET', /^\/openapi\.json$/, answer(200, { info: { title: 'Models\n', version: '7' } }));
    const result = await test(typed());
    result.should.containEql({ name: 'Models', version: '7' });
    result.should.containEql({ importFormats: ['stl', '3mf'], exportFormats: ['obj'] });
  });

  it('answers a wrong password with BAD_CREDENTIALS, by one request, and tells no secret', async () => {
    await nothingDeployed();
    const result = await test(typed({}, { password: 'guessed-word' }));
    result.should.containEql({ isOk: false, code: 'BAD_CREDENTIALS' });
    JSON.stringify(result).should.not.match(/guessed-word|secret-of-the-client/);
    service.requests.length.should.equal(1);
  });

  it('answers an address where nothing listens with CONNECTION_FAILED, after one try', async () => {
    await nothingDeployed();
    (await test(typed({ baseUrl: 'http://127.0.0.1:9' }))).should.containEql({
      isOk: false,
      code: 'CONNECTION_FAILED',
    });
  });

  it('answers a login page with BAD_REPLY', async () => {
    await nothingDeployed();
    service.fault('POST', /token/i, answer(200, '<html>'));
    (await test(typed())).code.should.equal('BAD_REPLY');
  });

  it('answers a service that refuses the token with BAD_CREDENTIALS', async () => {
    await nothingDeployed();
    service.fault('GET', /formats/, refusal(401, 'no'), 9);
    (await test(typed())).code.should.equal('BAD_CREDENTIALS');
  });

  it('answers what is no address, and what is nothing at all, with NOT_CONFIGURED', async () => {
    await nothingDeployed();
    (await test(typed({ baseUrl: 'models' }))).should.containEql({ code: 'NOT_CONFIGURED' });
    (await test({ service: 'remote', baseUrl: 7, credentials: 'x' })).should.containEql({ code: 'NOT_CONFIGURED' });
  });

  it('answers TLS settings that are not deployed with NOT_CONFIGURED', async () => {
    await nothingDeployed();
    (await test(typed({ tls: 'tls-of-the-editor' }))).should.containEql({ code: 'NOT_CONFIGURED' });
    service.requests.should.be.empty();
  });

  it('takes a stored password for the address that is deployed', async () => {
    await deployed();
    (await test(typed({}, { clientSecret: STORED, password: STORED }))).isOk.should.be.true();
  });

  it('sends a stored password to no other address, nor by another way', async () => {
    await deployed();
    const other = await FakeService.start();
    try {
      for (const more of [
        { baseUrl: other.account.baseUrl },
        { baseUrl: `${service.account.baseUrl}/x` },
        { proxy: 'way' },
        { tls: 'way' },
      ]) {
        const result = await test(typed(more, { password: STORED }));
        result.should.containEql({ isOk: false, code: 'NOT_CONFIGURED' });
        result.message.should.containEql('password');
      }
      (await test(typed({ id: 'another' }, { password: STORED }))).code.should.equal('NOT_CONFIGURED');
      other.requests.should.be.empty();
      service.requests.should.be.empty();
    } finally {
      await other.stop();
    }
  });

  describe('with secrets in the environment', () => {
    beforeEach(() => {
      process.env.MODEL_PROCESSING_PASSWORD = service.account.password;
      process.env.ANY_SECRET = 'secret of somebody else';
    });
    afterEach(() => {
      delete process.env.MODEL_PROCESSING_PASSWORD;
      delete process.env.ANY_SECRET;
    });

    it('takes them for the address that is deployed', async () => {
      await deployed();
      (await test(typed({}, { password: '' }))).isOk.should.be.true();
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Node-RED's own form of a variable
      (await test(typed({}, { password: '${MODEL_PROCESSING_PASSWORD}' }))).isOk.should.be.true();
    });

    it('sends them nowhere else, whichever variable is named', async () => {
      await nothingDeployed();
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Node-RED's own form of a variable
      for (const username of ['', '${ANY_SECRET}']) {
        (await test(typed({}, { username }))).should.containEql({ isOk: false, code: 'NOT_CONFIGURED' });
      }
      service.requests.should.be.empty();
    });
  });

  it('starts the local service, and says whether it had to', async () => {
    await nothingDeployed();
    const first = await test({ id: 'new', service: 'local' });
    first.should.containEql({ isOk: true, service: 'local', wasStarted: true });
    first.importFormats.should.containEql('stl');
    first.exportFormats.should.containEql('stl');
    (await test({ id: 'new', service: 'local' })).should.containEql({ isOk: true, wasStarted: false });
  });
});
