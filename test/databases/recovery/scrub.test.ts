import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import should from 'should';
import { createObjectKey } from '../../../src/service/blobs/s3/object-keys.js';
import { createS3Blobs, type S3Blobs } from '../../../src/service/blobs/s3/s3-blobs.js';
import { startScrubbing } from '../../../src/service/database-mode/start-scrubbing.js';
import { createDamageRecorder } from '../../../src/service/integrity/damage-recorder.js';
import { createLogger } from '../../../src/service/logger.js';
import { createFiles, type Files } from '../../../src/service/store/files.js';
import { createScrubTurns, type ScrubTurns } from '../../../src/service/store/postgres/scrub-turns.js';
import { eventually } from '../../helpers/processes.js';
import { recordOf } from '../../service/support/records.js';
import { type BucketBench, registerBucketBench } from '../blobs/support/bucket-bench.js';
import { type ObjectBench, registerObjectBench } from '../blobs/support/object-bench.js';

const logger = createLogger('silent');
const LIMITS = { scrubStartMs: 1, scrubBlockPauseMs: 1 };

describe('the scrub of a bucket', () => {
  let bench: BucketBench;
  let objects: ObjectBench;
  let blobs: S3Blobs;
  let files: Files;
  let turns: ScrubTurns;
  let checked: string[];
  let ends: (() => Promise<void>)[];
  registerBucketBench((opened) => (bench = opened));
  registerObjectBench((opened) => (objects = opened));

  beforeEach(async () => {
    blobs = createS3Blobs({ bucket: bench.bucket, rows: objects.rows, logger });
    files = createFiles(objects.store);
    turns = createScrubTurns(objects.store);
    checked = [];
    ends = [];
    await sql`update scrub set last_id = '', lease = null, due_at = 0`.execute(objects.store);
  });

  afterEach(async () => {
    for (const end of ends) await end();
    blobs.close();
  });

  const upload = async (): Promise<string> => {
    const record = recordOf(randomUUID(), '0123456789');
    const sink = await blobs.write(record.id, () => Promise.resolve(), 'me');
    sink.write(Buffer.from('0123456789'));
    await sink.finish();
    await objects.addFile(record, await sink.commit(record));
    return record.id;
  };

  const isDamaged = async (id: string): Promise<boolean> => (await files.findStored(id))?.damaged_at !== null;

  /** Starts the scrub as a process does. Resolves with the function that ends it. */
  const start = (scrubPassMs: number, store: S3Blobs = blobs): (() => Promise<void>) => {
    const damage = createDamageRecorder({ files, blobs: store, now: Date.now, logger });
    const noticing = {
      ...store,
      readVerified: (...args: Parameters<S3Blobs['readVerified']>) => {
        checked.push(args[0]);
        return store.readVerified(...args);
      },
    };
    const end = startScrubbing({
      ...{ files, damage, turns, logger },
      blobs: noticing,
      limits: { ...LIMITS, scrubPassMs },
    });
    ends.push(end);
    return end;
  };

  it('finds every damaged file, and one that was restored', async () => {
    const [missing, altered, sound] = [await upload(), await upload(), await upload()];
    await bench.bucket.remove(createObjectKey(missing));
    await bench.bucket.put(createObjectKey(altered), '0123456780');
    start(10);
    await eventually('both were found', async () => (await isDamaged(missing)) && isDamaged(altered), 60_000);
    should(await isDamaged(sound)).be.false();
    await bench.bucket.put(createObjectKey(altered), '0123456789');
    await eventually('one is sound again', async () => !(await isDamaged(altered)), 60_000);
    should(await isDamaged(missing)).be.true();
  });

  it('reads each file once in a pass, although two processes do it', async () => {
    const ids = [await upload(), await upload(), await upload()].sort();
    start(2000);
    start(2000);
    await eventually('a pass is done', () => checked.length >= 3, 60_000);
    should(checked.slice(0, 3)).eql(ids);
  });

  it('goes on in another process where one was stopped', async () => {
    const ids = [await upload(), await upload()].sort();
    await eventually('the first file was checked', async () => {
      if (ends.length === 0) start(86_400_000);
      const { rows } = await sql<{ last_id: string }>`select last_id from scrub`.execute(objects.store);
      return rows[0]?.last_id === ids[0];
    });
    await ends[0]?.();
    await sql`update scrub set due_at = 0`.execute(objects.store); // a day later
    start(86_400_000);
    await eventually('the second file was checked', () => checked.length === 2, 60_000);
    should(checked).eql(ids);
  });

  it('gives its turn back when it is stopped during a check', async () => {
    const id = await upload();
    let isReading = false;
    const stalled: S3Blobs = {
      ...blobs,
      async *readVerified(...args) {
        isReading = true;
        yield* blobs.readVerified(...args);
      },
    };
    const damage = createDamageRecorder({ files, blobs, now: Date.now, logger });
    const limits = { ...LIMITS, scrubPassMs: 1000, scrubBlockPauseMs: 10_000_000 };
    const end = startScrubbing({ files, blobs: stalled, damage, turns, logger, limits });
    await eventually('the check has begun', () => isReading, 60_000);
    should(await turns.take(randomUUID(), 1000)).be.undefined();
    await end();
    should(await turns.take(randomUUID(), 1000)).equal('');
    should(await isDamaged(id)).be.false();
  });

  it('goes on with the next file after the bucket has failed, and marks nothing', async () => {
    const id = await upload();
    await bench.bucket.remove(createObjectKey(id));
    await bench.bucket.remove(`records/${id}/upload.json`);
    await bench.removeBucket();
    start(1000);
    await eventually(
      'the position has moved',
      async () => {
        const { rows } = await sql<{ last_id: string }>`select last_id from scrub`.execute(objects.store);
        return rows[0]?.last_id === id;
      },
      60_000,
    );
    should(await isDamaged(id)).be.false();
  });

  describe('its turns', () => {
    it('belong to one process, until it ends them or has not kept them', async () => {
      const [first, second] = [randomUUID(), randomUUID()];
      should(await turns.take(first, 60_000)).equal('');
      should(await turns.take(second, 60_000)).be.undefined();
      should(await turns.keep(first, 60_000)).be.true();
      should(await turns.keep(second, 60_000)).be.false();
      await turns.end(second, 'wrong', 0);
      await turns.end(first, 'last', 0);
      should(await turns.take(second, 0)).equal('last');
      should(await turns.take(first, 60_000)).equal('last'); // it was not kept
      should(await turns.keep(second, 60_000)).be.false();
    });

    it('are due after the time that the last one has set', async () => {
      const lease = randomUUID();
      await turns.take(lease, 60_000);
      await turns.end(lease, 'last', 60_000);
      should(await turns.take(lease, 60_000)).be.undefined();
    });
  });
});
