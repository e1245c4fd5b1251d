import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { NodeAPI } from 'node-red';
import should from 'should';
import { useHeldWaits, usePollScheduler, useTokenSource } from '../../../../nodes/shared/service/registry.js';

const ACCOUNT = { baseUrl: 'http://127.0.0.1:9', clientId: 'c', clientSecret: 'cs', username: 'u', password: 'pw' };

describe('what the nodes of a process share', () => {
  it('is one poll scheduler for an account, and another for another', () => {
    const first = usePollScheduler(['https://a.example.com', 'maker']);
    const second = usePollScheduler(['https://a.example.com', 'maker']);
    const other = usePollScheduler(['https://a.example.com', 'seller']);
    should(second.scheduler).equal(first.scheduler);
    should(other.scheduler).not.equal(first.scheduler);
    for (const { release } of [first, second, other]) release();
  });

  it('is one token source for an account and the same way to it, and another where either differs', () => {
    let count = 0;
    const use = (account: typeof ACCOUNT, way: unknown[]) =>
      useTokenSource(account, way, () => {
        count += 1;
        return { token: () => Promise.resolve(''), close: () => undefined, pauseMs: 0, pause: () => undefined };
      });
    const sources = [use(ACCOUNT, []), use({ ...ACCOUNT }, [])];
    count.should.equal(1);
    sources.push(use({ ...ACCOUNT, password: 'other' }, []), use(ACCOUNT, [{ rejectUnauthorized: false }]));
    count.should.equal(3);
    for (const source of sources) source.close();
  });

  describe('where settings.js says readOnly', () => {
    let userDir: string;
    let file: string;
    let errors: string[];

    const use = () => {
      const log = { warn: () => undefined, error: (message: string) => errors.push(message) };
      // As much of Node-RED as this takes.
      return useHeldWaits({ settings: { userDir, readOnly: true }, log } as unknown as NodeAPI);
    };
    const wait = { msg: { _msgid: 'a' }, operation: 'repair', operationId: 'a', filename: undefined, startedAt: 0 };

    beforeEach(() => {
      userDir = mkdtempSync(path.join(os.tmpdir(), 'read-only-'));
      file = path.join(userDir, 'model-processing-waits.jsonl');
      errors = [];
    });
    afterEach(() => rmSync(userDir, { recursive: true }));

    it('is a journal that is not written: what waits in it goes on', () => {
      const text = '{"wait":"key","node":"tab/node","operation":"repair","operationId":"a","message":{}}\n';
      writeFileSync(file, text);
      const { waits, release } = use();
      const [hold] = waits.acquire('tab/node');
      should(hold?.wait.operationId).equal('a');
      should(Object(hold?.wait.msg.model).isRepeat).be.true();
      hold?.markSending();
      hold?.end();
      release();
      readFileSync(file, 'utf8').should.equal(text);
      errors.length.should.equal(1);
      should(errors[0]).containEql('"readOnly" is set in settings.js');
    });

    it('is none where there is no file, without a word', () => {
      const { waits, release } = use();
      waits.register('tab/node', wait);
      release();
      existsSync(file).should.be.false();
      errors.should.be.empty();
    });
  });
});
