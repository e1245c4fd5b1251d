import 'should';
import { FakeService } from '../helpers/fake-service.js';
import { eventually } from '../helpers/processes.js';
import { STREAM_NODES } from '../soak/support/stream-nodes.js';
import { WaitingNodeRed } from '../soak/support/waiting-node-red.js';

/** JavaScript of a function node that creates a stream in memory. */
const CREATE = {
  'a PassThrough that gets its data later':
    "const data = new stream.PassThrough(); setTimeout(() => data.end('solid a'), 300); return data;",
  'Readable.from': "return stream.Readable.from(['solid ', 'a']);",
  'a Readable of an asynchronous generator':
    "return stream.Readable.from((async function* () { yield 'solid a'; })());",
  'a Readable of a web stream': "return stream.Readable.fromWeb(new buffer.Blob(['solid a']).stream());",
  'a Gunzip': "const data = zlib.createGunzip(); data.end(zlib.gzipSync('solid a')); return data;",
};

/** Name → how the stream gets to the upload node, as the property `route` of the payload. */
const CLONING = {
  'node.send in a function node': 'send',
  'RED.util.cloneMessage in a function node': 'clone',
  'a delay node': 'delay',
  'a change node': 'change',
  'a second wire': 'wires',
};

const SEND = `
const msgOut = { payload: {}, filename: 'part.stl', topic: 'a', rate: 1 };
msgOut.file = { data: create() };
node.send([null, null, null, null, { req: msg.req, res: msg.res, payload: {} }], false);
switch (msg.payload.route) {
  case 'send': node.send([msgOut]); return;
  case 'clone': return [RED.util.cloneMessage(msgOut)];
  case 'delay': return [null, msgOut];
  case 'change': return [null, null, msgOut];
  case 'wires': return [null, null, null, msgOut];
  default: return [msgOut];
}`;

const NODES = [
  ...STREAM_NODES,
  ...[
    { id: 'memory-in', type: 'http in', url: '/memory', method: 'post', wires: [['memory']] },
    {
      id: 'memory',
      type: 'function',
      outputs: 5,
      libs: ['buffer', 'stream', 'zlib'].map((name) => ({ var: name, module: name })),
      func: `const kinds = {${Object.entries(CREATE).map(([name, code]) => `'${name}': () => { ${code} }`)}};
        const create = kinds[msg.payload.kind];${SEND}`,
      wires: [['first'], ['delay'], ['change'], ['sink', 'first'], ['reply']],
    },
    { id: 'sink', type: 'function', outputs: 0, func: '', wires: [] },
    {
      id: 'delay',
      type: 'delay',
      pauseType: 'rate',
      timeout: '1',
      timeoutUnits: 'milliseconds',
      rate: '100',
      nbRateUnits: '1',
      rateUnits: 'second',
      outputs: 1,
      wires: [['first']],
    },
    {
      id: 'change',
      type: 'change',
      rules: [{ t: 'set', p: 'file', pt: 'msg', to: 'file', tot: 'msg', dc: true }],
      wires: [['first']],
    },
  ].map((node) => ({ z: 'tab', x: 100, y: 100, ...node })),
];

describe('streams that function nodes make', () => {
  let service: FakeService;
  let nodeRed: WaitingNodeRed;

  const countRefusals = () =>
    nodeRed.log().match(/Cloned stream: msg\.file\.data\..* Pass a path or a Buffer/g)?.length ?? 0;
  const send = (kind: string, route?: string) => nodeRed.post('/memory', { kind, route });

  before(async () => {
    service = await FakeService.start();
    nodeRed = new WaitingNodeRed(service, NODES);
    await nodeRed.start();
  });
  after(async () => {
    await nodeRed.remove();
    await service.stop();
  });

  for (const kind of Object.keys(CREATE))
    it(`are uploaded: ${kind}`, async () => {
      const earlier = nodeRed.arrivals().length;
      await send(kind);
      await eventually('the stream is uploaded', () => nodeRed.arrivals().length === earlier + 1);
      service.requests.at(-1)?.bodyBytes.should.be.above(100);
    });

  for (const [name, route] of Object.entries(CLONING))
    it(`are refused at once with the remedy after they were cloned by ${name}`, async () => {
      const [earlier, uploads] = [countRefusals(), nodeRed.arrivals().length];
      const kinds = Object.keys(CREATE);
      for (const kind of kinds) await send(kind, route);
      await eventually('all clones are refused', () => countRefusals() === earlier + kinds.length);
      nodeRed.arrivals().length.should.equal(uploads);
    });
});
