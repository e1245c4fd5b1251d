import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import 'should';
import should from 'should';
import type { ProgramExit, RunningProgram } from '../../../../nodes/shared/local-service/local-program.js';
import { LocalService } from '../../../../nodes/shared/local-service/local-service.js';

const CREDENTIALS = {
  baseUrl: 'http://127.0.0.1:1',
  instanceId: 'first',
  clientId: 'client',
  clientSecret: 'client secret',
  username: 'user',
  password: 'password',
};

/** A program whose life a test decides. */
class ScriptedProgram implements RunningProgram {
  readonly pid = 1;
  readonly baseUrl: Promise<string | undefined>;
  readonly end: Promise<ProgramExit>;
  isStopped = false;
  isKilled = false;
  #say: (baseUrl: string | undefined) => void = () => undefined;
  #finish: (end: ProgramExit) => void = () => undefined;

  constructor() {
    this.baseUrl = new Promise((resolve) => {
      this.#say = resolve;
    });
    this.end = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  serve(baseUrl = CREDENTIALS.baseUrl): void {
    this.#say(baseUrl);
  }

  finish(exitStatus: number | undefined, lastLine = ''): void {
    this.#say(undefined);
    this.#finish({ exitStatus, lastLine });
  }

  stop(): void {
    this.isStopped = true;
  }

  kill(): void {
    this.isKilled = true;
    this.finish(undefined);
  }
}

describe('LocalService', () => {
  const signal = new AbortController().signal;
  let dataDir: string;
  let programs: ScriptedProgram[];
  let pauses: number[];
  let isPresent: boolean;
  let now: number;
  let service: LocalService;
  let started: () => void;

  /** The program of the n-th start, once it has been started. */
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
    pauses = [];
    isPresent = true;
    now = 0;
    started = () => undefined;
    service = new LocalService({
      settings: { dataDir },
      log: () => undefined,
      isPresent: () => isPresent,
      now: () => now,
      sleep: async (ms, aborted) => {
        // The wait before a kill is the only one that ends with what it waits for.
        if (ms === 5_000) await new Promise((resolve) => aborted.addEventListener('abort', resolve, { once: true }));
        else {
          pauses.push(ms);
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

  it('gives the address that the program said, and the account of credentials.json', async () => {
    const account = service.account(signal);
    (await program(1)).serve('http://127.0.0.1:4711');
    (await account).should.containEql({ baseUrl: 'http://127.0.0.1:4711', clientId: 'client', password: 'password' });
    should(await service.account(signal)).containEql({ baseUrl: 'http://127.0.0.1:4711' });
    programs.length.should.equal(1);
  });

  it('has those who ask while it starts wait, and lets each of them give up', async () => {
    const impatient = new AbortController();
    const first = service.account(impatient.signal);
    const second = service.account(signal);
    impatient.abort();
    await first.should.be.rejectedWith({ code: 'ABORTED' });
    (await program(1)).serve();
    await second;
  });

  it('starts a program that died again, after pauses that double, until it has served for a minute', async () => {
    const account = service.account(signal);
    (await program(1)).finish(undefined);
    (await program(2)).finish(undefined);
    should(service.notice).equal('restarting');
    (await program(3)).serve();
    await account;
    should(service.notice).be.undefined();
    now += 60_000;
    programs[2]?.finish(1, 'out of memory');
    (await program(4)).serve();
    pauses.should.deepEqual([250, 500, 250]);
  });

  it('answers LOCAL_UNAVAILABLE, naming the platform, where the program is missing', async () => {
    isPresent = false;
    const error = await service.account(signal).should.be.rejectedWith({ code: 'LOCAL_UNAVAILABLE' });
    error.message.should.containEql(process.platform).and.containEql('is missing');
  });

  it('answers LOCAL_UNAVAILABLE, with the reason, where native code cannot be loaded', async () => {
    const account = service.account(signal);
    (await program(1)).finish(4, '{"level":"error","msg":"libsql has no binary for this platform"}');
    const error = await account.should.be.rejectedWith({ code: 'LOCAL_UNAVAILABLE' });
    error.message.should.containEql('libsql has no binary for this platform');
  });

  it('answers LOCAL_UNAVAILABLE, with the reason, where the program ends before it served', async () => {
    const account = service.account(signal);
    (await program(1)).finish(1, 'the folder is of version 9, this program knows 1');
    (await account.should.be.rejectedWith({ code: 'LOCAL_UNAVAILABLE' })).message.should.match(/of version 9/);
  });

  it('answers LOCAL_UNAVAILABLE, naming settings.js, where the program refuses what stands there', async () => {
    const account = service.account(signal);
    (await program(1)).finish(2, 'model-processing: --workers is a whole number from 1 to 256, not "two"');
    const { message } = await account.should.be.rejectedWith({ code: 'LOCAL_UNAVAILABLE' });
    message.should.match(/modelProcessing in settings\.js is wrong: .*--workers.*"two"/);
  });

  it('answers LOCAL_UNAVAILABLE, with the reason, where the system starts no program at all', async () => {
    const start = () => {
      throw new Error('spawn E2BIG');
    };
    const unlucky = new LocalService({ settings: { dataDir }, log: () => undefined, isPresent: () => true, start });
    (await unlucky.account(signal).should.be.rejectedWith({ code: 'LOCAL_UNAVAILABLE' })).message.should.match(/E2BIG/);
    await unlucky.close();
  });

  it('tries such a start again with a later message, but not with each one', async () => {
    const account = service.account(signal);
    (await program(1)).finish(1, 'no');
    await account.should.be.rejected();
    await service.account(signal).should.be.rejectedWith({ code: 'LOCAL_UNAVAILABLE' });
    programs.length.should.equal(1);
    now += 1_000;
    const later = service.account(signal);
    (await program(2)).serve();
    await later;
  });

  it('waits a little for a locked folder, then answers SERVICE_LOCKED until it is free', async () => {
    const account = service.account(signal);
    const refused = account.should.be.rejectedWith({ code: 'SERVICE_LOCKED' });
    let starts = 0;
    // Each pause doubles, from 250 ms: the sixth start is the first after 5 s.
    while (starts < 6) {
      starts += 1;
      (await program(starts)).finish(3);
    }
    await refused;
    should(service.notice).equal('locked');
    (await program(starts + 1)).serve();
    while (service.notice === 'locked') await new Promise((resolve) => setImmediate(resolve));
    await service.account(signal);
  });

  it('serves a message that came while the folder was locked for a moment', async () => {
    const account = service.account(signal);
    (await program(1)).finish(3);
    (await program(2)).finish(3);
    (await program(3)).serve();
    (await account).should.containEql({ clientId: 'client' });
  });

  it('asks the program to stop when it is closed, and waits for its end', async () => {
    const account = service.account(signal);
    const running = await program(1);
    running.serve();
    await account;
    const closed = service.close();
    running.isStopped.should.be.true();
    running.finish(0);
    await closed;
    running.isKilled.should.be.false();
    await service.account(signal).should.be.rejectedWith({ code: 'LOCAL_UNAVAILABLE' });
  });

  it('stops a program that had not said its address when it was closed', async () => {
    const account = service.account(signal);
    const rejected = account.should.be.rejected();
    const running = await program(1);
    const closed = service.close();
    running.isStopped.should.be.true();
    running.finish(0);
    await closed;
    await rejected;
    programs.length.should.equal(1);
  });

  it('waits with its first start until an earlier one on the same folder has ended', async () => {
    let end: () => void = () => undefined;
    const predecessorEnd = new Promise<void>((resolve) => {
      end = resolve;
    });
    const seen: string[] = [];
    const late = new LocalService({
      settings: { dataDir },
      log: () => undefined,
      isPresent: () => true,
      predecessorEnd,
      start: () => {
        seen.push('started');
        const result = new ScriptedProgram();
        result.serve();
        queueMicrotask(() => seen.push('served'));
        programs.push(result);
        return result;
      },
    });
    const account = late.account(signal);
    await new Promise((resolve) => setImmediate(resolve));
    seen.should.be.empty();
    end();
    await account;
    const closed = late.close();
    programs.at(-1)?.finish(0);
    await closed;
  });
});
