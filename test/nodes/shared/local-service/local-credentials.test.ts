import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import should from 'should';
import {
  isServiceAlive,
  type LocalCredentials,
  readLocalCredentials,
} from '../../../../nodes/shared/local-service/local-credentials.js';
import type { RunningService } from '../../../../src/service/serve.js';
import { useFolder } from '../../../service/support/data-folder.js';
import { startService } from '../../../service/support/running.js';

describe('isServiceAlive', () => {
  const { signal } = new AbortController();
  let folder: string;
  let service: RunningService;
  let impostor: Server | undefined;
  let requests: string[];

  useFolder((created) => (folder = created));

  beforeEach(async () => {
    requests = [];
    impostor = undefined;
    service = await startService(folder);
  });

  afterEach(async () => {
    await service.close();
    impostor?.closeAllConnections();
    if (impostor) await once(impostor.close(), 'close');
  });

  const read = async (): Promise<LocalCredentials> => {
    const credentials = await readLocalCredentials(folder);
    if (!credentials) throw new Error('The service has written credentials.json.');
    return credentials;
  };

  /** Another program, to whose address the file points. */
  const impersonate = async (createReply: (url: string) => Promise<unknown>): Promise<LocalCredentials> => {
    impostor = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      void createReply(request.url ?? '').then((reply) => response.end(JSON.stringify(reply)));
    });
    await once(impostor.listen(0, '127.0.0.1'), 'listening');
    const { port } = impostor.address() as AddressInfo;
    return { ...(await read()), baseUrl: `http://127.0.0.1:${port}` };
  };

  it('is true for the service that wrote the file', async () => {
    should(await isServiceAlive(await read(), signal)).be.true();
  });

  it('is false for a service with another key, as after a restart', async () => {
    should(await isServiceAlive({ ...(await read()), identityKey: 'another' }, signal)).be.false();
  });

  it('is false for another program that knows the instance id, and sends it no secret', async () => {
    const { instanceId, clientSecret, password, identityKey = '' } = await read();
    const credentials = await impersonate(async () => ({ status: 'ok', instanceId, proof: 'guess' }));
    should(await isServiceAlive(credentials, signal)).be.false();
    requests.should.have.length(1);
    for (const secret of [clientSecret, password, identityKey]) requests.join().should.not.containEql(secret);
  });

  it('is false for another program that passes the nonce on to the service at its new port', async () => {
    const credentials = await impersonate(async (url) => (await fetch(`${service.baseUrl}${url}`)).json());
    should(await isServiceAlive(credentials, signal)).be.false();
  });

  it('compares the instance id only, if a service of an earlier version has written the file', async () => {
    const { identityKey: _, ...earlier } = await read();
    should(await isServiceAlive(earlier, signal)).be.true();
    should(await isServiceAlive({ ...earlier, instanceId: 'another' }, signal)).be.false();
  });
});
