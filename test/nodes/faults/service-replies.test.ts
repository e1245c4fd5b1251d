import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import helper from 'node-red-node-test-helper';
import { dropConnection, type Fault, replyWith, replyWithError } from '../../helpers/fake-replies.js';
import 'should';
import type { FakeService } from '../../helpers/fake-service.js';
import { raw, refuseEarly, reset } from '../../helpers/socket-faults.js';
import type { FlowBench } from '../support/flow-bench.js';
import { registerFaultyFlow } from './support/faulty-flow.js';

const UPLOAD = /operation\/file$/;
const FILE = /operation\/file\//;
const SECRETS = /secret-of-the-client|pass word|pass\+word|access-token|refresh-token|Basic /;

describe('faults in a flow', () => {
  let service: FakeService;
  let bench: FlowBench;
  const { folder, flow, open, openFlow } = registerFaultyFlow((opened) => ({ service, bench } = opened));

  it('of the service bring no secret into a message, a status or the log, and leave no partial file', async () => {
    const secretText = 'pass word & sign secret-of-the-client Bearer access-token-1';
    const faults: Fault[] = [
      replyWithError(400, secretText),
      replyWithError(404, secretText),
      replyWith(302, secretText, { Location: `http://${encodeURI('pass word')}/` }),
      refuseEarly(413, secretText),
    ];
    const types = ['upload', 'download', 'repair'];
    const nodes = types.map((type) => ({
      id: type,
      z: 'tab',
      x: 1,
      y: 1,
      type: `model-processing-${type}`,
      service: 'service',
      wires: [['out']],
      ...(type === 'download' && { target: 'file', path: `${folder}/`, pathType: 'str' }),
    }));
    await openFlow([...flow({ type: 'model-processing-wait' }), ...nodes]);
    for (const fault of faults) {
      for (const [type, msg, method, path_] of [
        ['upload', { payload: Buffer.from('x'), filename: 'a.stl' }, 'POST', UPLOAD],
        ['download', { payload: { fileId: service.addFile(Buffer.from('x')) } }, 'GET', FILE],
        ['repair', { payload: { resultId: randomUUID() } }, 'POST', /repair$/],
      ] as const) {
        service.fault(method, path_, fault);
        bench.send(msg, type);
        JSON.stringify(await bench.next('errors')).should.not.match(SECRETS);
      }
    }
    JSON.stringify([...bench.statuses.values()]).should.not.match(SECRETS);
    JSON.stringify(helper.log().args).should.not.match(SECRETS);
    readdirSync(folder).should.be.empty();
  });

  it('of different kinds in turn let each message end, and downloaded files are complete', async () => {
    const bytes = Buffer.alloc(1 << 20, 'y');
    const faults: Fault[] = [reset, raw('garbage\r\n\r\n'), dropConnection, replyWithError(503, 'later')];
    let count = 0;
    service.fault(
      'GET',
      FILE,
      (request, reply) => {
        count += 1;
        return count % 3 === 0 ? faults[(count / 3) % faults.length]?.(request, reply) : false;
      },
      1e9,
    );
    await open({ type: 'model-processing-download' });
    const fileId = service.addFile(bytes);
    for (let i = 0; i < 20; i += 1) bench.send({ payload: { fileId } });
    await bench.until(() => bench.completed.get('node') === 20);
    while (bench.countUnread('out') > 0) (await bench.next()).payload.equals(bytes).should.be.true();
  });
});
