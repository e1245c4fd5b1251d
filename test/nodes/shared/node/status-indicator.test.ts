import type { NodeStatus } from 'node-red';
import 'should';
import should from 'should';
import { StatusIndicator } from '../../../../nodes/shared/node/status-indicator.js';

describe('StatusIndicator', () => {
  let statuses: NodeStatus[];
  let now: number;
  let indicator: StatusIndicator;
  const last = () => statuses.at(-1);

  beforeEach(() => {
    statuses = [];
    now = 0;
    const node = { status: (status: string | NodeStatus) => void statuses.push(status as NodeStatus) };
    indicator = new StatusIndicator(node, () => now);
  });

  it('shows a blue dot with the progress of the only message', () => {
    indicator.begin().working('uploading', 0.456);
    should(last()).deepEqual({ fill: 'blue', shape: 'dot', text: 'uploading 45 %' });
  });

  it('shows the number of messages in progress, with a dot as soon as the node works on one of them', () => {
    indicator.begin().waiting('waiting');
    should(last()).deepEqual({ fill: 'blue', shape: 'ring', text: 'waiting' });
    indicator.begin().working('uploading', 0.5);
    should(last()).deepEqual({ fill: 'blue', shape: 'dot', text: 'uploading (2)' });
  });

  it('shows the last outcome with a green dot, or with a yellow ring for a warning', () => {
    indicator.begin().succeed({ text: 'solid' });
    should(last()).deepEqual({ fill: 'green', shape: 'dot', text: 'solid' });
    indicator.begin().succeed({ text: 'manifold', isWarning: true });
    should(last()).deepEqual({ fill: 'yellow', shape: 'ring', text: 'manifold' });
  });

  it('keeps the red ring while other messages are in progress, until one of them succeeds', () => {
    const other = indicator.begin();
    indicator.begin().fail('NOT_FOUND');
    other.working('uploading', 0.9);
    should(last()).deepEqual({ fill: 'red', shape: 'ring', text: 'NOT_FOUND' });
    other.succeed({ text: 'done' });
    should(last()).containEql({ fill: 'green' });
  });

  it('shows a notice of the service before an error, and the error again after the notice', () => {
    indicator.begin().fail('NOT_FOUND');
    indicator.notice('restarting');
    should(last()).deepEqual({ fill: 'yellow', shape: 'ring', text: 'restarting' });
    indicator.notice(undefined);
    should(last()).containEql({ fill: 'red' });
  });

  it('shows progress at most five times a second, but a new text at once', () => {
    const activity = indicator.begin();
    for (let step = 0; step < 100; step += 1) {
      now += 10;
      activity.working('uploading', step / 100);
    }
    statuses.length.should.be.belowOrEqual(6);
    activity.working('downloading');
    should(last()?.text).equal('downloading');
  });

  it('truncates a long text in its middle', () => {
    indicator.begin().succeed({ text: 'a-very-long-name-of-a-bracket-for-a-shelf.stl' });
    should(last()?.text).equal('a-very-long-n…r-a-shelf.stl');
  });

  it('does not update the status when a message is dropped', () => {
    const activity = indicator.begin();
    activity.working('uploading');
    activity.drop();
    statuses.length.should.equal(1);
  });
});
