import 'should';
import { type HeldWait, HeldWaits } from '../../../nodes/shared/held-waits.js';

const WAIT: HeldWait = {
  msg: { _msgid: 'm1' },
  operation: 'repair',
  operationId: '00000000-0000-4000-8000-000000000000',
  filename: undefined,
  startedAt: 0,
};

describe('HeldWaits', () => {
  it('gives what was put for a node to that node, once', () => {
    const held = new HeldWaits(() => 0);
    held.put('tab/node', [WAIT]);
    held.take('tab/other').should.be.empty();
    held.take('tab/node').should.deepEqual([WAIT]);
    held.take('tab/node').should.be.empty();
  });

  it('drops what nobody took within a minute', () => {
    let now = 0;
    const held = new HeldWaits(() => now);
    held.put('tab/node', [WAIT]);
    now = 60_001;
    held.take('tab/node').should.be.empty();
  });
});
