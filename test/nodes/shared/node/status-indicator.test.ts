import type { NodeStatus } from 'node-red';
import 'should';
import should from 'should';
import { StatusIndicator } from '../../../../nodes/shared/node/status-indicator.js';

describe('Badge', () => {
  let shown: NodeStatus[];
  let now: number;
  let badge: StatusIndicator;
  const last = () => shown.at(-1);

  beforeEach(() => {
    shown = [];
    now = 0;
    const node = { status: (status: string | NodeStatus) => void shown.push(status as NodeStatus) };
    badge = new StatusIndicator(node, () => now);
  });

  it('is a blue dot with the share that is done', () => {
    badge.begin().working('uploading', 0.456);
    should(last()).deepEqual({ fill: 'blue', shape: 'dot', text: 'uploading 45 %' });
  });

  it('says how many messages are under way, and is a dot as soon as one of them is worked on', () => {
    badge.begin().waiting('waiting');
    should(last()).deepEqual({ fill: 'blue', shape: 'ring', text: 'waiting' });
    badge.begin().working('uploading', 0.5);
    should(last()).deepEqual({ fill: 'blue', shape: 'dot', text: 'uploading (2)' });
  });

  it('is a green dot with the last outcome, or a yellow ring for a warning', () => {
    badge.begin().succeed({ text: 'solid' });
    should(last()).deepEqual({ fill: 'green', shape: 'dot', text: 'solid' });
    badge.begin().succeed({ text: 'manifold', isWarning: true });
    should(last()).deepEqual({ fill: 'yellow', shape: 'ring', text: 'manifold' });
  });

  it('stays a red ring while other messages are under way, until one of them succeeds', () => {
    const other = badge.begin();
    badge.begin().fail('NOT_FOUND');
    other.working('uploading', 0.9);
    should(last()).deepEqual({ fill: 'red', shape: 'ring', text: 'NOT_FOUND' });
    other.succeed({ text: 'done' });
    should(last()).containEql({ fill: 'green' });
  });

  it('shows a notice of the service above all, and what was there when it has passed', () => {
    badge.begin().fail('NOT_FOUND');
    badge.notice('restarting');
    should(last()).deepEqual({ fill: 'yellow', shape: 'ring', text: 'restarting' });
    badge.notice(undefined);
    should(last()).containEql({ fill: 'red' });
  });

  it('tells progress no more than five times a second, but a new text at once', () => {
    const activity = badge.begin();
    for (let step = 0; step < 100; step += 1) {
      now += 10;
      activity.working('uploading', step / 100);
    }
    shown.length.should.be.belowOrEqual(6);
    activity.working('downloading');
    should(last()?.text).equal('downloading');
  });

  it('shortens a long text in its middle', () => {
    badge.begin().succeed({ text: 'a-very-long-name-of-a-bracket-for-a-shelf.stl' });
    should(last()?.text).equal('a-very-long-n…r-a-shelf.stl');
  });

  it('forgets a message that is dropped, without a word', () => {
    const activity = badge.begin();
    activity.working('uploading');
    activity.drop();
    shown.length.should.equal(1);
  });
});
