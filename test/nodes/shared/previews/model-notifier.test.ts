import should from 'should';
import { ModelEntries } from '../../../../nodes/shared/previews/model-entries.js';
import type { ModelEntry } from '../../../../nodes/shared/previews/model-entry.js';
import { summarizeModel } from '../../../../nodes/shared/previews/model-entry.js';
import { ModelNotifier } from '../../../../nodes/shared/previews/model-notifier.js';

describe('ModelNotifier', () => {
  let published: { topic: string; data: object; retain: boolean }[];
  let timers: Set<() => void>;
  let notifier: ModelNotifier;
  let entry: ModelEntry;

  const runTimers = () => {
    for (const run of [...timers]) {
      timers.delete(run);
      run();
    }
  };

  beforeEach(() => {
    published = [];
    timers = new Set();
    const comms = {
      publish: (topic: string, data: object, retain: boolean) => {
        published.push({ topic, data, retain });
      },
    };
    notifier = new ModelNotifier({ comms } as never, 'node', (run) => {
      timers.add(run);
      return () => timers.delete(run);
    });
    const entries = new ModelEntries(() => new Set(['node']));
    const summary = summarizeModel({ operations: [], warnings: [] }, 'model', 'part.stl');
    entry = entries.add({ path: 'node', name: '', service: 'service', modelId: 'model', summary });
  });

  it('sends the first state at once, and the last of those within the interval at its end', () => {
    notifier.notify(entry);
    for (const revision of [7, 8, 9]) {
      entry.revision = revision;
      notifier.notify(entry);
    }
    should(published.length).equal(1);
    runTimers();
    should(published.map(({ data }) => data).at(-1)).containEql({ id: entry.key, revision: 9 });
    runTimers();
    should(published.length).equal(2);
    should(timers.size).equal(0);
  });

  it('removes the retained state when it closes, and leaves no timer', () => {
    notifier.notify(entry);
    notifier.close();
    notifier.notify(entry);
    should(published.at(-1)).deepEqual({ topic: 'model-processing/models/node', data: {}, retain: false });
    should(timers.size).equal(0);
  });
});
