import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { NodeAPI } from 'node-red';
import should from 'should';
import { usePendingWaits, usePollScheduler, useTokenSource } from '../../../../nodes/shared/service/registry.js';

const ACCOUNT = { baseUrl: 'http://127.0.0.1:9', clientId: 'c', clientSecret: 'cs', username: 'u', password: 'pw' };

describe('registry', () => {
  it('shares one poll scheduler among the users of an account', () => {
    const first = usePollScheduler(['https://a.example.com', 'maker']);
    const second = usePollScheduler(['https://a.example.com', 'maker']);
    const other = usePollScheduler(['https://a.example.com', 'seller']);
    should(second.scheduler).equal(first.scheduler);
    should(other.scheduler).not.equal(first.scheduler);
    for (const { release } of [first, second, other]) release();
  });

  it('shares one token source among equal accounts with equal connection settings', () => {
    let count = 0;
    const use = (account: typeof ACCOUNT, connectionKey: unknown[]) =>
      useTokenSource(account, connectionKey, () => {
        count += 1;
        return { token: () => Promise.resolve(''), close: () => undefined, pauseMs: 0, pause: () => undefined };
      });
    const sources = [use(ACCOUNT, []), use({ ...ACCOUNT }, [])];
    count.should.equal(1);
    sources.push(use({ ...ACCOUNT, password: 'other' }, []), use(ACCOUNT, [{ rejectUnauthorized: false }]));
    count.should.equal(3);
    for (const source of sources) source.close();
  });

  describe('usePendingWaits with readOnly in settings.js', () => {
    let userDir: string;
    let file: string;
    let errors: string[];

    const use = () => {
      const log = { warn: () => undefined, error: (message: string) => errors.push(message) };
      // The part of Node-RED that usePendingWaits uses.
      return usePendingWaits({ settings: { userDir, readOnly: true }, log } as unknown as NodeAPI);
    };
    const wait = { msg: { _msgid: 'a' }, operation: 'repair', operationId: 'a', filename: undefined, startedAt: 0 };

    beforeEach(() => {
      userDir = mkdtempSync(path.join(os.tmpdir(), 'read-only-'));
      file = path.join(userDir, 'model-processing-waits.jsonl');
      errors = [];
    });
    afterEach(() => rmSync(userDir, { recursive: true }));

    it('returns the waits of an existing journal without writing to it', () => {
      const text = '{"wait":"key","node":"tab/node","operation":"repair","operationId":"a","message":{}}\n';
      writeFileSync(file, text);
      const { waits, release } = use();
      const [lease] = waits.acquire('tab/node');
      should(lease?.wait.operationId).equal('a');
      should(Object(lease?.wait.msg.model).isRepeat).be.true();
      lease?.markSending();
      lease?.end();
      release();
      readFileSync(file, 'utf8').should.equal(text);
      errors.length.should.equal(1);
      should(errors[0]).containEql('"readOnly" is set in settings.js');
    });

    it('creates no journal and logs no error if there is none', () => {
      const { waits, release } = use();
      waits.register('tab/node', wait);
      release();
      existsSync(file).should.be.false();
      errors.should.be.empty();
    });
  });
});
