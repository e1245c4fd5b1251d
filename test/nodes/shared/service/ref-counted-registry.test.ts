import 'should';
import should from 'should';
import { RefCountedRegistry } from '../../../../nodes/shared/service/ref-counted-registry.js';

class Thing {
  isClosed = false;
  end: () => void = () => undefined;
  readonly ended = new Promise<void>((resolve) => {
    this.end = resolve;
  });

  close(): Promise<void> {
    this.isClosed = true;
    return this.ended;
  }
}

function turn() {
  return new Promise((resolve) => setImmediate(resolve));
}

describe('SharedLives', () => {
  const never = (): never => {
    throw new Error('there is one already');
  };
  let scheduled: Set<() => void>;
  let lives: RefCountedRegistry<Thing>;

  /** The lingering of all that nobody uses is over. */
  const lingerOver = () => {
    for (const run of scheduled) run();
    scheduled.clear();
  };

  beforeEach(() => {
    scheduled = new Set();
    lives = new RefCountedRegistry<Thing>(3_000, (run, ms) => {
      ms.should.equal(3_000);
      scheduled.add(run);
      return () => scheduled.delete(run);
    });
  });

  it('gives all users of a key the same thing, and others their own', () => {
    const first = lives.acquire('a', () => new Thing());
    lives.acquire('a', never).should.equal(first);
    lives.acquire('b', () => new Thing()).should.not.equal(first);
  });

  it('ends a thing after its last user has let go and a while has passed', () => {
    const thing = lives.acquire('a', () => new Thing());
    lives.acquire('a', never);
    lives.release('a');
    lingerOver();
    thing.isClosed.should.be.false();
    lives.release('a');
    thing.isClosed.should.be.false();
    lingerOver();
    thing.isClosed.should.be.true();
  });

  it('hands a thing that lingers to the next user', () => {
    const thing = lives.acquire('a', () => new Thing());
    lives.release('a');
    lives.acquire('a', never).should.equal(thing);
    lingerOver();
    thing.isClosed.should.be.false();
  });

  it('tells a new thing when the one before it has ended', async () => {
    const first = lives.acquire('a', () => new Thing());
    lives.release('a');
    lingerOver();
    let end: Promise<string> | undefined;
    lives.acquire('a', (predecessorEnd) => {
      end = predecessorEnd.then(() => 'over');
      return new Thing();
    });
    const notYet = turn().then(() => 'not yet');
    should(await Promise.race([end, notYet])).equal('not yet');
    first.end();
    should(await end).equal('over');
  });

  it('refuses to be released more often than acquired', () => {
    (() => lives.release('a')).should.throw(TypeError);
  });
});
