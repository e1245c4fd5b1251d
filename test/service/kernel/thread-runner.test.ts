import should from 'should';
import { createThreadRunner } from '../../../src/service/kernel/thread-runner.js';

describe('createThreadRunner', () => {
  it('returns the outputs of many parts', () => {
    const multiply = { name: 'multiply', runPart: (factor: number, part: number) => factor * part };
    const outputs = createThreadRunner([]).start(multiply, 3, 200_000)();
    should(outputs.length).equal(200_000);
    should(outputs.at(-1)).equal(599_997);
  });
});
