import 'should';
import should from 'should';
import { RefCountedRegistry } from '../../../../nodes/shared/service/ref-counted-registry.js';
import { nextTurn } from '../../../helpers/next-turn.js';

class Resource {
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

describe('RefCountedRegistry', () => {
  const never = (): never => {
    throw new Error('the resource exists already');
  };
  let scheduled: Set<() => void>;
  let registry: RefCountedRegistry<Resource>;

  /** Closes all resources without references, as if the idle timeout had passed. */
  const passIdleTimeout = () => {
    for (const run of scheduled) run();
    scheduled.clear();
  };

  beforeEach(() => {
    scheduled = new Set();
    registry = new RefCountedRegistry<Resource>(3_000, (run, ms) => {
      ms.should.equal(3_000);
      scheduled.add(run);
      return () => scheduled.delete(run);
    });
  });

  it('returns the same resource for the same key, and another one for another key', () => {
    const first = registry.acquire('a', () => new Resource());
    registry.acquire('a', never).should.equal(first);
    registry.acquire('b', () => new Resource()).should.not.equal(first);
  });

  it('closes a resource when the idle timeout has passed after the last release', () => {
    const resource = registry.acquire('a', () => new Resource());
    registry.acquire('a', never);
    registry.release('a');
    passIdleTimeout();
    resource.isClosed.should.be.false();
    registry.release('a');
    resource.isClosed.should.be.false();
    passIdleTimeout();
    resource.isClosed.should.be.true();
  });

  it('returns an idle resource to the next caller', () => {
    const resource = registry.acquire('a', () => new Resource());
    registry.release('a');
    registry.acquire('a', never).should.equal(resource);
    passIdleTimeout();
    resource.isClosed.should.be.false();
  });

  it('resolves predecessorEnd when the previous resource of the key has closed', async () => {
    const first = registry.acquire('a', () => new Resource());
    registry.release('a');
    passIdleTimeout();
    let end: Promise<string> | undefined;
    registry.acquire('a', (predecessorEnd) => {
      end = predecessorEnd.then(() => 'ended');
      return new Resource();
    });
    const notYet = nextTurn().then(() => 'not yet');
    should(await Promise.race([end, notYet])).equal('not yet');
    first.end();
    should(await end).equal('ended');
  });

  it('creates the next resource of a key whose resource threw on close', async () => {
    const broken = new Resource();
    broken.close = () => {
      throw new Error('the resource is broken');
    };
    registry.acquire('a', () => broken);
    registry.release('a');
    passIdleTimeout();
    let predecessor: Promise<void> | undefined;
    const next = registry.acquire('a', (predecessorEnd) => {
      predecessor = predecessorEnd;
      return new Resource();
    });
    await predecessor;
    next.isClosed.should.be.false();
  });

  it('throws a TypeError if released more often than acquired', () => {
    (() => registry.release('a')).should.throw(TypeError);
  });
});
