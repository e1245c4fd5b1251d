import { EventEmitter, once } from 'node:events';
import should from 'should';
import { createOpenObjects } from '../../../../src/service/blobs/s3/open-objects.js';

describe('the objects that a process is writing', () => {
  const rows = new EventEmitter();
  const logger = { warn: (entry: object) => void rows.emit('warning', entry) };
  let touch: (keys: readonly string[]) => Promise<string[]>;
  const openObjects = () => createOpenObjects({ touch: (keys) => touch(keys) }, logger, 1);

  it('are touched by one statement until they are written', async () => {
    touch = async (keys) => {
      rows.emit('touch', keys);
      return [...keys];
    };
    const objects = openObjects();
    objects.add('a', () => undefined);
    objects.add('b', () => undefined);
    should((await once(rows, 'touch'))[0]).deepEqual(['a', 'b']);
    objects.remove('a');
    should((await once(rows, 'touch'))[0]).deepEqual(['b']);
    objects.close();
  });

  it('are reported when they were given up', async () => {
    touch = async () => ['a'];
    const objects = openObjects();
    const lost = await new Promise((resolve) => {
      objects.add('a', () => resolve('a'));
      objects.add('b', () => resolve('b'));
    });
    should(lost).equal('b');
    objects.close();
  });

  it('are touched again after a failure, which is logged', async () => {
    let count = 0;
    touch = async (keys) => {
      if (count++ === 0) throw new Error('The database is away.');
      rows.emit('touch');
      return [...keys];
    };
    const objects = openObjects();
    objects.add('a', () => rows.emit('lost'));
    const [[entry]] = await Promise.all([once(rows, 'warning'), once(rows, 'touch')]);
    should(entry).match({ err: { message: 'The database is away.' } });
    objects.close();
  });
});
