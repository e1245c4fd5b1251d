import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import 'should';
import should from 'should';
import { LocalService } from '../../../../nodes/shared/local-service/local-service.js';
import { nextTurn } from '../../../helpers/next-turn.js';
import { ScriptedProgram } from './support/scripted-program.js';

const CREDENTIALS = {
  baseUrl: 'http://127.0.0.1:1',
  instanceId: 'first',
  clientId: 'client',
  clientSecret: 'client secret',
  username: 'user',
  password: 'password',
};

describe('LocalService', () => {
  const signal = new AbortController().signal;
  let dataDir: string;
  let programs: ScriptedProgram[];
  let delays: number[];
  let isPresent: boolean;
  let now: number;
  let service: LocalService;
  let started: () => void;

  /** Returns the program of the n-th start, once it has been started. */
  const program = async (n: number): Promise<ScriptedProgram> => {
    for (;;) {
      const match = programs[n - 1];
      if (match) return match;
      await new Promise<void>((resolve) => {
        started = resolve;
      });
    }
  };

  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(os.tmpdir(), 'local-service-'));
    await writeFile(path.join(dataDir, 'credentials.json'), JSON.stringify(CREDENTIALS));
    programs = [];
    delays = [];
    isPresent = true;
    now = 0;
    started = () => undefined;
    service = new LocalService({
      settings: { dataDir },
      log: () => undefined,
      isPresent: () => isPresent,
      now: () => now,
      sleep: async (ms, aborted) => {
        // Only the delay before a kill is aborted, when the program has ended.
        if (ms === 5_000) await new Promise((resolve) => aborted.addEventListener('abort', resolve, { once: true }));
        else {
          delays.push(ms);
          now += ms;
        }
      },
      start: () => {
        const result = new ScriptedProgram();
        programs.push(result);
        started();
        return result;
      },
    });
  });

  afterEach(async () => {
    const closed = service.close();
    for (const each of programs) each.finish(0);
    await closed;
    await rm(dataDir, { recursive: true });
  });

  it('returns the address that the program prints, with the account of credentials.json', async () => {
    const account = service.getAccount(signal);
    (await program(1)).serve('http://127.0.0.1:4711');
    (await account).should.containEql({ baseUrl: 'http://127.0.0.1:4711', clientId: 'client', password: 'password' });
    should(await service.getAccount(signal)).containEql({ baseUrl: 'http://127.0.0.1:4711' });
    programs.length.should.equal(1);
  });

  it('makes callers wait during the start, and rejects those that abort with ABORTED', async () => {
    const aborting = new AbortController();
    const first = service.getAccount(aborting.signal);
    const second = service.getAccount(signal);
    aborting.abort();
    await first.should.be.rejectedWith({ code: 'ABORTED' });
    (await program(1)).serve();
    await second;
  });

  it('restarts a crashed program with delays that double, until it has served for a minute', async () => {
    const account = service.getAccount(signal);
    (await program(1)).finish(undefined);
    (await program(2)).finish(undefined);
    should(service.notice).equal('restarting');
    (await program(3)).serve();
    await account;
    should(service.notice).be.undefined();
    now += 60_000;
    programs[2]?.finish(1, 'out of memory');
    (await program(4)).serve();
    delays.should.deepEqual([250, 500, 250]);
  });

  it('throws LOCAL_UNAVAILABLE with the path of the program if it is missing', async () => {
    isPresent = false;
    const error = await service.getAccount(signal).should.be.rejectedWith({ code: 'LOCAL_UNAVAILABLE' });
    error.message.should.match(/its program \S+cli\.js is missing\. Reinstall the package\.$/);
  });

  it('throws LOCAL_UNAVAILABLE with the reason if native code cannot be loaded', async () => {
    const account = service.getAccount(signal);
    (await program(1)).finish(4, '{"level":"error","msg":"libsql has no binary for this platform"}');
    const error = await account.should.be.rejectedWith({ code: 'LOCAL_UNAVAILABLE' });
    error.message.should.containEql('libsql has no binary for this platform');
  });

  it('throws LOCAL_UNAVAILABLE with the reason if the program exits before it serves', async () => {
    const account = service.getAccount(signal);
    (await program(1)).finish(1, 'the folder is of version 9, this program knows 1');
    (await account.should.be.rejectedWith({ code: 'LOCAL_UNAVAILABLE' })).message.should.match(/of version 9/);
  });

  it('throws LOCAL_UNAVAILABLE that names settings.js if the program rejects its options', async () => {
    const account = service.getAccount(signal);
    (await program(1)).finish(2, 'model-processing: --workers is a whole number from 1 to 256, not "two"');
    const { message } = await account.should.be.rejectedWith({ code: 'LOCAL_UNAVAILABLE' });
    message.should.match(/modelProcessing in settings\.js is invalid: workers is .*"two"/);
  });

  it('throws LOCAL_UNAVAILABLE with the message of the program, and with settings instead of its options', async () => {
    const account = service.getAccount(signal);
    (await program(1)).finish(
      1,
      'model-processing: Could not use the data folder /d: x, or choose another one with --data.',
    );
    const { message } = await account.should.be.rejectedWith({ code: 'LOCAL_UNAVAILABLE' });
    message.should.equal(
      'The local service could not start: Could not use the data folder /d: x, or choose another one with modelProcessing.dataDir in settings.js.',
    );
  });

  for (const [code, reason] of [
    ['ENOENT', /is missing: Node\.js was updated or removed\. Restart Node-RED\.$/],
    ['EAGAIN', /the limit of processes is reached\. Raise it/],
    ['EMFILE', /too many files are open\. Raise the limit/],
  ] as const)
    it(`throws LOCAL_UNAVAILABLE with the reason if the system cannot start the program: ${code}`, async () => {
      const account = service.getAccount(signal);
      (await program(1)).fail(Object.assign(new Error(`spawn ${code}`), { code }));
      (await account.should.be.rejectedWith({ code: 'LOCAL_UNAVAILABLE' })).message.should.match(reason);
      programs.length.should.equal(1);
    });

  it('throws LOCAL_UNAVAILABLE with the reason if the program cannot be started', async () => {
    const start = () => {
      throw new Error('spawn E2BIG');
    };
    const failing = new LocalService({ settings: { dataDir }, log: () => undefined, isPresent: () => true, start });
    (await failing.getAccount(signal).should.be.rejectedWith({ code: 'LOCAL_UNAVAILABLE' })).message.should.match(
      /E2BIG/,
    );
    await failing.close();
  });

  it('retries a failed start for a later message, but not for every message', async () => {
    const account = service.getAccount(signal);
    (await program(1)).finish(1, 'no');
    await account.should.be.rejected();
    await service.getAccount(signal).should.be.rejectedWith({ code: 'LOCAL_UNAVAILABLE' });
    programs.length.should.equal(1);
    now += 1_000;
    const later = service.getAccount(signal);
    (await program(2)).serve();
    await later;
  });

  it('throws SERVICE_LOCKED after 5 s while the folder is locked', async () => {
    const account = service.getAccount(signal);
    const refused = account.should.be.rejectedWith({ code: 'SERVICE_LOCKED' });
    let starts = 0;
    // Each delay doubles, from 250 ms: the sixth start is the first after 5 s.
    while (starts < 6) {
      starts += 1;
      (await program(starts)).finish(3);
    }
    await refused;
    should(service.notice).equal('locked');
    (await program(starts + 1)).serve();
    while (service.notice === 'locked') await nextTurn();
    await service.getAccount(signal);
  });

  it('serves a message that arrives while the folder is locked for a moment', async () => {
    const account = service.getAccount(signal);
    (await program(1)).finish(3);
    (await program(2)).finish(3);
    (await program(3)).serve();
    (await account).should.containEql({ clientId: 'client' });
  });

  it('stops the program on close, and waits for its end', async () => {
    const account = service.getAccount(signal);
    const running = await program(1);
    running.serve();
    await account;
    const closed = service.close();
    running.isStopped.should.be.true();
    running.finish(0);
    await closed;
    running.isKilled.should.be.false();
    await service.getAccount(signal).should.be.rejectedWith({ code: 'LOCAL_UNAVAILABLE' });
  });

  it('stops a program that has not printed its address', async () => {
    const account = service.getAccount(signal);
    const rejected = account.should.be.rejected();
    const running = await program(1);
    const closed = service.close();
    running.isStopped.should.be.true();
    running.finish(0);
    await closed;
    await rejected;
    programs.length.should.equal(1);
  });

  it('starts the program only after an earlier service of the folder has ended', async () => {
    let end: () => void = () => undefined;
    const predecessorEnd = new Promise<void>((resolve) => {
      end = resolve;
    });
    const events: string[] = [];
    const successor = new LocalService({
      settings: { dataDir },
      log: () => undefined,
      isPresent: () => true,
      predecessorEnd,
      start: () => {
        events.push('started');
        const result = new ScriptedProgram();
        result.serve();
        queueMicrotask(() => events.push('served'));
        programs.push(result);
        return result;
      },
    });
    const account = successor.getAccount(signal);
    await nextTurn();
    events.should.be.empty();
    end();
    await account;
    const closed = successor.close();
    programs.at(-1)?.finish(0);
    await closed;
  });
});
