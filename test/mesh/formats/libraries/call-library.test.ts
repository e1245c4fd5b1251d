import 'should';
import { MeshError } from '../../../../src/mesh/core/mesh-error.js';
import { callLibrary, loadLibrary } from '../../../../src/mesh/formats/libraries/call-library.js';
import { meshErrorOf, refusalOf } from '../mesh-error-of.js';

const throwing = (error: unknown) => () => {
  throw error;
};

describe('a library that reads a format', () => {
  it('is named with the way to add it where it is not installed', async () => {
    const missing = loadLibrary('IFC', 'web-ifc', () => import('./no-such-package.js' as string));
    const { code, message } = await refusalOf(missing);
    code.should.equal('FORMAT_UNKNOWN');
    message.should.containEql('npm install web-ifc');
  });

  it('that finds no memory makes the file too large, when it is loaded and when it reads', async () => {
    for (const words of ['WebAssembly.Memory(): could not allocate memory', 'Aborted(OOM)', 'std::bad_alloc']) {
      const error = new Error(words);
      (await refusalOf(loadLibrary('STEP', 'x', () => Promise.reject(error)))).code.should.equal('TOO_LARGE');
      meshErrorOf(() => callLibrary('STEP', throwing(error))).code.should.equal('TOO_LARGE');
    }
  });

  it('that breaks off makes the file malformed, whatever it throws', () => {
    for (const error of [new Error('unreachable'), 5_243_120, {}, undefined]) {
      const { code, message } = meshErrorOf(() => callLibrary('STEP', throwing(error)));
      code.should.equal('FILE_MALFORMED');
      message.should.containEql('no sound STEP');
    }
  });

  it('lets through what its adapter says', () => {
    const error = new MeshError('FILE_EMPTY', 'nothing');
    meshErrorOf(() => callLibrary('STEP', throwing(error))).should.equal(error);
  });

  it('fails as itself where it cannot be loaded for another reason', async () => {
    const error = new Error('a mistake');
    await loadLibrary('STEP', 'x', () => Promise.reject(error)).should.be.rejectedWith(error);
  });
});
