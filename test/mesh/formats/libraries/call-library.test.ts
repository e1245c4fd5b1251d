import 'should';
import { MeshError } from '../../../../src/mesh/core/mesh-error.js';
import { callLibrary, loadLibrary } from '../../../../src/mesh/formats/libraries/call-library.js';
import { meshErrorOf, rejectionOf } from '../mesh-error-of.js';

function createThrower(error: unknown) {
  return () => {
    throw error;
  };
}

describe('loadLibrary and callLibrary', () => {
  it('name a missing package and how to install it', async () => {
    const missing = loadLibrary('IFC', 'web-ifc', () => import('./no-such-package.js' as string));
    const { code, message } = await rejectionOf(missing);
    code.should.equal('FORMAT_UNKNOWN');
    message.should.containEql('npm install web-ifc');
  });

  it('throw TOO_LARGE if the library runs out of memory', async () => {
    for (const message of ['WebAssembly.Memory(): could not allocate memory', 'Aborted(OOM)', 'std::bad_alloc']) {
      const error = new Error(message);
      (await rejectionOf(loadLibrary('STEP', 'x', () => Promise.reject(error)))).code.should.equal('TOO_LARGE');
      meshErrorOf(() => callLibrary('STEP', createThrower(error))).code.should.equal('TOO_LARGE');
    }
  });

  it('throw FILE_MALFORMED for any other failure of the library', () => {
    for (const error of [new Error('unreachable'), 5_243_120, {}, undefined]) {
      const { code, message } = meshErrorOf(() => callLibrary('STEP', createThrower(error)));
      code.should.equal('FILE_MALFORMED');
      message.should.containEql('Invalid STEP');
    }
  });

  it('rethrow a MeshError unchanged', () => {
    const error = new MeshError('FILE_EMPTY', 'nothing');
    meshErrorOf(() => callLibrary('STEP', createThrower(error))).should.equal(error);
  });

  it('rethrow other errors of loading', async () => {
    const error = new Error('a mistake');
    await loadLibrary('STEP', 'x', () => Promise.reject(error)).should.be.rejectedWith(error);
  });
});
