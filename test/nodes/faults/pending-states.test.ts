import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import 'should';
import should from 'should';
import { neverReply } from '../../helpers/fake-replies.js';
import type { FakeService } from '../../helpers/fake-service.js';
import type { FlowBench, FlowItem } from '../support/flow-bench.js';
import { registerFaultyFlow } from './support/faulty-flow.js';

/** What can be pending in a node. docs/faults.md has the same table. */
interface PendingState {
  name: string;
  node: { type: string; [setting: string]: unknown };
  /** The request that does not get its reply. */
  request: [method: string, path: RegExp];
  message: (service: FakeService) => Record<string, unknown>;
  /** The line in the log if no other node continues it. Default: the next node continues it. */
  discarded?: RegExp;
  /** The line in the log if its node is deleted. */
  deleted: RegExp;
}

const DATA = Buffer.from('solid x');
const STREAM_LINE = /Discarded the upload of part\.stl: a stream cannot be read again/;
const START_LINE = /Discarded by a deploy or stop, before their operation had started: part\.stl/;

const STATES: PendingState[] = [
  {
    name: 'a wait for an operation',
    node: { type: 'model-processing-wait' },
    request: ['GET', /status$/],
    message: (service) => ({ payload: { operationId: service.addOperation('repair'), operation: 'repair' } }),
    deleted: /Discarded the pending wait for operation [0-9a-f-]{36}: its node was removed/,
  },
  {
    name: 'an upload',
    node: { type: 'model-processing-upload' },
    request: ['POST', /operation\/file$/],
    message: () => ({ payload: DATA, filename: 'part.stl' }),
    deleted: /Discarded the upload of part\.stl: its node was removed/,
  },
  {
    name: 'an upload that reads a stream',
    node: { type: 'model-processing-upload' },
    request: ['GET', /formats$/],
    message: () => ({ payload: new PassThrough(), filename: 'part.stl' }),
    discarded: STREAM_LINE,
    deleted: STREAM_LINE,
  },
  {
    name: 'a download',
    node: { type: 'model-processing-download' },
    request: ['GET', /operation\/file\//],
    message: (service) => ({ payload: { fileId: service.addFile(DATA), filename: 'part.stl' } }),
    deleted: /Discarded the download of part\.stl: its node was removed/,
  },
  {
    name: 'the start of an operation',
    node: { type: 'model-processing-repair' },
    request: ['POST', /repair$/],
    message: () => ({ payload: { resultId: randomUUID(), filename: 'part.stl' } }),
    discarded: START_LINE,
    deleted: START_LINE,
  },
];

/** Returns a flow in which some items are changed. */
function change(flow: FlowItem[], ids: string[], settings: object): FlowItem[] {
  return flow.map((item) => (ids.includes(item.id) ? { ...item, ...settings } : item));
}

const ON_OTHER_TAB = { id: 'other', type: 'tab', label: 'other' };
/** What happens to a node, as the flows that are deployed one after the other. */
const EVENTS: [name: string, deploys: (flow: FlowItem[]) => [FlowItem[], 'full' | 'flows' | 'nodes'][]][] = [
  ['a full deploy', (flow) => [[flow, 'full']]],
  ['a deploy of changed flows', (flow) => [[change(flow, ['node'], { name: 'changed' }), 'flows']]],
  ['a deploy of changed nodes', (flow) => [[change(flow, ['node'], { name: 'changed' }), 'nodes']]],
  [
    'a move of the node to another tab',
    (flow) => [[[...change(flow, ['node', 'out'], { z: 'other' }), ON_OTHER_TAB], 'nodes']],
  ],
  [
    'the node being disabled and enabled',
    (flow) => [
      [change(flow, ['node'], { d: true }), 'nodes'],
      [flow, 'nodes'],
    ],
  ],
  [
    'its tab being disabled and enabled',
    (flow) => [
      [change(flow, ['tab'], { disabled: true }), 'full'],
      [flow, 'full'],
    ],
  ],
];

for (const { name, node, request, message, discarded, deleted } of STATES)
  describe(`${name}, pending in a node`, () => {
    let service: FakeService;
    let bench: FlowBench;
    const { flow, open } = registerFaultyFlow((opened) => ({ service, bench } = opened));

    beforeEach(async () => {
      service.fault(...request, neverReply, Number.POSITIVE_INFINITY);
      await open(node);
      bench.send(message(service));
      await bench.until(() => service.count(...request) > 0);
    });

    for (const [event, deploys] of EVENTS)
      it(`${discarded ? 'ends with one line in the log' : 'continues'} after ${event}`, async () => {
        const [last, ...earlier] = deploys(flow(node)).reverse();
        for (const [changed, type] of earlier.reverse()) await bench.deploy(changed, type);
        service.clearFaults();
        if (last) await bench.deploy(...last);
        if (discarded) {
          bench.findLogLines(discarded).length.should.equal(1);
          should(bench.completed.get('node')).be.undefined();
        } else {
          await bench.next();
          should(bench.completed.get('node')).equal(1);
        }
        for (const id of ['out', 'errors']) bench.countUnread(id).should.equal(0);
      });

    it('ends with one line in the log if the node is deleted', async () => {
      await bench.deploy(flow(node).filter(({ id }) => id !== 'node'));
      await bench.deploy(flow(node));
      bench.findLogLines(deleted).length.should.equal(1);
      should(bench.completed.get('node')).be.undefined();
    });

    it('ends without a message if the node receives msg.reset', async () => {
      bench.send({ reset: true });
      await bench.until(() => bench.completed.get('node') === 2);
      await bench.deploy(flow(node));
      bench.findLogLines(/Discarded|Interrupted|continues/).should.be.empty();
      for (const id of ['out', 'errors']) bench.countUnread(id).should.equal(0);
    });
  });
