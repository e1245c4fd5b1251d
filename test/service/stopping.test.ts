import { once } from 'node:events';
import { connect } from 'node:net';
import should from 'should';
import type { RunningService } from '../../src/service/serve.js';
import { withService } from './support/with-service.js';

describe('a service that is stopping', () => {
  let service: RunningService;

  withService((bench) => ({ service } = bench));

  it('replies with 503 and Retry-After to a request whose head it has partly received', async () => {
    const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1').setEncoding('utf8');
    const head = 'GET /healthz HTTP/1.1\r\nHost: a\r\n';
    socket.write(`${head}\r\n${head}`); // one request, and the begin of another one
    const [first] = await once(socket, 'data');
    should(first).startWith('HTTP/1.1 200 ');
    const closed = service.close();
    socket.write('\r\n');
    const [second] = await once(socket, 'data');
    should(second).match(/^HTTP\/1\.1 503 [\s\S]*\r\nretry-after: 1\r\n[\s\S]*"code":50300/);
    await closed;
  });
});
