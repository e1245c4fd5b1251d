import should from 'should';
import { callMeshopt } from '../../../src/mesh/preview/call-meshopt.js';

describe('callMeshopt', () => {
  it('returns the result', () => {
    callMeshopt(() => 42).should.equal(42);
  });

  it('throws what V8 throws for insufficient memory if memory could not grow, whatever the library throws', () => {
    const offset = () => new Uint8Array(8).set(new Uint8Array(8), -1); // the result of a failed sbrk is -1
    const unreachable = () => {
      throw new WebAssembly.RuntimeError('unreachable');
    };
    for (const work of [offset, unreachable]) {
      should(() => callMeshopt(work)).throw(RangeError, { message: /memory allocation failed/ });
    }
  });
});
