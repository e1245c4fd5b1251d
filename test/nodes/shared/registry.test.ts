import 'should';
import should from 'should';
import { usePollScheduler, useTokenSource } from '../../../nodes/shared/registry.js';

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
});
