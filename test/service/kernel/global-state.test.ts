import should from 'should';
import { readGlobalState } from '../../../src/service/kernel/global-state.js';

describe('readGlobalState', () => {
  it('is the same after a computation', () => {
    const before = readGlobalState();
    const sum = [...new Map([[1, 2]])].flat().reduce((first, second) => first + second);
    should(sum).equal(3);
    should(readGlobalState()).equal(before);
  });

  for (const [change, make, undo] of [
    [
      'a global value',
      () => Object.assign(globalThis, { leftBehind: 1 }),
      () => Reflect.deleteProperty(globalThis, 'leftBehind'),
    ],
    [
      'a property that all objects inherit',
      () => Object.defineProperty(Object.prototype, 'leftBehind', { value: 1, configurable: true }),
      () => Reflect.deleteProperty(Object.prototype, 'leftBehind'),
    ],
    [
      'a property of typed arrays',
      () => Object.defineProperty(Object.getPrototypeOf(Float64Array), 'leftBehind', { value: 1, configurable: true }),
      () => Reflect.deleteProperty(Object.getPrototypeOf(Float64Array), 'leftBehind'),
    ],
    [
      'an environment variable',
      () => {
        process.env.LEFT_BEHIND = 'secret';
      },
      () => delete process.env.LEFT_BEHIND,
    ],
    [
      'a handler of the process',
      () => process.on('leftBehind', () => undefined),
      () => process.removeAllListeners('leftBehind'),
    ],
  ] as const) {
    it(`differs after ${change} was added`, () => {
      const before = readGlobalState();
      make();
      try {
        should(readGlobalState()).not.equal(before);
      } finally {
        undo();
      }
      should(readGlobalState()).equal(before);
    });
  }

  it('differs while a timer runs', () => {
    const before = readGlobalState();
    const timer = setTimeout(() => undefined, 60_000);
    should(readGlobalState()).not.equal(before);
    clearTimeout(timer);
  });
});
