import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import should from 'should';
import { parseAddressFilter } from '../../../src/service/callbacks/address-filter.js';
import { createLogger } from '../../../src/service/logger.js';
import type { RunningService, ServeOptions } from '../../../src/service/serve.js';
import { logIn } from '../support/account.js';
import { useFolder } from '../support/data-folder.js';
import { CUBE } from '../support/models.js';
import { startService } from '../support/running.js';

const FORWARDED = {
  'x-forwarded-for': '203.0.113.7, 198.51.100.9',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'models.example',
};

describe('The address of clients and of the service', () => {
  let folder: string;
  let service: RunningService | undefined;
  let log: PassThrough;

  const start = async (options: Partial<ServeOptions>) => {
    log = new PassThrough();
    service = await startService(folder, { logger: createLogger('warn', log), ...options });
    return service.baseUrl;
  };

  useFolder((created) => (folder = created));

  afterEach(() => service?.close());

  /** Uploads a file with the headers of a proxy. Resolves with the fileUrl up to its id. */
  const uploadThroughProxy = async (): Promise<string> => {
    const { baseUrl, token } = await logIn(folder);
    const body = new FormData();
    body.append('file', new Blob([CUBE]), 'cube.stl');
    const headers = { authorization: `Bearer ${token}`, ...FORWARDED };
    const reply = await fetch(`${baseUrl}/web-api/operation/file`, { method: 'POST', headers, body });
    const { fileId, fileUrl }: { fileId: string; fileUrl: string } = Object(await reply.json());
    fileUrl.should.endWith(`/web-api/operation/file/${fileId}`);
    return fileUrl.replace(`/web-api/operation/file/${fileId}`, '');
  };

  /** Sends an unknown client. Resolves with the address in the log. */
  const loggedAddress = async (baseUrl: string): Promise<unknown> => {
    await fetch(`${baseUrl}/Token`, { method: 'POST', headers: FORWARDED, body: `client=${randomUUID()}` });
    const entry: unknown = JSON.parse(String(log.read()));
    should(entry).have.property('address');
    return Object(entry).address;
  };

  it('ignores the headers of proxies that are not trusted', async () => {
    const baseUrl = await start({ isTrustedProxy: parseAddressFilter('192.0.2.0/24') });
    should(await uploadThroughProxy()).equal(baseUrl);
    should(await loggedAddress(baseUrl)).equal('127.0.0.1');
  });

  it('ignores them by default', async () => {
    const baseUrl = await start({});
    should(await uploadThroughProxy()).equal(baseUrl);
    should(await loggedAddress(baseUrl)).equal('127.0.0.1');
  });

  it('takes the last address that is not that of a trusted proxy, and its protocol and host', async () => {
    const baseUrl = await start({ isTrustedProxy: parseAddressFilter('loopback') });
    should(await uploadThroughProxy()).equal('https://models.example');
    should(await loggedAddress(baseUrl)).equal('198.51.100.9');
  });

  it('skips the addresses of a chain of trusted proxies', async () => {
    const baseUrl = await start({ isTrustedProxy: parseAddressFilter('loopback,198.51.100.0/24') });
    should(await loggedAddress(baseUrl)).equal('203.0.113.7');
  });

  it('uses the public URL, if there is one', async () => {
    await start({ publicUrl: 'https://print.example/models' });
    should(await uploadThroughProxy()).equal('https://print.example/models');
  });
});
